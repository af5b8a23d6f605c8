//! The Arrow workload of the comparison, under `stats_alloc`.

#![expect(clippy::print_stdout, reason = "the comparison reads the figure there")]

#[path = "../comparison/clock.rs"]
mod clock;
mod workload;

#[global_allocator]
static ALLOCATOR: &stats_alloc::StatsAlloc<std::alloc::System> = &stats_alloc::INSTRUMENTED_SYSTEM;

fn main() {
    workload::main();
}
