//! Proof that the hooks are where the process's calls go.

use core::ffi::{c_int, c_void};
use core::hint::black_box;
use highwater_tracker::Counter;
use highwater_tracker::ledger::Position;

use crate::libc_hooks;
use crate::tls::ThreadSlot;
use crate::{real, symbols};

/// Size of the first block, in bytes: odd, prime, above the ledger's slack.
pub(crate) const CANARY_BYTES: usize = 104_729;

/// What is wrong, with what was counted instead of [`CANARY_BYTES`] where that is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fault {
    /// -1: the hooks pass everything on, because `HIGHWATER_PRELOAD` was not set.
    NotCounting,
    /// -2: the process's `malloc` is another one, of the executable itself.
    NotInFront,
    /// -3: `malloc` was not counted right.
    Malloc {
        /// Bytes counted.
        counted: i64,
    },
    /// -4: `calloc` was not counted right.
    Calloc,
    /// -5: `realloc` was not counted right.
    Realloc,
    /// -6: `posix_memalign` was not counted right.
    Aligned,
    /// -7: not everything that was freed was counted.
    Free,
    /// -8: C++'s `operator new` does not come by `malloc`: another preloaded allocator serves it.
    OperatorNew,
    /// -9: there was no memory for the canary.
    NoMemory,
}

impl Fault {
    pub(crate) fn code(self) -> c_int {
        match self {
            Self::NotCounting => -1,
            Self::NotInFront => -2,
            Self::Malloc { .. } => -3,
            Self::Calloc => -4,
            Self::Realloc => -5,
            Self::Aligned => -6,
            Self::Free => -7,
            Self::OperatorNew => -8,
            Self::NoMemory => -9,
        }
    }
}

type New = unsafe extern "C" fn(usize) -> *mut c_void;
type Delete = unsafe extern "C" fn(*mut c_void);

/// What other threads do meanwhile does not matter.
pub(crate) fn check() -> Result<(), Fault> {
    if !real::is_counting() {
        return Err(Fault::NotCounting);
    }
    // What another library's call would reach. Ours comes first unless the executable has its own.
    if symbols::any(c"malloc").addr() != (libc_hooks::malloc as *const ()).addr()
        || symbols::any(c"free").addr() != (libc_hooks::free as *const ()).addr()
    {
        return Err(Fault::NotInFront);
    }
    let start = position()?;
    // SAFETY: the hooks ask nothing of their callers but what C asks; here and below.
    let first = exists(unsafe { libc_hooks::malloc(black_box(CANARY_BYTES)) })?;
    let malloced = position()?;
    // SAFETY: see above.
    let second = exists(unsafe { libc_hooks::calloc(3, 1111) })?;
    let calloced = position()?;
    // SAFETY: `first` is the block that was just allocated.
    let first = exists(unsafe { libc_hooks::realloc(first, 2 * CANARY_BYTES) })?;
    let realloced = position()?;
    let mut third = core::ptr::null_mut();
    // SAFETY: `third` is a place for the block.
    if unsafe { libc_hooks::posix_memalign(&raw mut third, 64, 300) } != 0 {
        return Err(Fault::NoMemory);
    }
    let aligned = position()?;
    for block in [first, second, third] {
        // SAFETY: each was allocated above and is freed once.
        unsafe { libc_hooks::free(black_box(block)) };
    }
    let end = position()?;

    let size = CANARY_BYTES as i64;
    match moved(start, malloced) {
        (bytes, 1) if bytes == size => {}
        (counted, _) => return Err(Fault::Malloc { counted }),
    }
    expect(malloced, calloced, (3333, 1), Fault::Calloc)?;
    expect(calloced, realloced, (size, 0), Fault::Realloc)?;
    expect(realloced, aligned, (300, 1), Fault::Aligned)?;
    expect(start, end, (0, 0), Fault::Free)?;
    check_operator_new()
}

/// A process without C++ in its global scope has nothing to check.
fn check_operator_new() -> Result<(), Fault> {
    let (new, delete) = (symbols::any(c"_Znwm"), symbols::any(c"_ZdlPv"));
    if new.is_null() || delete.is_null() {
        return Ok(());
    }
    // SAFETY: the symbol is `operator new(unsigned long)`.
    let new = unsafe { core::mem::transmute::<*mut c_void, New>(new) };
    // SAFETY: the symbol is `operator delete(void*)`.
    let delete = unsafe { core::mem::transmute::<*mut c_void, Delete>(delete) };
    let start = position()?;
    // SAFETY: throws only when there is no memory for 111 bytes.
    let block = unsafe { new(111) };
    let during = position()?;
    // SAFETY: the block was just allocated.
    unsafe { delete(block) };
    let end = position()?;
    expect(start, during, (111, 1), Fault::OperatorNew)?;
    expect(start, end, (0, 0), Fault::OperatorNew)
}

fn expect(from: Position, to: Position, change: (i64, i64), fault: Fault) -> Result<(), Fault> {
    match moved(from, to) == change {
        true => Ok(()),
        false => Err(fault),
    }
}

fn moved(from: Position, to: Position) -> (i64, i64) {
    (to.live_bytes - from.live_bytes, to.live_blocks - from.live_blocks)
}

fn position() -> Result<Position, Fault> {
    Counter::<ThreadSlot>::own_position().ok_or(Fault::NoMemory)
}

fn exists(block: *mut c_void) -> Result<*mut c_void, Fault> {
    match block.is_null() {
        true => Err(Fault::NoMemory),
        false => Ok(block),
    }
}
