//! Releases: what a flush gives back at once, and what is left after each.

use super::stats::{Line, median, median_of};

/// How far above the noise a fall must be to count as a release.
const ABOVE_NOISE: f64 = 8.0;
/// Batches a release may take; a longer fall is a backlog that drains.
const AT_ONCE: usize = 3;
/// How many times what was accumulated a flush can give back: everything, plus the growth of the
/// batch in which it happened, which no mark shows.
const OF_ITS_CLIMB: f64 = 1.25;
/// Fewest batches of climb; shorter turns are a texture that windows see through.
const SHORTEST_CLIMB: usize = 4;
/// How many times slower the climb after a release may be and still be the same climb.
const SAME_PACE: f64 = 4.0;
/// Lows from which it can be told whether they keep rising.
const LOWS: usize = 6;
/// Significance of the rise of the lows: above 8 standard errors on 4 or more degrees of freedom
/// happens once in a thousand by chance, and all of them rising once in 720 besides.
const SIGNIFICANT: f64 = 8.0;

/// Rises from low to low that are no chance when they are equal, but for a part in [`NEARLY`].
const SAME_RISES: usize = 3;
const NEARLY: i64 = 20;

/// The flush cycle of a series.
#[derive(Clone, Debug)]
pub(super) struct Cycle {
    /// The values right after each release, and where they are.
    lows: Vec<(usize, i64)>,
    /// Median distance of releases, or from the start to the only one.
    pub(super) period: usize,
}

/// What the lows of a flush cycle do.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Lows {
    /// As low as before, as far as a mark per batch shows.
    Level,
    /// Rising from cycle to cycle, by so much per value of the series, since that index.
    Rising(f64, usize),
    /// Higher than before, in too few cycles to tell.
    Unclear,
}

impl Cycle {
    /// The flush cycle in which the series still is at its end; `None` when there is none, or when
    /// the growth since the last release is more than that release gave back, so that it can no
    /// longer be excused as the next thing to be flushed, or is so much slower than the climb before
    /// that release that it is something else.
    ///
    /// A flush gives back what was accumulated since the last one, so a release counts when it is
    /// at least half of the climb before it, and not much more than all of it: a larger one gave
    /// back something older, and says nothing about the climb.
    #[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
    pub(super) fn of(series: &[i64]) -> Option<Self> {
        let noise = noise(series);
        let mut lows = Vec::new();
        let mut last_release = (0, 0);
        let (mut low, mut start) = (*series.first()?, 0);
        let mut high = low;
        let mut at = 1;
        while at < series.len() {
            let from = series[at - 1];
            high = high.max(from);
            // The deepest point within the next few batches.
            let end = (at + AT_ONCE).min(series.len());
            let mut bottom = at;
            while bottom + 1 < end && series[bottom + 1] < series[bottom] {
                bottom += 1;
            }
            let release = from - series[bottom];
            let climb = high - low;
            if is_release(release, climb, noise, at - start) {
                lows.push((bottom, series[bottom]));
                last_release = (release, at - start);
                low = series[bottom];
                high = low;
                start = bottom;
                at = bottom + 1;
                continue;
            }
            low = low.min(series[at]);
            if series[at] == low {
                (high, start) = (low, at);
            }
            at += 1;
        }
        let &(last, low) = lows.last()?;
        let since = series[last..].iter().max()? - low;
        let (release, batches) = last_release;
        let after = series.len() - 1 - last;
        let within = since as f64 <= release as f64 * OF_ITS_CLIMB + ABOVE_NOISE * noise;
        let pace =
            since as f64 / after.max(1) as f64 * SAME_PACE >= release as f64 / batches as f64;
        let excused = within && (pace || after < SHORTEST_CLIMB);
        let distances: Vec<i64> = lows
            .windows(2)
            .map(|pair| i64::try_from(pair[1].0 - pair[0].0).unwrap_or_default())
            .collect();
        let period = usize::try_from(median_of(&distances)).unwrap_or_default();
        excused.then_some(Self { period: if lows.len() > 1 { period } else { last }, lows })
    }

    /// What the lows do within the part of the series from `from` on.
    ///
    /// With few lows, a low is uncertain by what one batch adds, since the mark is taken up to one
    /// batch after the release; with many, chance does not make all of them rise.
    #[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
    pub(super) fn lows(&self, series: &[i64], from: usize) -> Lows {
        let judged: Vec<_> = self.lows.iter().copied().filter(|(at, _)| *at >= from).collect();
        let (Some(&(first_at, first)), Some(&(last_at, last))) = (judged.first(), judged.last())
        else {
            return Lows::Level;
        };
        let rising = judged.windows(2).filter(|pair| pair[1].1 > pair[0].1).count();
        if judged.len() >= LOWS {
            let values: Vec<i64> = judged.iter().map(|(_, value)| *value).collect();
            let steady = Line::through(&values).significance() >= SIGNIFICANT;
            return if rising + 1 == judged.len() && steady {
                Lows::Rising((last - first) as f64 / (last_at - first_at) as f64, first_at)
            } else {
                Lows::Level
            };
        }
        let steps: Vec<f64> =
            series.windows(2).map(|pair| (pair[1] - pair[0]).abs() as f64).collect();
        let uncertain = median(&steps) + ABOVE_NOISE * noise(series);
        let rise = (last - first) as f64;
        let all = judged.len() >= 3 && rising + 1 == judged.len();
        let rises: Vec<i64> = judged.windows(2).map(|pair| pair[1].1 - pair[0].1).collect();
        let usual = median_of(&rises);
        let equal = rises.len() >= SAME_RISES
            && rises.iter().all(|rise| (rise - usual).abs() * NEARLY <= usual);
        if all && (equal || rise > uncertain * (judged.len() - 1) as f64) {
            Lows::Unclear
        } else {
            Lows::Level
        }
    }
}

#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
fn is_release(release: i64, climb: i64, noise: f64, batches: usize) -> bool {
    batches >= SHORTEST_CLIMB
        && release > 0
        && release as f64 > ABOVE_NOISE * noise
        && 2 * release >= climb
        && release as f64 <= climb as f64 * OF_ITS_CLIMB
}

/// The standard deviation of independent noise on a series, from its second differences, which a
/// slope does not touch and which steps and flushes touch in a few places only.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
pub(super) fn noise(series: &[i64]) -> f64 {
    let bends: Vec<f64> =
        series.windows(3).map(|three| (three[2] - 2 * three[1] + three[0]).abs() as f64).collect();
    // 0.6745: median of |N(0, 1)|; sqrt(6): a second difference adds 1 + 4 + 1 variances.
    median(&bends) / 0.6745 / 6.0_f64.sqrt()
}
