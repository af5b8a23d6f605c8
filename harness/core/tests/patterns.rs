//! Each pattern from runs made after its cause, and each near miss.

use highwater_core::{
    Answer, Batches, Blocks, Bytes, Finding, Holder, Inconclusive, MIN_BATCHES, Outliers,
    OutsideKind, Pattern, Reading, Run, Shape, analyse,
};

/// A run of `batches` batches in which `each` sets what batch `t` (from 0) is about.
fn run(batches: usize, each: impl Fn(i64, &mut Reading)) -> Run {
    let idle = Reading { live: Bytes(5_000), blocks: Blocks(10), ..Reading::default() };
    let mut run = Run {
        before_setup: Reading { live: Bytes(1_000), ..idle },
        after_setup: idle,
        after_drop: Reading { live: Bytes(1_000), ..idle },
        ..Run::default()
    };
    for t in 0..batches {
        let mut reading = Reading { input: Bytes(8 << 10), threads: 1, ..idle };
        each(i64::try_from(t).expect("small"), &mut reading);
        reading.peak = reading.peak.max(reading.live);
        run.batches.push(reading);
    }
    run
}

fn live(batches: usize, value: impl Fn(i64) -> i64) -> Finding {
    analyse(&run(batches, |t, reading| reading.live.0 += value(t)))
}

#[test]
fn shapes_of_live_bytes_have_their_pattern() {
    type Series = fn(i64) -> i64;
    let table: [(&str, Series, Shape, Pattern, f64); 18] = [
        ("level", |_| 0, Shape::Level, Pattern::Healthy, 0.0),
        ("lazy", |t| 2_400_000 * i64::from(t >= 100), Shape::Steps, Pattern::Healthy, 0.0),
        ("flush", |t| t % 10 * 524_288, Shape::Sawtooth, Pattern::Healthy, 0.0),
        ("slow flush", |t| t % 90 * 1_000, Shape::Sawtooth, Pattern::Healthy, 0.0),
        ("shrinks", |t| -500 * t.min(150), Shape::Shrinking, Pattern::Healthy, 0.0),
        ("fills", |t| 2_048 * t.min(120), Shape::Filled, Pattern::CacheFilling, 0.0),
        ("24 bytes", |t| 24 * t, Shape::Steady, Pattern::HeapLeak, 24.0),
        ("every 7th", |t| 700 * (t / 7), Shape::Steady, Pattern::HeapLeak, 100.0),
        ("every 24th", |t| 2_400 * (t / 24), Shape::Steady, Pattern::HeapLeak, 100.0),
        ("leaky flush", |t| t % 10 * 5_000 + 8 * t, Shape::Steady, Pattern::HeapLeak, 8.0),
        ("leaky slow flush", |t| t % 40 * 5_000 + 8 * t, Shape::Steady, Pattern::HeapLeak, 8.0),
        ("late", |t| 100 * (t - 120).max(0), Shape::Steady, Pattern::HeapLeak, 100.0),
        (
            "step on top",
            |t| 100 * t + 9_000 * i64::from(t > 99),
            Shape::Steady,
            Pattern::HeapLeak,
            100.0,
        ),
        ("in a vector", |t| 100 * t + 24 * size(t), Shape::Steady, Pattern::HeapLeak, 124.0),
        ("only a vector", |t| 24 * size(t), Shape::Doubling, Pattern::HeapLeak, 24.0),
        // A queue that grows by 2 messages per batch, in blocks of 31 slots.
        ("queue", |t| 2_000 * t + 760 * (2 * t / 31), Shape::Steady, Pattern::HeapLeak, 2_049.0),
        // 5 of 256 rows on average, never the same number.
        ("error rows", |t| 8_600 * (5 * t + t * t % 3), Shape::Steady, Pattern::HeapLeak, 43_000.0),
        ("faster", |t| 350 * t * t, Shape::Accelerating, Pattern::HeapLeak, f64::NAN),
    ];
    for (name, series, shape, pattern, rate) in table {
        let finding = live(200, series);
        assert_eq!(finding.evidence.live.shape, shape, "{name}: {finding:#?}");
        assert_eq!(finding.pattern(), Some(pattern), "{name}: {finding:#?}");
        let found = finding.figures.leaked_bytes_per_batch.0;
        assert!(rate.is_nan() || (found - rate).abs() < 0.01 * rate.max(0.1), "{name}: {found}");
    }
}

/// Slots of a vector with `t + 1` items.
fn size(t: i64) -> i64 {
    let items = u64::try_from(t + 1).expect("positive");
    i64::try_from(items.next_power_of_two().max(4)).expect("small")
}

#[test]
fn regrowth_counts_by_its_blocks() {
    // 900 bytes and 3 blocks of backlog are worked off per batch, 100 bytes and a block are kept.
    let masked = analyse(&run(200, |t, reading| {
        reading.live.0 += 200_000 + 100 * t - 900 * t.min(110);
        reading.blocks.0 += 1_000 + t - 3 * t.min(110);
    }));
    assert_eq!(masked.pattern(), Some(Pattern::HeapLeak), "{masked:#?}");
    assert!((masked.figures.leaked_bytes_per_batch.0 - 100.0).abs() < 0.1);
    assert!((masked.figures.leaked_blocks_per_batch.0 - 1.0).abs() < 0.01);
    // The same blocks, shrunk and stretched by what is in them.
    let curve = |t: i64| (t - 100) * (t - 100) * 16;
    assert_eq!(live(120, curve).pattern(), Some(Pattern::Healthy), "and has only begun to rise");
    let refilled = live(200, curve);
    assert_eq!(refilled.evidence.live.shape, Shape::Refilled, "{refilled:#?}");
    assert_eq!(refilled.pattern(), Some(Pattern::Healthy));
    assert_eq!(refilled.figures.leaked_bytes_per_batch.0, 0.0);
    // Larger than they ever were.
    assert_eq!(live(300, curve).pattern(), Some(Pattern::HeapLeak));
}

#[test]
fn equal_steps_at_equal_distances_are_not_passed() {
    let finding = live(200, |t| 50_000 * (t / 50));
    assert_eq!(finding.pattern(), None, "{finding:#?}");
    assert_eq!(finding.evidence.live.period, Some(50));
    assert_eq!(live(400, |t| 50_000 * (t / 50)).figures.leaked_bytes_per_batch.0, 1_000.0);
    assert_eq!(live(200, |t| 50_000 * (t.min(149) / 50)).pattern(), Some(Pattern::Healthy));
}

#[test]
fn rare_events_that_go_on_are_not_passed() {
    let events = |at: &'static [i64], size: fn(i64) -> i64| {
        live(200, move |t| at.iter().filter(|at| t >= **at).map(|at| size(*at)).sum()).pattern()
    };
    let alike: fn(i64) -> i64 = |_| 9_000;
    let any: fn(i64) -> i64 = |at| at * at * at;
    assert_eq!(events(&[12, 40, 81, 97, 133, 178], alike), None);
    assert_eq!(events(&[12, 40, 81, 97, 133, 178], any), None);
    // The last slots of a store that is filled at random, after most of it was filled early.
    let store = |t: i64| {
        let late = [70, 75, 78, 86, 89, 95, 101, 112, 118, 124, 187];
        14_000 * t.min(15) + late.iter().filter(|at| t >= **at).map(|_| 300).sum::<i64>()
    };
    assert_eq!(live(200, store).pattern(), Some(Pattern::CacheFilling));
    // Two things that are set up once are of different sizes, and three that have stopped are done.
    assert_eq!(events(&[81, 133], any), Some(Pattern::Healthy));
    assert_eq!(events(&[81, 90, 97], alike), Some(Pattern::Healthy));
}

#[test]
fn lows_that_rise_by_the_same_are_not_passed() {
    // What is kept of each flush is as much as one batch adds.
    let kept = |t: i64| (t % 20 + t / 20) * 3_320 + t * t * t % 32;
    assert_eq!(live(120, kept).pattern(), None, "{:#?}", live(120, kept));
    assert_eq!(live(400, kept).pattern(), Some(Pattern::HeapLeak), "{:#?}", live(400, kept));
    let level = |t: i64| t % 20 * 3_320 + t * t * t % 32;
    assert_eq!(live(120, level).pattern(), Some(Pattern::Healthy));
}

#[test]
fn sawtooth_periods_are_named() {
    for period in [2, 4, 10, 37, 60, 90] {
        let finding = live(200, |t| t % period * 1_000);
        assert_eq!(finding.evidence.live.period.map(i64::from), Some(period), "{finding:#?}");
    }
}

#[test]
fn a_root_is_a_leak_and_an_exponential_is_not() {
    let root = live(400, |t| isqrt(t * 1_000_000_000));
    assert_eq!(root.pattern(), Some(Pattern::HeapLeak), "{root:#?}");
    assert_eq!(root.evidence.live.shape, Shape::Slowing);

    // Each batch fills a 150th of the room that is left.
    let mut left = 1e7;
    let filling: Vec<i64> = (0..400)
        .map(|_| {
            left *= 1.0 - 1.0 / 150.0;
            (1e7 - left) as i64
        })
        .collect();
    let at = |t: i64| filling[usize::try_from(t).expect("positive")];
    let finding = live(400, at);
    assert!(
        matches!(finding.answer, Answer::Inconclusive(Inconclusive::StillGrowing { .. })),
        "{finding:#?}"
    );
    assert!(
        finding.sentence().starts_with("still growing after 400 batches, a bound was not reached")
    );
}

fn isqrt(value: i64) -> i64 {
    value.isqrt()
}

#[test]
fn fewer_batches_than_needed_are_never_judged() {
    for batches in [0, 1, 2, 50, 99] {
        for rate in [0, 100] {
            let finding = live(batches, |t| rate * t);
            let have = Batches(u32::try_from(batches).expect("small"));
            let too_few = Inconclusive::TooFewBatches { have, need: MIN_BATCHES };
            assert_eq!(finding.answer, Answer::Inconclusive(too_few));
        }
    }
    assert_eq!(live(100, |_| 0).pattern(), Some(Pattern::Healthy));
    assert_eq!(live(100, |t| 100 * t).pattern(), Some(Pattern::HeapLeak));
}

#[test]
fn growth_shortly_before_the_end_is_not_passed() {
    let finding = live(200, |t| 100 * (t - 175).max(0));
    assert_eq!(finding.pattern(), None, "{finding:#?}");
    assert_eq!(finding.evidence.live.shape, Shape::Recent);
}

#[test]
fn blocks_are_judged_on_their_own() {
    let leak = |per_batch: i64| {
        analyse(&run(200, |t, reading| {
            reading.live.0 += 1_000 * t;
            reading.blocks.0 += per_batch * t;
        }))
    };
    assert_eq!(leak(5).figures.leaked_blocks_per_batch.0, 5.0);
    assert_eq!(
        leak(5).sentence(),
        "live bytes rise 1000 B and 5 blocks per batch since batch 1, in 8 of 8 windows; \
         an 8 GiB worker lasts about 8,600,000 batches"
    );
    // One block that grows.
    assert_eq!(leak(0).figures.leaked_blocks_per_batch.0, 0.0);
    assert_eq!(leak(0).figures.leaked_bytes_per_batch.0, 1_000.0);
    // Bytes go up and down by far more than is kept.
    let hidden = analyse(&run(200, |t, reading| {
        reading.live.0 += t * 7_919 % 90_001 + 24 * t;
        reading.blocks.0 += t;
    }));
    assert_eq!(hidden.pattern(), Some(Pattern::HeapLeak), "{hidden:#?}");
    assert_eq!(hidden.figures.leaked_blocks_per_batch.0, 1.0);
    // Blocks without bytes are no leak: there is nothing to run out of.
    let renamed = analyse(&run(200, |t, reading| reading.blocks.0 += t));
    assert_eq!(renamed.pattern(), Some(Pattern::Healthy));
    assert_eq!(renamed.figures.leaked_blocks_per_batch.0, 0.0);
}

#[test]
fn figures_are_those_of_the_run() {
    let finding = analyse(&run(200, |t, reading| {
        reading.peak = Bytes(if t == 50 { 90_000 } else { 0 });
    }));
    assert_eq!(finding.figures.setup_bytes, Bytes(4_000));
    assert_eq!(finding.figures.peak_bytes, Bytes(89_000));
    assert_eq!(finding.figures.retained_bytes, Bytes(0));
    assert_eq!(finding.figures.batches, Batches(200));
}

/// Bytes of all transient peaks below; far above what nobody sizes a worker for.
const LARGE: i64 = 40 << 20;

#[test]
fn a_typical_batch_far_above_its_weight_is_oversized() {
    let transient = |bytes: i64, state: i64| {
        analyse(&run(200, |_, reading| {
            reading.live.0 += state;
            reading.peak = Bytes(reading.live.0 + bytes);
        }))
    };
    assert_eq!(transient(LARGE, 0).pattern(), Some(Pattern::OversizedPeak));
    // Small in itself, and small beside the state.
    assert_eq!(transient(1 << 20, 0).pattern(), Some(Pattern::Healthy));
    assert_eq!(transient(LARGE, LARGE).pattern(), Some(Pattern::Healthy));
}

#[test]
fn one_batch_that_stands_out_is_named() {
    let finding = analyse(&run(200, |t, reading| {
        reading.peak = Bytes(if t == 89 { LARGE } else { 100_000 });
    }));
    assert_eq!(finding.pattern(), Some(Pattern::PathologicalRow));
    assert_eq!(finding.evidence.peak.highest_batch, 89);
    assert_eq!(finding.evidence.peak.outliers, Outliers::Few { count: 1 });
    assert!(finding.sentence().contains("batch 89 peaks 40 MiB"), "{}", finding.sentence());
}

#[test]
fn what_makes_a_peak_stand_out_decides() {
    let with = |change: fn(i64, &mut Reading)| analyse(&run(200, change)).pattern();
    // A batch that is itself large: no row is to blame.
    let large_batch = with(|t, reading| {
        if t == 89 {
            reading.peak = Bytes(LARGE);
            reading.input = Bytes(LARGE / 10);
        }
    });
    assert_eq!(large_batch, Some(Pattern::OversizedPeak));
    // A table that is built once and kept: a step.
    let lazy = with(|t, reading| {
        if t >= 89 {
            reading.live = Bytes(LARGE);
            reading.blocks = Blocks(11);
        }
    });
    assert_eq!(lazy, Some(Pattern::Healthy));
    // A scratch buffer that keeps the capacity of its largest row: no block is added.
    let stretched = with(|t, reading| {
        if t >= 89 {
            reading.live = Bytes(LARGE);
        }
    });
    assert_eq!(stretched, Some(Pattern::PathologicalRow));
    // The first batch initialises.
    let first = with(|t, reading| {
        if t == 0 {
            reading.peak = Bytes(LARGE);
        }
    });
    assert_eq!(first, Some(Pattern::Healthy));
    // Every twentieth batch is a kind of batch, not an outlier.
    let kind = with(|t, reading| {
        if t % 20 == 0 {
            reading.peak = Bytes(LARGE);
        }
    });
    assert_eq!(kind, Some(Pattern::Healthy));
}

#[test]
fn a_leak_comes_before_a_peak_and_mentions_it() {
    let finding = analyse(&run(200, |t, reading| {
        reading.live.0 += 100 * t;
        if t == 89 {
            reading.peak = Bytes(LARGE);
        }
    }));
    assert_eq!(finding.pattern(), Some(Pattern::HeapLeak));
    assert!(finding.sentence().contains("besides, batch 89 peaks"), "{}", finding.sentence());
}

#[test]
fn memory_outside_the_allocator_is_a_native_leak() {
    let mapped =
        analyse(&run(200, |t, reading| reading.rss_anon = Bytes((50 << 20) + 262_144 * t)));
    assert_eq!(mapped.pattern(), Some(Pattern::NativeLeak));
    let outside = mapped.evidence.outside.as_ref().expect("grows outside");
    assert_eq!((outside.what, outside.holder), (OutsideKind::RssAnon, Holder::Outside));
    assert!((outside.growth.per_batch - 262_144.0).abs() < 1.0);
    assert_eq!(mapped.figures.leaked_bytes_per_batch.0, 0.0, "heap only");
    assert!(mapped.sentence().contains("resident anonymous memory rises 256 KiB per batch"));

    let shared = analyse(&run(200, |t, reading| reading.rss_shmem = Bytes(65_536 * t)));
    assert_eq!(shared.evidence.outside.expect("grows").what, OutsideKind::RssShmem);

    let threads = analyse(&run(200, |t, reading| {
        reading.threads = u32::try_from(1 + t / 4).expect("small");
        reading.rss_anon = Bytes(8_192 * (t / 4));
    }));
    assert_eq!(threads.pattern(), Some(Pattern::NativeLeak));
    assert_eq!(threads.evidence.outside.expect("grows").what, OutsideKind::Threads);
}

#[test]
fn resident_memory_alone_is_judged_with_care() {
    let with = |change: &dyn Fn(i64, &mut Reading)| analyse(&run(200, change)).pattern();
    // A churning allocator that keeps a little more now and then.
    let wobble = with(&|t, reading| {
        reading.allocated = Bytes(4 << 20) + Bytes((4 << 20) * t);
        reading.rss_anon = Bytes((50 << 20) + (300 << 10) * isqrt(t * 4) - t % 7 * 40_960);
    });
    assert_eq!(wobble, Some(Pattern::Healthy));
    // A few pages.
    let pages = with(&|t, reading| reading.rss_anon = Bytes((50 << 20) + 4_096 * (t / 10)));
    assert_eq!(pages, Some(Pattern::Healthy));
    // A step, as a hoarding pool makes.
    let step =
        with(&|t, reading| reading.rss_anon = Bytes(if t < 100 { 50 << 20 } else { 180 << 20 }));
    assert_eq!(step, Some(Pattern::Healthy));
    // Resident memory that follows a cache.
    let cache = with(&|t, reading| {
        reading.live = Bytes(65_536 * t.min(120));
        reading.rss_anon = Bytes(66_000 * t.min(120));
    });
    assert_eq!(cache, Some(Pattern::CacheFilling));
    // Even growth in every window that the allocator could hold is still not healthy.
    let even = analyse(&run(200, |t, reading| {
        reading.allocated = Bytes((4 << 20) * t);
        reading.rss_anon = Bytes(80_000 * t);
    }));
    assert_eq!(even.pattern(), Some(Pattern::NativeLeak));
    assert_eq!(even.evidence.outside.expect("grows").holder, Holder::AllocatorOrOutside);
}

#[test]
fn findings_survive_json() {
    let finding = live(200, |t| 100 * t);
    let json = serde_json::to_string(&finding).expect("serializes");
    assert!(json.contains("\"leaked_bytes_per_batch\":100.0"), "{json}");
    assert_eq!(serde_json::from_str::<Finding>(&json).expect("was written"), finding);
}
