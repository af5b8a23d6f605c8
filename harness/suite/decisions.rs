//! What the gate decides beyond one run: how long it takes, whether a red is confirmed, which rows
//! are to blame.
//!
//! This binary is the worker of its own tests. What its UDFs do is read from a file beside the
//! manifest, which stands for editing them.

use std::process::ExitCode;

use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{ArrayRef, RecordBatch};
use highwater::{Registry, Tracker, Udf, UdfError};
use libtest_mimic::{Arguments, Trial};
use serde_json::Value;
use suite_support::Project;

const HIGHWATER: &str = env!("CARGO_BIN_EXE_highwater");
const MODE: &str = "mode";
const RAN: &str = "ran";

#[global_allocator]
static TRACKER: Tracker = Tracker::new();

/// Holds ever more, ever more slowly: a hundredth of what is missing from its bound with each batch.
#[derive(Default)]
struct Filling {
    held: Vec<Box<[u8]>>,
    bytes: usize,
}

impl Udf for Filling {
    fn setup(&mut self) -> Result<(), UdfError> {
        self.held.reserve_exact(10_000);
        Ok(())
    }

    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        let more = (1_000_000 - self.bytes) / 100;
        self.bytes += more;
        self.held.push(std::hint::black_box(vec![1; more].into_boxed_slice()));
        Ok(batch.column(0).clone())
    }
}

/// Keeps 100 bytes of each batch, of the last 300 alone.
#[derive(Default)]
struct Bounded(std::collections::VecDeque<Box<[u8]>>);

impl Udf for Bounded {
    fn setup(&mut self) -> Result<(), UdfError> {
        self.0.reserve_exact(301);
        Ok(())
    }

    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        self.0.push_back(std::hint::black_box(vec![1; 100].into_boxed_slice()));
        if self.0.len() > 300 {
            self.0.pop_front();
        }
        Ok(batch.column(0).clone())
    }
}

/// Remembers each id that it meets.
#[derive(Default)]
struct Remembering(std::collections::BTreeSet<i64>);

impl Udf for Remembering {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        self.0.extend(batch.column(0).as_primitive::<Int64Type>().values());
        Ok(batch.column(0).clone())
    }
}

/// Keeps 100 bytes per batch: never, always, or in the first of its runs alone.
#[derive(Default)]
struct Moody {
    keeps: bool,
    kept: Vec<Box<[u8]>>,
}

impl Udf for Moody {
    fn setup(&mut self) -> Result<(), UdfError> {
        self.kept.reserve_exact(1000);
        self.keeps = match std::fs::read_to_string(MODE)?.as_str() {
            "always" => true,
            "first" => std::fs::File::create_new(RAN).is_ok(),
            _ => false,
        };
        Ok(())
    }

    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        if self.keeps {
            self.kept.push(std::hint::black_box(vec![1; 100].into_boxed_slice()));
        }
        Ok(batch.column(0).clone())
    }
}

/// Peaks in batch 70 of 100 rows: at some rows, at all of them together, or by the count of its calls.
#[derive(Default)]
struct Peaking {
    mode: String,
    calls: usize,
}

impl Udf for Peaking {
    fn setup(&mut self) -> Result<(), UdfError> {
        self.mode = std::fs::read_to_string(MODE)?;
        Ok(())
    }

    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        let ids = batch.column(0).as_primitive::<Int64Type>().values();
        let meets = |row: i64| ids.contains(&(7000 + row));
        let peaks = match self.mode.as_str() {
            "row" => meets(31),
            "two rows" => meets(31) || meets(90),
            "pair" => meets(31) && meets(90),
            "calls" => self.calls == 70,
            _ => false,
        };
        self.calls += 1;
        if peaks {
            drop(std::hint::black_box(vec![1_u8; 8 << 20]));
        }
        Ok(batch.column(0).clone())
    }
}

fn main() -> ExitCode {
    let registry = Registry::new()
        .udf("filling", Filling::default)
        .udf("bounded", Bounded::default)
        .udf("remembering", Remembering::default)
        .udf("moody", Moody::default)
        .udf("peaking", Peaking::default);
    highwater::serve_if_assigned(&registry);
    let tests: [(&str, fn()); 10] = [
        ("a_run_goes_on_until_the_answer_is_certain", until_certain),
        ("a_cache_that_fills_evenly_is_no_leak", filling_evenly),
        ("a_cap_that_comes_first_is_inconclusive", capped),
        ("a_fixed_length_is_kept", fixed),
        ("a_quick_run_says_that_it_is_one", quick),
        ("growth_that_ends_with_the_input_is_not_passed", input_ended),
        ("a_regression_is_confirmed_in_a_fresh_process", confirmed),
        ("two_runs_that_disagree_are_a_verdict_of_their_own", disagreement),
        ("the_rows_to_blame_are_named", rows),
        ("memory_to_ask_for_can_be_pasted", memory),
    ];
    let trials = tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn project(fixture: &str, mode: &str) -> Project {
    let worker = std::env::current_exe().expect("this program");
    let project = Project::new(HIGHWATER, &worker, &format!("  - {fixture}\n"));
    set(&project, mode);
    project
}

fn set(project: &Project, mode: &str) {
    std::fs::write(project.path(MODE), mode).expect("it can be written");
}

/// The only fixture of a command's JSON.
fn fixture(project: &Project, code: i32, arguments: &[&str]) -> Value {
    let answer = project.run(&[arguments, &["--format", "json"]].concat());
    assert_eq!(answer.code, code, "{}{}", answer.out, answer.err);
    answer.json()["fixtures"][0].take()
}

fn until_certain() {
    let project = project("{name: filling, batches: 150, max_batches: 5000}", "");
    let found = fixture(&project, 0, &["run", "filling"]);
    assert_eq!(found["pattern"], "cache_filling", "{found:#}");
    assert_eq!(found["asked_batches"], 150);
    // Each time twice as many: 150, 300, 600, 1200.
    let took = found["batches"].as_u64().expect("a number");
    assert!([300, 600, 1200].contains(&took), "{took}");
    project
        .run(&["run", "filling"])
        .says(0, &[&format!("{took} batches: after the 150 asked for it was not certain")]);
    // The gate takes as many, and never rewrites what was asked for.
    project.run(&["check"]).says(6, &["baseline missing"]);
    project.accept();
    project.run(&["check"]).says(0, &["cache_filling", "pass"]);
}

/// After 200 batches nothing tells it from a leak but more batches; a leak that is expected takes none.
fn filling_evenly() {
    let project = project("{name: bounded, batches: 200}", "");
    let found = fixture(&project, 0, &["run", "bounded"]);
    assert_eq!((&found["batches"], &found["pattern"]), (&400.into(), &"cache_filling".into()));
    let leaking = |more: &str| {
        project
            .manifest(&format!("version: 1\nfixtures:\n  - {{name: moody, batches: 200{more}}}\n"));
        set(&project, "always");
        let found = fixture(&project, 0, &["run", "moody"]);
        assert_eq!(found["pattern"], "heap_leak");
        found["batches"].clone()
    };
    assert_eq!([leaking(""), leaking(", expect: heap_leak")], [800, 200]);
}

fn capped() {
    let project = project("{name: filling, batches: 120, max_batches: 130}", "");
    project
        .run(&["check"])
        .says(4, &["inconclusive: still growing after 130 batches, a bound was not reached"]);
    let found = fixture(&project, 4, &["run", "filling"]);
    assert_eq!((&found["batches"], &found["pattern"]), (&130.into(), &Value::Null));
    assert!(found["recommendation"].is_null(), "nobody knows how it goes on");
}

fn fixed() {
    let project = project("{name: filling, batches: 120, max_batches: 120}", "");
    project.run(&["check"]).says(4, &["still growing after 120 batches"]);
    project
        .run(&["run", "filling", "--batches", "140", "--max-batches", "140"])
        .says(4, &["still growing after 140 batches"]);
    project
        .run(&["run", "filling", "--batches", "140", "--max-batches", "100"])
        .says(2, &["`--max-batches 100` is less than the 140 batches", "hint: "]);
}

fn quick() {
    let project = project("{name: moody, batches: 700}", "always");
    let found = fixture(&project, 0, &["run", "moody", "--quick"]);
    assert_eq!((&found["batches"], &found["pattern"]), (&100.into(), &"heap_leak".into()));
    project
        .run(&["run", "moody", "--quick"])
        .says(0, &["100 batches of 700: ended at the first certain answer"]);
}

/// Ids that start over are known already, which says nothing about ids that do not.
fn input_ended() {
    let project = project("{name: remembering, batches: 300, rows: 10, max_batches: 300}", "");
    let ids: Vec<i64> = (0..1500).collect();
    let column: ArrayRef = std::sync::Arc::new(arrow_array::Int64Array::from(ids));
    let batch = RecordBatch::try_from_iter([("id", column)]).expect("a batch");
    let file = std::fs::File::create(project.path("ids.arrow")).expect("a file");
    let mut writer = arrow_ipc::writer::FileWriter::try_new(file, &batch.schema()).expect("a file");
    writer.write(&batch).expect("it is written");
    writer.finish().expect("it is written");

    // Without an end of the input it leaks.
    project.run(&["run", "remembering"]).says(0, &["heap_leak"]);
    project.manifest(
        "version: 1\nfixtures:\n  - {name: remembering, batches: 300, max_batches: 300, rows: 10, \
         input: ids.arrow}\n",
    );
    project.run(&["run", "remembering"]).says(
        4,
        &[
            "inconclusive",
            "grew until the input started over after 150 batches",
            "give it a longer input",
        ],
    );
    // Within the input's end, or where it is passed once, it leaks as before.
    project
        .run(&["run", "remembering", "--batches", "150", "--max-batches", "150"])
        .says(0, &["heap_leak"]);
}

/// A project whose UDF keeps nothing, its baseline accepted.
fn accepted() -> Project {
    let project = project("{name: moody}", "never");
    project.run(&["check"]).says(6, &["baseline missing"]);
    project.accept();
    project.run(&["check"]).says(0, &["pass"]);
    project
}

fn confirmed() {
    let project = accepted();
    set(&project, "always");
    project.run(&["check"]).says(
        3,
        &[
            "`moody` regressed: pattern healthy → heap_leak",
            "confirmed in a fresh process, by the same figures",
        ],
    );
    let found = fixture(&project, 3, &["check"]);
    assert_eq!(found["confirmation"]["verdict"], "regressed");
    assert_eq!(found["confirmation"]["finding"]["figures"]["leaked_bytes_per_batch"], 100.0);
    assert_ne!(found["confirmation"]["record"], found["record"]);
}

fn disagreement() {
    let project = accepted();
    set(&project, "first");
    project.run(&["check"]).says(
        4,
        &["`moody` two runs disagree: regressed: pattern healthy → heap_leak", "then pass"],
    );
    assert!(!project.path("baselines/moody@linux-x86_64.snap.new").exists(), "nothing to accept");
    std::fs::remove_file(project.path(RAN)).expect("the first run left it");
    let found = fixture(&project, 4, &["check"]);
    assert_eq!(found["verdict"], "disagreement");
    assert_eq!(found["confirmation"]["verdict"], "pass");
}

fn rows() {
    let project = project("{name: peaking, batches: 120, rows: 100}", "row");
    let blamed = || fixture(&project, 0, &["run", "peaking"])["bad_rows"].take();
    let found = blamed();
    assert_eq!(found["batch"], 70);
    let rows = &found["blame"]["rows"];
    assert_eq!((&rows[0]["first"], &rows[0]["last"]), (&31.into(), &31.into()), "{found:#}");
    assert!(rows[0]["peak_bytes"].as_i64().expect("bytes") >= 8 << 20);
    assert_eq!(rows[1], Value::Null);
    project.run(&["run", "peaking"]).says(
        0,
        &[
            "rows              batch 70: row 31 alone takes 8 MiB",
            "certainty         sure: one batch stands out, and no other",
            "next              bound what one row may expand to",
            "took              120 batches, as asked for",
        ],
    );

    set(&project, "two rows");
    let rows = blamed()["blame"]["rows"].take();
    assert_eq!((&rows[0]["first"], &rows[1]["first"]), (&31.into(), &90.into()));

    set(&project, "pair");
    assert_eq!(blamed()["blame"], "all_together");
    set(&project, "calls");
    assert_eq!(blamed()["blame"], "not_the_rows");
    set(&project, "never");
    assert_eq!(blamed(), Value::Null);
}

fn memory() {
    let project = project("{name: moody, planned_batches: 1000400}", "always");
    let found = fixture(&project, 0, &["run", "moody"]);
    let asked = &found["recommendation"];
    // 100 bytes in each of a million batches after the 400 that were measured.
    assert_eq!(asked["growth_bytes"], 100_000_000);
    assert_eq!(
        (&asked["planned_batches"], &asked["is_outgrown"]),
        (&1_000_400.into(), &true.into())
    );
    let sum = ["resident_bytes", "transient_bytes", "growth_bytes"]
        .map(|part| asked[part].as_i64().expect("bytes"))
        .iter()
        .sum::<i64>();
    let memory = asked["memory_bytes"].as_i64().expect("bytes");
    assert!(memory >= sum + sum / 4 && memory % (64 << 20) == 0, "{asked:#}");
    let mebibytes = memory >> 20;
    assert_eq!(asked["ray"], format!("memory={mebibytes} * 1024**2"));
    project
        .run(&["run", "moody", "--planned-batches", "2000"])
        .says(0, &["for 2,000 batches: ", "memory=64 * 1024**2", "limits: {memory: 64Mi}"]);
}
