//! What the UDFs compute: a mistake in memory is not a mistake in the result.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, LargeStringArray, RecordBatch};
use highwater_core::Batches;
use highwater_fixture::{FixtureSpec, Udf, input, manifest};
use udf_fixtures::{
    AllPairs, BatchesKept, BoundedCache, Churn, ClosuresCapture, ClosuresRun, GrowingCache,
    PairsFolded, PeriodicFlush, RcTree, Rebooking, RunningStats, SlicesCopied, SlicesPinParent,
    registry,
};

/// Five flights; the last was cancelled.
fn flights() -> RecordBatch {
    let texts =
        |values: [&str; 5]| -> ArrayRef { Arc::new(LargeStringArray::from(values.to_vec())) };
    let delays =
        |values: [Option<f64>; 5]| -> ArrayRef { Arc::new(Float64Array::from(values.to_vec())) };
    RecordBatch::try_from_iter([
        ("carrier", texts(["UA", "UA", "B6", "B6", "AA"])),
        ("flight", Arc::new(Int64Array::from(vec![1545, 7, 725, 79, 1]))),
        ("time_hour", texts(["2013-01-01T10:00:00Z"; 5])),
        ("origin", texts(["EWR", "EWR", "EWR", "JFK", "JFK"])),
        ("dest", texts(["IAH", "IAH", "BQN", "MCO", "LAX"])),
        ("dep_delay", delays([Some(30.0), Some(-5.0), Some(90.0), Some(150.0), None])),
        ("arr_delay", delays([Some(20.0), Some(10.0), Some(60.0), Some(120.0), None])),
    ])
    .unwrap()
}

fn floats(udf: &mut impl Udf) -> Vec<Option<f64>> {
    let output = udf.call(&flights()).unwrap();
    output.as_primitive::<Float64Type>().iter().collect()
}

#[test]
fn running_stats_counts_deviations_from_the_carrier_s_mean() {
    let mut udf = RunningStats::default();
    // The first flight of a carrier has nothing to deviate from; the second is one deviation off.
    let first = floats(&mut udf);
    assert_eq!(first, [None, Some(-1.0), None, Some(1.0), None]);
    // UA has now 20, 10 and 20: mean 50/3, deviation sqrt(200)/3.
    let second = floats(&mut udf);
    let expected = (20.0 - 50.0 / 3.0) / (200_f64.sqrt() / 3.0);
    assert!((second[0].unwrap() - expected).abs() < 1e-12, "{second:?}");
}

#[test]
fn caches_label_flights_the_first_time_and_again() {
    let expected = [
        "UA 1545 2013-01-01T10:00:00Z EWR-IAH",
        "UA    7 2013-01-01T10:00:00Z EWR-IAH",
        "B6  725 2013-01-01T10:00:00Z EWR-BQN",
        "B6   79 2013-01-01T10:00:00Z JFK-MCO",
        "AA    1 2013-01-01T10:00:00Z JFK-LAX",
    ];
    for udf in [&mut GrowingCache::default() as &mut dyn Udf, &mut BoundedCache::default()] {
        for _ in 0..2 {
            let output = udf.call(&flights()).unwrap();
            let labels: Vec<_> = output.as_string::<i64>().iter().flatten().collect();
            assert_eq!(labels, expected);
        }
    }
}

#[test]
fn batches_kept_takes_the_mean_off() {
    // The mean of 20, 10, 60 and 120 is 52.5.
    let expected = [Some(-32.5), Some(-42.5), Some(7.5), Some(67.5), None];
    let mut udf = BatchesKept::default();
    assert_eq!(floats(&mut udf), expected);
    assert_eq!(floats(&mut udf), expected);
}

#[test]
fn periodic_flush_takes_the_mean_off_from_the_tenth_batch_on() {
    let mut udf = PeriodicFlush::default();
    for _ in 0..9 {
        assert_eq!(floats(&mut udf)[0], Some(20.0));
    }
    assert_eq!(floats(&mut udf)[0], Some(-32.5));
}

#[test]
fn closures_give_hours() {
    let expected = [Some(20.0 / 60.0), Some(10.0 / 60.0), Some(1.0), Some(2.0), None];
    assert_eq!(floats(&mut ClosuresCapture::default()), expected);
    assert_eq!(floats(&mut ClosuresRun::default()), expected);
}

#[test]
fn slices_mark_the_worst_arrival() {
    for udf in [&mut SlicesPinParent::default() as &mut dyn Udf, &mut SlicesCopied::default()] {
        let output = udf.call(&flights()).unwrap();
        let marks: Vec<_> = output.as_boolean().iter().flatten().collect();
        assert_eq!(marks, [false, false, false, true, false]);
    }
}

#[test]
fn trees_share_out_the_airport_s_delay() {
    // 30 and 90 late minutes at Newark, 150 at Kennedy.
    let expected = [Some(0.25), Some(0.0), Some(0.75), Some(1.0), Some(0.0)];
    assert_eq!(floats(&mut RcTree::cyclic()), expected);
    assert_eq!(floats(&mut RcTree::weak()), expected);
}

#[test]
fn churn_measures_texts() {
    let expected = [Some(9.0), Some(9.0), Some(9.0), Some(10.0), None];
    assert_eq!(floats(&mut Churn::forgetting()), expected);
    assert_eq!(floats(&mut Churn::closing()), expected);
}

#[test]
fn pairs_have_mean_gaps() {
    let expected =
        [Some(150.0 / 3.0), Some(170.0 / 3.0), Some(150.0 / 3.0), Some(270.0 / 3.0), None];
    assert_eq!(floats(&mut AllPairs), expected);
    assert_eq!(floats(&mut PairsFolded), expected);
}

#[test]
fn rebooking_doubles_by_the_hour() {
    for mut udf in [Rebooking::unchecked(), Rebooking::checked()] {
        let output = udf.call(&flights()).unwrap();
        let counts: Vec<_> = output.as_primitive::<Int64Type>().iter().collect();
        assert_eq!(counts, [Some(1), Some(1), Some(2), Some(4), None]);
    }
}

#[test]
fn a_missing_column_and_a_wrong_one_are_named() {
    let without = flights().project(&[0]).unwrap();
    let error = AllPairs.call(&without).unwrap_err().to_string();
    assert_eq!(error, "the batch has no column `arr_delay`");
    let texts: ArrayRef = Arc::new(LargeStringArray::from(vec!["late"]));
    let wrong = RecordBatch::try_from_iter([("arr_delay", texts)]).unwrap();
    let error = AllPairs.call(&wrong).unwrap_err().to_string();
    assert_eq!(error, "column `arr_delay` is LargeUtf8, not Float64");
}

/// A twin that did less would prove nothing.
#[test]
fn mistakes_and_twins_compute_the_same_over_real_flights() {
    let pairs = [
        ("growing_cache", "bounded_cache"),
        ("closures_capture", "closures_run"),
        ("slices_pin_parent", "slices_copied"),
        ("rc_cycle", "rc_weak"),
        ("tiny_leak_amid_churn", "churn_only"),
        ("all_pairs", "pairs_folded"),
    ];
    let registry = registry();
    let batches = real_flights(12);
    for (mistake, twin) in pairs {
        let mut mistaken = registry.get(mistake).unwrap().build();
        let mut healthy = registry.get(twin).unwrap().build();
        for batch in &batches {
            let output = mistaken.call(batch).unwrap();
            assert_eq!(output.len(), batch.num_rows(), "{mistake}");
            assert_eq!(&output, &healthy.call(batch).unwrap(), "{mistake} and {twin}");
        }
    }
}

/// `pathological_row` stands on a fact of the data.
#[test]
fn one_flight_of_the_file_was_far_later_than_all_others() {
    let hours = |batch: &RecordBatch| -> Vec<u32> {
        let delays = batch["dep_delay"].as_primitive::<Float64Type>();
        delays.iter().flatten().map(|delay| (delay.max(0.0) / 60.0) as u32).collect()
    };
    let mut hours: Vec<u32> = real_flights(200).iter().flat_map(hours).collect();
    hours.sort_unstable_by(|a, b| b.cmp(a));
    assert_eq!(hours[..4], [21, 18, 14, 14]);
}

fn real_flights(batches: u32) -> Vec<RecordBatch> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("highwater.yaml");
    let manifest = manifest::load(&path).unwrap();
    let fixture = manifest.fixture("batches_kept").unwrap();
    let spec = FixtureSpec { batches: Batches(batches), ..fixture.clone() };
    input::open(&spec, None).unwrap().collect::<Result<_, _>>().unwrap()
}
