//! The Arrow workload, in a program of its own per allocator: a process has one global allocator.

use crate::allocators::Allocator;
use std::path::PathBuf;
use std::process::{Command, Stdio};

/// Tells a program to run the workload.
const WANTED: &str = "HIGHWATER_BENCH_ARROW";

/// The programs, in the order of [`Allocator::ALL`].
pub(crate) struct Programs(Vec<PathBuf>);

impl Programs {
    /// Asks cargo where they are. It has just built them, unless this bench alone was asked for.
    pub(crate) fn find() -> Self {
        let targets = Allocator::ALL.map(target);
        let mut command = Command::new(env!("CARGO"));
        command.current_dir(env!("CARGO_MANIFEST_DIR")).stderr(Stdio::inherit());
        command.args(["bench", "--no-run", "--message-format=json"]);
        for target in &targets {
            command.args(["--bench", target]);
        }
        let output = command.output().expect("cargo");
        let text = String::from_utf8_lossy(&output.stdout);
        let messages: Vec<serde_json::Value> =
            text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
        Self(targets.iter().map(|target| executable(&messages, target)).collect())
    }

    /// CPU nanoseconds per batch.
    pub(crate) fn run(&self, allocator: Allocator) -> f64 {
        let output =
            Command::new(&self.0[allocator as usize]).env(WANTED, "1").output().expect("a program");
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8_lossy(&output.stdout).trim().parse().expect("a number")
    }
}

fn target(allocator: Allocator) -> String {
    format!("arrow_{}", allocator.name())
}

fn executable(messages: &[serde_json::Value], target: &str) -> PathBuf {
    messages
        .iter()
        .filter(|message| message["target"]["name"] == target)
        .find_map(|message| message["executable"].as_str())
        .expect("cargo names the executable")
        .into()
}
