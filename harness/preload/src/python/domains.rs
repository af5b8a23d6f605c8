//! The allocators that stand in front of CPython's domains.
//!
//! In the domains `mem` and `obj`, small objects come from arenas that Python maps itself, and no hook
//! of `malloc` sees them; large ones and other configurations of Python pass the request on to
//! `malloc`. So that nothing counts twice:
//!
//! * After an allocation, a block that `malloc` has noted becomes Python's; otherwise it is new.
//! * Before a free or a resize, a block that is Python's comes off the books, and the hook of `free`
//!   then finds nothing to do. A block that is not Python's is older than these hooks and is left to
//!   it.
//!
//! A resize takes the old block off before the new one comes on, so that the peak never sees both.
//!
//! What Python's allocator takes from `malloc` for its own books comes by the `raw` domain, whose calls
//! are otherwise left to the hook of `malloc`: see [`for_pythons_books`](books::for_pythons_books).

use core::cell::UnsafeCell;
use core::ffi::c_void;

use crate::books;

/// `PyMemAllocatorEx` of the C API, the same since Python 3.5.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Allocator {
    pub(crate) context: *mut c_void,
    pub(crate) malloc: Malloc,
    pub(crate) calloc: Calloc,
    pub(crate) realloc: Realloc,
    pub(crate) free: Free,
}

pub(crate) type Malloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
pub(crate) type Calloc = unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void;
pub(crate) type Realloc = unsafe extern "C" fn(*mut c_void, *mut c_void, usize) -> *mut c_void;
pub(crate) type Free = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// What stood there before, written once, before the allocator that uses it is installed.
///
/// Static, and not reached by the context that Python passes, so that a thread which is in the middle
/// of a call during the installation meets nothing half-written.
struct Original(UnsafeCell<Allocator>);

// SAFETY: written before any reader exists, under the interpreter's lock.
unsafe impl Sync for Original {}

impl Original {
    const fn new() -> Self {
        Self(UnsafeCell::new(Allocator {
            context: core::ptr::null_mut(),
            malloc: no_malloc,
            calloc: no_calloc,
            realloc: no_realloc,
            free: no_free,
        }))
    }

    #[inline(always)]
    fn get(&self) -> &Allocator {
        // SAFETY: nothing writes to it any more once a function that calls this is installed.
        unsafe { &*self.0.get() }
    }
}

macro_rules! domain {
    ($name:ident) => {
        pub(crate) mod $name {
            use super::{Allocator, Original, books, c_void};

            static ORIGINAL: Original = Original::new();

            /// The allocator to install in front of `original`.
            ///
            /// # Safety
            ///
            /// Called once, before the result is installed.
            pub(crate) unsafe fn in_front_of(original: Allocator) -> Allocator {
                // SAFETY: nobody reads it before the installation.
                unsafe { ORIGINAL.0.get().write(original) };
                Allocator { context: original.context, malloc, calloc, realloc, free }
            }

            pub(crate) unsafe extern "C" fn malloc(_: *mut c_void, size: usize) -> *mut c_void {
                let original = ORIGINAL.get();
                // SAFETY: Python's call, passed on.
                let request = || unsafe { (original.malloc)(original.context, size) };
                let block = books::by_python(size, request);
                books::python_allocated(block, size)
            }

            unsafe extern "C" fn calloc(_: *mut c_void, count: usize, size: usize) -> *mut c_void {
                let original = ORIGINAL.get();
                let bytes = count.wrapping_mul(size);
                // SAFETY: Python's call, passed on.
                let request = || unsafe { (original.calloc)(original.context, count, size) };
                let block = books::by_python(bytes, request);
                books::python_allocated(block, bytes)
            }

            unsafe extern "C" fn realloc(
                _: *mut c_void,
                block: *mut c_void,
                size: usize,
            ) -> *mut c_void {
                let original = ORIGINAL.get();
                let before = books::python_freed(block);
                // SAFETY: Python's call, passed on.
                let request = || unsafe { (original.realloc)(original.context, block, size) };
                // What `malloc` made before these hooks came is the program's, not the books'.
                let moved = match before {
                    None if books::is_native(block) => request(),
                    _ => books::by_python(size, request),
                };
                match before {
                    Some(before) if moved.is_null() => books::python_kept(block, before),
                    _ => books::python_allocated(moved, size),
                }
            }

            unsafe extern "C" fn free(_: *mut c_void, block: *mut c_void) {
                let original = ORIGINAL.get();
                books::python_freed(block);
                // SAFETY: Python's call, passed on.
                unsafe { (original.free)(original.context, block) }
            }
        }
    };
}

domain!(mem);
domain!(obj);

/// Knows the books of Python's allocator from the program's blocks, and counts nothing.
pub(crate) mod raw {
    use super::{Allocator, Original, books, c_void};

    static ORIGINAL: Original = Original::new();

    /// As in the other domains.
    ///
    /// # Safety
    ///
    /// Called once, before the result is installed.
    pub(crate) unsafe fn in_front_of(original: Allocator) -> Allocator {
        // SAFETY: nobody reads it before the installation.
        unsafe { ORIGINAL.0.get().write(original) };
        Allocator { malloc, calloc, realloc, ..original }
    }

    unsafe extern "C" fn malloc(_: *mut c_void, size: usize) -> *mut c_void {
        let original = ORIGINAL.get();
        // SAFETY: Python's call, passed on.
        books::for_pythons_books(|| unsafe { (original.malloc)(original.context, size) })
    }

    unsafe extern "C" fn calloc(_: *mut c_void, count: usize, size: usize) -> *mut c_void {
        let original = ORIGINAL.get();
        // SAFETY: Python's call, passed on.
        books::for_pythons_books(|| unsafe { (original.calloc)(original.context, count, size) })
    }

    unsafe extern "C" fn realloc(_: *mut c_void, block: *mut c_void, size: usize) -> *mut c_void {
        let original = ORIGINAL.get();
        // SAFETY: Python's call, passed on.
        books::for_pythons_books(|| unsafe { (original.realloc)(original.context, block, size) })
    }
}

unsafe extern "C" fn no_malloc(_: *mut c_void, _: usize) -> *mut c_void {
    core::ptr::null_mut()
}

unsafe extern "C" fn no_calloc(_: *mut c_void, _: usize, _: usize) -> *mut c_void {
    core::ptr::null_mut()
}

unsafe extern "C" fn no_realloc(_: *mut c_void, _: *mut c_void, _: usize) -> *mut c_void {
    core::ptr::null_mut()
}

unsafe extern "C" fn no_free(_: *mut c_void, _: *mut c_void) {}
