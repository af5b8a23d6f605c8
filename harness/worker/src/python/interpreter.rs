//! The user's interpreter: which one it is, and what it says of itself.

use std::ffi::OsStr;
use std::fmt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde::Deserialize;

use super::error::PythonError;

/// The oldest Python that the runner works in.
pub(super) const OLDEST: Version = Version(3, 9, 0);

/// A version of Python: major, minor, micro.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Deserialize)]
pub struct Version(pub u32, pub u32, pub u32);

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.0, self.1)?;
        if self.2 > 0 { write!(f, ".{}", self.2) } else { Ok(()) }
    }
}

/// A CPython that is new enough.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interpreter {
    /// The program, absolute.
    pub path: PathBuf,
    /// Its version.
    pub version: Version,
    /// The version of its pyarrow; `None` when it has none.
    pub pyarrow: Option<String>,
    /// The backend of pyarrow's default memory pool, such as `mimalloc`.
    pub pool: Option<String>,
    /// The C library's name and version, such as `glibc 2.36`.
    pub libc: String,
}

/// What [`PROBE`] prints.
#[derive(Debug, Deserialize)]
struct Said {
    implementation: String,
    version: Version,
    pyarrow: Option<String>,
    pool: Option<String>,
    libc: String,
}

/// The current folder may have a `json.py`, which `python -c` would import.
const PROBE: &str = r#"
import sys
sys.path[:] = [path for path in sys.path if path]
import json, os
try:
    import pyarrow
except ImportError:
    pyarrow = None
try:
    libc = os.confstr("CS_GNU_LIBC_VERSION")
except (ValueError, OSError, AttributeError):
    libc = None
print(json.dumps({
    "implementation": sys.implementation.name,
    "version": sys.version_info[:3],
    "pyarrow": pyarrow and pyarrow.__version__,
    "pool": pyarrow and pyarrow.default_memory_pool().backend_name,
    "libc": libc or "unknown",
}))
"#;

impl Interpreter {
    /// The `explicit` one, else that of the active virtual environment, else `python3` on the
    /// `PATH`.
    ///
    /// # Errors
    ///
    /// [`PythonError`] when there is none, it doesn't start, or it is no CPython 3.9 or newer.
    pub fn find(explicit: Option<&Path>) -> Result<Self, PythonError> {
        if let Some(path) = explicit {
            return Self::at(path, "give the path of an interpreter with `--python`");
        }
        let active = std::env::var_os("VIRTUAL_ENV").filter(|folder| !folder.is_empty());
        if let Some(folder) = active {
            let path = Path::new(&folder).join("bin/python");
            return Self::at(&path, "`VIRTUAL_ENV` names it: deactivate, or make it again");
        }
        match on_path("python3") {
            Some(path) => Self::at(&path, "install Python again"),
            None => Err(PythonError::None),
        }
    }

    /// The one at `path`; `hint` says what to do when it does not start.
    pub(super) fn at(path: &Path, hint: &str) -> Result<Self, PythonError> {
        // A name without a folder is looked for on the `PATH`, as a shell does.
        let bare = path.components().count() == 1 && !path.exists();
        let path = bare.then(|| on_path(path)).flatten().unwrap_or_else(|| path.to_owned());
        // Not resolved: a virtual environment's interpreter is a link that knows where it lies.
        let path = std::path::absolute(&path).unwrap_or(path);
        let output =
            ask(&path, PROBE).map_err(|source| PythonError::not_started(&path, source, hint))?;
        let said = String::from_utf8_lossy(&output.stdout);
        let said = said.lines().last().unwrap_or_default();
        let Ok(said) = serde_json::from_str::<Said>(said) else {
            return Err(PythonError::NoPython { path, said: last_line(&output) });
        };
        if said.version < OLDEST {
            return Err(PythonError::TooOld { path, version: said.version });
        }
        if said.implementation != "cpython" {
            return Err(PythonError::Foreign { path, implementation: said.implementation });
        }
        let Said { version, pyarrow, pool, libc, .. } = said;
        Ok(Self { path, version, pyarrow, pool, libc })
    }

    /// The runtime of its figures: `python 3.11`.
    #[must_use]
    pub fn runtime(&self) -> String {
        format!("python {}.{}", self.version.0, self.version.1)
    }

    /// Runs a line of Python and returns what it prints, trimmed; `None` when it fails.
    pub fn evaluate(&self, code: &str) -> Option<String> {
        let output = ask(&self.path, code).ok().filter(|output| output.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    }
}

fn ask(path: &Path, code: &str) -> std::io::Result<Output> {
    Command::new(path).arg("-c").arg(code).stdin(Stdio::null()).output()
}

/// The last line that a program printed, or how it ended when it printed none.
pub(super) fn last_line(output: &Output) -> String {
    let printed = [&output.stderr, &output.stdout].map(|bytes| String::from_utf8_lossy(bytes));
    let lines = printed.iter().flat_map(|text| text.lines().rev());
    let last = lines.map(str::trim).find(|line| !line.is_empty()).map(str::to_owned);
    last.unwrap_or_else(|| format!("it ended with {}", output.status))
}

/// The first executable of this name on the `PATH`.
fn on_path(name: impl AsRef<OsStr>) -> Option<PathBuf> {
    use std::os::unix::fs::PermissionsExt as _;
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(name.as_ref())).find(|candidate| {
        candidate
            .metadata()
            .is_ok_and(|file| file.is_file() && file.permissions().mode() & 0o111 != 0)
    })
}
