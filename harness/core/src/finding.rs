//! What the analysis says about a run.

use serde::{Deserialize, Serialize};

use crate::evidence::Evidence;
use crate::pattern::Pattern;
use crate::units::{Batches, BlocksPerBatch, Bytes, BytesPerBatch};

/// The figures that the gate compares.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Figures {
    /// Live bytes that `setup` added.
    pub setup_bytes: Bytes,
    /// The highest live bytes of the run, above those before `setup`.
    pub peak_bytes: Bytes,
    /// Sustained growth of live bytes; 0 unless they leak. Heap only: what grows outside the
    /// allocator is in [`Evidence::outside`], since resident memory does not repeat to the byte.
    pub leaked_bytes_per_batch: BytesPerBatch,
    /// Sustained growth of live blocks; 0 unless live bytes leak.
    pub leaked_blocks_per_batch: BlocksPerBatch,
    /// Live bytes that dropping the UDF did not give back.
    pub retained_bytes: Bytes,
    /// Batches in the run.
    pub batches: Batches,
}

/// The pattern, or why none can be named.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Answer {
    /// The run shows this pattern.
    Pattern(Pattern),
    /// The run does not tell.
    Inconclusive(Inconclusive),
}

/// Why a run does not tell. Never a pass.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Inconclusive {
    /// Below this many batches, warm-up looks like a leak.
    TooFewBatches {
        /// Batches in the run.
        have: Batches,
        /// Batches the analysis needs.
        need: Batches,
    },
    /// Live bytes still grow at the end, and more batches would tell whether they stop.
    StillGrowing {
        /// Batches in the run.
        batches: Batches,
        /// Growth per batch in the first half of the judged part.
        early: BytesPerBatch,
        /// Growth per batch in its second half.
        late: BytesPerBatch,
    },
    /// Live bytes stop growing only where the input starts over, which may be why: a cache by the
    /// input's content finds nothing new in it.
    InputStartedOver {
        /// Batches in the run.
        batches: Batches,
        /// Batches before the input started over.
        fresh: Batches,
    },
}

/// The answer for one run, with the figures and the evidence for it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Finding {
    /// The pattern, or why none can be named.
    pub answer: Answer,
    /// The figures that the gate compares.
    pub figures: Figures,
    /// What the answer rests on.
    pub evidence: Evidence,
}

impl Finding {
    /// The pattern, if one could be named.
    #[must_use]
    pub const fn pattern(&self) -> Option<Pattern> {
        match self.answer {
            Answer::Pattern(pattern) => Some(pattern),
            Answer::Inconclusive(_) => None,
        }
    }

    /// Whether more batches could name the pattern. Too few to begin with are not made up for:
    /// whoever asks for so few is told.
    #[must_use]
    pub const fn wants_more(&self) -> bool {
        matches!(self.answer, Answer::Inconclusive(Inconclusive::StillGrowing { .. }))
    }

    /// The finding in one sentence of plain words and human units, without a full stop.
    #[must_use]
    pub fn sentence(&self) -> String {
        crate::sentence::of(self)
    }
}
