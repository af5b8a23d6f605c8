//! Whether growth persists: rising window minima, or rare events that keep coming.

use super::doubling;
use super::windows::{WINDOWS, Windows};

/// Rises that persistent growth needs out of `WINDOWS - 1`. One step may be flat, since a window
/// boundary can fall just before the growth it would have seen.
const RISES: usize = WINDOWS - 2;
/// With fewer values than windows each value is its own window and no step may be flat; below this
/// many, a few one-time steps could pass for growth.
const FEWEST: usize = 5;
/// Net growth relative to all ups and downs from which a series counts as exact rather than noisy.
/// A random walk of so many steps reaches a fifth.
pub(super) const EXACT: f64 = 0.5;
/// The same where no ups and downs are expected.
pub(super) const EXACT_THROUGHOUT: f64 = 0.9;
/// Largest increments that say nothing about the rest: a one-time step, or a few.
const JUMPS: usize = 3;
/// Growth in rare events: fewest events. A few one-time steps are fewer.
const RARE_EVENTS: usize = 8;
/// The longest pause between rare events, as a divisor of the series. Events that come at random
/// pause for longer less than once in a hundred runs.
const RARE_PAUSE: usize = 3;

/// Whether growth persists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Persistence {
    Rising,
    NotRising,
}

/// By either rule: minima see through ups and downs, events are told from noise only without.
pub(super) fn of(series: &[i64]) -> Persistence {
    let efficiency = efficiency(series);
    if efficiency >= EXACT && of_minima(&Windows::of(series)) == Persistence::Rising {
        Persistence::Rising
    } else if efficiency >= EXACT_THROUGHOUT {
        of_rare_events(series)
    } else {
        Persistence::NotRising
    }
}

/// Whatever is allocated and freed again, a batch's scratch or a sawtooth shorter than a window,
/// does not move a window's minimum, and a one-time step moves one of them: minima that rise
/// nearly every time are what is kept.
pub(super) fn of_minima(windows: &Windows) -> Persistence {
    let count = windows.minima.len();
    let enough = if count < WINDOWS {
        count >= FEWEST && windows.rises() + 1 == count
    } else {
        windows.rises() >= RISES
    };
    if enough { Persistence::Rising } else { Persistence::NotRising }
}

/// Many events, none of them taken back, to the end, and none of them most of the growth.
pub(super) fn of_rare_events(series: &[i64]) -> Persistence {
    let events = doubling::steps(series);
    let total: i64 = events.iter().map(|event| event.size).sum();
    let pauses = events.windows(2).map(|pair| pair[1].at - pair[0].at);
    let edges = [
        events.first().map_or(series.len(), |event| event.at),
        events.last().map_or(series.len(), |event| series.len() - event.at),
    ];
    let enough = events.len() >= RARE_EVENTS
        && events.iter().all(|event| event.size > 0 && 2 * event.size <= total)
        && pauses.chain(edges).all(|pause| pause * RARE_PAUSE <= series.len());
    if enough { Persistence::Rising } else { Persistence::NotRising }
}

/// Net growth relative to all ups and downs, without the largest few jumps: beside one large step,
/// noise would look exact.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
pub(super) fn efficiency(series: &[i64]) -> f64 {
    let mut steps: Vec<i64> = series.windows(2).map(|pair| pair[1] - pair[0]).collect();
    steps.retain(|step| *step != 0);
    steps.sort_unstable();
    if steps.len() > 2 * JUMPS {
        steps.truncate(steps.len() - JUMPS);
    }
    let net: i64 = steps.iter().sum();
    let moved: u64 = steps.iter().map(|step| step.unsigned_abs()).sum();
    if moved == 0 { 0.0 } else { net as f64 / moved as f64 }
}
