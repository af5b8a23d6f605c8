//! The worker's `main`.

use std::process::ExitCode;

use highwater_fixture::Registry;
use highwater_tracker::Section;

use crate::assignment::Assignment;
use crate::measure::LAST_WORDS;
use crate::runner::{Stop, run};
use crate::{builtin, panics};

/// Exit codes of a worker process; the harness reads them beside the record.
pub mod exit {
    /// The whole run was done and recorded.
    pub const FINISHED: u8 = 0;
    /// The UDF or its input failed; the record says how.
    pub const FAILED: u8 = 101;
    /// Not started by Highwater, or with an assignment that it cannot read.
    pub const NO_ASSIGNMENT: u8 = 102;
    /// The record could not be made; standard error says why.
    pub const NO_RECORD: u8 = 103;
    /// The tracker is not attached; the record says how it was seen.
    pub const NOT_ATTACHED: u8 = 104;
    /// A Python worker lacks a package; the record says which.
    pub const MISSING_PACKAGE: u8 = 105;
    /// There is no UDF of the assigned name; the record says what is near.
    pub const NO_UDF: u8 = 107;
}

/// The `main` of a worker binary: runs the fixture that Highwater assigned, with a UDF of
/// `registry` or a built-in one.
///
/// ```no_run
/// use highwater_fixture::Registry;
/// # use highwater_fixture::{ArrayRef, RecordBatch, Udf, UdfError};
/// # #[derive(Default)] struct Enrich;
/// # impl Udf for Enrich {
/// #     fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
/// #         Ok(batch.column(0).clone())
/// #     }
/// # }
///
/// #[global_allocator]
/// static TRACKER: highwater_tracker::Tracker = highwater_tracker::Tracker::new();
///
/// fn main() -> std::process::ExitCode {
///     highwater_worker::serve(&Registry::new().udf("enrich", Enrich::default))
/// }
/// ```
pub fn serve(registry: &Registry) -> ExitCode {
    ExitCode::from(served(registry))
}

/// Serves and ends the process when this process is a worker; returns at once when it is none.
///
/// For programs that are their own worker, such as a test binary.
pub fn serve_if_assigned(registry: &Registry) {
    if std::env::var_os(crate::assignment::VARIABLE).is_some() {
        std::process::exit(i32::from(served(registry)));
    }
}

#[expect(clippy::print_stderr, reason = "it is a program's main")]
fn served(registry: &Registry) -> u8 {
    // Its own strings are none of the UDF's memory.
    let harness = Section::harness();
    let assignment = match Assignment::from_environment() {
        Ok(Some(assignment)) => assignment,
        Ok(None) => {
            eprintln!(
                "this is a worker of Highwater; it is started by `highwater check` and `highwater \
                 run`, and has these UDFs:"
            );
            for name in registry.names() {
                eprintln!("  {name}");
            }
            return exit::NO_ASSIGNMENT;
        }
        Err(error) => {
            eprintln!("{LAST_WORDS}{error}");
            return exit::NO_ASSIGNMENT;
        }
    };
    let udf = &assignment.fixture.udf;
    let builtin = builtin::registry();
    let entry = builtin.get(udf).or_else(|_| registry.get(udf));
    let is_there = entry.is_ok();
    panics::keep();
    drop(harness);
    let Err(stop) = run(&assignment, entry) else { return exit::FINISHED };
    let _harness = Section::harness();
    eprintln!("{LAST_WORDS}{stop}");
    match stop {
        Stop::Failed(_) if !is_there => exit::NO_UDF,
        Stop::Failed(_) => exit::FAILED,
        Stop::NoRecord(_) => exit::NO_RECORD,
        Stop::NotAttached(_) => exit::NOT_ATTACHED,
    }
}
