//! The manifest that a command works on, and the gate over its fixtures.

use std::path::{Path, PathBuf};

use highwater::{Baselines, Gate, WorkerCommand, Workers};
use highwater_fixture::{FixtureSpec, Manifest, Runtime, manifest};

use crate::arguments::Project;
use crate::error::CliError;
use crate::python::interpreter;
use crate::worker::{BuildError, worker};

/// Finds and reads the manifest.
pub(crate) fn load(project: &Project) -> Result<Manifest, CliError> {
    let path = match &project.manifest {
        Some(path) => path.clone(),
        None => manifest::find(&current_folder()?)?,
    };
    Ok(manifest::load(&path)?)
}

/// The fixtures called `names`, in the manifest's order; all when none is named.
pub(crate) fn select<'a>(
    manifest: &'a Manifest,
    names: &[String],
) -> Result<Vec<&'a FixtureSpec>, CliError> {
    for name in names {
        manifest.fixture(name)?;
    }
    let wanted = |spec: &&FixtureSpec| names.is_empty() || names.contains(&spec.name);
    Ok(manifest.fixtures.iter().filter(wanted).collect())
}

/// The runtimes of these fixtures, each once.
pub(crate) fn runtimes(fixtures: &[&FixtureSpec]) -> Vec<Runtime> {
    let used = |runtime: &Runtime| fixtures.iter().any(|spec| spec.runtime == *runtime);
    Runtime::ALL.into_iter().filter(used).collect()
}

/// The manifest's baselines. Snapshots name paths relative to the folder that holds them, so that
/// checkouts agree.
pub(crate) fn baselines(manifest: &Manifest) -> Result<Baselines, CliError> {
    let root = manifest.baselines.parent().unwrap_or(Path::new("."));
    Baselines::new(&manifest.baselines, root)
        .map_err(|source| CliError::Unreadable { path: manifest.baselines.clone(), source })
}

/// The gate over the manifest's fixtures of these runtimes; builds the worker, and makes the virtual
/// environment, if need be.
pub(crate) fn gate(
    project: &Project,
    manifest: &Manifest,
    runtimes: &[Runtime],
) -> Result<Gate, CliError> {
    let baselines = baselines(manifest)?;
    let source = std::path::absolute(&manifest.path)
        .map_err(|source| CliError::Unreadable { path: manifest.path.clone(), source })?;
    let records = records(project, baselines.workspace());
    let mut workers = Workers::default();
    for runtime in runtimes {
        match runtime {
            Runtime::Rust => workers.rust = Some(rust(project, manifest)?),
            Runtime::Python => {
                let requirements = manifest.python.as_ref().map(|python| &*python.requirements);
                let interpreter = interpreter(project, requirements, &records)?;
                workers.python = Some(interpreter.equip(&records)?);
            }
        }
    }
    Ok(Gate {
        workers,
        records,
        source: source.strip_prefix(baselines.workspace()).unwrap_or(&source).to_owned(),
        baselines,
    })
}

/// The worker with the manifest's Rust UDFs.
pub(crate) fn rust(project: &Project, manifest: &Manifest) -> Result<WorkerCommand, BuildError> {
    worker(project.worker.as_deref(), manifest.worker.as_ref(), &manifest.path)
}

/// The folder for records of the project in `root`.
pub(crate) fn records(project: &Project, root: &Path) -> PathBuf {
    project.records.clone().unwrap_or_else(|| root.join("target").join("highwater"))
}

pub(crate) fn current_folder() -> Result<PathBuf, CliError> {
    std::env::current_dir()
        .map_err(|source| CliError::Unreadable { path: PathBuf::from("."), source })
}
