//! How long a run goes on: a decision like any other, so that simulated runs make it, too.

use crate::analysis::MIN_BATCHES;
use crate::evidence::{Growth, Shape};
use crate::finding::Finding;
use crate::pattern::Class;
use crate::series::{Reading, Run};
use crate::units::{Batches, Bytes};

/// Batches between two questions of a quick run.
const QUICK_STEP: u32 = 50;
/// Batches before which not even a leak that is known to be there is believed.
const LEAK_BATCHES: u32 = 2 * MIN_BATCHES.0;
/// Windows at the end, each lower than the one before, in which a state that shrinks has not ended.
const FALLING: usize = 3;
/// The share of the worker's memory limit that a run may be about to fill for growth to go on. What
/// is resident can be a multiple of what was requested.
const SHARE_OF_MEMORY: i64 = 4;

/// Whether a run may end before the batches that its fixture asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Haste {
    /// It never does: a leak may start late, so a quiet beginning proves nothing.
    #[default]
    Whole,
    /// It ends at the first certain answer. Nothing is gated by such a run.
    Quick,
}

/// A run that does the batches it is asked for, and goes on, twice as long each time, while the answer
/// is not certain and its longest is not reached.
///
/// Even growth is as uncertain as growth that slows down: a cache that is still filling grows as
/// evenly as a leak, and only more batches tell them apart. A leak that is known to be there needs
/// no more than 200. A state that still shrinks may hide a leak, until it is gone. Where the input
/// has nothing new to give, or the worker's memory would fill up, more batches would tell nothing.
///
/// ```
/// use highwater_core::{Batches, Bytes, Haste, Length, Reading, Run, analyse};
///
/// let length = Length {
///     asked: Batches(200),
///     most: Batches(800),
///     haste: Haste::Whole,
///     knows_leak: false,
///     memory_limit: Bytes(4 << 30),
/// };
/// let grown = |batch: i64| Reading { live: Bytes(100 * batch), ..Reading::default() };
/// let run = Run { batches: (0..200).map(grown).collect(), ..Run::default() };
/// assert_eq!(length.after(&run, &analyse(&run)), Batches(400));
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Length {
    /// Batches that are done in any case, at least 1.
    pub asked: Batches,
    /// And at most.
    pub most: Batches,
    /// Whether fewer than asked for may do.
    pub haste: Haste,
    /// Whether the run is there to show a leak.
    pub knows_leak: bool,
    /// Resident memory above which the worker is stopped.
    pub memory_limit: Bytes,
}

impl Length {
    /// After how many batches there is something to decide.
    #[must_use]
    pub fn first(&self) -> Batches {
        match self.haste {
            Haste::Whole => self.asked,
            Haste::Quick => MIN_BATCHES.min(self.asked),
        }
    }

    /// Whether nothing is left to decide.
    #[must_use]
    pub fn is_fixed(&self) -> bool {
        self.most <= self.asked && self.first() == self.asked
    }

    /// How many batches there are to be next, given those so far and what was found in them; no more
    /// than those when the run ends.
    #[must_use]
    pub fn after(&self, so_far: &Run, finding: &Finding) -> Batches {
        let done = u32::try_from(so_far.batches.len()).unwrap_or(u32::MAX);
        if done < self.asked.0 {
            let is_certain = finding.pattern().is_some();
            let step = if is_certain { 0 } else { QUICK_STEP };
            return Batches(done.saturating_add(step).min(self.asked.0));
        }
        let hides = self.haste == Haste::Whole && still_falls(&finding.evidence.live);
        let goes_on = finding.wants_more() || hides || self.doubts(finding, so_far, done);
        let next = if goes_on { done.saturating_mul(2) } else { done };
        Batches(next.min(self.most.0).max(done))
    }

    /// Whether the leak that was found may yet turn out to be a cache.
    fn doubts(&self, finding: &Finding, so_far: &Run, done: u32) -> bool {
        if finding.pattern().is_none_or(|pattern| pattern.class() != Class::Fail) {
            return false;
        }
        // The others were told from a bound by their course. Of what grows outside live bytes the
        // experiments at the end of a run tell, and more batches don't.
        let is_even = matches!(finding.evidence.live.shape, Shape::Steady | Shape::Doubling);
        let has_news = so_far.fresh_batches.is_none_or(|fresh| done < fresh.0);
        let has_room = grown(so_far).0 < self.memory_limit.0 / SHARE_OF_MEMORY / 2;
        let may_be_a_cache = is_even && !self.knows_leak && has_news && has_room;
        done < LEAK_BATCHES || self.haste == Haste::Whole && may_be_a_cache
    }
}

/// Whether a state still shrinks at the end, which hides as much growth beside it.
fn still_falls(live: &Growth) -> bool {
    let last = &live.minima[live.minima.len().saturating_sub(FALLING)..];
    live.shape == Shape::Shrinking
        && last.len() == FALLING
        && last.windows(2).all(|pair| pair[1] < pair[0])
}

/// What the batches so far have added, in the allocator and outside: at most, since the mappings that
/// Python cuts its small objects from count as both.
fn grown(run: &Run) -> Bytes {
    let held = |reading: &Reading| reading.live + reading.mapped.unwrap_or_default();
    let last = run.batches.last().map_or(Bytes::ZERO, held);
    last - held(&run.after_setup)
}
