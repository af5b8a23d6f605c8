//! [`Blocks`] and [`Batches`]: things that are counted.

use std::fmt;
use std::ops::Sub;

use serde::{Deserialize, Serialize};

/// A number of allocated blocks, or a difference between two; may be negative.
///
/// ```
/// assert_eq!(highwater_core::Blocks(12_345).to_string(), "12,345 blocks");
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Blocks(pub i64);

impl fmt::Display for Blocks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == 1 { "" } else { "s" };
        f.pad(&format!("{} block{plural}", grouped(self.0)))
    }
}

impl Sub for Blocks {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

/// A number of batches.
///
/// ```
/// assert_eq!(highwater_core::Batches(1).to_string(), "1 batch");
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Batches(pub u32);

impl fmt::Display for Batches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plural = if self.0 == 1 { "batch" } else { "batches" };
        f.pad(&format!("{} {plural}", grouped(i64::from(self.0))))
    }
}

/// `1234567` as `1,234,567`.
pub(crate) fn grouped(value: i64) -> String {
    let digits = value.unsigned_abs().to_string();
    let mut text = String::with_capacity(digits.len() * 4 / 3 + 1);
    if value < 0 {
        text.push('-');
    }
    for (index, digit) in digits.chars().enumerate() {
        if index != 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_thousands() {
        for (value, expected) in [
            (0, "0"),
            (999, "999"),
            (1_000, "1,000"),
            (-1_234_567, "-1,234,567"),
            (100_000, "100,000"),
        ] {
            assert_eq!(grouped(value), expected);
        }
    }
}
