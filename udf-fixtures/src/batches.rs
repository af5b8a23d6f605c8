//! Batches kept for later: for ever, or until the next flush.

use std::sync::Arc;

use arrow_array::{Array, ArrayRef, Float64Array, RecordBatch};
use highwater_fixture::{Udf, UdfError};

use crate::columns::floats;

/// Each arrival delay less the mean of all delays so far, which it works out from all batches so
/// far.
///
/// Shows `heap_leak`: the worker holds the whole table in the end. The fix is to keep a sum and a
/// count, as [`RunningStats`](crate::RunningStats) does, or to hold few batches, as
/// [`PeriodicFlush`] does.
#[derive(Debug, Default)]
pub struct BatchesKept {
    seen: Vec<RecordBatch>,
}

impl Udf for BatchesKept {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        self.seen.push(batch.clone());
        less(floats(batch, "arr_delay")?, mean(&self.seen)?)
    }
}

/// Batches between two flushes.
const FLUSH_EVERY: usize = 10;

/// Each arrival delay less the mean of the ten batches before the last flush, 0 before the first.
///
/// Shows `healthy`: live bytes climb for ten batches and fall back to where they were. A tool that
/// looks at any part of one period sees a leak.
#[derive(Debug, Default)]
pub struct PeriodicFlush {
    pending: Vec<RecordBatch>,
    mean: f64,
}

impl Udf for PeriodicFlush {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        self.pending.push(batch.clone());
        if self.pending.len() == FLUSH_EVERY {
            let flushed = std::mem::take(&mut self.pending);
            self.mean = mean(&flushed)?;
        }
        less(floats(batch, "arr_delay")?, self.mean)
    }
}

fn less(delays: &Float64Array, mean: f64) -> Result<ArrayRef, UdfError> {
    Ok(Arc::new(delays.unary::<_, arrow_array::types::Float64Type>(|delay| delay - mean)))
}

/// Mean arrival delay of all flights that arrived, 0 when none did.
fn mean(batches: &[RecordBatch]) -> Result<f64, UdfError> {
    let (mut sum, mut count) = (0.0, 0);
    for batch in batches {
        let delays = floats(batch, "arr_delay")?;
        sum += delays.iter().flatten().sum::<f64>();
        count += delays.len() - delays.null_count();
    }
    Ok(if count == 0 { 0.0 } else { sum / count as f64 })
}
