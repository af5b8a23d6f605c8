use crate::{moved, trial};
use highwater_tracker::record::{
    Mark, MarkKind, Opening, Record, Runtime, Stage, State, WriteError, Writer,
};
use highwater_tracker::{Section, proc, take_reading};
use libtest_mimic::Trial;
use std::hint::black_box;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("fork::a_child_counts_alone_and_marks_nothing", child_counts_alone)]
}

const FORKS: usize = 200;

fn child_counts_alone() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let opening = Opening {
        fixture: "fork",
        udf: "none",
        runtime: Runtime::Rust,
        batches: 0,
        rows: 0,
        seed: 0,
        environment: "",
    };
    let mut writer = Writer::create(&path, &opening, 2).unwrap();
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        let threads = [(); 3].map(|()| {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    for size in 1..300_usize {
                        drop(black_box(vec![0_u8; size * 97]));
                    }
                }
            })
        });
        for _ in 0..FORKS {
            // SAFETY: the child touches nothing that another thread may have locked: glibc makes
            // `malloc` usable after a fork, and the tracker has no lock.
            match unsafe { libc::fork() } {
                0 => {
                    let code = child(&mut writer);
                    // SAFETY: ends the child without running the parent's exit handlers.
                    unsafe { libc::_exit(code) };
                }
                child => {
                    let mut status = 0;
                    // SAFETY: `child` is our child and `status` a valid place.
                    let ended = unsafe { libc::waitpid(child, &raw mut status, 0) };
                    assert_eq!((ended, status), (child, 0), "exit code of the child");
                }
            }
        }
        stop.store(true, Ordering::Relaxed);
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    });
    let mark = Mark::now(MarkKind::AfterDrop, 0, &take_reading(), &proc::read_status().unwrap());
    writer.commit(&mark).unwrap();
    writer.finish().unwrap();
    let record = Record::open(&path).unwrap();
    assert_eq!(record.marks, [mark]);
    assert_eq!(record.progress.state, State::Finished);
}

/// 0 when all is well, else the number of the check that failed.
fn child(writer: &mut Writer) -> i32 {
    let start = take_reading();
    let kept = black_box(vec![1_u8; 70_001]);
    let harness = {
        let _harness = Section::harness();
        black_box(vec![1_u8; 99])
    };
    let during = take_reading();
    drop((kept, harness));
    let end = take_reading();
    let mark = Mark::now(MarkKind::AfterBatch, 0, &end, &proc::Status::default());
    let refused = Err(WriteError::ForkedChild);
    let checks = [
        moved(&start, &during) == (70_001, 1),
        during.harness.live_bytes - start.harness.live_bytes == 99,
        moved(&start, &end) == (-99, -1),
        during.peak_error_bound_bytes == 0,
        writer.commit(&mark) == refused,
        writer.grow(100) == refused,
        writer.enter(Stage::Done) == refused,
        writer.fail("child") == refused,
        writer.finish() == refused,
    ];
    checks.iter().position(|held| !held).map_or(0, |at| at as i32 + 1)
}
