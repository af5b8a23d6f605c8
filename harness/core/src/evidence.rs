//! What an answer rests on, as data. Batches are numbered from 0.

use serde::{Deserialize, Serialize};

use crate::units::Bytes;

/// What a finding rests on.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Evidence {
    /// The growth of live bytes.
    pub live: Growth,
    /// The growth of live blocks, in blocks.
    pub blocks: Growth,
    /// The growth of what is alive of Arrow's buffers; `None` when live bytes do not leak or the
    /// worker doesn't know.
    pub arrow: Option<Growth>,
    /// The growth of live bytes that were not asked for through Python; `None` when live bytes do
    /// not leak, or without Python.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub native: Option<Growth>,
    /// What caches with a bound hold that are still filling, where that is what was added; `None`
    /// otherwise.
    #[serde(default, skip_serializing_if = "Option::is_none", rename = "filling_caches_bytes")]
    pub filling_caches: Option<Bytes>,
    /// What a collection gives back; `None` when that is little, or live bytes leak.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub garbage: Option<Garbage>,
    /// What grows outside the allocator; `None` when nothing does.
    pub outside: Option<Outside>,
    /// How high single batches reach.
    pub peak: Peak,
}

/// How one series grows: live bytes, blocks, resident bytes, or threads.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Growth {
    /// The shape of the series.
    pub shape: Shape,
    /// The first judged batch.
    pub first_batch: u32,
    /// The last judged batch.
    pub last_batch: u32,
    /// The lowest value in each window of the judged part.
    pub minima: Vec<i64>,
    /// Windows from whose lowest value the series rises to the next one's, or to its end.
    pub growing_windows: u32,
    /// The batch since which the series grows, when it does.
    pub since_batch: Option<u32>,
    /// The batch since which it is level, when it grew before and stopped.
    pub level_since: Option<u32>,
    /// Sustained growth per batch; 0 unless it grows without a bound in sight.
    pub per_batch: f64,
    /// Growth per batch in the first half of the judged part.
    pub early_per_batch: f64,
    /// Growth per batch in the second half of the judged part.
    pub late_per_batch: f64,
    /// The length in batches of the pattern that repeats, when there is one.
    pub period: Option<u32>,
}

/// The shape of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Shape {
    /// Around one level.
    #[default]
    Level,
    /// Level between one or a few steps.
    Steps,
    /// Up and down, and every low as low as the others: `period` says how long a turn takes.
    Sawtooth,
    /// Lower at the end than at the beginning.
    Shrinking,
    /// Fell and rose again in the same blocks, within what they held before.
    Refilled,
    /// Grew over many batches, and is level since.
    Filled,
    /// Grows evenly.
    Steady,
    /// Grows in steps whose sizes and distances both double.
    Doubling,
    /// Grows ever faster.
    Accelerating,
    /// Grows ever more slowly, but not towards a bound.
    Slowing,
    /// Grows ever more slowly, perhaps towards a bound that was not reached.
    Saturating,
    /// Level for most of the run, and growing since shortly before its end.
    Recent,
    /// Rose in every cycle or equal step that was seen, which are too few to tell.
    TooFewCycles,
}

impl Shape {
    /// What the shape says about a bound.
    #[must_use]
    pub const fn trend(self) -> Trend {
        match self {
            Self::Level | Self::Steps | Self::Sawtooth | Self::Shrinking | Self::Refilled => {
                Trend::Bounded
            }
            Self::Filled => Trend::Filled,
            Self::Steady | Self::Doubling | Self::Accelerating | Self::Slowing => Trend::Unbounded,
            Self::Saturating | Self::Recent | Self::TooFewCycles => Trend::Undecided,
        }
    }
}

/// What a shape says about a bound.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trend {
    /// Does not grow.
    Bounded,
    /// Grew, and reached its bound.
    Filled,
    /// Grows without a bound in sight.
    Unbounded,
    /// Grows; more batches would tell.
    Undecided,
}

/// Growth of the process that the allocator's books do not hold.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Outside {
    /// What grows.
    pub what: OutsideKind,
    /// How it grows; in bytes, or threads.
    pub growth: Growth,
    /// Bytes that the UDF asked the allocator for, per batch, with what that adds to each block.
    pub allocated_per_batch: f64,
    /// Bytes per batch of address space in new mappings, without Python's own; `None` for threads,
    /// and when the worker doesn't know.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mapped_per_batch: Option<f64>,
    /// Who can hold it.
    pub holder: Holder,
}

/// A quantity outside the allocator's books.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum OutsideKind {
    /// Resident anonymous memory: private mappings, thread stacks, another allocator.
    RssAnon,
    /// Resident shared memory: shared mappings, tmpfs files.
    RssShmem,
    /// Anonymous mappings, in bytes of address space that nobody touches.
    Mapped,
    /// Threads.
    Threads,
}

/// Who can hold memory that grows outside the books.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Holder {
    /// Only something outside the allocator: it grows faster than the allocator was asked for, or
    /// in mappings that are not the allocator's.
    Outside,
    /// The allocator: it gave back more than half of the growth when it was asked to.
    Allocator,
    /// The allocator may keep it from what it was asked for; an experiment would tell.
    AllocatorOrOutside,
}

/// What a UDF leaves to the garbage collector.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Garbage {
    /// What a collection gives back after a typical batch.
    #[serde(rename = "typical_bytes")]
    pub typical: Bytes,
    /// What a typical batch asks for.
    #[serde(rename = "asked_bytes")]
    pub asked: Bytes,
    /// Judged batches after which it was large.
    pub batches: u32,
    /// Whether it grows from batch to batch.
    pub grows: bool,
    /// Whether it must be garbage. If not, it may be what CPython keeps in its free lists, which a
    /// collection empties, too.
    #[serde(default)]
    pub proven: bool,
    /// How far live bytes lie apart after the judged batches, once they are collected.
    #[serde(default, rename = "apart_bytes")]
    pub apart: Bytes,
}

/// How high single batches reach above the live bytes before them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Peak {
    /// The median over all batches.
    pub typical: Bytes,
    /// The highest.
    pub highest: Bytes,
    /// The batch that reached it.
    pub highest_batch: u32,
    /// Batches that stand out from the typical one; at most a few.
    pub outliers: Outliers,
    /// What a typical batch and the state weigh together.
    pub weight: Bytes,
}

/// Whether some batches' peaks stand out.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outliers {
    /// None stands out.
    #[default]
    None,
    /// One or very few do; `highest_batch` names the highest.
    Few {
        /// How many.
        count: u32,
    },
}
