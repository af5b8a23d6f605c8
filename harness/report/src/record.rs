//! A record, whatever became of its worker.

use std::fmt::Write as _;

use highwater_core::{Bytes, analyse};
use highwater_tracker::record::{Mark, MarkKind, Record, State};
use highwater_worker::{Step, finished_run};
use serde_json::{Value, json};

use crate::sparkline::sparkline;

const WIDTH: usize = 60;

/// What a record says, for people.
#[must_use]
pub fn record(record: &Record) -> String {
    let header = &record.header;
    let mut text = format!(
        "{} ({:?} UDF `{}`, {} batches of {} rows, seed {}, tracker {})\n",
        header.fixture,
        header.runtime,
        header.udf,
        header.batches,
        header.rows,
        header.seed,
        header.tracker_version
    );
    let live: Vec<i64> = batches(record).map(|mark| mark.live_bytes - base(record)).collect();
    let mut line = |label: &str, value: &str| {
        let _ = writeln!(text, "  {label:<12} {value}");
    };
    line("state", &state(record));
    let whole =
        format!("{}, after {} of {} batches", record.marks.len(), live.len(), header.batches);
    line("marks", &whole);
    if let Some(cut) = record.truncated {
        let lost = cut.committed - cut.readable;
        line("cut off", &format!("{lost} marks that were taken are missing from the file"));
    }
    if let Some(last) = record.marks.last() {
        let (live, peak) = (last.live_bytes - base(record), last.peak_bytes - base(record));
        line("last mark", &format!("{} live, {} peak", Bytes(live), Bytes(peak)));
    }
    if let Some(run) = finished_run(record) {
        line("finding", &analyse(&run).sentence());
    }
    if let (Some(low), Some(high)) = (live.iter().min(), live.iter().max()) {
        let _ = writeln!(text, "  live after each batch: {} to {}", Bytes(*low), Bytes(*high));
        let _ = writeln!(text, "  {}", sparkline(&live, WIDTH));
    }
    text
}

/// The same for programs, with every mark.
#[must_use]
pub fn record_json(record: &Record) -> Value {
    let header = &record.header;
    json!({
        "version": 1,
        "fixture": header.fixture,
        "udf": header.udf,
        "batches_asked": header.batches,
        "rows": header.rows,
        "seed": header.seed,
        "tracker": header.tracker_version,
        "pid": header.pid,
        "state": state(record),
        "complete": is_complete(record),
        "batches": batches(record).count(),
        "marks": record.marks.iter().map(mark).collect::<Vec<_>>(),
    })
}

/// Whether the run came to its end and every mark is there.
#[must_use]
pub fn is_complete(record: &Record) -> bool {
    record.progress.state == State::Finished && record.truncated.is_none()
}

fn batches(record: &Record) -> impl Iterator<Item = &Mark> {
    record.marks.iter().filter(|mark| mark.kind == MarkKind::AfterBatch)
}

/// Live bytes before `setup`, to which a reader's figures relate.
fn base(record: &Record) -> i64 {
    let before = record.marks.iter().find(|mark| mark.kind == MarkKind::BeforeSetup);
    before.map_or(0, |mark| mark.live_bytes)
}

fn state(record: &Record) -> String {
    let step = Step::from(record.progress.stage);
    match &record.progress.state {
        State::Finished => "finished".to_owned(),
        State::Failed { message } => format!("failed {step}: {message}"),
        State::Running => format!("not finished: the worker was killed, or still is, {step}"),
    }
}

fn mark(mark: &Mark) -> Value {
    json!({
        "kind": format!("{:?}", mark.kind),
        "batch": mark.batch,
        "live_bytes": mark.live_bytes,
        "live_blocks": mark.live_blocks,
        "peak_bytes": mark.peak_bytes,
        "allocations": mark.allocations,
        "allocated_bytes": mark.allocated_bytes,
        "harness_live_bytes": mark.harness_live_bytes,
        "input_bytes": mark.input_bytes,
        "arrow_live_bytes": mark.arrow_live_bytes,
        "rss_anon_bytes": mark.rss_anon_bytes,
        "rss_file_bytes": mark.rss_file_bytes,
        "rss_shmem_bytes": mark.rss_shmem_bytes,
        "threads": mark.threads,
        "duration_ns": mark.duration_ns,
    })
}
