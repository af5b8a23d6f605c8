//! Runs one stateful UDF in a process of its own, under the tracker, and reads back its record.
//!
//! The crate has two sides that meet in one [`Assignment`], passed through the environment:
//!
//! * **inside the worker**: [`serve`] takes the assignment, proves that the tracker is attached,
//!   runs `setup`, every batch and the drop, and takes a mark after each ([`runner`]);
//! * **in the harness**: [`measure()`] starts the worker ([`WorkerCommand`]), watches its time and
//!   memory ([`supervise`]), and turns the record it left into an [`Outcome`].
//!
//! A Python fixture has a worker of another kind: the user's interpreter, with the runner and the
//! preloaded tracker that this crate carries in it with its feature `python` ([`python`]). Its record
//! is the same.
//!
//! Whatever happens to the worker, its record is read: a worker killed at batch 50 leaves the
//! marks of the batches before it.
#![forbid(unsafe_code)]

pub mod assignment;
pub mod builtin;
pub mod command;
mod feed;
mod handover;
mod marker;
pub mod measure;
pub mod outcome;
pub mod pace;
mod panics;
pub mod python;
pub mod runner;
mod series;
mod serve;
pub mod supervise;

pub use assignment::{Assignment, PythonRun, RunKind, Slice};
pub use command::WorkerCommand;
pub use marker::MarkError;
pub use measure::{
    Environment, MeasureError, Measurement, measure, measure_at_pace, measure_slices,
};
pub use outcome::{Death, Invalid, Outcome, Step};
pub use pace::Pace;
pub use python::{Interpreter, Python, PythonError};
pub use series::finished_run;
pub use serve::{exit, serve, serve_if_assigned};
