//! Why there is no Python to run a UDF in.

use std::path::{Path, PathBuf};

use super::interpreter::{OLDEST, Version};

/// Why a Python UDF cannot be run at all.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PythonError {
    /// This build carries neither tracker nor runner.
    #[error(
        "this build cannot run Python UDFs\n\
         hint: build `highwater` or `highwater-worker` with the feature `python`"
    )]
    NotBuilt,
    /// There is no interpreter.
    #[error(
        "no Python found: `--python` is not given, no virtual environment is active, and \
         `python3` is not on the `PATH`\n\
         hint: install Python {OLDEST} or newer (on Debian and Ubuntu `apt install python3 \
         python3-venv`), or give one with `--python PATH`"
    )]
    None,
    /// The given or active one cannot be started.
    #[error("Python {} cannot be started: {source}\nhint: {hint}", path.display())]
    NotStarted {
        /// The interpreter.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
        /// What to do.
        hint: String,
    },
    /// It started and did not say what it is.
    #[error(
        "{} is no working Python: {said}\nhint: give a Python interpreter with `--python PATH`",
        path.display()
    )]
    NoPython {
        /// The program.
        path: PathBuf,
        /// The last line that it printed, or its exit code.
        said: String,
    },
    /// It is not CPython.
    #[error(
        "{} is {implementation}, and the tracker knows CPython alone\n\
         hint: give a CPython {OLDEST} or newer with `--python PATH`", path.display()
    )]
    Foreign {
        /// The interpreter.
        path: PathBuf,
        /// What it calls itself.
        implementation: String,
    },
    /// It is too old.
    #[error(
        "{} is Python {version}, and {OLDEST} or newer is needed\n\
         hint: install a newer one, and give it with `--python PATH`", path.display()
    )]
    TooOld {
        /// The interpreter.
        path: PathBuf,
        /// Its version.
        version: Version,
    },
    /// It lacks pyarrow, which batches are made of.
    #[error(
        "{} has no pyarrow\nhint: install it with `{} -m pip install pyarrow`, or give another \
         Python with `--python PATH`", path.display(), path.display()
    )]
    NoPyarrow {
        /// The interpreter.
        path: PathBuf,
    },
    /// The runner and the tracker cannot be written.
    #[error(
        "the tracker cannot be written to {}: {source}\n\
         hint: free some space, or give another folder with `--records DIR`", folder.display()
    )]
    Unwritable {
        /// The folder.
        folder: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// The fixtures' requirements cannot be read.
    #[error(
        "requirements {} cannot be read: {source}\n\
         hint: correct `python.requirements` in the manifest, or give a Python that has the \
         packages with `--python PATH`", path.display()
    )]
    NoRequirements {
        /// The lock file.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
    /// Its standard library cannot make virtual environments.
    #[error(
        "{} cannot make virtual environments: it has no `{module}`\n\
         hint: install it (on Debian and Ubuntu `apt install python3-venv`), or give a Python that \
         has the packages of the fixtures with `--python PATH`", path.display()
    )]
    NoVenv {
        /// The interpreter.
        path: PathBuf,
        /// The module that is missing.
        module: String,
    },
    /// A step of making the virtual environment failed.
    #[error(
        "the virtual environment for the fixtures cannot be made: `{command}` failed: {said}\n\
         hint: {hint}"
    )]
    VenvFailed {
        /// The command.
        command: String,
        /// The last line that it printed.
        said: String,
        /// What to do.
        hint: String,
    },
}

impl PythonError {
    pub(super) fn not_started(path: &Path, source: std::io::Error, hint: &str) -> Self {
        Self::NotStarted { path: path.to_owned(), source, hint: hint.to_owned() }
    }
}
