//! A tree whose children know their parent.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch};
use highwater_fixture::{Udf, UdfError};

use crate::columns::{floats, texts};

/// Each flight's part of the departure delay that its airport had in this batch, by way of a tree
/// of airports and their carriers that is built for every batch.
///
/// [`RcTree::cyclic`] shows `heap_leak`: airport and carrier own each other, so neither count
/// falls to zero when the tree goes out of scope, and Rust has no collector that would come by
/// later. The fix is a [`Weak`] pointer upwards, which is all that [`RcTree::weak`] changes.
#[derive(Debug)]
pub struct RcTree {
    parents: Parents,
}

#[derive(Debug, Clone, Copy)]
enum Parents {
    Owned,
    Weak,
}

struct Airport {
    code: Box<str>,
    minutes: Cell<f64>,
    carriers: RefCell<Vec<Rc<Carrier>>>,
}

struct Carrier {
    code: Box<str>,
    airport: Parent,
}

enum Parent {
    Owned(Rc<Airport>),
    Weak(Weak<Airport>),
}

impl RcTree {
    /// Carriers own their airport.
    #[must_use]
    pub fn cyclic() -> Self {
        Self { parents: Parents::Owned }
    }

    /// Carriers only point at their airport.
    #[must_use]
    pub fn weak() -> Self {
        Self { parents: Parents::Weak }
    }
}

impl Udf for RcTree {
    fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
        let origins = texts(batch, "origin")?;
        let codes = texts(batch, "carrier")?;
        let delays = floats(batch, "dep_delay")?;

        let mut airports: Vec<Rc<Airport>> = Vec::new();
        let mut carriers = Vec::with_capacity(batch.num_rows());
        for row in 0..batch.num_rows() {
            let airport = airport(&mut airports, origins.value(row));
            carriers.push(airport.carrier(codes.value(row), self.parents));
        }
        for (carrier, delay) in carriers.iter().zip(delays) {
            carrier.add_to_airport(late(delay));
        }
        let parts = carriers.iter().zip(delays).map(|(carrier, delay)| {
            let whole = carrier.minutes_of_airport();
            if whole > 0.0 { late(delay) / whole } else { 0.0 }
        });
        Ok(Arc::new(Float64Array::from_iter_values(parts)))
    }
}

/// Minutes behind schedule; early and cancelled flights have none.
fn late(delay: Option<f64>) -> f64 {
    delay.unwrap_or(0.0).max(0.0)
}

fn airport(airports: &mut Vec<Rc<Airport>>, code: &str) -> Rc<Airport> {
    if let Some(known) = airports.iter().find(|airport| &*airport.code == code) {
        return Rc::clone(known);
    }
    let new = Rc::new(Airport {
        code: code.into(),
        minutes: Cell::new(0.0),
        carriers: RefCell::new(Vec::new()),
    });
    airports.push(Rc::clone(&new));
    new
}

impl Airport {
    fn carrier(self: &Rc<Self>, code: &str, parents: Parents) -> Rc<Carrier> {
        let mut carriers = self.carriers.borrow_mut();
        if let Some(known) = carriers.iter().find(|carrier| &*carrier.code == code) {
            return Rc::clone(known);
        }
        let airport = match parents {
            Parents::Owned => Parent::Owned(Rc::clone(self)),
            Parents::Weak => Parent::Weak(Rc::downgrade(self)),
        };
        let new = Rc::new(Carrier { code: code.into(), airport });
        carriers.push(Rc::clone(&new));
        new
    }
}

impl Carrier {
    fn add_to_airport(&self, minutes: f64) {
        self.airport.with(|airport| airport.minutes.set(airport.minutes.get() + minutes));
    }

    fn minutes_of_airport(&self) -> f64 {
        let mut minutes = 0.0;
        self.airport.with(|airport| minutes = airport.minutes.get());
        minutes
    }
}

impl Parent {
    fn with(&self, act: impl FnOnce(&Airport)) {
        match self {
            Self::Owned(airport) => act(airport),
            // Always there while a batch is worked on: `airports` owns it.
            Self::Weak(airport) => {
                if let Some(airport) = airport.upgrade() {
                    act(&airport);
                }
            }
        }
    }
}
