//! Exact figures, in a process whose global allocator is the tracker.
//!
//! The tests run one after the other on the main thread: the usual harness starts threads and
//! collects output, which would show up in the figures.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod canary;
mod fork;
mod kill;
mod methods;
mod peaks;
mod sections;
mod threads;
mod unwinding;
mod valgrind;

use highwater_tracker::{Reading, Tracker, take_reading};
use libtest_mimic::{Arguments, Trial};
use std::process::ExitCode;

#[global_allocator]
static ALLOCATOR: Tracker = Tracker::new();

fn main() -> ExitCode {
    if let Some(path) = std::env::var_os(kill::CHILD) {
        kill::child(path.as_ref());
    }
    let mut arguments = Arguments::from_args();
    arguments.test_threads = Some(1);
    let trials = [
        canary::trials(),
        fork::trials(),
        kill::trials(),
        methods::trials(),
        peaks::trials(),
        sections::trials(),
        threads::trials(),
        unwinding::trials(),
        valgrind::trials(),
    ];
    libtest_mimic::run(&arguments, trials.into_iter().flatten().collect()).exit_code()
}

/// A test: fails when it panics.
fn trial(name: &str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

/// Bytes and blocks of the UDF that `work` leaves behind. It runs once before it is measured, so
/// that what the standard library sets up on first use does not count.
fn left_by(mut work: impl FnMut()) -> (i64, i64) {
    work();
    let before = take_reading();
    work();
    moved(&before, &take_reading())
}

fn moved(before: &Reading, after: &Reading) -> (i64, i64) {
    (after.udf.live_bytes - before.udf.live_bytes, after.udf.live_blocks - before.udf.live_blocks)
}
