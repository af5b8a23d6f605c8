//! What the production run adds.

use crate::{keep, rss, run};
use highwater_core::{
    ArrowBooks, Bytes, ExperimentMarks, Experiments, Finding, GaveBack, Pattern, Production,
    ProductionFinding, Reading, Run, analyse, analyse_production, headline,
};

/// What the production run `each` adds to a healthy exact run.
fn production(experiments: Experiments, each: impl Fn(i64, &mut Reading)) -> ProductionFinding {
    production_of(&analyse(&run(|_, _| {})), experiments, each)
}

fn production_of(
    exact: &Finding,
    experiments: Experiments,
    each: impl Fn(i64, &mut Reading),
) -> ProductionFinding {
    let run = Run { experiments: Some(experiments), ..run(each) };
    analyse_production(exact, &Production { run, arrow: ArrowBooks::Apart })
}

#[test]
fn production_shows_what_becomes_of_resident_memory() {
    type Each = fn(i64, &mut Reading);
    let climb: Each = |t, it| it.rss_anon = it.rss_anon + Bytes(85_000 * t);
    let burst: Each = |t, it| it.rss_anon = it.rss_anon + Bytes((130 << 20) * i64::from(t > 59));
    let buffers: Each = |t, it| {
        it.arrow_live = Some(Bytes(85_000 * t));
        it.rss_anon = it.rss_anon + Bytes(85_000 * t);
    };
    let cycles: Each = |t, it| keep(it, 236_000 * (t % 73), 0, t % 73);
    let nothing = Experiments::default();
    let trim = Experiments { trim: rss(15_000_000), ..nothing };
    let pool = Experiments { release_pool: rss(135 << 20), ..nothing };
    let collect = Experiments { collect: GaveBack { live: Bytes(12 << 20), ..rss(0) }, ..nothing };
    let table: [(&str, Each, Experiments, Option<Pattern>); 9] = [
        ("climbs, trimmed", climb, trim, Some(Pattern::AllocatorRetention)),
        ("climbs, kept", climb, nothing, Some(Pattern::NativeLeak)),
        ("burst, released", burst, pool, Some(Pattern::AllocatorRetention)),
        ("burst, kept", burst, nothing, None),
        ("Arrow's own buffers", buffers, trim, None),
        ("cycles", cycles, collect, Some(Pattern::GcCycles)),
        ("nothing", |_, _| {}, nothing, None),
        ("nothing, trimmed", |_, _| {}, trim, None),
        // What `setup` asked for is touched bit by bit.
        (
            "touched",
            |t, it| {
                it.live = it.live + Bytes(64 << 20);
                it.rss_anon = it.rss_anon + Bytes(85_000 * t);
            },
            nothing,
            None,
        ),
    ];
    for (name, each, experiments, pattern) in table {
        let finding = production(experiments, each);
        assert_eq!(finding.pattern, pattern, "{name}: {finding:#?}");
        assert_eq!(finding.experiments, Some(experiments), "{name}");
    }
    let finding = production(trim, climb);
    assert!((finding.rss_bytes_per_batch.0 - 85_000.0).abs() < 1.0);
    assert_eq!(finding.gap_grown_bytes, Bytes(85_000 * 199));
    assert_eq!(
        finding.sentence(),
        "resident memory rises 83 KiB/batch, 83 KiB of it beyond what is accounted for; of the \
         16.1 MiB that came after setup, `malloc_trim` gave back 14.3 MiB"
    );
}

#[test]
fn production_never_stands_in_for_the_exact_run() {
    let trim = Experiments { trim: rss(15_000_000), ..Experiments::default() };
    let climb = |t: i64, it: &mut Reading| it.rss_anon = it.rss_anon + Bytes(85_000 * t);
    let healthy = analyse(&run(|_, _| {}));
    let retained = production_of(&healthy, trim, climb);
    assert_eq!(headline(&healthy, Some(&retained)), Some(Pattern::AllocatorRetention));
    assert_eq!(headline(&healthy, None), Some(Pattern::Healthy));
    // A leak is the whole story, and an exact run that does not tell is not made up for.
    let leak = analyse(&run(|t, it| keep(it, 100 * t, 0, t)));
    assert_eq!(production_of(&leak, trim, climb).pattern, None);
    assert_eq!(headline(&leak, Some(&retained)), Some(Pattern::HeapLeak));
    let unclear = analyse(&run(|t, it| keep(it, 100 * (t - 175).max(0), 0, 0)));
    assert_eq!(production_of(&unclear, trim, climb).pattern, None);
    assert_eq!(headline(&unclear, Some(&retained)), None);
    // Too short a run has figures and no pattern.
    let short = Run { batches: run(climb).batches[..50].to_vec(), ..Run::default() };
    let books = Production { run: short, arrow: ArrowBooks::Heap };
    let finding = analyse_production(&healthy, &books);
    assert_eq!((finding.pattern, finding.rss_bytes_per_batch.0), (None, 0.0));
    assert!(finding.sentence().starts_with("50 batches are too few"), "{}", finding.sentence());
}

#[test]
fn garbage_that_may_be_free_lists_is_told_by_what_comes_and_goes() {
    let exact = analyse(&run(|t, it| {
        it.before_collection = Some(it.live + Bytes(100_000));
        it.allocated = Bytes(4_000_000 * t);
        it.allocations = 3_000 * t.unsigned_abs();
    }));
    assert_eq!(exact.pattern(), Some(Pattern::Healthy), "{exact:#?}");
    let finding =
        |each: fn(i64, &mut Reading)| production_of(&exact, Experiments::default(), each).pattern;
    assert_eq!(finding(|t, it| keep(it, 100_000 * (t % 3), 0, t % 3)), Some(Pattern::GcCycles));
    assert_eq!(finding(|_, it| keep(it, 100_000, 0, 2_000)), None);
}

#[test]
fn what_piles_up_until_the_collector_comes_is_garbage() {
    let finding = |each: fn(i64, &mut Reading)| production(Experiments::default(), each).pattern;
    assert_eq!(finding(|t, it| keep(it, 100_000 * (t % 90), 0, t % 90)), Some(Pattern::GcCycles));
    // No more than free lists hold, and a batch's own scratch.
    assert_eq!(finding(|t, it| keep(it, 10_000 * (t % 90), 0, t % 90)), None);
    assert_eq!(finding(|t, it| keep(it, 9_000_000 * (t % 2), 0, t % 2)), None);
}

#[test]
fn a_burst_that_the_allocator_keeps_for_a_while_is_retention() {
    let nothing = Experiments::default();
    let until = |last: i64| {
        let finding = production(nothing, |t, it| {
            let held = i64::from(t > 59 && t < last);
            it.rss_anon = it.rss_anon + Bytes((130 << 20) * held);
        });
        finding.pattern
    };
    assert_eq!(until(120), Some(Pattern::AllocatorRetention));
    assert_eq!(until(70), None, "given back soon");
    // What each batch needs again is not kept for nothing.
    let mut busy = run(|_, _| {});
    for reading in &mut busy.batches {
        reading.peak = reading.live + Bytes(20 << 20);
    }
    let exact = analyse(&busy);
    let pool = Experiments { release_pool: rss(20 << 20), ..nothing };
    let reused = production_of(&exact, pool, |_, it| it.rss_anon = it.rss_anon + Bytes(20 << 20));
    assert_eq!(reused.pattern, None);
}

#[test]
fn experiments_are_differences_of_marks() {
    let mark = |live: i64, rss: i64| Reading {
        live: Bytes(live),
        rss_anon: Bytes(rss),
        rss_file: Bytes(live * 7),
        ..Reading::default()
    };
    let marks = ExperimentMarks {
        before: Reading { before_collection: Some(Bytes(950)), ..mark(900, 5_000) },
        collected: mark(880, 4_900),
        trimmed: mark(880, 3_000),
        released: mark(881, 3_100),
        emptied: mark(700, 2_900),
        dropped: mark(200, 2_000),
    };
    let expected = |live, rss| GaveBack { live: Bytes(live), rss: Bytes(rss) };
    let experiments = Experiments::from(marks);
    assert_eq!(experiments.collect, expected(70, 100));
    assert_eq!(experiments.trim, expected(0, 1_900));
    assert_eq!(experiments.release_pool, expected(-1, -100));
    assert_eq!(experiments.empty_caches, expected(181, 200));
    assert_eq!(experiments.drop, expected(500, 900));
    // What one of them took does not hide what the other gave.
    assert_eq!(experiments.allocators(), Bytes(1_900));
}

#[test]
fn findings_of_rust_runs_have_no_new_keys() {
    let mut rust = run(|_, _| {});
    for reading in &mut rust.batches {
        (reading.native, reading.mapped, reading.before_collection) = (None, None, None);
    }
    let json = serde_json::to_string(&analyse(&rust)).expect("serializes");
    for key in ["native", "garbage", "mapped"] {
        assert!(!json.contains(&format!("\"{key}")), "{key}: {json}");
    }
    let finding = production(Experiments::default(), |_, _| {});
    let json = serde_json::to_string(&finding).expect("serializes");
    assert_eq!(serde_json::from_str::<ProductionFinding>(&json).expect("was written"), finding);
}
