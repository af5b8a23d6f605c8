//! One command of a chore.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::os::unix::process::ExitStatusExt as _;
use std::path::Path;
use std::process::{Command, ExitStatus, Stdio};

use crate::error::ChoreError;

/// A command, the variables it needs, and what to do when it fails.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    program: OsString,
    arguments: Vec<OsString>,
    variables: Vec<(&'static str, OsString)>,
    hint: &'static str,
}

impl Step {
    /// A command without arguments; `hint` says what to do when it fails.
    pub(crate) fn new(program: impl AsRef<OsStr>, hint: &'static str) -> Self {
        Self {
            program: program.as_ref().to_owned(),
            arguments: Vec::new(),
            variables: Vec::new(),
            hint,
        }
    }

    /// A cargo command, by the cargo that runs this program.
    pub(crate) fn cargo(arguments: &[&str], hint: &'static str) -> Self {
        Self::new("cargo", hint).arguments(arguments)
    }

    pub(crate) fn arguments(mut self, more: &[impl AsRef<OsStr>]) -> Self {
        self.arguments.extend(more.iter().map(|one| one.as_ref().to_owned()));
        self
    }

    pub(crate) fn variable(mut self, name: &'static str, value: impl AsRef<OsStr>) -> Self {
        self.variables.push((name, value.as_ref().to_owned()));
        self
    }

    /// Shows the command on standard error, runs it in `folder` and waits for its end.
    pub(crate) fn run(&self, folder: &Path) -> Result<(), ChoreError> {
        eprintln!("$ {self}");
        let status = self.status(self.command(folder))?;
        if status.success() {
            return Ok(());
        }
        Err(ChoreError::Failed { command: self.to_string(), code: code(status), hint: self.hint })
    }

    /// Runs the command unseen and says whether it succeeded.
    pub(crate) fn probe(&self, folder: &Path) -> Result<Probe, ChoreError> {
        let mut command = self.command(folder);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        Ok(if self.status(command)?.success() { Probe::Present } else { Probe::Missing })
    }

    fn command(&self, folder: &Path) -> Command {
        // Cargo tells its subcommands where it is; that one may be no other version's.
        let cargo = (self.program == "cargo").then(|| std::env::var_os("CARGO")).flatten();
        let mut command = Command::new(cargo.as_ref().unwrap_or(&self.program));
        command.args(&self.arguments).current_dir(folder);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    fn status(&self, mut command: Command) -> Result<ExitStatus, ChoreError> {
        command.status().map_err(|source| ChoreError::NotStarted {
            program: self.program.display().to_string(),
            source,
            hint: self.hint,
        })
    }
}

/// Whether a tool answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Probe {
    Present,
    Missing,
}

/// As it would be typed into a shell.
impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (name, value) in &self.variables {
            write!(f, "{name}={} ", typed(value))?;
        }
        f.write_str(&typed(&self.program))?;
        self.arguments.iter().try_for_each(|one| write!(f, " {}", typed(one)))
    }
}

fn typed(word: &OsStr) -> String {
    let word = word.to_string_lossy();
    let plain = |c: char| c.is_alphanumeric() || "-_./=:@,+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.into_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// The exit code as a shell gives it: 128 and the signal for a process that was killed.
fn code(status: ExitStatus) -> u8 {
    let code = status.code().or_else(|| status.signal().map(|signal| 128 + signal));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_shows_as_it_is_typed() {
        let step = Step::cargo(&["nextest", "run"], "").variable("RUSTFLAGS", "--cfg loom");
        let step = step.arguments(&["-E", "test(it's)", ""]);
        assert_eq!(
            step.to_string(),
            r"RUSTFLAGS='--cfg loom' cargo nextest run -E 'test(it'\''s)' ''"
        );
    }

    #[test]
    fn exit_codes_are_those_of_a_shell() {
        for (raw, expected) in [(0, 0), (100 << 8, 100), (9, 137), (255 << 8, 255)] {
            assert_eq!(code(ExitStatus::from_raw(raw)), expected, "raw status {raw}");
        }
    }
}
