//! What a record says about its run, apart from the marks.

use super::layout::{self, HEADER_BYTES, MARK_BYTES, Text, put};
use super::writer::WriteError;

/// What is known about a run before it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opening<'a> {
    /// Name of the fixture, at most [`NAME_MAX_BYTES`](super::NAME_MAX_BYTES).
    pub fixture: &'a str,
    /// Name of the UDF, at most [`NAME_MAX_BYTES`](super::NAME_MAX_BYTES).
    pub udf: &'a str,
    /// What runs the UDF.
    pub runtime: Runtime,
    /// Batches asked for.
    pub batches: u32,
    /// Rows per batch.
    pub rows: u64,
    /// Seed of the inputs.
    pub seed: u64,
    /// Where it runs, as free text or JSON, at most
    /// [`ENVIRONMENT_MAX_BYTES`](super::ENVIRONMENT_MAX_BYTES).
    pub environment: &'a str,
}

/// What runs the UDF.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Runtime {
    /// A Rust binary under the [`Tracker`](crate#parts) wrapper.
    Rust,
    /// A Python interpreter under the preloaded library.
    Python,
}

/// How far the worker has come.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Stage {
    /// The process is getting ready.
    Starting,
    /// The canary is being counted.
    Confidence,
    /// The UDF's `setup` runs.
    Setup,
    /// The UDF works on the batch of this index, from 0.
    Batch(u32),
    /// The UDF is being dropped.
    Dropping,
    /// Nothing is left to do.
    Done,
}

/// What became of the canary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CanaryOutcome {
    /// It was not tried.
    NotRun,
    /// It was counted right.
    Passed {
        /// Its size in bytes.
        bytes: i64,
    },
    /// It was counted wrong, or not at all.
    Failed {
        /// Its size in bytes.
        expected: i64,
        /// What was counted, in bytes.
        counted: i64,
    },
}

impl Runtime {
    pub(super) fn code(self) -> u32 {
        match self {
            Self::Rust => 1,
            Self::Python => 2,
        }
    }

    #[cfg(feature = "std")]
    pub(super) fn from_code(code: u32) -> Option<Self> {
        [Self::Rust, Self::Python].into_iter().find(|runtime| runtime.code() == code)
    }
}

impl Stage {
    pub(super) fn word(self) -> u64 {
        match self {
            Self::Starting => 1,
            Self::Confidence => 2,
            Self::Setup => 3,
            Self::Batch(index) => u64::from(index) << 32 | 4,
            Self::Dropping => 5,
            Self::Done => 6,
        }
    }

    #[cfg(feature = "std")]
    pub(super) fn from_word(word: u64) -> Option<Self> {
        let index = (word >> 32) as u32;
        [
            Self::Starting,
            Self::Confidence,
            Self::Setup,
            Self::Batch(index),
            Self::Dropping,
            Self::Done,
        ]
        .into_iter()
        .find(|stage| stage.word() == word)
    }
}

impl CanaryOutcome {
    /// Code, bytes expected, bytes counted.
    pub(super) fn words(self) -> [u64; 3] {
        match self {
            Self::NotRun => [0, 0, 0],
            Self::Passed { bytes } => [1, bytes.cast_unsigned(), bytes.cast_unsigned()],
            Self::Failed { expected, counted } => {
                [2, expected.cast_unsigned(), counted.cast_unsigned()]
            }
        }
    }

    #[cfg(feature = "std")]
    pub(super) fn from_words([code, expected, counted]: [u64; 3]) -> Option<Self> {
        let (expected, counted) = (expected.cast_signed(), counted.cast_signed());
        match code {
            0 => Some(Self::NotRun),
            1 => Some(Self::Passed { bytes: expected }),
            2 => Some(Self::Failed { expected, counted }),
            _ => None,
        }
    }
}

impl Opening<'_> {
    /// The whole header of a new record.
    pub(super) fn encode(&self, pid: u32, capacity: u64) -> Result<[u8; HEADER_BYTES], WriteError> {
        let mut header = [0; HEADER_BYTES];
        put(&mut header, 0, layout::MAGIC);
        put(&mut header, layout::VERSION, layout::FORMAT_VERSION.to_le_bytes());
        put(&mut header, layout::HEADER_LENGTH, (HEADER_BYTES as u32).to_le_bytes());
        put(&mut header, layout::MARK_LENGTH, (MARK_BYTES as u32).to_le_bytes());
        put(&mut header, layout::PID, pid.to_le_bytes());
        put(&mut header, layout::RUNTIME, self.runtime.code().to_le_bytes());
        put(&mut header, layout::BATCHES, self.batches.to_le_bytes());
        put(&mut header, layout::ROWS, self.rows.to_le_bytes());
        put(&mut header, layout::SEED, self.seed.to_le_bytes());
        put(&mut header, layout::STARTED, crate::clock::unix_ns().to_le_bytes());
        put_text(&mut header, &layout::FIXTURE, self.fixture)?;
        put_text(&mut header, &layout::UDF, self.udf)?;
        put_text(&mut header, &layout::TRACKER, crate::VERSION)?;
        put_text(&mut header, &layout::ENVIRONMENT, self.environment)?;
        let crc = crc32fast::hash(&header[..layout::HEADER_CRC]);
        put(&mut header, layout::HEADER_CRC, crc.to_le_bytes());
        put(&mut header, layout::CAPACITY, capacity.to_le_bytes());
        put(&mut header, layout::STATE, layout::STATE_RUNNING.to_le_bytes());
        put(&mut header, layout::STAGE, Stage::Starting.word().to_le_bytes());
        Ok(header)
    }
}

fn put_text(header: &mut [u8], place: &Text, text: &str) -> Result<(), WriteError> {
    let too_long =
        WriteError::TextTooLong { field: place.name, bytes: text.len(), most: place.most };
    let length = u16::try_from(text.len()).map_err(|_| too_long)?;
    if text.len() > place.most {
        return Err(too_long);
    }
    put(header, place.length_at, length.to_le_bytes());
    header[place.at..place.at + text.len()].copy_from_slice(text.as_bytes());
    Ok(())
}
