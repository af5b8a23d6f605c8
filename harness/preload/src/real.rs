//! The functions that the hooks stand in front of.
//!
//! Looked up once, all together, on the first call of any hook, as the *next* definitions after
//! this library's: those of the C library, or of another allocator that is preloaded behind us.
//! From that call on nothing else is used, so no block is freed by an allocator that did not make
//! it.

use core::ffi::{CStr, c_int, c_void};
use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU8, Ordering};

use crate::{stand_in, symbols};

const UNKNOWN: u8 = 0;
const BEING_FOUND: u8 = 1;
const PASSING: u8 = 2;
const COUNTING: u8 = 3;

static STATE: AtomicU8 = AtomicU8::new(UNKNOWN);

/// True once the hooks count. The functions of this module may be called then.
#[inline(always)]
pub(crate) fn is_counting() -> bool {
    STATE.load(Ordering::Relaxed) == COUNTING
}

/// True when the functions of this module may be called, after looking them up if nobody has.
/// False during the lookup: for the allocations that it makes itself, and for other threads.
#[cold]
#[inline(never)]
pub(crate) fn is_found() -> bool {
    match STATE.compare_exchange(UNKNOWN, BEING_FOUND, Ordering::Acquire, Ordering::Acquire) {
        Ok(_) => {
            find_all();
            STATE.store(PASSING, Ordering::Release);
            true
        }
        Err(state) => state != BEING_FOUND,
    }
}

/// Has the hooks count from now on. Blocks that exist already stay unknown.
pub(crate) fn start_counting() {
    if is_found() {
        STATE.store(COUNTING, Ordering::Release);
    }
}

macro_rules! functions {
    ($($(#[$meta:meta])* $table:ident: $name:ident($($argument:ident: $type:ty),*) $(-> $result:ty)?, else $fallback:expr;)*) => {
        $(
            static $table: AtomicPtr<c_void> = AtomicPtr::new(ptr::null_mut());

            $(#[$meta])*
            ///
            /// # Safety
            ///
            /// As the C function; and [`is_counting`] or [`is_found`] has returned true.
            #[inline(always)]
            pub(crate) unsafe fn $name($($argument: $type),*) $(-> $result)? {
                let address = $table.load(Ordering::Relaxed);
                // SAFETY: the table entry was filled before the state became known, with the
                // address of a function of this type.
                let function = unsafe {
                    core::mem::transmute::<*mut c_void, unsafe extern "C" fn($($type),*) $(-> $result)?>(address)
                };
                // SAFETY: the caller's contract is that of the function.
                unsafe { function($($argument),*) }
            }
        )*

        #[cold]
        fn find_all() {
            $(
                let name = const { c_name(concat!(stringify!($name), "\0")) };
                let mut address = symbols::next(name);
                if address.is_null() {
                    address = $fallback;
                }
                $table.store(address, Ordering::Relaxed);
            )*
        }
    };
}

functions! {
    /// `malloc`.
    MALLOC: malloc(size: usize) -> *mut c_void, else symbols::plain::malloc();
    /// `free`.
    FREE: free(block: *mut c_void), else symbols::plain::free();
    /// `calloc`.
    CALLOC: calloc(count: usize, size: usize) -> *mut c_void, else symbols::plain::calloc();
    /// `realloc`.
    REALLOC: realloc(block: *mut c_void, size: usize) -> *mut c_void, else symbols::plain::realloc();
    /// `memalign`.
    MEMALIGN: memalign(alignment: usize, size: usize) -> *mut c_void, else symbols::plain::memalign();
    /// `posix_memalign`.
    POSIX_MEMALIGN: posix_memalign(place: *mut *mut c_void, alignment: usize, size: usize) -> c_int,
        else stand_in::posix_memalign as *mut c_void;
    /// `aligned_alloc`, since glibc 2.16.
    ALIGNED_ALLOC: aligned_alloc(alignment: usize, size: usize) -> *mut c_void,
        else MEMALIGN.load(Ordering::Relaxed);
    /// `valloc`.
    VALLOC: valloc(size: usize) -> *mut c_void, else stand_in::valloc as *mut c_void;
    /// `pvalloc`.
    PVALLOC: pvalloc(size: usize) -> *mut c_void, else stand_in::pvalloc as *mut c_void;
    /// `reallocarray`, since glibc 2.26.
    REALLOCARRAY: reallocarray(block: *mut c_void, count: usize, size: usize) -> *mut c_void,
        else stand_in::reallocarray as *mut c_void;
    /// `cfree`, until glibc 2.25.
    CFREE: cfree(block: *mut c_void), else FREE.load(Ordering::Relaxed);
    /// `free_sized`, of C23.
    FREE_SIZED: free_sized(block: *mut c_void, size: usize), else FREE.load(Ordering::Relaxed);
    /// `free_aligned_sized`, of C23.
    FREE_ALIGNED_SIZED: free_aligned_sized(block: *mut c_void, alignment: usize, size: usize),
        else FREE.load(Ordering::Relaxed);
}

const fn c_name(bytes: &str) -> &CStr {
    match CStr::from_bytes_with_nul(bytes.as_bytes()) {
        Ok(name) => name,
        Err(_) => panic!("a function name holds a zero byte"),
    }
}
