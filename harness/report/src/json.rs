//! The same for programs.

use std::path::Path;

use highwater::{Checked, Confidence, Measured};
use highwater_core::{Batches, BlocksPerBatch, Bytes, BytesPerBatch, Finding, Pattern, Verdict};
use highwater_worker::{Invalid, Outcome};
use serde::Serialize;

/// Everything that one command found.
#[derive(Debug, Serialize)]
pub struct Document<'a> {
    /// Version of this layout: 1.
    pub version: u32,
    /// What the confidence check measured; `null` for commands that don't gate.
    pub confidence: Option<Confidence>,
    /// What failed before any fixture ran, in one line and a hint.
    pub error: Option<String>,
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
    batches: Batches,
    rows: u32,
    setup_bytes: Option<Bytes>,
    peak_bytes: Option<Bytes>,
    leaked_bytes_per_batch: Option<BytesPerBatch>,
    leaked_blocks_per_batch: Option<BlocksPerBatch>,
    retained_bytes: Option<Bytes>,
    pattern: Option<Pattern>,
    /// `null` where nothing was gated.
    verdict: Option<&'static str>,
    detail: Option<&'a Verdict>,
    sentence: Option<String>,
    finding: Option<&'a Finding>,
    invalid: Option<&'a Invalid>,
    record: &'a Path,
    pending: Option<&'a Path>,
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
        let Measured { spec, measurement, finding } = measured;
        let figures = finding.as_ref().map(|finding| &finding.figures);
        let invalid = match &measurement.outcome {
            Outcome::Invalid(invalid) => Some(invalid),
            Outcome::Finished(_) | Outcome::NotAttached(_) => None,
        };
        Self {
            name: &spec.name,
            runtime: spec.runtime.to_string(),
            udf: &spec.udf,
            batches: spec.batches,
            rows: spec.rows,
            setup_bytes: figures.map(|figures| figures.setup_bytes),
            peak_bytes: figures.map(|figures| figures.peak_bytes),
            leaked_bytes_per_batch: figures.map(|figures| figures.leaked_bytes_per_batch),
            leaked_blocks_per_batch: figures.map(|figures| figures.leaked_blocks_per_batch),
            retained_bytes: figures.map(|figures| figures.retained_bytes),
            pattern: finding.as_ref().and_then(Finding::pattern),
            verdict: None,
            detail: None,
            sentence: finding.as_ref().map(Finding::sentence),
            finding: finding.as_ref(),
            invalid,
            record: &measurement.record,
            pending: None,
        }
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
            ..Self::from(&checked.measured)
        }
    }
}
