//! Reference UDFs: what a memory gate must pass, and what it must catch.
//!
//! Each file has one mistake and, beside it, the healthy twin that does the same work: the fix is
//! the difference between the two. All run over real data, the flights that left New York City's
//! airports early in 2013 (`data/README.md`), and all are deterministic to the byte.
//!
//! | file | mistake | twin | pattern of the mistake |
//! |---|---|---|---|
//! | `statistics` | none | [`RunningStats`] | |
//! | `caches` | [`GrowingCache`] | [`BoundedCache`] | `heap_leak` |
//! | `batches` | [`BatchesKept`] | [`PeriodicFlush`] | `heap_leak` |
//! | `closures` | [`ClosuresCapture`] | [`ClosuresRun`] | `heap_leak` |
//! | `slices` | [`SlicesPinParent`] | [`SlicesCopied`] | `heap_leak` |
//! | `cycles` | [`RcTree::cyclic`] | [`RcTree::weak`] | `heap_leak` |
//! | `churn` | [`Churn::forgetting`] | [`Churn::closing`] | `heap_leak`, 24 bytes per batch |
//! | `pairs` | [`AllPairs`] | [`PairsFolded`] | `oversized_peak` |
//! | `rows` | [`Rebooking::unchecked`] | [`Rebooking::checked`] | `pathological_row` |

#![forbid(unsafe_code)]

mod batches;
mod caches;
mod churn;
mod closures;
mod columns;
mod cycles;
mod pairs;
mod registry;
mod rows;
mod slices;
mod statistics;

pub use batches::{BatchesKept, PeriodicFlush};
pub use caches::{BoundedCache, GrowingCache};
pub use churn::Churn;
pub use closures::{ClosuresCapture, ClosuresRun};
pub use cycles::RcTree;
pub use pairs::{AllPairs, PairsFolded};
pub use registry::registry;
pub use rows::Rebooking;
pub use slices::{SlicesCopied, SlicesPinParent};
pub use statistics::RunningStats;
