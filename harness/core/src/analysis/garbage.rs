//! What a UDF leaves to the garbage collector.

use super::growth::growth;
use super::stats::median_of;
use crate::evidence::{Garbage, Trend};
use crate::series::{Reading, Run};
use crate::units::Bytes;

/// Below this, garbage is a call's ordinary lint: frames, closures, exceptions.
const FLOOR: i64 = 64 << 10;
/// What CPython's free lists hold at most: 2,000 tuples of each length up to 19, 40 bytes and 8 per
/// item. A full collection empties them, so up to here what it gives back may never have been
/// garbage.
pub(super) const FREE_LISTS: i64 = 4_560_000;
/// The largest object that a free list holds: a tuple of 19. So no more than this comes from a free
/// list for each allocation of a batch.
const LISTED: i64 = 192;
/// Parts in three of what a batch asks for. Free lists keep tuples, and not what is in them, so most
/// of what passes through a UDF of tuples is not kept.
const MOST: i64 = 2;
/// Parts in four of the batches in which it must be so.
const MOST_BATCHES: usize = 3;

/// What only the collector frees, when it is large: then memory climbs between collections, which
/// come by the number of objects, whatever these weigh. `None` when no collections were forced, or
/// they give back little.
///
/// It is garbage for sure when it is what no free list holds, by its size or by the number of objects
/// that the batch made, or the larger part of what a batch asks for, in most batches; or when it
/// grows from batch to batch. Otherwise a run that is not collected tells: free lists stay full there,
/// and garbage comes and goes.
pub(super) fn garbage(run: &Run) -> Option<Garbage> {
    let left: Vec<i64> = run
        .batches
        .iter()
        .map(|reading| Some((reading.before_collection? - reading.live).0.max(0)))
        .collect::<Option<_>>()?;
    let judged = (left.len() / 3).max(1);
    let batches: Vec<Batch> = run.batches[judged - 1..]
        .windows(2)
        .zip(&left[judged..])
        .map(|(pair, left)| Batch::of(&pair[0], &pair[1], *left))
        .collect();
    let share = |is: fn(&Batch) -> bool| batches.iter().filter(|batch| is(batch)).count();
    let most = |count: usize| count * 4 >= batches.len() * MOST_BATCHES;
    let typical = median_of(&left[judged..]);
    let grows = growth(&left).shape.trend() == Trend::Unbounded && typical >= FLOOR;
    let large = share(|batch| batch.left >= FLOOR);
    let live = || run.batches[judged..].iter().map(|reading| reading.live);
    let apart = live().max()? - live().min()?;
    (grows || most(large)).then(|| Garbage {
        typical: Bytes(typical),
        asked: Bytes(median_of(&batches.iter().map(|batch| batch.asked).collect::<Vec<_>>())),
        batches: u32::try_from(large).unwrap_or(u32::MAX),
        grows,
        proven: grows || most(share(Batch::leaves_garbage)),
        apart,
    })
}

/// What one batch did.
struct Batch {
    /// Bytes that the collection after it gave back.
    left: i64,
    /// Bytes that it asked for.
    asked: i64,
    /// The most that free lists can hold of what it made.
    listed: i64,
}

impl Batch {
    fn of(before: &Reading, after: &Reading, left: i64) -> Self {
        let objects = after.allocations.saturating_sub(before.allocations);
        let listed = i64::try_from(objects).unwrap_or(i64::MAX).saturating_mul(LISTED);
        let asked = (after.allocated - before.allocated).0;
        Self { left, asked, listed: listed.min(FREE_LISTS) }
    }

    fn leaves_garbage(&self) -> bool {
        let most_of_it = self.left.saturating_mul(3) >= self.asked.saturating_mul(MOST);
        self.left >= FLOOR && (self.left > self.listed || most_of_it)
    }
}
