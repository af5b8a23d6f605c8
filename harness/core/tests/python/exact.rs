//! What the exact run alone tells.

use crate::{keep, rss, run};
use highwater_core::{
    Answer, Batches, Bytes, BytesPerBatch, Experiments, GaveBack, Holder, Inconclusive,
    OutsideKind, Pattern, Reading, Run, analyse,
};

#[test]
fn the_owner_tells_whose_leak_it_is() {
    type Each = fn(i64, &mut Reading);
    let table: [(&str, Each, Pattern); 10] = [
        (
            "small batches",
            |t, it| {
                keep(it, 200 * t, 2_400 * t, 28 * t);
                it.arrow_live = Some(Bytes(1_024 * t));
            },
            Pattern::ArrowLeak,
        ),
        // A cursor of Python's now and then, and a page of the library's each time.
        ("few owners", |t, it| keep(it, 64 * (t / 20), 4_096 * t, t), Pattern::NativeLeak),
        ("objects", |t, it| keep(it, 9_000 * t, 0, 40 * t), Pattern::HeapLeak),
        // An array of NumPy's: elements from `malloc`, the header from Python.
        ("arrays", |t, it| keep(it, 112 * t, 262_144 * t, 2 * t), Pattern::HeapLeak),
        // One array, replaced by a longer one.
        ("longer array", |t, it| keep(it, 0, 16_384 * t, 0), Pattern::HeapLeak),
        // Pages of a database in a C library, whose connection Python keeps.
        ("library", |t, it| keep(it, 0, 66_000 * t, 15 * t), Pattern::NativeLeak),
        // The same, and a cache of Python's that fills beside it.
        ("and a cache", |t, it| keep(it, 900 * t.min(90), 66_000 * t, 15 * t), Pattern::NativeLeak),
        // Python's part is larger.
        ("both", |t, it| keep(it, 9_000 * t, 4_000 * t, 3 * t), Pattern::HeapLeak),
        (
            "batches",
            |t, it| {
                keep(it, 200 * t, 52_000 * t, 11 * t);
                it.arrow_live = Some(Bytes(51_000 * t));
            },
            Pattern::ArrowLeak,
        ),
        (
            "a few batches",
            |t, it| {
                keep(it, 30_000 * t, 10_000 * t, 11 * t);
                it.arrow_live = Some(Bytes(9_000 * t));
            },
            Pattern::HeapLeak,
        ),
    ];
    for (name, each, pattern) in table {
        let finding = analyse(&run(each));
        assert_eq!(finding.pattern(), Some(pattern), "{name}: {finding:#?}");
        assert!(finding.evidence.native.is_some(), "{name}");
    }
    let library = analyse(&run(|t, it| keep(it, 0, 66_000 * t, 15 * t)));
    assert!(library.sentence().contains("none of the blocks that are added is Python's"));
}

#[test]
fn growth_that_unfilled_caches_gave_back_is_theirs() {
    let grown = |given: i64, per_batch: fn(i64) -> i64| {
        let empty_caches = GaveBack { live: Bytes(given), ..GaveBack::default() };
        let experiments = Experiments { empty_caches, ..Experiments::default() };
        let run = run(|t, it| keep(it, per_batch(t), 0, 10 * t));
        analyse(&Run { experiments: Some(experiments), ..run })
    };
    let even = |t| 1_000 * t;
    // All that was added, and a tenth of it less.
    for given in [200_000, 180_000] {
        let finding = grown(given, even);
        let still = Inconclusive::StillGrowing {
            batches: Batches(200),
            early: BytesPerBatch(1_000.0),
            late: BytesPerBatch(1_000.0),
        };
        assert_eq!(finding.answer, Answer::Inconclusive(still), "{given}");
        assert_eq!(finding.evidence.filling_caches, Some(Bytes(given)));
        assert_eq!(finding.figures.leaked_bytes_per_batch, BytesPerBatch(0.0));
        assert!(finding.sentence().ends_with(" are in caches that have a bound and are not full"));
    }
    // A leak beside them.
    for given in [0, 100_000, 170_000] {
        let finding = grown(given, even);
        assert_eq!(finding.pattern(), Some(Pattern::HeapLeak), "{given}");
        assert_eq!(finding.evidence.filling_caches, None);
    }
    // Nothing is added.
    assert_eq!(grown(100_000, |_| 0).pattern(), Some(Pattern::Healthy));
}

#[test]
fn a_leak_outside_the_heap_beats_a_small_one_in_it() {
    // A mapping per batch, and Python's object for it.
    let mapped = |each: fn(i64, &mut Reading)| {
        analyse(&run(|t, it| {
            keep(it, 104 * t, 0, t);
            it.mapped = it.mapped.map(|bytes| bytes + Bytes(262_144 * t));
            each(t, it);
        }))
    };
    let shared = mapped(|t, it| it.rss_shmem = Bytes(262_144 * t));
    assert_eq!(shared.pattern(), Some(Pattern::NativeLeak), "{shared:#?}");
    let outside = shared.evidence.outside.as_ref().expect("grows");
    assert_eq!((outside.what, outside.holder), (OutsideKind::RssShmem, Holder::Outside));
    assert!((shared.figures.leaked_bytes_per_batch.0 - 104.0).abs() < 0.1, "of the heap");
    let sentence = shared.sentence();
    assert!(sentence.contains("in new mappings of 255.9 KiB per batch"), "{sentence}");
    assert!(sentence.ends_with("an 8 GiB worker lasts about 33,000 batches"), "{sentence}");
    // Less than is asked of the allocator, but in mappings that are not its.
    let private = mapped(|t, it| it.rss_anon = it.rss_anon + Bytes(262_144 * t));
    assert_eq!(private.pattern(), Some(Pattern::NativeLeak), "{private:#?}");
    // Mapped and never touched: no memory yet, but mappings run out, too.
    let untouched = mapped(|_, _| {});
    assert_eq!(untouched.pattern(), Some(Pattern::NativeLeak), "{untouched:#?}");
    assert_eq!(untouched.evidence.outside.expect("grows").what, OutsideKind::Mapped);
    // Arenas that Python maps for what it keeps.
    let arenas = analyse(&run(|t, it| {
        keep(it, 84_000 * t, 0, 500 * t);
        it.mapped = it.mapped.map(|bytes| bytes + Bytes((90_000 * t) >> 20 << 20));
        it.rss_anon = it.rss_anon + Bytes(6_000 * t);
    }));
    assert_eq!(arenas.pattern(), Some(Pattern::HeapLeak), "{arenas:#?}");
}

#[test]
fn what_was_asked_for_before_is_not_new_when_it_is_touched() {
    let touched = |reserved: i64| {
        let mut run = run(|t, it| {
            it.allocated = Bytes(0);
            it.live = it.live + Bytes(reserved);
            it.rss_anon = it.rss_anon + Bytes(65_536 * t);
        });
        run.after_setup.live = run.after_setup.live + Bytes(reserved);
        analyse(&run).pattern()
    };
    assert_eq!(touched(16 << 20), Some(Pattern::Healthy));
    assert_eq!(touched(0), Some(Pattern::NativeLeak));
}

#[test]
fn garbage_that_only_the_collector_frees_is_told_from_lint() {
    let left = |garbage: fn(i64) -> i64, asked: i64, objects: u64| {
        analyse(&run(|t, it| {
            it.before_collection = Some(it.live + Bytes(garbage(t)));
            it.allocated = Bytes(asked * t);
            it.allocations = objects * u64::try_from(t).expect("positive");
        }))
    };
    type Garbage = fn(i64) -> i64;
    let table: [(&str, Garbage, i64, u64, Pattern); 9] = [
        ("most of what is asked for", |_| 240_000, 300_000, 3_000, Pattern::GcCycles),
        ("more than free lists hold", |_| 8 << 20, 100 << 20, 90_000, Pattern::GcCycles),
        ("ever more", |t| 100_000 + 2_000 * t, 8 << 20, 9_000, Pattern::GcCycles),
        (
            "in four of five batches",
            |t| 240_000 * (t % 5).min(1),
            300_000,
            3_000,
            Pattern::GcCycles,
        ),
        // What a few hundred objects leave, however much else passes through.
        ("an array", |_| 104_000, 4_000_000, 400, Pattern::GcCycles),
        ("frames and closures", |_| 3_000, 4_000, 40, Pattern::Healthy),
        ("free lists of tuples", |_| 144_000, 300_000, 3_000, Pattern::Healthy),
        ("a small part", |_| 240_000, 4_000_000, 3_000, Pattern::Healthy),
        ("one batch", |t| 240_000 * i64::from(t == 150), 300_000, 3_000, Pattern::Healthy),
    ];
    for (name, garbage, asked, objects, pattern) in table {
        let finding = left(garbage, asked, objects);
        assert_eq!(finding.pattern(), Some(pattern), "{name}: {finding:#?}");
        let proven = finding.evidence.garbage.is_some_and(|garbage| garbage.proven);
        assert_eq!(proven, pattern == Pattern::GcCycles, "{name}");
    }
    let sentence = left(|_| 240_000, 300_000, 3_000).sentence();
    assert!(sentence.contains("a typical batch leaves 234.4 KiB to the garbage collector"));
    // A leak is a leak, whatever else is left to the collector.
    let leak = analyse(&run(|t, it| {
        keep(it, 100 * t, 0, t);
        it.before_collection = Some(it.live + Bytes(240_000));
    }));
    assert_eq!(leak.pattern(), Some(Pattern::HeapLeak));
    assert_eq!(leak.evidence.garbage, None);
}

#[test]
fn what_the_allocator_gives_back_was_retained() {
    let climbs = |trim: i64| {
        let mut run = run(|t, it| it.rss_anon = it.rss_anon + Bytes(85_000 * t));
        run.experiments = Some(Experiments { trim: rss(trim), ..Experiments::default() });
        analyse(&run)
    };
    // It asked the allocator for more than resident memory grows: either may hold it.
    assert_eq!(climbs(15_000_000).pattern(), Some(Pattern::AllocatorRetention));
    assert_eq!(climbs(15_000_000).evidence.outside.expect("grows").holder, Holder::Allocator);
    assert_eq!(climbs(2_000_000).pattern(), Some(Pattern::NativeLeak));
}
