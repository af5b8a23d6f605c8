//! [`BytesPerBatch`] and [`BlocksPerBatch`]: growth per batch.

use std::fmt;

use serde::{Deserialize, Serialize};

use super::bytes::{human_bytes, one_decimal};

/// Bytes per batch; a fraction when the growth is not the same in every batch.
///
/// ```
/// use highwater_core::BytesPerBatch;
///
/// assert_eq!(BytesPerBatch(8_400.0).to_string(), "8.2 KiB/batch");
/// assert_eq!(BytesPerBatch(2.5).rounded(), 3);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BytesPerBatch(pub f64);

impl BytesPerBatch {
    /// The nearest integer, halves away from zero: the form that baselines store.
    #[must_use]
    pub fn rounded(self) -> i64 {
        nearest(self.0)
    }
}

impl fmt::Display for BytesPerBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/batch", human_bytes(self.0)))
    }
}

/// Blocks per batch; a fraction when the growth is not the same in every batch.
///
/// ```
/// assert_eq!(highwater_core::BlocksPerBatch(0.1).to_string(), "0.1 blocks/batch");
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct BlocksPerBatch(pub f64);

impl BlocksPerBatch {
    /// The nearest integer, halves away from zero: the form that baselines store.
    #[must_use]
    pub fn rounded(self) -> i64 {
        nearest(self.0)
    }
}

impl fmt::Display for BlocksPerBatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&format!("{}/batch", human_blocks(self.0)))
    }
}

/// `5 blocks`, `0.1 blocks`, `1 block`.
pub(crate) fn human_blocks(value: f64) -> String {
    let text = one_decimal(value);
    let plural = if text == "1" { "" } else { "s" };
    format!("{text} block{plural}")
}

#[expect(clippy::cast_possible_truncation, reason = "`as` saturates, which is the nearest integer")]
fn nearest(value: f64) -> i64 {
    value.round() as i64
}
