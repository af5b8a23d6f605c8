//! The reference fixtures through the gate: one test each, measured in a process of its own.
//!
//! `cargo nextest run --test fixtures` is what `highwater check` does, for people with a Rust
//! toolchain. Both use the worker that cargo built for this package, and the same baselines.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a test speaks through its output")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use highwater::guard::refuse_forced_passes;
use highwater::{Baselines, Gate, WorkerCommand};
use highwater_fixture::{FixtureSpec, Manifest, manifest};
use highwater_tracker::record::Record;
use libtest_mimic::{Arguments, Failed, Trial};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let manifest = match manifest::load(&root.join("udf-fixtures/highwater.yaml")) {
        Ok(manifest) => manifest,
        Err(error) => {
            eprintln!("error: {error}");
            return ExitCode::FAILURE;
        }
    };
    let mut trials = vec![Trial::test("confidence", || confidence().map_err(Failed::from))];
    for spec in &manifest.fixtures {
        let (one, other) = (spec.clone(), spec.clone());
        trials.push(Trial::test(format!("gate::{}", spec.name), move || gated(&one)));
        trials.push(Trial::test(format!("repeats::{}", spec.name), move || repeats(&other)));
    }
    trials.push(Trial::test("every_baseline_has_a_fixture", move || orphans(&manifest)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn gate() -> Result<Gate, Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    refuse_forced_passes(root)?;
    Ok(Gate {
        command: WorkerCommand::new(env!("CARGO_BIN_EXE_reference-worker")),
        records: records(),
        baselines: Baselines::new(&root.join("baselines"), root)?,
        source: PathBuf::from("udf-fixtures/highwater.yaml"),
    })
}

/// `target/highwater`, as for the command.
fn records() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("highwater")
}

fn confidence() -> Result<(), String> {
    let gate = gate().map_err(|failed| failed.message().unwrap_or_default().to_owned())?;
    let confidence = gate.confidence().map_err(|failed| failed.to_string())?;
    println!("{confidence}");
    Ok(())
}

/// The gate believes nothing before the confidence check passed, in this process as in any other.
fn gated(spec: &FixtureSpec) -> Result<(), Failed> {
    let gate = gate()?;
    gate.confidence()?;
    let mut text = String::new();
    let checked = gate.check(spec, |checked| {
        text = checked.to_string();
        println!("{text}");
    });
    if checked.passes() { Ok(()) } else { Err(text.into()) }
}

/// Ten runs of one fixture leave the same figures at every mark.
fn repeats(spec: &FixtureSpec) -> Result<(), Failed> {
    let gate = gate()?;
    let first = counted(&gate, spec)?;
    for run in 2..=10 {
        let again = counted(&gate, spec)?;
        let differs = first.iter().zip(&again).position(|(one, other)| one != other);
        if let Some(mark) = differs {
            let (one, other) = (&first[mark], &again[mark]);
            return Err(
                format!("run {run} differs at mark {mark}: {one:?} became {other:?}").into()
            );
        }
        if first.len() != again.len() {
            return Err(format!("run {run} took {} marks, not {}", again.len(), first.len()).into());
        }
    }
    Ok(())
}

/// Live bytes, live blocks, peak, allocations and allocated bytes, at each mark from `setup` on.
type Counted = [i128; 5];

fn counted(gate: &Gate, spec: &FixtureSpec) -> Result<Vec<Counted>, Failed> {
    let measured = gate.measure(spec)?;
    let record = Record::open(&measured.measurement.record)?;
    let counted = record.marks.iter().skip(1).map(|mark| {
        [
            mark.live_bytes.into(),
            mark.live_blocks.into(),
            mark.peak_bytes.into(),
            mark.allocations.into(),
            mark.allocated_bytes.into(),
        ]
    });
    let counted: Vec<Counted> = counted.collect();
    if counted.len() < spec.batches.0 as usize {
        return Err(format!("only {} marks were taken", counted.len()).into());
    }
    Ok(counted)
}

fn orphans(manifest: &Manifest) -> Result<(), Failed> {
    let names: BTreeSet<&str> = manifest.fixtures.iter().map(|spec| spec.name.as_str()).collect();
    let orphans = gate()?.baselines.orphans(&names)?;
    if orphans.is_empty() { Ok(()) } else { Err(format!("no fixture for {orphans:?}").into()) }
}
