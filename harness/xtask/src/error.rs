//! What can go wrong with a chore.

use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

/// Why a chore ended early.
#[derive(Debug, thiserror::Error)]
pub(crate) enum ChoreError {
    /// A command ran and failed.
    #[error("`{command}` failed with exit code {code}\nhint: {hint}")]
    Failed { command: String, code: u8, hint: &'static str },
    /// A command could not be started.
    #[error("`{program}` cannot be started: {source}\nhint: {hint}")]
    NotStarted { program: String, source: io::Error, hint: &'static str },
    /// Linters ran and found something.
    #[error("{} failed: {}\nhint: {MEND}", count(.0), quoted(.0))]
    Lint(Vec<&'static str>),
    /// A file or folder could not be read or written.
    #[error("`{}` cannot be used: {source}\nhint: run `cargo xtask` in a complete, writable checkout", path.display())]
    File { path: PathBuf, source: io::Error },
}

const MEND: &str = "the findings are above; `cargo fmt` and `ruff format` mend the format, and one \
                    group runs alone with `cargo xtask lint rust`, `python` or `workflows`";

impl ChoreError {
    /// The failed command's own code, so that a caller sees nextest's 100 for failed tests.
    pub(crate) fn exit_code(&self) -> ExitCode {
        match self {
            Self::Failed { code, .. } => ExitCode::from(*code),
            Self::NotStarted { .. } | Self::Lint(_) | Self::File { .. } => ExitCode::FAILURE,
        }
    }
}

fn count(failed: &[&str]) -> String {
    match failed.len() {
        1 => "1 linter".to_owned(),
        many => format!("{many} linters"),
    }
}

fn quoted(failed: &[&str]) -> String {
    failed.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ")
}
