//! The exact period of a series: alternating batches, a flush every so many, growth every k-th.

use super::stats::median_of;

/// Share of increments that must repeat after one period. A one-time step breaks two repetitions,
/// so a handful of steps on top of a period stay below what is missing here.
const REPEATING: f64 = 0.95;
/// How many times fewer increments must differ after one period than after one batch: a climb that
/// is interrupted a few times repeats after any number of batches, but for the interruptions.
const CLEARLY_FEWER: usize = 3;
/// Cycles below which a few one-time steps at equal distances could pass for a period.
const CYCLES: usize = 5;
/// Cycles that are enough when each holds a release: then a whole shape repeats, up and down,
/// and not just one step.
const CYCLES_WITH_RELEASE: usize = 3;

/// A period in values of the series, at least 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Cadence {
    pub(super) period: usize,
}

impl Cadence {
    /// The shortest period after which nearly all increments of `series` repeat; exact series only:
    /// under noise none do. `None` when equal increments simply follow each other, but for a few.
    #[expect(clippy::cast_precision_loss, reason = "counts of batches")]
    pub(super) fn of(series: &[i64]) -> Option<Self> {
        let steps: Vec<i64> = series.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let at_first = different(&steps, 1, steps.len())?;
        if at_first == 0 {
            return None;
        }
        let (mut most, mut best) = (at_first / CLEARLY_FEWER, 1);
        for period in 2..=steps.len() / CYCLES_WITH_RELEASE {
            let compared = steps.len() - period;
            let allowed = (compared as f64 * (1.0 - REPEATING)) as usize;
            let Some(fewer) = different(&steps, period, most.min(allowed)) else { continue };
            let cycles = steps.len() / period;
            if cycles >= CYCLES || repeats_a_release(&steps, period) {
                best = period;
                // From here on only fewer will do.
                let Some(still_fewer) = fewer.checked_sub(1) else { break };
                most = still_fewer;
            }
        }
        (best > 1).then_some(Self { period: best })
    }

    /// The lowest value of each whole period, counted back from the end, so that the newest value
    /// is always used and only the oldest are cut off.
    pub(super) fn fold(self, series: &[i64]) -> Vec<i64> {
        let skip = series.len() % self.period;
        series[skip..]
            .chunks_exact(self.period)
            .map(|cycle| cycle.iter().min().copied().unwrap_or_default())
            .collect()
    }
}

impl Cadence {
    /// What each period adds, when nearly every value is by that much above the one a period
    /// earlier, the last one, too; `None` when it is not, as with two equal steps a period apart.
    pub(super) fn per_cycle(self, series: &[i64]) -> Option<i64> {
        let gains: Vec<i64> =
            series.iter().zip(&series[self.period..]).map(|(a, b)| b - a).collect();
        let usual = median_of(&gains);
        let equal = gains.iter().filter(|gain| **gain == usual).count();
        let to_the_end = gains.last() == Some(&usual);
        (to_the_end && equal * 10 >= gains.len() * 9).then_some(usual)
    }
}

/// How many increments are not equal to the one a period later; `None` for more than `most`, which
/// most periods of most series show after a few increments, so that a long run is searched quickly.
fn different(steps: &[i64], period: usize, most: usize) -> Option<usize> {
    let mut count = 0;
    for (step, later) in steps.iter().zip(steps.get(period..)?) {
        count += usize::from(step != later);
        if count > most {
            return None;
        }
    }
    Some(count)
}

/// Whether the last cycle goes down somewhere, and so did the one before.
fn repeats_a_release(steps: &[i64], period: usize) -> bool {
    let last = &steps[steps.len() - period..];
    let before = &steps[steps.len() - 2 * period..steps.len() - period];
    last == before && last.iter().any(|step| *step < 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn period(series: impl Iterator<Item = i64>) -> Option<usize> {
        Cadence::of(&series.collect::<Vec<_>>()).map(|cadence| cadence.period)
    }

    #[test]
    fn finds_the_shortest_exact_period() {
        assert_eq!(period((0..200).map(|t| 100 * t)), None);
        assert_eq!(period((0..200).map(|t| t % 90 * 100)), None);
        assert_eq!(period((0..200).map(|t| t % 4 * 12_000)), Some(4));
        assert_eq!(period((0..200).map(|t| t / 10 * 1_000)), Some(10));
        assert_eq!(period((0..200).map(|t| t % 37 * 500 + 8 * t)), Some(37));
        assert_eq!(period((0..200).map(|t| t % 60 * 500 + 8 * t)), Some(60));
        assert_eq!(period((0..200).map(|t| t * t)), None);
    }

    #[test]
    fn a_few_steps_do_not_hide_the_period() {
        let steps = |t: i64| 5_000 * i64::from(t > 60) + 9_000 * i64::from(t > 140);
        assert_eq!(period((0..200).map(|t| t / 10 * 1_000 + steps(t))), Some(10));
    }
}
