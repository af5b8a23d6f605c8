//! The Arrow workload of the comparison, under the tracker.

#[path = "../comparison/clock.rs"]
mod clock;
mod workload;

#[global_allocator]
static ALLOCATOR: highwater_tracker::Tracker = highwater_tracker::Tracker::new();

fn main() {
    workload::main();
}
