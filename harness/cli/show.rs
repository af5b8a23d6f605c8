//! `highwater show`: what a record says, whatever became of its worker.

use anstream::print;
use highwater_core::exit_code;
use highwater_report::{is_complete, record, record_json};
use highwater_tracker::record::Record;

use crate::arguments::{Format, Show};
use crate::error::CliError;

pub(crate) fn show(show: &Show) -> Result<i32, CliError> {
    let read = Record::open(&show.record)?;
    match show.format {
        Format::Text => print!("{}", record(&read)),
        Format::Json => print!("{:#}\n", record_json(&read)),
    }
    Ok(if is_complete(&read) { exit_code::PASS } else { exit_code::INVALID })
}
