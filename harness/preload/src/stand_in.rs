//! What older C libraries lack, built from what they have.

use core::ffi::{c_int, c_void};
use core::ptr;

use crate::{pages, real};

const PAGE_BYTES: usize = 4096;

/// `posix_memalign` over `memalign`.
pub(crate) unsafe extern "C" fn posix_memalign(
    place: *mut *mut c_void,
    alignment: usize,
    size: usize,
) -> c_int {
    if !alignment.is_power_of_two() || !alignment.is_multiple_of(size_of::<usize>()) {
        return libc::EINVAL;
    }
    // SAFETY: stand-ins are called through `real`, whose functions are known by then.
    let block = unsafe { real::memalign(alignment, size) };
    if block.is_null() {
        return libc::ENOMEM;
    }
    // SAFETY: the caller passes a place to write to, as for the C function.
    unsafe { place.write(block) };
    0
}

/// `valloc` over `memalign`.
pub(crate) unsafe extern "C" fn valloc(size: usize) -> *mut c_void {
    // SAFETY: stand-ins are called through `real`, whose functions are known by then.
    unsafe { real::memalign(PAGE_BYTES, size) }
}

/// `pvalloc` over `memalign`.
pub(crate) unsafe extern "C" fn pvalloc(size: usize) -> *mut c_void {
    let Some(size) = size.checked_next_multiple_of(PAGE_BYTES) else {
        return out_of_memory();
    };
    // SAFETY: stand-ins are called through `real`, whose functions are known by then.
    unsafe { real::memalign(PAGE_BYTES, size) }
}

/// `reallocarray` over `realloc`.
pub(crate) unsafe extern "C" fn reallocarray(
    block: *mut c_void,
    count: usize,
    size: usize,
) -> *mut c_void {
    let Some(size) = count.checked_mul(size) else { return out_of_memory() };
    // SAFETY: as for the C function, whose contract `realloc` shares.
    unsafe { real::realloc(block, size) }
}

/// Null, with `errno` set.
#[cold]
pub(crate) fn out_of_memory() -> *mut c_void {
    pages::set_errno(libc::ENOMEM);
    ptr::null_mut()
}
