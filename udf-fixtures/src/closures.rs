//! Work put off in closures, with the batch inside or without.

use std::fmt;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use highwater_fixture::{Udf, UdfError};

use crate::columns::floats;

/// Work for later: the worst delay of one batch, in hours.
type Report = Box<dyn FnOnce() -> f64>;

/// Converts arrival delays to hours, and puts a report on each batch off until somebody asks for
/// it.
///
/// Shows `heap_leak`: nobody asks, and each closure owns the delays of its batch. The line that
/// keeps them names no array, which makes this leak hard to find by reading. The fix is to take
/// the number out before the closure is made, and to run closures, as [`ClosuresRun`] does.
#[derive(Default)]
pub struct ClosuresCapture {
    reports: Vec<Report>,
}

impl Udf for ClosuresCapture {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        let delays = floats(batch, "arr_delay")?.clone();
        let hours = in_hours(&delays);
        self.reports.push(Box::new(move || worst(&delays) / 60.0));
        Ok(hours)
    }
}

/// Reports that wait at most.
const RUN_EVERY: usize = 20;

/// The same conversion; each report holds one number, and 20 reports are run at a time.
///
/// Shows `healthy`: a queue of a few hundred bytes, emptied every 20 batches.
#[derive(Default)]
pub struct ClosuresRun {
    reports: Vec<Report>,
    worst_hours: f64,
}

impl Udf for ClosuresRun {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        let delays = floats(batch, "arr_delay")?;
        let minutes = worst(delays);
        self.reports.push(Box::new(move || minutes / 60.0));
        if self.reports.len() == RUN_EVERY {
            let worst = self.reports.drain(..).map(|report| report());
            self.worst_hours = worst.fold(self.worst_hours, f64::max);
        }
        Ok(in_hours(delays))
    }
}

fn in_hours(delays: &Float64Array) -> ArrayRef {
    Arc::new(delays.unary::<_, arrow_array::types::Float64Type>(|delay| delay / 60.0))
}

fn worst(delays: &Float64Array) -> f64 {
    delays.iter().flatten().fold(0.0, f64::max)
}

impl fmt::Debug for ClosuresCapture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClosuresCapture({} waiting)", self.reports.len())
    }
}

impl fmt::Debug for ClosuresRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ClosuresRun({} waiting, worst {} h)", self.reports.len(), self.worst_hours)
    }
}
