//! The manifest and the registry fit each other.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;
use std::path::Path;

use highwater_core::{Limits, Pattern};
use highwater_fixture::{Input, Manifest, Runtime, input, manifest};

/// Built into the worker, which no registry can forget.
const PLANTED: [&str; 2] = ["planted_leak", "planted_twin"];

fn load() -> Manifest {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("highwater.yaml");
    manifest::load(&path).unwrap()
}

#[test]
fn every_udf_has_its_fixture_and_every_fixture_its_udf() {
    let manifest = load();
    let rust = manifest.fixtures.iter().filter(|fixture| fixture.runtime == Runtime::Rust);
    let fixtures: BTreeSet<&str> = rust.map(|fixture| fixture.udf.as_str()).collect();
    let registry = udf_fixtures::registry();
    let udfs: BTreeSet<&str> = registry.names().chain(PLANTED).collect();
    assert_eq!(fixtures, udfs);
}

/// Every class of a Python file that can be called is a fixture, and the other way round.
#[test]
fn every_python_udf_has_its_fixture() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("python");
    let mut udfs = BTreeSet::new();
    for entry in std::fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let text = std::fs::read_to_string(&path).unwrap_or_default();
        let classes = text.lines().filter_map(|line| line.strip_prefix("class "));
        for class in classes {
            let name = class.split(['(', ':']).next().unwrap();
            udfs.insert(format!("{}:{name}", path.display()));
        }
    }
    // A flight of a chain is no UDF.
    udfs.retain(|udf| !udf.ends_with(":Flight"));
    let manifest = load();
    let python = manifest.fixtures.iter().filter(|fixture| fixture.runtime == Runtime::Python);
    let fixtures: BTreeSet<String> = python
        .map(|fixture| fixture.udf.clone())
        .filter(|udf| !PLANTED.contains(&udf.as_str()))
        .collect();
    assert_eq!(fixtures, udfs);
}

#[test]
fn every_fixture_is_exact_and_says_what_it_is() {
    for fixture in load().fixtures {
        if fixture.runtime == Runtime::Rust {
            assert_eq!(fixture.limits, Limits::default(), "{}", fixture.name);
        }
        assert!(!fixture.description.is_empty(), "{}", fixture.name);
        let generated = fixture.input == Input::Generated;
        assert_eq!(generated, PLANTED.contains(&fixture.udf.as_str()), "{}", fixture.name);
    }
}

/// The pattern of a mistake is not up for review; that of a healthy UDF is its baseline's.
#[test]
fn mistakes_have_their_pattern_and_healthy_udfs_have_none() {
    let manifest = load();
    let expected: Vec<(&str, Pattern)> = manifest
        .fixtures
        .iter()
        .filter_map(|fixture| Some((fixture.name.as_str(), fixture.expect?)))
        .collect();
    let mistakes = [
        ("planted_leak", Pattern::HeapLeak),
        ("growing_cache", Pattern::HeapLeak),
        ("batches_kept", Pattern::ArrowLeak),
        ("closures_capture", Pattern::ArrowLeak),
        ("slices_pin_parent", Pattern::ArrowLeak),
        ("rc_cycle", Pattern::HeapLeak),
        ("tiny_leak_amid_churn", Pattern::HeapLeak),
        ("all_pairs", Pattern::OversizedPeak),
        ("pathological_row", Pattern::PathologicalRow),
        ("py_planted_leak", Pattern::HeapLeak),
        ("py_leak_8mib", Pattern::HeapLeak),
        ("py_growing_cache", Pattern::HeapLeak),
        ("py_batch_history", Pattern::ArrowLeak),
        ("py_deferred_checks", Pattern::ArrowLeak),
        ("py_kept_schemas", Pattern::HeapLeak),
        ("py_linked_flights", Pattern::GcCycles),
        ("py_fragmented_ring", Pattern::AllocatorRetention),
        ("py_kept_graph", Pattern::HeapLeak),
    ];
    assert_eq!(expected, mistakes);
}

#[test]
fn the_flights_are_200_batches_of_300_rows_and_19_columns() {
    let manifest = load();
    let fixture = manifest.fixture("batches_kept").unwrap();
    let batches: Vec<_> = input::open(fixture, None).unwrap().collect::<Result<_, _>>().unwrap();
    assert_eq!(batches.len(), 200);
    assert!(batches.iter().all(|batch| batch.num_rows() == 300 && batch.num_columns() == 19));
}
