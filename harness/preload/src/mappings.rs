//! The memory mapping functions, as programs see them.
//!
//! Anonymous mappings are counted apart and never as heap: an allocator reserves a gigabyte of them
//! and uses none. The C library's own (large blocks, thread stacks) do not come by these functions.

use core::ffi::{c_int, c_long, c_void};
use core::sync::atomic::{AtomicI64, Ordering};

use crate::{page_map, real};

static MAPPED: AtomicI64 = AtomicI64::new(0);

/// Bytes in anonymous mappings that exist now.
pub(crate) fn mapped_bytes() -> i64 {
    MAPPED.load(Ordering::Relaxed)
}

/// As the C library's `mmap`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mmap(
    address: *mut c_void,
    bytes: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: libc::off_t,
) -> *mut c_void {
    // SAFETY: the caller's call, passed on.
    let result = unsafe {
        libc::syscall(
            libc::SYS_mmap,
            address,
            bytes,
            c_long::from(protection),
            c_long::from(flags),
            c_long::from(file),
            offset,
        )
    };
    let mapping = pointer(result);
    if real::is_counting() && mapping != libc::MAP_FAILED {
        match flags & libc::MAP_ANONYMOUS {
            // A file may lie over what was there.
            0 => shrink(mapping, bytes),
            _ => grow(mapping, bytes),
        };
    }
    mapping
}

/// As the C library's `mmap64`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mmap64(
    address: *mut c_void,
    bytes: usize,
    protection: c_int,
    flags: c_int,
    file: c_int,
    offset: libc::off64_t,
) -> *mut c_void {
    // SAFETY: the same function, under the name for 32-bit programs.
    unsafe { mmap(address, bytes, protection, flags, file, offset) }
}

/// As the C library's `munmap`.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn munmap(address: *mut c_void, bytes: usize) -> c_int {
    // Before the call: afterwards another thread may have mapped the same pages.
    let shrunk = if real::is_counting() { shrink(address, bytes) } else { 0 };
    // SAFETY: the caller's call, passed on.
    let result = unsafe { libc::syscall(libc::SYS_munmap, address, bytes) };
    if result != 0 && shrunk != 0 {
        grow(address, bytes);
    }
    result as c_int
}

/// As the C library's `mremap`, whose last argument is there with some flags only.
///
/// # Safety
///
/// As in C.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn mremap(
    address: *mut c_void,
    old_bytes: usize,
    new_bytes: usize,
    flags: c_int,
    new_address: *mut c_void,
) -> *mut c_void {
    let shrunk = if real::is_counting() { shrink(address, old_bytes) } else { 0 };
    let target = match flags & (libc::MREMAP_FIXED | libc::MREMAP_DONTUNMAP) {
        0 => core::ptr::null_mut(),
        _ => new_address,
    };
    // SAFETY: the caller's call, passed on.
    let result = unsafe {
        libc::syscall(libc::SYS_mremap, address, old_bytes, new_bytes, c_long::from(flags), target)
    };
    let moved = pointer(result);
    if shrunk != 0 {
        if moved == libc::MAP_FAILED || flags & libc::MREMAP_DONTUNMAP != 0 {
            grow(address, old_bytes);
        }
        if moved != libc::MAP_FAILED {
            grow(moved, new_bytes);
        }
    }
    moved
}

/// Returns the bytes that were not anonymous before.
fn grow(start: *mut c_void, bytes: usize) -> usize {
    if bytes > page_map::LONGEST_BYTES {
        return 0;
    }
    let grown = page_map::insert(start.addr(), bytes);
    MAPPED.fetch_add(grown as i64, Ordering::Relaxed);
    grown
}

/// Returns the bytes that were anonymous before.
fn shrink(start: *mut c_void, bytes: usize) -> usize {
    if bytes > page_map::LONGEST_BYTES {
        return 0;
    }
    let shrunk = page_map::remove(start.addr(), bytes);
    MAPPED.fetch_sub(shrunk as i64, Ordering::Relaxed);
    shrunk
}

fn pointer(result: c_long) -> *mut c_void {
    core::ptr::with_exposed_provenance_mut(result.cast_unsigned() as usize)
}
