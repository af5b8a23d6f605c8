//! How long a fixture's run goes on.

use highwater_core::{Batches, Class, Finding, MIN_BATCHES, Run, analyse};
use highwater_fixture::FixtureSpec;
use highwater_worker::Pace;

/// Batches between two questions of a quick run.
const QUICK_STEP: u32 = 50;
/// Batches before which growth without a bound in sight is not believed: a cache that is still filling
/// grows as evenly as a leak, and only more batches tell them apart.
const LEAK_BATCHES: u32 = 2 * MIN_BATCHES.0;

/// Whether a run may end before the batches that its fixture asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Haste {
    /// It never does: a leak may start late, so a quiet beginning proves nothing.
    #[default]
    Whole,
    /// It ends at the first certain answer. Nothing is gated by such a run.
    Quick,
}

/// A run that does the fixture's batches, and goes on, twice as long each time, while the answer is
/// not certain and the fixture's longest run not reached.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Length {
    asked: u32,
    most: u32,
    haste: Haste,
}

impl Length {
    pub(crate) fn of(spec: &FixtureSpec, haste: Haste) -> Self {
        let asked = spec.batches.0;
        Self { asked, most: spec.max_batches.0.max(asked), haste }
    }

    /// Whether nothing is left to decide.
    pub(crate) fn is_fixed(self) -> bool {
        self.most == self.asked && self.first() == Batches(self.asked)
    }

    fn after(self, done: u32, finding: &Finding) -> u32 {
        let is_certain = finding.pattern().is_some();
        if done < self.asked {
            return if is_certain { done } else { done.saturating_add(QUICK_STEP).min(self.asked) };
        }
        let leaks = finding.pattern().is_some_and(|pattern| pattern.class() == Class::Fail);
        if finding.wants_more() || leaks && done < LEAK_BATCHES {
            done.saturating_mul(2).min(self.most).max(done)
        } else {
            done
        }
    }
}

impl Pace for Length {
    fn first(&self) -> Batches {
        match self.haste {
            Haste::Whole => Batches(self.asked),
            Haste::Quick => MIN_BATCHES.min(Batches(self.asked)),
        }
    }

    fn next(&self, so_far: &Run) -> Batches {
        let done = u32::try_from(so_far.batches.len()).unwrap_or(u32::MAX);
        Batches(self.after(done, &analyse(so_far)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use highwater_core::{Bytes, Reading};

    fn run(live: impl Fn(i64) -> i64, batches: i64) -> Run {
        let reading = |batch| Reading { live: Bytes(live(batch)), ..Reading::default() };
        Run { batches: (0..batches).map(reading).collect(), ..Run::default() }
    }

    fn length(batches: u32, most: u32, haste: Haste) -> Length {
        let spec = FixtureSpec {
            batches: Batches(batches),
            max_batches: Batches(most),
            ..FixtureSpec::new("any")
        };
        Length::of(&spec, haste)
    }

    /// The length of a run whose live bytes are `live`, as the worker would ask for it.
    fn walked(length: Length, live: impl Fn(i64) -> i64) -> u32 {
        let mut done = length.first();
        loop {
            let next = length.next(&run(&live, i64::from(done.0)));
            if next <= done {
                return done.0;
            }
            done = next;
        }
    }

    /// Fills ever more slowly, and nearly reaches its bound by batch 1,500.
    #[expect(clippy::cast_possible_truncation, reason = "it is rounded")]
    fn filling(batch: i64) -> i64 {
        (1e6 * (1.0 - (-(batch as f64) / 300.0).exp())) as i64
    }

    #[test]
    fn a_certain_answer_takes_what_was_asked_for() {
        assert_eq!(walked(length(200, 800, Haste::Whole), |_| 7), 200);
        assert_eq!(walked(length(200, 800, Haste::Whole), |batch| 100 * batch), 200);
        assert!(length(200, 200, Haste::Whole).is_fixed());
        assert!(!length(200, 800, Haste::Whole).is_fixed());
    }

    #[test]
    fn an_uncertain_one_takes_more_up_to_the_most() {
        assert_eq!(walked(length(200, 300, Haste::Whole), filling), 300);
        let enough = walked(length(200, 100_000, Haste::Whole), filling);
        assert!((1600..=3200).contains(&enough), "{enough}");
    }

    /// A leak is believed after 200 batches; a cache that is full by then was none.
    #[test]
    fn early_growth_takes_more() {
        assert_eq!(walked(length(120, 480, Haste::Whole), |batch| 100 * batch), 240);
        assert_eq!(walked(length(120, 480, Haste::Whole), |batch| 100 * batch.min(180)), 240);
        assert_eq!(walked(length(120, 480, Haste::Whole), |_| 7), 120);
        assert_eq!(walked(length(120, 120, Haste::Whole), |batch| 100 * batch), 120);
    }

    #[test]
    fn a_quick_run_ends_at_the_first_certain_answer() {
        assert_eq!(walked(length(800, 800, Haste::Quick), |batch| 100 * batch), 100);
        assert!(walked(length(800, 800, Haste::Quick), |batch| filling(3 * batch)) > 100);
        assert_eq!(walked(length(60, 60, Haste::Quick), |_| 7), 60);
    }

    /// Whoever asks for too few batches is told, and does not get more.
    #[test]
    fn too_few_batches_stay_too_few() {
        assert_eq!(walked(length(50, 800, Haste::Whole), |_| 7), 50);
    }
}
