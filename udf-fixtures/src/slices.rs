//! One row of each batch, kept as a slice or as a copy.

use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::{Array, ArrayRef, BooleanArray, RecordBatch, UInt32Array};
use arrow_select::take::take_record_batch;
use highwater_fixture::{Udf, UdfError};

use crate::columns::floats;

/// Marks the most delayed arrival of each batch, and keeps its row as an example.
///
/// Shows `heap_leak`: the row is a slice, a slice shares the buffers of its parent, and so one row
/// keeps 300. What is kept *looks* like a hundred bytes. The fix is to copy the row, and to keep
/// only so many, as [`SlicesCopied`] does.
#[derive(Debug, Default)]
pub struct SlicesPinParent {
    examples: Vec<RecordBatch>,
}

impl Udf for SlicesPinParent {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        let worst = worst(batch)?;
        if let Some(row) = worst {
            self.examples.push(batch.slice(row, 1));
        }
        Ok(mark(batch, worst))
    }
}

/// Examples that [`SlicesCopied`] keeps.
const EXAMPLES: usize = 16;

/// The same marks; keeps copies of the last 16 rows.
///
/// Shows `healthy`: a copied row weighs what it weighs.
#[derive(Debug, Default)]
pub struct SlicesCopied {
    examples: VecDeque<RecordBatch>,
}

impl Udf for SlicesCopied {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        let worst = worst(batch)?;
        if let Some(row) = worst {
            if self.examples.len() == EXAMPLES {
                self.examples.pop_front();
            }
            let row = UInt32Array::from(vec![u32::try_from(row)?]);
            self.examples.push_back(take_record_batch(batch, &row)?);
        }
        Ok(mark(batch, worst))
    }
}

/// The row that arrived with the largest delay, `None` when no flight arrived.
fn worst(batch: &RecordBatch) -> Result<Option<usize>, UdfError> {
    let delays = floats(batch, "arr_delay")?;
    let arrived = (0..delays.len()).filter(|row| delays.is_valid(*row));
    Ok(arrived.max_by(|a, b| delays.value(*a).total_cmp(&delays.value(*b))))
}

fn mark(batch: &RecordBatch, worst: Option<usize>) -> ArrayRef {
    let marks = (0..batch.num_rows()).map(|row| Some(Some(row) == worst));
    Arc::new(marks.collect::<BooleanArray>())
}
