//! The names that the manifest uses.

use highwater_fixture::Registry;

use crate::{
    AllPairs, BatchesKept, BoundedCache, Churn, ClosuresCapture, ClosuresRun, GrowingCache,
    PairsFolded, PeriodicFlush, RcTree, Rebooking, RunningStats, SlicesCopied, SlicesPinParent,
};

/// Every UDF of this crate.
///
/// ```
/// let registry = udf_fixtures::registry();
/// assert!(registry.get("running_stats").is_ok());
/// ```
#[must_use]
pub fn registry() -> Registry {
    Registry::new()
        .udf("running_stats", RunningStats::default)
        .udf("growing_cache", GrowingCache::default)
        .udf("bounded_cache", BoundedCache::default)
        .udf("batches_kept", BatchesKept::default)
        .udf("periodic_flush", PeriodicFlush::default)
        .udf("closures_capture", ClosuresCapture::default)
        .udf("closures_run", ClosuresRun::default)
        .udf("slices_pin_parent", SlicesPinParent::default)
        .udf("slices_copied", SlicesCopied::default)
        .udf("rc_cycle", RcTree::cyclic)
        .udf("rc_weak", RcTree::weak)
        .udf("tiny_leak_amid_churn", Churn::forgetting)
        .udf("churn_only", Churn::closing)
        .udf("all_pairs", || AllPairs)
        .udf("pairs_folded", || PairsFolded)
        .udf("pathological_row", Rebooking::unchecked)
        .udf("rows_checked", Rebooking::checked)
}
