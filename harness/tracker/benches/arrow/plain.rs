//! The Arrow workload of the comparison, under the plain system allocator.

#[path = "../comparison/clock.rs"]
mod clock;
mod workload;

fn main() {
    workload::main();
}
