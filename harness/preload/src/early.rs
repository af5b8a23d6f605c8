//! The allocation functions before counting begins: the real function, or the arena while that is
//! being looked up.

use core::ffi::{c_int, c_void};
use core::ptr;

use crate::{arena, libc_hooks, real, stand_in};

const PAGE_BYTES: usize = 4096;

#[cold]
pub(crate) fn malloc(size: usize) -> *mut c_void {
    match real::is_found() {
        // SAFETY: found, so the function is known.
        true => unsafe { real::malloc(size) },
        false => arena::allocate(size, 1),
    }
}

#[cold]
pub(crate) fn free(block: *mut c_void) {
    if !arena::contains(block) && real::is_found() {
        // SAFETY: found, so the function is known; the caller passes a block of its allocator.
        unsafe { real::free(block) };
    }
}

#[cold]
pub(crate) fn calloc(count: usize, size: usize) -> *mut c_void {
    if real::is_found() {
        // SAFETY: found, so the function is known.
        return unsafe { real::calloc(count, size) };
    }
    match count.checked_mul(size) {
        Some(bytes) => arena::allocate(bytes, 1),
        None => stand_in::out_of_memory(),
    }
}

#[cold]
pub(crate) fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if arena::contains(block) {
        return leave_arena(block, size);
    }
    match real::is_found() {
        // SAFETY: found, so the function is known; the caller passes a block of its allocator.
        true => unsafe { real::realloc(block, size) },
        false if block.is_null() => arena::allocate(size, 1),
        false => ptr::null_mut(),
    }
}

/// A block of `size` bytes with the content of one in the arena.
#[cold]
pub(crate) fn leave_arena(block: *mut c_void, size: usize) -> *mut c_void {
    // SAFETY: asks nothing of its caller.
    let moved = unsafe { libc_hooks::malloc(size) };
    if !moved.is_null() {
        let bytes = arena::size_of(block).min(size);
        // SAFETY: both blocks have `bytes` bytes, and one of them is new.
        unsafe { ptr::copy_nonoverlapping(block.cast::<u8>(), moved.cast(), bytes) };
    }
    moved
}

#[cold]
pub(crate) fn posix_memalign(place: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    if real::is_found() {
        // SAFETY: found, so the function is known; `place` is the caller's.
        return unsafe { real::posix_memalign(place, alignment, size) };
    }
    let block = arena::allocate(size, alignment);
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller passes a place to write to.
    unsafe { place.write(block) };
    0
}

#[cold]
pub(crate) fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    match real::is_found() {
        // SAFETY: found, so the function is known.
        true => unsafe { real::aligned_alloc(alignment, size) },
        false => arena::allocate(size, alignment),
    }
}

#[cold]
pub(crate) fn memalign(alignment: usize, size: usize) -> *mut c_void {
    match real::is_found() {
        // SAFETY: found, so the function is known.
        true => unsafe { real::memalign(alignment, size) },
        false => arena::allocate(size, alignment),
    }
}

#[cold]
pub(crate) fn valloc(size: usize) -> *mut c_void {
    match real::is_found() {
        // SAFETY: found, so the function is known.
        true => unsafe { real::valloc(size) },
        false => arena::allocate(size, PAGE_BYTES),
    }
}

#[cold]
pub(crate) fn pvalloc(size: usize) -> *mut c_void {
    match real::is_found() {
        // SAFETY: found, so the function is known.
        true => unsafe { real::pvalloc(size) },
        false => arena::allocate(size, PAGE_BYTES),
    }
}
