//! A record's marks as the series that the analysis takes.

use highwater_core::{Blocks, Bytes, ExperimentMarks, Experiments, Reading, Run};
use highwater_tracker::record::{Mark, MarkKind, Record, State};

/// A mark that a whole run has and this record lacks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the record says that the run is whole, but {0} is missing\nhint: run the fixture again")]
pub(crate) struct Missing(&'static str);

/// The series of a record, if its run is finished and whole.
#[must_use]
pub fn finished_run(record: &Record) -> Option<Run> {
    let finished = record.progress.state == State::Finished;
    run(record, None).ok().filter(|_| finished)
}

/// The series of a finished run, of `fixed` batches unless its length was left open.
///
/// # Errors
///
/// When a mark is missing: the record was cut off.
pub(crate) fn run(record: &Record, fixed: Option<usize>) -> Result<Run, Missing> {
    let after_drop = only(record, MarkKind::AfterDrop, "the mark after the drop")?;
    let run = Run { after_drop, ..run_so_far(record)? };
    match fixed {
        Some(batches) if run.batches.len() != batches => Err(Missing("the mark of a batch")),
        _ => Ok(run),
    }
}

/// The series of a run that is not over: what comes after the last batch is missing.
///
/// # Errors
///
/// When a mark before is missing.
pub(crate) fn run_so_far(record: &Record) -> Result<Run, Missing> {
    let marks = record.marks.iter().filter(|mark| mark.kind == MarkKind::AfterBatch);
    let batches: Vec<Reading> = marks.clone().map(|mark| reading(mark, 0)).collect();
    if batches.is_empty() || (0..).zip(marks).any(|(number, mark)| mark.batch != number) {
        return Err(Missing("the mark of a batch"));
    }
    Ok(Run {
        before_setup: only(record, MarkKind::BeforeSetup, "the mark before `setup`")?,
        after_setup: only(record, MarkKind::AfterSetup, "the mark after `setup`")?,
        batches,
        after_drop: Reading::default(),
        experiments: experiments(record),
        peak_error_bound: Bytes(record.progress.peak_error_bound_bytes),
        fresh_batches: None,
    })
}

fn only(record: &Record, kind: MarkKind, name: &'static str) -> Result<Reading, Missing> {
    let mark = record.marks.iter().find(|mark| mark.kind == kind).ok_or(Missing(name))?;
    Ok(reading(mark, 0))
}

/// What the experiments at the end gave back; `None` in a record without any. A Rust worker makes one
/// of them, the trim: the others, which it does not make, gave nothing back.
fn experiments(record: &Record) -> Option<Experiments> {
    let last = |kind| {
        record.marks.iter().rev().find(|mark| mark.kind == kind).map(|mark| reading(mark, 0))
    };
    let before = last(MarkKind::AfterBatch)?;
    let trimmed = last(MarkKind::AfterTrim)?;
    let released = last(MarkKind::AfterRelease).unwrap_or(trimmed);
    let marks = ExperimentMarks {
        before,
        collected: last(MarkKind::AfterCollect).unwrap_or(before),
        trimmed,
        released,
        emptied: last(MarkKind::AfterEmpty).unwrap_or(released),
        dropped: last(MarkKind::AfterDrop)?,
    };
    Some(marks.into())
}

/// One mark, its live bytes and peak above `base`.
pub(crate) fn reading(mark: &Mark, base: i64) -> Reading {
    Reading {
        live: Bytes(mark.live_bytes - base),
        blocks: Blocks(mark.live_blocks),
        peak: Bytes(mark.peak_bytes - base),
        allocations: mark.allocations,
        allocated: Bytes(i64::try_from(mark.allocated_bytes).unwrap_or(i64::MAX)),
        harness_live: Bytes(mark.harness_live_bytes),
        input: Bytes(mark.input_bytes),
        arrow_live: mark.arrow_live_bytes.map(Bytes),
        before_collection: mark.before_collection_bytes.map(|live| Bytes(live - base)),
        native: mark.native_bytes.map(Bytes),
        mapped: mark.mapped_bytes.map(Bytes),
        python_blocks: mark.python_blocks.map(Blocks),
        output: mark.output_bytes.map(Bytes),
        pickled_result: mark.pickled_result_bytes.map(Bytes),
        pickled_state: mark.pickled_state_bytes.map(Bytes),
        rss_anon: Bytes(mark.rss_anon_bytes),
        rss_file: Bytes(mark.rss_file_bytes),
        rss_shmem: Bytes(mark.rss_shmem_bytes),
        threads: mark.threads,
        duration_ns: mark.duration_ns,
    }
}
