//! How long a fixture's run goes on, as its worker asks.

use highwater_core::{Batches, Class, Haste, Length, Run, analyse};
use highwater_fixture::FixtureSpec;
use highwater_worker::Pace;

/// The pace of a fixture's run.
#[derive(Debug, Clone, Copy)]
pub(crate) struct FixturePace(Length);

impl FixturePace {
    pub(crate) fn of(spec: &FixtureSpec, haste: Haste) -> Self {
        Self(Length {
            asked: spec.batches,
            most: spec.max_batches,
            haste,
            knows_leak: spec.expect.is_some_and(|pattern| pattern.class() == Class::Fail),
            memory_limit: spec.memory_limit,
        })
    }

    /// Whether nothing is left to decide.
    pub(crate) fn is_fixed(self) -> bool {
        self.0.is_fixed()
    }
}

impl Pace for FixturePace {
    fn first(&self) -> Batches {
        self.0.first()
    }

    fn next(&self, so_far: &Run) -> Batches {
        self.0.after(so_far, &analyse(so_far))
    }
}
