//! What child processes inherit: nothing of ours.

use core::ffi::{CStr, c_char, c_int, c_void};

use crate::start::SWITCH;
use crate::symbols;

const PRELOAD: &CStr = c"LD_PRELOAD";

/// Takes this library out of the environment that child processes get. Other libraries that are
/// preloaded stay.
///
/// Not thread-safe, as nothing is that changes the environment; called once, while the worker gets
/// ready. Python keeps a copy of its own (`os.environ`), which is the runner's to clean.
pub(crate) fn leave() {
    // SAFETY: the name is a C string.
    let value = unsafe { libc::getenv(PRELOAD.as_ptr()) };
    if let (false, Some(own)) = (value.is_null(), own_path()) {
        // In place: what is left is never longer.
        remove(value, own.to_bytes());
        // SAFETY: still the C string of the environment.
        if unsafe { CStr::from_ptr(value) }.is_empty() {
            // SAFETY: the name is a C string.
            unsafe { libc::unsetenv(PRELOAD.as_ptr()) };
        }
    }
    // SAFETY: the name is a C string.
    unsafe { libc::unsetenv(SWITCH.as_ptr()) };
}

/// Removes `own` from a list of paths that are separated by colons or spaces.
fn remove(list: *mut c_char, own: &[u8]) {
    // SAFETY: a C string.
    let length = unsafe { CStr::from_ptr(list) }.count_bytes();
    // SAFETY: as long as was just measured; the environment is changed by this thread alone.
    let list = unsafe { core::slice::from_raw_parts_mut(list.cast::<u8>(), length) };
    let mut kept = 0;
    let mut at = 0;
    while at < length {
        let end = list[at..].iter().position(is_separator).map_or(length, |offset| at + offset);
        if at < end && list[at..end] != *own {
            if kept > 0 {
                list[kept] = b':';
                kept += 1;
            }
            list.copy_within(at..end, kept);
            kept += end - at;
        }
        at = end + 1;
    }
    if let Some(end) = list.get_mut(kept) {
        *end = 0;
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "a predicate for `Iterator::position`")]
fn is_separator(byte: &u8) -> bool {
    matches!(byte, b':' | b' ')
}

/// This library's path, as the dynamic linker was given it.
fn own_path() -> Option<&'static CStr> {
    type Dladdr = unsafe extern "C" fn(*const c_void, *mut libc::Dl_info) -> c_int;
    let address = symbols::any(c"dladdr");
    if address.is_null() {
        return None;
    }
    // SAFETY: the symbol `dladdr` has this type.
    let dladdr = unsafe { core::mem::transmute::<*mut c_void, Dladdr>(address) };
    let mut info = core::mem::MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: the place is big enough; any address may be asked for.
    let is_found =
        unsafe { dladdr((&raw const crate::start::CONSTRUCTOR).cast(), info.as_mut_ptr()) };
    // SAFETY: zeroed is valid for this structure of pointers, and the call may have filled it.
    let info = unsafe { info.assume_init() };
    if is_found == 0 || info.dli_fname.is_null() {
        return None;
    }
    // SAFETY: the dynamic linker's own C string, which lives as long as the library.
    Some(unsafe { CStr::from_ptr(info.dli_fname) })
}
