use crate::{moved, trial};
use highwater_tracker::{SLACK_BYTES, take_reading};
use libtest_mimic::Trial;
use std::hint::black_box;
use std::sync::Barrier;
use std::thread;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("peaks::one_thread_is_exact", one_thread_is_exact),
        trial("peaks::idle_threads_do_not_blur_it", idle_threads_do_not_blur_it),
        trial("peaks::another_thread_alone_is_exact", another_thread_alone_is_exact),
        trial("peaks::many_threads_stay_within_the_bound", many_threads_stay_within_the_bound),
        trial("peaks::a_window_without_events_is_flat", a_window_without_events_is_flat),
    ]
}

fn block(bytes: usize) -> Vec<u8> {
    black_box(Vec::with_capacity(bytes))
}

fn one_thread_is_exact() {
    // Below, at and above the slack, so that the peak is found in the thread and in the total.
    for bytes in [1, 1000, 65_535, 65_536, 65_537, 1 << 20] {
        let start = take_reading();
        let kept = block(300);
        drop(block(bytes));
        let end = take_reading();
        assert_eq!(moved(&start, &end), (300, 1));
        assert_eq!(end.udf.peak_bytes - start.udf.live_bytes, 300 + bytes as i64, "{bytes}");
        assert_eq!(end.peak_error_bound_bytes, 0);

        // The next window starts from what is live, not from the last peak.
        drop(kept);
        drop(block(7));
        let next = take_reading();
        assert_eq!(next.udf.peak_bytes, end.udf.live_bytes, "{bytes}");
        assert!(next.udf.run_peak_bytes >= end.udf.peak_bytes);
    }
    // A staircase with many settlements on the way.
    let start = take_reading();
    let mut steps: Vec<_> = (0..100).map(|_| block(10_000)).collect();
    steps.truncate(10);
    let end = take_reading();
    let list = 100 * size_of::<Vec<u8>>() as i64;
    assert_eq!(end.udf.peak_bytes - start.udf.live_bytes, list + 1_000_000);
    assert_eq!(moved(&start, &end), (list + 100_000, 11));
}

// The threads below meet at a barrier, so nothing is asserted before they have ended: a panic would
// leave the others waiting. All are joined, because the end of a scope does not wait for what a
// thread frees last.

fn idle_threads_do_not_blur_it() {
    let gate = Barrier::new(4);
    let [start, end, last] = thread::scope(|scope| {
        let threads = [60_000, 30_000, 90_000].map(|bytes| {
            let gate = &gate;
            scope.spawn(move || {
                // A part of it is unsettled, in either direction.
                let kept = block(bytes);
                let (one, other) = (block(50_000), block(40_000));
                drop((one, other));
                gate.wait();
                gate.wait();
                drop(kept);
            })
        });
        gate.wait();
        let start = take_reading();
        drop(block(500_000));
        let end = take_reading();
        drop(block(10));
        let last = take_reading();
        gate.wait();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        [start, end, last]
    });
    assert_eq!(moved(&start, &end), (0, 0));
    assert_eq!(end.udf.peak_bytes - start.udf.live_bytes, 500_000);
    assert_eq!(last.udf.peak_bytes - start.udf.live_bytes, 10);
    assert_eq!((end.peak_error_bound_bytes, last.peak_error_bound_bytes), (0, 0));
}

fn another_thread_alone_is_exact() {
    const SIZES: [usize; 4] = [100, 40_000, 70_000, 200_000];
    let gate = Barrier::new(2);
    let windows = thread::scope(|scope| {
        let thread = scope.spawn(|| {
            let mut kept = block(20_000);
            gate.wait();
            for bytes in SIZES {
                gate.wait();
                drop(block(bytes));
                // Leaves the thread lower than at the last mark, all unsettled.
                let half = kept.capacity() / 2;
                drop(kept);
                kept = block(half);
                gate.wait();
            }
            gate.wait();
        });
        gate.wait();
        let windows = SIZES.map(|_| {
            let start = take_reading();
            gate.wait();
            gate.wait();
            (start, take_reading())
        });
        gate.wait();
        thread.join().unwrap();
        windows
    });
    let mut kept = 20_000;
    for (bytes, (start, end)) in SIZES.into_iter().zip(windows) {
        assert_eq!(end.udf.peak_bytes - start.udf.live_bytes, bytes as i64, "{bytes}");
        assert_eq!(moved(&start, &end), (kept / 2 - kept, 0));
        assert_eq!(end.peak_error_bound_bytes, 0);
        kept /= 2;
    }
}

fn many_threads_stay_within_the_bound() {
    const THREADS: usize = 4;
    let gate = Barrier::new(THREADS + 1);
    let (start, end) = thread::scope(|scope| {
        let threads = [(); THREADS].map(|()| {
            scope.spawn(|| {
                // The thread has begun, and all it allocates for itself.
                gate.wait();
                gate.wait();
                let mut pile: Vec<_> = (0..100).map(|_| block(9_999)).collect();
                // All piles are there at once.
                gate.wait();
                pile.clear();
                drop(pile);
                gate.wait();
                gate.wait();
            })
        });
        gate.wait();
        let start = take_reading();
        gate.wait();
        gate.wait();
        gate.wait();
        let end = take_reading();
        gate.wait();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
        (start, end)
    });
    let pile = 100 * (9_999 + size_of::<Vec<u8>>() as i64);
    let off = end.udf.peak_bytes - start.udf.live_bytes - THREADS as i64 * pile;
    assert_eq!(end.peak_error_bound_bytes, THREADS as i64 * SLACK_BYTES);
    assert!(off.abs() <= end.peak_error_bound_bytes, "off by {off}");
    assert_eq!(moved(&start, &end), (0, 0));
}

fn a_window_without_events_is_flat() {
    drop(block(1 << 20));
    let first = take_reading();
    let second = take_reading();
    assert_eq!(second.udf.peak_bytes, first.udf.live_bytes);
    assert_eq!(second.udf.run_peak_bytes, first.udf.run_peak_bytes);
}
