//! A worker whose tracker is deliberately not attached: this binary, which declares no global
//! allocator. Whatever its fixtures say, the gate must end with the confidence exit code.

use std::process::ExitCode;

use highwater::Registry;
use libtest_mimic::{Arguments, Trial};
use suite_support::Project;

const HIGHWATER: &str = env!("CARGO_BIN_EXE_highwater");

fn main() -> ExitCode {
    highwater::serve_if_assigned(&Registry::new());
    let trials = vec![
        Trial::test("check_ends_with_the_confidence_exit_code", || {
            check();
            Ok(())
        }),
        Trial::test("run_gives_no_figures", || {
            run();
            Ok(())
        }),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

/// The planted twin is healthy by construction, so a gate that looked at figures would pass it.
fn project() -> Project {
    let worker = std::env::current_exe().expect("this program");
    Project::new(HIGHWATER, &worker, "  - {name: planted_twin}\n")
}

fn check() {
    let project = project();
    project.run(&["check"]).says(5, &["confidence check failed", "#[global_allocator]"]);
    assert!(!project.path("baselines").exists(), "nothing may be offered as a baseline");
}

fn run() {
    project().run(&["run", "planted_twin"]).says(5, &["no figures", "tracker not attached"]);
}
