//! The chores as a caller sees them: which commands run, and what a failure of one leads to.

use std::fs;
use std::process::{Command, Output};

/// What a chore did.
struct Done {
    output: Output,
    /// Every call of cargo, without those for packages outside the workspace.
    calls: Vec<String>,
}

impl Done {
    fn code(&self) -> Option<i32> {
        self.output.status.code()
    }

    fn stderr(&self) -> String {
        String::from_utf8_lossy(&self.output.stderr).into_owned()
    }
}

/// Runs `cargo xtask ARGUMENTS` over a cargo that does nothing, and fails the calls in `failing`.
fn chore(arguments: &[&str], failing: &str) -> Done {
    let folder = tempfile::tempdir().expect("a folder for the test");
    let calls = folder.path().join("calls");
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(arguments)
        .env("CARGO", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cargo-double.sh"))
        .env("CALLS", &calls)
        .env("FAILING", failing)
        .env_remove("CI")
        .env_remove("NEXTEST_PROFILE")
        .output()
        .expect("xtask starts");
    let calls = fs::read_to_string(calls).unwrap_or_default();
    let calls = calls.lines().filter(|call| !call.contains("--manifest-path"));
    Done { calls: calls.map(str::to_owned).collect(), output }
}

#[test]
fn test_runs_nextest_and_the_doctests() {
    let done = chore(&["test", "--no-capture"], "");
    assert_eq!(done.code(), Some(0), "{}", done.stderr());
    assert_eq!(
        done.calls,
        [
            "nextest --version",
            "insta --version",
            "nextest run --no-capture",
            "test --doc --workspace",
        ]
    );
}

#[test]
fn test_installs_nextest_when_it_is_missing() {
    let done = chore(&["test"], "nextest --version=101");
    assert_eq!(done.code(), Some(0), "{}", done.stderr());
    assert_eq!(done.calls[1], "install --locked cargo-nextest@0.9.143");
    assert_eq!(done.calls[3], "nextest run");
    assert!(done.stderr().contains("cargo-nextest is missing, installing it"));
}

#[test]
fn the_exit_code_is_that_of_the_command_that_failed() {
    for (failing, code, last) in [
        ("nextest run=100", 100, "nextest run"),
        ("test --doc=101", 101, "test --doc --workspace"),
        ("nextest --version=101;install=3", 3, "install --locked cargo-nextest@0.9.143"),
    ] {
        let done = chore(&["test"], failing);
        assert_eq!(done.code(), Some(code), "{failing}: {}", done.stderr());
        assert_eq!(done.calls.last().map(String::as_str), Some(last), "{failing}");
        let said = format!("cargo {last}` failed with exit code {code}\nhint: ");
        assert!(done.stderr().contains(&said), "{failing}: {}", done.stderr());
    }
}

#[test]
fn lint_runs_every_linter_and_names_those_that_failed() {
    let done = chore(&["lint", "rust"], "fmt=1;clippy=101");
    assert_eq!(done.code(), Some(1));
    let linters: Vec<_> = done.calls.iter().map(|call| call.split(' ').next()).collect();
    assert_eq!(linters, [Some("fmt"), Some("clippy"), Some("doc")]);
    let said = "xtask: 2 linters failed: `cargo fmt`, `cargo clippy`\nhint: ";
    assert!(done.stderr().contains(said), "{}", done.stderr());
}

#[test]
fn lint_passes_when_no_linter_fails() {
    let done = chore(&["lint", "rust"], "");
    assert_eq!(done.code(), Some(0), "{}", done.stderr());
}

#[test]
fn a_cargo_that_cannot_be_started_is_named() {
    let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
        .args(["lint", "rust"])
        .env("CARGO", "/nonexistent/cargo")
        .output()
        .expect("xtask starts");
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr.contains("xtask: `cargo` cannot be started: "), "{stderr}");
    assert!(stderr.contains("\nhint: "), "{stderr}");
}

#[test]
fn the_proofs_say_what_to_install_when_there_is_no_python() {
    let target = tempfile::tempdir().expect("a folder for build products");
    for chore in ["oracle", "harmless", "bench-python", "pythons"] {
        let output = Command::new(env!("CARGO_BIN_EXE_xtask"))
            .arg(chore)
            .env("CARGO", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cargo-double.sh"))
            .env("CALLS", target.path().join("calls"))
            .env("CARGO_TARGET_DIR", target.path())
            .env("FAILING", "")
            // Nothing but what the double needs is found.
            .env("PATH", "/nonexistent")
            .output()
            .expect("xtask starts");
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{chore}: {stderr}");
        let said = "xtask: `python3` cannot be started: ";
        assert!(stderr.contains(said), "{chore}: {stderr}");
        assert!(stderr.ends_with("install Python 3.11 or newer with its `venv` module\n"));
    }
}

#[test]
fn the_proofs_stop_when_the_tracker_does_not_build() {
    let done = chore(&["oracle"], "build --release=101");
    assert_eq!(done.code(), Some(101), "{}", done.stderr());
}
