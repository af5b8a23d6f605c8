//! How far a figure may move before it counts as a change.

use std::fmt;
use std::str::FromStr;

use serde::de::{self, Deserializer, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use thiserror::Error;

use crate::units::Bytes;

/// How far a figure may move: relative, absolute, both, or not at all.
///
/// Written `5%|256KiB` (a change must exceed *both*), `5%`, `64KiB`, or `0` for exact. The
/// absolute part of a limit on blocks counts blocks: `2`.
///
/// ```
/// use highwater_core::{Limit, Movement};
///
/// let limit: Limit = "5%|256KiB".parse()?;
/// assert_eq!(limit.compare(1_000, 2_000), Movement::Within); // +100 %, but only 1,000 bytes
/// assert_eq!(limit.compare(1_000_000, 2_000_000), Movement::Above);
/// assert_eq!(limit.to_string(), "5%|256KiB");
/// # Ok::<(), highwater_core::ParseLimitError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Limit {
    /// Percent, finite and above 0.
    relative: Option<f64>,
    /// Above 0.
    absolute: Option<Bytes>,
}

impl Limit {
    /// Any change counts.
    pub const EXACT: Self = Self { relative: None, absolute: None };

    /// A limit of `percent` and `bytes`, both of which a change must exceed; a part that is `None`
    /// or 0 always counts as exceeded.
    ///
    /// # Errors
    ///
    /// [`ParseLimitError`] when a part is negative or not finite.
    pub fn new(percent: Option<f64>, bytes: Option<Bytes>) -> Result<Self, ParseLimitError> {
        if percent.is_some_and(|percent| !percent.is_finite() || percent < 0.0) {
            return Err(ParseLimitError { text: format!("{}%", percent.unwrap_or_default()) });
        }
        if let Some(bytes) = bytes.filter(|bytes| *bytes < Bytes::ZERO) {
            return Err(ParseLimitError { text: bytes.exact() });
        }
        Ok(Self {
            relative: percent.filter(|percent| *percent > 0.0),
            absolute: bytes.filter(|bytes| *bytes > Bytes::ZERO),
        })
    }

    /// The relative part in percent, if there is one.
    #[must_use]
    pub const fn relative(self) -> Option<f64> {
        self.relative
    }

    /// The absolute part, if there is one.
    #[must_use]
    pub const fn absolute(self) -> Option<Bytes> {
        self.absolute
    }

    /// Where `new` lies from `old`: within the limit, or above or below by more than it. The
    /// percentage is one of `old` in both directions.
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "a percentage of a size needs no 64 bits")]
    pub fn compare(self, old: i64, new: i64) -> Movement {
        let delta = i128::from(new) - i128::from(old);
        let size = delta.unsigned_abs();
        let relative = self
            .relative
            .is_none_or(|percent| size as f64 > old.unsigned_abs() as f64 * percent / 100.0);
        let absolute = self.absolute.is_none_or(|bytes| size > u128::from(bytes.0.unsigned_abs()));
        match delta {
            1.. if relative && absolute => Movement::Above,
            ..=-1 if relative && absolute => Movement::Below,
            _ => Movement::Within,
        }
    }
}

/// Where a figure lies from its baseline, by the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Movement {
    /// Equal, or no further than the limit allows.
    Within,
    /// Higher by more than the limit: worse.
    Above,
    /// Lower by more than the limit: better.
    Below,
}

impl fmt::Display for Limit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&match (self.relative, self.absolute) {
            (None, None) => "0".to_owned(),
            (Some(percent), None) => format!("{percent}%"),
            (None, Some(bytes)) => bytes.exact(),
            (Some(percent), Some(bytes)) => format!("{percent}%|{}", bytes.exact()),
        })
    }
}

/// Text that is not a limit.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error(
    "`{text}` is not a limit\n\
     hint: write a percentage, a size in B, KiB, MiB, GiB or TiB, or both: `5%`, `64KiB`, \
     `5%|256KiB`; `0` allows no change; none may be negative"
)]
pub struct ParseLimitError {
    text: String,
}

impl FromStr for Limit {
    type Err = ParseLimitError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let error = || ParseLimitError { text: text.to_owned() };
        let (mut relative, mut absolute) = (None, None);
        for part in text.split('|').map(str::trim) {
            if let Some(percent) = part.strip_suffix('%') {
                let percent = percent.trim_end();
                // `f64` also reads `inf`, `NaN`, `1e3` and `+5`, which nobody means here.
                let plain = percent.starts_with(|c: char| c.is_ascii_digit())
                    && percent.chars().all(|c| c.is_ascii_digit() || c == '.');
                let value = percent.parse::<f64>().ok().filter(|_| plain).ok_or_else(error)?;
                if relative.replace(value).is_some() {
                    return Err(error());
                }
            } else {
                let bytes = part.parse::<Bytes>().map_err(|_| error())?;
                if absolute.replace(bytes).is_some() {
                    return Err(error());
                }
            }
        }
        Self::new(relative, absolute).map_err(|_| error())
    }
}

impl Serialize for Limit {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Limit {
    /// From its text, or from a bare integer, since YAML reads an unquoted `0` as one.
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;

        impl Visitor<'_> for Text {
            type Value = Limit;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a limit such as `5%|256KiB`, `5%`, `64KiB` or `0`")
            }

            fn visit_str<E: de::Error>(self, text: &str) -> Result<Limit, E> {
                text.parse().map_err(E::custom)
            }

            fn visit_i64<E: de::Error>(self, bytes: i64) -> Result<Limit, E> {
                Limit::new(None, Some(Bytes(bytes))).map_err(E::custom)
            }

            fn visit_u64<E: de::Error>(self, bytes: u64) -> Result<Limit, E> {
                bytes.to_string().parse().map_err(E::custom)
            }
        }

        deserializer.deserialize_any(Text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limit(text: &str) -> Limit {
        text.parse().expect(text)
    }

    #[test]
    fn a_change_must_exceed_every_part() {
        use Movement::{Above, Below, Within};
        for (text, old, new, expected) in [
            ("0", 100, 101, Above),
            ("0", 100, 100, Within),
            ("0", 100, 99, Below),
            ("5%", 100, 105, Within),
            ("5%", 100, 106, Above),
            ("5%", 0, 1, Above),
            ("5%", -100, -94, Above),
            ("5%", -100, -95, Within),
            ("10B", 100, 110, Within),
            ("10B", 100, 111, Above),
            ("5%|10B", 100, 108, Within),
            ("5%|10B", 1_000, 1_040, Within),
            ("5%|10B", 1_000, 1_051, Above),
            ("5%|10B", 1_000, 950, Within),
            ("5%|10B", 1_000, 949, Below),
            ("5%|256KiB", 0, 1, Within),
            ("0", i64::MIN, i64::MAX, Above),
        ] {
            assert_eq!(limit(text).compare(old, new), expected, "{text}: {old} -> {new}");
        }
    }

    #[test]
    fn reads_what_it_writes_and_both_orders() {
        for (text, canonical) in [
            ("5%|256KiB", "5%|256KiB"),
            ("256KiB|5%", "5%|256KiB"),
            (" 0.5 % | 1.5 MiB ", "0.5%|1536KiB"),
            ("0", "0"),
            ("0%", "0"),
            ("0B", "0"),
            ("0%|64KiB", "64KiB"),
            ("2", "2B"),
        ] {
            assert_eq!(limit(text).to_string(), canonical);
            assert_eq!(limit(canonical), limit(text));
        }
    }

    #[test]
    fn errors_say_what_is_allowed() {
        for text in
            ["", "%", "-5%", "five", "5%|", "5%|6%", "1|2", "inf%", "NaN%", "1e3%", "5MB", "-1"]
        {
            let error = text.parse::<Limit>().expect_err(text).to_string();
            assert!(
                error.contains(&format!("`{text}`")) && error.contains("`5%|256KiB`"),
                "{error}"
            );
        }
    }

    #[test]
    fn yaml_takes_text_and_integers() {
        for (yaml, expected) in
            [("0", "0"), ("'5%|256KiB'", "5%|256KiB"), ("5%", "5%"), ("100", "100")]
        {
            assert_eq!(serde_yaml::from_str::<Limit>(yaml).expect(yaml), limit(expected));
        }
        assert!(serde_yaml::from_str::<Limit>("-1").is_err());
        assert!(serde_yaml::from_str::<Limit>("[5]").is_err());
    }
}
