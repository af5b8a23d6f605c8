//! UDFs and inputs that go wrong: one clear message each, the documented exit code, and the
//! fixtures beside them still run.
//!
//! This binary is the worker of its own tests.
#![expect(clippy::print_stdout, reason = "one of its UDFs is loud")]

use std::path::Path;
use std::process::ExitCode;

use arrow_array::{ArrayRef, RecordBatch};
use highwater::{Registry, Tracker, Udf, UdfError};
use highwater_tracker::record::{Record, State};
use libtest_mimic::{Arguments, Trial};
use suite_support::{Answer, Project};

const HIGHWATER: &str = env!("CARGO_BIN_EXE_highwater");

#[global_allocator]
static TRACKER: Tracker = Tracker::new();

/// What a UDF does when its time comes.
#[derive(Clone, Copy)]
enum Mishap {
    None,
    PanicInSetup,
    Panic,
    Error,
    Hang,
    Hoard,
    Exit,
    Kill,
    Loud,
}

struct Clumsy {
    mishap: Mishap,
    calls: u32,
    hoard: Vec<Vec<u8>>,
}

/// The call in which the mishap happens, counted from 0.
const WHEN: u32 = 37;

impl Udf for Clumsy {
    fn setup(&mut self) -> Result<(), UdfError> {
        assert!(!matches!(self.mishap, Mishap::PanicInSetup), "the model is missing");
        Ok(())
    }

    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        if self.calls == WHEN {
            match self.mishap {
                Mishap::None | Mishap::PanicInSetup => {}
                Mishap::Panic => panic!("row 5 has no price"),
                Mishap::Error => return Err("row 5 has no price".into()),
                Mishap::Hang => loop {
                    std::thread::park();
                },
                Mishap::Hoard => loop {
                    self.hoard.push(vec![1; 16 << 20]);
                },
                Mishap::Exit => std::process::exit(0),
                Mishap::Kill => {
                    let own = rustix::process::getpid();
                    rustix::process::kill_process(own, rustix::process::Signal::KILL)?;
                }
                Mishap::Loud => {
                    for line in 0..100_000 {
                        println!("a UDF that prints {line} lines");
                    }
                }
            }
        }
        self.calls += 1;
        Ok(batch.column(0).clone())
    }
}

fn registry() -> Registry {
    let all = [
        ("fine", Mishap::None),
        ("panics_in_setup", Mishap::PanicInSetup),
        ("panics", Mishap::Panic),
        ("errs", Mishap::Error),
        ("hangs", Mishap::Hang),
        ("hoards", Mishap::Hoard),
        ("exits", Mishap::Exit),
        ("is_killed", Mishap::Kill),
        ("is_loud", Mishap::Loud),
    ];
    all.into_iter().fold(Registry::new(), |registry, (name, mishap)| {
        registry.udf(name, move || Clumsy { mishap, calls: 0, hoard: Vec::new() })
    })
}

fn main() -> ExitCode {
    highwater::serve_if_assigned(&registry());
    let tests: [(&str, fn()); 15] = [
        ("a_panic_in_setup", panic_in_setup),
        ("a_panic_in_a_call", panic_in_a_call),
        ("an_error_in_a_call", error_in_a_call),
        ("the_time_limit", time_limit),
        ("the_memory_limit", memory_limit),
        ("an_exit", exit),
        ("a_sigkill_leaves_every_mark_before_it", sigkill),
        ("a_udf_that_prints", loud),
        ("the_others_still_run", others_still_run),
        ("input_files", input_files),
        ("records_folder", records_folder),
        ("a_full_disk", full_disk),
        ("records_that_are_not_whole", records),
        ("unknown_udf", unknown_udf),
        ("too_few_batches", too_few_batches),
    ];
    let trials = tests.into_iter().map(|(name, test)| {
        Trial::test(name, move || {
            test();
            Ok(())
        })
    });
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn project(fixtures: &str) -> Project {
    Project::new(HIGHWATER, &std::env::current_exe().expect("this program"), fixtures)
}

fn run(fixture: &str) -> Answer {
    project(&format!("  - {fixture}\n")).run(&["check"])
}

fn panic_in_setup() {
    run("{name: panics_in_setup}").says(
        4,
        &[
            "`panics_in_setup` invalid: panicked: the model is missing (",
            "bad_input.rs:",
            "in `setup`",
        ],
    );
}

fn panic_in_a_call() {
    run("{name: panics}").says(
        4,
        &["`panics` invalid: panicked: row 5 has no price (", "at batch 37", "last mark:"],
    );
}

fn error_in_a_call() {
    run("{name: errs}").says(
        4,
        &["`errs` invalid: returned an error in its call: row 5 has no price at batch 37"],
    );
}

fn time_limit() {
    run("{name: hangs, time_limit_s: 1}").says(
        4,
        &["`hangs` invalid: still running after its 1 s at batch 37", "hint: raise `time_limit_s`"],
    );
}

fn memory_limit() {
    run("{name: hoards, memory_limit: 256MiB}").says(
        4,
        &["`hoards` invalid: held more than its 256 MiB of memory at batch 37", "`memory_limit`"],
    );
}

fn exit() {
    run("{name: exits}")
        .says(4, &["`exits` invalid: the process ended with exit code 0 at batch 37", "hint:"]);
}

fn sigkill() {
    let project = project("  - {name: is_killed}\n");
    let answer = project.run(&["check", "--format", "json"]);
    assert_eq!(answer.code, 4);
    let json = answer.json();
    let fixture = &json["fixtures"][0];
    assert_eq!(fixture["verdict"], "invalid");
    assert_eq!(fixture["invalid"]["death"]["signal"], 9);
    assert_eq!(fixture["invalid"]["batches"], WHEN);
    assert!(fixture["peak_bytes"].is_null(), "a broken run has no figures");
    let record = Path::new(fixture["record"].as_str().expect("a path"));
    let record = Record::open(record).expect("a killed worker's record is readable");
    assert_eq!(record.progress.state, State::Running);
    // Start, before and after `setup`, and every batch before the one that killed it.
    assert_eq!(record.marks.len(), 3 + WHEN as usize);
    let path = fixture["record"].as_str().expect("a path");
    project.show(path).says(4, &["not finished", "at batch 37", "after 37 of 100 batches"]);
}

/// Records that are none, or not whole.
fn records() {
    let project = project("  - {name: fine}\n");
    let json = project.run(&["run", "fine", "--format", "json"]).json();
    let path = json["fixtures"][0]["record"].as_str().expect("a path");
    project.show(path).says(0, &["finished", "after 100 of 100 batches", "level"]);
    let whole = std::fs::read(path).expect("the record");
    let cut = project.path("cut.hwr");
    // The header, three marks before the first batch, 50 batches, and half a mark.
    std::fs::write(&cut, &whole[..4096 + 53 * 256 + 100]).expect("it is written");
    project.show("cut.hwr").says(4, &["after 50 of 100 batches", "cut off"]);
    std::fs::write(&cut, "not a record").expect("it is written");
    project.show("cut.hwr").says(4, &["is not a highwater record", "hint:"]);
    project.show("none.hwr").says(4, &["cannot read the record `none.hwr`", "hint:"]);
}

fn loud() {
    let project = project("  - {name: is_loud}\n");
    project.run(&["run", "is_loud"]).says(0, &["healthy"]);
}

fn others_still_run() {
    let project =
        project("  - {name: panics}\n  - {name: hangs, time_limit_s: 1}\n  - {name: fine}\n");
    let answer = project.run(&["check", "--format", "json"]);
    assert_eq!(answer.code, 4, "an invalid measurement says more than a missing baseline");
    let json = answer.json();
    let verdicts: Vec<&str> = (0..3)
        .map(|index| json["fixtures"][index]["verdict"].as_str().unwrap_or_default())
        .collect();
    assert_eq!(verdicts, ["invalid", "invalid", "baseline_missing"]);
}

fn input_files() {
    let none: Option<&[u8]> = None;
    for (name, content, says) in [
        ("missing.parquet", none, &["missing.parquet", "does not exist"]),
        ("text.parquet", Some(b"a,b\n1,2\n"), &["text.parquet", "hint:"]),
        ("cut.parquet", Some(b"PAR1\x15\x04\x15"), &["cut.parquet", "hint:"]),
    ] {
        let project = project(&format!("  - {{name: fine, input: {name}}}\n"));
        if let Some(content) = content {
            std::fs::write(project.path(name), content).expect("the input is written");
        }
        let answer = project.run(&["check"]);
        answer.says(4, says);
        assert!(!answer.out.contains("panicked"), "{}", answer.out);
    }
    let flights =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("udf-fixtures/data/flights-60k.parquet");
    let columns =
        format!("  - {{name: fine, input: {}, columns: [arr_delai]}}\n", flights.display());
    project(&columns).run(&["check"]).says(4, &["`arr_delai`", "`arr_delay`"]);
}

fn records_folder() {
    let project = project("  - {name: fine}\n");
    std::fs::write(project.path("taken"), "").expect("a file is written");
    for folder in ["taken", "taken/below", "/proc/nothing-can-be-made-here"] {
        project.run(&["check", "--records", folder]).says(
            4,
            &[
                "records cannot be written to",
                folder,
                "hint: free some space, or give another folder",
            ],
        );
    }
}

/// A folder for records on a disk of 16 KiB, in a mount namespace of its own.
fn full_disk() {
    let project = project("  - {name: fine}\n");
    std::fs::create_dir(project.path("small")).expect("a folder");
    let worker = std::env::current_exe().expect("this program");
    let mut command = assert_cmd::Command::new("unshare");
    command
        .current_dir(project.path(""))
        .args(["--map-root-user", "--mount", "sh", "-c"])
        .arg("mount -t tmpfs -o size=16k none small && exec \"$@\"")
        .args(["sh", HIGHWATER, "check", "--records", "small", "--worker"])
        .arg(worker)
        .env("NO_COLOR", "1");
    suite_support::answer(&mut command)
        .says(4, &["cannot make the record", "hint: free some space, or give another folder"]);
}

fn unknown_udf() {
    run("{name: fine, udf: fines}")
        .says(2, &["`fine` not there: no UDF is called `fines`", "did you mean `fine`?"]);
    let project = project("  - {name: fine, udf: fines}\n");
    project.run(&["run", "fine"]).says(2, &["error: no UDF is called `fines`"]);
}

fn too_few_batches() {
    run("{name: fine, batches: 99}").says(4, &["`fine` inconclusive", "99", "100"]);
}
