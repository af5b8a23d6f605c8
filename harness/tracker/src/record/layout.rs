//! Offsets and little-endian access; the tables are in the docs of [`super`].

/// Version that the writer writes and the only one that the reader reads.
pub const FORMAT_VERSION: u32 = 1;
/// Length of the header, in bytes.
pub const HEADER_BYTES: usize = 4096;
/// Length of a mark, in bytes.
pub const MARK_BYTES: usize = 256;
/// Longest name of a fixture or a UDF, in bytes of UTF-8.
pub const NAME_MAX_BYTES: usize = 192;
/// Longest environment text, in bytes of UTF-8.
pub const ENVIRONMENT_MAX_BYTES: usize = 1564;
/// Longest failure message, in bytes of UTF-8. Longer ones are cut.
pub const FAILURE_MAX_BYTES: usize = 1024;

pub(super) const MAGIC: [u8; 8] = *b"HIGHWATR";

pub(super) const VERSION: usize = 8;
pub(super) const HEADER_LENGTH: usize = 12;
pub(super) const MARK_LENGTH: usize = 16;
pub(super) const PID: usize = 20;
pub(super) const RUNTIME: usize = 24;
pub(super) const BATCHES: usize = 28;
pub(super) const ROWS: usize = 32;
pub(super) const SEED: usize = 40;
pub(super) const STARTED: usize = 48;
pub(super) const HEADER_CRC: usize = 2044;

/// A text of the header: where its length is, where it begins, how long it may be.
pub(super) struct Text {
    pub(super) name: &'static str,
    pub(super) length_at: usize,
    pub(super) at: usize,
    pub(super) most: usize,
}

pub(super) const FIXTURE: Text =
    Text { name: "fixture", length_at: 56, at: 64, most: NAME_MAX_BYTES };
pub(super) const UDF: Text = Text { name: "udf", length_at: 58, at: 256, most: NAME_MAX_BYTES };
pub(super) const TRACKER: Text = Text { name: "tracker version", length_at: 60, at: 448, most: 32 };
pub(super) const ENVIRONMENT: Text =
    Text { name: "environment", length_at: 62, at: 480, most: ENVIRONMENT_MAX_BYTES };

pub(super) const CAPACITY: usize = 2048;
pub(super) const COMMITTED: usize = 2056;
pub(super) const STATE: usize = 2064;
pub(super) const STAGE: usize = 2072;
pub(super) const PEAK_ERROR_BOUND: usize = 2080;
pub(super) const LOST: usize = 2088;
pub(super) const CANARY: usize = 2096;
pub(super) const CANARY_EXPECTED: usize = 2104;
pub(super) const CANARY_COUNTED: usize = 2112;
pub(super) const FAILURE_LENGTH: usize = 2120;
pub(super) const FAILURE: usize = 3072;

pub(super) const STATE_RUNNING: u64 = 1;
pub(super) const STATE_FINISHED: u64 = 2;
pub(super) const STATE_FAILED: u64 = 3;

pub(super) const MARK_CRC: usize = 252;

pub(super) const ABSENT: i64 = i64::MIN;

/// Fixed-size pieces of a byte buffer. The offsets are constants of this module and inside the
/// buffers they are used on, which the tests of [`super`] go through one by one.
pub(super) fn put<const N: usize>(buffer: &mut [u8], at: usize, bytes: [u8; N]) {
    buffer[at..at + N].copy_from_slice(&bytes);
}

#[cfg(feature = "std")]
pub(super) fn get<const N: usize>(buffer: &[u8], at: usize) -> [u8; N] {
    let mut bytes = [0; N];
    bytes.copy_from_slice(&buffer[at..at + N]);
    bytes
}

#[cfg(feature = "std")]
pub(super) fn get_u32(buffer: &[u8], at: usize) -> u32 {
    u32::from_le_bytes(get(buffer, at))
}

#[cfg(feature = "std")]
pub(super) fn get_u64(buffer: &[u8], at: usize) -> u64 {
    u64::from_le_bytes(get(buffer, at))
}

#[cfg(feature = "std")]
pub(super) fn get_i64(buffer: &[u8], at: usize) -> i64 {
    i64::from_le_bytes(get(buffer, at))
}

/// `message` up to `most` bytes, cut at a character.
pub(super) fn cut(message: &str, most: usize) -> &str {
    &message[..message.floor_char_boundary(most)]
}
