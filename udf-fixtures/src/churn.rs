//! A leak far smaller than the work around it.

use std::hint::black_box;
use std::mem;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use highwater_fixture::{Udf, UdfError};

use crate::columns::floats;

/// Numbers in the table that is built and thrown away for each row: 16 KiB of them, so nearly
/// 5 MiB in a batch of 300 rows, of which no two tables live at once.
const TABLE: usize = 2048;

/// The length of each arrival delay written out, by way of a table and a text per row that are
/// freed again, and of one 24-byte handle per batch.
///
/// [`Churn::forgetting`] shows `heap_leak`, exactly 24 bytes and one block per batch, five millionths
/// of what it allocates: resident memory, samplers and rounded figures cannot show it.
/// The fix is to close the handle, as [`Churn::closing`] does.
#[derive(Debug)]
pub struct Churn {
    calls: u64,
    close: fn(Handle),
}

/// Like the handle of a C library: freed by its owner, or by nobody.
type Handle = Box<[u64; 3]>;

impl Churn {
    /// Forgets the handle of every batch.
    #[must_use]
    pub fn forgetting() -> Self {
        Self { calls: 0, close: mem::forget }
    }

    /// Closes the handle of every batch.
    #[must_use]
    pub fn closing() -> Self {
        Self { calls: 0, close: mem::drop }
    }
}

impl Udf for Churn {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        // An optimiser may remove an allocation that nobody can see, leaked or not: hence the
        // black boxes.
        let handle = black_box(Handle::new([self.calls; 3]));
        self.calls += 1;
        let delays = floats(batch, "arr_delay")?;
        let lengths = delays.iter().map(|delay| {
            let delay = delay?;
            black_box(&vec![delay; TABLE]);
            Some(format!("{delay:.6}").len() as f64)
        });
        let lengths: Float64Array = lengths.collect();
        (self.close)(handle);
        Ok(Arc::new(lengths))
    }
}
