//! The C library's functions that newer C libraries version anew, bound to their oldest version.
//!
//! A library linked on Debian 12 asks for `dlsym@GLIBC_2.34` and is refused by every older C
//! library, though the old version is still there. The assembler's `.symver` asks for that one, for
//! the whole library, since it is compiled in one piece. The references are weak: before 2.34 these
//! functions live in libraries of their own, which a shell that stands between us and Python may
//! not have. Such a process is left alone.

use core::arch::{asm, global_asm};
use core::ffi::{CStr, c_char, c_void};
use core::ptr;

#[cfg(not(all(target_arch = "x86_64", target_os = "linux", target_env = "gnu")))]
compile_error!("highwater-preload is written for x86-64 Linux with the GNU C library");

global_asm!(
    ".weak dlsym",
    ".symver dlsym, dlsym@GLIBC_2.2.5",
    ".weak pthread_key_create",
    ".symver pthread_key_create, pthread_key_create@GLIBC_2.2.5",
    ".weak pthread_key_delete",
    ".symver pthread_key_delete, pthread_key_delete@GLIBC_2.2.5",
    ".weak pthread_setspecific",
    ".symver pthread_setspecific, pthread_setspecific@GLIBC_2.2.5",
    ".weak __libc_malloc",
    ".weak __libc_free",
    ".weak __libc_calloc",
    ".weak __libc_realloc",
    ".weak __libc_memalign",
);

/// Address of a weak symbol, null when the process does not have it. Written in assembler because
/// Rust takes the address of a function to be never null.
macro_rules! weak_address {
    ($name:literal) => {{
        let address: *mut c_void;
        // SAFETY: reads a word of this library's own offset table.
        unsafe {
            asm!(
                concat!("mov {0}, qword ptr [rip + ", $name, "@GOTPCREL]"),
                out(reg) address,
                options(pure, readonly, nostack, preserves_flags),
            );
        }
        address
    }};
}

/// True when the process can be counted: symbols can be looked up and threads noticed.
pub(crate) fn are_complete() -> bool {
    !weak_address!("dlsym").is_null() && !weak_address!("pthread_key_create").is_null()
}

/// The definition of `name` that would be used if this library were not there, or null.
pub(crate) fn next(name: &CStr) -> *mut c_void {
    lookup(libc::RTLD_NEXT, name)
}

/// The first definition of `name` in the process, or null.
pub(crate) fn any(name: &CStr) -> *mut c_void {
    lookup(libc::RTLD_DEFAULT, name)
}

fn lookup(scope: *mut c_void, name: &CStr) -> *mut c_void {
    let address = weak_address!("dlsym");
    if address.is_null() {
        return ptr::null_mut();
    }
    type Dlsym = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
    // SAFETY: the symbol `dlsym` has this type.
    let dlsym = unsafe { core::mem::transmute::<*mut c_void, Dlsym>(address) };
    // SAFETY: `scope` is one of the two pseudo-handles, `name` a C string.
    unsafe { dlsym(scope, name.as_ptr()) }
}

/// The C library's own allocator, for a process that cannot look symbols up.
pub(crate) mod plain {
    use super::{asm, c_void};

    pub(crate) fn malloc() -> *mut c_void {
        weak_address!("__libc_malloc")
    }

    pub(crate) fn free() -> *mut c_void {
        weak_address!("__libc_free")
    }

    pub(crate) fn calloc() -> *mut c_void {
        weak_address!("__libc_calloc")
    }

    pub(crate) fn realloc() -> *mut c_void {
        weak_address!("__libc_realloc")
    }

    pub(crate) fn memalign() -> *mut c_void {
        weak_address!("__libc_memalign")
    }
}
