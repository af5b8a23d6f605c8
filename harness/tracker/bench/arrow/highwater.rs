//! The Arrow workload of the comparison, under the tracker.

#![expect(clippy::print_stdout, reason = "the comparison reads the figure there")]

#[path = "../comparison/clock.rs"]
mod clock;
mod workload;

#[global_allocator]
static ALLOCATOR: highwater_tracker::Tracker = highwater_tracker::Tracker::new();

fn main() {
    workload::main();
}
