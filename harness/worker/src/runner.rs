//! Runs one UDF over its batches and takes the marks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Instant;

use highwater_fixture::{Entry, Udf as _, UdfError, UnknownUdf};
use highwater_tracker::canary::CanaryError;
use highwater_tracker::record::{MarkKind, Stage};
use highwater_tracker::{Section, heap, set_other_threads_aside};
use rustix::process::{Signal, getppid, set_parent_process_death_signal};

use crate::assignment::Assignment;
use crate::feed::Feed;
use crate::handover::Handover;
use crate::marker::{MarkError, Marker, Step};
use crate::panics;

/// Why a run ended before its end.
#[derive(Debug, thiserror::Error)]
pub enum Stop {
    /// The UDF or its input failed.
    #[error("{0}")]
    Failed(String),
    /// The record could not be made or written.
    #[error(transparent)]
    NoRecord(#[from] MarkError),
    /// The tracker is not attached.
    #[error(transparent)]
    NotAttached(#[from] CanaryError),
}

/// Runs the assigned fixture with the UDF of `entry` and records every mark.
///
/// Marks are taken at the start, before and after `setup`, after every batch, after the heap was
/// trimmed at the end, and after the drop.
/// Between marks the worker itself allocates nothing in the UDF's account: its own work is done in
/// harness sections, and the batch that it hands over is dropped before the mark.
///
/// # Errors
///
/// What ended the run early; the record holds it too, unless it is about the record.
pub fn run(assignment: &Assignment, entry: Result<&Entry, UnknownUdf>) -> Result<(), Stop> {
    let harness = Section::harness();
    end_with_harness(assignment.harness_pid);
    let mut marker = Marker::create(assignment)?;
    if let Err(unattached) = marker.prove()? {
        marker.fail(&unattached.to_string())?;
        return Err(unattached.into());
    }
    // In a test binary libtest's main thread is there too, and allocates when it likes.
    set_other_threads_aside();
    drop(harness);
    let result = marked(assignment, entry, &mut marker);
    let _harness = Section::harness();
    match &result {
        Ok(()) => marker.finish()?,
        Err(Stop::Failed(message)) => marker.fail(message)?,
        Err(Stop::NoRecord(_) | Stop::NotAttached(_)) => {}
    }
    result
}

fn marked(
    assignment: &Assignment,
    entry: Result<&Entry, UnknownUdf>,
    marker: &mut Marker,
) -> Result<(), Stop> {
    let harness = Section::harness();
    marker.mark(MarkKind::ProcessStart, 0, Step::default())?;
    let entry = entry.map_err(|error| Stop::Failed(error.to_string()))?;
    let mut feed = Feed::open(assignment, entry)?;
    let mut handover = Handover::default();
    drop(harness);

    marker.enter(Stage::Setup)?;
    marker.mark(MarkKind::BeforeSetup, 0, Step::default())?;
    let started = Instant::now();
    let mut udf = guarded("in `setup`", || {
        let mut udf = entry.build();
        udf.setup()?;
        Ok(udf)
    })?;
    let step = Step { duration: started.elapsed(), ..Step::default() };
    marker.mark(MarkKind::AfterSetup, 0, step)?;

    let (mut done, mut goal) = (0, first_goal(assignment, &feed));
    while done < goal {
        marker.enter(Stage::Batch(done))?;
        let harness = Section::harness();
        let source = feed.next(done)?;
        drop(harness);
        let copy = handover.hand_over(&source);
        {
            let _harness = Section::harness();
            drop(source);
        }
        // From here the peak is that of the call, with the batch that it was given.
        let input = marker.handed_over();
        let started = Instant::now();
        let output = guarded("in its call", || udf.call(&copy))?;
        let duration = started.elapsed();
        drop(output);
        drop(copy);
        let step = Step { duration, input, arrow_live: handover.live_bytes() };
        marker.mark(MarkKind::AfterBatch, done, step)?;
        done += 1;
        if done == goal {
            goal = next_goal(assignment, &mut feed, goal)?;
            marker.make_room(goal)?;
        }
    }

    // The experiment that has a meaning without an interpreter and its pools.
    heap::trim();
    let step = Step { arrow_live: handover.live_bytes(), ..Step::default() };
    marker.mark(MarkKind::AfterTrim, 0, step)?;

    marker.enter(Stage::Dropping)?;
    guarded("while it was dropped", || {
        drop(udf);
        Ok(())
    })?;
    let step = Step { arrow_live: handover.live_bytes(), ..Step::default() };
    marker.mark(MarkKind::AfterDrop, 0, step)?;
    let _harness = Section::harness();
    drop((feed, handover));
    Ok(())
}

/// How many calls there are before the worker asks or is done.
fn first_goal(assignment: &Assignment, feed: &Feed<'_>) -> u32 {
    assignment.checkpoint.as_ref().map_or(feed.calls(), |checkpoint| checkpoint.first).0
}

/// How many there are after `goal` were done, if the harness wants more.
fn next_goal(assignment: &Assignment, feed: &mut Feed<'_>, goal: u32) -> Result<u32, Stop> {
    let Some(checkpoint) = &assignment.checkpoint else { return Ok(goal) };
    let _harness = Section::harness();
    let next = checkpoint
        .ask()
        .map_err(|error| Stop::Failed(format!("cannot ask the harness how to go on: {error}")))?;
    if next.0 > goal {
        feed.extend(next)?;
    }
    Ok(next.0)
}

/// Calls into the UDF; a panic and an error both become the run's failure.
fn guarded<T>(place: &str, call: impl FnOnce() -> Result<T, UdfError>) -> Result<T, Stop> {
    match catch_unwind(AssertUnwindSafe(call)) {
        Ok(Ok(value)) => Ok(value),
        Ok(Err(error)) => Err(Stop::Failed(format!("returned an error {place}: {error}"))),
        Err(_) => {
            let text = panics::last().unwrap_or_else(|| "no message".to_owned());
            Err(Stop::Failed(format!("panicked: {text}")))
        }
    }
}

/// Has the kernel kill this worker when the harness goes away.
fn end_with_harness(harness: u32) {
    // Not fatal: without it a harness that is killed leaves its worker to finish alone.
    let _ = set_parent_process_death_signal(Some(Signal::KILL));
    let parent = getppid().map_or(0, |pid| pid.as_raw_nonzero().get().unsigned_abs());
    if parent != harness {
        std::process::exit(i32::from(crate::exit::NO_ASSIGNMENT));
    }
}
