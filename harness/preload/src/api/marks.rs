//! The record and its marks.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicBool, AtomicI64, Ordering};
use highwater_tracker::proc::{self, StatusError};
use highwater_tracker::record::{
    CanaryOutcome, Mark, MarkKind, Opening, Runtime, Stage, WriteError, Writer,
};

use super::canary::{CANARY_BYTES, Fault};
use super::readings::Totals;
use crate::{environment, real};

/// `highwater_extra` of the C interface: what the caller knows about the step before a mark.
/// [`ABSENT`] where it does not.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub(crate) struct Extra {
    /// Arrow's own count of live bytes.
    pub(crate) arrow_live: i64,
    /// Highest bytes of Arrow's pool.
    pub(crate) arrow_max: i64,
    /// Live bytes before the collection that precedes the mark.
    pub(crate) live_before_collect: i64,
    /// Python's own count of blocks.
    pub(crate) python_blocks: i64,
    /// Bytes of the batch that was handed over.
    pub(crate) input_bytes: i64,
    /// Bytes of what came back.
    pub(crate) output_bytes: i64,
    /// Bytes of what came back, pickled.
    pub(crate) pickled_bytes: i64,
    /// How long the step took, in nanoseconds.
    pub(crate) duration_ns: i64,
    /// Bytes of the UDF, pickled.
    pub(crate) pickled_state_bytes: i64,
    /// Not read.
    pub(crate) reserved: [i64; 7],
}

/// No value.
const ABSENT: i64 = i64::MIN;

/// The process's record. Who holds the flag has the writer to itself; nobody waits for it.
struct Desk {
    is_taken: AtomicBool,
    writer: UnsafeCell<Option<Writer>>,
}

// SAFETY: `writer` is touched by the holder of the flag alone.
unsafe impl Sync for Desk {}

static DESK: Desk = Desk { is_taken: AtomicBool::new(false), writer: UnsafeCell::new(None) };

/// Bytes that the last canary counted, to be noted in a record that is made later.
static CANARY: AtomicI64 = AtomicI64::new(ABSENT);

impl Desk {
    fn with(&self, work: impl FnOnce(&mut Option<Writer>) -> Result<(), c_int>) -> c_int {
        if self.is_taken.swap(true, Ordering::Acquire) {
            return -libc::EBUSY;
        }
        // SAFETY: this call has the flag, so no other reference exists.
        let writer = unsafe { &mut *self.writer.get() };
        let outcome = work(writer);
        self.is_taken.store(false, Ordering::Release);
        outcome.err().unwrap_or(0)
    }

    fn with_writer(&self, work: impl FnOnce(&mut Writer) -> Result<(), c_int>) -> c_int {
        self.with(|writer| writer.as_mut().ok_or(-libc::EBADF).and_then(work))
    }
}

/// Makes the record of the run. `capacity` is the number of marks to reserve room for; the record
/// grows beyond it when it must.
///
/// Also takes the library out of the environment of child processes.
///
/// # Safety
///
/// The texts are null or C strings.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn highwater_record_create(
    path: *const c_char,
    capacity: u64,
    fixture: *const c_char,
    udf: *const c_char,
    runtime: *const c_char,
    asked_batches: u32,
    rows: u32,
    seed: u64,
    environment_json: *const c_char,
) -> c_int {
    if !real::is_counting() {
        return -libc::ENOTSUP;
    }
    environment::leave();
    DESK.with(|writer| {
        if writer.is_some() {
            return Err(-libc::EEXIST);
        }
        let runtime = match text(runtime)? {
            "python" => Runtime::Python,
            "rust" => Runtime::Rust,
            _ => return Err(-libc::EINVAL),
        };
        let opening = Opening {
            fixture: text(fixture)?,
            udf: text(udf)?,
            runtime,
            batches: asked_batches,
            rows: u64::from(rows),
            seed,
            environment: text(environment_json)?,
        };
        let made = Writer::create_at(c_string(path)?, &opening, capacity).map_err(code)?;
        writer.insert(made).set_canary(canary_outcome()).map_err(code)
    })
}

/// Reads all counters, starts a new peak window and appends a mark to the record. The kinds are those
/// of [`MarkKind`].
///
/// # Safety
///
/// `extra` is null or points to a `highwater_extra`.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn highwater_mark(
    kind: u32,
    batch: u32,
    extra: *const Extra,
) -> c_int {
    // SAFETY: the caller passes null or a valid pointer.
    let extra = unsafe { extra.as_ref() };
    DESK.with_writer(|writer| {
        let status = proc::read_status().map_err(|error| match error {
            StatusError::Unreadable { errno } => -errno,
            StatusError::Malformed { .. } => -libc::EIO,
        })?;
        let totals = Totals::read();
        let mut mark = Mark::now(mark_kind(kind)?, batch, &totals.reading, &status);
        mark.mapped_bytes = Some(totals.mapped_bytes);
        mark.native_bytes = Some(totals.native_bytes());
        mark.python_live_bytes = Some(totals.python.live_bytes);
        if let Some(extra) = extra {
            extra.fill(&mut mark);
        }
        if writer.committed() >= writer.capacity() {
            writer.grow(writer.capacity().saturating_mul(2).max(64)).map_err(code)?;
        }
        writer.commit(&mark).map_err(code)
    })
}

/// Says in the record what the worker does now: 1 starting, 2 confidence, 3 setup, 4 batch (with its
/// index), 5 dropping, 6 done.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn highwater_stage(stage: u32, batch: u32) -> c_int {
    DESK.with_writer(|writer| {
        let stage = match stage {
            1 => Stage::Starting,
            2 => Stage::Confidence,
            3 => Stage::Setup,
            4 => Stage::Batch(batch),
            5 => Stage::Dropping,
            6 => Stage::Done,
            _ => return Err(-libc::EINVAL),
        };
        writer.enter(stage).map_err(code)
    })
}

/// Ends the record with a message; what is too long of it is cut.
///
/// # Safety
///
/// `message` is null or a C string.
#[unsafe(no_mangle)]
pub(crate) unsafe extern "C" fn highwater_fail(message: *const c_char) -> c_int {
    DESK.with_writer(|writer| writer.fail(text(message)?).map_err(code))
}

/// Ends the record well.
#[unsafe(no_mangle)]
pub(crate) extern "C" fn highwater_finish() -> c_int {
    DESK.with_writer(|writer| writer.finish().map_err(code))
}

/// Writes the canary's outcome into the record, or keeps it for the one that is made later.
pub(super) fn note_canary(outcome: Result<(), Fault>) {
    let counted = match outcome {
        Ok(()) => CANARY_BYTES as i64,
        Err(Fault::Malloc { counted }) => counted,
        Err(_) => 0,
    };
    CANARY.store(counted, Ordering::Relaxed);
    DESK.with_writer(|writer| writer.set_canary(canary_outcome()).map_err(code));
}

fn canary_outcome() -> CanaryOutcome {
    let expected = CANARY_BYTES as i64;
    match CANARY.load(Ordering::Relaxed) {
        ABSENT => CanaryOutcome::NotRun,
        counted if counted == expected => CanaryOutcome::Passed { bytes: expected },
        counted => CanaryOutcome::Failed { expected, counted },
    }
}

fn mark_kind(kind: u32) -> Result<MarkKind, c_int> {
    match kind {
        0 => Err(-libc::EINVAL),
        code => Ok(MarkKind::from_code(code)),
    }
}

impl Extra {
    fn fill(&self, mark: &mut Mark) {
        mark.arrow_live_bytes = present(self.arrow_live);
        mark.arrow_max_bytes = present(self.arrow_max);
        mark.before_collection_bytes = present(self.live_before_collect);
        mark.python_blocks = present(self.python_blocks);
        mark.input_bytes = present(self.input_bytes).unwrap_or(0);
        mark.output_bytes = present(self.output_bytes);
        mark.pickled_result_bytes = present(self.pickled_bytes);
        mark.pickled_state_bytes = present(self.pickled_state_bytes);
        mark.duration_ns = present(self.duration_ns)
            .and_then(|duration| u64::try_from(duration).ok())
            .unwrap_or(0);
    }
}

fn present(value: i64) -> Option<i64> {
    (value != ABSENT).then_some(value)
}

/// Null is an error; what these functions are given outlives the call.
fn c_string<'a>(text: *const c_char) -> Result<&'a CStr, c_int> {
    if text.is_null() {
        return Err(-libc::EINVAL);
    }
    // SAFETY: not null, so a C string by the contract of every caller.
    Ok(unsafe { CStr::from_ptr(text) })
}

fn text<'a>(text: *const c_char) -> Result<&'a str, c_int> {
    c_string(text)?.to_str().map_err(|_| -libc::EILSEQ)
}

fn code(error: WriteError) -> c_int {
    match error {
        WriteError::System { errno, .. } => -errno,
        WriteError::TextTooLong { .. } => -libc::E2BIG,
        WriteError::Full { .. } => -libc::ENOSPC,
        WriteError::ForkedChild => -libc::ECHILD,
    }
}
