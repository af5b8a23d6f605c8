//! What is true of each case.

use highwater_core::Pattern;

/// A case and what must be measured of it over 200 batches of 256 rows.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Truth {
    pub(crate) case: &'static str,
    /// The patterns that are right; the first is the best.
    pub(crate) patterns: &'static [Pattern],
    /// Leaked bytes per batch, within 1 % or 16 bytes; 0 where nothing leaks through the allocator.
    pub(crate) bytes_per_batch: f64,
    /// The batch that must be blamed, where one stands out.
    pub(crate) batch: Option<u32>,
}

const fn leak(case: &'static str, pattern: &'static [Pattern], bytes_per_batch: f64) -> Truth {
    Truth { case, patterns: pattern, bytes_per_batch, batch: None }
}

const fn no_leak(case: &'static str, patterns: &'static [Pattern]) -> Truth {
    leak(case, patterns, 0.0)
}

pub(crate) const TRUTHS: &[Truth] = &[
    // Nine nodes of 72 bytes and a list of 64.
    leak("r01_rc_cycle", &[Pattern::HeapLeak], 712.0),
    // Two messages of 1,000 bytes, their slots and the blocks of the channel's list.
    leak("r02_unbounded_channel", &[Pattern::HeapLeak], 2065.0),
    Truth {
        batch: Some(90),
        ..no_leak("r04_scratch_capacity_after_huge_row", &[Pattern::PathologicalRow])
    },
    // A column of 51,200 bytes, its 257 offsets, and the arrays around them.
    leak("r06_slice_retains_parent", &[Pattern::ArrowLeak], 52_516.0),
    leak("r08_thread_local_on_worker", &[Pattern::HeapLeak], 4_120.0),
    leak("r10_forget_24b_amid_churn", &[Pattern::HeapLeak], 24.0),
    no_leak("r11_lru_bytes_fill", &[Pattern::CacheFilling, Pattern::Healthy]),
    no_leak("r12_mmap_outside_allocator", &[Pattern::NativeLeak]),
    no_leak("r13_flush_sawtooth", &[Pattern::Healthy]),
    no_leak("r14_fragmentation", &[Pattern::AllocatorRetention]),
    no_leak("r18_all_pairs_peak", &[Pattern::OversizedPeak]),
];
