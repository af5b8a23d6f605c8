//! How high batches reach above the live bytes between them, and which stand out.

use super::stats::median_of;
use crate::evidence::{Outliers, Peak};
use crate::series::{Reading, Run};
use crate::units::Bytes;

/// Below this nobody sizes a worker: a process with Arrow loaded weighs several times that.
pub(super) const FLOOR: Bytes = Bytes(8 << 20);
/// Times what the batch and the state weigh. A columnar operator holds a handful of copies of its
/// input: decoded, cast, hashed, sorted, gathered, and the output; this is twice that. What is
/// above has another order of growth: all pairs, an outer join, a row expanded to a list.
const OVERSIZED: i64 = 16;
/// Times the typical batch, from which one stands out: skewed data makes a batch two or three
/// times as heavy as the typical one, rarely eight.
const STANDS_OUT: i64 = 8;
/// Batches in a hundred that can stand out; if more do, they are a kind of batch.
const FEW_PERCENT: usize = 2;
/// Times the typical input, from which the batch itself is large, and no row is to blame.
const LARGE_BATCH: i64 = 4;
/// Times the peak that is in proportion to such a batch, from which the work outgrew it. Work in
/// proportion takes once, work over all pairs as many times as the batch is larger: four or more.
const OUTGROWS: i64 = 2;

/// What the peaks of a run say, when nothing leaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PeakPattern {
    Ordinary,
    Oversized,
    OneBatch,
}

pub(super) fn peak(run: &Run) -> (Peak, PeakPattern) {
    let transient = run.transient_series();
    let typical = median_of(&transient);
    let inputs: Vec<i64> = run.batches.iter().map(|reading| reading.input.0).collect();
    let input = median_of(&inputs);
    let states: Vec<i64> =
        run.batches.iter().map(|reading| (reading.live - run.before_setup.live).0.max(0)).collect();
    let weight = input + median_of(&states);
    let highest = transient.iter().enumerate().max_by_key(|(at, value)| (**value, -index(*at)));
    let (at, highest) = highest.map_or((0, 0), |(at, value)| (at, *value));

    let before = [&run.after_setup].into_iter().chain(&run.batches);
    let outliers: Vec<usize> = run
        .batches
        .iter()
        .zip(before)
        .enumerate()
        .filter(|(_, (after, before))| stands_out(before, after, typical))
        .map(|(at, _)| at)
        .collect();
    // What the first batch does once is initialisation, whatever its rows are.
    let few = outliers.len() <= (run.batches.len() * FEW_PERCENT / 100).max(1);
    let outlier = outliers
        .iter()
        .copied()
        .filter(|at| few && *at > 0)
        .max_by_key(|at| (transient[*at], -index(*at)));

    let in_proportion = |at: usize| {
        let expected = i128::from(OUTGROWS) * i128::from(typical) * i128::from(inputs[at]);
        i128::from(transient[at]) * i128::from(input) < expected
    };
    let pattern = match outlier {
        Some(at) if input == 0 || inputs[at] < LARGE_BATCH * input => PeakPattern::OneBatch,
        Some(at) if !in_proportion(at) => PeakPattern::Oversized,
        Some(_) | None if input > 0 && typical >= FLOOR.0 && typical >= OVERSIZED * weight => {
            PeakPattern::Oversized
        }
        Some(_) | None => PeakPattern::Ordinary,
    };
    let highest_at = outlier.unwrap_or(at);
    let peak = Peak {
        typical: Bytes(typical),
        highest: Bytes(outlier.map_or(highest, |at| transient[at])),
        highest_batch: u32::try_from(highest_at).unwrap_or(u32::MAX),
        outliers: outlier.map_or(Outliers::None, |_| Outliers::Few {
            count: u32::try_from(outliers.iter().filter(|at| **at > 0).count()).unwrap_or(u32::MAX),
        }),
        weight: Bytes(weight),
    };
    (peak, pattern)
}

/// Whether a batch reached far above the typical one, other than by allocating something new and
/// keeping it: that is a one-time step. A block that was there before and was stretched by this
/// batch, a scratch buffer that keeps the capacity of its largest row, adds no block.
fn stands_out(before: &Reading, after: &Reading, typical: i64) -> bool {
    let above = (after.peak - before.live).0;
    let freed = (after.peak - before.live.max(after.live)).0;
    let stretched = after.blocks <= before.blocks;
    let counted = if stretched { above } else { freed };
    counted >= FLOOR.0 && counted >= STANDS_OUT * typical
}

fn index(at: usize) -> i64 {
    i64::try_from(at).unwrap_or(i64::MAX)
}
