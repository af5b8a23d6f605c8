//! What a UDF leaves to the garbage collector.

use super::growth::growth;
use super::stats::median_of;
use crate::evidence::{Garbage, Trend};
use crate::series::Run;
use crate::units::Bytes;

/// Below this, garbage is a call's ordinary lint: frames, closures, exceptions.
const FLOOR: i64 = 64 << 10;
/// What CPython's free lists hold at most: 2,000 tuples of each length up to 19, 40 bytes and 8 per
/// item. A full collection empties them, so up to here what it gives back may never have been
/// garbage.
const FREE_LISTS: i64 = 4_560_000;
/// Parts in three of what a batch asks for. Free lists keep tuples, and not what is in them, so most
/// of what passes through a UDF of tuples is not kept.
const MOST: i64 = 2;
/// Parts in four of the batches in which it must be so.
const MOST_BATCHES: usize = 3;

/// Garbage that only the collector frees, when it is large: then memory climbs between collections,
/// which come by the number of objects, whatever these weigh. `None` when no collections were forced.
///
/// Large is what no free list holds, or the larger part of what a batch asks for, in most batches;
/// or what grows from batch to batch.
pub(super) fn garbage(run: &Run) -> Option<Garbage> {
    let left: Vec<i64> = run
        .batches
        .iter()
        .map(|reading| Some((reading.before_collection? - reading.live).0.max(0)))
        .collect::<Option<_>>()?;
    let judged = left.len() / 3;
    let asked: Vec<i64> =
        run.batches.windows(2).map(|pair| (pair[1].allocated - pair[0].allocated).0).collect();
    let large = |left: i64, asked: i64| {
        left >= FLOOR && (left > FREE_LISTS || left.saturating_mul(3) >= asked.saturating_mul(MOST))
    };
    let judged_left = &left[judged.max(1)..];
    let batches = judged_left
        .iter()
        .zip(&asked[judged.max(1) - 1..])
        .filter(|(l, a)| large(**l, **a))
        .count();
    let typical = median_of(judged_left);
    let rising = growth(&left).shape.trend() == Trend::Unbounded && typical >= FLOOR;
    let persistent = batches * 4 >= judged_left.len() * MOST_BATCHES;
    (rising || persistent).then(|| Garbage {
        typical: Bytes(typical),
        asked: Bytes(median_of(&asked[judged.max(1) - 1..])),
        batches: u32::try_from(batches).unwrap_or(u32::MAX),
        grows: rising,
    })
}
