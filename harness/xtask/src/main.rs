//! The project's chores, run as `cargo xtask CHORE`.
//!
//! Each chore is a list of commands. They are shown before they run, so that any of them can be
//! repeated by hand; the exit code is that of the first one that failed.
#![forbid(unsafe_code)]
#![expect(clippy::print_stderr, reason = "it is a program")]

mod arguments;
mod benches;
mod error;
mod linters;
mod project;
mod proof;
mod soundness;
mod step;
mod suite;
mod toolbox;

use std::process::ExitCode;

use arguments::{Arguments, Chore};
use clap::Parser as _;
use project::Project;

fn main() -> ExitCode {
    let project = Project::new();
    let result = match Arguments::parse().chore {
        Chore::Test { nextest } => suite::test(&project, &nextest),
        Chore::Lint { groups } => linters::lint(&project, &groups),
        Chore::Bench { criterion } => benches::bench(&project, &criterion),
        Chore::Oracle { unittest } => proof::oracle(&project, &unittest),
        Chore::Harmless { short, units } => proof::harmless(&project, short, &units),
        Chore::BenchPython { rounds } => proof::bench(&project, rounds),
        Chore::Pythons { mirror, suites } => proof::pythons(&project, mirror.as_deref(), &suites),
        Chore::Loom => soundness::loom(&project),
        Chore::Valgrind => soundness::valgrind(&project),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xtask: {error}");
            error.exit_code()
        }
    }
}
