//! The C functions that the worker calls, by `ctypes` or the like.
//!
//! All are safe to call from any thread at any time, except where noted. Those that return an `int`
//! return 0 when all is well and a negative number otherwise:
//!
//! | function | negative results |
//! |---|---|
//! | `highwater_canary` | see [`canary`] |
//! | `highwater_python_attach` | see [`highwater_python_attach`] |
//! | the others | `-errno` of the failed system call, or one of the below |
//!
//! | number | meaning |
//! |---|---|
//! | `-EINVAL` (-22) | a null pointer, or a number out of its range |
//! | `-EILSEQ` (-84) | a text is not UTF-8 |
//! | `-E2BIG` (-7) | a text is longer than the record has room for |
//! | `-EBADF` (-9) | no record was made |
//! | `-EEXIST` (-17) | a record was made before, or the file exists |
//! | `-ECHILD` (-10) | the caller is a forked child of the worker; nothing was written |
//! | `-EBUSY` (-16) | another thread is in one of the record's functions |
//! | `-ENOSPC` (-28) | the record is full and cannot grow |
//! | `-ENOTSUP` (-95) | the hooks do not count: `HIGHWATER_PRELOAD` was not set |

mod canary;
mod marks;
mod readings;

use core::ffi::{CStr, c_char, c_int};
use highwater_tracker::{Account, Counter};

use crate::python::{self, Refusal};
use crate::tls::ThreadSlot;
use crate::{environment, real};

/// Version of this interface. A caller that knows another one must not go on.
const ABI: u32 = 1;

const VERSION: &CStr =
    match CStr::from_bytes_with_nul(concat!(env!("CARGO_PKG_VERSION"), "\0").as_bytes()) {
        Ok(version) => version,
        Err(_) => panic!("the version holds a zero byte"),
    };

/// Version of the C interface, 1.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn highwater_abi() -> u32 {
    ABI
}

/// Version of the library, a static C string.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn highwater_version() -> *const c_char {
    VERSION.as_ptr()
}

/// Allocates and frees known sizes through the process's `malloc` and its like, and checks that the
/// counters follow. The numbers are those of [`canary::Fault`].
#[unsafe(no_mangle)]
pub(crate) extern "C" fn highwater_canary() -> c_int {
    let outcome = canary::check();
    marks::note_canary(outcome);
    match outcome {
        Ok(()) => 0,
        Err(fault) => fault.code(),
    }
}

/// Counts the objects of the process's CPython from now on. Calling it again only checks it.
///
/// Also takes the library out of the environment of child processes.
///
/// | result | meaning |
/// |---|---|
/// | 0 | attached, and counts right |
/// | -1 | the hooks do not count: `HIGHWATER_PRELOAD` was not set |
/// | -2 | no CPython in this process |
/// | -3 | it is not running |
/// | -4 | not CPython 3.9 to 3.14 |
/// | -5 | a free-threaded build |
/// | -6 | debug hooks or `tracemalloc` stand in front of its allocators |
/// | -7 | attached, but counts wrong |
#[unsafe(no_mangle)]
pub(crate) extern "C" fn highwater_python_attach() -> c_int {
    let outcome = python::attach();
    if real::is_counting() {
        environment::leave();
    }
    match outcome {
        Ok(()) => 0,
        Err(Refusal::NotCounting) => -1,
        Err(Refusal::NoInterpreter) => -2,
        Err(Refusal::NotInitialised) => -3,
        Err(Refusal::UnknownVersion) => -4,
        Err(Refusal::FreeThreaded) => -5,
        Err(Refusal::Wrapped) => -6,
        Err(Refusal::Miscounted) => -7,
    }
}

/// Has the calling thread allocate for the UDF (0) or for the harness (1) from now on, and returns
/// for whom it did before. Threads begin with 0. Other numbers change nothing.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn highwater_section(account: c_int) -> c_int {
    let wanted = match account {
        0 => Account::Udf,
        1 => Account::Harness,
        _ => return -libc::EINVAL,
    };
    match Counter::<ThreadSlot>::switch(wanted) {
        Account::Udf => 0,
        Account::Harness => 1,
    }
}
