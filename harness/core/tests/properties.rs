//! Properties that hold for every series, every limit and every size.

#[expect(dead_code, reason = "the rates are those of `tests/rates.rs`")]
mod simulate;

use highwater_core::{Bytes, Limit, Movement, analyse};
use proptest::prelude::*;
use proptest::test_runner::RngSeed;
use simulate::{HEALTHY, Kind, LEAKING, run};

/// The same cases in every run: a test that fails on some days is no test.
fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        cases,
        rng_seed: RngSeed::Fixed(0x4877),
        failure_persistence: None,
        ..ProptestConfig::default()
    }
}

fn any_kind() -> impl Strategy<Value = &'static Kind> {
    let kinds: Vec<&'static Kind> = HEALTHY.iter().chain(LEAKING).collect();
    proptest::sample::select(kinds)
}

fn any_limit() -> impl Strategy<Value = Limit> {
    let percent = proptest::option::of(0.0..1e6_f64);
    let bytes = proptest::option::of(0..i64::MAX);
    (percent, bytes)
        .prop_map(|(percent, bytes)| Limit::new(percent, bytes.map(Bytes)).expect("in range"))
}

proptest! {
    #![proptest_config(config(500))]

    /// What the process held before says nothing.
    #[test]
    fn a_constant_changes_nothing(
        kind in any_kind(),
        seed in 0_u32..10_000,
        batches in 100_usize..450,
        constant in -(1_i64 << 40)..(1_i64 << 40),
    ) {
        let live = kind.series(batches, seed).live;
        let moved: Vec<i64> = live.iter().map(|value| value + constant).collect();
        let (mut a, mut b) = (analyse(&run(&live)), analyse(&run(&moved)));
        for finding in [&mut a, &mut b] {
            finding.evidence.live.minima.clear(); // the values themselves
        }
        prop_assert_eq!(a, b);
    }

    /// Bytes count the same in any unit: a series ten times as large leaks ten times as much.
    #[test]
    fn a_larger_leak_is_the_same_leak(
        rate in 1_i64..1_000_000,
        warm_up in 0_usize..60,
        batches in 200_usize..450,
    ) {
        let live: Vec<i64> = (0..batches)
            .map(|batch| rate * i64::try_from(batch + 50 * batch.min(warm_up)).expect("small"))
            .collect();
        let found = analyse(&run(&live)).figures.leaked_bytes_per_batch;
        prop_assert_eq!(found.rounded(), rate);
    }

    /// No series makes the analysis panic, whatever its length.
    #[test]
    fn any_series_is_answered(live in proptest::collection::vec(-(1_i64 << 45)..(1_i64 << 45), 0..400)) {
        let finding = analyse(&run(&live));
        prop_assert!(!finding.sentence().is_empty());
        prop_assert!(finding.figures.leaked_bytes_per_batch.0.is_finite());
    }

    #[test]
    fn limits_round_trip(limit in any_limit()) {
        prop_assert_eq!(limit.to_string().parse(), Ok(limit));
        let yaml = serde_yaml::to_string(&limit).expect("a string");
        prop_assert_eq!(serde_yaml::from_str::<Limit>(&yaml).expect("was written"), limit);
    }

    #[test]
    fn bytes_round_trip(bytes in any::<i64>().prop_map(|bytes| bytes / 2)) {
        prop_assert_eq!(Bytes(bytes).exact().parse(), Ok(Bytes(bytes)));
    }

    /// Nothing is within a smaller limit and beyond a larger one.
    #[test]
    fn a_larger_limit_allows_more(
        old in -(1_i64 << 40)..(1_i64 << 40),
        new in -(1_i64 << 40)..(1_i64 << 40),
        percent in 0.0..100.0_f64,
        bytes in 0..(1_i64 << 40),
    ) {
        let small = Limit::new(Some(percent), Some(Bytes(bytes))).expect("in range");
        let large = Limit::new(Some(percent * 2.0), Some(Bytes(bytes * 2))).expect("in range");
        if small.compare(old, new) == Movement::Within {
            prop_assert_eq!(large.compare(old, new), Movement::Within);
        }
    }
}
