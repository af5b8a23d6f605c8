//! Small Python UDFs made after public bug reports, each with its truth: the pattern that must be
//! named, the gate's decision, and the rate. They run as `highwater run` runs them, over real pyarrow.

mod python_truth;
mod truth;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use highwater::{Baselines, FixtureSpec, Gate, Haste, Workers};
use highwater_core::{Batches, ProductionFinding, headline};
use highwater_fixture::Runtime;
use highwater_worker::{Interpreter, python};
use libtest_mimic::{Arguments, Failed, Trial};
use python_truth::TRUTHS;
use truth::Truth;

fn main() -> ExitCode {
    let trials = TRUTHS.iter().map(|truth| Trial::test(truth.case, move || holds(truth)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn holds(truth: &Truth) -> Result<(), Failed> {
    let records = tempfile::tempdir()?;
    let gate = Gate {
        workers: Workers { rust: None, python: Some(packages()?.equip(records.path())?) },
        records: records.path().to_owned(),
        baselines: Baselines::new(records.path(), records.path())?,
        source: PathBuf::new(),
    };
    let file = cases().join(truth.case).with_extension("py");
    let spec = FixtureSpec {
        runtime: Runtime::Python,
        udf: format!("{}:Udf", file.display()),
        batches: Batches(200),
        rows: 256,
        seed: 0,
        ..FixtureSpec::new(truth.case)
    };
    let measured = gate.measure(&spec, Haste::Whole)?;
    let Some(finding) = &measured.finding else {
        return Err(format!("the run did not finish: {:?}", measured.measurement.outcome).into());
    };
    let production = measured.production.as_ref().and_then(|run| run.finding.as_ref());
    let said = format!(
        "{finding:#?}\n{production:#?}\n{}\n{}",
        finding.sentence(),
        production.map(ProductionFinding::sentence).unwrap_or_default()
    );
    truth.check(headline(finding, production), finding, &said)
}

fn cases() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("harness/suite/cases/py")
}

/// A Python with the packages of the cases; made from their lock file by the first test that wants it.
fn packages() -> Result<Interpreter, Failed> {
    let parent = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("highwater");
    let base = Interpreter::find(None)?;
    Ok(python::venv(&base, &cases().join("requirements.lock"), &parent, |_| {})?.interpreter)
}
