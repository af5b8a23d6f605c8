//! The accepted figures of a fixture, and the conditions they hold under.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::finding::Finding;
use crate::limit::Limit;
use crate::pattern::Pattern;
use crate::units::{Bytes, human_blocks, human_bytes};

/// What must be equal for two runs of a fixture to be comparable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Conditions {
    /// `rust` or `python`.
    pub runtime: String,
    /// The UDF.
    pub udf: String,
    /// Batches in the run.
    pub batches: u32,
    /// Rows per batch.
    pub rows: u32,
    /// Seed of the generator.
    pub seed: u64,
    /// Where the batches come from: the generator or a file.
    pub input: String,
}

/// How far each figure may move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Limits {
    /// Of [`Metric::SetupBytes`].
    pub setup_bytes: Limit,
    /// Of [`Metric::PeakBytes`].
    pub peak_bytes: Limit,
    /// Of [`Metric::LeakedBytesPerBatch`].
    pub leaked_bytes_per_batch: Limit,
    /// Of [`Metric::LeakedBlocksPerBatch`]; its absolute part counts blocks.
    pub leaked_blocks_per_batch: Limit,
}

impl Limits {
    /// The limit of one metric.
    #[must_use]
    pub const fn of(&self, metric: Metric) -> Limit {
        match metric {
            Metric::SetupBytes => self.setup_bytes,
            Metric::PeakBytes => self.peak_bytes,
            Metric::LeakedBytesPerBatch => self.leaked_bytes_per_batch,
            Metric::LeakedBlocksPerBatch => self.leaked_blocks_per_batch,
        }
    }
}

/// A figure that the gate compares. `retained_bytes` is stored but not compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Metric {
    /// Live bytes that `setup` added.
    SetupBytes,
    /// The highest live bytes of the run.
    PeakBytes,
    /// Sustained growth of live bytes.
    LeakedBytesPerBatch,
    /// Sustained growth of live blocks.
    LeakedBlocksPerBatch,
}

impl Metric {
    /// Every metric, in the order of a baseline.
    pub const ALL: [Self; 4] =
        [Self::SetupBytes, Self::PeakBytes, Self::LeakedBytesPerBatch, Self::LeakedBlocksPerBatch];

    /// The name in YAML, JSON and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SetupBytes => "setup_bytes",
            Self::PeakBytes => "peak_bytes",
            Self::LeakedBytesPerBatch => "leaked_bytes_per_batch",
            Self::LeakedBlocksPerBatch => "leaked_blocks_per_batch",
        }
    }

    /// A value of this metric with its unit, rounded for reading.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "rounded for reading anyway")]
    pub fn human(self, value: i64) -> String {
        match self {
            Self::SetupBytes | Self::PeakBytes => Bytes(value).to_string(),
            Self::LeakedBytesPerBatch => human_bytes(value as f64),
            Self::LeakedBlocksPerBatch => human_blocks(value as f64),
        }
    }
}

impl fmt::Display for Metric {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// The accepted figures of one fixture: the YAML body of its snapshot, integers throughout.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Baseline {
    /// What the figures hold under.
    pub conditions: Conditions,
    /// The accepted pattern; a known leak has a baseline too.
    pub pattern: Pattern,
    /// [`crate::Figures::setup_bytes`].
    pub setup_bytes: i64,
    /// [`crate::Figures::peak_bytes`].
    pub peak_bytes: i64,
    /// [`crate::Figures::leaked_bytes_per_batch`], to the nearest integer.
    pub leaked_bytes_per_batch: i64,
    /// [`crate::Figures::leaked_blocks_per_batch`], to the nearest integer.
    pub leaked_blocks_per_batch: i64,
    /// [`crate::Figures::retained_bytes`]; stored for the reader, not compared.
    pub retained_bytes: i64,
    /// How far each figure may move.
    pub limits: Limits,
}

impl Baseline {
    /// What would be stored for `finding`.
    ///
    /// An inconclusive finding has no pattern; `healthy` stands in for it, and
    /// [`judge`](crate::judge) never looks at it. Don't store such a baseline.
    #[must_use]
    pub fn new(conditions: Conditions, finding: &Finding, limits: Limits) -> Self {
        let figures = &finding.figures;
        Self {
            conditions,
            pattern: finding.pattern().unwrap_or(Pattern::Healthy),
            setup_bytes: figures.setup_bytes.0,
            peak_bytes: figures.peak_bytes.0,
            leaked_bytes_per_batch: figures.leaked_bytes_per_batch.rounded(),
            leaked_blocks_per_batch: figures.leaked_blocks_per_batch.rounded(),
            retained_bytes: figures.retained_bytes.0,
            limits,
        }
    }

    /// The value of one metric.
    #[must_use]
    pub const fn value(&self, metric: Metric) -> i64 {
        match metric {
            Metric::SetupBytes => self.setup_bytes,
            Metric::PeakBytes => self.peak_bytes,
            Metric::LeakedBytesPerBatch => self.leaked_bytes_per_batch,
            Metric::LeakedBlocksPerBatch => self.leaked_blocks_per_batch,
        }
    }
}
