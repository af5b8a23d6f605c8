//! The life of a baseline: missing, accepted, regressed, accepted again, improved.
//!
//! This binary is the worker of its own tests. What its UDF keeps per batch is read from a file
//! beside the manifest, which stands for editing the UDF.

use std::process::ExitCode;

use arrow_array::{ArrayRef, RecordBatch};
use highwater::{Registry, Tracker, Udf, UdfError};
use libtest_mimic::{Arguments, Trial};
use suite_support::Project;

const HIGHWATER: &str = env!("CARGO_BIN_EXE_highwater");

#[global_allocator]
static TRACKER: Tracker = Tracker::new();

const KEEPS: &str = "keeps";

/// Keeps as many bytes per batch, and peaks at as many, as the file `keeps` says.
#[derive(Default)]
struct Edited {
    keeps: usize,
    transient: usize,
    kept: Vec<Box<[u8]>>,
}

impl Udf for Edited {
    fn setup(&mut self) -> Result<(), UdfError> {
        let text = std::fs::read_to_string(KEEPS)?;
        let (keeps, transient) = text.split_once(' ').ok_or("two numbers are needed")?;
        (self.keeps, self.transient) = (keeps.parse()?, transient.parse()?);
        self.kept.reserve_exact(1000);
        Ok(())
    }

    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        if self.keeps > 0 {
            self.kept.push(std::hint::black_box(vec![1; self.keeps].into_boxed_slice()));
        }
        drop(std::hint::black_box(vec![1_u8; self.transient]));
        Ok(batch.column(0).clone())
    }
}

fn main() -> ExitCode {
    highwater::serve_if_assigned(&Registry::new().udf("edited", Edited::default));
    let tests: [(&str, fn()); 7] = [
        ("missing_accepted_regressed_accepted_improved", whole_life),
        ("a_regression_must_clear_both_parts_of_its_limit", limits),
        ("other_conditions_need_another_baseline", conditions),
        ("a_broken_baseline_is_said_and_not_overwritten", broken),
        ("a_baseline_without_a_fixture_fails", orphan),
        ("a_run_within_limits_never_rewrites_its_baseline", no_drift),
        ("switches_that_force_a_pass_are_refused_under_ci", forced),
    ];
    let trials = tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

/// A project whose UDF keeps nothing, its baseline accepted.
fn accepted(fixture: &str) -> Project {
    let project = unaccepted(fixture);
    project.run(&["check"]).says(6, &["baseline missing", "cargo insta accept"]);
    project.accept();
    project.run(&["check"]).says(0, &["pass"]);
    project
}

fn unaccepted(fixture: &str) -> Project {
    let worker = std::env::current_exe().expect("this program");
    let project = Project::new(HIGHWATER, &worker, &format!("  - {fixture}\n"));
    edit(&project, 0, 100);
    project
}

fn edit(project: &Project, keeps: usize, transient: usize) {
    std::fs::write(project.path(KEEPS), format!("{keeps} {transient}")).expect("it is written");
}

fn pending(project: &Project) -> usize {
    let listing = std::fs::read_dir(project.path("baselines")).expect("there are baselines");
    listing
        .filter(|entry| {
            let path = entry.as_ref().expect("an entry").path();
            path.extension().is_some_and(|extension| extension == "new")
        })
        .count()
}

fn whole_life() {
    let project = accepted("{name: edited}");
    assert_eq!(pending(&project), 0, "a pass leaves nothing to review");

    edit(&project, 1000, 100);
    let answer = project.run(&["check"]);
    answer.says(
        3,
        &[
            "`edited` regressed: pattern healthy → heap_leak",
            "leaked_bytes_per_batch 0 B",
            "1000 B",
            "limit 0",
            "cargo insta accept",
        ],
    );
    assert_eq!(pending(&project), 1);
    project.accept();
    project.run(&["check"]).says(0, &["pass", "heap_leak"]);

    edit(&project, 0, 100);
    project.run(&["check"]).says(
        0,
        &["`edited` improved: pattern heap_leak → healthy", "the baseline is stale, tighten it"],
    );
    assert_eq!(pending(&project), 1, "an improvement waits for review");
    project.accept();
    project.run(&["check"]).says(0, &["pass"]);
}

fn limits() {
    let project = accepted("{name: edited, limits: {peak_bytes: 5%|1KiB}}");
    // The baseline's peak is about 1.3 KiB plus what is reserved, about 17 KiB in all.
    edit(&project, 0, 700);
    project.run(&["check"]).says(0, &["pass"]);
    edit(&project, 0, 4000);
    project.run(&["check"]).says(3, &["`edited` regressed: peak_bytes", "limit 5%|1KiB"]);
}

fn conditions() {
    let project = accepted("{name: edited}");
    let worker = "version: 1\nbaselines: baselines\ndefaults: {batches: 120, rows: 8}\n\
                  fixtures: [{name: edited}]\n";
    project.manifest(worker);
    project.run(&["check"]).says(6, &["taken under other conditions: batches 100 → 120"]);
}

fn broken() {
    let project = accepted("{name: edited}");
    let path = snapshot(&project);
    let text = std::fs::read_to_string(&path).expect("the baseline");
    let conflict = text.replace("peak_bytes:", "<<<<<<< HEAD\npeak_bytes:");
    std::fs::write(&path, &conflict).expect("it is written");
    project.run(&["check"]).says(6, &["cannot be read", "restore it from version control"]);
    assert_eq!(std::fs::read_to_string(&path).expect("the baseline"), conflict);
}

fn snapshot(project: &Project) -> std::path::PathBuf {
    project.path(&format!("baselines/edited@{}.snap", highwater::baseline::PLATFORM))
}

fn orphan() {
    let project = accepted("{name: edited}");
    let path = snapshot(&project);
    let orphan = path.with_file_name(
        path.file_name()
            .map_or_else(String::new, |name| name.to_string_lossy().replace("edited", "deleted")),
    );
    std::fs::copy(&path, &orphan).expect("it is copied");
    project.run(&["check"]).says(2, &["deleted@", "belongs to no fixture", "hint:"]);
    project.run(&["check", "edited"]).says(0, &["pass"]);
}

fn no_drift() {
    let project = accepted("{name: edited, limits: {peak_bytes: 5%|1KiB}}");
    let before = std::fs::read(snapshot(&project)).expect("the baseline");
    for transient in [400, 600, 700] {
        edit(&project, 0, transient);
        project.run(&["check"]).says(0, &["pass"]);
    }
    assert_eq!(std::fs::read(snapshot(&project)).expect("the baseline"), before);
    assert_eq!(pending(&project), 0);
}

fn forced() {
    let project = accepted("{name: edited}");
    edit(&project, 1000, 100);
    for (name, value) in
        [("INSTA_FORCE_PASS", "1"), ("INSTA_UPDATE", "always"), ("INSTA_UPDATE", "force")]
    {
        let mut command = project.command(&["check"]);
        command.env("CI", "true").env(name, value);
        suite_support::answer(&mut command)
            .says(2, &[&format!("`{name}={value}`"), "refused under CI"]);
    }
    // What keeps the gate red and uploads the figures is allowed.
    let mut command = project.command(&["check"]);
    command.env("CI", "true").env("INSTA_UPDATE", "new");
    suite_support::answer(&mut command).says(3, &["regressed"]);
    assert_eq!(pending(&project), 1);
}
