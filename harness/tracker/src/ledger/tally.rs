//! What one thread did in one account.

use super::{Account, SLACK_BYTES};
use crate::sync::{AtomicI64, AtomicU32, AtomicU64, Ordering, const_unless_loom};

/// Counts of one thread in one account. They only add up, over every thread that has had the block.
///
/// The owning thread alone counts in it, by [`Ledger`](super::Ledger); every thread may read it.
/// A call from a thread that does not own it is not undefined, but may lose counts.
#[derive(Debug)]
#[repr(C, align(64))]
pub struct Tally {
    /// Live bytes: what was allocated here less what was freed here, negative when the thread freed
    /// more.
    live: AtomicI64,
    /// Highest `live` since the last settlement or mark.
    high: AtomicI64,
    /// `live` at the last settlement less the slack: the comparison that every free makes. Only an
    /// allocation that reaches a new high has to compare with the other end.
    floor: AtomicI64,
    allocations: AtomicU64,
    frees: AtomicU64,
    allocated: AtomicU64,
    /// Fingerprint at the last mark; written by whoever takes it.
    seen: AtomicU64,
    account: Account,
    /// 1 once its counts are booked in the harness's account, whatever `account` says.
    aside: AtomicU32,
}

/// What a tally holds at one moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Allocated less freed, in bytes.
    pub live_bytes: i64,
    /// Allocated less freed, in blocks.
    pub live_blocks: i64,
}

/// What a tally hands to the shared totals.
#[derive(Clone, Copy, Debug)]
pub(super) struct Settlement {
    /// Change of live bytes since the last settlement.
    pub(super) moved: i64,
    /// Highest point since, relative to the same origin; negative after a mark at a low point.
    pub(super) high: i64,
}

/// What a mark sees of a tally.
#[derive(Clone, Copy, Debug)]
pub(super) struct Sight {
    pub(super) live: i64,
    pub(super) allocations: u64,
    pub(super) frees: u64,
    pub(super) allocated: u64,
    /// Bytes since the last settlement.
    pub(super) unsettled: i64,
    /// Highest point since the last settlement or mark, if anything happened since the last mark.
    pub(super) high_if_moved: Option<i64>,
}

impl Tally {
    const_unless_loom! {
        pub(super) fn new(account: Account) -> Self {
            Self {
                live: AtomicI64::new(0),
                high: AtomicI64::new(0),
                floor: AtomicI64::new(-SLACK_BYTES),
                allocations: AtomicU64::new(0),
                frees: AtomicU64::new(0),
                allocated: AtomicU64::new(0),
                seen: AtomicU64::new(0),
                account,
                aside: AtomicU32::new(0),
            }
        }
    }

    /// The account that its owner means, always the same one.
    pub fn account(&self) -> Account {
        self.account
    }

    /// The account in whose figures it shows.
    pub(super) fn booked(&self) -> Account {
        match self.aside.load(Ordering::Relaxed) {
            0 => self.account,
            _ => Account::Harness,
        }
    }

    /// Books it in the harness's account for good, and returns what it has settled so far.
    pub(super) fn set_aside(&self) -> i64 {
        self.aside.store(1, Ordering::Relaxed);
        self.origin()
    }

    /// What it holds now.
    pub fn position(&self) -> Position {
        let allocations = self.allocations.load(Ordering::Relaxed);
        let frees = self.frees.load(Ordering::Relaxed);
        Position {
            live_bytes: self.live.load(Ordering::Relaxed),
            live_blocks: allocations.wrapping_sub(frees).cast_signed(),
        }
    }

    /// Returns true when it is time to settle, as do the next two.
    #[inline(always)]
    pub(crate) fn add(&self, bytes: usize) -> bool {
        let live = self.live.load(Ordering::Relaxed).wrapping_add(bytes as i64);
        self.live.store(live, Ordering::Relaxed);
        bump(&self.allocations, 1);
        bump(&self.allocated, bytes as u64);
        self.rise(live)
    }

    #[inline(always)]
    pub(crate) fn subtract(&self, bytes: usize) -> bool {
        let live = self.live.load(Ordering::Relaxed).wrapping_sub(bytes as i64);
        self.live.store(live, Ordering::Relaxed);
        bump(&self.frees, 1);
        self.is_below_floor(live)
    }

    #[inline(always)]
    pub(crate) fn replace(&self, old: usize, new: usize) -> bool {
        let change = (new as i64).wrapping_sub(old as i64);
        let live = self.live.load(Ordering::Relaxed).wrapping_add(change);
        self.live.store(live, Ordering::Relaxed);
        bump(&self.allocations, 1);
        bump(&self.frees, 1);
        bump(&self.allocated, new as u64);
        if change > 0 { self.rise(live) } else { self.is_below_floor(live) }
    }

    #[inline(always)]
    fn rise(&self, live: i64) -> bool {
        if live <= self.high.load(Ordering::Relaxed) {
            return false;
        }
        self.high.store(live, Ordering::Relaxed);
        live > self.floor.load(Ordering::Relaxed).wrapping_add(2 * SLACK_BYTES)
    }

    #[inline(always)]
    fn is_below_floor(&self, live: i64) -> bool {
        live < self.floor.load(Ordering::Relaxed)
    }

    /// Moves the origin to the present position. Owner only.
    pub(super) fn settle(&self) -> Settlement {
        let live = self.live.load(Ordering::Relaxed);
        let origin = self.origin();
        // A mark on another thread may just have lowered `high` below what the owner reached, hence
        // the maximum.
        let high = self.high.load(Ordering::Relaxed).max(live);
        self.high.store(live, Ordering::Relaxed);
        self.floor.store(live.wrapping_sub(SLACK_BYTES), Ordering::Release);
        Settlement { moved: live.wrapping_sub(origin), high: high.wrapping_sub(origin) }
    }

    /// Looks at the tally for a mark and starts its new window.
    pub(super) fn sight(&self) -> Sight {
        let origin = self.origin();
        let allocations = self.allocations.load(Ordering::Relaxed);
        let frees = self.frees.load(Ordering::Relaxed);
        let high = self.high.load(Ordering::Relaxed);
        let live = self.live.load(Ordering::Relaxed);
        let unsettled = live.wrapping_sub(origin);
        // Both, because another thread may see one without the other.
        let fingerprint = allocations.wrapping_add(frees).rotate_left(32) ^ live.cast_unsigned();
        // The owner may be about to settle what the last mark already saw. As an idle thread's bytes
        // it would be added to a peak that is about to hold it.
        let is_settling = unsettled.unsigned_abs() > SLACK_BYTES.unsigned_abs();
        let mut high_if_moved = None;
        if self.seen.load(Ordering::Relaxed) != fingerprint || is_settling {
            self.seen.store(fingerprint, Ordering::Relaxed);
            high_if_moved = Some(high.max(live).wrapping_sub(origin));
            self.lower_high(high, live);
        }
        Sight {
            live,
            allocations,
            frees,
            allocated: self.allocated.load(Ordering::Relaxed),
            unsettled,
            high_if_moved,
        }
    }

    /// Starts a new window at `live`. Never raises `high`, which would keep the owner from settling,
    /// and gives way when the owner has moved on, since a value from before a settlement would
    /// count double after it.
    fn lower_high(&self, high: i64, live: i64) {
        if live < high {
            let _ = self.high.compare_exchange(high, live, Ordering::Relaxed, Ordering::Relaxed);
        }
    }

    /// Acquires what the owner stored before it settled here, so that `live` and `high` cannot be
    /// older than the origin they are compared with.
    fn origin(&self) -> i64 {
        self.floor.load(Ordering::Acquire).wrapping_add(SLACK_BYTES)
    }
}

/// Adds without a read-modify-write: only the owner writes.
#[inline(always)]
fn bump(counter: &AtomicU64, by: u64) {
    counter.store(counter.load(Ordering::Relaxed).wrapping_add(by), Ordering::Relaxed);
}
