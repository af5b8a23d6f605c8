//! What the tests of the command share: a project in a temporary folder, and the command in it.
#![forbid(unsafe_code)]

use std::path::{Path, PathBuf};

use assert_cmd::Command;
use highwater_worker::{Interpreter, python};
use serde_json::Value;
use tempfile::TempDir;

/// A project of its own: a manifest over the UDFs of one worker, baselines, records.
#[derive(Debug)]
pub struct Project {
    folder: TempDir,
    highwater: PathBuf,
    worker: PathBuf,
}

/// What a command left behind.
#[derive(Debug)]
pub struct Answer {
    /// Its exit code.
    pub code: i32,
    /// Its standard output.
    pub out: String,
    /// Its standard error.
    pub err: String,
}

impl Project {
    /// A project for the command `highwater`, whose manifest lists `fixtures` (YAML list items),
    /// served by `worker`.
    ///
    /// # Panics
    ///
    /// As everything here does when the machine refuses a file or a process.
    pub fn new(highwater: &str, worker: &Path, fixtures: &str) -> Self {
        let project = Self {
            folder: tempfile::tempdir().expect("a folder"),
            highwater: highwater.into(),
            worker: worker.to_owned(),
        };
        project.manifest(&format!(
            "version: 1\nbaselines: baselines\ndefaults: {{batches: 100, rows: 8}}\n\
             fixtures:\n{fixtures}"
        ));
        project
    }

    /// Replaces the manifest.
    pub fn manifest(&self, text: &str) {
        std::fs::write(self.path("highwater.yaml"), text).expect("the manifest is written");
    }

    /// A path in the project.
    pub fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    /// The command, in the project's folder, outside CI and without colours.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.highwater);
        command
            .current_dir(self.folder.path())
            .args(arguments)
            .arg("--worker")
            .arg(&self.worker)
            .env("NO_COLOR", "1")
            .env_remove("CI")
            .env_remove("INSTA_UPDATE")
            .env_remove("INSTA_FORCE_PASS");
        command
    }

    /// Runs the command.
    pub fn run(&self, arguments: &[&str]) -> Answer {
        answer(&mut self.command(arguments))
    }

    /// Runs `highwater show` on a record.
    pub fn show(&self, record: &str) -> Answer {
        let mut command = Command::new(&self.highwater);
        command.current_dir(self.folder.path()).args(["show", record]).env("NO_COLOR", "1");
        answer(&mut command)
    }

    /// Accepts all pending snapshots, as `cargo insta accept` does: the pending file becomes the
    /// baseline.
    pub fn accept(&self) {
        let listing = std::fs::read_dir(self.path("baselines")).expect("there are baselines");
        for entry in listing {
            let path = entry.expect("an entry").path();
            if path.extension().is_some_and(|extension| extension == "new") {
                std::fs::rename(&path, path.with_extension("")).expect("it can be renamed");
            }
        }
    }
}

/// Runs a command to its end.
pub fn answer(command: &mut Command) -> Answer {
    let output = command.output().expect("the command starts");
    Answer {
        code: output.status.code().expect("it exits by itself"),
        out: String::from_utf8(output.stdout).expect("UTF-8"),
        err: String::from_utf8(output.stderr).expect("UTF-8"),
    }
}

impl Answer {
    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out)
            .unwrap_or_else(|error| panic!("{error}: {}\n{}", self.out, self.err))
    }

    /// Fails unless the command exited with `code` and printed every one of `parts`.
    pub fn says(&self, code: i32, parts: &[&str]) {
        let all = format!("{}{}", self.out, self.err);
        assert_eq!(self.code, code, "{all}");
        for part in parts {
            assert!(all.contains(part), "`{part}` is not in:\n{all}");
        }
    }
}

/// The Python that the reference fixtures run in, made from their lock file when it is not there.
/// `root` is the project's folder and `tmp` cargo's folder for files of its tests.
///
/// # Panics
///
/// When it cannot be made.
pub fn reference_python(root: &Path, tmp: &Path) -> PathBuf {
    let base = Interpreter::find(None).unwrap_or_else(|error| panic!("{error}"));
    let lock = root.join("udf-fixtures/python/requirements.lock");
    let venv = python::venv(&base, &lock, &tmp.with_file_name("highwater"), |_| {});
    venv.unwrap_or_else(|error| panic!("{error}")).interpreter.path
}
