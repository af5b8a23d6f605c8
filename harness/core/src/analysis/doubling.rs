//! Steps whose sizes and distances grow by the same factor: a container that is filled evenly and
//! multiplies its capacity when full.

use super::stats::{median, median_of};

/// By how much containers multiply their capacity: vectors and hash tables by 2, CPython's sets by 4
/// while they are small.
const FACTORS: [f64; 2] = [2.0, 4.0];
/// How far a step may be from its predecessor times the factor. The indices of CPython's dictionaries
/// get wider with their number, and such a step is a third larger, the next one a little smaller.
const RATIO: std::ops::RangeInclusive<f64> = 0.85..=1.35;
/// The same for distances, which are whole batches.
const GAPS: std::ops::RangeInclusive<f64> = 0.7..=1.4;
/// How much slower than evenly a container may be filled: distances by the square of the factor are
/// those of one that is filled like a root.
const SLOWEST: f64 = 2.0;
/// Increments on either side that say what is usual at a place.
const AROUND: usize = 4;
/// Deviations from what is usual above which an increment is a step on top of it.
const ABOVE_USUAL: f64 = 8.0;
/// As many of the largest steps are looked at: twice as many as one container can make.
const LARGEST: usize = 48;
/// Halvings of the run in each of which the growth must about double. Three one-time steps that
/// happen to fit are conceivable, a fourth is not.
const OCTAVES: u32 = 4;
/// About twice the growth in twice the time; up to 4 times when the overlap holds two steps, and
/// more where the first capacity, from which growth is counted, is not small beside it.
const PER_OCTAVE: std::ops::RangeInclusive<f64> = 1.4..=6.0;
/// Steps per halving of the run: a few containers that double, not a staircase.
const STEPS_PER_OCTAVE: usize = 6;

/// A permanent jump of a series.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Step {
    /// The index of the first value after it.
    pub(super) at: usize,
    pub(super) size: i64,
}

/// All increments of a series that are not zero.
pub(super) fn steps(series: &[i64]) -> Vec<Step> {
    series
        .windows(2)
        .enumerate()
        .map(|(index, pair)| Step { at: index + 1, size: pair[1] - pair[0] })
        .filter(|step| step.size != 0)
        .collect()
}

/// The growth per value of a series that is level but for doubling steps; `None` when it is not
/// such a series.
///
/// A container that gets the same number of items in each batch is full after twice the time when
/// it has twice the capacity. So its capacity is proportional to time: in each halving of the run
/// the growth doubles, to the end. A bounded container leaves the last halving empty; one-time
/// steps leave others empty.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
pub(super) fn alone(series: &[i64]) -> Option<f64> {
    let steps = steps(series);
    let last = series.len() - 1;
    if steps.iter().any(|step| step.size < 0) {
        return None;
    }
    for octave in 0..OCTAVES {
        // A tenth more, because a step comes with a whole batch and can be late for its octave.
        let (from, to) = ((last >> (octave + 1)) * 9 / 10, last >> octave);
        let within = steps.iter().filter(|step| step.at > from && step.at <= to).count();
        let (early, late) = (series[from] - series[0], series[to] - series[0]);
        if !(1..=STEPS_PER_OCTAVE).contains(&within)
            || early <= 0
            || !PER_OCTAVE.contains(&(late as f64 / early as f64))
        {
            return None;
        }
    }
    let amortised = amortised(&chains(&steps));
    let average = (series[last] - series[last / 2]) as f64 / (last - last / 2) as f64;
    Some(if amortised > 0.0 { amortised } else { average })
}

/// Steps of one container, oldest first.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Chain {
    steps: Vec<Step>,
    factor: f64,
}

/// The containers that multiply their capacity somewhere in `series`, on top of what is usual there.
pub(super) fn containers(series: &[i64]) -> Vec<Chain> {
    chains(&on_top(series))
}

/// What is left of `series` without the steps of these containers.
pub(super) fn without(series: &[i64], chains: &[Chain]) -> Vec<i64> {
    less(series, &chains.iter().flat_map(|chain| chain.steps.clone()).collect::<Vec<_>>())
}

/// `series` without these steps.
pub(super) fn less(series: &[i64], steps: &[Step]) -> Vec<i64> {
    let mut increments = vec![0; series.len()];
    for step in steps {
        increments[step.at] += step.size;
    }
    let mut gone = 0;
    let left = |(value, size): (&i64, i64)| {
        gone += size;
        value - gone
    };
    series.iter().zip(increments).map(left).collect()
}

/// What containers amount to per value; see [`Chain::amortised`].
pub(super) fn amortised(chains: &[Chain]) -> f64 {
    chains.iter().map(Chain::amortised).sum()
}

impl Chain {
    /// A step of `size` bought capacity that was used up when the next step came. So what all of
    /// them but the last bought was used up from the first of them to the last; where the container
    /// is filled ever more slowly, what the last but one bought in the time since.
    #[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
    fn amortised(&self) -> f64 {
        let last = self.steps.len() - 1;
        let mut first = last - 1;
        while first > 0 && GAPS.contains(&(self.gap(first + 1) / self.gap(first) / self.factor)) {
            first -= 1;
        }
        let bought: i64 = self.steps[first..last].iter().map(|step| step.size).sum();
        bought as f64 / (self.steps[last].at - self.steps[first].at) as f64
    }

    /// The distance from the step before.
    #[expect(clippy::cast_precision_loss, reason = "a count of batches")]
    fn gap(&self, index: usize) -> f64 {
        (self.steps[index].at - self.steps[index - 1].at) as f64
    }
}

/// The steps that follow each other by one factor in size, and by about as much or more in distance.
/// A pair can be chance, so there must be three.
fn chains(steps: &[Step]) -> Vec<Chain> {
    let mut free = steps.to_vec();
    let mut found = Vec::new();
    while let Some(newest) = free.pop() {
        let longest = FACTORS
            .iter()
            .map(|factor| chain(newest, &free, *factor))
            .max_by_key(|chain| chain.steps.len());
        if let Some(chain) = longest.filter(|chain| chain.steps.len() >= 3) {
            free.retain(|step| !chain.steps.contains(step));
            found.push(chain);
        }
    }
    found
}

/// Follows a container back from its newest step.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
fn chain(newest: Step, before: &[Step], factor: f64) -> Chain {
    let mut steps = vec![newest];
    let mut gap = None;
    for step in before.iter().rev() {
        let after = steps[steps.len() - 1];
        if !RATIO.contains(&(after.size as f64 / step.size as f64 / factor)) {
            continue;
        }
        let distance = (after.at - step.at) as f64;
        // Filled evenly, or ever more slowly.
        let slower = GAPS.start() * factor..=GAPS.end() * factor.powf(SLOWEST);
        if gap.is_none_or(|later: f64| slower.contains(&(later / distance))) {
            steps.push(*step);
            gap = Some(distance);
        }
    }
    steps.reverse();
    Chain { steps, factor }
}

/// By how much increments stand out from those around them, oldest first; the largest alone.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
pub(super) fn on_top(series: &[i64]) -> Vec<Step> {
    let increments: Vec<i64> = series.windows(2).map(|pair| pair[1] - pair[0]).collect();
    let mut steps = Vec::new();
    for (index, increment) in increments.iter().enumerate() {
        if *increment <= 0 {
            continue;
        }
        let end = increments.len();
        let around = &increments[index.saturating_sub(AROUND)..end.min(index + AROUND + 1)];
        let usual = median_of(around);
        let deviations: Vec<f64> =
            around.iter().map(|other| (other - usual).abs() as f64).collect();
        let size = increment - usual;
        if size as f64 > ABOVE_USUAL * median(&deviations) {
            steps.push(Step { at: index + 1, size });
        }
    }
    let mut sizes: Vec<i64> = steps.iter().map(|step| step.size).collect();
    sizes.sort_unstable_by(|a, b| b.cmp(a));
    if let Some(smallest) = sizes.get(LARGEST) {
        steps.retain(|step| step.size > *smallest);
    }
    steps
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The bytes of a `Vec` that gets `items` of 24 bytes per batch.
    fn vector(items: usize, batches: usize) -> Vec<i64> {
        (1..=batches)
            .map(|batch| {
                24 * i64::try_from((batch * items).next_power_of_two().max(4)).expect("small")
            })
            .collect()
    }

    #[test]
    fn a_vector_amounts_to_its_items() {
        for items in [1, 3, 7, 100] {
            for batches in [100, 200, 257, 400] {
                let rate = alone(&vector(items, batches)).expect("doubles");
                let truth = 24.0 * f64::from(u32::try_from(items).expect("small"));
                assert!((rate - truth).abs() <= truth * 0.02, "{items} {batches}: {rate}");
            }
        }
    }

    #[test]
    fn a_bounded_vector_and_single_steps_do_not_double() {
        let mut bounded = vector(1, 400);
        let level = bounded[150];
        bounded[150..].fill(level);
        assert_eq!(alone(&bounded), None);
        let step = |at: usize| (0..400).map(move |t| if t > at { 9_000 } else { 0 });
        assert_eq!(alone(&step(250).collect::<Vec<_>>()), None);
        let two: Vec<i64> = step(140).zip(step(280)).map(|(a, b)| a + 2 * b).collect();
        assert_eq!(alone(&two), None);
    }
}
