//! Builds the worker that the manifest names.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use highwater::WorkerCommand;
use highwater_fixture::WorkerSource;
use serde_json::Value;

/// Why there is no worker to run.
#[derive(Debug, thiserror::Error)]
pub(crate) enum BuildError {
    #[error(
        "{} names no `worker`, and its Rust fixtures need one\n\
         hint: add `worker: {{package: my-crate, bin: my-worker}}`, or give `--worker FILE`",
        manifest.display()
    )]
    NoWorker { manifest: PathBuf },
    #[error("worker {} is no file\nhint: build it first, or leave `--worker` away", path.display())]
    NoFile { path: PathBuf },
    #[error(
        "`{command}` cannot be started: {source}\n\
         hint: install Rust, or give a worker that is already built with `--worker FILE`"
    )]
    NoCargo { command: String, source: std::io::Error },
    #[error("`{command}` failed\nhint: its own message stands above; mend that and run again")]
    Failed { command: String },
    #[error(
        "`{command}` built no program\nhint: `worker` in the manifest must name a `[[bin]]` of the \
         package"
    )]
    NoProgram { command: String },
}

/// The worker's command: `given` on the command line, or built as `source` says.
pub(crate) fn worker(
    given: Option<&Path>,
    source: Option<&WorkerSource>,
    manifest: &Path,
) -> Result<WorkerCommand, BuildError> {
    if let Some(path) = given {
        return existing(path);
    }
    match source {
        None => Err(BuildError::NoWorker { manifest: manifest.to_owned() }),
        Some(WorkerSource::Command(path)) => existing(path),
        Some(WorkerSource::Cargo { package, bin }) => {
            let folder = manifest.parent().unwrap_or(Path::new("."));
            build(folder, package, bin).map(WorkerCommand::new)
        }
    }
}

fn existing(path: &Path) -> Result<WorkerCommand, BuildError> {
    if path.is_file() {
        // A bare name would be looked up in PATH.
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        Ok(WorkerCommand::new(path))
    } else {
        Err(BuildError::NoFile { path: path.to_owned() })
    }
}

/// Has cargo build one binary, its progress on standard error, and tells where it lies.
fn build(folder: &Path, package: &str, bin: &str) -> Result<PathBuf, BuildError> {
    let arguments = ["build", "--quiet", "--package", package, "--bin", bin];
    let command = format!("cargo {}", arguments.join(" "));
    let output = Command::new(std::env::var_os("CARGO").unwrap_or("cargo".into()))
        .args(arguments)
        .arg("--message-format=json-render-diagnostics")
        .current_dir(folder)
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .map_err(|source| BuildError::NoCargo { command: command.clone(), source })?;
    if !output.status.success() {
        return Err(BuildError::Failed { command });
    }
    String::from_utf8_lossy(&output.stdout)
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| message["target"]["name"] == bin)
        .find_map(|message| Some(PathBuf::from(message["executable"].as_str()?)))
        .ok_or(BuildError::NoProgram { command })
}
