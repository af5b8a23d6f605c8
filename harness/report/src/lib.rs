//! What the gate says: a table and a sparkline for terminals, JSON for programs.
//!
//! Everything here turns measured fixtures into text. Nothing is printed, judged or measured;
//! escape codes are always in the text, and the caller's stream drops them where they don't belong.
#![forbid(unsafe_code)]

pub mod figures;
pub mod json;
mod python;
pub mod record;
pub mod run;
pub mod sparkline;
pub mod table;

pub use figures::{Grown, RunFigures, Spread};
pub use json::{Document, Entry};
pub use record::{is_complete, record, record_json};
pub use run::describe;
pub use sparkline::sparkline;
pub use table::table;
