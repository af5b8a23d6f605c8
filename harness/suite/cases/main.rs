//! Small UDFs made after public bug reports, each with its measured truth: the pattern that must be
//! named, and the rate.
//!
//! This binary is the worker of its own tests. The cases are data: they stand as they were written,
//! over the umbrella crate's paths, which this crate provides under the name `arrow`.

#![expect(
    unreachable_pub,
    clippy::allow_attributes,
    clippy::allow_attributes_without_reason,
    clippy::cloned_instead_of_copied,
    clippy::multiple_unsafe_ops_per_block,
    clippy::undocumented_unsafe_blocks,
    clippy::unwrap_used,
    reason = "the cases stand as they were written"
)]

mod rust_truth;
mod truth;

#[rustfmt::skip]
#[path = "rs/r01_rc_cycle.rs"]
mod r01;
#[rustfmt::skip]
#[path = "rs/r02_unbounded_channel.rs"]
mod r02;
#[rustfmt::skip]
#[path = "rs/r04_scratch_capacity_after_huge_row.rs"]
mod r04;
#[rustfmt::skip]
#[path = "rs/r06_slice_retains_parent.rs"]
mod r06;
#[rustfmt::skip]
#[path = "rs/r08_thread_local_on_worker.rs"]
mod r08;
#[rustfmt::skip]
#[path = "rs/r10_forget_24b_amid_churn.rs"]
mod r10;
#[rustfmt::skip]
#[path = "rs/r11_lru_bytes_fill.rs"]
mod r11;
#[rustfmt::skip]
#[path = "rs/r12_mmap_outside_allocator.rs"]
mod r12;
#[rustfmt::skip]
#[path = "rs/r13_flush_sawtooth.rs"]
mod r13;
#[rustfmt::skip]
#[path = "rs/r14_fragmentation.rs"]
mod r14;
#[rustfmt::skip]
#[path = "rs/r18_all_pairs_peak.rs"]
mod r18;

use std::process::ExitCode;

use arrow_array::{ArrayRef, RecordBatch};
use highwater::{FixtureSpec, Registry, Tracker, Udf, UdfError, WorkerCommand};
use highwater_core::{Batches, analyse};
use highwater_worker::{Outcome, measure};
use libtest_mimic::{Arguments, Failed, Trial};
use rust_truth::TRUTHS;
use truth::Truth;

#[global_allocator]
static TRACKER: Tracker = Tracker::new();

extern crate self as arrow;

/// As `arrow::array`.
pub mod array {
    pub use arrow_array::builder::*;
    pub use arrow_array::cast::AsArray;
    pub use arrow_array::*;
}
/// As `arrow::datatypes`.
pub mod datatypes {
    pub use arrow_array::types::*;
    pub use arrow_schema::*;
}
/// As `arrow::record_batch`.
pub mod record_batch {
    pub use arrow_array::RecordBatch;
}

/// A case as a registry of one UDF, over its own batches.
macro_rules! case {
    ($module:ident, $name:literal) => {{
        struct Case($module::Udf);
        impl Udf for Case {
            fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
                Ok(self.0.process(batch))
            }
        }
        Registry::new().udf_over(
            $name,
            || Case($module::Udf::setup()),
            |count, rows, seed| $module::batches(count.0 as usize, rows as usize, seed),
        )
    }};
}

fn registry() -> Registry {
    Registry::new()
        .with(case!(r01, "r01_rc_cycle"))
        .with(case!(r02, "r02_unbounded_channel"))
        .with(case!(r04, "r04_scratch_capacity_after_huge_row"))
        .with(case!(r06, "r06_slice_retains_parent"))
        .with(case!(r08, "r08_thread_local_on_worker"))
        .with(case!(r10, "r10_forget_24b_amid_churn"))
        .with(case!(r11, "r11_lru_bytes_fill"))
        .with(case!(r12, "r12_mmap_outside_allocator"))
        .with(case!(r13, "r13_flush_sawtooth"))
        .with(case!(r14, "r14_fragmentation"))
        .with(case!(r18, "r18_all_pairs_peak"))
}

fn main() -> ExitCode {
    highwater::serve_if_assigned(&registry());
    let trials = TRUTHS.iter().map(|truth| Trial::test(truth.case, move || holds(truth)));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit_code()
}

fn holds(truth: &Truth) -> Result<(), Failed> {
    let command = WorkerCommand::new(std::env::current_exe()?);
    let spec =
        FixtureSpec { batches: Batches(200), rows: 256, seed: 0, ..FixtureSpec::new(truth.case) };
    let records = tempfile::tempdir()?;
    let measured = measure(&command, &spec, records.path())?;
    let Outcome::Finished(run) = measured.outcome else {
        return Err(format!("the run did not finish: {:?}", measured.outcome).into());
    };
    let finding = analyse(&run);
    let said = format!("{finding:#?}\n{}", finding.sentence());
    truth.check(finding.pattern(), &finding, &said)
}
