//! What would have saved the resident memory that an allocator keeps: tried, not advised.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use highwater_core::{Batches, Bytes, Reading, Run};
use highwater_fixture::FixtureSpec;
use highwater_worker::{MeasureError, Outcome, PythonRun, WorkerCommand, measure};
use serde::Serialize;

/// Batches between two trims where the host's cadence is tried: that of Geneva's applier.
const TRIM_EVERY: u32 = 8;

/// Folders in which systems keep libraries.
const LIBRARY_FOLDERS: [&str; 4] =
    ["/usr/lib/x86_64-linux-gnu", "/usr/lib64", "/usr/lib", "/usr/local/lib"];

/// A run under other settings of the allocator, or another allocator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Remedy {
    /// What to set or to do, as it is typed.
    pub name: String,
    /// What came of it.
    pub result: RemedyResult,
}

/// What a run under a remedy gave.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum RemedyResult {
    /// It ran to its end.
    Measured {
        /// Resident memory that no file backs, after the last batch.
        rss_bytes: Bytes,
        /// How much less that is than without the remedy; negative when it is more.
        saved_bytes: Bytes,
    },
    /// It did not; says why.
    Failed(String),
}

/// Runs the fixture again under each remedy that is there. `plain` is the run that retention was
/// suspected in, and `command` what started it.
///
/// # Errors
///
/// When a worker cannot be started.
pub(crate) fn remedies(
    command: &WorkerCommand,
    spec: &FixtureSpec,
    records: &Path,
    plain: &Run,
) -> Result<Vec<Remedy>, MeasureError> {
    let batches = Batches(u32::try_from(plain.batches.len()).unwrap_or(u32::MAX));
    let spec = FixtureSpec { batches, max_batches: batches, ..spec.clone() };
    let tried = candidates(command);
    let mut remedies = Vec::new();
    // Two at a time, as the two runs of a fixture are.
    for pair in tried.chunks(2) {
        let runs: Vec<_> = std::thread::scope(|scope| {
            let started: Vec<_> = pair
                .iter()
                .map(|(_, command)| scope.spawn(|| measure(command, &spec, records)))
                .collect();
            let joined = started
                .into_iter()
                .map(|run| run.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)));
            joined.collect()
        });
        for ((name, _), measured) in pair.iter().zip(runs) {
            let result = match measured?.outcome {
                Outcome::Finished(run) => RemedyResult::of(&run, plain),
                Outcome::Invalid(invalid) => RemedyResult::Failed(invalid.to_string()),
                Outcome::NotAttached(reason) => RemedyResult::Failed(reason),
            };
            remedies.push(Remedy { name: name.clone(), result });
        }
    }
    Ok(remedies)
}

fn candidates(command: &WorkerCommand) -> Vec<(String, WorkerCommand)> {
    let set = |name: &str, value: &str| {
        (format!("{name}={value}"), command.clone().variable(name, value))
    };
    let mut tried = vec![set("MALLOC_ARENA_MAX", "1"), set("MALLOC_TRIM_THRESHOLD_", "131072")];
    for (file, other) in
        [("libjemalloc.so.2", None), ("libmimalloc.so.3", Some("libmimalloc.so.2"))]
    {
        let found = library(file).or_else(|| other.and_then(library));
        if let Some(library) = found {
            let name = format!("LD_PRELOAD={}", library.display());
            tried.push((name, preloaded(command, &library)));
        }
    }
    if let Some(python) = command.python {
        let mut trimmed = command.clone();
        trimmed.python = Some(PythonRun { trim_every: TRIM_EVERY, ..python });
        let name =
            format!("collect, release Arrow's pool and `malloc_trim` every {TRIM_EVERY} batches");
        tried.push((name, trimmed));
    }
    tried
}

fn library(name: &str) -> Option<PathBuf> {
    LIBRARY_FOLDERS.iter().map(|folder| Path::new(folder).join(name)).find(|path| path.exists())
}

/// Another allocator behind what is preloaded already.
fn preloaded(command: &WorkerCommand, library: &Path) -> WorkerCommand {
    const PRELOAD: &str = "LD_PRELOAD";
    let there = command.variables.iter().rev().find(|(name, _)| name == PRELOAD);
    let mut list = there.and_then(|(_, value)| value.clone()).unwrap_or_default();
    if !list.is_empty() {
        list.push(":");
    }
    list.push(OsString::from(library));
    let mut command = command.clone().variable(PRELOAD, list);
    command.python = command.python.map(|python| PythonRun { resident_only: true, ..python });
    command
}

/// The remedy that saved most, when one saved a tenth or more.
pub(crate) fn best(remedies: &[Remedy]) -> Option<&Remedy> {
    let saved = |remedy: &Remedy| match remedy.result {
        RemedyResult::Measured { rss_bytes, saved_bytes } => {
            (saved_bytes.0 * 10 >= rss_bytes.0).then_some(saved_bytes)
        }
        RemedyResult::Failed(_) => None,
    };
    remedies.iter().filter(|remedy| saved(remedy).is_some()).max_by_key(|remedy| saved(remedy))
}

impl RemedyResult {
    fn of(run: &Run, plain: &Run) -> Self {
        let rss = |run: &Run| run.batches.last().map(Reading::rss).unwrap_or_default();
        Self::Measured { rss_bytes: rss(run), saved_bytes: rss(plain) - rss(run) }
    }
}

impl std::fmt::Display for Remedy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let name = &self.name;
        match &self.result {
            RemedyResult::Measured { rss_bytes, saved_bytes } => {
                let saved = match saved_bytes.0 {
                    0.. => format!("{saved_bytes} less"),
                    _ => format!("{} more", Bytes(-saved_bytes.0)),
                };
                write!(f, "{name}: {rss_bytes} resident, {saved}")
            }
            RemedyResult::Failed(why) => write!(f, "{name}: {why}"),
        }
    }
}
