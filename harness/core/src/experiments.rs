//! What the experiments at the end of a run gave back.

use serde::{Deserialize, Serialize};

use crate::series::Reading;
use crate::units::Bytes;

/// What one experiment gave back; negative when there was more afterwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct GaveBack {
    /// Of the live bytes.
    #[serde(rename = "live_bytes")]
    pub live: Bytes,
    /// Of the resident memory of the whole process, file-backed pages left out: those come and go
    /// with the page cache.
    #[serde(rename = "rss_bytes")]
    pub rss: Bytes,
}

/// What each experiment gave back, in the order in which they are made: each starts from what the
/// one before it left.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Experiments {
    /// A collection of all garbage.
    pub collect: GaveBack,
    /// `malloc_trim(0)`.
    pub trim: GaveBack,
    /// `release_unused` of Arrow's memory pool.
    pub release_pool: GaveBack,
    /// Emptying the caches that have a bound, got fuller in the later part of the run, and are not full.
    #[serde(default)]
    pub empty_caches: GaveBack,
    /// Dropping the UDF.
    pub drop: GaveBack,
}

impl Experiments {
    /// Resident bytes that allocators gave back when they were asked to.
    #[must_use]
    pub fn allocators(&self) -> Bytes {
        self.trim.rss.max(Bytes::ZERO) + self.release_pool.rss.max(Bytes::ZERO)
    }
}

/// The marks between which the experiments lie.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExperimentMarks {
    /// After the last batch.
    pub before: Reading,
    /// After the collection.
    pub collected: Reading,
    /// After the trim.
    pub trimmed: Reading,
    /// After the release of Arrow's pool.
    pub released: Reading,
    /// After caches that were still filling were emptied.
    pub emptied: Reading,
    /// After the drop.
    pub dropped: Reading,
}

impl From<ExperimentMarks> for Experiments {
    /// The differences between the marks.
    ///
    /// In an exact run the mark before the collection has one of its own, and what that gave back
    /// counts as the experiment's.
    fn from(marks: ExperimentMarks) -> Self {
        let before = marks.before;
        let uncollected =
            Reading { live: before.before_collection.unwrap_or(before.live), ..before };
        Self {
            collect: between(&uncollected, &marks.collected),
            trim: between(&marks.collected, &marks.trimmed),
            release_pool: between(&marks.trimmed, &marks.released),
            empty_caches: between(&marks.released, &marks.emptied),
            drop: between(&marks.emptied, &marks.dropped),
        }
    }
}

fn between(before: &Reading, after: &Reading) -> GaveBack {
    GaveBack { live: before.live - after.live, rss: before.rss() - after.rss() }
}
