//! The tracker beside the plain system allocator, `stats_alloc` and `dhat`, in one run and one table.
//!
//! ```text
//! cargo bench -p highwater-tracker-bench --bench comparison
//! ```
//!
//! Figures are CPU time, so that a busy machine disturbs them little, as ratios to the plain
//! allocator of the same round; the table shows the median round, and the lower and upper quartile.
//! Rounds are interleaved: each runs all allocators, so that a slow minute slows them all.
//!
//! The loops call the allocators directly; the Arrow workload runs in a program of its own per
//! allocator, see `../arrow`. After the table criterion measures the loops one by one, against
//! its own stored history.

#![expect(clippy::print_stdout, reason = "the table is the result")]

mod absolute;
mod allocators;
mod arrow;
mod clock;
mod loops;
mod table;

use arrow::Programs;
use table::Row;

const LOOP_ROUNDS: usize = 15;
const ARROW_ROUNDS: usize = 11;

fn main() {
    // `cargo test --benches` only wants to see it start.
    if !std::env::args().any(|argument| argument == "--bench") {
        return;
    }
    let programs = Programs::find();
    let looped = |name, work: loops::Loop, slots| {
        Row::measure(name, LOOP_ROUNDS, |allocator| loops::run(allocator, work, slots))
    };
    let rows = [
        looped("tight loop", loops::tight, 0),
        looped("slots, 1 thread", loops::slots, loops::SLOTS),
        looped("slots, 4 threads", loops::slots_in_four_threads, 4 * loops::SLOTS),
        Row::measure("arrow", ARROW_ROUNDS, |allocator| programs.run(allocator)),
    ];
    table::print(&rows);
    absolute::run();
}
