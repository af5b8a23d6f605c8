//! The global-allocator wrapper.

use crate::counter::Counter;
use crate::reading::Reading;
use crate::slot::ThreadSlot;
use core::alloc::{GlobalAlloc, Layout};
use std::alloc::System;

type Hooks = Counter<ThreadSlot>;

/// A global allocator that counts and forwards to another, [`System`] unless told otherwise.
///
/// All four methods are forwarded as they are, so zeroed memory stays untouched and a growing
/// vector can grow in place. A failed allocation is not counted. Blocks that were allocated before
/// the tracker could count, or that outlive it, change no figure but their own.
///
/// ```
/// use highwater_tracker::Tracker;
///
/// #[global_allocator]
/// static ALLOCATOR: Tracker = Tracker::new();
/// ```
///
/// Over another allocator: `static ALLOCATOR: Tracker<MiMalloc> = Tracker::over(MiMalloc);`
#[derive(Clone, Copy, Debug, Default)]
pub struct Tracker<A = System> {
    inner: A,
}

impl Tracker {
    /// Counts and forwards to the system's allocator.
    pub const fn new() -> Self {
        Self { inner: System }
    }
}

impl<A> Tracker<A> {
    /// Counts and forwards to `inner`.
    pub const fn over(inner: A) -> Self {
        Self { inner }
    }
}

// SAFETY: every method passes its arguments to `inner` unchanged and returns what `inner` returned,
// so the contract is `inner`'s. The hooks do not panic, allocate or touch the blocks.
unsafe impl<A: GlobalAlloc> GlobalAlloc for Tracker<A> {
    #[inline]
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc`.
        counted(unsafe { self.inner.alloc(layout) }, layout.size())
    }

    #[inline]
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `alloc_zeroed`.
        counted(unsafe { self.inner.alloc_zeroed(layout) }, layout.size())
    }

    #[inline]
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // Counted first, so that freeing is a tail call.
        if Hooks::has_left(|tally| tally.subtract(layout.size())) {
            // SAFETY: the caller keeps the contract of `dealloc`, and `block` came from `inner`.
            return unsafe { dealloc_after_catching_up(block, layout, &self.inner) };
        }
        // SAFETY: the caller keeps the contract of `dealloc`, and `block` came from `inner`.
        unsafe { self.inner.dealloc(block, layout) }
    }

    #[inline]
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        // SAFETY: the caller keeps the contract of `realloc`, and `block` came from `inner`.
        let moved = unsafe { self.inner.realloc(block, layout, new_size) };
        if !moved.is_null() && Hooks::has_left(|tally| tally.replace(layout.size(), new_size)) {
            return reallocated_after_catching_up(moved, layout.size(), new_size);
        }
        moved
    }
}

/// Counts an allocation that did not fail, and returns it.
#[inline(always)]
fn counted(block: *mut u8, bytes: usize) -> *mut u8 {
    if !block.is_null() && Hooks::has_left(|tally| tally.add(bytes)) {
        return allocated_after_catching_up(block, bytes);
    }
    block
}

// The rare ends of the hooks. Each does all that is left, with its arguments in the order in which
// the hook has them, so that the hook ends in a jump and the usual way moves no register for it.

#[cold]
#[inline(never)]
fn allocated_after_catching_up(block: *mut u8, bytes: usize) -> *mut u8 {
    Hooks::catch_up(|tally| tally.add(bytes));
    block
}

#[cold]
#[inline(never)]
fn reallocated_after_catching_up(block: *mut u8, old: usize, new: usize) -> *mut u8 {
    Hooks::catch_up(|tally| tally.replace(old, new));
    block
}

/// # Safety
///
/// As for [`GlobalAlloc::dealloc`] of `inner`.
#[cold]
#[inline(never)]
unsafe fn dealloc_after_catching_up<A: GlobalAlloc>(block: *mut u8, layout: Layout, inner: &A) {
    Hooks::catch_up(|tally| tally.subtract(layout.size()));
    // SAFETY: the caller keeps the contract of `dealloc`.
    unsafe { inner.dealloc(block, layout) }
}

/// Reads all counters and starts a new peak window, in a program whose global allocator is a
/// [`Tracker`]. In any other, all figures are 0: see [`canary`](crate::canary).
///
/// Allocates nothing.
pub fn take_reading() -> Reading {
    Hooks::read()
}
