//! One fixture in full, without a gate.

use std::fmt::Write as _;

use highwater::Measured;
use highwater_core::{Bytes, Run};
use highwater_worker::Outcome;

use crate::python;
use crate::sparkline::sparkline;

/// Width of the sparklines: they fit an 80-column terminal with their labels.
const WIDTH: usize = 60;

/// The figures, the finding and the sparklines of one run, or why there are none.
#[must_use]
pub fn describe(measured: &Measured) -> String {
    let Measured { spec, measurement, finding, .. } = measured;
    let mut text = format!(
        "{} ({}, {} batches of {} rows, seed {})\n",
        spec.name, spec.runtime, spec.batches.0, spec.rows, spec.seed
    );
    match (&measurement.outcome, finding) {
        (Outcome::Finished(run), Some(finding)) => {
            let figures = &finding.figures;
            let pattern = finding.pattern().map_or("inconclusive", highwater_core::Pattern::name);
            let blocks = figures.leaked_blocks_per_batch;
            for (label, value) in [
                ("setup", figures.setup_bytes.to_string()),
                ("peak", figures.peak_bytes.to_string()),
                ("leaked per batch", format!("{}, {blocks}", figures.leaked_bytes_per_batch)),
                ("held after drop", figures.retained_bytes.to_string()),
                ("time per batch", duration(run)),
                ("pattern", pattern.to_owned()),
            ] {
                let _ = writeln!(text, "  {label:<17} {value}");
            }
            let _ = writeln!(text, "  {}", finding.sentence());
            text.push('\n');
            series(&mut text, "live after each batch", &run.live_series());
            let peaks: Vec<i64> = run.batches.iter().map(|reading| reading.peak.0).collect();
            series(&mut text, "peak in each batch", &peaks);
        }
        (Outcome::Finished(_), None) => {}
        (outcome, _) => no_figures(&mut text, outcome),
    }
    let _ = writeln!(text, "  record: {}", measurement.record.display());
    let blocks = python::blocks(measured);
    if !blocks.is_empty() {
        text.push('\n');
        text.push_str(&blocks);
    }
    text
}

/// Why a run has no figures.
pub(crate) fn no_figures(text: &mut String, outcome: &Outcome) {
    match outcome {
        Outcome::NotAttached(reason) => {
            let _ = writeln!(text, "  no figures: {reason}");
        }
        Outcome::Invalid(invalid) => {
            let _ = writeln!(text, "  invalid: {invalid}");
            for line in invalid.output.lines() {
                let _ = writeln!(text, "  worker: {line}");
            }
        }
        Outcome::Finished(_) => {}
    }
}

/// A series' range and its sparkline.
pub(crate) fn series(text: &mut String, label: &str, values: &[i64]) {
    let (low, high) = (values.iter().min().copied(), values.iter().max().copied());
    let (low, high) = (Bytes(low.unwrap_or(0)), Bytes(high.unwrap_or(0)));
    let _ = writeln!(text, "  {label}: {low} to {high}\n  {}", sparkline(values, WIDTH));
}

/// The median time of a batch.
fn duration(run: &Run) -> String {
    let mut times: Vec<u64> = run.batches.iter().map(|reading| reading.duration_ns).collect();
    times.sort_unstable();
    let median = times.get(times.len() / 2).copied().unwrap_or(0);
    format!("{:.1?} (median)", std::time::Duration::from_nanos(median))
}
