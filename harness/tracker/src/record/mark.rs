//! One mark: the figures at a fixed point of the run.

use super::layout::{self, ABSENT, MARK_BYTES, put};
#[cfg(feature = "std")]
use super::layout::{get_i64, get_u32, get_u64};
use crate::clock;
use crate::proc::Status;
use crate::reading::Reading;

/// Where in the run a mark was taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MarkKind {
    /// As early as the worker can.
    ProcessStart,
    /// Before the UDF is made and set up.
    BeforeSetup,
    /// After `setup`.
    AfterSetup,
    /// After a batch.
    AfterBatch,
    /// After the UDF was dropped.
    AfterDrop,
    /// After the worker warmed its libraries up, under Python.
    AfterWarmUp,
    /// After everything was collected, once the last batch is done, under Python.
    AfterCollect,
    /// After the C library was then asked to trim its heap; under Rust, once the last batch is done.
    AfterTrim,
    /// After Arrow's pool was then asked to release what it does not use, under Python.
    AfterRelease,
    /// After the caches that have a bound and were still filling were then emptied, under Python.
    AfterEmpty,
    /// A kind that a later version has. Not one of the numbers 1 to 10.
    Other(u32),
}

impl MarkKind {
    /// The number in the record.
    pub fn code(self) -> u32 {
        match self {
            Self::ProcessStart => 1,
            Self::BeforeSetup => 2,
            Self::AfterSetup => 3,
            Self::AfterBatch => 4,
            Self::AfterDrop => 5,
            Self::AfterWarmUp => 6,
            Self::AfterCollect => 7,
            Self::AfterTrim => 8,
            Self::AfterRelease => 9,
            Self::AfterEmpty => 10,
            Self::Other(code) => code,
        }
    }

    /// The kind of a number.
    pub fn from_code(code: u32) -> Self {
        match code {
            1 => Self::ProcessStart,
            2 => Self::BeforeSetup,
            3 => Self::AfterSetup,
            4 => Self::AfterBatch,
            5 => Self::AfterDrop,
            6 => Self::AfterWarmUp,
            7 => Self::AfterCollect,
            8 => Self::AfterTrim,
            9 => Self::AfterRelease,
            10 => Self::AfterEmpty,
            other => Self::Other(other),
        }
    }
}

/// The figures at a fixed point of the run. Requested bytes unless said otherwise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// Where in the run.
    pub kind: MarkKind,
    /// Index of the batch, from 0; 0 where there is none.
    pub batch: u32,
    /// Monotonic clock, in nanoseconds.
    pub monotonic_ns: u64,
    /// How long the step before the mark took, in nanoseconds.
    pub duration_ns: u64,
    /// UDF: bytes allocated and not freed.
    pub live_bytes: i64,
    /// UDF: blocks allocated and not freed.
    pub live_blocks: i64,
    /// UDF: highest live bytes since the previous mark.
    pub peak_bytes: i64,
    /// UDF: highest live bytes of the run.
    pub run_peak_bytes: i64,
    /// UDF: allocations since the process started.
    pub allocations: u64,
    /// UDF: bytes of those allocations.
    pub allocated_bytes: u64,
    /// Harness: bytes allocated and not freed.
    pub harness_live_bytes: i64,
    /// Harness: blocks allocated and not freed.
    pub harness_live_blocks: i64,
    /// Bytes of the batch that was handed over in the step before the mark.
    pub input_bytes: i64,
    /// Resident anonymous memory, in bytes.
    pub rss_anon_bytes: i64,
    /// Resident pages of files, in bytes.
    pub rss_file_bytes: i64,
    /// Resident shared memory, in bytes.
    pub rss_shmem_bytes: i64,
    /// Highest resident memory of the process so far, in bytes.
    pub rss_peak_bytes: i64,
    /// Threads of the process.
    pub threads: u32,
    /// Threads that own counters.
    pub thread_blocks: u32,
    /// How far `peak_bytes` may be off, in bytes.
    pub peak_error_bound_bytes: i64,
    /// Events that could not be counted. Unless it is 0, the run is invalid.
    pub lost_events: u64,
    /// Arrow's own count of live bytes, under Python.
    pub arrow_live_bytes: Option<i64>,
    /// Highest bytes of Arrow's pool, under Python.
    pub arrow_max_bytes: Option<i64>,
    /// Live bytes before the garbage collection that precedes a mark, under Python.
    pub before_collection_bytes: Option<i64>,
    /// Bytes in anonymous mappings that the process made itself.
    pub mapped_bytes: Option<i64>,
    /// Blocks of Python's own allocator.
    pub python_blocks: Option<i64>,
    /// Live bytes that Python's own allocators did not hand out: the rest beside `python_live_bytes`.
    pub native_bytes: Option<i64>,
    /// Live bytes that Python's own allocators handed out.
    pub python_live_bytes: Option<i64>,
    /// Bytes of what the UDF returned.
    pub output_bytes: Option<i64>,
    /// Bytes of what the UDF returned, pickled.
    pub pickled_result_bytes: Option<i64>,
    /// Bytes of the UDF itself, pickled.
    pub pickled_state_bytes: Option<i64>,
}

impl Mark {
    /// A mark of these figures, now. What they do not say is 0 or absent, for the caller to fill in.
    pub fn now(kind: MarkKind, batch: u32, reading: &Reading, status: &Status) -> Self {
        Self {
            kind,
            batch,
            monotonic_ns: clock::monotonic_ns(),
            duration_ns: 0,
            live_bytes: reading.udf.live_bytes,
            live_blocks: reading.udf.live_blocks,
            peak_bytes: reading.udf.peak_bytes,
            run_peak_bytes: reading.udf.run_peak_bytes,
            allocations: reading.udf.allocations,
            allocated_bytes: reading.udf.allocated_bytes,
            harness_live_bytes: reading.harness.live_bytes,
            harness_live_blocks: reading.harness.live_blocks,
            input_bytes: 0,
            rss_anon_bytes: status.rss_anon_bytes,
            rss_file_bytes: status.rss_file_bytes,
            rss_shmem_bytes: status.rss_shmem_bytes,
            rss_peak_bytes: status.rss_peak_bytes,
            threads: status.threads,
            thread_blocks: reading.thread_blocks,
            peak_error_bound_bytes: reading.peak_error_bound_bytes,
            lost_events: reading.lost_events,
            arrow_live_bytes: None,
            arrow_max_bytes: None,
            before_collection_bytes: None,
            mapped_bytes: None,
            python_blocks: None,
            native_bytes: None,
            python_live_bytes: None,
            output_bytes: None,
            pickled_result_bytes: None,
            pickled_state_bytes: None,
        }
    }

    pub(super) fn encode(&self) -> [u8; MARK_BYTES] {
        let mut bytes = [0; MARK_BYTES];
        put(&mut bytes, 0, self.kind.code().to_le_bytes());
        put(&mut bytes, 4, self.batch.to_le_bytes());
        put(&mut bytes, 8, self.monotonic_ns.to_le_bytes());
        put(&mut bytes, 16, self.duration_ns.to_le_bytes());
        put(&mut bytes, 24, self.live_bytes.to_le_bytes());
        put(&mut bytes, 32, self.live_blocks.to_le_bytes());
        put(&mut bytes, 40, self.peak_bytes.to_le_bytes());
        put(&mut bytes, 48, self.run_peak_bytes.to_le_bytes());
        put(&mut bytes, 56, self.allocations.to_le_bytes());
        put(&mut bytes, 64, self.allocated_bytes.to_le_bytes());
        put(&mut bytes, 72, self.harness_live_bytes.to_le_bytes());
        put(&mut bytes, 80, self.harness_live_blocks.to_le_bytes());
        put(&mut bytes, 88, self.input_bytes.to_le_bytes());
        put(&mut bytes, 96, self.rss_anon_bytes.to_le_bytes());
        put(&mut bytes, 104, self.rss_file_bytes.to_le_bytes());
        put(&mut bytes, 112, self.rss_shmem_bytes.to_le_bytes());
        put(&mut bytes, 120, self.rss_peak_bytes.to_le_bytes());
        put(&mut bytes, 128, self.threads.to_le_bytes());
        put(&mut bytes, 132, self.thread_blocks.to_le_bytes());
        put(&mut bytes, 136, self.peak_error_bound_bytes.to_le_bytes());
        put(&mut bytes, 144, self.lost_events.to_le_bytes());
        put(&mut bytes, 152, word(self.arrow_live_bytes));
        put(&mut bytes, 160, word(self.arrow_max_bytes));
        put(&mut bytes, 168, word(self.before_collection_bytes));
        put(&mut bytes, 176, word(self.mapped_bytes));
        put(&mut bytes, 184, word(self.python_blocks));
        put(&mut bytes, 192, word(self.native_bytes));
        put(&mut bytes, 200, word(self.python_live_bytes));
        put(&mut bytes, 208, word(self.output_bytes));
        put(&mut bytes, 216, word(self.pickled_result_bytes));
        put(&mut bytes, 224, word(self.pickled_state_bytes));
        let crc = crc32fast::hash(&bytes[..layout::MARK_CRC]);
        put(&mut bytes, layout::MARK_CRC, crc.to_le_bytes());
        bytes
    }

    /// `None` when the checksum does not fit.
    #[cfg(feature = "std")]
    pub(super) fn decode(bytes: &[u8; MARK_BYTES]) -> Option<Self> {
        if crc32fast::hash(&bytes[..layout::MARK_CRC]) != get_u32(bytes, layout::MARK_CRC) {
            return None;
        }
        Some(Self {
            kind: MarkKind::from_code(get_u32(bytes, 0)),
            batch: get_u32(bytes, 4),
            monotonic_ns: get_u64(bytes, 8),
            duration_ns: get_u64(bytes, 16),
            live_bytes: get_i64(bytes, 24),
            live_blocks: get_i64(bytes, 32),
            peak_bytes: get_i64(bytes, 40),
            run_peak_bytes: get_i64(bytes, 48),
            allocations: get_u64(bytes, 56),
            allocated_bytes: get_u64(bytes, 64),
            harness_live_bytes: get_i64(bytes, 72),
            harness_live_blocks: get_i64(bytes, 80),
            input_bytes: get_i64(bytes, 88),
            rss_anon_bytes: get_i64(bytes, 96),
            rss_file_bytes: get_i64(bytes, 104),
            rss_shmem_bytes: get_i64(bytes, 112),
            rss_peak_bytes: get_i64(bytes, 120),
            threads: get_u32(bytes, 128),
            thread_blocks: get_u32(bytes, 132),
            peak_error_bound_bytes: get_i64(bytes, 136),
            lost_events: get_u64(bytes, 144),
            arrow_live_bytes: optional(get_i64(bytes, 152)),
            arrow_max_bytes: optional(get_i64(bytes, 160)),
            before_collection_bytes: optional(get_i64(bytes, 168)),
            mapped_bytes: optional(get_i64(bytes, 176)),
            python_blocks: optional(get_i64(bytes, 184)),
            native_bytes: optional(get_i64(bytes, 192)),
            python_live_bytes: optional(get_i64(bytes, 200)),
            output_bytes: optional(get_i64(bytes, 208)),
            pickled_result_bytes: optional(get_i64(bytes, 216)),
            pickled_state_bytes: optional(get_i64(bytes, 224)),
        })
    }
}

fn word(value: Option<i64>) -> [u8; 8] {
    value.unwrap_or(ABSENT).to_le_bytes()
}

#[cfg(feature = "std")]
fn optional(word: i64) -> Option<i64> {
    (word != ABSENT).then_some(word)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every field different, so that two offsets that overlap or are swapped show up.
    fn distinct() -> Mark {
        Mark {
            kind: MarkKind::Other(77),
            batch: 2,
            monotonic_ns: 3,
            duration_ns: 4,
            live_bytes: -5,
            live_blocks: 6,
            peak_bytes: 7,
            run_peak_bytes: 8,
            allocations: 9,
            allocated_bytes: u64::MAX,
            harness_live_bytes: 11,
            harness_live_blocks: -12,
            input_bytes: 13,
            rss_anon_bytes: 14,
            rss_file_bytes: 15,
            rss_shmem_bytes: 16,
            rss_peak_bytes: i64::MAX,
            threads: 18,
            thread_blocks: 19,
            peak_error_bound_bytes: 20,
            lost_events: 21,
            arrow_live_bytes: Some(22),
            arrow_max_bytes: None,
            before_collection_bytes: Some(0),
            mapped_bytes: Some(-25),
            python_blocks: Some(26),
            native_bytes: Some(27),
            python_live_bytes: Some(28),
            output_bytes: Some(-29),
            pickled_result_bytes: None,
            pickled_state_bytes: Some(31),
        }
    }

    #[test]
    fn what_goes_in_comes_out() {
        assert_eq!(Mark::decode(&distinct().encode()), Some(distinct()));
    }

    #[test]
    fn every_kind_keeps_its_number() {
        for (kind, code) in [
            (MarkKind::ProcessStart, 1),
            (MarkKind::BeforeSetup, 2),
            (MarkKind::AfterSetup, 3),
            (MarkKind::AfterBatch, 4),
            (MarkKind::AfterDrop, 5),
            (MarkKind::AfterWarmUp, 6),
            (MarkKind::AfterCollect, 7),
            (MarkKind::AfterTrim, 8),
            (MarkKind::AfterRelease, 9),
            (MarkKind::AfterEmpty, 10),
            (MarkKind::Other(11), 11),
        ] {
            assert_eq!(kind.code(), code);
            assert_eq!(MarkKind::from_code(code), kind);
        }
    }

    #[test]
    fn any_flipped_bit_is_noticed() {
        let bytes = distinct().encode();
        for bit in 0..MARK_BYTES * 8 {
            let mut broken = bytes;
            broken[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(Mark::decode(&broken), None, "bit {bit}");
        }
    }

    #[test]
    fn documented_offsets_hold() {
        let bytes = distinct().encode();
        assert_eq!(get_i64(&bytes, 24), -5);
        assert_eq!(get_i64(&bytes, 88), 13);
        assert_eq!(get_u32(&bytes, 132), 19);
        assert_eq!(get_i64(&bytes, 160), i64::MIN);
        assert_eq!(get_i64(&bytes, 224), 31);
        assert!(bytes[232..252].iter().all(|byte| *byte == 0));
    }
}
