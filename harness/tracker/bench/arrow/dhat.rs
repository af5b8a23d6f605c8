//! The Arrow workload of the comparison, under `dhat`, profiling.

#![expect(clippy::print_stdout, reason = "the comparison reads the figure there")]

#[path = "../comparison/clock.rs"]
mod clock;
mod workload;

#[global_allocator]
static ALLOCATOR: dhat::Alloc = dhat::Alloc;

fn main() {
    let _profiler = dhat::Profiler::builder().testing().build();
    workload::main();
}
