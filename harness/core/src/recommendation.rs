//! How much memory to ask for.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::evidence::OutsideKind;
use crate::finding::Finding;
use crate::pattern::{Class, Pattern};
use crate::production::{Production, ProductionFinding};
use crate::series::{Reading, Run};
use crate::units::{Batches, Bytes};

/// What is added to what was measured and projected, in percent: workers differ in what the
/// interpreter, the allocator and the engine around the UDF hold.
pub const MARGIN_PERCENT: i64 = 25;

/// What a figure is rounded up to: schedulers count in such steps.
const STEP: i64 = 64 << 20;

/// The memory that a worker needs for a planned number of batches.
///
/// `memory` is `resident`, `transient` and `growth` together, plus [`MARGIN_PERCENT`], rounded up to
/// 64 MiB.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Recommendation {
    /// What to ask for.
    #[serde(rename = "memory_bytes")]
    pub memory: Bytes,
    /// The highest resident memory of the worker at any mark, files included.
    #[serde(rename = "resident_bytes")]
    pub resident: Bytes,
    /// How far the highest batch rises above its mark.
    #[serde(rename = "transient_bytes")]
    pub transient: Bytes,
    /// What growth adds from the last measured batch to the last planned one.
    #[serde(rename = "growth_bytes")]
    pub growth: Bytes,
    /// Batches that the worker is planned to do.
    #[serde(rename = "planned_batches")]
    pub planned: Batches,
    /// What was added, in percent.
    pub margin_percent: i64,
    /// Whether the growth goes on after that, so that no memory lasts.
    pub is_outgrown: bool,
}

/// Memory to ask for, for a worker that is to do `planned` batches; `None` when the runs do not tell
/// how memory goes on.
///
/// Resident memory is the production run's where there is one, as the allocators of production keep
/// other pages than those of the exact run.
///
/// ```
/// use highwater_core::{Batches, Bytes, Reading, Run, analyse, recommend};
///
/// let mut run = Run::default();
/// for batch in 0..200 {
///     let live = Bytes(1_000 * batch);
///     run.batches.push(Reading { live, peak: live, rss_anon: Bytes(50 << 20), ..Reading::default() });
/// }
/// let recommendation = recommend(&run, &analyse(&run), None, Batches(100_200)).unwrap();
/// assert_eq!(recommendation.growth, Bytes(100_000_000));
/// assert_eq!(recommendation.memory, Bytes(192 << 20));
/// assert!(recommendation.is_outgrown);
/// ```
#[must_use]
pub fn recommend(
    run: &Run,
    finding: &Finding,
    production: Option<(&Production, &ProductionFinding)>,
    planned: Batches,
) -> Option<Recommendation> {
    let pattern = finding.pattern()?;
    let measured = production.map_or(run, |(production, _)| &production.run);
    let transient = highest(run.transient_series().into_iter());
    let transient = transient.max(highest(measured.transient_series().into_iter()));
    let whole = |reading: &Reading| (reading.rss() + reading.rss_file).0;
    let marks =
        [&measured.before_setup, &measured.after_setup].into_iter().chain(&measured.batches);
    let resident = highest(marks.map(whole));
    let rate = rate(finding, production.map(|(_, finding)| finding));
    let left = planned.0.saturating_sub(u32::try_from(measured.batches.len()).unwrap_or(u32::MAX));
    #[expect(clippy::cast_possible_truncation, reason = "saturates")]
    let growth = (rate * f64::from(left)).ceil() as i64;
    let sum = resident.saturating_add(transient).saturating_add(growth);
    let with_margin = sum.saturating_add(sum / 100 * MARGIN_PERCENT);
    let steps = with_margin / STEP + i64::from(with_margin % STEP != 0);
    Some(Recommendation {
        memory: Bytes(steps.saturating_mul(STEP)),
        resident: Bytes(resident),
        transient: Bytes(transient),
        growth: Bytes(growth),
        planned,
        margin_percent: MARGIN_PERCENT,
        is_outgrown: rate > 0.0 && pattern.class() == Class::Fail,
    })
}

/// Growth in bytes per batch: of the heap, or of what grows outside it, whichever is more.
fn rate(finding: &Finding, production: Option<&ProductionFinding>) -> f64 {
    let outside = finding.evidence.outside.as_ref().filter(|it| it.what != OutsideKind::Threads);
    let outside = outside.map_or(0.0, |outside| outside.growth.per_batch);
    let keeps = |finding: &&ProductionFinding| {
        matches!(finding.pattern, Some(Pattern::NativeLeak | Pattern::AllocatorRetention))
    };
    let resident = production.filter(keeps).map_or(0.0, |finding| finding.rss_bytes_per_batch.0);
    finding.figures.leaked_bytes_per_batch.0.max(outside).max(resident).max(0.0)
}

fn highest(values: impl Iterator<Item = i64>) -> i64 {
    values.max().unwrap_or_default().max(0)
}

impl Recommendation {
    /// The argument of a Ray task or actor.
    #[must_use]
    pub fn for_ray(&self) -> String {
        format!("memory={} * 1024**2", self.mebibytes())
    }

    /// The resources of a Kubernetes container, in YAML's flow style.
    #[must_use]
    pub fn for_kubernetes(&self) -> String {
        let mebibytes = self.mebibytes();
        format!(
            "resources: {{requests: {{memory: {mebibytes}Mi}}, limits: {{memory: {mebibytes}Mi}}}}"
        )
    }

    const fn mebibytes(&self) -> i64 {
        self.memory.0 >> 20
    }
}

impl fmt::Display for Recommendation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { memory, resident, transient, growth, planned, margin_percent, .. } = self;
        write!(
            f,
            "{memory} for {planned}: {resident} resident, {transient} within a batch, {growth} of \
             growth, {margin_percent} % to spare"
        )?;
        if self.is_outgrown { f.write_str("; the growth goes on after that") } else { Ok(()) }
    }
}
