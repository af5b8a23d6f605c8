use crate::{left_by, moved, trial};
use highwater_tracker::slot::ThreadSlot;
use highwater_tracker::{Counter, set_other_threads_aside, take_reading};
use libtest_mimic::Trial;
use std::ffi::c_void;
use std::hint::black_box;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("threads::blocks_are_recycled", blocks_are_recycled),
        trial(
            "threads::what_a_dead_thread_holds_still_counts",
            what_a_dead_thread_holds_still_counts,
        ),
        trial("threads::another_thread_may_free", another_thread_may_free),
        trial("threads::late_destructors_are_counted", late_destructors_are_counted),
        trial("threads::concurrent_work_sums_up", concurrent_work_sums_up),
        trial("threads::bystanders_are_the_harness", bystanders_are_the_harness),
    ]
}

fn blocks_are_recycled() {
    let wave = || {
        let threads: Vec<_> =
            (0..8).map(|_| thread::spawn(|| drop(black_box(vec![0_u8; 100])))).collect();
        threads.into_iter().for_each(|thread| thread.join().unwrap());
    };
    wave();
    let blocks = Counter::<ThreadSlot>::thread_blocks_made();
    let start = take_reading();
    for _ in 0..500 {
        wave();
    }
    let end = take_reading();
    assert_eq!(Counter::<ThreadSlot>::thread_blocks_made(), blocks, "after 4000 threads");
    assert_eq!(moved(&start, &end), (0, 0));
    assert_eq!(end.thread_blocks, start.thread_blocks);
    assert_eq!(end.lost_events, 0);
}

fn what_a_dead_thread_holds_still_counts() {
    thread::spawn(|| ()).join().unwrap();
    let start = take_reading();
    let held: Vec<_> =
        (0..100).map(|_| thread::spawn(|| vec![0_u8; 999]).join().unwrap()).collect();
    let end = take_reading();
    let list = 100 * size_of::<Vec<u8>>() as i64;
    assert_eq!(moved(&start, &end), (99_900 + list, 101));
    drop(held);
    assert_eq!(moved(&start, &take_reading()), (0, 0));
}

fn another_thread_may_free() {
    let left = left_by(|| {
        let (sender, receiver) = mpsc::channel::<Vec<u8>>();
        let freer = thread::spawn(move || receiver.into_iter().map(|block| block.len()).sum());
        for size in 0..2000 {
            sender.send(vec![1; size * 7 % 5000 + 1]).unwrap();
        }
        drop(sender);
        let freed: usize = freer.join().unwrap();
        assert!(freed > 0);
    });
    assert_eq!(left, (0, 0));
}

/// Allocated by each of the late destructors and never freed, in bytes.
const LATE: i64 = 321;
static LATE_CALLS: AtomicUsize = AtomicUsize::new(0);

fn leak_late() {
    black_box(Box::leak(Box::new([0_u8; LATE as usize])));
    LATE_CALLS.fetch_add(1, Ordering::Relaxed);
}

fn late_destructors_are_counted() {
    struct AtExit;
    impl Drop for AtExit {
        fn drop(&mut self) {
            leak_late();
        }
    }
    thread_local! {
        static AT_EXIT: AtExit = const { AtExit };
    }
    extern "C" fn at_exit(_: *mut c_void) {
        leak_late();
    }
    // Made after the tracker's own key, so its destructor runs when the thread's block is gone.
    let mut key = 0;
    // SAFETY: `key` is a valid place; `at_exit` takes any value.
    assert_eq!(unsafe { libc::pthread_key_create(&raw mut key, Some(at_exit)) }, 0);
    let run = || {
        thread::spawn(move || {
            AT_EXIT.with(|_| ());
            // SAFETY: the key was made above.
            unsafe { libc::pthread_setspecific(key, ptr::without_provenance(1)) };
        })
        .join()
        .unwrap();
    };
    run();
    let blocks = Counter::<ThreadSlot>::thread_blocks_made();
    let (start, calls) = (take_reading(), LATE_CALLS.load(Ordering::Relaxed));
    for _ in 0..100 {
        run();
    }
    let end = take_reading();
    assert_eq!(LATE_CALLS.load(Ordering::Relaxed) - calls, 200);
    assert_eq!(moved(&start, &end), (200 * LATE, 200));
    assert_eq!(Counter::<ThreadSlot>::thread_blocks_made(), blocks);
    // SAFETY: the key was made above, and no thread that set it is left.
    unsafe { libc::pthread_key_delete(key) };
}

fn concurrent_work_sums_up() {
    thread::spawn(|| ()).join().unwrap();
    let start = take_reading();
    let threads: Vec<_> = (0..4_usize)
        .map(|seed| {
            thread::spawn(move || {
                let mut slots: Vec<Vec<u8>> = vec![Vec::new(); 64];
                for step in 0..20_000_usize {
                    let size = (step * 7919 + seed * 104_729) % 4096 + 1;
                    slots[step % 64] = black_box(vec![0; size]);
                }
                slots
            })
        })
        .collect();
    // Reading meanwhile must not lose anything.
    for _ in 0..1000 {
        let reading = take_reading();
        assert!(reading.udf.peak_bytes >= reading.udf.live_bytes);
    }
    let kept: Vec<_> = threads.into_iter().map(|thread| thread.join().unwrap()).collect();
    let end = take_reading();
    let in_slots: usize = kept.iter().flatten().map(Vec::capacity).sum();
    let lists =
        (kept.capacity() + kept.iter().map(Vec::capacity).sum::<usize>()) * size_of::<Vec<u8>>();
    assert_eq!(moved(&start, &end), ((in_slots + lists) as i64, 4 * 64 + 4 + 1));
    assert!(end.udf.allocations - start.udf.allocations >= 80_000);
    drop(kept);
    assert_eq!(moved(&start, &take_reading()), (0, 0));
}

/// What a thread that was there before does counts as the harness's, its peak included; what a later
/// thread does counts as the UDF's.
fn bystanders_are_the_harness() {
    let (order, orders) = mpsc::channel::<usize>();
    let (done, answers) = mpsc::channel();
    let bystander = thread::spawn(move || {
        let mut kept = Vec::with_capacity(10);
        for size in orders {
            kept.push(black_box(vec![0_u8; size]));
            done.send(()).unwrap();
        }
    });
    let obey = |size| {
        order.send(size).unwrap();
        answers.recv().unwrap();
    };
    // More than the slack, so that some of it is settled before it changes accounts.
    obey(200_000);
    obey(1);
    set_other_threads_aside();
    let start = take_reading();
    obey(300_000);
    obey(2);
    let end = take_reading();
    // The channel's own blocks are allocated by either thread.
    let (bytes, _) = moved(&start, &end);
    assert!(bytes < 5_000, "{bytes} bytes of the bystander count as the UDF's");
    let peak = end.udf.peak_bytes - start.udf.live_bytes;
    assert!(peak < 5_000, "the bystander's {peak} bytes are in the UDF's peak");
    assert!(end.harness.live_bytes - start.harness.live_bytes >= 300_002);
    let kept = thread::spawn(|| vec![0_u8; 400_000]).join().unwrap();
    let later = take_reading();
    assert!(moved(&end, &later).0 >= 400_000, "a later thread is the UDF's");
    assert!(later.udf.peak_bytes - end.udf.live_bytes >= 400_000);
    drop((kept, order));
    bystander.join().unwrap();
}
