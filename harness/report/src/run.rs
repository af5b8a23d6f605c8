//! One fixture in full, without a gate.

use std::fmt::Write as _;

use highwater::{FixtureSpec, Measured};
use highwater_core::{Batches, Bytes, PeakParts, Run};

use highwater_worker::Outcome;

use crate::python;
use crate::sparkline::sparkline;

/// Width of the sparklines: they fit an 80-column terminal with their labels.
const WIDTH: usize = 60;

/// The figures, the finding and the sparklines of one run, or why there are none.
#[must_use]
pub fn describe(measured: &Measured) -> String {
    let Measured { spec, measurement, finding, .. } = measured;
    let done = finding.as_ref().map_or(spec.batches, |finding| finding.figures.batches);
    let mut text = format!(
        "{} ({}, {} batches of {} rows, seed {})\n",
        spec.name, spec.runtime, done.0, spec.rows, spec.seed
    );
    match (&measurement.outcome, finding) {
        (Outcome::Finished(run), Some(finding)) => {
            let figures = &finding.figures;
            let pattern = measured.headline().map_or("inconclusive", highwater_core::Pattern::name);
            let blocks = figures.leaked_blocks_per_batch;
            for (label, value) in [
                ("setup", figures.setup_bytes.to_string()),
                ("peak", peak(figures.peak_bytes, run.peak_parts())),
                ("leaked per batch", format!("{}, {blocks}", figures.leaked_bytes_per_batch)),
                ("held after drop", figures.retained_bytes.to_string()),
                ("time per batch", duration(run)),
                ("pattern", pattern.to_owned()),
            ] {
                let _ = writeln!(text, "  {label:<17} {value}");
            }
            explanation(&mut text, measured);
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

/// The peak and what it is made of.
fn peak(bytes: Bytes, parts: PeakParts) -> String {
    let PeakParts { setup, state, transient, batch } = parts;
    let place = batch.map_or("`setup`".to_owned(), |batch| format!("batch {batch}"));
    format!("{bytes}: {setup} of `setup`, {state} of state, {transient} within {place}")
}

/// The finding in words: what it shows, how sure that is, what was tried, and what to do.
fn explanation(text: &mut String, measured: &Measured) {
    let mut line = |label: &str, words: &dyn std::fmt::Display| {
        let _ = writeln!(text, "  {label:<17} {words}");
    };
    if let Some(sentence) = measured.sentence() {
        line("finding", &sentence);
    }
    if let Some(explanation) = measured.explanation() {
        line("certainty", &explanation.certainty);
        line("took", &length(&measured.spec, explanation.batches));
        if let Some(tried) = &explanation.tried {
            line("tried", tried);
        }
        if let Some(rows) = &measured.explained.rows {
            line("rows", rows);
        }
        for remedy in &measured.explained.remedies {
            line("tried", remedy);
        }
        if let Some(best) = measured.explained.best_remedy() {
            line("saves most", &best.name);
        }
        line("next", &explanation.next);
    }
    if let Some(failed) = &measured.explained.failed {
        line("not explained", failed);
    }
    if let Some(recommendation) = measured.recommendation() {
        line("memory", &recommendation);
        line("  for Ray", &recommendation.for_ray());
        line("  for Kubernetes", &recommendation.for_kubernetes());
    }
}

/// How many batches the answer took, of those asked for.
fn length(spec: &FixtureSpec, took: Batches) -> String {
    let asked = spec.batches;
    match took.cmp(&asked) {
        std::cmp::Ordering::Equal => format!("{took}, as asked for"),
        std::cmp::Ordering::Greater => {
            format!("{took}: after the {} asked for it was not certain", asked.0)
        }
        std::cmp::Ordering::Less => {
            format!(
                "{took} of {}: ended at the first certain answer, which a late leak escapes",
                asked.0
            )
        }
    }
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
