//! `cargo xtask bench`: what the tracker and the gate cost.

use std::ffi::OsString;
use std::time::Instant;

use crate::error::ChoreError;
use crate::project::Project;
use crate::step::Step;

/// Runs every criterion bench of the workspace, then takes the time of the reference fixtures.
pub(crate) fn bench(project: &Project, criterion: &[OsString]) -> Result<(), ChoreError> {
    // By pattern: without one, cargo would run the unit tests as benches, and they don't know
    // criterion's arguments.
    Step::cargo(&["bench", "--workspace", "--bench", "*", "--"], "the reason is above")
        .arguments(criterion)
        .run(&project.root)?;
    Step::cargo(&["build", "--package", "highwater-cli", "--bins"], "the errors are above")
        .run(&project.root)?;
    let start = Instant::now();
    Step::cargo(&["highwater", "check"], "the gate's answer is above").run(&project.root)?;
    eprintln!("xtask: the check took {:.1} s after the build", start.elapsed().as_secs_f64());
    Ok(())
}
