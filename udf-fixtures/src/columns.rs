//! Typed columns of the flights data.

use arrow_array::cast::AsArray;
use arrow_array::types::{Float64Type, Int64Type};
use arrow_array::{Array, ArrayRef, Float64Array, Int64Array, LargeStringArray, RecordBatch};
use highwater_fixture::UdfError;

/// A float64 column: delays in minutes, null for a flight that was cancelled.
pub(crate) fn floats<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a Float64Array, UdfError> {
    let column = column(batch, name)?;
    column.as_primitive_opt::<Float64Type>().ok_or_else(|| wrong_type(column, name, "Float64"))
}

/// An int64 column.
pub(crate) fn integers<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a Int64Array, UdfError> {
    let column = column(batch, name)?;
    column.as_primitive_opt::<Int64Type>().ok_or_else(|| wrong_type(column, name, "Int64"))
}

/// A large_utf8 column.
pub(crate) fn texts<'a>(
    batch: &'a RecordBatch,
    name: &str,
) -> Result<&'a LargeStringArray, UdfError> {
    let column = column(batch, name)?;
    column.as_string_opt::<i64>().ok_or_else(|| wrong_type(column, name, "LargeUtf8"))
}

fn column<'a>(batch: &'a RecordBatch, name: &str) -> Result<&'a ArrayRef, UdfError> {
    Ok(batch.column_by_name(name).ok_or_else(|| format!("the batch has no column `{name}`"))?)
}

fn wrong_type(column: &ArrayRef, name: &str, expected: &str) -> UdfError {
    format!("column `{name}` is {}, not {expected}", column.data_type()).into()
}
