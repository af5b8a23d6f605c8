//! The counters: one [`ThreadBlock`] per thread, two [`Tally`]s in it, and the totals over them.
//!
//! # Live bytes are exact
//!
//! A tally only ever adds up what its owner did; nothing is moved out of it, not at a mark and not
//! when the thread exits. So live bytes are the sum over all tallies, and no event can fall between
//! two places. A mark taken while other threads allocate sees each of them as of some moment during
//! the mark.
//!
//! # The peak
//!
//! A maximum over threads cannot be summed, so for the peak each tally is *settled*: whenever its
//! owner has moved more than [`SLACK_BYTES`] since the last time, the difference goes into a shared
//! level, and level plus the highest point that the owner reached since is a candidate for the peak
//! of the window. A mark adds the candidates that are still unsettled, and what idle threads hold.
//!
//! * One thread moved since the last mark and stood still while the mark was taken: the peak is
//!   exact, whichever thread takes the mark and whatever idle threads hold.
//! * `m` threads moved: it is off by at most `m` times [`SLACK_BYTES`], which
//!   [`Reading::peak_error_bound_bytes`] states. An unsettled thread hides or adds at most one
//!   slack, and a candidate's high point may be older than the level it is added to, which costs
//!   one more.
//!
//! # Cost
//!
//! Every field that the hot path touches is in one cache line that only its owner writes, with
//! plain loads and stores (`Relaxed`, and no read-modify-write). Settling is one `fetch_add` and
//! one `fetch_max` per 64 KiB. No lock anywhere, so a fork can strike at any instruction.

mod account;
mod block;
mod roster;
mod tally;

pub use account::Account;
pub use block::ThreadBlock;
pub use tally::{Position, Tally};

use crate::reading::{Figures, Reading};
use crate::sync::{AtomicU64, Ordering, const_unless_loom};
use account::{Accumulation, Totals};
use core::ptr;
use roster::Roster;

/// How far a thread's live bytes may move, in bytes, before it settles with the shared level.
///
/// 64 KiB: large enough that settling costs nothing, small enough that the bound on a peak of many
/// threads is useful. 8 in loom models, which cannot afford long histories.
pub const SLACK_BYTES: i64 = if cfg!(loom) { 8 } else { 64 * 1024 };

/// The books of one process.
#[derive(Debug)]
pub struct Ledger {
    roster: Roster,
    udf: Totals,
    harness: Totals,
    lost: AtomicU64,
}

impl Ledger {
    const_unless_loom! {
        /// Books with no thread in them.
        pub fn new() -> Self {
            Self {
                roster: Roster::new(),
                udf: Totals::new(),
                harness: Totals::new(),
                lost: AtomicU64::new(0),
            }
        }
    }

    /// Gives the calling thread a block of its own: one that an exited thread left, or the first of
    /// `fresh`, whose others are kept for later threads. `None` when there is neither.
    ///
    /// `fresh` returns blocks that nobody else uses; they are never given back.
    pub fn claim(&self, fresh: impl FnOnce() -> &'static [ThreadBlock]) -> Option<&ThreadBlock> {
        self.roster.claim(fresh)
    }

    /// Gives a block back for the next thread. Its counts stay in the books.
    pub fn release(&self, block: &ThreadBlock) {
        block.vacate();
    }

    /// Counts an allocation of `bytes` in the caller's own tally.
    #[inline(always)]
    pub fn allocated(&self, tally: &Tally, bytes: usize) {
        if tally.add(bytes) {
            self.settle(tally);
        }
    }

    /// Counts a free of `bytes` in the caller's own tally.
    #[inline(always)]
    pub fn freed(&self, tally: &Tally, bytes: usize) {
        if tally.subtract(bytes) {
            self.settle(tally);
        }
    }

    /// Counts a reallocation in the caller's own tally: one allocation of `new` bytes and one free
    /// of `old` bytes, of which the peak sees the difference alone.
    #[inline(always)]
    pub fn reallocated(&self, tally: &Tally, old: usize, new: usize) {
        if tally.replace(old, new) {
            self.settle(tally);
        }
    }

    /// Counts an event that could not be counted anywhere else.
    #[cold]
    pub fn lose(&self) {
        self.lost.fetch_add(1, Ordering::Relaxed);
    }

    /// Reads everything and starts a new peak window.
    ///
    /// Allocates nothing and takes no lock. Two threads may read at once; they then share the
    /// window between them, and either peak may be off by [`SLACK_BYTES`] per thread.
    pub fn read(&self) -> Reading {
        // The levels come before the tallies: a settlement publishes its tally first and the level
        // second, so that no byte is seen in both.
        let mut udf = self.udf.accumulate();
        let mut harness = self.harness.accumulate();
        let mut thread_blocks = 0;
        for block in self.roster.iter() {
            thread_blocks += u32::from(block.is_in_use());
            for tally in [block.udf(), block.harness()] {
                match tally.booked() {
                    Account::Udf => udf.take(tally),
                    Account::Harness => harness.take(tally),
                }
            }
        }
        let peak_error_bound_bytes = udf.error_bound();
        Reading {
            udf: self.udf.close(&udf),
            harness: self.harness.close(&harness),
            thread_blocks,
            peak_error_bound_bytes,
            lost_events: self.lost.load(Ordering::Relaxed),
        }
    }

    /// The UDF's live bytes. Leaves the peak window alone.
    pub fn live_bytes(&self) -> i64 {
        let mut live = 0_i64;
        for block in self.roster.iter() {
            for tally in [block.udf(), block.harness()] {
                if tally.booked() == Account::Udf {
                    live = live.wrapping_add(tally.position().live_bytes);
                }
            }
        }
        live
    }

    /// Books all that other threads did, and that those which run now will do, in the harness's
    /// account: a thread that was there before the UDF is none of its threads. Threads that start
    /// later count as the UDF's.
    ///
    /// For the quiet moment before a run: what another thread settles while this runs may stay in
    /// the peak of the UDF's account.
    pub fn set_others_aside(&self, own: &ThreadBlock) {
        for block in self.roster.iter() {
            if block.is_in_use() && !ptr::eq(block, own) && !block.is_set_aside() {
                self.harness.take_over(&self.udf, block.udf().set_aside());
            }
        }
    }

    /// Number of blocks ever made, in use or not.
    pub fn blocks(&self) -> usize {
        self.roster.iter().count()
    }

    /// Moves what the caller's own tally has gathered into the shared level.
    #[cold]
    #[inline(never)]
    pub(crate) fn settle(&self, tally: &Tally) {
        let settlement = tally.settle();
        match tally.booked() {
            Account::Udf => self.udf.receive(settlement),
            Account::Harness => self.harness.receive(settlement),
        }
    }
}

impl Default for Ledger {
    fn default() -> Self {
        Self::new()
    }
}

impl Totals {
    fn close(&self, sums: &Accumulation) -> Figures {
        let (peak_bytes, run_peak_bytes) = self.close_window(sums);
        Figures {
            live_bytes: sums.live,
            live_blocks: sums.allocations.wrapping_sub(sums.frees).cast_signed(),
            peak_bytes,
            run_peak_bytes,
            allocations: sums.allocations,
            allocated_bytes: sums.allocated,
        }
    }
}
