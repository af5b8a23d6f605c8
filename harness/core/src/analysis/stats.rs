//! The few statistics that the analysis needs.

/// The median; 0 of nothing.
pub(super) fn median(values: &[f64]) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.len() {
        0 => 0.0,
        len if len % 2 == 1 => sorted[len / 2],
        len => f64::midpoint(sorted[len / 2 - 1], sorted[len / 2]),
    }
}

/// The lower median; 0 of nothing.
pub(super) fn median_of(values: &[i64]) -> i64 {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    sorted.get(sorted.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

/// A straight line through a series of equally spaced values.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line {
    pub(super) slope: f64,
    /// The standard error of the slope, widened for how much neighbours resemble each other.
    pub(super) error: f64,
    /// Sum of squared residuals.
    pub(super) squares: f64,
    /// As many independent values say as much.
    pub(super) independent: f64,
}

impl Line {
    /// Least squares. The error counts a series of `n` values whose residuals correlate by `r`
    /// from one to the next as `n (1 - r) / (1 + r)` independent ones (an AR(1) process).
    #[expect(clippy::cast_precision_loss, reason = "differences of sizes, far below 2^53")]
    pub(super) fn through(series: &[i64]) -> Self {
        let Some(&first) = series.first() else {
            return Self { slope: 0.0, error: 0.0, squares: 0.0, independent: 0.0 };
        };
        let n = series.len() as f64;
        let center = (n - 1.0) / 2.0;
        let values: Vec<f64> = series.iter().map(|value| (value - first) as f64).collect();
        let mean = values.iter().sum::<f64>() / n;
        let spread = n * (n * n - 1.0) / 12.0;
        let slope =
            values.iter().enumerate().map(|(x, y)| (x as f64 - center) * (y - mean)).sum::<f64>()
                / spread.max(1.0);
        let residuals: Vec<f64> = values
            .iter()
            .enumerate()
            .map(|(x, y)| y - mean - slope * (x as f64 - center))
            .collect();
        let squares: f64 = residuals.iter().map(|r| r * r).sum();
        let lagged: f64 = residuals.windows(2).map(|pair| pair[0] * pair[1]).sum();
        let r = if squares > 0.0 { (lagged / squares).max(0.0) } else { 0.0 };
        // Around a fitted line the estimate is too low by (2 + 4 r) / n (Marriott and Pope 1954).
        let r = (r + (2.0 + 4.0 * r) / n).min(0.9999);
        let independent = n * (1.0 - r) / (1.0 + r);
        let variance = squares / (n - 2.0).max(1.0) * n / independent;
        Self { slope, error: (variance / spread.max(1.0)).sqrt(), squares, independent }
    }

    /// The slope in standard errors.
    pub(super) fn significance(&self) -> f64 {
        if self.error > 0.0 { self.slope / self.error } else { f64::INFINITY * self.slope }
    }
}
