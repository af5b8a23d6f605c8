//! The two runs of a Python fixture, each in a block of its own.

use std::fmt::Write as _;
use std::time::Duration;

use highwater::{Measured, ProductionRun};
use highwater_core::{ArrowBooks, Bytes, BytesPerBatch, GaveBack, Run};
use highwater_tracker::record::MARK_BYTES;
use highwater_worker::Outcome;

use crate::figures::{Grown, RunFigures, Spread};
use crate::run::{no_figures, series};

/// What both runs measured, or why there is nothing; empty for Rust fixtures, which have one run.
pub(crate) fn blocks(measured: &Measured) -> String {
    let mut text = String::new();
    let Some(production) = &measured.production else { return text };
    if let Outcome::Finished(run) = &measured.measurement.outcome {
        text.push_str("  exact run: Arrow on `malloc`, a collection before each mark\n");
        table(&mut text, &RunFigures::of(run, ArrowBooks::Heap));
    }
    text.push_str("\n  production run: allocators, threads and collector as in production\n");
    match (&production.measurement.outcome, &production.production) {
        (Outcome::Finished(run), Some(books)) => {
            table(&mut text, &RunFigures::of(run, books.arrow));
            outcome(&mut text, production, run);
        }
        (outcome, _) => no_figures(&mut text, outcome),
    }
    let _ = writeln!(text, "  record: {}", production.measurement.record.display());
    text
}

/// The finding of the production run, and its resident memory.
fn outcome(text: &mut String, production: &ProductionRun, run: &Run) {
    if let Some(finding) = &production.finding {
        let pattern = finding.pattern.map_or("nothing besides the exact run's", |it| it.name());
        let _ = writeln!(text, "    {:<17} {pattern}\n    {}", "shows", finding.sentence());
    }
    text.push('\n');
    let rss: Vec<i64> = run.batches.iter().map(|reading| reading.rss().0).collect();
    series(text, "resident memory after each batch", &rss);
}

fn table(text: &mut String, figures: &RunFigures) {
    for (label, grown) in [
        ("live heap", figures.live),
        ("Arrow live", figures.arrow_live),
        ("native", figures.native),
        ("mapped", figures.mapped),
        ("RSS anon", figures.rss_anon),
        ("RSS file", figures.rss_file.map(without_marks)),
        ("RSS shmem", figures.rss_shmem),
        ("RSS − accounted", figures.gap),
        ("pickled state", figures.pickled_state),
    ] {
        if let Some(grown) = grown {
            let _ = writeln!(text, "    {label:<17} {}", in_words(grown));
        }
    }
    let _ = writeln!(text, "    {:<17} {}", "held after drop", figures.retained_bytes);
    let time = figures.time_ns.map(|time| Spread {
        median: format!("{:.1?}", Duration::from_nanos(time.median)),
        highest: format!("{:.1?}", Duration::from_nanos(time.highest)),
    });
    let bytes = |of: Option<Spread<Bytes>>| {
        of.map(|of| Spread { median: of.median.to_string(), highest: of.highest.to_string() })
    };
    for (label, spread) in [
        ("time per batch", time),
        ("output", bytes(figures.output_bytes)),
        ("pickled result", bytes(figures.pickled_result_bytes)),
    ] {
        if let Some(Spread { median, highest }) = spread {
            let _ = writeln!(text, "    {label:<17} {median} (median), {highest} (highest)");
        }
    }
    let Some(gave) = figures.gave_back else { return };
    text.push_str("    gave back at the end, each after the one before it:\n");
    let emptied = gave.empty_caches;
    let emptied = (emptied.live != Bytes::ZERO).then_some(("unfilled caches", emptied));
    let always = [
        ("collection", gave.collect),
        ("malloc_trim", gave.trim),
        ("Arrow's pool", gave.release_pool),
    ];
    let last = ("dropping the UDF", gave.drop);
    for (label, GaveBack { live, rss }) in always.into_iter().chain(emptied).chain([last]) {
        let _ = writeln!(text, "      {label:<16} {live} live, {rss} resident");
    }
}

/// What grows beside the record, whose pages are file-backed, too.
fn without_marks(grown: Grown) -> Grown {
    let marks = f64::from(u16::try_from(MARK_BYTES).unwrap_or_default());
    let beside = |rate: BytesPerBatch| BytesPerBatch((rate.0 - marks).max(0.0));
    Grown { bytes_per_batch: grown.bytes_per_batch.map(beside), ..grown }
}

fn in_words(grown: Grown) -> String {
    match grown.bytes_per_batch {
        Some(rate) if rate.0 > 0.0 => format!("{}, rises {rate}", grown.last_bytes),
        Some(_) => grown.last_bytes.to_string(),
        None => format!("{} (too few batches for growth)", grown.last_bytes),
    }
}
