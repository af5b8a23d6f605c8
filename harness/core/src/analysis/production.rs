//! What a production run adds to the finding of the exact one.

use super::garbage::FREE_LISTS;
use super::growth::growth;
use super::{MIN_BATCHES, outside, peak};
use crate::evidence::{Growth, Shape, Trend};
use crate::finding::Finding;
use crate::pattern::{Class, Pattern};
use crate::production::{Production, ProductionFinding};
use crate::series::Reading;
use crate::units::{Batches, Bytes, BytesPerBatch};

/// Batches in a row in which live bytes do not fall, after which what is freed at once had piled up.
/// A batch's own scratch does not pile up, and a free list is full after a few.
const PILING_UP: usize = 16;

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
    let judged = &run.batches[run.batches.len() / 3..];
    let live_series: Vec<i64> = judged.iter().map(|reading| reading.live.0).collect();
    let leaks = exact.pattern().is_none_or(|pattern| pattern.class() == Class::Fail);
    finding.pattern = if leaks { None } else { added(&finding, &live, exact, &live_series) };
    finding
}

fn added(
    finding: &ProductionFinding,
    live: &Growth,
    exact: &Finding,
    live_series: &[i64],
) -> Option<Pattern> {
    let experiments = finding.experiments?;
    let garbage = experiments.collect.live;
    // The exact run, which is collected at every mark, does not leak.
    let until_collected = climbed(live).is_some_and(|grown| garbage + garbage >= grown);
    // Nor does it go up and down there, if what falls here at once is what a collection frees.
    let even = !matches!(exact.evidence.live.shape, Shape::Sawtooth);
    let piled_up = garbage.0.max(if even { piled_up(live_series) } else { 0 });
    let comes_and_goes = exact.evidence.garbage.is_some_and(|garbage| {
        let (highest, lowest) = (live_series.iter().max(), live_series.iter().min());
        let apart = highest.zip(lowest).map_or(0, |(highest, lowest)| highest - lowest);
        2 * (apart - garbage.apart.0) >= garbage.typical.0
    });
    if piled_up > FREE_LISTS || until_collected || comes_and_goes {
        return Some(Pattern::GcCycles);
    }
    // As long as there is less than was asked for, pages are touched for the first time.
    let climbed = climbed(&finding.gap).filter(|_| finding.gap_grown_bytes.0 >= outside::FLOOR);
    let given = experiments.allocators();
    if climbed.is_some_and(|grown| given + given >= grown)
        || burst_kept(finding, exact.evidence.peak.typical)
    {
        return Some(Pattern::AllocatorRetention);
    }
    climbed.map(|_| Pattern::NativeLeak)
}

/// Whether the allocators kept what one burst left behind, beyond what a `typical` batch needs again.
/// It does not climb, but whoever sizes the worker pays for it.
///
/// It counts when it was there throughout a window, and was given back: to an experiment, or in the
/// end by the allocator itself, while nothing that is accounted for was freed.
fn burst_kept(finding: &ProductionFinding, typical: Bytes) -> bool {
    let minima = &finding.gap.minima;
    let (Some(highest), Some(last)) = (minima.iter().max(), minima.last()) else { return false };
    let by_itself = Bytes(highest - last);
    let given = finding.experiments.map(|it| it.allocators()).unwrap_or_default() + by_itself;
    let kept = finding.gap_grown_bytes + by_itself - typical;
    let given = given - typical;
    kept >= peak::FLOOR && given + given >= kept
}

/// The most that piled up over many batches and was freed at once.
fn piled_up(live: &[i64]) -> i64 {
    let (mut most, mut low, mut climbing) = (0, live.first().copied().unwrap_or_default(), 0);
    for pair in live.windows(2) {
        if pair[1] >= pair[0] {
            climbing += 1;
            continue;
        }
        if climbing >= PILING_UP {
            most = most.max(pair[0] - pair[1].max(low));
        }
        (low, climbing) = (pair[1], 0);
    }
    most
}

/// By how much a series grew over the judged part, when it grew in nearly every window.
fn climbed(growth: &Growth) -> Option<Bytes> {
    let grown = growth.minima.last()? - growth.minima.first()?;
    let rises = growth.minima.windows(2).filter(|pair| pair[1] > pair[0]).count();
    let persists = growth.shape.trend() == Trend::Unbounded && rises + 2 >= growth.minima.len();
    (persists && grown >= outside::FLOOR).then_some(Bytes(grown))
}
