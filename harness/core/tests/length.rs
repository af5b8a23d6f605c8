//! How long runs go on.

use highwater_core::{Batches, Bytes, Haste, Length, Reading, Run, analyse};

fn run(live: impl Fn(i64) -> i64, batches: i64) -> Run {
    let reading = |batch| Reading { live: Bytes(live(batch)), ..Reading::default() };
    Run { batches: (0..batches).map(reading).collect(), ..Run::default() }
}

fn length(batches: u32, most: u32, haste: Haste) -> Length {
    Length {
        asked: Batches(batches),
        most: Batches(most),
        haste,
        knows_leak: false,
        memory_limit: Bytes(4 << 30),
    }
}

/// The length of a run whose live bytes are `live`, as the worker would ask for it.
fn walked(length: Length, live: impl Fn(i64) -> i64) -> u32 {
    let mut done = length.first();
    loop {
        let run = run(&live, i64::from(done.0));
        let next = length.after(&run, &analyse(&run));
        if next <= done {
            return done.0;
        }
        done = next;
    }
}

/// Fills ever more slowly, and nearly reaches its bound by batch 1,500.
#[expect(clippy::cast_possible_truncation, reason = "it is rounded")]
fn filling(batch: i64) -> i64 {
    (1e6 * (1.0 - (-(batch as f64) / 300.0).exp())) as i64
}

#[test]
fn a_certain_answer_takes_what_was_asked_for() {
    assert_eq!(walked(length(200, 800, Haste::Whole), |_| 7), 200);
    assert_eq!(walked(length(200, 800, Haste::Whole), |batch| batch * batch), 200);
    assert!(length(200, 200, Haste::Whole).is_fixed());
    assert!(!length(200, 800, Haste::Whole).is_fixed());
}

/// A cache that is still filling grows as evenly as a leak.
#[test]
fn even_growth_takes_more() {
    assert_eq!(walked(length(200, 800, Haste::Whole), |batch| 100 * batch), 800);
    assert_eq!(walked(length(200, 800, Haste::Whole), |batch| 100 * batch.min(300)), 400);
    assert_eq!(walked(length(200, 800, Haste::Whole), |batch| 100 * batch.min(500)), 800);
}

/// What a backlog gives back hides what a leak beside it adds.
#[test]
fn a_state_that_still_shrinks_takes_more() {
    let backlog = |batch: i64| 3_000 * (1_000 - batch.min(300));
    assert_eq!(walked(length(200, 800, Haste::Whole), backlog), 400);
    assert_eq!(walked(length(200, 800, Haste::Whole), |batch| backlog(batch) + 100 * batch), 800);
    assert_eq!(walked(length(400, 800, Haste::Whole), backlog), 400);
    assert_eq!(walked(length(200, 800, Haste::Quick), |batch| -10 * batch), 100);
    assert_eq!(walked(length(200, 800, Haste::Whole), |batch| -10 * batch), 800);
}

#[test]
fn a_leak_that_is_known_takes_what_was_asked_for() {
    let length = |batches| Length { knows_leak: true, ..length(batches, 800, Haste::Whole) };
    assert_eq!(walked(length(200), |batch| 100 * batch), 200);
    assert_eq!(walked(length(120), |batch| 100 * batch), 240);
}

/// More batches would tell nothing new where the input starts over.
#[test]
fn even_growth_ends_with_the_input() {
    let after = |fresh| {
        let run = run(|batch| 100 * batch, 200);
        let run = Run { fresh_batches: Some(Batches(fresh)), ..run };
        length(200, 800, Haste::Whole).after(&run, &analyse(&run))
    };
    assert_eq!([after(200), after(201)], [Batches(200), Batches(400)]);
}

/// A worker that goes on may not be stopped for its memory: a quarter of it must do.
#[test]
fn even_growth_ends_with_the_memory() {
    let of_mib = |size: i64| move |batch: i64| (size * batch) << 20;
    assert_eq!(walked(length(200, 800, Haste::Whole), of_mib(1)), 800);
    assert_eq!(walked(length(200, 800, Haste::Whole), of_mib(2)), 400);
    assert_eq!(walked(length(200, 800, Haste::Whole), of_mib(8)), 200);
}

#[test]
fn an_uncertain_one_takes_more_up_to_the_most() {
    assert_eq!(walked(length(200, 300, Haste::Whole), filling), 300);
    let enough = walked(length(200, 100_000, Haste::Whole), filling);
    assert!((1600..=3200).contains(&enough), "{enough}");
}

#[test]
fn a_quick_run_ends_at_the_first_certain_answer() {
    assert_eq!(walked(length(800, 800, Haste::Quick), |batch| 100 * batch), 100);
    assert!(walked(length(800, 800, Haste::Quick), |batch| filling(3 * batch)) > 100);
    assert_eq!(walked(length(60, 60, Haste::Quick), |_| 7), 60);
}

/// Whoever asks for too few batches is told, and does not get more.
#[test]
fn too_few_batches_stay_too_few() {
    assert_eq!(walked(length(50, 800, Haste::Whole), |_| 7), 50);
}
