//! Memory of our own, straight from the kernel: `mmap` and `malloc` are what this library replaces.

use core::ffi::{c_int, c_void};
use core::ptr::NonNull;

/// Zeroed pages that the kernel backs when they are touched, or `None` when it has none to give.
#[cold]
pub(crate) fn map(bytes: usize) -> Option<NonNull<c_void>> {
    // SAFETY: an anonymous mapping where the kernel chooses touches no memory of ours.
    let address = unsafe {
        libc::syscall(
            libc::SYS_mmap,
            0_usize,
            bytes,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE,
            -1,
            0_usize,
        )
    };
    if address == -1 {
        return None;
    }
    let errno = errno();
    let pages = core::ptr::with_exposed_provenance_mut::<c_void>(address.cast_unsigned() as usize);
    // Huge pages would back 2 MiB where one page is touched. A kernel without them refuses, which
    // is as good.
    // SAFETY: advice on the mapping that was just made.
    unsafe { libc::syscall(libc::SYS_madvise, pages, bytes, libc::MADV_NOHUGEPAGE) };
    // A hook that succeeds leaves no error behind.
    set_errno(errno);
    NonNull::new(pages)
}

/// Gives pages back.
#[cold]
pub(crate) fn unmap(pages: *mut c_void, bytes: usize) {
    // SAFETY: callers pass a mapping of their own that nobody else has seen.
    unsafe { libc::syscall(libc::SYS_munmap, pages, bytes) };
}

fn errno() -> c_int {
    // SAFETY: takes no argument and never fails.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: the thread's own `errno`.
    unsafe { place.read() }
}

/// Sets the thread's `errno`.
pub(crate) fn set_errno(value: c_int) {
    // SAFETY: takes no argument and never fails.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: the thread's own `errno`.
    unsafe { place.write(value) };
}
