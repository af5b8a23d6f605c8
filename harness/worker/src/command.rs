//! How a worker is started.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::assignment::{Assignment, PythonRun, VARIABLE};

/// The program that serves as worker: a worker binary, a test binary that runs itself again, or a
/// Python interpreter with the runner.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCommand {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
    /// Environment variables that it gets besides those of this process; `None` takes one away.
    pub variables: Vec<(OsString, Option<OsString>)>,
    /// How a Python worker is to run; `None` for a Rust worker.
    pub python: Option<PythonRun>,
}

impl WorkerCommand {
    /// A worker binary without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), arguments: Vec::new(), variables: Vec::new(), python: None }
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
        self
    }

    /// Sets an environment variable.
    #[must_use]
    pub fn variable(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), Some(value.into())));
        self
    }

    /// Takes an environment variable away.
    #[must_use]
    pub fn without(mut self, name: impl Into<OsString>) -> Self {
        self.variables.push((name.into(), None));
        self
    }

    /// The command for one assignment: its own process group, no standard input, output piped.
    pub(crate) fn command(&self, assignment: &Assignment) -> Command {
        use std::os::unix::process::CommandExt as _;

        let mut command = Command::new(&self.program);
        command
            .args(&self.arguments)
            .env(VARIABLE, assignment.to_json())
            .process_group(0)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        for (name, value) in &self.variables {
            match value {
                Some(value) => command.env(name, value),
                None => command.env_remove(name),
            };
        }
        command
    }
}
