//! Starts a worker for one fixture and reads what it left.

use std::collections::BTreeMap;
use std::os::unix::process::ExitStatusExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use highwater_core::{Batches, Run};
use highwater_fixture::input::fresh_batches;
use highwater_fixture::{FixtureSpec, Runtime};
use highwater_tracker::record::{CanaryOutcome, MarkKind, Record, State};
use serde_json::Value;

use crate::assignment::{Assignment, Slice};
use crate::command::WorkerCommand;
use crate::exit;
use crate::outcome::{Death, Invalid, Outcome, Step};
use crate::pace::{Checkpoint, Pace, Pipe};
use crate::python::attachment;
use crate::series::{reading, run, run_so_far};
use crate::supervise::{Allowance, Ending, KilledFor, supervise};

/// What a worker puts before its last words.
pub(crate) const LAST_WORDS: &str = "highwater worker: ";

/// What a worker said of where it ran: versions, processors, profile.
pub type Environment = BTreeMap<String, String>;

/// One run of one fixture.
#[derive(Debug)]
pub struct Measurement {
    /// The record's file.
    pub record: PathBuf,
    /// What became of the run.
    pub outcome: Outcome,
    /// Where it ran; empty when the worker left no record.
    pub environment: Environment,
}

impl Measurement {
    /// A run that could not even begin.
    #[must_use]
    pub fn impossible(error: &MeasureError) -> Self {
        Self {
            record: PathBuf::new(),
            outcome: Outcome::Invalid(Invalid {
                death: Death::NoRecord(error.to_string()),
                step: Step::Start,
                batches: Batches(0),
                last: None,
                output: String::new(),
            }),
            environment: Environment::new(),
        }
    }
}

/// Why a worker could not be started at all.
#[derive(Debug, thiserror::Error)]
pub enum MeasureError {
    /// The folder for records cannot be made or written to.
    #[error(
        "records cannot be written to {}: {source}\n\
         hint: free some space, or give another folder with `--records DIR`", folder.display()
    )]
    Records {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// There is no program for fixtures of this runtime.
    #[error(
        "there is no worker for {runtime} fixtures\n\
         hint: name one under `worker` in the manifest, or give one with `--worker FILE`"
    )]
    NoWorker {
        /// What they are written in.
        runtime: Runtime,
    },
    /// The program cannot be started.
    #[error("worker {} cannot be started: {source}\nhint: is it an executable of this machine?", program.display())]
    Start {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The worker could not make its record: a full disk, in most cases.
    #[error("{0}\nhint: free some space, or give another folder with `--records DIR`")]
    Record(String),
    /// The running worker could not be watched; it was killed.
    #[error("worker {} cannot be watched: {source}", program.display())]
    Watch {
        /// The program.
        program: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}

/// Runs `spec` in a worker of its own, its record in `records`, and says what became of it.
///
/// # Errors
///
/// Only when no worker could be started or watched: a worker that dies is an [`Outcome`].
pub fn measure(
    command: &WorkerCommand,
    spec: &FixtureSpec,
    records: &Path,
) -> Result<Measurement, MeasureError> {
    started(command, spec, records, None, None)
}

/// The same, for as many batches as `pace` says. A run that goes on beyond the fixture's batches may
/// take as much more time.
///
/// # Errors
///
/// As [`measure`].
pub fn measure_at_pace(
    command: &WorkerCommand,
    spec: &FixtureSpec,
    records: &Path,
    pace: &dyn Pace,
) -> Result<Measurement, MeasureError> {
    let measurement = started(command, spec, records, None, Some(pace));
    pace.ended();
    measurement
}

/// The same, with slices of the fixture's batches instead of the batches: one call for each, in
/// order of their batch.
///
/// # Errors
///
/// As [`measure`].
pub fn measure_slices(
    command: &WorkerCommand,
    spec: &FixtureSpec,
    records: &Path,
    slices: Vec<Slice>,
) -> Result<Measurement, MeasureError> {
    started(command, spec, records, Some(slices), None)
}

fn started(
    command: &WorkerCommand,
    spec: &FixtureSpec,
    records: &Path,
    slices: Option<Vec<Slice>>,
    pace: Option<&dyn Pace>,
) -> Result<Measurement, MeasureError> {
    let unwritable = |source| MeasureError::Records { folder: records.to_owned(), source };
    let record = place(records, &spec.name).map_err(unwritable)?;
    let asking = match pace {
        Some(pace) => Some(Asking::new(spec, pace, &record).map_err(unwritable)?),
        None => None,
    };
    let assignment = Assignment {
        record: record.clone(),
        fixture: spec.clone(),
        checkpoint: asking.as_ref().map(Asking::checkpoint),
        slices,
        harness_pid: std::process::id(),
        python: command.python,
    };
    let program = || command.program.clone();
    let child = command
        .command(&assignment)
        .spawn()
        .map_err(|source| MeasureError::Start { program: program(), source })?;
    let allowance =
        Allowance { time: Duration::from_secs(spec.time_limit_s), memory: spec.memory_limit };
    let fixed = match (&assignment.checkpoint, &assignment.slices) {
        (Some(_), _) => None,
        (None, Some(slices)) => Some(slices.len()),
        (None, None) => Some(spec.batches.0 as usize),
    };
    let mut asking = asking;
    let mut glance = |allowance: &mut Allowance| match &mut asking {
        Some(asking) => asking.glance(allowance),
        None => Ok(()),
    };
    let ending = supervise(child, allowance, &mut glance)
        .map_err(|source| MeasureError::Watch { program: program(), source })?;
    if ending.status.code() == Some(i32::from(exit::NO_RECORD)) {
        return Err(MeasureError::Record(last_words(&ending).unwrap_or_default().to_owned()));
    }
    Ok(match Record::open(&record) {
        Ok(read) => Measurement {
            environment: environment(&read.header.environment),
            outcome: outcome(spec, &read, &ending, fixed),
            record,
        },
        Err(error) => Measurement {
            record,
            environment: Environment::new(),
            outcome: without_record(command, spec, &ending, &error.to_string()),
        },
    })
}

/// Answers a worker that asks how long to go on.
struct Asking<'a> {
    spec: &'a FixtureSpec,
    pace: &'a dyn Pace,
    record: PathBuf,
    pipe: Pipe,
    /// Batches at the question that was answered last: the worker may still be reading it.
    answered: u32,
}

impl<'a> Asking<'a> {
    fn new(spec: &'a FixtureSpec, pace: &'a dyn Pace, record: &Path) -> std::io::Result<Self> {
        let pipe = Pipe::beside(record)?;
        Ok(Self { spec, pace, record: record.to_owned(), pipe, answered: 0 })
    }

    fn checkpoint(&self) -> Checkpoint {
        Checkpoint { first: self.pace.first(), pipe: self.pipe.path().to_owned() }
    }

    fn glance(&mut self, allowance: &mut Allowance) -> std::io::Result<()> {
        let Some(question) = self.pipe.question()? else { return Ok(()) };
        let record = Record::open(&self.record).map_err(std::io::Error::other)?;
        let done = batches(&record);
        if done.0 == self.answered {
            return Ok(());
        }
        let so_far = run_so_far(&record).map_err(std::io::Error::other)?;
        let so_far = Run { fresh_batches: fresh_batches(self.spec), ..so_far };
        let next = self.pace.next(&so_far).max(done);
        // The time limit is for the batches that the fixture asks for.
        let times = f64::from(next.0.max(self.spec.batches.0)) / f64::from(self.spec.batches.0);
        allowance.time = Duration::from_secs(self.spec.time_limit_s).mul_f64(times);
        self.answered = done.0;
        question.answer(next)
    }
}

/// The record's environment: a JSON map whose values are text, numbers or yes and no.
fn environment(text: &str) -> Environment {
    let values: BTreeMap<String, Value> = serde_json::from_str(text).unwrap_or_default();
    let text = |value| match value {
        Value::String(text) => text,
        other => other.to_string(),
    };
    values.into_iter().map(|(key, value)| (key, text(value))).collect()
}

/// A file for the record, in a folder that is there. Records of the same fixture that finished
/// harnesses left are removed.
fn place(records: &Path, fixture: &str) -> std::io::Result<PathBuf> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let records = std::path::absolute(records)?;
    std::fs::create_dir_all(&records)?;
    for entry in std::fs::read_dir(&records)? {
        let path = entry?.path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        let owner = name
            .strip_prefix(fixture)
            .and_then(|rest| rest.strip_prefix('.'))
            .and_then(|rest| rest.strip_suffix(".hwr").or(rest.strip_suffix(".pipe")))
            .and_then(|rest| rest.split_once('-'));
        if owner.is_some_and(|(pid, _)| !Path::new("/proc").join(pid).exists()) {
            remove(&path)?;
        }
    }
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let record = records.join(format!("{fixture}.{}-{count}.hwr", std::process::id()));
    // A file that an earlier process of the same number left would stand in the way.
    remove(&record)?;
    remove(&record.with_extension("pipe"))?;
    Ok(record)
}

/// Removes a file that may be gone already: other harnesses tidy up as well.
fn remove(path: &Path) -> std::io::Result<()> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// `fixed`: how many batches there must be, unless the run's length was left open.
fn outcome(spec: &FixtureSpec, record: &Record, ending: &Ending, fixed: Option<usize>) -> Outcome {
    if let CanaryOutcome::Failed { .. } | CanaryOutcome::NotRun = record.progress.canary
        && let State::Failed { message } = &record.progress.state
    {
        return Outcome::NotAttached(attachment::reason(message, &ending.output));
    }
    if let (State::Failed { message }, Some(code)) = (&record.progress.state, ending.status.code())
        && code == i32::from(exit::NOT_ATTACHED)
    {
        return Outcome::NotAttached(attachment::reason(message, &ending.output));
    }
    match death(spec, record, ending) {
        Some(death) => Outcome::Invalid(Invalid {
            death,
            step: record.progress.stage.into(),
            batches: batches(record),
            last: record.marks.last().map(|mark| reading(mark, base(record))),
            output: said(&ending.output),
        }),
        None => match run(record, fixed) {
            Ok(run) => Outcome::Finished(Run { fresh_batches: fresh_batches(spec), ..run }),
            Err(missing) => Outcome::Invalid(Invalid {
                death: Death::NoRecord(missing.to_string()),
                step: Step::Drop,
                batches: batches(record),
                last: None,
                output: said(&ending.output),
            }),
        },
    }
}

/// Why the run is not whole; `None` when it is.
fn death(spec: &FixtureSpec, record: &Record, ending: &Ending) -> Option<Death> {
    match ending.killed_for {
        Some(KilledFor::Time) => return Some(Death::TimeLimit(spec.time_limit_s)),
        Some(KilledFor::Memory) => return Some(Death::MemoryLimit(spec.memory_limit)),
        None => {}
    }
    if let Some(signal) = ending.status.signal() {
        return Some(Death::Signal(signal));
    }
    match &record.progress.state {
        State::Failed { message } => {
            // The step is said where the death is told.
            let message = without_step(message, record.progress.stage.into()).to_owned();
            let code = ending.status.code().and_then(|code| u8::try_from(code).ok());
            Some(match code {
                Some(exit::MISSING_PACKAGE) => Death::MissingPackage(message),
                Some(exit::NO_UDF) => Death::NoUdf(message),
                _ => Death::Failed(message),
            })
        }
        State::Running => Some(Death::Exited(ending.status.code().unwrap_or(-1))),
        State::Finished if record.progress.lost_events != 0 => {
            Some(Death::LostEvents(record.progress.lost_events))
        }
        State::Finished => None,
    }
}

/// The message of a Python worker, which names its step itself, without that.
fn without_step(message: &str, step: Step) -> &str {
    let prefix = match step {
        Step::Batch(batch) => format!("batch {batch}: "),
        Step::Setup => "setup: ".to_owned(),
        Step::Start | Step::Drop => return message,
    };
    message.strip_prefix(&prefix).unwrap_or(message)
}

/// A run whose record cannot be read: what the worker said of itself tells more than the missing
/// file.
fn without_record(
    command: &WorkerCommand,
    spec: &FixtureSpec,
    ending: &Ending,
    error: &str,
) -> Outcome {
    let last_words =
        ending.output.split_once("highwater worker: ").map(|(_, said)| said.trim_end());
    if command.python.is_some()
        && let Some(reason) = attachment::missing(&command.program, ending, last_words)
    {
        return Outcome::NotAttached(reason);
    }
    let death = match (ending.killed_for, ending.status.signal(), last_words) {
        (Some(KilledFor::Time), ..) => Death::TimeLimit(spec.time_limit_s),
        (Some(KilledFor::Memory), ..) => Death::MemoryLimit(spec.memory_limit),
        (None, Some(signal), _) => Death::Signal(signal),
        (None, None, Some(words)) => Death::NoRecord(words.to_owned()),
        (None, None, None) => Death::NoRecord(error.to_owned()),
    };
    Outcome::Invalid(Invalid {
        death,
        step: Step::Start,
        batches: Batches(0),
        last: None,
        output: said(&ending.output),
    })
}

/// What the worker itself said before it gave up.
fn last_words(ending: &Ending) -> Option<&str> {
    ending.output.split_once(LAST_WORDS).map(|(_, said)| said.trim_end())
}

/// What the UDF printed, without the worker's own last words, which the record has as well.
fn said(output: &str) -> String {
    output.split(LAST_WORDS).next().unwrap_or_default().to_owned()
}

fn batches(record: &Record) -> Batches {
    let count = record.marks.iter().filter(|mark| mark.kind == MarkKind::AfterBatch).count();
    Batches(u32::try_from(count).unwrap_or(u32::MAX))
}

/// Live bytes before `setup`, to which the last figures of a broken run relate.
fn base(record: &Record) -> i64 {
    let before = record.marks.iter().find(|mark| mark.kind == MarkKind::BeforeSetup);
    before.map_or(0, |mark| mark.live_bytes)
}
