//! Healthy: state that is updated, not collected.

use std::collections::BTreeMap;
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use highwater_fixture::{Udf, UdfError};

use crate::columns::{floats, texts};

/// How unusual each arrival delay is for its carrier, in standard deviations from the mean of all
/// flights so far.
///
/// Shows `healthy`: three numbers per carrier are all that it keeps of the stream, by Welford's
/// method. A carrier that flies for the first time adds one entry; there are 16.
#[derive(Debug, Default)]
pub struct RunningStats {
    carriers: BTreeMap<String, Moments>,
}

#[derive(Debug, Default)]
struct Moments {
    count: f64,
    mean: f64,
    /// Sum of squared distances from the mean.
    squares: f64,
}

impl Moments {
    fn add(&mut self, value: f64) {
        self.count += 1.0;
        let distance = value - self.mean;
        self.mean += distance / self.count;
        self.squares += distance * (value - self.mean);
    }

    /// `None` while the variance is 0.
    fn deviations(&self, value: f64) -> Option<f64> {
        let deviation = (self.squares / self.count).sqrt();
        (deviation > 0.0).then(|| (value - self.mean) / deviation)
    }
}

impl Udf for RunningStats {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        let rows = texts(batch, "carrier")?.iter().zip(floats(batch, "arr_delay")?);
        let deviations = rows.map(|(carrier, delay)| {
            let (carrier, delay) = (carrier?, delay?);
            if !self.carriers.contains_key(carrier) {
                self.carriers.insert(carrier.to_owned(), Moments::default());
            }
            let moments = self.carriers.get_mut(carrier)?;
            moments.add(delay);
            moments.deviations(delay)
        });
        Ok(Arc::new(deviations.collect::<Float64Array>()))
    }
}
