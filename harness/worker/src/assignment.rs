//! What a worker is told to do.

use std::path::PathBuf;

use highwater_fixture::FixtureSpec;
use serde::{Deserialize, Serialize};

use crate::pace::Checkpoint;

/// The environment variable that carries the assignment, as JSON, to the worker.
pub const VARIABLE: &str = "HIGHWATER_WORKER";

/// One run of one fixture, as the harness hands it to the worker.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Assignment {
    /// Where the worker writes its record; the file must not exist yet.
    pub record: PathBuf,
    /// What to run.
    pub fixture: FixtureSpec,
    /// Where to ask how long to go on; `None` for a run of exactly the fixture's batches.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub checkpoint: Option<Checkpoint>,
    /// Parts of batches to run instead of the fixture's batches, in order of their batch; `None` for
    /// the batches as they are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slices: Option<Vec<Slice>>,
    /// The harness's process id: the worker ends when the harness does.
    pub harness_pid: u32,
    /// How a Python worker is to run; `None` for a Rust worker.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub python: Option<PythonRun>,
}

/// Some rows of one batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Slice {
    /// The batch, counted from 0.
    pub batch: u32,
    /// Its first row here, counted from 0.
    pub from: u32,
    /// How many rows, at least 1.
    pub rows: u32,
}

/// What only a Python worker is told.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct PythonRun {
    /// Which of the two runs of a fixture it is.
    pub run: RunKind,
    /// Batches between two trims (a young collection, Arrow's pool, `malloc_trim`); 0 for never.
    pub trim_every: u32,
    /// Whether to pickle what each call returns, and the UDF itself, for their size.
    pub pickle: bool,
    /// Whether nothing but resident memory is asked for: then another allocator may serve C++, whose
    /// objects the tracker does not see.
    #[serde(default)]
    pub resident_only: bool,
}

/// The two runs of a Python fixture, whose figures are never mixed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunKind {
    /// A collection before each mark, the C library's allocator, one thread: bytes repeat from run
    /// to run. Feeds the gate.
    Exact,
    /// The allocators, the threads and the collector as in production: resident memory is what it
    /// would be there. Feeds the figures about resident memory.
    Production,
}

/// An assignment that could not be read.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{VARIABLE}` does not hold an assignment: {0}\n\
     hint: workers are started by `highwater`, with the same version on both sides"
)]
pub struct AssignmentError(#[from] serde_json::Error);

impl Assignment {
    /// The assignment in this process's environment; `None` in a process that is no worker.
    ///
    /// # Errors
    ///
    /// When the variable is set but holds something else.
    pub fn from_environment() -> Result<Option<Self>, AssignmentError> {
        match std::env::var(VARIABLE) {
            Ok(json) => Ok(Some(serde_json::from_str(&json)?)),
            Err(std::env::VarError::NotPresent) => Ok(None),
            Err(std::env::VarError::NotUnicode(raw)) => {
                Ok(Some(serde_json::from_slice(raw.as_encoded_bytes())?))
            }
        }
    }

    /// The text that [`Assignment::from_environment`] reads.
    ///
    /// # Panics
    ///
    /// When the fixture's input path is no UTF-8; the manifest admits none.
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("an assignment holds nothing that JSON cannot")
    }
}
