//! The virtual environment that reference fixtures run in, made from a lock file.

use std::fs::{self, File};
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use super::error::PythonError;
use super::interpreter::{Interpreter, last_line};

/// Written last: an environment without it was left half-made.
const STAMP: &str = "highwater-complete";

/// A virtual environment that is there.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Venv {
    /// Its interpreter.
    pub interpreter: Interpreter,
    /// Its folder.
    pub folder: PathBuf,
}

/// The virtual environment in `parent` with the packages that `requirements` pins, made with `base`
/// when it is not there yet; `announce` is told so before. The folder's name depends on the lock
/// file and on `base`, so a change of either makes a new one.
///
/// Processes that want the same environment wait for the first of them to make it.
///
/// # Errors
///
/// [`PythonError`] when the lock file cannot be read, `base` has no `venv`, or pip fails.
pub fn venv(
    base: &Interpreter,
    requirements: &Path,
    parent: &Path,
    announce: impl FnOnce(&Path),
) -> Result<Venv, PythonError> {
    let lock = fs::read(requirements)
        .map_err(|source| PythonError::NoRequirements { path: requirements.to_owned(), source })?;
    let parent = std::path::absolute(parent).unwrap_or_else(|_| parent.to_owned());
    let folder = parent.join(format!("venv-{:016x}", fingerprint(base, &lock)));
    let unwritable = |source| PythonError::Unwritable { folder: folder.clone(), source };
    fs::create_dir_all(&parent).map_err(unwritable)?;
    // Held until this returns, by whoever makes the environment or looks whether it is there.
    let guard = File::create(folder.with_extension("lock")).map_err(unwritable)?;
    guard.lock().map_err(unwritable)?;
    if !folder.join(STAMP).is_file() {
        announce(&folder);
        if folder.exists() {
            fs::remove_dir_all(&folder).map_err(unwritable)?;
        }
        make(base, requirements, &folder)?;
        fs::write(folder.join(STAMP), "").map_err(unwritable)?;
    }
    let path = folder.join("bin/python");
    let hint = format!("remove {}, and it is made again", folder.display());
    Ok(Venv { interpreter: Interpreter::at(&path, &hint)?, folder })
}

fn fingerprint(base: &Interpreter, lock: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    lock.hash(&mut hasher);
    base.path.hash(&mut hasher);
    base.version.to_string().hash(&mut hasher);
    hasher.finish()
}

fn make(base: &Interpreter, requirements: &Path, folder: &Path) -> Result<(), PythonError> {
    for module in ["venv", "ensurepip"] {
        if base.evaluate(&format!("import {module}")).is_none() {
            let (path, module) = (base.path.clone(), module.to_owned());
            return Err(PythonError::NoVenv { path, module });
        }
    }
    let mut command = Command::new(&base.path);
    command.args(["-m", "venv"]).arg(folder);
    run(
        command,
        "install what Python's `venv` needs (on Debian and Ubuntu `apt install python3-venv`)",
    )?;
    let mut command = Command::new(folder.join("bin/python"));
    command
        .args(["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-input"])
        .args(["--require-hashes", "--only-binary", ":all:", "--requirement"])
        .arg(requirements);
    run(
        command,
        &format!(
            "is PyPI reachable, and are there wheels of the pinned packages for Python {}? Else \
             give a Python that has the packages with `--python PATH`",
            base.version
        ),
    )
}

fn run(mut command: Command, hint: &str) -> Result<(), PythonError> {
    let text = format!("{command:?}").replace('"', "");
    let failed =
        |said| PythonError::VenvFailed { command: text.clone(), said, hint: hint.to_owned() };
    let output: Output = command
        .stdin(Stdio::null())
        // They would send pip elsewhere than into the environment.
        .env_remove("PIP_TARGET")
        .env_remove("PIP_PREFIX")
        .env_remove("PIP_USER")
        .env_remove("PYTHONHOME")
        .output()
        .map_err(|source| failed(source.to_string()))?;
    if output.status.success() { Ok(()) } else { Err(failed(last_line(&output))) }
}
