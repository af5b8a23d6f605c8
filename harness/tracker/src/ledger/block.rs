//! What a thread owns of the ledger.

use super::{Account, Tally};
use crate::sync::{AtomicPtr, AtomicU32, Ordering, const_unless_loom};
use core::ptr;

/// A thread's two tallies. Aligned so that neighbours do not share a cache line, nor a pair of lines
/// that the processor fetches together.
#[derive(Debug)]
#[repr(C, align(128))]
pub struct ThreadBlock {
    udf: Tally,
    harness: Tally,
    in_use: AtomicU32,
    /// How many harness sections the owner is in.
    depth: AtomicU32,
    /// 1 while the owner is in [`Counter::aside`](crate::Counter::aside).
    aside: AtomicU32,
    next: AtomicPtr<ThreadBlock>,
}

impl ThreadBlock {
    const_unless_loom! {
        /// An empty block that no thread owns.
        pub fn new() -> Self {
            Self {
                udf: Tally::new(Account::Udf),
                harness: Tally::new(Account::Harness),
                in_use: AtomicU32::new(0),
                depth: AtomicU32::new(0),
                aside: AtomicU32::new(0),
                next: AtomicPtr::new(ptr::null_mut()),
            }
        }
    }

    /// Tally of the UDF's account.
    pub fn udf(&self) -> &Tally {
        &self.udf
    }

    /// Tally of the harness's account.
    pub fn harness(&self) -> &Tally {
        &self.harness
    }

    /// True while a thread owns it.
    pub fn is_in_use(&self) -> bool {
        self.in_use.load(Ordering::Relaxed) != 0
    }

    /// Enters a harness section, for the owner. Sections nest.
    pub fn enter_harness(&self) {
        self.depth.store(self.depth.load(Ordering::Relaxed).wrapping_add(1), Ordering::Relaxed);
    }

    /// Leaves a harness section, for the owner; without one it does nothing.
    pub fn leave_harness(&self) {
        self.depth.store(self.depth.load(Ordering::Relaxed).saturating_sub(1), Ordering::Relaxed);
    }

    /// Leaves all harness sections, for the owner.
    pub fn leave_all(&self) {
        self.depth.store(0, Ordering::Relaxed);
    }

    /// Notes whether the owner's allocations are set aside for a moment, for the owner.
    #[cfg(not(loom))]
    pub(crate) fn put_aside(&self, is_aside: bool) {
        self.aside.store(is_aside.into(), Ordering::Relaxed);
    }

    /// Whether the owner's allocations are set aside now.
    #[cfg(not(loom))]
    pub(crate) fn is_put_aside(&self) -> bool {
        self.aside.load(Ordering::Relaxed) != 0
    }

    /// The account of the sections that the owner is in.
    pub fn account(&self) -> Account {
        match self.depth.load(Ordering::Relaxed) {
            0 => Account::Udf,
            _ => Account::Harness,
        }
    }

    /// Address of a tally, made from the block's pointer and not from a reference to the tally, so
    /// that the way back by [`around`](Self::around) stays legal.
    #[cfg(not(loom))]
    pub(crate) fn tally_in(block: *const Self, account: Account) -> *const Tally {
        block.wrapping_byte_add(Self::offset(account)).cast()
    }

    /// Address of the block around a tally that [`tally_in`](Self::tally_in) returned.
    #[cfg(not(loom))]
    pub(crate) fn around(tally: *const Tally, account: Account) -> *mut Self {
        tally.wrapping_byte_sub(Self::offset(account)).cast_mut().cast()
    }

    #[cfg(not(loom))]
    const fn offset(account: Account) -> usize {
        match account {
            Account::Udf => core::mem::offset_of!(Self, udf),
            Account::Harness => core::mem::offset_of!(Self, harness),
        }
    }

    /// True once its UDF tally is booked in the harness's account.
    pub(super) fn is_set_aside(&self) -> bool {
        self.udf.booked() == Account::Harness
    }

    /// Takes the block if nobody has it. Sees what its last owner did.
    pub(super) fn occupy(&self) -> bool {
        self.in_use.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok()
    }

    pub(super) fn vacate(&self) {
        self.depth.store(0, Ordering::Relaxed);
        self.in_use.store(0, Ordering::Release);
    }

    pub(super) fn next(&self) -> *mut ThreadBlock {
        self.next.load(Ordering::Relaxed)
    }

    pub(super) fn set_next(&self, next: *mut ThreadBlock) {
        self.next.store(next, Ordering::Relaxed);
    }
}

impl Default for ThreadBlock {
    fn default() -> Self {
        Self::new()
    }
}
