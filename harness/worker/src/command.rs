//! How a worker is started.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::assignment::{Assignment, VARIABLE};

/// The program that serves as worker: a worker binary, or a test binary that runs itself again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkerCommand {
    /// The executable.
    pub program: PathBuf,
    /// Its arguments.
    pub arguments: Vec<OsString>,
}

impl WorkerCommand {
    /// A worker binary without arguments.
    pub fn new(program: impl Into<PathBuf>) -> Self {
        Self { program: program.into(), arguments: Vec::new() }
    }

    /// Adds an argument.
    #[must_use]
    pub fn argument(mut self, argument: impl Into<OsString>) -> Self {
        self.arguments.push(argument.into());
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
        command
    }
}
