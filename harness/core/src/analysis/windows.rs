//! Windows over the later part of a series, and their minima.

use super::stats::median;

/// Windows that the judged part is cut into.
pub(super) const WINDOWS: usize = 8;
/// The minima of equal windows over a series.
#[derive(Clone, Debug, Default)]
pub(super) struct Windows {
    pub(super) minima: Vec<i64>,
    /// Where each minimum lies.
    at: Vec<usize>,
}

impl Windows {
    /// Cuts `series` into at most [`WINDOWS`] windows.
    pub(super) fn of(series: &[i64]) -> Self {
        Self::cut(series, WINDOWS)
    }

    /// Cuts `series` into at most `count` windows.
    pub(super) fn cut(series: &[i64], count: usize) -> Self {
        let count = count.min(series.len());
        let mut windows = Self::default();
        for index in 0..count {
            let (from, to) = (index * series.len() / count, (index + 1) * series.len() / count);
            if let Some(at) = (from..to).min_by_key(|&at| series[at]) {
                windows.minima.push(series[at]);
                windows.at.push(at);
            }
        }
        windows
    }

    /// Steps from one minimum to the next that go up.
    pub(super) fn rises(&self) -> usize {
        self.minima.windows(2).filter(|pair| pair[1] > pair[0]).count()
    }

    /// The rate of each step, per value of the series.
    #[expect(clippy::cast_precision_loss, reason = "differences of sizes, far below 2^53")]
    pub(super) fn rates(&self) -> Vec<f64> {
        self.minima
            .windows(2)
            .zip(self.at.windows(2))
            .map(|(value, at)| (value[1] - value[0]) as f64 / (at[1] - at[0]) as f64)
            .collect()
    }

    /// The midpoint of each step, in values of the series.
    #[expect(clippy::cast_precision_loss, reason = "an index")]
    pub(super) fn midpoints(&self) -> Vec<f64> {
        self.at.windows(2).map(|at| (at[0] + at[1]) as f64 / 2.0).collect()
    }

    /// The growth per value in the first and in the second half: medians, so that one step per
    /// half does not move them.
    pub(super) fn halves(&self) -> (f64, f64) {
        let rates = self.rates();
        let half = rates.len() / 2;
        (median(&rates[..half]), median(&rates[rates.len() - half..]))
    }
}
