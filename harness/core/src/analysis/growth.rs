//! How one series grows: the rules, in the order in which they decide.

use super::bound::{self, Tail};
use super::doubling;
use super::noisy;
use super::persistence::{self, EXACT, EXACT_THROUGHOUT, Persistence, efficiency};
use super::rate::{self, Life};
use super::releases::{Cycle, Lows};
use super::view::{Spikes, View, batch};
use super::windows::{WINDOWS, Windows};
use crate::evidence::{Growth, Shape};

/// Starts of the judged part, in twelfths of the run. A third is warm-up; the later starts are for
/// growth that sets in late, or that a draining backlog hides for a while.
const STARTS: [usize; 4] = [4, 6, 8, 9];
/// Fewest batches in a judged part.
const FEWEST_JUDGED: usize = 50;
/// Batches in a row that each end higher than the last, which is growth of late.
const RECENT: usize = 16;
/// Batches of growth in the judged part from which a plateau is called filled, not a step.
const FILLING: usize = 8;
/// The level tail that a filled cache needs, as a divisor of the run.
const SUSTAINED: usize = 10;
/// Equal steps at equal distances that are no longer a coincidence.
const SAME_STEPS: usize = 3;
/// Steps that no longer pass for things that are done once, unless they have stopped.
const MANY_STEPS: usize = 4;
/// As much may steps differ in size that are of one kind: a row that fails keeps about the same each
/// time. What a program sets up once is of any size.
const ALIKE: i64 = 2;

/// How `series` grows, one value per batch; at least as many as [`super::MIN_BATCHES`].
pub(super) fn growth(series: &[i64]) -> Growth {
    let judged = series.len() * STARTS[0] / 12;
    let view = View::of(series, judged);
    let mut growth = measured(&view, judged);
    if let Some(per_batch) = view.cycles_alone() {
        if per_batch > 0.0 {
            growth.shape = Shape::Steady;
            growth.per_batch = per_batch;
            growth.since_batch = Some(growth.first_batch);
        } else {
            growth.shape = Shape::Sawtooth;
        }
        return growth;
    }
    // Windows see through shorter cycles, and an exact period that is the cycle was folded. What
    // is left is a cycle whose climb may have an exact period of its own.
    let batches = view.by_batch();
    let cycle = Cycle::of(batches);
    if let Some(cycle) = &cycle
        && cycle.period * WINDOWS > series.len() - judged
        && 2 * cycle.period > 3 * view.batches()
    {
        growth.period = u32::try_from(cycle.period).ok();
        return cycled(batches, judged, cycle, growth);
    }
    if let Some(per_value) = doubling::alone(&view.values) {
        growth.shape = Shape::Doubling;
        growth.per_batch = per_value / view.step();
        growth.since_batch = Some(1);
        return growth;
    }
    for start in STARTS {
        if persistence(&view, start) == Persistence::Rising {
            return settled(&view, start, growth);
        }
    }
    if efficiency(&view.values[view.judged..]) < EXACT_THROUGHOUT
        && let Some(line) = noisy::slope(&series[judged..])
    {
        growth.shape = noisy::shape(&series[judged..]);
        growth.per_batch = if growth.shape == Shape::Steady { line.slope } else { 0.0 };
        growth.since_batch = Some(growth.first_batch);
        return growth;
    }
    match cycle {
        // Whatever rises at the end is the next thing to be flushed.
        Some(cycle) => {
            growth.period = growth.period.or(u32::try_from(cycle.period).ok());
            cycled(batches, judged, &cycle, growth)
        }
        None => bounded(&view, growth),
    }
}

/// What is measured whatever the rules say.
fn measured(view: &View<'_>, judged: usize) -> Growth {
    let windows = Windows::of(&view.values[view.judged..]);
    let (early, late) = windows.halves();
    let last = view.values.last().copied().unwrap_or_default();
    let to_the_end = windows.minima.last().is_some_and(|lowest| last > *lowest);
    let growing = windows.rises() + usize::from(to_the_end);
    Growth {
        first_batch: batch(judged),
        last_batch: batch(view.series.len() - 1),
        growing_windows: u32::try_from(growing).unwrap_or_default(),
        minima: windows.minima,
        early_per_batch: early / view.step(),
        late_per_batch: late / view.step(),
        period: view.period(),
        ..Growth::default()
    }
}

/// A flush cycle longer than a window is judged by its lows.
fn cycled(series: &[i64], judged: usize, cycle: &Cycle, mut growth: Growth) -> Growth {
    growth.shape = match cycle.lows(series, judged) {
        Lows::Level => Shape::Sawtooth,
        Lows::Unclear => Shape::TooFewCycles,
        Lows::Rising(per_batch, since) => {
            growth.per_batch = per_batch;
            growth.since_batch = Some(batch(since));
            Shape::Steady
        }
    };
    growth
}

/// Whether growth persists from `twelfths` of the run to its end.
///
/// The first start tolerates ups and downs, which the minima see through; later starts leave fewer
/// values, so they want a series without.
fn persistence(view: &View<'_>, twelfths: usize) -> Persistence {
    let part = &view.values[view.from(twelfths)..];
    if part.len() * view.batches() < FEWEST_JUDGED {
        return Persistence::NotRising;
    }
    let exact = if twelfths == STARTS[0] { EXACT } else { EXACT_THROUGHOUT };
    if efficiency(part) < exact {
        return Persistence::NotRising;
    }
    match (persistence::of_minima(&Windows::of(part)), view.spikes) {
        (Persistence::NotRising, Spikes::Kept) => persistence::of_rare_events(part),
        (minima, _) => minima,
    }
}

/// Growth that persists: has it stopped, does it slow down, and how fast is it?
fn settled(view: &View<'_>, twelfths: usize, mut growth: Growth) -> Growth {
    let (values, from) = (&view.values, view.from(twelfths));
    // Batch by batch where that shows no other ups and downs: it sees the end first.
    let batches = &view.series[view.series.len() * twelfths / 12..];
    let (tail, step) = if efficiency(batches) >= EXACT_THROUGHOUT {
        (batches, 1)
    } else {
        (&values[from..], view.batches())
    };
    if let Tail::Level(level) = bound::tail(tail) {
        let level = level * step;
        let sustained = level * SUSTAINED >= view.series.len();
        growth.shape = if sustained { Shape::Filled } else { Shape::Saturating };
        growth.level_since = Some(batch(view.series.len() - 1 - level));
        return growth;
    }
    let containers = doubling::containers(values);
    let values = &doubling::without(values, &containers);
    let life = Life::of(values, from);
    // The last two thirds of what growth there was: the part in which a law of time can be told
    // from a bound, whenever the growth began.
    let start = from.max(life.since + (values.len() - life.since) / 3);
    let start = start.min(values.len().saturating_sub(WINDOWS)).max(life.since);
    growth.shape = bound::shape(&values[life.since..], start - life.since);
    // Growth from the first mark on began with the first batch, for all that is known.
    let first = view.batch(life.since);
    growth.since_batch = Some(if first == 1 { 1 } else { first + 1 });
    let per_value = match growth.shape {
        Shape::Steady => rate::steady(values, &life),
        Shape::Accelerating | Shape::Slowing => rate::latest(values, start),
        _ => return growth,
    };
    growth.per_batch = (per_value + doubling::amortised(&containers)) / view.step();
    growth
}

/// The shape of a series whose growth does not persist.
fn bounded(view: &View<'_>, mut growth: Growth) -> Growth {
    let values = &view.values;
    let rises = values.windows(2).rev().take_while(|pair| pair[1] > pair[0]).count();
    let last_rise = values.windows(2).rposition(|pair| pair[1] > pair[0]);
    let net = efficiency(&values[view.judged..]);
    let ups = values[view.judged..].windows(2).filter(|pair| pair[1] > pair[0]).count();
    growth.shape = if rises * view.batches() >= RECENT && rises >= SAME_STEPS {
        Shape::Recent
    } else if let Some(distance) = same_steps(values) {
        growth.period = u32::try_from(distance * view.batches()).ok();
        Shape::TooFewCycles
    } else if net >= EXACT && ups >= FILLING && bound::nearly_reached(values, view.judged) {
        // Level, where nothing has come for a window; else what is still to come is little.
        let level = last_rise.filter(|at| (values.len() - at) * 2 * WINDOWS > values.len());
        growth.level_since = level.map(|at| view.batch(at + 1));
        Shape::Filled
    } else if let Some(distance) = irregular_steps(view.kept()) {
        growth.period = u32::try_from(distance * view.batches()).ok();
        Shape::TooFewCycles
    } else if net >= EXACT && ups >= FILLING {
        growth.level_since = last_rise.map(|at| view.batch(at + 1));
        Shape::Filled
    } else if net <= -EXACT {
        Shape::Shrinking
    } else if growth.period.is_some() {
        Shape::Sawtooth
    } else if net >= EXACT && ups > 0 {
        Shape::Steps
    } else {
        Shape::Level
    };
    growth
}

/// The mean distance of steps that are taken back by nothing and have not stopped, where they are too
/// many for things that are done once, or so alike that they are of one kind.
///
/// A row that comes by chance may keep something each time. Few of them look like a few things that
/// were set up late; only a longer run tells.
fn irregular_steps(judged: &[i64]) -> Option<usize> {
    let steps = doubling::steps(judged);
    let (first, last) = (steps.first()?, steps.last()?);
    let sizes = || steps.iter().map(|step| step.size);
    let (smallest, largest) = (sizes().min()?, sizes().max()?);
    let alike = steps.len() > 1 && largest <= ALIKE * smallest;
    let kept = smallest > 0;
    let going_on = bound::tail(judged) == Tail::Growing;
    let distance = (last.at - first.at) / (steps.len() - 1).max(1);
    (kept && going_on && (steps.len() >= MANY_STEPS || alike)).then_some(distance.max(1))
}

/// The distance of steps that are all equal, at equal distances, with the next one not yet due:
/// growth every so many batches, in a run that is too short to be sure.
fn same_steps(values: &[i64]) -> Option<usize> {
    let steps = doubling::steps(values);
    let newest = &steps[steps.len().checked_sub(SAME_STEPS)?..];
    let distance = newest[1].at - newest[0].at;
    let alike = newest.windows(2).all(|pair| {
        pair[0].size > 0 && pair[1].size == pair[0].size && pair[1].at - pair[0].at == distance
    });
    let due = newest[SAME_STEPS - 1].at + distance < values.len();
    (alike && !due && distance > 1).then_some(distance)
}
