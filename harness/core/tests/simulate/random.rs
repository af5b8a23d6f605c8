//! A small generator, so that a seed gives the same series for ever.

use std::ops::Range;

/// SplitMix64 (Steele, Lea and Flood 2014).
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(name: &str, seed: u32) -> Self {
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
        });
        Self(hash ^ (u64::from(seed) << 32))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in `range`.
    pub(crate) fn within(&mut self, range: Range<i64>) -> i64 {
        let span = range.end.abs_diff(range.start).max(1);
        range.start + i64::try_from(self.next() % span).expect("a span fits")
    }

    /// Uniform in 0..1.
    pub(crate) fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Log-uniform in `range`.
    pub(crate) fn scale(&mut self, range: Range<f64>) -> f64 {
        (range.start.ln() + self.unit() * (range.end / range.start).ln()).exp()
    }

    /// Normal with mean 0 and deviation 1, as a sum of 12 uniforms.
    pub(crate) fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.unit()).sum::<f64>() - 6.0
    }

    /// True with this probability.
    pub(crate) fn chance(&mut self, probability: f64) -> bool {
        self.unit() < probability
    }
}
