//! A memory gate for stateful UDFs.
//!
//! Runs a UDF for N batches in a worker of its own under an exact tracker, measures its peak heap
//! and the bytes it leaks per batch, compares them with a reviewed baseline, and fails when they
//! got worse. Before it believes a figure, it measures a planted leak of known size
//! through the same worker.
//!
//! In a test, it takes a global allocator, a UDF and [`gate!`]:
//!
//! ```no_run
//! use highwater::{ArrayRef, Fixture, RecordBatch, Tracker, Udf, UdfError};
//!
//! #[global_allocator]
//! static TRACKER: Tracker = Tracker::new();
//!
//! #[derive(Default)]
//! struct Count { rows: u64 }
//!
//! impl Udf for Count {
//!     fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
//!         self.rows += batch.num_rows() as u64;
//!         Ok(batch.column(0).clone())
//!     }
//! }
//!
//! # /*
//! #[test]
//! # */
//! fn count_keeps_nothing() {
//!     highwater::gate!(Fixture::new("count", Count::default));
//! }
//! # fn main() { count_keeps_nothing() }
//! ```
//!
//! Many UDFs of one crate can be served by one worker binary instead, for `highwater check` and a
//! manifest: see [`serve`].
#![forbid(unsafe_code)]

mod announce;
pub mod baseline;
pub mod check;
pub mod confidence;
mod fixture;
pub mod guard;
#[doc(hidden)]
pub mod in_test;
pub mod measured;
mod pace;
mod remedies;
mod rows;
mod workers;

pub use baseline::{Baselines, Environment, Pending, Slot};
pub use check::{Checked, Confirmation, Gate};
pub use confidence::{Confidence, ConfidenceFailed};
pub use fixture::Fixture;
pub use highwater_core as core;
pub use highwater_core::{Batches, Bytes, Haste, Limit, Limits};
pub use highwater_fixture::{ArrayRef, FixtureSpec, RecordBatch, Registry, Udf, UdfError};
pub use highwater_tracker::Tracker;
pub use highwater_worker::{WorkerCommand, serve, serve_if_assigned};
pub use measured::{Explained, Measured, ProductionRun};
pub use remedies::{Remedy, RemedyResult};
pub use rows::{BadRows, Blame, Rows};
pub use workers::Workers;
