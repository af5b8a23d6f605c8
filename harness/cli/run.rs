//! `highwater run`: one fixture's figures, without a gate.

use anstream::print;
use highwater_core::{Batches, exit_code};
use highwater_report::{Document, Entry, describe};
use highwater_worker::Outcome;

use crate::arguments::{Format, Project, Run};
use crate::error::CliError;
use crate::progress::Progress;
use crate::project;

pub(crate) fn run(project: &Project, run: &Run) -> Result<i32, CliError> {
    let manifest = project::load(project)?;
    let mut spec = manifest.fixture(&run.name)?.clone();
    spec.batches = run.batches.map_or(spec.batches, Batches);
    spec.rows = run.rows.unwrap_or(spec.rows);
    spec.seed = run.seed.unwrap_or(spec.seed);
    let gate = project::gate(project, &manifest)?;

    let progress = Progress::new(1);
    progress.now(&spec.name);
    let measured = gate.measure(&spec);
    progress.finish();
    let measured = measured?;
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
                confidence: None,
                error: None,
                fixtures: vec![Entry::from(&measured)],
                orphans: Vec::new(),
                exit_code: code,
            };
            print!("{}", document.to_json());
        }
    }
    Ok(code)
}
