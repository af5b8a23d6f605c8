//! The reference fixtures through the gate: one test each, measured in a process of its own.
//!
//! `cargo nextest run --test fixtures` is what `highwater check` does, for people with a Rust
//! toolchain. Both use the worker that cargo built for this package, and the same baselines.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "a test speaks through its output")]

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use highwater::guard::refuse_forced_passes;
use highwater::{Baselines, Batches, Gate, WorkerCommand, Workers};
use highwater_fixture::{FixtureSpec, Manifest, Runtime, manifest};
use highwater_tracker::record::{MarkKind, Record};
use highwater_worker::{Death, Interpreter, Outcome};
use libtest_mimic::{Arguments, Failed, Trial};
use suite_support::reference_python;

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
    let mut trials: Vec<Trial> = Vec::new();
    for runtime in Runtime::ALL {
        trials.push(Trial::test(format!("confidence::{runtime}"), move || confidence(runtime)));
    }
    for spec in &manifest.fixtures {
        let (one, other) = (spec.clone(), spec.clone());
        // What needs a package that may be missing is shown as skipped, never as passed; `highwater
        // check` runs it where the package is there.
        let tests = [
            Trial::test(format!("gate::{}", spec.name), move || gated(&one)),
            Trial::test(format!("repeats::{}", spec.name), move || repeats(&other)),
        ];
        trials.extend(tests.map(|test| test.with_ignored_flag(spec.optional)));
    }
    trials.push(Trial::test("every_baseline_has_a_fixture", move || orphans(&manifest)));
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn gate(runtime: Runtime) -> Result<Gate, Failed> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    refuse_forced_passes(root)?;
    let mut workers = Workers::rust(WorkerCommand::new(env!("CARGO_BIN_EXE_reference-worker")));
    if runtime == Runtime::Python {
        let path = reference_python(root, Path::new(env!("CARGO_TARGET_TMPDIR")));
        workers.python = Some(Interpreter::find(Some(&path))?.equip(&records())?);
    }
    Ok(Gate {
        workers,
        records: records(),
        baselines: Baselines::new(&root.join("baselines"), root)?,
        source: PathBuf::from("udf-fixtures/highwater.yaml"),
    })
}

/// `target/highwater`, as for the command.
fn records() -> PathBuf {
    Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("highwater")
}

fn confidence(runtime: Runtime) -> Result<(), Failed> {
    let confidence = gate(runtime)?.confidence(runtime)?;
    println!("{confidence}");
    Ok(())
}

/// The gate believes nothing before the confidence check passed, in this process as in any other.
fn gated(spec: &FixtureSpec) -> Result<(), Failed> {
    let gate = gate(spec.runtime)?;
    gate.confidence(spec.runtime)?;
    let mut text = String::new();
    let checked = gate.check(spec, |checked| {
        text = checked.to_string();
        println!("{text}");
    });
    if checked.passes() { Ok(()) } else { Err(text.into()) }
}

/// Several runs of one fixture leave the same figures at every mark: as many runs as `HIGHWATER_RUNS`
/// says.
///
/// Where it says nothing, fewer runs must do under Python, whose workers take seconds to start, and the
/// first batches of each: the whole run's figures are held to the byte by its baseline.
fn repeats(spec: &FixtureSpec) -> Result<(), Failed> {
    let gate = gate(spec.runtime)?;
    let (runs, batches) = match (std::env::var("HIGHWATER_RUNS"), spec.runtime) {
        (Ok(runs), _) => (runs.parse::<usize>()?.max(2), spec.batches),
        (Err(_), Runtime::Rust) => (10, spec.batches),
        (Err(_), Runtime::Python) => (5, spec.batches.min(Batches(60))),
    };
    let spec = &FixtureSpec { batches, ..spec.clone() };
    let Some(first) = counted(&gate, spec)? else { return Err("its package is missing".into()) };
    for run in 2..=runs {
        let again = counted(&gate, spec)?.unwrap_or_default();
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
/// Under Python live bytes and blocks alone, above those before `setup`: what the interpreter does
/// before depends on its paths and variables.
type Counted = [i128; 5];

/// `None` for an optional fixture that is not run here, which is said.
fn counted(gate: &Gate, spec: &FixtureSpec) -> Result<Option<Vec<Counted>>, Failed> {
    let measured = gate.measure_exactly(spec)?;
    if let Outcome::Invalid(invalid) = &measured.measurement.outcome
        && let Death::MissingPackage(why) = &invalid.death
        && spec.optional
    {
        println!("not run: {why}");
        return Ok(None);
    }
    let record = Record::open(&measured.measurement.record)?;
    if spec.runtime == Runtime::Python {
        let before = record.marks.iter().find(|mark| mark.kind == MarkKind::BeforeSetup);
        let before = before.ok_or("there is no mark before `setup`")?;
        let after = record.marks.iter().filter(|mark| mark.kind == MarkKind::AfterBatch);
        let above = after.map(|mark| {
            let bytes = mark.live_bytes - before.live_bytes;
            [bytes.into(), (mark.live_blocks - before.live_blocks).into(), 0, 0, 0]
        });
        return Ok(Some(above.collect()));
    }
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
    Ok(Some(counted))
}

fn orphans(manifest: &Manifest) -> Result<(), Failed> {
    let orphans = gate(Runtime::Rust)?.baselines.orphans(&manifest.fixtures)?;
    if orphans.is_empty() { Ok(()) } else { Err(format!("no fixture for {orphans:?}").into()) }
}
