//! A reading of all counters.

use core::ffi::c_int;
use highwater_tracker::{Counter, Reading};

use crate::python::{self, tally};
use crate::tls::ThreadSlot;
use crate::{books, mappings, real};

/// `highwater_reading` of the C interface. Bytes and blocks of the UDF's account unless said
/// otherwise; requested bytes, not what an allocator rounds them to.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReadingOut {
    /// Bytes allocated and not freed.
    pub(crate) live: i64,
    /// Blocks allocated and not freed.
    pub(crate) blocks: i64,
    /// Highest `live` since the previous reading or mark.
    pub(crate) peak_window: i64,
    /// Highest `live` of the run.
    pub(crate) peak_run: i64,
    /// Allocations since counting began.
    pub(crate) allocations: i64,
    /// Bytes of those allocations.
    pub(crate) allocated: i64,
    /// The harness's live bytes.
    pub(crate) harness_live: i64,
    /// The harness's live blocks.
    pub(crate) harness_blocks: i64,
    /// Bytes in anonymous mappings that the process made itself, whoever made them.
    pub(crate) mapped: i64,
    /// The part of `live` that Python's `mem` and `obj` domains handed out since the attachment.
    pub(crate) python_live: i64,
    /// Blocks of `python_live`.
    pub(crate) python_blocks: i64,
    /// The rest of `live`.
    pub(crate) native_live: i64,
    /// How far `peak_window` may be off.
    pub(crate) peak_error_bound: i64,
    /// Events that could not be counted. Unless it is 0, every figure is wrong.
    pub(crate) lost: i64,
    /// Blocks that died unseen and were taken off the books later.
    pub(crate) healed: i64,
    /// Zero.
    pub(crate) reserved: [i64; 5],
}

/// All counters at one moment.
pub(super) struct Totals {
    pub(super) reading: Reading,
    pub(super) python: tally::PythonFigures,
    pub(super) mapped_bytes: i64,
}

impl Totals {
    /// Starts a new peak window.
    pub(super) fn read() -> Self {
        python::check();
        let mut reading = Counter::<ThreadSlot>::read();
        reading.lost_events += books::lost();
        Self { reading, python: tally::read(), mapped_bytes: mappings::mapped_bytes() }
    }

    /// What is left of the live bytes when Python's are taken away.
    pub(super) fn native_bytes(&self) -> i64 {
        self.reading.udf.live_bytes - self.python.live_bytes
    }
}

/// The UDF's live bytes, and nothing else: the peak window goes on. [`i64::MIN`] when the hooks do
/// not count.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn highwater_live() -> i64 {
    match real::is_counting() {
        true => Counter::<ThreadSlot>::live_bytes(),
        false => i64::MIN,
    }
}

/// Reads all counters and starts a new peak window.
///
/// # Safety
///
/// `out` is null or a place for a reading.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn highwater_read(out: *mut ReadingOut) -> c_int {
    if out.is_null() {
        return -libc::EINVAL;
    }
    if !real::is_counting() {
        return -libc::ENOTSUP;
    }
    let totals = Totals::read();
    let Reading { udf, harness, peak_error_bound_bytes, lost_events, .. } = totals.reading;
    let reading = ReadingOut {
        live: udf.live_bytes,
        blocks: udf.live_blocks,
        peak_window: udf.peak_bytes,
        peak_run: udf.run_peak_bytes,
        allocations: udf.allocations.cast_signed(),
        allocated: udf.allocated_bytes.cast_signed(),
        harness_live: harness.live_bytes,
        harness_blocks: harness.live_blocks,
        mapped: totals.mapped_bytes,
        python_live: totals.python.live_bytes,
        python_blocks: totals.python.live_blocks,
        native_live: totals.native_bytes(),
        peak_error_bound: peak_error_bound_bytes,
        lost: lost_events.cast_signed(),
        healed: books::healed().cast_signed(),
        reserved: [0; 5],
    };
    // SAFETY: the caller passes a place for it.
    unsafe { out.write(reading) };
    0
}
