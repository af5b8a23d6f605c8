//! The production run of a Python fixture: what becomes of resident memory under the allocators,
//! threads and collector of production.

use serde::{Deserialize, Serialize};

use crate::evidence::Growth;
use crate::experiments::Experiments;
use crate::finding::Finding;
use crate::pattern::{Class, Pattern};
use crate::series::{Reading, Run};
use crate::units::{Batches, Bytes, BytesPerBatch};

/// A production run, with what its figures need to be understood.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Production {
    /// Its readings and experiments.
    pub run: Run,
    /// Where Arrow's buffers are on its books.
    pub arrow: ArrowBooks,
}

/// Where Arrow's buffers are on the books of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ArrowBooks {
    /// Among the live bytes: the pool's backend is `system`, which is `malloc`.
    Heap,
    /// On Arrow's alone: the pool has an allocator of its own, `mimalloc` or `jemalloc`.
    #[default]
    Apart,
}

impl ArrowBooks {
    /// By the name of the pool's backend, as pyarrow says it.
    #[must_use]
    pub fn of_backend(name: &str) -> Self {
        if name == "system" { Self::Heap } else { Self::Apart }
    }

    /// What is accounted for at a mark: the heap, the harness's part of it, and Arrow's buffers.
    #[must_use]
    pub fn accounted(self, reading: &Reading) -> Bytes {
        let arrow = match self {
            Self::Heap => Bytes::ZERO,
            Self::Apart => reading.arrow_live.unwrap_or_default(),
        };
        reading.live + reading.harness_live + arrow
    }

    /// Resident memory above what is accounted for: what allocators keep, mappings, stacks, the
    /// interpreter; negative when what was asked for has not been touched yet.
    #[must_use]
    pub fn gap(self, reading: &Reading) -> Bytes {
        reading.rss() - self.accounted(reading)
    }
}

/// What a production run adds to the finding of the exact one. No figure of the exact run is in it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ProductionFinding {
    /// What the production run shows and the exact one need not; `None` when it adds nothing, or
    /// is too short.
    pub pattern: Option<Pattern>,
    /// Batches in the run.
    pub batches: Batches,
    /// Sustained growth of resident memory; 0 unless it grows without a bound in sight.
    pub rss_bytes_per_batch: BytesPerBatch,
    /// Resident memory above what is accounted for, after the last batch.
    pub gap_bytes: Bytes,
    /// How much of it came after `setup`; less, while memory that `setup` asked for is not touched.
    pub gap_grown_bytes: Bytes,
    /// Sustained growth of it; 0 unless it grows without a bound in sight.
    pub gap_bytes_per_batch: BytesPerBatch,
    /// What each experiment gave back; `None` when none were made.
    pub experiments: Option<Experiments>,
    /// The growth of resident memory.
    pub rss: Growth,
    /// The growth of the gap.
    pub gap: Growth,
}

impl ProductionFinding {
    /// The finding in one sentence of plain words and human units, without a full stop.
    #[must_use]
    pub fn sentence(&self) -> String {
        crate::sentence::of_production(self)
    }
}

/// The pattern to list a fixture under: the exact run's, or, where that one passes, what the
/// production run warns of. Baselines hold the exact run's alone.
///
/// ```
/// use highwater_core::{Pattern, ProductionFinding, Run, analyse, headline};
///
/// let mut run = Run::default();
/// run.batches.resize(200, Default::default());
/// let exact = analyse(&run);
/// assert_eq!(headline(&exact, None), Some(Pattern::Healthy));
/// let keeps = ProductionFinding {
///     pattern: Some(Pattern::AllocatorRetention),
///     ..Default::default()
/// };
/// assert_eq!(headline(&exact, Some(&keeps)), Some(Pattern::AllocatorRetention));
/// ```
#[must_use]
pub fn headline(exact: &Finding, production: Option<&ProductionFinding>) -> Option<Pattern> {
    let pattern = exact.pattern()?;
    let added = production.and_then(|finding| finding.pattern);
    Some(if pattern.class() == Class::Pass { added.unwrap_or(pattern) } else { pattern })
}
