//! The UDFs that every worker has: the planted leak and its clean twin.
//!
//! They are the confidence check. Both do the same work; one keeps a block of known size per
//! batch. A harness that does not measure the first right and the second as zero is not attached,
//! whatever else it reports.

use std::hint::black_box;

use arrow_array::{ArrayRef, RecordBatch};
use highwater_fixture::{Registry, Udf, UdfError};

/// Bytes that [`PlantedLeak`] keeps per batch. An odd number, so that no size class, page or
/// rounding can produce it by accident.
pub const PLANTED_BYTES_PER_BATCH: u32 = 65_537;

/// Batches that the planted leak can be asked for; its table of kept blocks is paid for in `setup`,
/// so that each batch keeps exactly one block and nothing else.
const SLOTS: usize = 4_096;

/// Name of the planted leak, in manifests and baselines.
pub const PLANTED_LEAK: &str = "planted_leak";
/// Name of its clean twin.
pub const PLANTED_TWIN: &str = "planted_twin";

/// Keeps [`PLANTED_BYTES_PER_BATCH`] in one block per batch, for the first 4,096 batches.
#[derive(Debug, Default)]
pub struct PlantedLeak {
    kept: Vec<Box<[u8]>>,
}

/// Allocates and touches the same block per batch as [`PlantedLeak`], and frees it.
#[derive(Debug, Default)]
pub struct PlantedTwin {
    kept: Vec<Box<[u8]>>,
}

/// A block that the optimiser can neither remove nor shrink.
fn block() -> Box<[u8]> {
    black_box(vec![0xA5_u8; PLANTED_BYTES_PER_BATCH as usize].into_boxed_slice())
}

impl Udf for PlantedLeak {
    fn setup(&mut self) -> Result<(), UdfError> {
        self.kept.reserve_exact(SLOTS);
        Ok(())
    }

    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        if self.kept.len() == SLOTS {
            return Err(format!("the planted leak is made for at most {SLOTS} batches").into());
        }
        self.kept.push(block());
        Ok(batch.column(0).clone())
    }
}

impl Udf for PlantedTwin {
    fn setup(&mut self) -> Result<(), UdfError> {
        self.kept.reserve_exact(SLOTS);
        Ok(())
    }

    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        self.kept.push(block());
        self.kept.clear();
        Ok(batch.column(0).clone())
    }
}

/// The built-in UDFs as a registry.
pub fn registry() -> Registry {
    Registry::new().udf(PLANTED_LEAK, PlantedLeak::default).udf(PLANTED_TWIN, PlantedTwin::default)
}
