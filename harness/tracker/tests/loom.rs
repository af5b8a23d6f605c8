//! Models of the concurrent parts, run through every interleaving by loom.
//!
//! ```text
//! RUSTFLAGS="--cfg loom" cargo test --release -p highwater-tracker --test loom --target-dir target/loom
//! ```
//!
//! The slack is 8 bytes here, so that a few events settle several times.

#![cfg(loom)]
#![expect(clippy::unwrap_used, reason = "a model fails by panicking")]

use highwater_tracker::ledger::{Ledger, ThreadBlock};
use highwater_tracker::{Reading, SLACK_BYTES};
use loom::sync::Arc;
use loom::thread;

/// `count` blocks that live as long as the model.
fn fresh(count: usize) -> &'static [ThreadBlock] {
    Box::leak((0..count).map(|_| ThreadBlock::new()).collect())
}

/// Allocates and frees as told (positive and negative sizes) in a block of its own.
fn work(ledger: &Ledger, events: &[i64]) {
    let block = ledger.claim(|| fresh(1)).expect("a block");
    for event in events {
        let bytes = event.unsigned_abs() as usize;
        if *event > 0 {
            ledger.allocated(block.udf(), bytes);
        } else {
            ledger.freed(block.udf(), bytes);
        }
    }
    ledger.release(block);
}

/// With at most three switches that no operation asks for: enough for every fault that these models
/// have found, and seconds instead of minutes.
fn model(check: impl Fn() + Send + Sync + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(3);
    builder.check(check);
}

fn live(reading: &Reading) -> (i64, i64) {
    (reading.udf.live_bytes, reading.udf.live_blocks)
}

#[test]
fn two_threads_never_share_a_block() {
    model(|| {
        let ledger = Arc::new(Ledger::new());
        let threads: Vec<_> = (0..2)
            .map(|_| {
                let ledger = Arc::clone(&ledger);
                thread::spawn(move || {
                    let block = ledger.claim(|| fresh(2)).expect("a block");
                    // Lost if the other thread counted here too: there is no read-modify-write.
                    ledger.allocated(block.udf(), 1);
                    ledger.allocated(block.udf(), 1);
                    std::ptr::from_ref(block) as usize
                })
            })
            .collect();
        let claimed: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
        assert_ne!(claimed[0], claimed[1]);
        assert_eq!(live(&ledger.read()), (4, 4));
    });
}

#[test]
fn a_released_block_keeps_its_counts_for_the_next_owner() {
    model(|| {
        let ledger = Arc::new(Ledger::new());
        let other = {
            let ledger = Arc::clone(&ledger);
            thread::spawn(move || work(&ledger, &[5, 20, -5]))
        };
        work(&ledger, &[3, -3, 7]);
        other.join().unwrap();
        // One block when the first thread was gone before the second came, else two.
        assert!((1..=2).contains(&ledger.blocks()));
        work(&ledger, &[1]);
        assert!(ledger.blocks() <= 2);
        assert_eq!(live(&ledger.read()), (28, 3));
    });
}

#[test]
fn a_mark_amid_settlements_loses_nothing() {
    model(|| {
        let ledger = Arc::new(Ledger::new());
        let other = {
            let ledger = Arc::clone(&ledger);
            thread::spawn(move || work(&ledger, &[100, -100, 3]))
        };
        let first = ledger.read();
        assert!(first.udf.peak_bytes >= first.udf.live_bytes);
        // A state that the other thread was in, or amid.
        assert!([0, 100, 3].contains(&first.udf.live_bytes), "{first:?}");
        other.join().unwrap();
        let last = ledger.read();
        assert_eq!(live(&last), (3, 1));
        // The 100 are in one of the two windows and never counted twice. The 3 may be added to them
        // when the mark strikes between.
        let peak = last.udf.run_peak_bytes;
        assert!((100..=103).contains(&peak), "{first:?} {last:?}");
        let quiet = ledger.read();
        assert_eq!((quiet.udf.peak_bytes, quiet.udf.run_peak_bytes), (3, peak));
        assert_eq!(quiet.peak_error_bound_bytes, 0);
    });
}

#[test]
fn the_peak_of_two_threads_stays_within_its_bound() {
    model(|| {
        let ledger = Arc::new(Ledger::new());
        let other = {
            let ledger = Arc::clone(&ledger);
            thread::spawn(move || work(&ledger, &[50, -50]))
        };
        work(&ledger, &[30, 6]);
        other.join().unwrap();
        let reading = ledger.read();
        assert_eq!(live(&reading), (36, 2));
        // Whichever way they met, the peak was at least the larger of both and at most the sum.
        let bound = 2 * SLACK_BYTES;
        assert!(reading.udf.peak_bytes >= 50 - bound, "{reading:?}");
        assert!(reading.udf.peak_bytes <= 86 + bound, "{reading:?}");
    });
}

#[test]
fn the_peak_of_the_run_never_falls() {
    model(|| {
        let ledger = Arc::new(Ledger::new());
        let other = {
            let ledger = Arc::clone(&ledger);
            thread::spawn(move || work(&ledger, &[20, -20]))
        };
        let readings = [ledger.read(), ledger.read()];
        other.join().unwrap();
        let last = ledger.read();
        assert!(readings[0].udf.run_peak_bytes <= readings[1].udf.run_peak_bytes);
        assert!(readings[1].udf.run_peak_bytes <= last.udf.run_peak_bytes);
        assert_eq!(last.udf.run_peak_bytes, 20, "{readings:#?} {last:#?}");
    });
}

#[test]
fn two_marks_at_once_share_the_window() {
    model(|| {
        let ledger = Arc::new(Ledger::new());
        work(&ledger, &[40, -40, 1]);
        let marker = {
            let ledger = Arc::clone(&ledger);
            thread::spawn(move || ledger.read())
        };
        let here = ledger.read();
        let there = marker.join().unwrap();
        assert_eq!((live(&here), live(&there)), ((1, 1), (1, 1)));
        // Neither loses it; the one that comes second may take the other thread for an idle one.
        let peak = here.udf.peak_bytes.max(there.udf.peak_bytes);
        assert!((40..=40 + SLACK_BYTES).contains(&peak), "{here:?} {there:?}");
        assert_eq!(ledger.read().udf.run_peak_bytes, peak);
    });
}
