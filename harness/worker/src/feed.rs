//! What a worker feeds its UDF: the fixture's batches one after the other, or slices of some.
//!
//! All of it belongs in the harness's account.

use arrow_array::RecordBatch;
use highwater_core::Batches;
use highwater_fixture::input::{self, BatchSource};
use highwater_fixture::{Entry, FixtureSpec};

use crate::assignment::{Assignment, Slice};
use crate::runner::Stop;

pub(crate) struct Feed<'a> {
    spec: &'a FixtureSpec,
    entry: &'a Entry,
    source: BatchSource,
    slices: Option<&'a [Slice]>,
    /// The batch that was read last, and how many were.
    last: Option<RecordBatch>,
    read: u32,
}

impl<'a> Feed<'a> {
    /// Opens the input of the assigned fixture.
    pub(crate) fn open(assignment: &'a Assignment, entry: &'a Entry) -> Result<Self, Stop> {
        let spec = &assignment.fixture;
        let source = input::open(spec, Some(entry)).map_err(|error| failed(&error))?;
        let slices = assignment.slices.as_deref();
        Ok(Self { spec, entry, source, slices, last: None, read: 0 })
    }

    /// How many calls the UDF gets, unless the run goes on.
    pub(crate) fn calls(&self) -> Batches {
        match self.slices {
            Some(slices) => Batches(u32::try_from(slices.len()).unwrap_or(u32::MAX)),
            None => self.spec.batches,
        }
    }

    /// Has more batches to come, `batches` in all.
    pub(crate) fn extend(&mut self, batches: Batches) -> Result<(), Stop> {
        self.source.extend(self.spec, Some(self.entry), batches).map_err(|error| failed(&error))
    }

    /// What call `number` gets.
    pub(crate) fn next(&mut self, number: u32) -> Result<RecordBatch, Stop> {
        let Some(slices) = self.slices else { return self.read() };
        let Slice { batch, from, rows } = slices[number as usize];
        while self.read <= batch {
            self.last = Some(self.read()?);
        }
        let whole = self.last.as_ref().filter(|_| self.read == batch + 1);
        let whole = whole.filter(|whole| (from + rows) as usize <= whole.num_rows());
        let place = || {
            Stop::Failed(format!(
                "there are no rows {from} to {} of batch {batch}",
                from + rows - 1
            ))
        };
        whole.map(|whole| whole.slice(from as usize, rows as usize)).ok_or_else(place)
    }

    fn read(&mut self) -> Result<RecordBatch, Stop> {
        let ended = || {
            Stop::Failed(format!(
                "the input ended before batch {} of {}",
                self.read, self.spec.batches.0
            ))
        };
        let batch = self.source.next().ok_or_else(ended)?.map_err(|error| failed(&error))?;
        self.read += 1;
        Ok(batch)
    }
}

fn failed(error: &input::InputError) -> Stop {
    Stop::Failed(error.to_string())
}
