//! How fast a series grows, given that it does.

use super::bound;
use super::doubling::Step;
use super::persistence::{self, Persistence};

/// Share of equal increments from which a growth is that increment and everything else is on top.
const CONSTANT: f64 = 0.75;

/// From where to the end a series grows.
pub(super) struct Life {
    /// Index of the last value before the growth.
    pub(super) since: usize,
    /// The increment that nearly all values share, when there is one.
    constant: Option<i64>,
}

impl Life {
    /// Follows the growth that persists from `from` on back to where it began, or, when it began
    /// later, forward.
    pub(super) fn of(values: &[i64], from: usize) -> Self {
        let steps: Vec<i64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
        // The newest half of the judged part surely grows.
        let sure = usize::midpoint(from, steps.len());
        let constant = constant(&steps[sure..]);
        let grows = |step: i64| constant.map_or(step > 0, |constant| step >= constant);
        let longest = pauses(steps[sure..].iter().copied().map(grows)).max(1);
        let mut since = steps.len();
        let mut pause = 0;
        for (index, step) in steps.iter().enumerate().rev() {
            if grows(*step) {
                since = index;
                pause = 0;
            } else {
                pause += 1;
            }
            // With a constant, a single deviation is a step or a release on top of it.
            if pause > 3 * longest {
                break;
            }
        }
        Self { since, constant }
    }
}

/// The rate of steady growth per value.
///
/// Where nearly all increments are equal, that increment, to the byte, plus what else keeps being
/// added, such as the blocks of a queue; one-time steps on top count for nothing. Otherwise the
/// average from event to event, without the jumps. What containers amount to is not in it.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
pub(super) fn steady(values: &[i64], life: &Life) -> f64 {
    let steps: Vec<i64> = values.windows(2).map(|pair| pair[1] - pair[0]).collect();
    if let Some(constant) = life.constant {
        let mut above = 0;
        let rest: Vec<i64> = std::iter::once(0)
            .chain(steps.iter().map(|step| {
                above += step - constant;
                above
            }))
            .collect();
        let lasting = persistence::of(&rest[life.since..]) == Persistence::Rising;
        let more = if lasting { event_to_event(&rest[life.since..], 0) } else { 0.0 };
        return constant as f64 + more;
    }
    let part = &values[life.since..];
    let usual = bound::usual(part);
    let jumps: Vec<Step> = steps
        .iter()
        .enumerate()
        .filter(|(_, step)| usual > 0.0 && **step as f64 > usual)
        .map(|(index, step)| Step { at: index + 1, size: *step })
        .collect();
    let within: i64 = jumps.iter().filter(|jump| jump.at > life.since).map(|jump| jump.size).sum();
    event_to_event(part, within)
}

/// The average from the first event to the last, so that neither the pause before nor the one
/// after is counted without its event; `without` bytes of jumps.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
fn event_to_event(part: &[i64], without: i64) -> f64 {
    let mut rises = part.windows(2).enumerate().filter(|(_, pair)| pair[1] > pair[0]);
    let (Some((first, _)), Some((last, _))) = (rises.next(), rises.next_back()) else {
        return 0.0;
    };
    (part[last + 1] - part[first + 1] - without) as f64 / (last - first) as f64
}

/// The rate in the second half of what follows `from`: how fast it grows now.
pub(super) fn latest(values: &[i64], from: usize) -> f64 {
    let half = &values[usize::midpoint(from, values.len())..];
    event_to_event(half, 0)
}

/// The increment that most of `steps` share, when it is growth.
fn constant(steps: &[i64]) -> Option<i64> {
    let mut sorted = steps.to_vec();
    sorted.sort_unstable();
    let middle = *sorted.get(sorted.len() / 2)?;
    let equal = sorted.iter().filter(|step| **step == middle).count();
    #[expect(clippy::cast_precision_loss, reason = "counts of batches")]
    let share = equal as f64 / sorted.len() as f64;
    (middle > 0 && share >= CONSTANT).then_some(middle)
}

/// The longest run of values that do not grow.
fn pauses(grows: impl Iterator<Item = bool>) -> usize {
    let (mut longest, mut current) = (0, 0);
    for grew in grows {
        current = if grew { 0 } else { current + 1 };
        longest = longest.max(current);
    }
    longest
}
