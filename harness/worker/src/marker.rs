//! Takes the marks of a run.

use std::collections::BTreeMap;
use std::time::Duration;

use highwater_tracker::canary::{self, CANARY_BYTES, CanaryError};
use highwater_tracker::proc::{StatusError, libc_version, read_status};
use highwater_tracker::record::{
    CanaryOutcome, CreateError, Mark, MarkKind, Opening, Runtime, Stage, WriteError, Writer,
};
use highwater_tracker::take_reading;

use crate::assignment::Assignment;

/// Marks besides those after batches, with room to spare.
const OTHER_MARKS: u64 = 8;

/// Why a mark could not be taken, or the record not be made.
#[derive(Debug, thiserror::Error)]
pub enum MarkError {
    /// The record could not be made.
    #[error(transparent)]
    Create(#[from] CreateError),
    /// The record could not be written.
    #[error("the record cannot be written: {0}")]
    Write(#[from] WriteError),
    /// The process's own figures could not be read.
    #[error("`/proc/self/status` cannot be read: {0}")]
    Status(#[from] StatusError),
}

/// A record that is being written.
#[derive(Debug)]
pub(crate) struct Marker {
    writer: Writer,
    live: i64,
}

impl Marker {
    /// Makes the record that was assigned.
    pub(crate) fn create(assignment: &Assignment) -> Result<Self, MarkError> {
        let fixture = &assignment.fixture;
        let opening = Opening {
            fixture: &fixture.name,
            udf: &fixture.udf,
            runtime: Runtime::Rust,
            batches: fixture.batches.0,
            rows: u64::from(fixture.rows),
            seed: fixture.seed,
            environment: &environment(),
        };
        let capacity = u64::from(fixture.batches.0) + OTHER_MARKS;
        Ok(Self { writer: Writer::create(&assignment.record, &opening, capacity)?, live: 0 })
    }

    /// Has the tracker count a canary, and records what became of it.
    pub(crate) fn prove(&mut self) -> Result<Result<(), CanaryError>, MarkError> {
        self.writer.enter(Stage::Confidence)?;
        let proved = canary::check();
        let outcome = match &proved {
            Ok(canary) => CanaryOutcome::Passed { bytes: canary.bytes },
            Err(error) => miscounted(error),
        };
        self.writer.set_canary(outcome)?;
        Ok(proved.map(|_| ()))
    }

    /// Says how far the run has come.
    pub(crate) fn enter(&mut self, stage: Stage) -> Result<(), MarkError> {
        Ok(self.writer.enter(stage)?)
    }

    /// Bytes that the account of the UDF gained since the last mark: those of the batch it was just
    /// handed. Starts a new peak window, so that the peak is that of the call.
    pub(crate) fn handed_over(&self) -> i64 {
        take_reading().udf.live_bytes - self.live
    }

    /// Takes a mark. `input` is what [`Self::handed_over`] said, `arrow_live` what is alive of all
    /// batches that were handed over.
    pub(crate) fn mark(&mut self, kind: MarkKind, batch: u32, step: Step) -> Result<(), MarkError> {
        let reading = take_reading();
        self.live = reading.udf.live_bytes;
        let mut mark = Mark::now(kind, batch, &reading, &read_status()?);
        mark.duration_ns = u64::try_from(step.duration.as_nanos()).unwrap_or(u64::MAX);
        mark.input_bytes = step.input;
        mark.arrow_live_bytes = i64::try_from(step.arrow_live).ok();
        Ok(self.writer.commit(&mark)?)
    }

    /// Makes room for the marks of `batches` in all.
    pub(crate) fn make_room(&mut self, batches: u32) -> Result<(), MarkError> {
        Ok(self.writer.grow(u64::from(batches) + OTHER_MARKS)?)
    }

    /// Writes that the run is whole.
    pub(crate) fn finish(mut self) -> Result<(), MarkError> {
        self.writer.enter(Stage::Done)?;
        Ok(self.writer.finish()?)
    }

    /// Writes why the run ended early.
    pub(crate) fn fail(mut self, message: &str) -> Result<(), MarkError> {
        Ok(self.writer.fail(message)?)
    }
}

/// What the worker knows of the step before a mark.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Step {
    /// How long the UDF's part of it took.
    pub(crate) duration: Duration,
    /// Bytes of the batch that was handed over in it.
    pub(crate) input: i64,
    /// Bytes still alive of all batches that were handed over.
    pub(crate) arrow_live: usize,
}

/// Where this worker runs, as a JSON map.
fn environment() -> String {
    let cpus = std::thread::available_parallelism().map_or(0, std::num::NonZero::get);
    let profile = if cfg!(debug_assertions) { "debug" } else { "release" };
    let environment = BTreeMap::from([
        ("cpus", cpus.to_string()),
        ("kernel", first_line("/proc/sys/kernel/osrelease")),
        ("libc", format!("glibc {}", libc_version().to_string_lossy())),
        ("profile", profile.to_owned()),
        ("tracker", highwater_tracker::VERSION.to_owned()),
    ]);
    serde_json::to_string(&environment).expect("a map of text")
}

fn first_line(path: &str) -> String {
    let text = std::fs::read_to_string(path).unwrap_or_default();
    text.lines().next().unwrap_or("unknown").to_owned()
}

fn miscounted(error: &CanaryError) -> CanaryOutcome {
    let expected = CANARY_BYTES as i64;
    match *error {
        CanaryError::NotAttached => CanaryOutcome::Failed { expected, counted: 0 },
        CanaryError::Miscounted { bytes, .. } => CanaryOutcome::Failed { expected, counted: bytes },
        CanaryError::FreeMiscounted { bytes, .. } => {
            CanaryOutcome::Failed { expected: 0, counted: bytes }
        }
        CanaryError::NoMemory => CanaryOutcome::NotRun,
    }
}
