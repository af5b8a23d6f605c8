//! The thread's own words, in initial-exec thread-local storage.
//!
//! `thread_local!` in a shared object compiles to a call of `__tls_get_addr`, which costs a third of
//! a malloc and may allocate. A preloaded library is there when the program starts, so its
//! thread-local storage has a fixed offset from the thread pointer: two instructions. Rust has no
//! stable way to ask for that model, the assembler has.

use core::arch::{asm, global_asm};
use highwater_tracker::counter::ExitKey;
use highwater_tracker::ledger::Tally;
use highwater_tracker::{Account, Slot};

use crate::python::tally::{self, PythonTally};

// Three words, zero in a new thread: the tracker's tally, Python's, and whether Python's allocator is
// at work.
global_asm!(
    ".pushsection .tbss,\"awT\",@nobits",
    ".hidden highwater_thread",
    ".globl highwater_thread",
    ".type highwater_thread,@object",
    ".size highwater_thread,24",
    ".p2align 5",
    "highwater_thread:",
    ".zero 24",
    ".popsection",
);

const TALLY: usize = 0;
const PYTHON_TALLY: usize = 8;
const IN_PYTHON: usize = 16;

/// Distance of `highwater_thread` from the thread pointer, the same in every thread.
#[inline(always)]
fn offset() -> usize {
    let offset;
    // SAFETY: reads an entry of this library's own offset table, which the loader filled before any
    // code of it ran, and which never changes.
    unsafe {
        asm!(
            "mov {0}, qword ptr [rip + highwater_thread@GOTTPOFF]",
            out(reg) offset,
            options(pure, nomem, nostack, preserves_flags),
        );
    }
    offset
}

#[inline(always)]
fn load<const WORD: usize, T>() -> *const T {
    let value;
    // SAFETY: every thread has the three words at that offset from its thread pointer.
    unsafe {
        asm!(
            "mov {0}, qword ptr fs:[{1} + {2}]",
            out(reg) value,
            in(reg) offset(),
            const WORD,
            options(pure, readonly, nostack, preserves_flags),
        );
    }
    value
}

#[inline(always)]
fn store<const WORD: usize, T>(value: *const T) {
    // SAFETY: as in `load`; the words are this module's alone, and hold pointers.
    unsafe {
        asm!(
            "mov qword ptr fs:[{1} + {2}], {0}",
            in(reg) value,
            in(reg) offset(),
            const WORD,
            options(nostack, preserves_flags),
        );
    }
}

/// The slot that `Counter` counts through.
#[derive(Debug)]
pub(crate) struct ThreadSlot;

static EXIT_KEY: ExitKey = ExitKey::new();

// SAFETY: the word is this thread's own, written by `set` alone and as old as the thread. `EXIT_KEY`
// is used nowhere else.
unsafe impl Slot for ThreadSlot {
    #[inline(always)]
    fn get() -> *const Tally {
        load::<TALLY, Tally>()
    }

    #[inline(always)]
    fn set(tally: *const Tally) {
        store::<TALLY, Tally>(tally);
        // The counter empties the slot when the thread exits.
        if tally.is_null() {
            tally::retire();
        }
    }

    fn exit_key() -> &'static ExitKey {
        &EXIT_KEY
    }
}

/// The tally that this thread counts in now, if it has one yet.
#[inline(always)]
pub(crate) fn present() -> Option<&'static Tally> {
    // SAFETY: a slot holds null or a pointer to a tally in a block that is never unmapped.
    unsafe { ThreadSlot::get().as_ref() }
}

/// The account that this thread allocates in now.
#[inline(always)]
pub(crate) fn account() -> Account {
    present().map_or(Account::Udf, Tally::account)
}

/// What this thread did in Python's domains, or null.
#[inline(always)]
pub(crate) fn python_tally() -> *const PythonTally {
    load::<PYTHON_TALLY, PythonTally>()
}

/// Replaces this thread's Python tally and returns what it was.
pub(crate) fn set_python_tally(tally: *const PythonTally) -> *const PythonTally {
    let before = python_tally();
    store::<PYTHON_TALLY, PythonTally>(tally);
    before
}

/// Notes whether Python's own allocator is serving a small request of this thread's.
#[inline(always)]
pub(crate) fn set_in_python(is_in: bool) {
    store::<IN_PYTHON, u8>(core::ptr::without_provenance(is_in.into()));
}

/// Whether it is.
#[inline(always)]
pub(crate) fn is_in_python() -> bool {
    !load::<IN_PYTHON, u8>().is_null()
}
