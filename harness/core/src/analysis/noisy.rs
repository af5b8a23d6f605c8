//! Growth under noise: a straight line that explains a series better than steps do.

use super::stats::Line;
use crate::evidence::Shape;

/// Standard errors above which a slope is no chance.
const SIGNIFICANT: f64 = 8.0;
/// Independent values below which the series may as well be a random walk, which has a slope
/// wherever one looks: with n values that is a Dickey-Fuller statistic of -5.5, beyond its 0.1 %
/// point of -4.7.
const INDEPENDENT: f64 = 30.0;
/// By how many variances a line may lose to two one-time steps, whose places and sizes are free:
/// they fit the noise around a line better by about so much.
const MARGIN: f64 = 30.0;
/// Fewest values on either side of a step.
const EDGE: usize = 4;

/// The slope per value of a noisy series, if it has one that is neither chance nor steps.
#[expect(clippy::cast_precision_loss, reason = "counts of batches")]
pub(super) fn slope(series: &[i64]) -> Option<Line> {
    let line = Line::through(series);
    let chance = line.significance() < SIGNIFICANT || line.independent < INDEPENDENT;
    if line.slope <= 0.0 || chance {
        return None;
    }
    let (at, one) = best_step(series)?;
    let two = [&series[..at], &series[at..]]
        .iter()
        .enumerate()
        .filter_map(|(side, part)| {
            let (_, split) = best_step(part)?;
            let other = if side == 0 { &series[at..] } else { &series[..at] };
            Some(split + around_mean(other))
        })
        .fold(one, f64::min);
    let variance = line.squares / series.len() as f64;
    (line.squares < one && line.squares < two + MARGIN * variance).then_some(line)
}

/// A noisy slope that has died down by the second half fills a bounded store.
pub(super) fn shape(series: &[i64]) -> Shape {
    let (early, late) = series.split_at(series.len() / 2);
    let (early, late) = (Line::through(early), Line::through(late));
    let difference = early.slope - late.slope;
    let clear = difference > 4.0 * early.error.hypot(late.error);
    if clear && late.slope < 0.5 * early.slope {
        if late.significance() < 3.0 { Shape::Filled } else { Shape::Saturating }
    } else {
        Shape::Steady
    }
}

/// The place of the step that leaves the least squares, and how many it leaves.
fn best_step(series: &[i64]) -> Option<(usize, f64)> {
    let before = squares(series.iter());
    let after = squares(series.iter().rev());
    (EDGE..series.len().saturating_sub(EDGE))
        .map(|at| (at, before[at] + after[series.len() - at]))
        .min_by(|a, b| a.1.total_cmp(&b.1))
}

fn around_mean(series: &[i64]) -> f64 {
    squares(series.iter()).last().copied().unwrap_or_default()
}

/// The squares around their mean of the first so many values, for none to all of them (Welford
/// 1962).
#[expect(clippy::cast_precision_loss, reason = "differences of sizes, far below 2^53")]
fn squares<'a>(values: impl Iterator<Item = &'a i64>) -> Vec<f64> {
    let (mut mean, mut squares, mut first) = (0.0, 0.0, None);
    let mut all = vec![0.0];
    for (index, value) in values.enumerate() {
        let value = (value - *first.get_or_insert(*value)) as f64;
        let from_mean = value - mean;
        mean += from_mean / (index + 1) as f64;
        squares += from_mean * (value - mean);
        all.push(squares);
    }
    all
}
