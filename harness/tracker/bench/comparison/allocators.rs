//! The four allocators.

use highwater_tracker::Tracker;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};
use std::alloc::System;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Allocator {
    Plain,
    Tracker,
    StatsAlloc,
    Dhat,
}

pub(crate) static TRACKER: Tracker = Tracker::new();
pub(crate) static STATS_ALLOC: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;
pub(crate) static DHAT: dhat::Alloc = dhat::Alloc;

impl Allocator {
    pub(crate) const ALL: [Self; 4] = [Self::Plain, Self::Tracker, Self::StatsAlloc, Self::Dhat];

    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Plain => "plain",
            Self::Tracker => "highwater",
            Self::StatsAlloc => "stats_alloc",
            Self::Dhat => "dhat",
        }
    }

    /// Runs `work` with dhat's profiler on if this is dhat, which counts nothing without it.
    pub(crate) fn while_profiling<T>(self, work: impl FnOnce() -> T) -> T {
        let profiler = (self == Self::Dhat).then(|| dhat::Profiler::builder().testing().build());
        let result = work();
        drop(profiler);
        result
    }
}
