use crate::{moved, trial};
use highwater_tracker::{Reading, Section, take_reading};
use libtest_mimic::Trial;
use std::hint::black_box;
use std::thread;

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("sections::a_batch_stays_out_of_the_udf", a_batch_stays_out_of_the_udf),
        trial("sections::they_nest_in_any_order", they_nest_in_any_order),
        trial("sections::they_hold_for_one_thread", they_hold_for_one_thread),
        trial(
            "sections::a_section_may_outlive_its_thread_block",
            a_section_may_outlive_its_thread_block,
        ),
    ]
}

fn harness_moved(before: &Reading, after: &Reading) -> (i64, i64) {
    (
        after.harness.live_bytes - before.harness.live_bytes,
        after.harness.live_blocks - before.harness.live_blocks,
    )
}

fn a_batch_stays_out_of_the_udf() {
    let start = take_reading();
    let batch = {
        let _harness = Section::harness();
        drop(black_box(vec![1_u8; 3 << 20]));
        black_box(vec![7_u8; 1 << 20])
    };
    let decoded = take_reading();
    assert_eq!(moved(&start, &decoded), (0, 0));
    assert_eq!(harness_moved(&start, &decoded), (1 << 20, 1));
    assert_eq!(decoded.udf.peak_bytes, start.udf.live_bytes);
    assert_eq!(decoded.harness.peak_bytes - start.harness.live_bytes, 3 << 20);
    assert_eq!(decoded.udf.allocations, start.udf.allocations);

    // The UDF copies out what it keeps.
    let kept = batch[..5000].to_vec();
    {
        let _harness = Section::harness();
        drop(batch);
    }
    let end = take_reading();
    assert_eq!(moved(&start, &end), (5000, 1));
    assert_eq!(harness_moved(&start, &end), (0, 0));
    assert_eq!(end.udf.peak_bytes - start.udf.live_bytes, 5000);
    drop(kept);
}

fn they_nest_in_any_order() {
    let start = take_reading();
    let outer = Section::harness();
    let inner = Section::harness();
    drop(outer);
    let harness = black_box(vec![0_u8; 100]);
    drop(inner);
    let udf = black_box(vec![0_u8; 10]);
    let end = take_reading();
    assert_eq!(harness_moved(&start, &end), (100, 1));
    assert_eq!(moved(&start, &end), (10, 1));
    drop((harness, udf));
}

fn they_hold_for_one_thread() {
    thread::spawn(|| ()).join().unwrap();
    let start = take_reading();
    let held = {
        let _harness = Section::harness();
        thread::scope(|scope| scope.spawn(|| black_box(vec![0_u8; 1234])).join().unwrap())
    };
    let end = take_reading();
    // What it takes to start and to end a thread is allocated on one side and freed on the other.
    assert_eq!(moved(&start, &end).0 + harness_moved(&start, &end).0, 1234, "{start:?}\n{end:?}");
    assert!(moved(&start, &end).0 > 0);
    drop(held);
}

fn a_section_may_outlive_its_thread_block() {
    thread_local! {
        static HELD: std::cell::RefCell<Option<Section>> = const { std::cell::RefCell::new(None) };
    }
    let work = || {
        thread::spawn(|| {
            HELD.with_borrow_mut(|held| *held = Some(Section::harness()));
            drop(black_box(vec![0_u8; 77]));
        })
        .join()
        .unwrap();
    };
    work();
    let start = take_reading();
    for _ in 0..50 {
        work();
    }
    // The block's next owner starts in the UDF's account.
    let kept = thread::spawn(|| black_box(vec![0_u8; 5000])).join().unwrap();
    let end = take_reading();
    let total = moved(&start, &end).0 + harness_moved(&start, &end).0;
    assert_eq!(total, 5000);
    assert_eq!(end.lost_events, 0);
    drop(kept);
}
