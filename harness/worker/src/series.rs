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
    run(record).ok().filter(|_| finished)
}

/// The series of a finished run.
///
/// # Errors
///
/// When a mark is missing: the record was cut off.
pub(crate) fn run(record: &Record) -> Result<Run, Missing> {
    let only = |kind: MarkKind, name| {
        let mark = record.marks.iter().find(|mark| mark.kind == kind).ok_or(Missing(name))?;
        Ok(reading(mark, 0))
    };
    let batches: Vec<Reading> = record
        .marks
        .iter()
        .filter(|mark| mark.kind == MarkKind::AfterBatch)
        .map(|mark| reading(mark, 0))
        .collect();
    if batches.len() != record.header.batches as usize {
        return Err(Missing("the mark of a batch"));
    }
    Ok(Run {
        before_setup: only(MarkKind::BeforeSetup, "the mark before `setup`")?,
        after_setup: only(MarkKind::AfterSetup, "the mark after `setup`")?,
        batches,
        after_drop: only(MarkKind::AfterDrop, "the mark after the drop")?,
        experiments: experiments(record),
        peak_error_bound: Bytes(record.progress.peak_error_bound_bytes),
    })
}

/// What the experiments at the end gave back; `None` in the record of a Rust worker, which makes none.
fn experiments(record: &Record) -> Option<Experiments> {
    let last = |kind| {
        record.marks.iter().rev().find(|mark| mark.kind == kind).map(|mark| reading(mark, 0))
    };
    let marks = ExperimentMarks {
        before: last(MarkKind::AfterBatch)?,
        collected: last(MarkKind::AfterCollect)?,
        trimmed: last(MarkKind::AfterTrim)?,
        released: last(MarkKind::AfterRelease)?,
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
