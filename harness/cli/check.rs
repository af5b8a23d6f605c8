//! `highwater check`: the gate.

use anstream::{eprintln, print, println};
use highwater::Checked;
use highwater::guard::refuse_forced_passes;
use highwater_core::{Verdict, exit_code};
use highwater_fixture::Manifest;
use highwater_report::{Document, Entry, table};

use crate::arguments::{Check, Format, Project};
use crate::error::CliError;
use crate::progress::Progress;
use crate::project;

pub(crate) fn check(project: &Project, check: &Check) -> Result<i32, CliError> {
    let manifest = project::load(project)?;
    let fixtures = project::select(&manifest, &check.names)?;
    let runtimes = project::runtimes(&fixtures);
    let gate = project::gate(project, &manifest, &runtimes)?;
    refuse_forced_passes(gate.baselines.workspace())?;

    let text = check.format == Format::Text;
    let progress = Progress::new(fixtures.len());
    progress.now("confidence check");
    let mut confidence = Vec::new();
    for runtime in runtimes {
        let proved = gate.confidence(runtime)?;
        if text {
            progress.print(|| println!("confidence check: {proved}"));
        }
        confidence.push(proved);
    }
    let mut checked: Vec<Checked> = Vec::new();
    for spec in fixtures {
        progress.now(&spec.name);
        checked.push(gate.check(spec, |one| {
            if text && one.verdict != Verdict::Pass {
                progress.print(|| println!("\n{one}"));
            }
        }));
        progress.done();
    }
    progress.finish();

    let orphans =
        if check.names.is_empty() { orphans(&gate.baselines, &manifest)? } else { vec![] };
    let code = worst(&checked, !orphans.is_empty());
    if text {
        println!();
        print!("{}", table(&checked));
        for path in &orphans {
            eprintln!(
                "\nbaseline {} belongs to no fixture\n\
                 hint: restore the fixture, or delete the file",
                path.display()
            );
        }
    } else {
        let document = Document {
            version: 1,
            confidence,
            fixtures: checked.iter().map(Entry::from).collect(),
            orphans: orphans.iter().map(std::path::PathBuf::as_path).collect(),
            exit_code: code,
        };
        print!("{}", document.to_json());
    }
    Ok(code)
}

fn orphans(
    baselines: &highwater::Baselines,
    manifest: &Manifest,
) -> Result<Vec<std::path::PathBuf>, CliError> {
    baselines
        .orphans(&manifest.fixtures)
        .map_err(|source| CliError::Unreadable { path: baselines.folder().to_owned(), source })
}

/// The exit code of the whole: a tracker that was not there makes every figure doubtful, a regression
/// says more than a measurement that failed, that more than a baseline that is not there, and that
/// more than a fixture that is not.
fn worst(checked: &[Checked], orphans: bool) -> i32 {
    let order = [
        exit_code::CONFIDENCE,
        exit_code::REGRESSED,
        exit_code::INVALID,
        exit_code::BASELINE_MISSING,
        exit_code::USAGE,
    ];
    order
        .into_iter()
        .find(|code| checked.iter().any(|one| one.verdict.exit_code() == *code))
        .unwrap_or(if orphans { exit_code::USAGE } else { exit_code::PASS })
}
