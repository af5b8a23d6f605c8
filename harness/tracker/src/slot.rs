//! Where a thread finds its tally.

use crate::counter::ExitKey;
use crate::ledger::Tally;

/// A thread-local pointer to the tally that the thread counts in.
///
/// The wrapper has one made by `thread_local!`; a preloaded library brings its own, because in a
/// shared object that macro costs a function call per access.
///
/// # Safety
///
/// * `get` returns what this thread last passed to `set`, and null before that.
/// * Neither allocates, locks or panics, at any time in a thread's life, its last destructors
///   included.
/// * `exit_key` returns the same key every time, and no other slot returns that key.
pub unsafe trait Slot: 'static {
    /// This thread's tally, or null.
    fn get() -> *const Tally;

    /// Replaces this thread's tally.
    fn set(tally: *const Tally);

    /// The key by which the thread's exit is noticed.
    fn exit_key() -> &'static ExitKey;
}

/// The slot of programs whose global allocator is a `Tracker`.
#[cfg(feature = "std")]
#[derive(Debug)]
pub struct ThreadSlot;

#[cfg(feature = "std")]
mod thread_slot {
    use super::{ExitKey, Slot, Tally, ThreadSlot};
    use core::cell::Cell;
    use core::ptr;

    std::thread_local! {
        // Constant and without a destructor: no lazy initialisation, and no state in which it is
        // gone. In an executable the linker turns the access into one instruction.
        static TALLY: Cell<*const Tally> = const { Cell::new(ptr::null()) };
    }

    static EXIT_KEY: ExitKey = ExitKey::new();

    // SAFETY: `TALLY` is this thread's own cell, used nowhere else and never destroyed; a `Cell`
    // does not allocate, lock or panic. `EXIT_KEY` is used nowhere else.
    unsafe impl Slot for ThreadSlot {
        #[inline(always)]
        fn get() -> *const Tally {
            TALLY.get()
        }

        #[inline(always)]
        fn set(tally: *const Tally) {
            TALLY.set(tally);
        }

        fn exit_key() -> &'static ExitKey {
            &EXIT_KEY
        }
    }
}
