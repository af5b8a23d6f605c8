//! [`Bytes`]: a number of bytes, or a difference between two.

use std::fmt;
use std::iter::Sum;
use std::ops::{Add, Neg, Sub};
use std::str::FromStr;

use serde::{Deserialize, Serialize};
use thiserror::Error;

const UNITS: [(&str, u64); 4] =
    [("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)];

/// A number of bytes, or a difference between two numbers of bytes; may be negative.
///
/// Displays rounded to one decimal in binary units; [`Bytes::exact`] displays without rounding.
///
/// ```
/// use highwater_core::Bytes;
///
/// assert_eq!("1.5MiB".parse(), Ok(Bytes(1_572_864)));
/// assert_eq!(Bytes(8_400).to_string(), "8.2 KiB");
/// assert_eq!(Bytes(-8_400).exact(), "-8400B");
/// ```
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize,
)]
#[serde(transparent)]
pub struct Bytes(pub i64);

impl Bytes {
    /// No bytes.
    pub const ZERO: Self = Self(0);

    /// Without rounding, in the largest unit that divides the number, as limits are written:
    /// `256KiB`, `100B`. [`FromStr`] reads it back.
    #[must_use]
    pub fn exact(self) -> String {
        let magnitude = self.0.unsigned_abs();
        let sign = if self.0 < 0 { "-" } else { "" };
        for (unit, size) in UNITS {
            if magnitude != 0 && magnitude.is_multiple_of(size) {
                return format!("{sign}{}{unit}", magnitude / size);
            }
        }
        format!("{sign}{magnitude}B")
    }
}

impl fmt::Display for Bytes {
    #[expect(clippy::cast_precision_loss, reason = "rounded to one decimal anyway")]
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&human_bytes(self.0 as f64))
    }
}

/// `8.2 KiB`: one decimal, no trailing `.0`, binary units.
pub(crate) fn human_bytes(value: f64) -> String {
    let magnitude = value.abs();
    let sign = if value < 0.0 { "-" } else { "" };
    for (unit, size) in UNITS {
        #[expect(clippy::cast_precision_loss, reason = "a power of two")]
        let scaled = magnitude / size as f64;
        // What would round to 1024 of the next smaller unit is 1 of this one.
        if scaled >= 1.0 - 0.05 / 1024.0 {
            return format!("{sign}{} {unit}", one_decimal(scaled));
        }
    }
    format!("{sign}{} B", one_decimal(magnitude))
}

/// At most one decimal, and none when it would be zero.
pub(crate) fn one_decimal(value: f64) -> String {
    let text = format!("{value:.1}");
    text.strip_suffix(".0").map_or(text.clone(), str::to_owned)
}

impl Add for Bytes {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl Sub for Bytes {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }
}

impl Neg for Bytes {
    type Output = Self;
    fn neg(self) -> Self {
        Self(self.0.saturating_neg())
    }
}

impl Sum for Bytes {
    fn sum<I: Iterator<Item = Self>>(iter: I) -> Self {
        iter.fold(Self::ZERO, Add::add)
    }
}

/// Text that is not a number of bytes.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{text}` is not a number of bytes\n\
     hint: write a number and a unit out of B, KiB, MiB, GiB, TiB, such as `256KiB`, `1.5MiB` or `100`"
)]
pub struct ParseBytesError {
    text: String,
}

impl FromStr for Bytes {
    type Err = ParseBytesError;

    /// Reads `256KiB`, `1.5 GiB`, `100B`, `100`; a fraction is rounded to whole bytes.
    ///
    /// # Errors
    ///
    /// [`ParseBytesError`] for anything else; decimal units (`MB`) are refused, because in memory
    /// figures nobody can tell which of the two is meant.
    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseBytesError { text: text.to_owned() };
        let trimmed = text.trim();
        let (negative, rest) = match trimmed.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, trimmed),
        };
        let digits = rest.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(rest.len());
        let (number, unit) = rest.split_at(digits);
        let unit = unit.trim();
        let size = match UNITS.iter().find(|(name, _)| *name == unit) {
            Some((_, size)) => *size,
            None if unit.is_empty() || unit == "B" => 1,
            None => return Err(error()),
        };
        let magnitude = scaled(number, size).ok_or_else(error)?;
        Ok(Self(if negative { -magnitude } else { magnitude }))
    }
}

/// `number` times `size`; whole numbers stay exact, which `f64` would not above 2^53.
fn scaled(number: &str, size: u64) -> Option<i64> {
    if let Ok(whole) = number.parse::<u64>() {
        return i64::try_from(whole.checked_mul(size)?).ok();
    }
    if !number.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    #[expect(clippy::cast_precision_loss, reason = "a power of two")]
    let value = (number.parse::<f64>().ok()? * size as f64).round();
    #[expect(clippy::cast_possible_truncation, reason = "the range is checked first")]
    (value < 9.0e18).then_some(value as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_binary_units() {
        for (text, expected) in [
            ("0", 0),
            ("100", 100),
            ("100B", 100),
            ("256KiB", 262_144),
            ("256 KiB", 262_144),
            ("5MiB", 5_242_880),
            ("1.5GiB", 1_610_612_736),
            ("1TiB", 1 << 40),
            ("-3KiB", -3072),
            ("9007199254740993", 9_007_199_254_740_993),
        ] {
            assert_eq!(text.parse(), Ok(Bytes(expected)), "{text}");
        }
    }

    #[test]
    fn refuses_what_is_not_bytes_and_says_what_is() {
        for text in
            ["", "KiB", "5MB", "5kib", "1e3", ".5KiB", "1.2.3KiB", "99999999TiB", "--1", "NaN"]
        {
            let error = text.parse::<Bytes>().expect_err(text).to_string();
            assert!(error.contains("KiB, MiB, GiB") && error.contains("hint: "), "{error}");
        }
    }

    #[test]
    fn displays_one_decimal_in_the_unit_that_reads_best() {
        for (bytes, expected) in [
            (0, "0 B"),
            (24, "24 B"),
            (1000, "1000 B"),
            (1023, "1023 B"),
            (1024, "1 KiB"),
            (8_400, "8.2 KiB"),
            (-8_400, "-8.2 KiB"),
            (1_048_575, "1 MiB"),
            (8 << 30, "8 GiB"),
        ] {
            assert_eq!(Bytes(bytes).to_string(), expected, "{bytes}");
        }
    }
}
