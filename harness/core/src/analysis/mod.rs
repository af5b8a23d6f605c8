//! From a run to a finding.
//!
//! Invariant: everything is a difference of values, never a value, so that what the process held
//! before says nothing, and nothing depends on a size or a period that was seen somewhere.

mod bound;
mod cadence;
mod doubling;
mod growth;
mod noisy;
mod outside;
mod peak;
mod persistence;
mod rate;
mod releases;
mod stats;
mod view;
mod windows;

use crate::evidence::{Evidence, Growth, Shape, Trend};
use crate::finding::{Answer, Figures, Finding, Inconclusive};
use crate::pattern::Pattern;
use crate::series::{Reading, Run};
use crate::units::{Batches, BlocksPerBatch, BytesPerBatch};
use growth::growth;
use peak::PeakPattern;

/// The fewest batches the analysis answers for. In shorter runs warm-up looks like a leak to every
/// estimator: 60 batches were too few for all that were tried.
pub const MIN_BATCHES: Batches = Batches(100);

/// Names the pattern of a run.
///
/// Live bytes decide first: growth without a bound is a leak, undecided growth is inconclusive.
/// Then what grows outside the allocator, then how high single batches reach.
#[must_use]
pub fn analyse(run: &Run) -> Finding {
    let batches = Batches(u32::try_from(run.batches.len()).unwrap_or(u32::MAX));
    let mut figures = Figures {
        setup_bytes: run.setup_bytes(),
        peak_bytes: run.peak_bytes(),
        leaked_bytes_per_batch: BytesPerBatch(0.0),
        leaked_blocks_per_batch: BlocksPerBatch(0.0),
        retained_bytes: run.retained_bytes(),
        batches,
    };
    let (peak, peak_pattern) = peak::peak(run);
    if batches < MIN_BATCHES {
        let answer =
            Answer::Inconclusive(Inconclusive::TooFewBatches { have: batches, need: MIN_BATCHES });
        return Finding { answer, figures, evidence: Evidence { peak, ..Evidence::default() } };
    }
    let mut live = growth(&run.live_series());
    let blocks = growth(&run.blocks_series());
    if live.shape.trend() == Trend::Unbounded && refilled(run) {
        live = Growth { shape: Shape::Refilled, per_batch: 0.0, ..live };
    }
    let outside = outside::outside(run, &live);
    let leaks = live.shape.trend() == Trend::Unbounded;
    let arrow = run.arrow_series().filter(|_| leaks).map(|series| growth(&series));
    let answer = match (live.shape.trend(), &outside, peak_pattern) {
        (Trend::Unbounded, _, _) => {
            figures.leaked_bytes_per_batch = BytesPerBatch(live.per_batch);
            figures.leaked_blocks_per_batch = BlocksPerBatch(blocks.per_batch);
            Answer::Pattern(leak(&live, arrow.as_ref()))
        }
        (Trend::Undecided, _, _) => Answer::Inconclusive(still_growing(batches, &live)),
        (_, Some(_), _) => Answer::Pattern(Pattern::NativeLeak),
        (_, None, PeakPattern::OneBatch) => Answer::Pattern(Pattern::PathologicalRow),
        (_, None, PeakPattern::Oversized) => Answer::Pattern(Pattern::OversizedPeak),
        (Trend::Filled, None, PeakPattern::Ordinary) => Answer::Pattern(Pattern::CacheFilling),
        (Trend::Bounded, None, PeakPattern::Ordinary) => Answer::Pattern(Pattern::Healthy),
    };
    Finding { answer, figures, evidence: Evidence { live, blocks, arrow, outside, peak } }
}

/// Which leak it is: Arrow's when its buffers are the larger part of what is kept. Whoever keeps a
/// batch keeps Rust structures around it too, so Arrow's part is never the whole.
fn leak(live: &Growth, arrow: Option<&Growth>) -> Pattern {
    match arrow {
        Some(arrow)
            if arrow.shape.trend() == Trend::Unbounded
                && arrow.per_batch > live.per_batch / 2.0 =>
        {
            Pattern::ArrowLeak
        }
        _ => Pattern::HeapLeak,
    }
}

/// Whether live bytes, for all that they rise, stay in the same blocks and below what those blocks
/// held in the first third: sizes that vary with the data, not something that is added. A backlog
/// that drains before a leak shows gives up blocks, and a block that grows without a bound is soon
/// larger than it was.
fn refilled(run: &Run) -> bool {
    let (first, rest) = run.batches.split_at(run.batches.len() / 3);
    let same = rest.iter().all(|reading| reading.blocks == rest[0].blocks);
    let highest = |part: &[Reading]| part.iter().map(|reading| reading.live).max();
    same && rest[0].blocks.0 != 0 && highest(rest) <= highest(first)
}

fn still_growing(batches: Batches, live: &Growth) -> Inconclusive {
    Inconclusive::StillGrowing {
        batches,
        early: BytesPerBatch(live.early_per_batch),
        late: BytesPerBatch(live.late_per_batch),
    }
}
