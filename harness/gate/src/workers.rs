//! What runs UDFs, by runtime.

use highwater_core::ArrowBooks;
use highwater_fixture::Runtime;
use highwater_worker::{MeasureError, Python, RunKind, WorkerCommand};

/// The worker programs of a gate; those that its fixtures don't need may be missing.
#[derive(Debug, Clone, Default)]
pub struct Workers {
    /// The program with the Rust UDFs.
    pub rust: Option<WorkerCommand>,
    /// The Python that runs the Python UDFs.
    pub python: Option<Python>,
}

impl Workers {
    /// A Rust worker alone.
    #[must_use]
    pub fn rust(command: WorkerCommand) -> Self {
        Self { rust: Some(command), python: None }
    }

    /// Where Arrow's buffers are on the books of a production run in Python.
    pub(crate) fn arrow_books(&self) -> ArrowBooks {
        let pool = self.python.as_ref().and_then(|python| python.interpreter.pool.as_deref());
        ArrowBooks::of_backend(pool.unwrap_or_default())
    }

    /// The command whose figures the gate believes.
    ///
    /// # Errors
    ///
    /// When there is no worker of this runtime.
    pub fn command(&self, runtime: Runtime) -> Result<WorkerCommand, MeasureError> {
        let command = match runtime {
            Runtime::Rust => self.rust.clone(),
            Runtime::Python => self.python.as_ref().map(|python| python.command(RunKind::Exact)),
        };
        command.ok_or(MeasureError::NoWorker { runtime })
    }
}
