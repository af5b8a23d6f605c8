//! The gate's decisions, by table.

use highwater_core::{
    Baseline, BlocksPerBatch, Bytes, BytesPerBatch, Change, Conditions, Finding, Limits, Metric,
    Missing, Pattern, Reading, Run, Verdict, analyse, exit_code, judge,
};

fn healthy() -> Finding {
    finding(0, 200)
}

/// A run that leaks `rate` bytes per batch.
fn finding(rate: i64, batches: i64) -> Finding {
    let reading = |batch: i64| {
        let live = Bytes(1_000_000 + rate * batch);
        Reading { live, peak: live, ..Reading::default() }
    };
    let batches = (0..batches).map(reading).collect();
    analyse(&Run { after_setup: reading(0), batches, ..Run::default() })
}

fn conditions() -> Conditions {
    Conditions {
        runtime: "rust".to_owned(),
        udf: "window".to_owned(),
        batches: 200,
        rows: 512,
        seed: 7,
        input: "generator".to_owned(),
    }
}

fn baseline() -> Baseline {
    Baseline { peak_bytes: 8_600_000, ..Baseline::new(conditions(), &healthy(), Limits::default()) }
}

fn limits(peak: &str) -> Limits {
    Limits { peak_bytes: peak.parse().expect(peak), ..Limits::default() }
}

#[test]
fn figures_are_judged_by_their_limits() {
    for (limit, old, new, expected) in [
        ("0", 100, 100, "pass"),
        ("0", 100, 101, "regressed"),
        ("0", 100, 99, "improved"),
        ("5%", 1_000, 1_050, "pass"),
        ("5%", 1_000, 1_051, "regressed"),
        ("5%", 1_000, 950, "pass"),
        ("5%", 1_000, 949, "improved"),
        ("5%|1KiB", 1_000, 2_000, "pass"),
        ("5%|1KiB", 1_000, 2_025, "regressed"),
    ] {
        let [old, new] = [old, new].map(|peak_bytes| Baseline {
            peak_bytes,
            limits: limits(limit),
            ..baseline()
        });
        let verdict = judge(Some(&old), &healthy(), &new);
        assert_eq!(verdict.name(), expected, "{limit} {} {}", old.peak_bytes, new.peak_bytes);
    }
}

#[test]
fn every_metric_is_judged() {
    for metric in Metric::ALL {
        let mut new = baseline();
        match metric {
            Metric::SetupBytes => new.setup_bytes += 1,
            Metric::PeakBytes => new.peak_bytes += 1,
            Metric::LeakedBytesPerBatch => new.leaked_bytes_per_batch += 1,
            Metric::LeakedBlocksPerBatch => new.leaked_blocks_per_batch += 1,
        }
        match judge(Some(&baseline()), &healthy(), &new) {
            Verdict::Regressed(regression) => {
                assert_eq!(regression.changes.len(), 1);
                assert_eq!(regression.changes[0].metric, metric);
            }
            other => panic!("{metric}: {other}"),
        }
    }
    let retained = Baseline { retained_bytes: 99, ..baseline() };
    assert_eq!(judge(Some(&baseline()), &healthy(), &retained), Verdict::Pass);
}

#[test]
fn a_regression_beats_an_improvement() {
    let new = Baseline { peak_bytes: 1, setup_bytes: 2_000_000, ..baseline() };
    let verdict = judge(Some(&baseline()), &healthy(), &new);
    assert_eq!(verdict.name(), "regressed");
    assert!(!verdict.to_string().contains("peak_bytes"), "{verdict}");
}

#[test]
fn patterns_are_judged_where_a_leak_comes_or_goes() {
    use Pattern::{
        CacheFilling, GcCycles, Healthy, HeapLeak, NativeLeak, OversizedPeak, PathologicalRow,
    };
    for (old, new, expected) in [
        (Healthy, Healthy, "pass"),
        (Healthy, CacheFilling, "pass"),
        (Healthy, GcCycles, "pass"),
        (Healthy, OversizedPeak, "pass"),
        (OversizedPeak, PathologicalRow, "pass"),
        (Healthy, HeapLeak, "regressed"),
        (OversizedPeak, NativeLeak, "regressed"),
        (HeapLeak, NativeLeak, "regressed"),
        (HeapLeak, HeapLeak, "pass"),
        (HeapLeak, Healthy, "improved"),
        (NativeLeak, OversizedPeak, "improved"),
    ] {
        let [old, new] = [old, new].map(|pattern| Baseline { pattern, ..baseline() });
        let verdict = judge(Some(&old), &healthy(), &new);
        assert_eq!(verdict.name(), expected, "{} to {}", old.pattern, new.pattern);
    }
}

#[test]
fn a_known_leak_passes_grows_and_shrinks() {
    let known = Baseline::new(conditions(), &finding(100, 200), Limits::default());
    assert_eq!(known.pattern, Pattern::HeapLeak);
    assert_eq!(known.leaked_bytes_per_batch, 100);
    for (rate, expected) in [(100, "pass"), (101, "regressed"), (99, "improved"), (0, "improved")] {
        let finding = finding(rate, 200);
        let new = Baseline::new(conditions(), &finding, Limits::default());
        assert_eq!(judge(Some(&known), &finding, &new).name(), expected, "{rate}");
    }
}

/// Whoever sets a limit on the rate means that a leak below it may come.
#[test]
fn a_leak_within_a_limit_of_its_own_is_allowed() {
    let leak = finding(24, 200);
    let rated = |limit: &str, finding: &Finding| {
        let limits = Limits { leaked_bytes_per_batch: limit.parse().unwrap(), ..limits("1TiB") };
        Baseline::new(conditions(), finding, limits)
    };
    for (limit, expected) in [
        ("0", "regressed"),
        ("23B", "regressed"),
        ("24B", "pass"),
        ("5%", "regressed"), // of nothing
    ] {
        let verdict = judge(Some(&rated(limit, &healthy())), &leak, &rated(limit, &leak));
        assert_eq!(verdict.name(), expected, "{limit}");
    }
    // The figures say nothing of a leak outside the heap.
    let native = Baseline { pattern: Pattern::NativeLeak, ..rated("1MiB", &leak) };
    assert_eq!(judge(Some(&rated("1MiB", &healthy())), &leak, &native).name(), "regressed");
}

#[test]
fn an_inconclusive_finding_comes_first() {
    let few = finding(0, 50);
    let new = Baseline::new(conditions(), &few, Limits::default());
    for old in [None, Some(&baseline())] {
        let verdict = judge(old, &few, &new);
        assert_eq!(verdict.name(), "inconclusive");
        assert!(verdict.to_string().contains("50 batches are too few"), "{verdict}");
    }
}

#[test]
fn other_conditions_and_limits_are_not_comparable() {
    assert_eq!(judge(None, &healthy(), &baseline()), Verdict::BaselineMissing(Missing::Never));
    let mut other = Baseline { peak_bytes: i64::MAX, limits: limits("5%"), ..baseline() };
    other.conditions.rows = 1_024;
    let verdict = judge(Some(&baseline()), &healthy(), &other);
    assert_eq!(
        verdict.to_string(),
        "baseline missing: the baseline was taken under other conditions: rows 512 → 1024; \
         limits.peak_bytes 0 → 5%"
    );
}

#[test]
fn changes_read_as_a_reviewer_needs_them() {
    let change = |metric, old, new, limit: &str| {
        Change { metric, old, new, limit: limit.parse().expect(limit) }.to_string()
    };
    assert_eq!(
        change(Metric::PeakBytes, 8_600_000, 10_380_902, "5%|256KiB"),
        "peak_bytes 8.2 MiB → 9.9 MiB (+1.7 MiB, +20.7 %), limit 5%|256KiB"
    );
    assert_eq!(
        change(Metric::PeakBytes, 8_600_000, 8_600_024, "0"),
        "peak_bytes 8,600,000 → 8,600,024 (+24 B, +0.0 %), limit 0 (exact)"
    );
    assert_eq!(
        change(Metric::LeakedBlocksPerBatch, 0, 1, "0"),
        "leaked_blocks_per_batch 0 blocks → 1 block (+1 block), limit 0 (exact)"
    );
    assert_eq!(
        change(Metric::LeakedBytesPerBatch, 1_000, 500, "10%"),
        "leaked_bytes_per_batch 1000 B → 500 B (-500 B, -50.0 %), limit 10%"
    );
}

#[test]
fn rates_are_stored_as_the_nearest_integer() {
    let mut finding = healthy();
    for (rate, stored) in [(0.4, 0), (0.5, 1), (123.9, 124), (-0.5, -1)] {
        finding.figures.leaked_bytes_per_batch = BytesPerBatch(rate);
        finding.figures.leaked_blocks_per_batch = BlocksPerBatch(rate);
        let baseline = Baseline::new(conditions(), &finding, Limits::default());
        assert_eq!(baseline.leaked_bytes_per_batch, stored);
        assert_eq!(baseline.leaked_blocks_per_batch, stored);
    }
}

#[test]
fn a_baseline_is_integers_in_yaml_and_reads_back() {
    let baseline = Baseline { limits: limits("5%|256KiB"), ..baseline() };
    let yaml = serde_yaml::to_string(&baseline).expect("serializes");
    assert_eq!(
        yaml,
        "conditions:\n  runtime: rust\n  udf: window\n  batches: 200\n  rows: 512\n  seed: 7\n  \
         input: generator\npattern: healthy\nsetup_bytes: 1000000\npeak_bytes: 8600000\n\
         leaked_bytes_per_batch: 0\nleaked_blocks_per_batch: 0\nretained_bytes: 0\nlimits:\n  \
         setup_bytes: '0'\n  peak_bytes: 5%|256KiB\n  leaked_bytes_per_batch: '0'\n  \
         leaked_blocks_per_batch: '0'\n"
    );
    assert_eq!(serde_yaml::from_str::<Baseline>(&yaml).expect("was written"), baseline);
    let unknown = yaml.replace("peak_bytes: 8600000", "peak_bites: 8600000");
    assert!(serde_yaml::from_str::<Baseline>(&unknown).is_err());
}

#[test]
fn verdicts_have_their_exit_codes() {
    for (verdict, code) in [
        (Verdict::Pass, exit_code::PASS),
        (Verdict::Improved(Default::default()), 0),
        (Verdict::Regressed(Default::default()), 3),
        (Verdict::Inconclusive(String::new()), 4),
        (Verdict::Invalid(String::new()), 4),
        (Verdict::NotAttached(String::new()), 5),
        (Verdict::NoUdf(String::new()), 2),
        (Verdict::NotRun(String::new()), 0),
        (Verdict::BaselineMissing(Missing::Never), 6),
    ] {
        assert_eq!(verdict.exit_code(), code, "{verdict}");
    }
}
