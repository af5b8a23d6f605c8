//! Memory for the allocations that the dynamic linker makes while the real allocator is looked up.
//!
//! On C libraries before 2.34 `dlsym` allocates its error state. Those few blocks come from here;
//! they are never counted and never reused.

use core::cell::UnsafeCell;
use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicUsize, Ordering};

const ARENA_BYTES: usize = 64 * 1024;
/// Before each block: its size, padded to keep the alignment.
const HEADER_BYTES: usize = 16;

#[repr(C, align(4096))]
struct Arena(UnsafeCell<[u8; ARENA_BYTES]>);

// SAFETY: `allocate` hands every byte out once.
unsafe impl Sync for Arena {}

static ARENA: Arena = Arena(UnsafeCell::new([0; ARENA_BYTES]));
static USED: AtomicUsize = AtomicUsize::new(0);

/// A zeroed block, or null when the arena is used up. `alignment` is a power of two up to 4096.
#[cold]
pub(crate) fn allocate(bytes: usize, alignment: usize) -> *mut c_void {
    let alignment = alignment.max(HEADER_BYTES);
    let claim = USED.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
        end_of(start_of(used, alignment)?, bytes)
    });
    let Some(start) = claim.ok().and_then(|used| start_of(used, alignment)) else {
        return ptr::null_mut();
    };
    let block = base().wrapping_add(start);
    // SAFETY: `start` is at least a header behind what was handed out before, and aligned.
    unsafe { block.wrapping_sub(HEADER_BYTES).cast::<usize>().write(bytes) };
    block.cast()
}

/// True for blocks of the arena.
#[inline(always)]
pub(crate) fn contains(block: *mut c_void) -> bool {
    block.addr().wrapping_sub(base().addr()) < ARENA_BYTES
}

/// Size that a block of the arena was allocated with.
pub(crate) fn size_of(block: *mut c_void) -> usize {
    // SAFETY: callers pass blocks of the arena, whose header `allocate` wrote.
    unsafe { block.cast::<u8>().wrapping_sub(HEADER_BYTES).cast::<usize>().read() }
}

fn start_of(used: usize, alignment: usize) -> Option<usize> {
    used.checked_add(HEADER_BYTES)?.checked_next_multiple_of(alignment)
}

fn end_of(start: usize, bytes: usize) -> Option<usize> {
    let end = start.checked_add(bytes)?.checked_next_multiple_of(HEADER_BYTES)?;
    (end <= ARENA_BYTES).then_some(end)
}

fn base() -> *mut u8 {
    ARENA.0.get().cast()
}
