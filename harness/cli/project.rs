//! The manifest that a command works on, and the gate over its fixtures.

use std::path::{Path, PathBuf};

use highwater::{Baselines, Gate};
use highwater_fixture::{FixtureSpec, Manifest, manifest};

use crate::arguments::Project;
use crate::error::CliError;
use crate::worker::worker;

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

/// The manifest's baselines. Snapshots name paths relative to the folder that holds them, so that
/// checkouts agree.
pub(crate) fn baselines(manifest: &Manifest) -> Result<Baselines, CliError> {
    let root = manifest.baselines.parent().unwrap_or(Path::new("."));
    Baselines::new(&manifest.baselines, root)
        .map_err(|source| CliError::Unreadable { path: manifest.baselines.clone(), source })
}

/// The gate over the manifest's fixtures; builds the worker if need be.
pub(crate) fn gate(project: &Project, manifest: &Manifest) -> Result<Gate, CliError> {
    let baselines = baselines(manifest)?;
    let source = std::path::absolute(&manifest.path)
        .map_err(|source| CliError::Unreadable { path: manifest.path.clone(), source })?;
    Ok(Gate {
        command: worker(project.worker.as_deref(), manifest.worker.as_ref(), &manifest.path)?,
        records: project
            .records
            .clone()
            .unwrap_or_else(|| baselines.workspace().join("target").join("highwater")),
        source: source.strip_prefix(baselines.workspace()).unwrap_or(&source).to_owned(),
        baselines,
    })
}

fn current_folder() -> Result<PathBuf, CliError> {
    std::env::current_dir()
        .map_err(|source| CliError::Unreadable { path: PathBuf::from("."), source })
}
