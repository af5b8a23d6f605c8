//! What a production run adds to the finding of the exact one.

use super::growth::growth;
use super::{MIN_BATCHES, outside, peak};
use crate::evidence::{Growth, Trend};
use crate::finding::Finding;
use crate::pattern::{Class, Pattern};
use crate::production::{Production, ProductionFinding};
use crate::series::Reading;
use crate::units::{Batches, Bytes, BytesPerBatch};

/// Looks at the resident memory of a production run, given that the exact run of the same fixture
/// showed `exact`.
///
/// A leak of the exact run is the whole story, whatever becomes of resident memory. Otherwise, in
/// this order: what the collector gave back, what the allocators gave back of the growth of the gap
/// between resident memory and what is accounted for, and growth of the gap that nothing gave back.
///
/// ```
/// use highwater_core::{
///     ArrowBooks, Bytes, Experiments, GaveBack, Pattern, Production, Reading, Run, analyse,
///     analyse_production,
/// };
///
/// let mut run = Run::default();
/// for batch in 0..200 {
///     run.batches.push(Reading { rss_anon: Bytes(80_000 * batch), ..Reading::default() });
/// }
/// let trim = GaveBack { live: Bytes::ZERO, rss: Bytes(15_000_000) };
/// run.experiments = Some(Experiments { trim, ..Experiments::default() });
/// let mut exact = run.clone();
/// exact.batches.fill(Reading::default());
///
/// let production = Production { run, arrow: ArrowBooks::Apart };
/// let finding = analyse_production(&analyse(&exact), &production);
/// assert_eq!(finding.pattern, Some(Pattern::AllocatorRetention));
/// assert_eq!(finding.rss_bytes_per_batch.0, 80_000.0);
/// ```
#[must_use]
pub fn analyse_production(exact: &Finding, production: &Production) -> ProductionFinding {
    let Production { run, arrow } = production;
    let batches = Batches(u32::try_from(run.batches.len()).unwrap_or(u32::MAX));
    let gap_bytes = run.batches.last().map(|last| arrow.gap(last)).unwrap_or_default();
    let mut finding = ProductionFinding {
        batches,
        gap_bytes,
        gap_grown_bytes: gap_bytes - arrow.gap(&run.before_setup).max(arrow.gap(&run.after_setup)),
        experiments: run.experiments,
        ..ProductionFinding::default()
    };
    if batches < MIN_BATCHES {
        return finding;
    }
    let series = |of: &dyn Fn(&Reading) -> Bytes| {
        growth(&run.batches.iter().map(|reading| of(reading).0).collect::<Vec<_>>())
    };
    finding.rss = series(&Reading::rss);
    finding.gap = series(&|reading| arrow.gap(reading));
    finding.rss_bytes_per_batch = BytesPerBatch(finding.rss.per_batch);
    finding.gap_bytes_per_batch = BytesPerBatch(finding.gap.per_batch);
    let live = series(&|reading| reading.live);
    let leaks = exact.pattern().is_none_or(|pattern| pattern.class() == Class::Fail);
    finding.pattern = if leaks { None } else { added(&finding, &live) };
    finding
}

fn added(finding: &ProductionFinding, live: &Growth) -> Option<Pattern> {
    let experiments = finding.experiments?;
    let garbage = experiments.collect.live;
    // The exact run, which is collected at every mark, does not leak.
    let until_collected = climbed(live).is_some_and(|grown| garbage + garbage >= grown);
    if garbage >= peak::FLOOR || until_collected {
        return Some(Pattern::GcCycles);
    }
    // As long as there is less than was asked for, pages are touched for the first time.
    let climbed = climbed(&finding.gap).filter(|_| finding.gap_grown_bytes.0 >= outside::FLOOR);
    let given = experiments.allocators();
    let gave = |of: Bytes| given + given >= of;
    // What one burst left behind does not climb, but whoever sizes the worker pays for it.
    let kept = Some(finding.gap_grown_bytes).filter(|grown| *grown >= peak::FLOOR);
    if climbed.is_some_and(gave) || kept.is_some_and(gave) {
        return Some(Pattern::AllocatorRetention);
    }
    climbed.map(|_| Pattern::NativeLeak)
}

/// By how much a series grew over the judged part, when it grew in nearly every window.
fn climbed(growth: &Growth) -> Option<Bytes> {
    let grown = growth.minima.last()? - growth.minima.first()?;
    let rises = growth.minima.windows(2).filter(|pair| pair[1] > pair[0]).count();
    let persists = growth.shape.trend() == Trend::Unbounded && rises + 2 >= growth.minima.len();
    (persists && grown >= outside::FLOOR).then_some(Bytes(grown))
}
