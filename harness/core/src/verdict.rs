//! The gate's decision on one fixture.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::baseline::{Baseline, Metric};
use crate::exit_code;
use crate::finding::{Answer, Finding};
use crate::limit::{Limit, Movement};
use crate::pattern::{Class, Pattern};
use crate::units::grouped;

/// The gate's decision on one fixture.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Every figure within its limit, the pattern accepted.
    Pass,
    /// Passes, but the baseline is stale: something is better than it says.
    Improved(Improvement),
    /// Something is worse than the baseline allows.
    Regressed(Regression),
    /// The run does not tell; says why.
    Inconclusive(String),
    /// The measurement cannot be used; says why. Never returned by [`judge`].
    Invalid(String),
    /// The worker was not under the tracker, so no figure of it may be believed; says why. Never
    /// returned by [`judge`].
    NotAttached(String),
    /// There is no UDF as the fixture names it; says why. Never returned by [`judge`].
    NoUdf(String),
    /// Nothing to compare with.
    BaselineMissing(Missing),
    /// A regression that a second run, in a fresh process, did not show. Never returned by [`judge`].
    Disagreement(Disagreement),
    /// An optional fixture that cannot run here; says why. Never returned by [`judge`].
    NotRun(String),
}

/// What got better.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Improvement {
    /// Figures below their baseline by more than the limit.
    pub changes: Vec<Change>,
    /// Old and new pattern, when a leak is gone.
    pub pattern: Option<(Pattern, Pattern)>,
}

/// What got worse.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Regression {
    /// Figures above their baseline by more than the limit.
    pub changes: Vec<Change>,
    /// Old and new pattern, when there is a leak that the baseline does not accept.
    pub pattern: Option<(Pattern, Pattern)>,
}

/// What two runs of one fixture said.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Disagreement {
    /// What the first one showed.
    pub first: Regression,
    /// The verdict on the second one.
    pub second: Box<Verdict>,
}

/// Why there is nothing to compare with.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Missing {
    /// No baseline was ever accepted.
    Never,
    /// There are baselines, and none of this runtime. Never returned by [`judge`].
    OtherRuntimes {
        /// That of this run: `python 3.13`.
        runtime: String,
        /// Those that have a baseline.
        accepted: Vec<String>,
    },
    /// The baseline was taken under other conditions or limits.
    Differs(Vec<Difference>),
    /// There is a baseline that cannot be read; says why. Never returned by [`judge`].
    Unreadable(String),
}

/// A condition or limit that is not what the baseline was taken under.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Difference {
    /// The key: `rows`, `limits.peak_bytes`.
    pub what: String,
    /// In the baseline.
    pub old: String,
    /// In this run.
    pub new: String,
}

/// A figure that moved by more than its limit.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Change {
    /// Which figure.
    pub metric: Metric,
    /// In the baseline.
    pub old: i64,
    /// In this run.
    pub new: i64,
    /// What it may move by.
    pub limit: Limit,
}

impl Verdict {
    /// The name in JSON and reports.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Improved(_) => "improved",
            Self::Regressed(_) => "regressed",
            Self::Inconclusive(_) => "inconclusive",
            Self::Invalid(_) => "invalid",
            Self::NotAttached(_) => "not_attached",
            Self::NoUdf(_) => "no_udf",
            Self::BaselineMissing(_) => "baseline_missing",
            Self::Disagreement(_) => "disagreement",
            Self::NotRun(_) => "not_run",
        }
    }

    /// What a command that judged this one fixture exits with, see [`exit_code`].
    #[must_use]
    pub const fn exit_code(&self) -> i32 {
        match self {
            Self::Pass | Self::Improved(_) | Self::NotRun(_) => exit_code::PASS,
            Self::Regressed(_) => exit_code::REGRESSED,
            Self::Inconclusive(_) | Self::Invalid(_) | Self::Disagreement(_) => exit_code::INVALID,
            Self::NotAttached(_) => exit_code::CONFIDENCE,
            Self::NoUdf(_) => exit_code::USAGE,
            Self::BaselineMissing(_) => exit_code::BASELINE_MISSING,
        }
    }
}

/// Judges `new`, which was made from `finding`, by the accepted baseline.
///
/// In this order: an inconclusive finding is inconclusive whatever its figures; without a
/// comparable baseline there is nothing to judge by; one thing worse is a regression whatever got
/// better. A pattern change counts when it reaches a leak that the baseline does not accept, or
/// leaves one; all other patterns are judged by their figures alone, as is a leak that a limit of
/// its own allows.
#[must_use]
pub fn judge(old: Option<&Baseline>, finding: &Finding, new: &Baseline) -> Verdict {
    if let Answer::Inconclusive(_) = finding.answer {
        return Verdict::Inconclusive(finding.sentence());
    }
    let Some(old) = old else {
        return Verdict::BaselineMissing(Missing::Never);
    };
    let differences = differences(old, new);
    if !differences.is_empty() {
        return Verdict::BaselineMissing(Missing::Differs(differences));
    }
    let mut worse = Regression::default();
    let mut better = Improvement::default();
    for metric in Metric::ALL {
        let limit = new.limits.of(metric);
        let change = Change { metric, old: old.value(metric), new: new.value(metric), limit };
        match limit.compare(change.old, change.new) {
            Movement::Within => {}
            Movement::Above => worse.changes.push(change),
            Movement::Below => better.changes.push(change),
        }
    }
    // Two different leaks are not one: the figures of a heap leak say nothing of a native one. But a
    // leak that is all in the figures, and within a limit that was set for it, is what was allowed.
    let limit = new.limits.of(Metric::LeakedBytesPerBatch);
    let leaked = [old, new].map(|it| it.value(Metric::LeakedBytesPerBatch));
    let is_allowed = leaked[1] > 0
        && matches!(new.pattern, Pattern::HeapLeak | Pattern::ArrowLeak)
        && old.pattern.class() != Class::Fail
        && limit != Limit::EXACT
        && limit.compare(leaked[0], leaked[1]) == Movement::Within;
    match (old.pattern.class(), new.pattern.class()) {
        (_, Class::Fail) if old.pattern != new.pattern && !is_allowed => {
            worse.pattern = Some((old.pattern, new.pattern));
        }
        (Class::Fail, Class::Pass | Class::Warn | Class::PeakLimit) => {
            better.pattern = Some((old.pattern, new.pattern));
        }
        _ => {}
    }
    if !worse.changes.is_empty() || worse.pattern.is_some() {
        Verdict::Regressed(worse)
    } else if !better.changes.is_empty() || better.pattern.is_some() {
        Verdict::Improved(better)
    } else {
        Verdict::Pass
    }
}

/// What keeps two baselines from being comparable.
fn differences(old: &Baseline, new: &Baseline) -> Vec<Difference> {
    let (a, b) = (&old.conditions, &new.conditions);
    let conditions = [
        ("runtime", a.runtime.clone(), b.runtime.clone()),
        ("udf", a.udf.clone(), b.udf.clone()),
        ("batches", a.batches.to_string(), b.batches.to_string()),
        ("rows", a.rows.to_string(), b.rows.to_string()),
        ("seed", a.seed.to_string(), b.seed.to_string()),
        ("input", a.input.clone(), b.input.clone()),
    ];
    let limits = Metric::ALL.map(|metric| {
        let key = format!("limits.{metric}");
        (key, old.limits.of(metric).to_string(), new.limits.of(metric).to_string())
    });
    conditions
        .map(|(what, old, new)| (what.to_owned(), old, new))
        .into_iter()
        .chain(limits)
        .filter(|(_, old, new)| old != new)
        .map(|(what, old, new)| Difference { what, old, new })
        .collect()
}

impl fmt::Display for Change {
    /// `peak_bytes 8.2 MiB → 9.9 MiB (+1.7 MiB, +20.7 %), limit 5%|256KiB`.
    #[expect(clippy::cast_precision_loss, reason = "a percentage with one decimal")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { metric, old, new, limit } = self;
        let (mut from, mut to) = (metric.human(*old), metric.human(*new));
        if from == to {
            // Rounding hides the change, so show every digit.
            (from, to) = (grouped(*old), grouped(*new));
        }
        let delta = new.saturating_sub(*old);
        let sign = if delta > 0 { "+" } else { "" };
        write!(f, "{metric} {from} → {to} ({sign}{}", metric.human(delta))?;
        if *old != 0 {
            let percent = delta as f64 / old.unsigned_abs() as f64 * 100.0;
            write!(f, ", {percent:+.1} %")?;
        }
        write!(f, "), limit {limit}")?;
        if *limit == Limit::EXACT { f.write_str(" (exact)") } else { Ok(()) }
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {} → {}", self.what, self.old, self.new)
    }
}

impl fmt::Display for Missing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Never => f.write_str("no baseline was accepted yet"),
            Self::OtherRuntimes { runtime, accepted } => {
                let accepted = accepted.join(", ");
                write!(f, "none was accepted for {runtime} yet, only for {accepted}")
            }
            Self::Differs(differences) => {
                f.write_str("the baseline was taken under other conditions: ")?;
                join(f, differences)
            }
            Self::Unreadable(why) => f.write_str(why),
        }
    }
}

impl fmt::Display for Regression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pattern_and_changes(f, self.pattern, &self.changes)
    }
}

impl fmt::Display for Improvement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        pattern_and_changes(f, self.pattern, &self.changes)
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pass => f.write_str("pass"),
            Self::Improved(improvement) => write!(f, "improved: {improvement}"),
            Self::Regressed(regression) => write!(f, "regressed: {regression}"),
            Self::Inconclusive(why) => write!(f, "inconclusive: {why}"),
            Self::Invalid(why) => write!(f, "invalid: {why}"),
            Self::NotAttached(why) => write!(f, "not attached: {why}"),
            Self::NoUdf(why) => write!(f, "not there: {why}"),
            Self::BaselineMissing(missing) => write!(f, "baseline missing: {missing}"),
            Self::Disagreement(Disagreement { first, second }) => {
                write!(f, "two runs disagree: regressed: {first}; then {second}")
            }
            Self::NotRun(why) => write!(f, "not run: {why}"),
        }
    }
}

fn pattern_and_changes(
    f: &mut fmt::Formatter<'_>,
    pattern: Option<(Pattern, Pattern)>,
    changes: &[Change],
) -> fmt::Result {
    if let Some((old, new)) = pattern {
        write!(f, "pattern {old} → {new}")?;
        if !changes.is_empty() {
            f.write_str("; ")?;
        }
    }
    join(f, changes)
}

fn join<T: fmt::Display>(f: &mut fmt::Formatter<'_>, items: &[T]) -> fmt::Result {
    for (index, item) in items.iter().enumerate() {
        if index != 0 {
            f.write_str("; ")?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}
