//! The same for programs.

use std::path::Path;

use highwater::{BadRows, Checked, Confidence, Measured, ProductionRun, Remedy};
use highwater_core::{
    ArrowBooks, Batches, BlocksPerBatch, Bytes, BytesPerBatch, Explanation, Finding, Pattern,
    PeakParts, ProductionFinding, Recommendation, Verdict,
};
use highwater_worker::{Invalid, Outcome};
use serde::Serialize;

use crate::figures::RunFigures;

/// Everything that one command found.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    /// Version of this layout: 1.
    pub version: u32,
    /// What the confidence check measured, for each runtime of the fixtures; empty for commands that
    /// don't gate.
    pub confidence: Vec<Confidence>,
    /// The fixtures, in the manifest's order.
    pub fixtures: Vec<Entry<'a>>,
    /// Baselines that belong to no fixture.
    pub orphans: Vec<&'a Path>,
    /// The command's exit code.
    pub exit_code: i32,
}

/// One fixture. Figures are `null` when its run did not finish.
#[derive(Debug, Serialize)]
pub struct Entry<'a> {
    name: &'a str,
    runtime: String,
    udf: &'a str,
    /// Batches that were run; what the fixture asks for where none were.
    batches: Batches,
    /// What the fixture asks for.
    asked_batches: Batches,
    rows: u32,
    setup_bytes: Option<Bytes>,
    peak_bytes: Option<Bytes>,
    /// What the peak is made of.
    peak_parts: Option<PeakParts>,
    leaked_bytes_per_batch: Option<BytesPerBatch>,
    leaked_blocks_per_batch: Option<BlocksPerBatch>,
    retained_bytes: Option<Bytes>,
    /// What to list the fixture under: the exact run's pattern, or, where that one passes, what the
    /// production run warns of.
    pattern: Option<Pattern>,
    /// `null` where nothing was gated.
    verdict: Option<&'static str>,
    detail: Option<&'a Verdict>,
    sentence: Option<String>,
    /// How sure that is, what was tried, and what to do next.
    explanation: Option<Explanation>,
    /// The rows to blame for a batch that stands out.
    bad_rows: Option<&'a BadRows>,
    /// What was tried against memory that an allocator keeps.
    remedies: &'a [Remedy],
    /// The memory to ask for.
    recommendation: Option<Asked>,
    finding: Option<&'a Finding>,
    invalid: Option<&'a Invalid>,
    record: &'a Path,
    pending: Option<&'a Path>,
    /// The second run of what seemed to have regressed.
    confirmation: Option<Second<'a>>,
    /// What only Python fixtures have; no key for Rust fixtures.
    #[serde(skip_serializing_if = "Option::is_none")]
    python: Option<Runs<'a>>,
}

/// The memory to ask for, also as it is pasted.
#[derive(Debug, Serialize)]
struct Asked {
    #[serde(flatten)]
    figures: Recommendation,
    ray: String,
    kubernetes: String,
}

/// The second run of what seemed to have regressed.
#[derive(Debug, Serialize)]
struct Second<'a> {
    verdict: &'static str,
    detail: &'a Verdict,
    finding: Option<&'a Finding>,
    record: &'a Path,
}

/// The two runs of a Python fixture. What the gate compares, and the finding beside it, are the
/// exact run's.
#[derive(Debug, Serialize)]
struct Runs<'a> {
    /// The exact run's pattern, which the baseline holds.
    exact_pattern: Option<Pattern>,
    /// `null` when the run did not finish.
    exact: Option<RunFigures>,
    production: ProductionEntry<'a>,
}

/// The production run; figures are `null` when it did not finish.
#[derive(Debug, Serialize)]
struct ProductionEntry<'a> {
    figures: Option<RunFigures>,
    /// What it shows besides the exact run's pattern; `null` when nothing.
    pattern: Option<Pattern>,
    sentence: Option<String>,
    finding: Option<&'a ProductionFinding>,
    invalid: Option<&'a Invalid>,
    record: &'a Path,
}

impl Document<'_> {
    /// The document as indented JSON, with a final line feed.
    ///
    /// # Panics
    ///
    /// Never: it holds nothing that JSON cannot.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data");
        text.push('\n');
        text
    }
}

impl<'a> From<&'a Measured> for Entry<'a> {
    fn from(measured: &'a Measured) -> Self {
        let Measured { spec, measurement, finding, .. } = measured;
        let figures = finding.as_ref().map(|finding| &finding.figures);
        Self {
            name: &spec.name,
            runtime: spec.runtime.to_string(),
            udf: &spec.udf,
            batches: figures.map_or(spec.batches, |figures| figures.batches),
            asked_batches: spec.batches,
            rows: spec.rows,
            setup_bytes: figures.map(|figures| figures.setup_bytes),
            peak_bytes: figures.map(|figures| figures.peak_bytes),
            peak_parts: match &measurement.outcome {
                Outcome::Finished(run) => Some(run.peak_parts()),
                Outcome::Invalid(_) | Outcome::NotAttached(_) => None,
            },
            leaked_bytes_per_batch: figures.map(|figures| figures.leaked_bytes_per_batch),
            leaked_blocks_per_batch: figures.map(|figures| figures.leaked_blocks_per_batch),
            retained_bytes: figures.map(|figures| figures.retained_bytes),
            pattern: measured.headline(),
            verdict: None,
            detail: None,
            sentence: measured.sentence(),
            explanation: measured.explanation(),
            bad_rows: measured.explained.rows.as_ref(),
            remedies: &measured.explained.remedies,
            recommendation: measured.recommendation().map(|figures| Asked {
                figures,
                ray: figures.for_ray(),
                kubernetes: figures.for_kubernetes(),
            }),
            finding: finding.as_ref(),
            invalid: invalid(&measurement.outcome),
            record: &measurement.record,
            pending: None,
            confirmation: None,
            python: measured.production.as_ref().map(|production| Runs::of(measured, production)),
        }
    }
}

impl<'a> Runs<'a> {
    fn of(measured: &'a Measured, production: &'a ProductionRun) -> Self {
        let found = production.finding.as_ref();
        let books = production.production.as_ref();
        Self {
            exact_pattern: measured.finding.as_ref().and_then(Finding::pattern),
            exact: match &measured.measurement.outcome {
                Outcome::Finished(run) => Some(RunFigures::of(run, ArrowBooks::Heap)),
                Outcome::Invalid(_) | Outcome::NotAttached(_) => None,
            },
            production: ProductionEntry {
                figures: books.map(|books| RunFigures::of(&books.run, books.arrow)),
                pattern: found.and_then(|finding| finding.pattern),
                sentence: found.map(ProductionFinding::sentence),
                finding: found,
                invalid: invalid(&production.measurement.outcome),
                record: &production.measurement.record,
            },
        }
    }
}

fn invalid(outcome: &Outcome) -> Option<&Invalid> {
    match outcome {
        Outcome::Invalid(invalid) => Some(invalid),
        Outcome::Finished(_) | Outcome::NotAttached(_) => None,
    }
}

impl<'a> From<&'a Checked> for Entry<'a> {
    fn from(checked: &'a Checked) -> Self {
        let pending = match &checked.pending {
            highwater::Pending::Written(path) => Some(path.as_path()),
            highwater::Pending::None | highwater::Pending::Unwritable(_) => None,
        };
        Self {
            verdict: Some(checked.verdict.name()),
            detail: Some(&checked.verdict),
            pending,
            confirmation: checked.confirmation.as_ref().map(|second| Second {
                verdict: second.verdict.name(),
                detail: &second.verdict,
                finding: second.measured.finding.as_ref(),
                record: second.record(),
            }),
            ..Self::from(&checked.measured)
        }
    }
}
