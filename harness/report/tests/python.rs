//! The report of a Python fixture: both runs, each for itself.

use std::path::PathBuf;

use highwater::{Explained, FixtureSpec, Measured, ProductionRun};
use highwater_core::{
    ArrowBooks, Bytes, Experiments, GaveBack, Production, Reading, Run, analyse, analyse_production,
};
use highwater_report::{Entry, describe};
use highwater_worker::{Measurement, Outcome};

/// 200 batches over which resident memory climbs by so much each.
fn run(rss_per_batch: i64) -> Run {
    let reading = |t: i64| Reading {
        live: Bytes(1 << 20),
        native: Some(Bytes(300 << 10)),
        arrow_live: Some(Bytes(0)),
        mapped: Some(Bytes(1 << 30)),
        rss_anon: Bytes((50 << 20) + rss_per_batch * t),
        rss_file: Bytes((30 << 20) + 256 * t),
        output: Some(Bytes(2_048)),
        pickled_result: Some(Bytes(3_072)),
        pickled_state: Some(Bytes(100 * t)),
        duration_ns: 1_500,
        ..Reading::default()
    };
    let trim = GaveBack { live: Bytes(0), rss: Bytes(15 << 20) };
    Run {
        before_setup: reading(0),
        after_setup: reading(0),
        batches: (0..200).map(reading).collect(),
        after_drop: reading(199),
        experiments: Some(Experiments { trim, ..Experiments::default() }),
        ..Run::default()
    }
}

fn measurement(run: &Run, record: &str) -> Measurement {
    Measurement {
        record: PathBuf::from(record),
        outcome: Outcome::Finished(run.clone()),
        environment: highwater::Environment::new(),
    }
}

fn measured() -> Measured {
    let (exact, other) = (run(0), run(85_000));
    let finding = analyse(&exact);
    let production = Production { run: other.clone(), arrow: ArrowBooks::Apart };
    let found = analyse_production(&finding, &production);
    let runtime = serde_json::from_str("\"python\"").expect("a runtime");
    Measured {
        spec: FixtureSpec { runtime, ..FixtureSpec::new("churn") },
        measurement: measurement(&exact, "exact.hwr"),
        finding: Some(finding),
        production: Some(ProductionRun {
            measurement: measurement(&other, "production.hwr"),
            production: Some(production),
            finding: Some(found),
        }),
        explained: Explained::default(),
    }
}

#[test]
fn text_has_a_block_for_each_run() {
    let text = describe(&measured());
    let (exact, production) = text.split_once("production run:").expect("two blocks");
    for part in [exact, production] {
        for line in [
            "    live heap         1 MiB\n",
            "    Arrow live        0 B\n",
            "    native            300 KiB\n",
            "    mapped            1 GiB\n",
            "    RSS file          30 MiB\n",
            "    RSS shmem         0 B\n",
            "    pickled state     19.4 KiB, rises 100 B/batch\n",
            "    time per batch    1.5µs (median), 1.5µs (highest)\n",
            "    output            2 KiB (median), 2 KiB (highest)\n",
            "    pickled result    3 KiB (median), 3 KiB (highest)\n",
            "      malloc_trim      0 B live, 15 MiB resident\n",
        ] {
            assert!(part.contains(line), "{line} in\n{part}");
        }
    }
    assert!(exact.contains("    RSS − accounted   49 MiB\n"), "{exact}");
    assert!(exact.contains("  pattern           allocator_retention\n"), "{exact}");
    assert!(production.contains("RSS anon          66.1 MiB, rises 83 KiB/batch\n"));
    assert!(production.contains("RSS − accounted   65.1 MiB, rises 83 KiB/batch\n"));
    assert!(production.contains("shows             allocator_retention\n"));
    assert!(production.contains("resident memory after each batch: 50 MiB to 66.1 MiB\n"));
    assert!(production.ends_with("record: production.hwr\n"), "{production}");
}

#[test]
fn json_keeps_the_runs_apart() {
    let measured = measured();
    let json = serde_json::to_value(Entry::from(&measured)).expect("plain data");
    assert_eq!(json["pattern"], "allocator_retention");
    let python = &json["python"];
    assert_eq!(python["exact_pattern"], "healthy");
    assert_eq!(python["exact"]["rss_anon"]["bytes_per_batch"], 0.0);
    assert_eq!(python["exact"]["gave_back"]["trim"]["rss_bytes"], 15 << 20);
    let production = &python["production"];
    assert_eq!(production["pattern"], "allocator_retention");
    assert_eq!(production["figures"]["rss_anon"]["bytes_per_batch"], 85_000.0);
    assert_eq!(production["figures"]["pickled_state"]["last_bytes"], 19_900);
    assert_eq!(production["figures"]["output_bytes"]["median"], 2_048);
    assert_eq!(production["record"], "production.hwr");
}

#[test]
fn rust_fixtures_have_no_python_key() {
    let measured = Measured { production: None, ..measured() };
    let json = serde_json::to_value(Entry::from(&measured)).expect("plain data");
    let keys: Vec<&str> = json.as_object().expect("an object").keys().map(String::as_str).collect();
    assert!(!keys.contains(&"python") && keys.contains(&"finding"), "{keys:?}");
    assert!(!describe(&measured).contains("production run"));
}

#[test]
fn a_production_run_that_failed_says_so() {
    let mut measured = measured();
    let production = measured.production.as_mut().expect("made above");
    (production.production, production.finding) = (None, None);
    production.measurement.outcome = Outcome::NotAttached("no tracker".to_owned());
    let text = describe(&measured);
    assert!(text.contains("production run: "), "{text}");
    assert!(text.contains("  no figures: no tracker\n"), "{text}");
    let json = serde_json::to_value(Entry::from(&measured)).expect("plain data");
    assert!(json["python"]["production"]["figures"].is_null());
    assert_eq!(json["pattern"], "healthy");
}
