//! The confidence check: a planted leak and its clean twin, measured before the gate speaks.
//!
//! Both run in a worker of the same program, through the same tracker, record and analysis as every
//! fixture. The gate believes a figure only after the planted leak was measured within 1 % of its
//! true size and its twin as exactly zero.

use std::fmt;
use std::path::Path;

use highwater_core::{BlocksPerBatch, Bytes, BytesPerBatch, MIN_BATCHES, analyse, exit_code};
use highwater_fixture::{FixtureSpec, Runtime};
use highwater_worker::builtin::{PLANTED_BYTES_PER_BATCH, PLANTED_LEAK, PLANTED_TWIN};
use highwater_worker::{Invalid, MeasureError, Outcome, WorkerCommand, measure};
use serde::Serialize;

/// How far the planted leak's measured size may lie from the true one, as a share of it.
pub const TOLERANCE: f64 = 0.01;

/// What the confidence check measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Confidence {
    /// The runtime of the worker.
    pub runtime: Runtime,
    /// What the planted leak keeps per batch, by construction.
    pub planted_bytes_per_batch: Bytes,
    /// What was measured of it.
    pub measured_bytes_per_batch: BytesPerBatch,
    /// Bytes per batch measured of the clean twin: 0.
    pub twin_bytes_per_batch: BytesPerBatch,
}

impl fmt::Display for Confidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "planted leak of {} B/batch measured as {:.0} B/batch, its clean twin as {:.0} ({})",
            self.planted_bytes_per_batch.0,
            self.measured_bytes_per_batch.0,
            self.twin_bytes_per_batch.0,
            self.runtime
        )
    }
}

/// Why no figure of this run may be believed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ConfidenceFailed {
    /// The worker has no tracker, or one that doesn't count.
    #[error(
        "confidence check failed: {reason}{}", match runtime {
            Runtime::Rust => "\nhint: the worker needs `#[global_allocator] static TRACKER: \
                              highwater::Tracker = highwater::Tracker::new();`",
            Runtime::Python => "",
        }
    )]
    NotAttached {
        /// The runtime of the worker.
        runtime: Runtime,
        /// How it was seen; for a Python worker with a hint.
        reason: String,
    },
    /// The planted leak was measured wrong.
    #[error(
        "confidence check failed: a planted leak of {planted} B/batch was measured as \
         {measured:.0} B/batch\n\
         hint: something frees or allocates outside the tracker; run it alone, and report it as a \
         bug of Highwater if it stays"
    )]
    Planted {
        /// The true size.
        planted: i64,
        /// The measured size.
        measured: f64,
    },
    /// The clean twin was measured as leaking.
    #[error(
        "confidence check failed: the clean twin was measured as leaking {bytes:.0} B and \
         {blocks:.2} blocks per batch\n\
         hint: something in the worker allocates beside the UDF; run it alone, and report it as a \
         bug of Highwater if it stays"
    )]
    Twin {
        /// Bytes per batch that the twin does not keep.
        bytes: f64,
        /// Blocks per batch that the twin does not keep.
        blocks: f64,
    },
    /// A run of the check ended early.
    #[error("confidence check failed: `{fixture}` {invalid}")]
    Invalid {
        /// Which of the two.
        fixture: &'static str,
        /// Why and where.
        invalid: Box<Invalid>,
    },
    /// A run of the check could not be started.
    #[error("confidence check failed: {0}")]
    Unmeasurable(#[from] MeasureError),
}

/// Measures the planted leak and its twin through `command`, a worker of `runtime`.
///
/// # Errors
///
/// When the tracker is absent, or either of the two is measured wrong.
pub fn confidence(
    runtime: Runtime,
    command: &WorkerCommand,
    records: &Path,
) -> Result<Confidence, ConfidenceFailed> {
    // Side by side: each is a process of its own, and this stands before every run.
    let (leak, twin) = std::thread::scope(|scope| {
        let twin = scope.spawn(|| rate(runtime, command, records, PLANTED_TWIN));
        (rate(runtime, command, records, PLANTED_LEAK), twin.join())
    });
    let (bytes, _) = leak?;
    let planted = f64::from(PLANTED_BYTES_PER_BATCH);
    if (bytes.0 - planted).abs() > planted * TOLERANCE {
        let planted = i64::from(PLANTED_BYTES_PER_BATCH);
        return Err(ConfidenceFailed::Planted { planted, measured: bytes.0 });
    }
    let (twin, blocks) = twin.unwrap_or_else(|panic| std::panic::resume_unwind(panic))?;
    if twin.0 != 0.0 || blocks.0 != 0.0 {
        return Err(ConfidenceFailed::Twin { bytes: twin.0, blocks: blocks.0 });
    }
    Ok(Confidence {
        runtime,
        planted_bytes_per_batch: Bytes(i64::from(PLANTED_BYTES_PER_BATCH)),
        measured_bytes_per_batch: bytes,
        twin_bytes_per_batch: twin,
    })
}

fn rate(
    runtime: Runtime,
    command: &WorkerCommand,
    records: &Path,
    fixture: &'static str,
) -> Result<(BytesPerBatch, BlocksPerBatch), ConfidenceFailed> {
    // As few batches as the analysis accepts: the check comes before every run of the gate.
    let spec = FixtureSpec { runtime, batches: MIN_BATCHES, rows: 8, ..FixtureSpec::new(fixture) };
    match measure(command, &spec, records)?.outcome {
        Outcome::Finished(run) => {
            let figures = analyse(&run).figures;
            Ok((figures.leaked_bytes_per_batch, figures.leaked_blocks_per_batch))
        }
        Outcome::NotAttached(reason) => Err(ConfidenceFailed::NotAttached { runtime, reason }),
        Outcome::Invalid(invalid) => {
            Err(ConfidenceFailed::Invalid { fixture, invalid: Box::new(invalid) })
        }
    }
}

impl ConfidenceFailed {
    /// The documented exit code: that of a failed check, or of an invalid measurement where the
    /// check could not even begin.
    pub fn exit_code(&self) -> i32 {
        match self {
            Self::Unmeasurable(_) => exit_code::INVALID,
            _ => exit_code::CONFIDENCE,
        }
    }
}
