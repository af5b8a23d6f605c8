//! Steps whose sizes and distances double: a container that is filled evenly and doubles its
//! capacity when full.

/// How far a step may be from twice its predecessor.
const RATIO: std::ops::RangeInclusive<f64> = 1.8..=2.2;
/// The same for distances, which are whole batches.
const GAPS: std::ops::RangeInclusive<f64> = 1.5..=2.7;
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
    let amortised = amortised(&steps);
    let average = (series[last] - series[last / 2]) as f64 / (last - last / 2) as f64;
    Some(if amortised > 0.0 { amortised } else { average })
}

/// What doubling steps amount to per value: a step of `size` bought capacity that was used up when
/// the next step, twice as large, came. Steps without such a predecessor amount to nothing: they
/// are one-time.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
pub(super) fn amortised(steps: &[Step]) -> f64 {
    let doubles = |small: &Step, large: &Step| {
        small.at < large.at && RATIO.contains(&(large.size as f64 / small.size as f64))
    };
    let parent = |step: &Step| {
        let candidates = steps.iter().filter(|other| other.size > 0 && doubles(other, step));
        candidates.max_by_key(|other| other.at).copied()
    };
    let newest = steps
        .iter()
        .filter(|step| step.size > 0 && !steps.iter().any(|later| doubles(step, later)));
    newest
        .filter_map(|step| {
            // What all its predecessors bought was used up from the first of them to this step.
            let (mut bought, mut first, mut generations) = (0, *step, 0);
            let mut gap = None;
            while let Some(before) = parent(&first) {
                let distance = (first.at - before.at) as f64;
                if gap.is_some_and(|later: f64| !GAPS.contains(&(later / distance))) {
                    break;
                }
                bought += before.size;
                first = before;
                gap = Some(distance);
                generations += 1;
            }
            // A pair can be chance, so the predecessor must have one, too.
            (generations >= 2).then(|| bought as f64 / (step.at - first.at) as f64)
        })
        .sum()
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
