//! The Python of a command, and a UDF that is named by its file.

use std::path::{Path, PathBuf};

use anstream::eprintln;
use highwater::{Baselines, Gate, Workers};
use highwater_core::Batches;
use highwater_fixture::{FixtureSpec, Input, Runtime};
use highwater_worker::{Interpreter, PythonError, python};

use crate::arguments::{Project, Run};
use crate::error::CliError;
use crate::project;

/// The one given on the command line, else that of the environment which `requirements` make, else
/// the user's.
pub(crate) fn interpreter(
    project: &Project,
    requirements: Option<&Path>,
    records: &Path,
) -> Result<Interpreter, PythonError> {
    let found = Interpreter::find(project.python.as_deref())?;
    let (None, Some(requirements)) = (&project.python, requirements) else { return Ok(found) };
    let made = python::venv(&found, requirements, records, |folder| {
        eprintln!(
            "making a virtual environment with the packages of {} in {} (once)",
            requirements.display(),
            folder.display()
        );
    })?;
    Ok(made.interpreter)
}

/// Whether `text` names a UDF by its file, and not a fixture: no fixture's name has a colon or dot.
pub(crate) fn is_file(text: &str) -> bool {
    text.contains(':') || Path::new(text).extension().is_some_and(|extension| extension == "py")
}

/// The fixture that `path/to/file.py:Name` stands for.
pub(crate) fn spec(run: &Run) -> Result<FixtureSpec, CliError> {
    let Some((file, name)) = run.name.rsplit_once(':').filter(|(_, name)| !name.is_empty()) else {
        return Err(CliError::NoName { text: run.name.trim_end_matches(':').to_owned() });
    };
    let file = existing("UDF file", Path::new(file))?;
    let input = match &run.input {
        Some(path) => {
            let path = existing("input", path)?;
            Input::File { path, columns: run.columns.clone() }
        }
        None => Input::Generated,
    };
    let mut spec = FixtureSpec::new(&fixture_name(name));
    spec.runtime = Runtime::Python;
    spec.udf = format!("{}:{name}", file.display());
    spec.input = input;
    spec.batches = run.batches.map_or(spec.batches, Batches);
    spec.rows = run.rows.unwrap_or(spec.rows);
    spec.seed = run.seed.unwrap_or(spec.seed);
    // Nobody waits for it but who can end it; a model may take minutes to load.
    spec.time_limit_s = 3600;
    Ok(spec)
}

/// A gate for Python UDFs that no manifest has.
pub(crate) fn gate(project: &Project) -> Result<Gate, CliError> {
    gate_of(project, |records| {
        let python = interpreter(project, None, records)?.equip(records)?;
        Ok(Workers { rust: None, python: Some(python) })
    })
}

/// A gate without baselines.
pub(crate) fn gate_of(
    project: &Project,
    workers: impl FnOnce(&Path) -> Result<Workers, CliError>,
) -> Result<Gate, CliError> {
    let folder = project::current_folder()?;
    let unreadable = |source| CliError::Unreadable { path: folder.clone(), source };
    let records = project.records.clone().unwrap_or_else(cache);
    Ok(Gate {
        workers: workers(&records)?,
        records,
        baselines: Baselines::new(&folder, &folder).map_err(unreadable)?,
        source: PathBuf::new(),
    })
}

/// Where a command without a project puts its records.
pub(crate) fn cache() -> PathBuf {
    let variable = |name| std::env::var_os(name).map(PathBuf::from).filter(|it| it.is_absolute());
    let folder = variable("XDG_CACHE_HOME")
        .or_else(|| variable("HOME").map(|home| home.join(".cache")))
        .unwrap_or_else(std::env::temp_dir);
    folder.join("highwater")
}

/// `MyEmbedding` as fixtures are called: `my_embedding`.
fn fixture_name(udf: &str) -> String {
    let mut name = String::new();
    for c in udf.chars().take(60) {
        if c.is_ascii_uppercase() && name.ends_with(|c: char| c.is_ascii_lowercase()) {
            name.push('_');
        }
        name.push(if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' });
    }
    name
}

fn existing(what: &'static str, path: &Path) -> Result<PathBuf, CliError> {
    match std::path::absolute(path) {
        Ok(absolute) if absolute.is_file() => Ok(absolute),
        _ => Err(CliError::NoFile { what, path: path.to_owned() }),
    }
}
