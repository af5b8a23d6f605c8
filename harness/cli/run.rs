//! `highwater run`: the figures of one fixture, or of a Python UDF in a file, without a gate.

use anstream::print;
use highwater::{Gate, Haste};
use highwater_core::{Batches, exit_code};
use highwater_fixture::{FixtureSpec, longest};
use highwater_report::{Document, Entry, describe};
use highwater_worker::{Death, Invalid, Outcome};

use crate::arguments::{Format, Project, Run};
use crate::error::CliError;
use crate::progress::Progress;
use crate::{project, python};

pub(crate) fn run(project: &Project, run: &Run) -> Result<i32, CliError> {
    let (mut spec, mut gate) = if python::is_file(&run.name) {
        (python::spec(run)?, python::gate(project)?)
    } else {
        fixture(project, run)?
    };
    match &mut gate.workers.python {
        Some(python) => {
            python.trim_every = run.trim_every.unwrap_or(0);
            python.pickle = run.pickle;
        }
        None => {
            let switches = [("--trim-every", run.trim_every.is_some()), ("--pickle", run.pickle)];
            if let Some((switch, _)) = switches.into_iter().find(|(_, given)| *given) {
                return Err(CliError::PythonOnly { switch, name: run.name.clone() });
            }
        }
    }

    lengthen(&mut spec, run)?;
    let haste = if run.quick { Haste::Quick } else { Haste::Whole };

    let progress = Progress::new(1);
    progress.now(&spec.name);
    let measured = gate.measure(&spec, haste).map(|mut measured| {
        gate.explain(&mut measured);
        measured
    });
    progress.finish();
    let measured = measured?;
    if let Outcome::Invalid(Invalid { death: Death::NoUdf(why), .. }) =
        &measured.measurement.outcome
    {
        return Err(CliError::NoUdf { why: why.clone() });
    }
    let code = match (&measured.measurement.outcome, &measured.finding) {
        (Outcome::NotAttached(_), _) => exit_code::CONFIDENCE,
        (Outcome::Finished(_), Some(finding)) if finding.pattern().is_some() => exit_code::PASS,
        _ => exit_code::INVALID,
    };
    match run.format {
        Format::Text => print!("{}", describe(&measured)),
        Format::Json => {
            let document = Document {
                version: 1,
                confidence: Vec::new(),
                fixtures: vec![Entry::from(&measured)],
                orphans: Vec::new(),
                exit_code: code,
            };
            print!("{}", document.to_json());
        }
    }
    Ok(code)
}

/// How long the run may get, and what it is planned for, by what was typed.
fn lengthen(spec: &mut FixtureSpec, run: &Run) -> Result<(), CliError> {
    if run.batches.is_some() {
        spec.max_batches = longest(spec.batches);
    }
    if let Some(most) = run.max_batches {
        if most < spec.batches.0 {
            return Err(CliError::TooFewAtMost { most, batches: spec.batches.0 });
        }
        spec.max_batches = Batches(most);
    }
    spec.planned_batches = run.planned_batches.map_or(spec.planned_batches, Batches);
    Ok(())
}

/// A fixture of the manifest, with what was typed instead of what the manifest says.
fn fixture(project: &Project, run: &Run) -> Result<(FixtureSpec, Gate), CliError> {
    let manifest = project::load(project)?;
    let mut spec = manifest.fixture(&run.name)?.clone();
    if run.input.is_some() {
        return Err(CliError::InputOfFixture { name: run.name.clone() });
    }
    spec.batches = run.batches.map_or(spec.batches, Batches);
    spec.rows = run.rows.unwrap_or(spec.rows);
    spec.seed = run.seed.unwrap_or(spec.seed);
    let gate = project::gate(project, &manifest, &[spec.runtime])?;
    Ok((spec, gate))
}
