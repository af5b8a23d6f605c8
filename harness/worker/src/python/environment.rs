//! The environment of a Python worker.

use std::ffi::OsString;
use std::path::Path;

use crate::assignment::RunKind;
use crate::command::WorkerCommand;

const PRELOAD: &str = "LD_PRELOAD";

/// What an exact run needs in order to repeat: the C library's allocator, which the tracker counts
/// to the byte, no threads that allocate when they like, and sets in the same order every time.
const EXACT: [(&str, &str); 8] = [
    ("ARROW_DEFAULT_MEMORY_POOL", "system"),
    ("ARROW_IO_THREADS", "1"),
    ("MKL_NUM_THREADS", "1"),
    ("NUMEXPR_NUM_THREADS", "1"),
    ("OMP_NUM_THREADS", "1"),
    ("OPENBLAS_NUM_THREADS", "1"),
    ("POLARS_MAX_THREADS", "1"),
    ("PYTHONHASHSEED", "0"),
];

/// What would put something between CPython and its allocators.
const IN_THE_WAY: [&str; 4] =
    ["PYTHONDEVMODE", "PYTHONMALLOC", "PYTHONMALLOCSTATS", "PYTHONTRACEMALLOC"];

/// Adds the variables of one kind of run, with `library` preloaded.
pub(super) fn add(mut command: WorkerCommand, kind: RunKind, library: &Path) -> WorkerCommand {
    let mut preload = OsString::from(library);
    match kind {
        RunKind::Exact => {
            for (name, value) in EXACT {
                command = command.variable(name, value);
            }
            for name in IN_THE_WAY {
                command = command.without(name);
            }
        }
        // The user's allocator stays, behind the tracker.
        RunKind::Production => {
            if let Some(others) = std::env::var_os(PRELOAD).filter(|others| !others.is_empty()) {
                preload.push(":");
                preload.push(others);
            }
        }
    }
    command.variable(PRELOAD, preload).variable("HIGHWATER_PRELOAD", "count")
}
