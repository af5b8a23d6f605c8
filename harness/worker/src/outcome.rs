//! What became of a worker's run.

use std::fmt;

use highwater_core::{Batches, Bytes, Reading, Run};
use highwater_tracker::record::Stage;
use serde::Serialize;

/// What a run gave: a whole series, or the reason why there is none.
#[expect(clippy::large_enum_variant, reason = "there is one per run, and nobody keeps many")]
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Every mark was taken.
    Finished(Run),
    /// The run ended early; nothing may be concluded from it.
    Invalid(Invalid),
    /// The tracker is not attached, or doesn't count what it should: no number may be believed.
    NotAttached(String),
}

/// Where in its run a worker was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Step {
    /// Before `setup`: opening its record and its input.
    Start,
    /// In `setup`.
    Setup,
    /// In this batch, counted from 0.
    Batch(u32),
    /// Dropping the UDF.
    Drop,
}

/// Why a run ended early.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Death {
    /// The UDF raised, panicked or returned an error, or its input could not be read; the text says
    /// which.
    Failed(String),
    /// A signal that the harness did not send: the kernel's OOM killer sends `SIGKILL`.
    Signal(i32),
    /// It ran longer than the fixture's `time_limit_s`.
    TimeLimit(u64),
    /// It held more resident memory than the fixture's `memory_limit`.
    MemoryLimit(Bytes),
    /// The process ended on its own with this exit code, without finishing its run.
    Exited(i32),
    /// It left no record, or one that cannot be read; the text says why.
    NoRecord(String),
    /// The tracker lost this many events; the figures are not exact.
    LostEvents(u64),
    /// The Python has no package that the UDF's file, or the runner, imports; the text says which.
    MissingPackage(String),
    /// There is no UDF of the fixture's name, or its file cannot be read as Python; the text says what
    /// is near, or the line.
    NoUdf(String),
}

/// A run that ended early: why, where, and the last figures.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Invalid {
    /// Why it ended.
    pub death: Death,
    /// Where it was.
    pub step: Step,
    /// Batches whose mark was taken.
    pub batches: Batches,
    /// The last mark, relative to the start of `setup`, if there is one.
    pub last: Option<Reading>,
    /// The last lines that the worker printed.
    pub output: String,
}

impl From<Stage> for Step {
    fn from(stage: Stage) -> Self {
        match stage {
            Stage::Starting | Stage::Confidence => Self::Start,
            Stage::Setup => Self::Setup,
            Stage::Batch(batch) => Self::Batch(batch),
            Stage::Dropping | Stage::Done => Self::Drop,
        }
    }
}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start => f.write_str("before `setup`"),
            Self::Setup => f.write_str("in `setup`"),
            Self::Batch(batch) => write!(f, "at batch {batch}"),
            Self::Drop => f.write_str("while dropping the UDF"),
        }
    }
}

impl fmt::Display for Death {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Failed(text) | Self::MissingPackage(text) | Self::NoUdf(text) => {
                f.write_str(text)
            }
            Self::Signal(signal) => write!(f, "killed by {}", signal_name(*signal)),
            Self::TimeLimit(seconds) => write!(f, "still running after its {seconds} s"),
            Self::MemoryLimit(bytes) => write!(f, "held more than its {bytes} of memory"),
            Self::Exited(code) => write!(f, "the process ended with exit code {code}"),
            Self::NoRecord(text) => f.write_str(text),
            Self::LostEvents(count) => write!(f, "the tracker lost {count} events"),
        }
    }
}

impl fmt::Display for Invalid {
    /// One line: why, where, the last figures; then a hint where there is one to give.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let death = self.death.to_string();
        // What failed may bring a hint of its own, which must stay at the end.
        let (what, rest) = death.split_once('\n').unwrap_or((&death, ""));
        write!(f, "{what} {}", self.step)?;
        if let Some(last) = self.last.filter(|_| self.step != Step::Start) {
            write!(f, ", last mark: {} live, {} peak", last.live, last.peak)?;
        }
        if !rest.is_empty() {
            write!(f, "\n{rest}")?;
        }
        if let Some(hint) = self.death.hint() {
            write!(f, "\nhint: {hint}")?;
        }
        Ok(())
    }
}

impl Death {
    fn hint(&self) -> Option<&'static str> {
        Some(match self {
            Self::Signal(9) => {
                "`SIGKILL` that Highwater did not send is in most cases the kernel's OOM killer: \
                 give the machine more memory or set a `memory_limit` below it"
            }
            Self::TimeLimit(_) => "raise `time_limit_s`, ask for fewer `batches`, or find the hang",
            Self::MemoryLimit(_) => "raise `memory_limit`, or ask for fewer `rows` or `batches`",
            Self::Exited(_) => "a UDF must return to its caller: look for an `exit` in it",
            Self::LostEvents(_) => "run it again; if it stays, report it as a bug of Highwater",
            _ => return None,
        })
    }
}

/// A signal's usual name.
fn signal_name(number: i32) -> String {
    let name = match number {
        4 => "SIGILL",
        6 => "SIGABRT",
        7 => "SIGBUS",
        8 => "SIGFPE",
        9 => "SIGKILL",
        11 => "SIGSEGV",
        15 => "SIGTERM",
        other => return format!("signal {other}"),
    };
    format!("{name} (signal {number})")
}
