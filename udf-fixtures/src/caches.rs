//! A cache without a bound, and one with.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, VecDeque};
use std::hash::BuildHasherDefault;
use std::sync::Arc;

use arrow_array::{ArrayRef, LargeStringArray, RecordBatch};
use highwater_fixture::{Udf, UdfError};

use crate::columns::{integers, texts};

/// Hashes alike in every process, so that the tables do the same in every run.
type Labels = HashMap<Box<str>, Box<str>, BuildHasherDefault<DefaultHasher>>;

/// A label for each flight, such as `UA 1545 2013-01-01T10:00:00Z EWR-IAH`, remembered under
/// carrier, number and hour.
///
/// Shows `heap_leak`: hardly a flight ever comes again, so the cache grows with every row and
/// spares nothing. The fix is a bound, as in [`BoundedCache`], or no cache.
#[derive(Debug, Default)]
pub struct GrowingCache {
    labels: Labels,
}

impl Udf for GrowingCache {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        labelled(batch, |key, route| match self.labels.get(&key) {
            Some(label) => label.clone(),
            None => {
                let label = label(&key, route);
                self.labels.insert(key, label.clone());
                label
            }
        })
    }
}

/// Labels that a [`BoundedCache`] holds at most: those of about seven batches of 300 rows.
const BOUND: usize = 2000;

/// The same labels as [`GrowingCache`], at most 2,000 of them remembered.
///
/// Shows `healthy`: it fills in the first batches and then drops its oldest label for every new one.
#[derive(Debug)]
pub struct BoundedCache {
    labels: Labels,
    /// Keys, oldest first.
    order: VecDeque<Box<str>>,
}

impl Default for BoundedCache {
    fn default() -> Self {
        Self {
            // Never more than half full: then a table full of removed entries is tidied up in
            // place, where a fuller one would be copied to a larger one at some later time.
            labels: Labels::with_capacity_and_hasher(2 * BOUND, BuildHasherDefault::new()),
            order: VecDeque::with_capacity(BOUND + 1),
        }
    }
}

impl Udf for BoundedCache {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        labelled(batch, |key, route| match self.labels.get(&key) {
            Some(label) => label.clone(),
            None => {
                let label = label(&key, route);
                self.labels.insert(key.clone(), label.clone());
                self.order.push_back(key);
                if self.order.len() > BOUND
                    && let Some(oldest) = self.order.pop_front()
                {
                    self.labels.remove(&oldest);
                }
                label
            }
        })
    }
}

/// One label per row of `batch`, from the flight's key and its route.
fn labelled(
    batch: &RecordBatch,
    mut label: impl FnMut(Box<str>, (&str, &str)) -> Box<str>,
) -> Result<ArrayRef, UdfError> {
    let carriers = texts(batch, "carrier")?;
    let flights = integers(batch, "flight")?;
    let hours = texts(batch, "time_hour")?;
    let origins = texts(batch, "origin")?;
    let dests = texts(batch, "dest")?;
    let labels = (0..batch.num_rows()).map(|row| {
        let key =
            format!("{:<2} {:>4} {}", carriers.value(row), flights.value(row), hours.value(row));
        label(key.into_boxed_str(), (origins.value(row), dests.value(row)))
    });
    Ok(Arc::new(LargeStringArray::from_iter_values(labels)))
}

fn label(key: &str, (origin, dest): (&str, &str)) -> Box<str> {
    format!("{key} {origin}-{dest}").into_boxed_str()
}
