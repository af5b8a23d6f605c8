//! The worker that runs the reference fixtures.

use std::process::ExitCode;

#[global_allocator]
static TRACKER: highwater::Tracker = highwater::Tracker::new();

fn main() -> ExitCode {
    highwater::serve(&udf_fixtures::registry())
}
