//! Finding the interpreter and putting the domains' allocators in place.

use core::ffi::{CStr, c_char, c_int, c_void};
use core::mem::MaybeUninit;
use core::sync::atomic::{AtomicBool, Ordering};
use highwater_tracker::Counter;

use super::domains::{self, Allocator};
use super::tally;
use crate::tls::ThreadSlot;
use crate::{books, real, symbols};

/// Why Python's objects cannot be counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Refusal {
    /// The hooks pass everything on: `HIGHWATER_PRELOAD` was not set when the process started.
    NotCounting,
    /// No CPython in this process, or not one whose C API can be found.
    NoInterpreter,
    /// It is not running yet, or no longer.
    NotInitialised,
    /// Not one of the versions that this was tried on.
    UnknownVersion,
    /// Built without the global interpreter lock: its objects have an allocator of their own.
    FreeThreaded,
    /// Something stands in front of its allocators already: debug hooks, `tracemalloc`.
    Wrapped,
    /// A block of known size was not counted right afterwards.
    Miscounted,
}

/// Minor versions of CPython 3 that this was tried on.
const FIRST_MINOR: u32 = 9;
const LAST_MINOR: u32 = 14;

/// `PYMEM_DOMAIN_RAW`, `PYMEM_DOMAIN_MEM` and `PYMEM_DOMAIN_OBJ`.
const RAW: c_int = 0;
const MEM: c_int = 1;
const OBJ: c_int = 2;

static IS_ATTACHED: AtomicBool = AtomicBool::new(false);

/// The C API that is needed.
struct Interpreter {
    ensure: unsafe extern "C" fn() -> c_int,
    release: unsafe extern "C" fn(c_int),
    get: unsafe extern "C" fn(c_int, *mut Allocator),
    set: unsafe extern "C" fn(c_int, *mut Allocator),
    allocate: [unsafe extern "C" fn(usize) -> *mut c_void; 2],
    free: [unsafe extern "C" fn(*mut c_void); 2],
}

/// Has Python's `mem` and `obj` domains counted from now on. Does nothing the second time.
pub(crate) fn attach() -> Result<(), Refusal> {
    if !real::is_counting() {
        return Err(Refusal::NotCounting);
    }
    let python = Interpreter::find()?;
    // SAFETY: the interpreter runs; a thread may ask for its lock at any time, held or not.
    let state = unsafe { (python.ensure)() };
    let outcome = python.install();
    // SAFETY: pairs with the call above.
    unsafe { (python.release)(state) };
    outcome
}

/// Counts as lost what happened if somebody has replaced the allocators that [`attach`] installed.
pub(crate) fn check() {
    if !IS_ATTACHED.load(Ordering::Relaxed) {
        return;
    }
    // What wraps an allocator has a context; what replaces it has none.
    let is_ours = Interpreter::find().is_ok_and(|python| {
        let (mem, obj) = (python.allocator(MEM), python.allocator(OBJ));
        is_behind(mem, domains::mem::malloc) && is_behind(obj, domains::obj::malloc)
    });
    if !is_ours {
        books::lose();
    }
}

fn is_behind(installed: Allocator, ours: domains::Malloc) -> bool {
    core::ptr::fn_addr_eq(installed.malloc, ours) || !installed.context.is_null()
}

impl Interpreter {
    fn find() -> Result<Self, Refusal> {
        let version = symbols::any(c"Py_GetVersion");
        let is_running = symbols::any(c"Py_IsInitialized");
        if version.is_null() || is_running.is_null() {
            return Err(Refusal::NoInterpreter);
        }
        // SAFETY: the type of `Py_IsInitialized`.
        let is_running = unsafe {
            core::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(is_running)
        };
        // SAFETY: may be called at any time.
        if unsafe { is_running() } == 0 {
            return Err(Refusal::NotInitialised);
        }
        // SAFETY: the type of `Py_GetVersion`.
        let version = unsafe {
            core::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> *const c_char>(version)
        };
        // SAFETY: may be called at any time.
        let version = unsafe { version() };
        // SAFETY: a static C string.
        check_version(unsafe { CStr::from_ptr(version) }.to_bytes())?;
        Self::look_up()
    }

    fn look_up() -> Result<Self, Refusal> {
        let find = |name| match symbols::any(name) {
            address if address.is_null() => Err(Refusal::NoInterpreter),
            address => Ok(address),
        };
        let ensure = find(c"PyGILState_Ensure")?;
        let release = find(c"PyGILState_Release")?;
        let get = find(c"PyMem_GetAllocator")?;
        let set = find(c"PyMem_SetAllocator")?;
        let allocate = [find(c"PyMem_Malloc")?, find(c"PyObject_Malloc")?];
        let free = [find(c"PyMem_Free")?, find(c"PyObject_Free")?];
        Ok(Self {
            // SAFETY: the types that the C API gives these functions, from here to the last.
            ensure: unsafe {
                core::mem::transmute::<*mut c_void, unsafe extern "C" fn() -> c_int>(ensure)
            },
            // SAFETY: see above.
            release: unsafe {
                core::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int)>(release)
            },
            // SAFETY: see above.
            get: unsafe {
                core::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int, *mut Allocator)>(
                    get,
                )
            },
            // SAFETY: see above.
            set: unsafe {
                core::mem::transmute::<*mut c_void, unsafe extern "C" fn(c_int, *mut Allocator)>(
                    set,
                )
            },
            // SAFETY: see above.
            allocate: allocate.map(|address| unsafe {
                core::mem::transmute::<*mut c_void, unsafe extern "C" fn(usize) -> *mut c_void>(
                    address,
                )
            }),
            // SAFETY: see above.
            free: free.map(|address| unsafe {
                core::mem::transmute::<*mut c_void, unsafe extern "C" fn(*mut c_void)>(address)
            }),
        })
    }

    /// With the interpreter's lock held.
    fn install(&self) -> Result<(), Refusal> {
        if IS_ATTACHED.load(Ordering::Relaxed) {
            return self.prove();
        }
        let [raw, mem, obj] = [RAW, MEM, OBJ].map(|domain| self.allocator(domain));
        // Python's own allocators have no context. Those that do wrap others and change sizes.
        if [raw, mem, obj].iter().any(|domain| !domain.context.is_null()) {
            return Err(Refusal::Wrapped);
        }
        IS_ATTACHED.store(true, Ordering::Relaxed);
        // SAFETY: as below. Other threads may use this domain now: neither its context changes nor
        // what its functions do.
        self.replace(RAW, unsafe { domains::raw::in_front_of(raw) });
        // SAFETY: once per process, guarded by the flag under the lock, and installed just below.
        self.replace(MEM, unsafe { domains::mem::in_front_of(mem) });
        // SAFETY: as above.
        self.replace(OBJ, unsafe { domains::obj::in_front_of(obj) });
        self.prove()
    }

    fn allocator(&self, domain: c_int) -> Allocator {
        let mut allocator = MaybeUninit::uninit();
        // SAFETY: `domain` is one of the two, and the place is big enough.
        unsafe { (self.get)(domain, allocator.as_mut_ptr()) };
        // SAFETY: the call filled it; every allocator of Python has all four functions.
        unsafe { allocator.assume_init() }
    }

    fn replace(&self, domain: c_int, mut allocator: Allocator) {
        // SAFETY: the interpreter's lock is held, and the new allocator passes every call on to the
        // one that made the existing blocks.
        unsafe { (self.set)(domain, &raw mut allocator) };
    }

    /// Small and large blocks through both domains move the counters by what they hold.
    fn prove(&self) -> Result<(), Refusal> {
        for (allocate, free) in self.allocate.into_iter().zip(self.free) {
            for size in [1, 24, 100, 512, 513, 70_000] {
                let before = position();
                // SAFETY: the interpreter's lock is held.
                let block = unsafe { allocate(size) };
                let during = position();
                // SAFETY: null, or the block that was just allocated.
                unsafe { free(block) };
                let size = size as i64;
                if during != [before[0] + size, before[1] + size, before[2] + 1]
                    || position() != before
                {
                    return Err(Refusal::Miscounted);
                }
            }
        }
        Ok(())
    }
}

/// Live bytes of this thread's account, Python's bytes, Python's blocks.
fn position() -> [i64; 3] {
    let own = Counter::<ThreadSlot>::own_position().map_or(0, |position| position.live_bytes);
    let python = tally::own(crate::tls::account());
    [own, python.live_bytes, python.live_blocks]
}

/// Refuses what is not `3.<minor>.…` of a known minor, and builds without the lock.
fn check_version(version: &[u8]) -> Result<(), Refusal> {
    if version.windows(14).any(|part| part == b"free-threading") {
        return Err(Refusal::FreeThreaded);
    }
    let minor = version
        .strip_prefix(b"3.")
        .and_then(|rest| rest.split(|byte| !byte.is_ascii_digit()).next())
        .and_then(|digits| core::str::from_utf8(digits).ok()?.parse().ok());
    match minor {
        Some(FIRST_MINOR..=LAST_MINOR) => Ok(()),
        _ => Err(Refusal::UnknownVersion),
    }
}
