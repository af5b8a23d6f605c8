use libtest_mimic::{Failed, Trial};
use std::process::Command;

/// Set to have every other test of this binary run once more under valgrind.
const WANTED: &str = "HIGHWATER_VALGRIND";

pub(crate) fn trials() -> Vec<Trial> {
    match std::env::var_os(WANTED) {
        Some(_) => vec![Trial::test("valgrind::finds_no_error", finds_no_error)],
        None => Vec::new(),
    }
}

fn finds_no_error() -> Result<(), Failed> {
    let outcome = Command::new("valgrind")
        // Children are the fork and kill tests' own; they are checked as well.
        .args(["--error-exitcode=9", "--trace-children=yes", "--fair-sched=yes", "--quiet"])
        .arg(std::env::current_exe()?)
        // Valgrind's own `calloc` touches what it hands out.
        .args(["--skip", "methods::zeroed_memory_stays_untouched"])
        .env_remove(WANTED)
        .output()
        .map_err(|error| {
            format!("cannot run `valgrind`: {error}\nhint: apt-get install valgrind")
        })?;
    if outcome.status.success() {
        return Ok(());
    }
    let (said, found) =
        (String::from_utf8_lossy(&outcome.stdout), String::from_utf8_lossy(&outcome.stderr));
    Err(format!("{}\n{said}\n{found}", outcome.status).into())
}
