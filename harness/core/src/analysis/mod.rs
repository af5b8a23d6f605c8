//! From a run to a finding.
//!
//! Invariant: everything is a difference of values, never a value, so that what the process held
//! before says nothing, and nothing depends on a size or a period that was seen somewhere.

mod bound;
mod cadence;
mod doubling;
mod garbage;
mod growth;
mod noisy;
mod outside;
mod owner;
mod peak;
mod persistence;
mod production;
mod rate;
mod releases;
mod stats;
mod view;
mod windows;

use crate::evidence::{Evidence, Growth, Holder, Outside, Shape, Trend};
use crate::finding::{Answer, Figures, Finding, Inconclusive};
use crate::pattern::Pattern;
use crate::series::{Reading, Run};
use crate::units::{Batches, BlocksPerBatch, Bytes, BytesPerBatch};
use growth::growth;
use owner::Owner;
use peak::PeakPattern;

pub use production::analyse_production;

/// The fewest batches the analysis answers for. In shorter runs warm-up looks like a leak to every
/// estimator: 60 batches were too few for all that were tried.
pub const MIN_BATCHES: Batches = Batches(100);

/// Names the pattern of a run.
///
/// Live bytes decide first: growth without a bound is a leak, undecided growth is inconclusive.
/// Then what grows outside the allocator, then how high single batches reach, what is left to the
/// garbage collector, and what the allocator keeps.
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
    if matches!(live.shape.trend(), Trend::Unbounded | Trend::Undecided) && refilled(run) {
        live = Growth { shape: Shape::Refilled, per_batch: 0.0, ..live };
    }
    let outside = outside::outside(run, &live);
    let hidden = hidden_leak(run, &live, &blocks).filter(|_| outside.is_none());
    let leaks = live.shape.trend() == Trend::Unbounded;
    let arrow = run.arrow_series().filter(|_| leaks).map(|series| growth(&series));
    let (owner, native) = owner::owner(run, &live, &blocks).filter(|_| leaks).unzip();
    let garbage = garbage::garbage(run).filter(|_| !leaks);
    let filling_caches = filling_caches(run, &live).filter(|_| leaks && outside.is_none());
    let answer = match live.shape.trend() {
        Trend::Unbounded if filling_caches.is_some() => {
            Answer::Inconclusive(still_growing(batches, &live))
        }
        Trend::Unbounded => {
            figures.leaked_bytes_per_batch = BytesPerBatch(live.per_batch);
            figures.leaked_blocks_per_batch = BlocksPerBatch(blocks.per_batch);
            Answer::Pattern(leak(&live, arrow.as_ref(), outside.as_ref(), owner, native.as_ref()))
        }
        Trend::Undecided => Answer::Inconclusive(still_growing(batches, &live)),
        _ if ended_with_input(run) => {
            let fresh = run.fresh_batches.unwrap_or_default();
            Answer::Inconclusive(Inconclusive::InputStartedOver { batches, fresh })
        }
        _ if let Some(per_batch) = hidden => {
            figures.leaked_bytes_per_batch = BytesPerBatch(per_batch);
            figures.leaked_blocks_per_batch = BlocksPerBatch(blocks.per_batch);
            Answer::Pattern(Pattern::HeapLeak)
        }
        trend => Answer::Pattern(match (outside.as_ref().map(|it| it.holder), peak_pattern) {
            (Some(Holder::Outside | Holder::AllocatorOrOutside), _) => Pattern::NativeLeak,
            (_, PeakPattern::OneBatch) => Pattern::PathologicalRow,
            _ if garbage.is_some_and(|garbage| garbage.proven) => Pattern::GcCycles,
            (Some(Holder::Allocator), _) => Pattern::AllocatorRetention,
            (None, PeakPattern::Oversized) => Pattern::OversizedPeak,
            (None, PeakPattern::Ordinary) if trend == Trend::Filled => Pattern::CacheFilling,
            (None, PeakPattern::Ordinary) => Pattern::Healthy,
        }),
    };
    let evidence = Evidence { live, blocks, arrow, native, filling_caches, garbage, outside, peak };
    Finding { answer, figures, evidence }
}

/// Sustained growth per batch of any series in bytes with one value per batch: 0 unless it grows
/// without a bound in sight, `None` for fewer than [`MIN_BATCHES`].
///
/// ```
/// let flush: Vec<i64> = (0..200).map(|batch| batch % 10 * 5_000 + 8 * batch).collect();
/// assert_eq!(highwater_core::sustained(&flush).map(|rate| rate.0), Some(8.0));
/// assert_eq!(highwater_core::sustained(&flush[..50]), None);
/// ```
#[must_use]
pub fn sustained(series: &[i64]) -> Option<BytesPerBatch> {
    (series.len() >= MIN_BATCHES.0 as usize).then(|| BytesPerBatch(growth(series).per_batch))
}

/// Which leak it is: Arrow's when its buffers are the larger part of what is kept. A native one when
/// the larger part is outside the heap, or nobody in Python can own it.
///
/// Whoever keeps a batch keeps other structures around it too, so Arrow's part is never the whole,
/// and of small batches not even the half. Those structures are a C++ library's: where Python's part
/// is known, Arrow's is compared with that, as long as the rest is of their size.
fn leak(
    live: &Growth,
    arrow: Option<&Growth>,
    outside: Option<&Outside>,
    owner: Option<Owner>,
    native: Option<&Growth>,
) -> Pattern {
    let arrows = arrow.is_some_and(|arrow| {
        let mostly = arrow.per_batch > live.per_batch / 2.0;
        let beside_python = native.is_some_and(|native| {
            arrow.per_batch > live.per_batch - native.per_batch
                && native.per_batch - arrow.per_batch < STRUCTURES * arrow.per_batch
        });
        arrow.shape.trend() == Trend::Unbounded && (mostly || beside_python)
    });
    if outside.is_some() {
        Pattern::NativeLeak
    } else if arrows {
        Pattern::ArrowLeak
    } else if owner == Some(Owner::None) {
        Pattern::NativeLeak
    } else {
        Pattern::HeapLeak
    }
}

/// The rate of a leak that live bytes hide, because they go up and down by more than it adds, and
/// that blocks show.
///
/// Blocks that are added batch by batch, and never given back, weigh something. Where bytes are so
/// even that this would be seen, and is not, blocks were cut in pieces. What such a leak weighs is
/// known no better than from the line through the bytes, and at least a byte for each block.
fn hidden_leak(run: &Run, live: &Growth, blocks: &Growth) -> Option<f64> {
    let judged = run.batches.len() / 3;
    let counts = run.blocks_series();
    // Folded by an exact period, or without ups and downs.
    let exact = blocks.period.is_some()
        || persistence::efficiency(&counts[judged..]) >= persistence::EXACT_THROUGHOUT;
    let rises = blocks.minima.windows(2).all(|pair| pair[1] > pair[0]);
    let added = (counts[counts.len() - 1] - counts[judged]).saturating_mul(SMALLEST_BLOCK);
    let bytes = &run.live_series()[judged..];
    let uneven = match live.shape {
        Shape::Level => {
            let steps: Vec<i64> = bytes.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
            stats::median_of(&steps)
        }
        Shape::Sawtooth => bytes.iter().max()? - bytes.iter().min()?,
        _ => return None,
    };
    let hides = blocks.shape == Shape::Steady && exact && rises && uneven > added;
    hides.then(|| stats::Line::through(bytes).slope.max(blocks.per_batch))
}

/// How many times what is in Arrow's buffers the structures around them may weigh: for columns of 32
/// rows they do so twice or three times.
const STRUCTURES: f64 = 4.0;

/// What a block weighs at least, in most programs: the header of an object.
const SMALLEST_BLOCK: i64 = 16;

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

/// Whether live bytes grew as long as the input brought something new, and no longer: what is kept
/// by the input's content ends with it, whatever would have come of more.
fn ended_with_input(run: &Run) -> bool {
    let Some(fresh) = run.fresh_batches.map(|fresh| fresh.0 as usize) else { return false };
    let live = run.live_series();
    if fresh >= live.len() {
        return false;
    }
    let bounded = |shape: Shape| matches!(shape.trend(), Trend::Bounded | Trend::Filled);
    let known = |part: &[i64]| part.len() >= MIN_BATCHES.0 as usize;
    match growth(&live) {
        whole if whole.shape.trend() == Trend::Filled => {
            let reached = whole.level_since.is_some_and(|since| (since as usize) < fresh / 2);
            let first = &live[..fresh];
            !(reached || known(first) && bounded(growth(first).shape))
        }
        _ => known(&live[..fresh]) && growth(&live[..fresh]).shape.trend() == Trend::Unbounded,
    }
}

/// What caches with a bound hold that were not full, if it is what live bytes grew by.
///
/// Their bound is known, so growth that is theirs has one, however even it is. What is left beside
/// them, a tenth at most, shows when they are full.
fn filling_caches(run: &Run, live: &Growth) -> Option<Bytes> {
    let held = run.experiments?.empty_caches.live;
    let series = run.live_series();
    let since = live.since_batch.unwrap_or(live.first_batch) as usize;
    let grown = series.last()? - series.get(since)?;
    (grown > 0 && held.0 >= grown - grown / 10).then_some(held)
}

fn still_growing(batches: Batches, live: &Growth) -> Inconclusive {
    Inconclusive::StillGrowing {
        batches,
        early: BytesPerBatch(live.early_per_batch),
        late: BytesPerBatch(live.late_per_batch),
    }
}
