//! Rows that expand, and one that expands too far.

use std::sync::Arc;

use arrow_array::{ArrayRef, Int64Array, RecordBatch};
use highwater_fixture::{Udf, UdfError};

use crate::columns::floats;

/// How many itineraries a passenger of a delayed flight could be rebooked on: every full hour of
/// delay doubles them, and each is listed before they are counted.
///
/// [`Rebooking::unchecked`] shows `pathological_row`: nearly all flights are late by minutes, one by
/// 1,301, and for that row the list has two million entries. Nothing is kept, and the worker is
/// fine until the day that this row comes. The fix is to check a row's size before expanding it,
/// as [`Rebooking::checked`] does.
#[derive(Debug)]
pub struct Rebooking {
    most_hours: u32,
}

impl Rebooking {
    /// Expands whatever comes.
    #[must_use]
    pub fn unchecked() -> Self {
        Self { most_hours: u32::MAX }
    }

    /// Looks no further than eight hours ahead.
    #[must_use]
    pub fn checked() -> Self {
        Self { most_hours: 8 }
    }
}

impl Udf for Rebooking {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        let delays = floats(batch, "dep_delay")?;
        let counts = delays.iter().map(|delay| {
            let hours = (delay? / 60.0).max(0.0) as u32;
            Some(itineraries(hours.min(self.most_hours)).len() as i64)
        });
        Ok(Arc::new(counts.collect::<Int64Array>()))
    }
}

/// All choices between "wait" and "take the other flight", one bit per hour.
fn itineraries(hours: u32) -> Vec<u64> {
    let mut itineraries = vec![0];
    for hour in 0..hours {
        let mut longer = Vec::with_capacity(2 * itineraries.len());
        for itinerary in itineraries {
            longer.extend([itinerary, itinerary | 1 << hour]);
        }
        itineraries = longer;
    }
    itineraries
}
