//! What must be measured of a case, and whether it was.

use highwater_core::{Class, Finding, Limit, Movement, Pattern};
use libtest_mimic::Failed;

/// A case and what is true of it over 200 batches of 256 rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truth {
    pub(crate) case: &'static str,
    /// The patterns that are right; the first is the best.
    pub(crate) patterns: &'static [Pattern],
    pub(crate) gate: Decision,
    /// Leaked bytes per batch, within 1 % or 16 bytes; 0 where nothing leaks through the allocator,
    /// `None` where the truth is no rate, since it changes from batch to batch.
    pub(crate) bytes_per_batch: Option<f64>,
    /// What grows outside the allocator per batch, in bytes, within 1 %; `None` where nothing does,
    /// or where an allocator's habits are in it.
    pub(crate) outside_per_batch: Option<f64>,
    /// The batch that must be blamed, where one stands out.
    pub(crate) batch: Option<u32>,
}

/// What the gate does about a case whose baseline is clean.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Decision {
    /// It passes.
    Pass,
    /// It passes, and says what it warns of.
    Warn,
    /// It fails: no baseline accepts such a pattern by itself.
    Fail,
    /// The limit on the peak decides alone, so that must be right: in bytes above those before
    /// `setup`, within 1 %.
    Budget { peak: f64 },
    /// It fails when the leak is above the limit on leaked bytes per batch. So the rate must be on
    /// the right side of a limit that is 16 bytes lower than the truth, and of one 16 bytes higher.
    Tolerance,
}

impl Truth {
    /// Fails unless `finding`, listed under `headline`, says what is true.
    pub(crate) fn check(
        &self,
        headline: Option<Pattern>,
        finding: &Finding,
        said: &str,
    ) -> Result<(), Failed> {
        let pattern = headline
            .filter(|pattern| self.patterns.contains(pattern))
            .ok_or_else(|| format!("{headline:?} is not one of {:?}: {said}", self.patterns))?;
        let figures = &finding.figures;
        let rate = figures.leaked_bytes_per_batch.0;
        let gate = match self.gate {
            Decision::Pass => pattern.class() == Class::Pass,
            Decision::Warn => pattern.class() == Class::Warn,
            Decision::Fail => pattern.class() == Class::Fail,
            Decision::Budget { peak } => {
                pattern.class() == Class::PeakLimit && near(figures.peak_bytes.0 as f64, peak, 0.0)
            }
            Decision::Tolerance => {
                let above = |limit: f64| {
                    let bytes = highwater_core::Bytes(limit as i64);
                    let limit = Limit::new(None, Some(bytes)).expect("positive");
                    limit.compare(0, rate.round() as i64) == Movement::Above
                };
                let truth = self.bytes_per_batch.unwrap_or_default();
                pattern.class() == Class::Fail && above(truth - 16.0) && !above(truth + 16.0)
            }
        };
        if !gate {
            return Err(format!("{pattern} is not {:?}: {said}", self.gate).into());
        }
        if let Some(truth) = self.bytes_per_batch
            && !near(rate, truth, 16.0)
        {
            return Err(format!("{rate} bytes per batch are not {truth}: {said}").into());
        }
        let outside = finding.evidence.outside.as_ref().map(|outside| outside.growth.per_batch);
        if let Some(truth) = self.outside_per_batch
            && !outside.is_some_and(|outside| near(outside, truth, 0.0))
        {
            return Err(format!("{outside:?} outside is not {truth}: {said}").into());
        }
        if self.batch.is_some_and(|batch| batch != finding.evidence.peak.highest_batch) {
            return Err(format!("{pattern} at another batch: {said}").into());
        }
        Ok(())
    }
}

/// Within 1 % or `absolute`.
fn near(found: f64, truth: f64, absolute: f64) -> bool {
    (found - truth).abs() <= (truth.abs() * 0.01).max(absolute)
}

pub(crate) const fn leak(
    case: &'static str,
    patterns: &'static [Pattern],
    bytes_per_batch: f64,
) -> Truth {
    Truth {
        case,
        patterns,
        gate: Decision::Fail,
        bytes_per_batch: Some(bytes_per_batch),
        outside_per_batch: None,
        batch: None,
    }
}

pub(crate) const fn no_leak(
    case: &'static str,
    patterns: &'static [Pattern],
    gate: Decision,
) -> Truth {
    Truth { gate, ..leak(case, patterns, 0.0) }
}
