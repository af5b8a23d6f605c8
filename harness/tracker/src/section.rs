//! Which account a thread's allocations count in.

use crate::counter::Counter;
use crate::ledger::ThreadBlock;
use crate::slot::Slot;
#[cfg(feature = "std")]
use crate::slot::ThreadSlot;
use core::fmt;
use core::marker::PhantomData;
use core::ptr::NonNull;

/// While it lives, what this thread allocates and frees counts as the harness's.
///
/// Sections nest, in any order of dropping. They belong to one thread: threads that are started in
/// a section count as the UDF's. A block that is allocated in one account and freed in the other
/// counts as allocated in the first and as freed in the second, so hand over a *copy* of what
/// changes owner and free the original where it was made.
///
/// The hot path pays nothing: entering and leaving swap the pointer to the thread's counters.
#[cfg(feature = "std")]
#[must_use = "the section ends when it is dropped"]
pub struct Section<S: Slot = ThreadSlot> {
    block: Option<NonNull<ThreadBlock>>,
    /// Also makes it neither `Send` nor `Sync`.
    slot: PhantomData<*const S>,
}

/// While it lives, what this thread allocates and frees counts as the harness's.
#[cfg(not(feature = "std"))]
#[must_use = "the section ends when it is dropped"]
pub struct Section<S: Slot> {
    block: Option<NonNull<ThreadBlock>>,
    slot: PhantomData<*const S>,
}

#[cfg(feature = "std")]
impl Section {
    /// Enters a harness section of a program whose global allocator is a
    /// [`Tracker`](crate::Tracker).
    pub fn harness() -> Self {
        Self::enter()
    }
}

impl<S: Slot> Section<S> {
    /// Enters a harness section of the slot `S`. Without a block to be had it does nothing; the
    /// events that follow are then counted as lost.
    pub fn enter() -> Self {
        let block = Counter::<S>::block();
        if let Some(block) = block {
            // SAFETY: blocks are static and only ever shared.
            unsafe { block.as_ref() }.enter_harness();
            Counter::<S>::follow(block);
        }
        Self { block, slot: PhantomData }
    }
}

impl<S: Slot> Drop for Section<S> {
    fn drop(&mut self) {
        let Some(block) = self.block else { return };
        // A section in a late thread-local destructor may outlive the thread's block.
        if Counter::<S>::block() == Some(block) {
            // SAFETY: blocks are static and only ever shared.
            unsafe { block.as_ref() }.leave_harness();
            Counter::<S>::follow(block);
        }
    }
}

impl<S: Slot> fmt::Debug for Section<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Section")
    }
}
