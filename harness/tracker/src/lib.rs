//! Counts what a process allocates, to the byte, and writes the counts where they survive it.
//!
//! ```
//! use highwater_tracker::{Section, Tracker, take_reading};
//!
//! #[global_allocator]
//! static ALLOCATOR: Tracker = Tracker::new();
//!
//! let before = take_reading();
//! let kept = vec![0_u8; 1000];
//! let batch = {
//!     let _harness = Section::harness();
//!     vec![0_u8; 5000]
//! };
//! let after = take_reading();
//! assert_eq!(after.udf.live_bytes - before.udf.live_bytes, 1000);
//! assert_eq!(after.harness.live_bytes - before.harness.live_bytes, 5000);
//! # drop((kept, batch));
//! ```
//!
//! # Parts
//!
//! | module | what |
//! |---|---|
//! | [`ledger`] | per-thread tallies, the list they hang on, the peak |
//! | [`counter`] | the process's one ledger, reached through a thread-local slot |
//! | [`slot`] | where a thread finds its tally: `thread_local!`, or a library's own |
//! | [`section`] | which account a thread's allocations count in |
//! | [`allocator`] | [`Tracker`], the global-allocator wrapper (feature `std`) |
//! | [`canary`] | proof that the tracker is attached (feature `std`) |
//! | [`mod@reading`] | what a reading of the ledger says |
//! | [`heap`] | asks the C library for what it keeps (feature `std`) |
//! | [`proc`] | resident memory and threads, from `/proc/self/status` |
//! | [`clock`] | the two clocks that a record needs |
//! | [`record`] | the file that holds the marks of a run |
//!
//! # How it disturbs what it measures
//!
//! Nothing is added to a block and no size is changed: a block's size comes from its `Layout`. The
//! counters live in pages of their own (256 bytes per thread, recycled) and take no lock. On the
//! Arrow workload in `bench/`, with an event every 16 ns, the wrapper costs 2 to 4 % of CPU time;
//! on a loop that does nothing but allocate and free small blocks, about 1 ns per pair.
//!
//! # What it cannot see
//!
//! Requested bytes are counted, not what the allocator rounds them to, nor what it keeps after a
//! free; that is what [`proc`] is for. Allocations that do not go through the global allocator
//! (C libraries, `mmap`) are not counted. A `realloc` counts as the difference between the new
//! and the old size, even when the allocator had to hold both for a moment.
//!
//! # Without `std`
//!
//! With `default-features = false` the crate is `no_std` and needs no `alloc`: [`ledger`],
//! [`counter`], [`section`], [`mod@reading`], [`proc`], [`clock`] and the writing half of
//! [`record`] remain. A library that hooks `malloc` implements [`Slot`] over its own thread-local
//! and calls [`Counter`].
//!
//! # Checks beyond the tests
//!
//! ```text
//! # every interleaving of the concurrent parts
//! RUSTFLAGS="--cfg loom" cargo test --release -p highwater-tracker --test loom --target-dir target/loom
//! # the wrapper, threads, fork and unwinding under valgrind
//! HIGHWATER_VALGRIND=1 cargo test -p highwater-tracker --test exact valgrind
//! ```

#![no_std]

#[cfg(feature = "std")]
extern crate std;

pub mod ledger;
pub mod reading;
mod sync;

pub use ledger::{Account, SLACK_BYTES};
pub use reading::{Figures, Reading};

// Under loom only the ledger is built: its atomics have no constant initialiser there, so nothing
// can be a static.
#[cfg(all(feature = "std", not(loom)))]
pub mod allocator;
#[cfg(all(feature = "std", not(loom)))]
mod bystanders;
#[cfg(all(feature = "std", not(loom)))]
pub mod canary;
#[cfg(not(loom))]
pub mod clock;
#[cfg(not(loom))]
pub mod counter;
#[cfg(all(feature = "std", not(loom)))]
pub mod heap;
#[cfg(not(loom))]
mod pages;
#[cfg(not(loom))]
pub mod proc;
#[cfg(not(loom))]
pub mod record;
#[cfg(not(loom))]
pub mod section;
#[cfg(not(loom))]
pub mod slot;

#[cfg(all(feature = "std", not(loom)))]
pub use allocator::{Tracker, take_reading};
#[cfg(all(feature = "std", not(loom)))]
pub use bystanders::set_other_threads_aside;
#[cfg(not(loom))]
pub use counter::Counter;
#[cfg(not(loom))]
pub use section::Section;
#[cfg(not(loom))]
pub use slot::Slot;

/// Version of this crate, as written into records.
pub const VERSION: &str = env!("CARGO_PKG_VERSION");
