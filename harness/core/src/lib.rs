//! The pure middle of Highwater: from a run's readings to a finding, and from a finding and an
//! accepted baseline to a verdict.
//!
//! Everything here is a function of numbers. Invariant: no file, no clock, no environment, no
//! randomness; nothing here knows how a run was measured or how a verdict is shown.
//!
//! ```
//! use highwater_core::{Bytes, Pattern, Reading, Run, analyse};
//!
//! let mut run = Run::default();
//! for batch in 1..=200 {
//!     let live = Bytes(100 * batch);
//!     run.batches.push(Reading { live, peak: live, ..Reading::default() });
//! }
//! let finding = analyse(&run);
//! assert_eq!(finding.pattern(), Some(Pattern::HeapLeak));
//! assert_eq!(finding.figures.leaked_bytes_per_batch.0, 100.0);
//! ```
#![forbid(unsafe_code)]

mod analysis;
mod baseline;
mod evidence;
pub mod exit_code;
mod experiments;
mod explanation;
mod finding;
mod length;
mod limit;
mod pattern;
mod production;
mod recommendation;
mod sentence;
mod series;
mod units;
mod verdict;

pub use analysis::{MIN_BATCHES, analyse, analyse_production, sustained};
pub use baseline::{Baseline, Conditions, Limits, Metric};
pub use evidence::{
    Evidence, Garbage, Growth, Holder, Outliers, Outside, OutsideKind, Peak, Shape, Trend,
};
pub use experiments::{ExperimentMarks, Experiments, GaveBack};
pub use explanation::{Explanation, Made, explain};
pub use finding::{Answer, Figures, Finding, Inconclusive};
pub use length::{Haste, Length};
pub use limit::{Limit, Movement, ParseLimitError};
pub use pattern::{Class, Pattern};
pub use production::{ArrowBooks, Production, ProductionFinding, headline};
pub use recommendation::{MARGIN_PERCENT, Recommendation, recommend};
pub use series::{PeakParts, Reading, Run};
pub use units::{Batches, Blocks, BlocksPerBatch, Bytes, BytesPerBatch, ParseBytesError};
pub use verdict::{
    Change, Difference, Disagreement, Improvement, Missing, Regression, Verdict, judge,
};
