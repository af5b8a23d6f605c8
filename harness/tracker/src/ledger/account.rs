//! The two accounts and their shared totals.

use super::SLACK_BYTES;
use super::tally::{Settlement, Tally};
use crate::sync::{AtomicI64, Ordering, const_unless_loom};

/// Whose allocation it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Account {
    /// The UDF under test: everything outside a harness section.
    Udf,
    /// The harness: its reader, the decoded batch, its own buffers.
    Harness,
}

/// No candidate for the peak yet.
const NONE: i64 = i64::MIN;

/// What the threads have settled into one account.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Totals {
    level: AtomicI64,
    window_peak: AtomicI64,
    run_peak: AtomicI64,
}

impl Totals {
    const_unless_loom! {
        pub(super) fn new() -> Self {
            Self {
                level: AtomicI64::new(0),
                window_peak: AtomicI64::new(NONE),
                run_peak: AtomicI64::new(0),
            }
        }
    }

    /// Books a settlement. It lands in the window that is open when it arrives, so a window that is
    /// closed at the same moment may leave it to the next; it is never dropped.
    pub(super) fn receive(&self, settlement: Settlement) {
        let before = self.level.fetch_add(settlement.moved, Ordering::AcqRel);
        let candidate = before.saturating_add(settlement.high);
        self.window_peak.fetch_max(candidate, Ordering::AcqRel);
    }

    /// Takes over `settled` bytes from `other`, which loses them.
    pub(super) fn take_over(&self, other: &Totals, settled: i64) {
        other.level.fetch_sub(settled, Ordering::AcqRel);
        self.level.fetch_add(settled, Ordering::AcqRel);
    }

    pub(super) fn accumulate(&self) -> Accumulation {
        Accumulation { level: self.level.load(Ordering::Acquire), ..Accumulation::default() }
    }

    /// Peak of the window that ends here and peak of the run, both in bytes.
    pub(super) fn close_window(&self, sums: &Accumulation) -> (i64, i64) {
        let settled = self.window_peak.swap(NONE, Ordering::AcqRel);
        let unsettled = match sums.moved {
            0 => NONE,
            _ => sums.level.saturating_add(sums.high),
        };
        let peak = settled.max(unsettled).saturating_add(sums.idle).max(sums.live);
        (peak, self.run_peak.fetch_max(peak, Ordering::AcqRel).max(peak))
    }
}

/// Sums over one account's tallies, made while a reading walks them.
#[derive(Debug, Default)]
pub(super) struct Accumulation {
    pub(super) live: i64,
    pub(super) allocations: u64,
    pub(super) frees: u64,
    pub(super) allocated: u64,
    level: i64,
    /// Unsettled bytes of tallies that stood still during the window.
    idle: i64,
    /// Highest unsettled point of a tally that moved.
    high: i64,
    /// Number of tallies that moved.
    moved: u32,
}

impl Accumulation {
    pub(super) fn take(&mut self, tally: &Tally) {
        let sight = tally.sight();
        self.live = self.live.wrapping_add(sight.live);
        self.allocations = self.allocations.wrapping_add(sight.allocations);
        self.frees = self.frees.wrapping_add(sight.frees);
        self.allocated = self.allocated.wrapping_add(sight.allocated);
        match sight.high_if_moved {
            None => self.idle = self.idle.wrapping_add(sight.unsettled),
            Some(high) if self.moved == 0 => (self.high, self.moved) = (high, 1),
            Some(high) => (self.high, self.moved) = (self.high.max(high), self.moved + 1),
        }
    }

    /// How far the peak may be off, in bytes; see the module docs of [`super`].
    pub(super) fn error_bound(&self) -> i64 {
        match self.moved {
            0 | 1 => 0,
            moved => i64::from(moved) * SLACK_BYTES,
        }
    }
}
