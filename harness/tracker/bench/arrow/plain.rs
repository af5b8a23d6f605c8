//! The Arrow workload of the comparison, under the plain system allocator.

#![expect(clippy::print_stdout, reason = "the comparison reads the figure there")]

#[path = "../comparison/clock.rs"]
mod clock;
mod workload;

fn main() {
    workload::main();
}
