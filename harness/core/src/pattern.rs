//! The patterns a finding can have, and how the gate treats each.

use std::fmt;

use serde::{Deserialize, Serialize};

/// What the series of a run show.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Pattern {
    /// Live is flat after warm-up: a level, a step, a sawtooth, a shrinking state are all flat.
    Healthy,
    /// Live grew over many batches, then stayed level while work went on.
    CacheFilling,
    /// Live bytes grow without a bound.
    HeapLeak,
    /// The Arrow pool's live bytes grow without a bound.
    ArrowLeak,
    /// Memory outside the allocator's books grows: mappings, threads, a foreign allocator.
    NativeLeak,
    /// Live climbs between garbage collections and is flat after a forced one.
    GcCycles,
    /// Live is flat, resident memory climbs, and an experiment gives it back.
    AllocatorRetention,
    /// Live is flat, but a normal batch peaks at many times what it and the state weigh.
    OversizedPeak,
    /// One batch's peak stands out from all others.
    PathologicalRow,
}

impl Pattern {
    /// Every pattern, in the order of the documentation.
    pub const ALL: [Self; 9] = [
        Self::Healthy,
        Self::CacheFilling,
        Self::HeapLeak,
        Self::ArrowLeak,
        Self::NativeLeak,
        Self::GcCycles,
        Self::AllocatorRetention,
        Self::OversizedPeak,
        Self::PathologicalRow,
    ];

    /// The name in YAML, JSON and reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Healthy => "healthy",
            Self::CacheFilling => "cache_filling",
            Self::HeapLeak => "heap_leak",
            Self::ArrowLeak => "arrow_leak",
            Self::NativeLeak => "native_leak",
            Self::GcCycles => "gc_cycles",
            Self::AllocatorRetention => "allocator_retention",
            Self::OversizedPeak => "oversized_peak",
            Self::PathologicalRow => "pathological_row",
        }
    }

    /// How the gate treats the pattern.
    #[must_use]
    pub const fn class(self) -> Class {
        match self {
            Self::Healthy | Self::CacheFilling => Class::Pass,
            Self::GcCycles | Self::AllocatorRetention => Class::Warn,
            Self::OversizedPeak | Self::PathologicalRow => Class::PeakLimit,
            Self::HeapLeak | Self::ArrowLeak | Self::NativeLeak => Class::Fail,
        }
    }
}

impl fmt::Display for Pattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.name())
    }
}

/// How the gate treats a pattern.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// Passes.
    Pass,
    /// Passes; reports show a warning.
    Warn,
    /// Passes or fails by the peak's limit alone.
    PeakLimit,
    /// Fails, unless an accepted baseline already has it.
    Fail,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_the_serialized_ones() {
        for pattern in Pattern::ALL {
            let json = serde_json::to_string(&pattern).expect("a pattern is a string");
            assert_eq!(json, format!("\"{pattern}\""));
        }
    }
}
