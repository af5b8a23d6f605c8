//! The C library's allocation functions, as programs see them.
//!
//! Each does the same: while counting, call the real function and note what came of it; otherwise
//! pass the call on. `malloc_usable_size`, `mallinfo`, `malloc_trim` and their like are not
//! replaced, since no block is changed. `strdup`, `getline`, `asprintf` and so on come by `malloc`.
//!
//! A block is forgotten *before* the real function frees it: once that has run, another thread may
//! own the address.

use core::ffi::{c_int, c_void};

use crate::{arena, books, early, real, stand_in};

/// What to ask the real allocator for. Some put two blocks of up to 8 bytes into 16, which have one
/// cell of the shadow map between them.
#[inline(always)]
fn asked(size: usize) -> usize {
    size.max(9)
}

/// As C's `malloc`.
///
/// # Safety
///
/// None beyond what C asks for; so for every function of this module.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    if real::is_counting() {
        // SAFETY: counting, so the function is known.
        let block = unsafe { real::malloc(asked(size)) };
        return books::allocated(block, size);
    }
    early::malloc(size)
}

/// As C's `free`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn free(block: *mut c_void) {
    if !real::is_counting() {
        return early::free(block);
    }
    if !block.is_null() && books::freed(block) {
        // SAFETY: counting, so the function is known; the caller passes a block of its allocator.
        unsafe { real::free(block) };
    }
}

/// As C's `cfree`, which old programs call for `free`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn cfree(block: *mut c_void) {
    if !real::is_counting() {
        return early::free(block);
    }
    if !block.is_null() && books::freed(block) {
        // SAFETY: as for `free`.
        unsafe { real::cfree(block) };
    }
}

/// As C23's `free_sized`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn free_sized(block: *mut c_void, size: usize) {
    if !real::is_counting() {
        return early::free(block);
    }
    if !block.is_null() && books::freed(block) {
        // SAFETY: as for `free`; the block was asked for with `asked(size)` bytes.
        unsafe { real::free_sized(block, asked(size)) };
    }
}

/// As C23's `free_aligned_sized`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn free_aligned_sized(
    block: *mut c_void,
    alignment: usize,
    size: usize,
) {
    if !real::is_counting() {
        return early::free(block);
    }
    if !block.is_null() && books::freed(block) {
        // SAFETY: as for `free`; the block was asked for with `asked(size)` bytes.
        unsafe { real::free_aligned_sized(block, alignment, asked(size)) };
    }
}

/// As C's `calloc`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    if !real::is_counting() {
        return early::calloc(count, size);
    }
    // An overflow is the real function's to refuse.
    let (bytes, is_overflow) = count.overflowing_mul(size);
    let block = if bytes < asked(0) && !is_overflow {
        // SAFETY: counting, so the function is known.
        unsafe { real::calloc(1, asked(0)) }
    } else {
        // SAFETY: as above.
        unsafe { real::calloc(count, size) }
    };
    books::allocated(block, bytes)
}

/// As C's `realloc`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if !real::is_counting() {
        return early::realloc(block, size);
    }
    if block.is_null() {
        // SAFETY: C says that this is the same.
        return unsafe { malloc(size) };
    }
    if arena::contains(block) {
        return early::leave_arena(block, size);
    }
    let before = books::suspended(block);
    let asked = if size == 0 { 0 } else { asked(size) };
    // SAFETY: counting, so the function is known; the caller passes a block of its allocator.
    let moved = unsafe { real::realloc(block, asked) };
    books::resumed(before, block, moved, size);
    moved
}

/// As `reallocarray`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn reallocarray(
    block: *mut c_void,
    count: usize,
    size: usize,
) -> *mut c_void {
    if !real::is_counting() && real::is_found() && !arena::contains(block) {
        // SAFETY: found, so the function is known; the caller passes a block of its allocator.
        return unsafe { real::reallocarray(block, count, size) };
    }
    let Some(bytes) = count.checked_mul(size) else { return stand_in::out_of_memory() };
    // SAFETY: C says that this is the same.
    unsafe { realloc(block, bytes) }
}

/// As `posix_memalign`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn posix_memalign(
    place: *mut *mut c_void,
    alignment: usize,
    size: usize,
) -> c_int {
    if !real::is_counting() {
        return early::posix_memalign(place, alignment, size);
    }
    // SAFETY: counting, so the function is known; `place` is the caller's.
    let error = unsafe { real::posix_memalign(place, alignment, asked(size)) };
    if error == 0 {
        // SAFETY: the real function wrote the block there.
        books::allocated(unsafe { place.read() }, size);
    }
    error
}

/// As `aligned_alloc`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    if !real::is_counting() {
        return early::aligned_alloc(alignment, size);
    }
    // SAFETY: counting, so the function is known.
    let block = unsafe { real::aligned_alloc(alignment, asked(size)) };
    books::allocated(block, size)
}

/// As `memalign`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    if !real::is_counting() {
        return early::memalign(alignment, size);
    }
    // SAFETY: counting, so the function is known.
    let block = unsafe { real::memalign(alignment, asked(size)) };
    books::allocated(block, size)
}

/// As `valloc`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn valloc(size: usize) -> *mut c_void {
    if !real::is_counting() {
        return early::valloc(size);
    }
    // SAFETY: counting, so the function is known.
    let block = unsafe { real::valloc(size) };
    books::allocated(block, size)
}

/// As `pvalloc`. Counted as asked, not as rounded up to whole pages.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn pvalloc(size: usize) -> *mut c_void {
    if !real::is_counting() {
        return early::pvalloc(size);
    }
    // SAFETY: counting, so the function is known.
    let block = unsafe { real::pvalloc(size) };
    books::allocated(block, size)
}
