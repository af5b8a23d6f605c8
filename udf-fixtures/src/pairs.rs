//! All pairs of rows: as a table, or one at a time.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use highwater_fixture::{Udf, UdfError};

use crate::columns::floats;

/// The mean distance of each arrival delay to all others of its batch, from a table of all pairs.
///
/// Shows `oversized_peak`: in every batch of 600 rows, 24 bytes for each of 360,000 pairs, 8 MiB for
/// a column of 5 KiB; nothing of it is kept. Twice the rows need four times the memory. The fix is
/// to fold pairs as they come, as [`PairsFolded`] does.
#[derive(Debug, Clone, Copy)]
pub struct AllPairs;

struct Pair {
    left: usize,
    right: usize,
    gap: f64,
}

impl Udf for AllPairs {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        let delays = floats(batch, "arr_delay")?;
        let known = || delays.iter().enumerate().filter_map(|(row, delay)| Some((row, delay?)));
        let mut pairs = Vec::with_capacity(delays.len().pow(2));
        for (left, one) in known() {
            for (right, other) in known() {
                pairs.push(Pair { left, right, gap: (one - other).abs() });
            }
        }
        let mut sums = vec![0.0; delays.len()];
        let mut counts = vec![0.0; delays.len()];
        for pair in pairs.iter().filter(|pair| pair.left != pair.right) {
            sums[pair.left] += pair.gap;
            counts[pair.left] += 1.0;
        }
        let means = sums.into_iter().zip(counts).map(|(sum, count)| mean(sum, count));
        Ok(Arc::new(means.collect::<Float64Array>()))
    }
}

/// The same means, from sums that grow as the pairs go by.
///
/// Shows `healthy`: its peak is its output.
#[derive(Debug, Clone, Copy)]
pub struct PairsFolded;

impl Udf for PairsFolded {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        let delays = floats(batch, "arr_delay")?;
        let means = delays.iter().enumerate().map(|(left, one)| {
            let one = one?;
            let (mut sum, mut count) = (0.0, 0.0);
            for (right, other) in delays.iter().enumerate() {
                if let Some(other) = other.filter(|_| left != right) {
                    sum += (one - other).abs();
                    count += 1.0;
                }
            }
            mean(sum, count)
        });
        Ok(Arc::new(means.collect::<Float64Array>()))
    }
}

/// `None` for a flight that did not arrive, and for one that is alone.
fn mean(sum: f64, count: f64) -> Option<f64> {
    (count > 0.0).then(|| sum / count)
}
