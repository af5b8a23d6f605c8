//! One fixture through the gate: measured, analysed, judged against its baseline.

use std::panic::resume_unwind;
use std::path::{Path, PathBuf};

use highwater_core::{
    Baseline, Conditions, Disagreement, Finding, Haste, Missing, Pattern, Regression, Verdict,
    exit_code, judge,
};
use highwater_fixture::{FixtureSpec, Input, Runtime};
use highwater_worker::pace::Led;
use highwater_worker::{
    Death, MeasureError, Measurement, Outcome, Pace, RunKind, WorkerCommand, measure,
    measure_at_pace,
};

use crate::baseline::{Baselines, Environment, Pending, Slot};
use crate::confidence::{Confidence, ConfidenceFailed, confidence};
use crate::measured::{Explained, Measured, ProductionRun, finding};
use crate::pace::FixturePace;
use crate::remedies::remedies;
use crate::rows::bad_rows;
use crate::workers::Workers;

/// A gate over the fixtures of one manifest, or of one test.
#[derive(Debug, Clone)]
pub struct Gate {
    /// What runs the UDFs.
    pub workers: Workers,
    /// The folder for records; made when it is missing.
    pub records: PathBuf,
    /// The reviewed figures.
    pub baselines: Baselines,
    /// The file that declares the fixtures: snapshots name it as their source.
    pub source: PathBuf,
}

/// A fixture that went through the gate.
#[derive(Debug)]
pub struct Checked {
    /// What was measured.
    pub measured: Measured,
    /// The gate's decision.
    pub verdict: Verdict,
    /// The accepted baseline's file.
    pub baseline: PathBuf,
    /// The second run, in fresh processes, of a fixture that seemed to have regressed, with the
    /// verdict on it; `None` for all others.
    pub confirmation: Option<Box<Confirmation>>,
    /// What lies beside it now.
    pub pending: Pending,
    /// What the environment says differently from the baseline's: key, then, now.
    pub moved: Vec<(String, String, String)>,
}

/// A second run of a fixture that seemed to have regressed.
#[derive(Debug)]
pub struct Confirmation {
    /// What was measured.
    pub measured: Measured,
    /// The verdict on it alone.
    pub verdict: Verdict,
}

impl Gate {
    /// Measures the planted leak and its twin in a worker of this runtime; see [`confidence`].
    ///
    /// # Errors
    ///
    /// When no figure of such a worker may be believed.
    pub fn confidence(&self, runtime: Runtime) -> Result<Confidence, ConfidenceFailed> {
        confidence(runtime, &self.workers.command(runtime)?, &self.records)
    }

    /// Runs one fixture and analyses its series. A Python fixture has two runs, side by side.
    ///
    /// A run whose answer is not certain goes on, up to the fixture's `max_batches`; one in
    /// [haste](Haste) may end before the fixture's batches.
    ///
    /// # Errors
    ///
    /// When the worker cannot be started at all; a worker that dies is an [`Outcome`].
    pub fn measure(&self, spec: &FixtureSpec, haste: Haste) -> Result<Measured, MeasureError> {
        let command = self.workers.command(spec.runtime)?;
        let length = FixturePace::of(spec, haste);
        let led = Led::new(length);
        let run = |command: &WorkerCommand, pace: &dyn Pace| {
            if length.is_fixed() {
                measure(command, spec, &self.records)
            } else {
                measure_at_pace(command, spec, &self.records, pace)
            }
        };
        let (measurement, production) = match self.production(spec.runtime) {
            Some(other) => std::thread::scope(|scope| {
                let production = scope.spawn(|| run(&other, &led.follower()));
                let exact = run(&command, &led);
                // A run that could not be started leads nobody.
                led.ended();
                let production = production.join().unwrap_or_else(|panic| resume_unwind(panic));
                (exact, production.map(Some))
            }),
            None => (run(&command, &led), Ok(None)),
        };
        let (measurement, production) = (measurement?, production?);
        let finding = finding(&measurement);
        let arrow = self.workers.arrow_books();
        let production = production.map(|other| ProductionRun::new(other, arrow, finding.as_ref()));
        let explained = Explained::default();
        Ok(Measured { spec: spec.clone(), measurement, finding, production, explained })
    }

    /// Runs one fixture once, for exactly its batches, without what only figures of resident memory
    /// need.
    ///
    /// # Errors
    ///
    /// As [`Self::measure`].
    pub fn measure_exactly(&self, spec: &FixtureSpec) -> Result<Measured, MeasureError> {
        let command = self.workers.command(spec.runtime)?;
        let measurement = measure(&command, spec, &self.records)?;
        let finding = finding(&measurement);
        let explained = Explained::default();
        Ok(Measured { spec: spec.clone(), measurement, finding, production: None, explained })
    }

    /// Finds out by further runs what a finding leaves open: which rows of a batch make its peak, and
    /// what would save the memory that an allocator keeps. Does nothing for other findings.
    pub fn explain(&self, measured: &mut Measured) {
        let mut explained = Explained::default();
        if let Err(error) = self.explained(measured, &mut explained) {
            explained.failed = Some(error.to_string());
        }
        measured.explained = explained;
    }

    fn explained(&self, measured: &Measured, to: &mut Explained) -> Result<(), MeasureError> {
        let spec = &measured.spec;
        let Some(finding) = &measured.finding else { return Ok(()) };
        let Some(pattern) = measured.headline() else { return Ok(()) };
        let exact = self.workers.command(spec.runtime)?;
        to.rows = bad_rows(&exact, spec, &self.records, &finding.evidence.peak)?;
        if pattern != Pattern::AllocatorRetention {
            return Ok(());
        }
        let suspected = match (&measured.production, &measured.measurement.outcome) {
            (Some(production), _) => production.production.as_ref().map(|it| &it.run),
            (None, Outcome::Finished(run)) => Some(run),
            (None, _) => None,
        };
        let command = self.production(spec.runtime).unwrap_or(exact);
        if let Some(plain) = suspected {
            to.remedies = remedies(&command, spec, &self.records, plain)?;
        }
        Ok(())
    }

    /// The command of the production run, where a runtime has one.
    fn production(&self, runtime: Runtime) -> Option<WorkerCommand> {
        let python = self.workers.python.as_ref().filter(|_| runtime == Runtime::Python);
        python.map(|python| python.command(RunKind::Production))
    }

    /// Runs one fixture and judges it against its baseline. What seems to have regressed is run again
    /// in fresh processes: only what both runs show is a regression, and anything else a
    /// disagreement, which does not pass.
    ///
    /// The verdict is told to `announce` before insta compares, because insta prints only its own
    /// diff.
    ///
    /// A worker that cannot be started makes the measurement invalid, and does not keep the other
    /// fixtures from being checked.
    pub fn check(&self, spec: &FixtureSpec, announce: impl FnOnce(&Checked)) -> Checked {
        let mut measured = self.measured(spec);
        let mut judged = self.judged(&measured);
        let mut confirmation = None;
        if let Verdict::Regressed(first) = &judged.verdict {
            let again = self.measured(spec);
            let second = self.judged(&again).verdict;
            if !matches!(second, Verdict::Regressed(_)) {
                judged.verdict = Verdict::Disagreement(Disagreement {
                    first: first.clone(),
                    second: Box::new(second.clone()),
                });
            }
            confirmation = Some(Box::new(Confirmation { measured: again, verdict: second }));
        }
        if !matches!(judged.verdict, Verdict::Pass | Verdict::NotRun(_)) {
            self.explain(&mut measured);
        }
        let runtime = runtime(spec, &measured.measurement.environment);
        let slot = Slot { fixture: &spec.name, runtime: &runtime };
        let mut checked = Checked {
            verdict: judged.verdict,
            baseline: self.baselines.path(slot),
            confirmation,
            pending: Pending::None,
            moved: judged.moved,
            measured,
        };
        announce(&checked);
        let comparable = !matches!(checked.verdict, Verdict::Disagreement(_));
        if let (Some(new), Some(finding), true) =
            (judged.new, &checked.measured.finding, comparable)
        {
            checked.pending = self.baselines.settle(
                slot,
                &self.source.display().to_string(),
                finding,
                &new,
                &checked.measured.measurement.environment,
            );
        }
        checked
    }

    fn measured(&self, spec: &FixtureSpec) -> Measured {
        self.measure(spec, Haste::Whole).unwrap_or_else(|error| Measured {
            spec: spec.clone(),
            measurement: Measurement::impossible(&error),
            finding: None,
            production: None,
            explained: Explained::default(),
        })
    }

    /// The verdict on one measurement.
    fn judged(&self, measured: &Measured) -> Judged {
        let spec = &measured.spec;
        let environment = &measured.measurement.environment;
        let runtime = runtime(spec, environment);
        let slot = Slot { fixture: &spec.name, runtime: &runtime };
        let (finding, pattern) = match conclusive(measured) {
            Ok(conclusive) => conclusive,
            Err(verdict) => return Judged { verdict, new: None, moved: Vec::new() },
        };
        let new = Baseline::new(self.conditions(spec, &runtime), finding, spec.limits);
        let (verdict, moved) = match self.baselines.load(slot) {
            Ok(None) => (Verdict::BaselineMissing(self.missing(spec, slot)), Vec::new()),
            Ok(stored) => {
                let old = stored.as_ref().map(|stored| &stored.baseline);
                let moved = stored.as_ref().map(|stored| moved(&stored.environment, environment));
                (judge(old, finding, &new), moved.unwrap_or_default())
            }
            Err(unreadable) => {
                (Verdict::BaselineMissing(Missing::Unreadable(unreadable.to_string())), Vec::new())
            }
        };
        let verdict = against_expectation(spec.expect, pattern, verdict);
        Judged { verdict, new: Some(new), moved }
    }

    /// Why there is no baseline of this runtime.
    fn missing(&self, spec: &FixtureSpec, slot: Slot<'_>) -> Missing {
        let accepted = self.baselines.runtimes(slot.fixture, spec.runtime).unwrap_or_default();
        if accepted.is_empty() {
            return Missing::Never;
        }
        Missing::OtherRuntimes { runtime: slot.runtime.to_owned(), accepted }
    }

    /// What must be equal for the figures to be comparable.
    fn conditions(&self, spec: &FixtureSpec, runtime: &str) -> Conditions {
        Conditions {
            runtime: runtime.to_owned(),
            udf: self.udf(spec),
            batches: spec.batches.0,
            rows: spec.rows,
            seed: spec.seed,
            input: self.input(&spec.input),
        }
    }

    /// The UDF as a reviewer reads it: a file's path relative to the project.
    fn udf(&self, spec: &FixtureSpec) -> String {
        let folder = format!("{}/", self.baselines.workspace().display());
        match spec.runtime {
            Runtime::Rust => spec.udf.clone(),
            Runtime::Python => spec.udf.strip_prefix(&folder).unwrap_or(&spec.udf).to_owned(),
        }
    }

    /// The input as a reviewer reads it: a path relative to the project, so that two checkouts agree.
    fn input(&self, input: &Input) -> String {
        match input {
            Input::Generated => "generated".to_owned(),
            Input::File { path, columns } => {
                let path = path.strip_prefix(self.baselines.workspace()).unwrap_or(path);
                let columns = if columns.is_empty() {
                    String::new()
                } else {
                    format!(" ({})", columns.join(", "))
                };
                format!("{}{columns}", path.display())
            }
        }
    }
}

/// The verdict on one measurement, and what it was judged by.
struct Judged {
    verdict: Verdict,
    /// The figures to keep, when there are some.
    new: Option<Baseline>,
    /// What the environment says differently from the baseline's.
    moved: Vec<(String, String, String)>,
}

/// The finding and the pattern of a run that has one, or the verdict for a run that hasn't.
fn conclusive(measured: &Measured) -> Result<(&Finding, Pattern), Verdict> {
    match (&measured.measurement.outcome, &measured.finding) {
        (Outcome::NotAttached(reason), _) => Err(Verdict::NotAttached(reason.clone())),
        (Outcome::Invalid(invalid), _) => Err(match &invalid.death {
            Death::MissingPackage(why) if measured.spec.optional => Verdict::NotRun(why.clone()),
            Death::NoUdf(why) => Verdict::NoUdf(why.clone()),
            _ => Verdict::Invalid(invalid.to_string()),
        }),
        (Outcome::Finished(_), finding) => finding
            .as_ref()
            .and_then(|finding| Some((finding, finding.pattern()?)))
            .ok_or_else(|| {
                let sentence = finding.as_ref().map(Finding::sentence);
                Verdict::Inconclusive(sentence.unwrap_or_else(|| "the run was not analysed".into()))
            }),
    }
}

/// The runtime as far as figures depend on it: objects of one minor version of Python weigh other
/// bytes than those of the next.
fn runtime(spec: &FixtureSpec, environment: &Environment) -> String {
    let minor = environment.get("python").map(|version| {
        let parts: Vec<&str> = version.split('.').take(2).collect();
        parts.join(".")
    });
    match (spec.runtime, minor) {
        (Runtime::Python, Some(minor)) => format!("python {minor}"),
        (runtime, _) => runtime.to_string(),
    }
}

/// A fixture that is there to show a pattern must show it, whatever its baseline says.
fn against_expectation(expect: Option<Pattern>, shown: Pattern, verdict: Verdict) -> Verdict {
    match expect {
        Some(expected) if expected != shown => {
            let changes = match verdict {
                Verdict::Regressed(regression) => regression.changes,
                _ => Vec::new(),
            };
            Verdict::Regressed(Regression { changes, pattern: Some((expected, shown)) })
        }
        _ => verdict,
    }
}

/// What differs between two environments: key, then, now.
fn moved(then: &Environment, now: &Environment) -> Vec<(String, String, String)> {
    let keys: std::collections::BTreeSet<_> = then.keys().chain(now.keys()).collect();
    let value = |side: &Environment, key: &str| side.get(key).cloned().unwrap_or("unknown".into());
    keys.into_iter()
        .map(|key| (key.clone(), value(then, key), value(now, key)))
        .filter(|(_, then, now)| then != now)
        .collect()
}

impl Checked {
    /// The fixture's name.
    pub fn name(&self) -> &str {
        &self.measured.spec.name
    }

    /// Whether the gate lets it through.
    pub fn passes(&self) -> bool {
        self.exit_code() == exit_code::PASS
    }

    /// The documented exit code of this verdict alone.
    pub fn exit_code(&self) -> i32 {
        self.verdict.exit_code()
    }

    /// The record's file.
    pub fn record(&self) -> &Path {
        &self.measured.measurement.record
    }
}

impl Confirmation {
    /// The record's file.
    pub fn record(&self) -> &Path {
        &self.measured.measurement.record
    }
}
