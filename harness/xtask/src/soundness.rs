//! `cargo xtask loom` and `cargo xtask valgrind`: the tracker's concurrent and unsafe parts, looked
//! at by tools that see more than a test.

use crate::error::ChoreError;
use crate::project::Project;
use crate::step::{Probe, Step};
use crate::suite;

const VALGRIND: &str = "install valgrind, e.g. with `apt-get install valgrind`";

/// Runs the tracker's loom models.
pub(crate) fn loom(project: &Project) -> Result<(), ChoreError> {
    let target = project.target.join("loom");
    Step::cargo(
        &["test", "--release", "--package", "highwater-tracker", "--test", "loom"],
        "loom's counterexample is above; `LOOM_LOG=trace` shows each of its steps",
    )
    // A folder of its own: the flag would make cargo build everything anew, here and back there.
    .arguments(&["--target-dir".as_ref(), target.as_os_str()])
    .variable("RUSTFLAGS", "--cfg loom")
    .run(&project.root)
}

/// Runs the tracker's exact tests once more, under valgrind.
pub(crate) fn valgrind(project: &Project) -> Result<(), ChoreError> {
    let version = Step::new("valgrind", VALGRIND).arguments(&["--version"]);
    if version.probe(&project.root)? == Probe::Missing {
        // It is there and broken: let it say so itself.
        return version.run(&project.root);
    }
    // By nextest, for which no test at all is a failure.
    suite::install(project, suite::NEXTEST)?;
    Step::cargo(
        &["nextest", "run", "--package", "highwater-tracker", "--test", "exact", "valgrind::"],
        "valgrind's report is above",
    )
    .variable("HIGHWATER_VALGRIND", "1")
    .run(&project.root)
}
