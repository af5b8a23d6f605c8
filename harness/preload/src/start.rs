//! When counting begins.

use core::ffi::{CStr, c_char, c_int};

use crate::{real, symbols};

/// Name of the environment variable that asks for counting. Its value does not matter.
pub(crate) const SWITCH: &CStr = c"HIGHWATER_PRELOAD";

/// The dynamic linker calls this when the process starts, before `main`: in the worker, and in every
/// shell and wrapper that stands between it and the harness. It says and writes nothing.
#[used]
#[unsafe(link_section = ".init_array")]
pub(crate) static CONSTRUCTOR: extern "C" fn(c_int, *const *const c_char, *const *const c_char) =
    start;

extern "C" fn start(_: c_int, _: *const *const c_char, environment: *const *const c_char) {
    // Without these a thread's exit goes unnoticed. Only programs without threads lack them, on old
    // C libraries; an interpreter does not.
    if symbols::are_complete() && is_asked_for(environment) {
        real::start_counting();
    }
}

/// Not by `getenv`, whose state the C library may not have set up yet.
fn is_asked_for(environment: *const *const c_char) -> bool {
    let mut at = environment;
    loop {
        // SAFETY: the array of the environment ends with a null pointer.
        let Some(entry) = (unsafe { at.as_ref() }).filter(|entry| !entry.is_null()) else {
            return false;
        };
        // SAFETY: each entry before the end is a C string.
        let entry = unsafe { CStr::from_ptr(*entry) }.to_bytes();
        if entry.strip_prefix(SWITCH.to_bytes()).is_some_and(|rest| rest.first() == Some(&b'=')) {
            return true;
        }
        at = at.wrapping_add(1);
    }
}
