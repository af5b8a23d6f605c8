//! The runner and the preloaded tracker, on disk.

use std::io;
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::environment;
use super::error::PythonError;
use super::interpreter::Interpreter;
use crate::assignment::{PythonRun, RunKind};
use crate::command::WorkerCommand;

// CONTENT, a name for what is embedded, and FILES: `runner.py`, its package, and the library.
include!(concat!(env!("OUT_DIR"), "/embedded.rs"));

const LIBRARY: &str = "libhighwater_preload.so";

/// An interpreter with everything that a worker needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Python {
    /// The interpreter.
    pub interpreter: Interpreter,
    /// Where the runner and the tracker lie.
    folder: PathBuf,
    /// Batches between two trims in the production run; 0 for never.
    pub trim_every: u32,
    /// Whether to pickle what each call returns, and the UDF itself, for their size.
    pub pickle: bool,
}

impl Interpreter {
    /// Writes the runner and the tracker to a folder in `records`, unless they are there already.
    ///
    /// # Errors
    ///
    /// [`PythonError`] when the interpreter has no pyarrow, the files cannot be written, or this crate
    /// was built without its feature `python`.
    pub fn equip(self, records: &Path) -> Result<Python, PythonError> {
        if FILES.is_empty() {
            return Err(PythonError::NotBuilt);
        }
        if self.pyarrow.is_none() {
            return Err(PythonError::NoPyarrow { path: self.path });
        }
        let folder = place(records)
            .and_then(|folder| write(&folder).map(|()| folder))
            .map_err(|source| PythonError::Unwritable { folder: records.to_owned(), source })?;
        Ok(Python { interpreter: self, folder, trim_every: 0, pickle: false })
    }
}

impl Python {
    /// The preloaded tracker.
    #[must_use]
    pub fn library(&self) -> PathBuf {
        self.folder.join(LIBRARY)
    }

    /// The command that starts a worker of this kind.
    #[must_use]
    pub fn command(&self, kind: RunKind) -> WorkerCommand {
        let trim_every = match kind {
            RunKind::Exact => 0,
            RunKind::Production => self.trim_every,
        };
        let mut command =
            WorkerCommand::new(&self.interpreter.path).argument(self.folder.join("runner.py"));
        let pickle = self.pickle;
        command.python = Some(PythonRun { run: kind, trim_every, pickle, resident_only: false });
        environment::add(command, kind, &self.library())
    }
}

/// A folder for the files, whose path `LD_PRELOAD` can hold.
fn place(records: &Path) -> io::Result<PathBuf> {
    let name = format!("python-{CONTENT}");
    let folder = std::path::absolute(records)?.join(&name);
    // The variable lists paths by spaces and colons, and replaces words that begin with a dollar.
    let fits = |path: &Path| !path.as_os_str().as_bytes().iter().any(|byte| b" :$".contains(byte));
    if fits(&folder) {
        std::fs::create_dir_all(&folder)?;
        return Ok(folder);
    }
    let user = rustix::process::geteuid().as_raw();
    let folder = std::env::temp_dir().join(format!("highwater-{user}-{name}"));
    if !fits(&folder) {
        return Err(io::Error::other("a space, `:` or `$` in a path cannot be preloaded from"));
    }
    match std::fs::DirBuilder::new().mode(0o700).create(&folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        _ => {}
    }
    // Anybody may have made a folder of that name in the common one.
    let found = folder.symlink_metadata()?;
    if found.is_dir() && found.uid() == user && found.mode() & 0o022 == 0 {
        return Ok(folder);
    }
    Err(io::Error::other(format!("{} belongs to somebody else", folder.display())))
}

/// Writes what is not there yet, or is something else. Other harnesses may write or use the same
/// files at this moment, so each one appears whole.
fn write(folder: &Path) -> io::Result<()> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    for (name, content) in FILES {
        let path = folder.join(name);
        if std::fs::read(&path).is_ok_and(|there| there == *content) {
            continue;
        }
        if let Some(parent) = path.parent() {
            std::fs::create_dir_all(parent)?;
        }
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let new = path.with_extension(format!("{}-{count}.new", std::process::id()));
        std::fs::write(&new, content)?;
        std::fs::rename(&new, &path)?;
    }
    Ok(())
}

#[cfg(all(test, feature = "python"))]
mod tests {
    use super::*;

    #[test]
    fn the_runner_and_a_library_of_this_machine_are_carried() {
        let names: Vec<&str> = FILES.iter().map(|(name, _)| *name).collect();
        assert!(names.contains(&"runner.py") && names.contains(&"highwater_runner/worker.py"));
        let library = FILES.iter().find(|(name, _)| *name == LIBRARY).map(|(_, content)| *content);
        assert_eq!(library.map(|content| &content[..5]), Some(&b"\x7fELF\x02"[..]));
    }
}
