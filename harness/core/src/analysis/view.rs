//! A series as the rules look at it: short exact periods folded, spikes taken out.

use super::cadence::Cadence;
use super::persistence::{EXACT, efficiency};
use super::windows::WINDOWS;

/// Net growth relative to all ups and downs from which a series without its spikes counts as
/// exact; more than [`EXACT`], because taking spikes out makes a random walk smoother.
const EXACT_OPENED: f64 = 0.75;
/// Batches below which a rise that falls again is a spike.
const NARROW: usize = 4;

/// A series, and the values that stand for it.
pub(super) struct View<'a> {
    /// One value per batch.
    pub(super) series: &'a [i64],
    /// One value per period, or per batch when there is none.
    pub(super) values: Vec<i64>,
    /// Where the judged part starts in `values`.
    pub(super) judged: usize,
    cadence: Option<Cadence>,
    /// How much a whole period adds, when there are too few periods to cut into windows.
    per_cycle: Option<i64>,
    /// Batches before the first whole period.
    skipped: usize,
    pub(super) spikes: Spikes,
}

/// Whether spikes were taken out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Spikes {
    Kept,
    TakenOut,
}

impl<'a> View<'a> {
    /// Looks at `series`, which is judged from `judged` on.
    ///
    /// An exact period is best seen in the judged part; a long one shows only over the whole run.
    pub(super) fn of(series: &'a [i64], judged: usize) -> Self {
        let part = &series[judged..];
        let mut view = folded(series, judged, part).unwrap_or_else(|| {
            folded(series, judged, series).unwrap_or_else(|| Self {
                series,
                values: series.to_vec(),
                judged,
                cadence: None,
                per_cycle: None,
                skipped: 0,
                spikes: Spikes::Kept,
            })
        });
        view.without_spikes();
        view
    }

    /// Takes spikes out where what remains is a series that grows exactly.
    fn without_spikes(&mut self) {
        if efficiency(&self.values[self.judged..]) < EXACT {
            let opened = opened(&self.values);
            if efficiency(&opened[self.judged..]) >= EXACT_OPENED {
                self.values = opened;
                self.spikes = Spikes::TakenOut;
            }
        }
    }

    pub(super) fn period(&self) -> Option<u32> {
        self.cadence.and_then(|cadence| u32::try_from(cadence.period).ok())
    }

    /// Batches per value.
    pub(super) fn batches(&self) -> usize {
        self.cadence.map_or(1, |cadence| cadence.period)
    }

    /// Batches per value.
    #[expect(clippy::cast_precision_loss, reason = "a count of batches")]
    pub(super) fn step(&self) -> f64 {
        self.batches() as f64
    }

    /// The growth per batch when there are too few periods to cut into windows, but each is exact.
    #[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
    pub(super) fn cycles_alone(&self) -> Option<f64> {
        self.per_cycle.map(|bytes| bytes as f64 / self.step())
    }

    /// One value per batch, without its spikes where they were taken out.
    pub(super) fn by_batch(&self) -> &[i64] {
        if self.cadence.is_some() { self.series } else { &self.values }
    }

    /// The number of the first batch that value `index` stands for.
    pub(super) fn batch(&self, index: usize) -> u32 {
        batch(self.skipped + index * self.batches())
    }

    /// The judged values that are there to stay: where spikes were taken out, the newest may be one.
    pub(super) fn kept(&self) -> &[i64] {
        let judged = &self.values[self.judged..];
        match self.spikes {
            Spikes::Kept => judged,
            Spikes::TakenOut => &judged[..judged.len().saturating_sub(NARROW)],
        }
    }

    /// The values from so many twelfths of the run on.
    pub(super) fn from(&self, twelfths: usize) -> usize {
        self.values.len() * twelfths / 12
    }
}

/// The number of the batch at `index`.
pub(super) fn batch(index: usize) -> u32 {
    u32::try_from(index).unwrap_or(u32::MAX)
}

/// The view by the exact period of `part`, if it has one.
fn folded<'a>(series: &'a [i64], judged: usize, part: &[i64]) -> Option<View<'a>> {
    let cadence = Cadence::of(part)?;
    let few = (series.len() - judged) / cadence.period < WINDOWS;
    let per_cycle = if few { Some(cadence.per_cycle(part)?) } else { None };
    let values = cadence.fold(series);
    let judged = values.len() * judged / series.len();
    let skipped = series.len() % cadence.period;
    let cadence = Some(cadence);
    Some(View { series, values, judged, cadence, per_cycle, skipped, spikes: Spikes::Kept })
}

/// The series without what rises for fewer than [`NARROW`] batches and falls again (a
/// morphological opening): spikes vanish, and a series that only rises is left as it is.
fn opened(series: &[i64]) -> Vec<i64> {
    let end = series.len();
    let lowest = |range: std::ops::Range<usize>| series[range].iter().min().copied();
    let low: Vec<i64> = (0..end).filter_map(|at| lowest(at..end.min(at + NARROW))).collect();
    let highest = |range: std::ops::RangeInclusive<usize>| low[range].iter().max().copied();
    (0..end).filter_map(|at| highest((at + 1).saturating_sub(NARROW)..=at)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn opening_leaves_rises_and_steps_and_takes_spikes() {
        let rising: Vec<i64> = (0..50).map(|t| 3 * t + if t > 20 { 900 } else { 0 }).collect();
        assert_eq!(opened(&rising), rising);
        let mut spiky = vec![7; 50];
        (spiky[10], spiky[30], spiky[31]) = (99, 50, 60);
        assert_eq!(opened(&spiky), vec![7; 50]);
    }
}
