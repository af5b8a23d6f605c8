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

/// A folder with a user's Python file, and the Python of the reference fixtures.
#[derive(Debug)]
pub struct Own {
    /// The folder.
    pub folder: TempDir,
    /// The Python.
    pub python: PathBuf,
    highwater: PathBuf,
}

impl Own {
    /// The user's `udfs.py`, for the command `highwater`; `tmp` is cargo's folder for files of its
    /// tests.
    ///
    /// # Panics
    ///
    /// As everything here does when the machine refuses a file or a process.
    pub fn new(highwater: &str, udfs: &str, tmp: &Path) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        std::fs::write(folder.path().join("udfs.py"), udfs).expect("it is written");
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..");
        let python = reference_python(&root, tmp);
        Self { folder, python, highwater: highwater.into() }
    }

    /// The command, in the folder, outside CI and without colours.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(&self.highwater);
        command
            .current_dir(self.folder.path())
            .args(arguments)
            .env("NO_COLOR", "1")
            .env("XDG_CACHE_HOME", self.folder.path().join("cache"))
            .env_remove("VIRTUAL_ENV")
            .env_remove("CI")
            .env_remove("INSTA_UPDATE");
        command
    }

    /// Runs the command with another Python.
    pub fn with(&self, python: &Path, arguments: &[&str]) -> Answer {
        answer(self.command(arguments).arg("--python").arg(python))
    }

    /// Runs `highwater run` on one of the UDFs.
    pub fn run(&self, udf: &str, more: &[&str]) -> Answer {
        let named = format!("udfs.py:{udf}");
        self.with(&self.python, &[&["run", &named], more].concat())
    }

    /// The figures of a UDF whose run finished.
    pub fn figures(&self, udf: &str, more: &[&str]) -> Value {
        let answer = self.run(udf, &[more, &["--format", "json"]].concat());
        assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
        answer.json()["fixtures"][0].clone()
    }

    /// A wrapper script around the Python, with this line before it.
    pub fn wrapper(&self, line: &str) -> PathBuf {
        use std::os::unix::fs::PermissionsExt as _;
        let path = self.folder.path().join("wrapper");
        let script = format!("#!/bin/sh\n{line}\nexec \"{}\" \"$@\"\n", self.python.display());
        std::fs::write(&path, script).expect("it is written");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755))
            .expect("it is ours");
        path
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
