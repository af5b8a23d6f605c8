//! A fixture written in a test: the user's own UDF over the user's own batches.

use std::path::{Path, PathBuf};
use std::time::Duration;

use arrow_array::RecordBatch;
use highwater_core::{Batches, Bytes, Limits};
use highwater_fixture::{FixtureSpec, Input, Registry, Udf};

/// A UDF, its batches and its limits, for [`gate!`](crate::gate).
///
/// Without further words: 200 batches of 300 generated rows, exact limits, 60 seconds, 4 GiB.
#[derive(Debug)]
pub struct Fixture {
    pub(crate) spec: FixtureSpec,
    pub(crate) registry: Registry,
}

impl Fixture {
    /// A fixture called `name` (letters a to z, digits, `_` and `-`) over generated batches with the
    /// columns `id`, `value` and `text`.
    ///
    /// `factory` runs in the worker, where what it allocates counts as `setup`.
    #[must_use]
    pub fn new<U: Udf + 'static>(
        name: &str,
        factory: impl Fn() -> U + Send + Sync + 'static,
    ) -> Self {
        Self { spec: FixtureSpec::new(name), registry: Registry::new().udf(name, factory) }
    }

    /// A fixture over batches of its own: `batches(count, rows, seed)` must give the same batches
    /// whenever it gets the same arguments. What the iterator itself holds is not counted.
    #[must_use]
    pub fn over<U, I>(
        name: &str,
        factory: impl Fn() -> U + Send + Sync + 'static,
        batches: impl Fn(Batches, u32, u64) -> I + Send + Sync + 'static,
    ) -> Self
    where
        U: Udf + 'static,
        I: Iterator<Item = RecordBatch> + 'static,
    {
        let registry = Registry::new().udf_over(name, factory, batches);
        Self { spec: FixtureSpec::new(name), registry }
    }

    /// Reads the batches from a Parquet or Arrow IPC file, `columns` of it by name (all when empty).
    /// A relative path starts at the package's folder.
    #[must_use]
    pub fn input(mut self, path: impl Into<PathBuf>, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|&column| column.to_owned()).collect();
        self.spec.input = Input::File { path: path.into(), columns };
        self
    }

    /// How many batches to run; the analysis needs at least 100.
    #[must_use]
    pub fn batches(mut self, count: u32) -> Self {
        self.spec.batches = Batches(count);
        self
    }

    /// Rows in each batch.
    #[must_use]
    pub fn rows(mut self, rows: u32) -> Self {
        self.spec.rows = rows;
        self
    }

    /// Seed of generated batches.
    #[must_use]
    pub fn seed(mut self, seed: u64) -> Self {
        self.spec.seed = seed;
        self
    }

    /// How far the figures may lie above the baseline.
    #[must_use]
    pub fn limits(mut self, limits: Limits) -> Self {
        self.spec.limits = limits;
        self
    }

    /// Wall time after which the worker is killed and the run invalid; whole seconds.
    #[must_use]
    pub fn time_limit(mut self, limit: Duration) -> Self {
        self.spec.time_limit_s = limit.as_secs().max(1);
        self
    }

    /// Resident memory above which the worker is killed and the run invalid.
    #[must_use]
    pub fn memory_limit(mut self, limit: Bytes) -> Self {
        self.spec.memory_limit = limit;
        self
    }

    /// The fixture with its input path made absolute.
    pub(crate) fn rooted(mut self, folder: &Path) -> Self {
        if let Input::File { path, .. } = &mut self.spec.input {
            *path = folder.join(&*path);
        }
        self
    }
}
