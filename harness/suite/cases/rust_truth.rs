//! What is true of each case in Rust. The allocator is asked for what the types weigh, so rates are
//! sums of sizes; those that say "measured" are from a counting allocator of another make.

use super::truth::{Decision, Truth, leak, no_leak};
use highwater_core::Pattern;

pub(crate) const TRUTHS: &[Truth] = &[
    // Nine nodes of 72 bytes and a list of 64.
    leak("r01_rc_cycle", &[Pattern::HeapLeak], 712.0),
    // Two messages of 1,000 bytes, their slots and the blocks of the channel's list.
    leak("r02_unbounded_channel", &[Pattern::HeapLeak], 2065.0),
    Truth {
        batch: Some(90),
        ..no_leak(
            "r04_scratch_capacity_after_huge_row",
            &[Pattern::PathologicalRow],
            // The row of 32,000,000 bytes; measured.
            Decision::Budget { peak: 32_000_000.0 },
        )
    },
    // A column of 51,200 bytes, its 257 offsets, and the arrays around them; measured.
    leak("r06_slice_retains_parent", &[Pattern::ArrowLeak], 52_516.0),
    // A buffer of 4,096 bytes, and 24 for its place in the pool.
    leak("r08_thread_local_on_worker", &[Pattern::HeapLeak], 4_120.0),
    Truth {
        gate: Decision::Tolerance,
        ..leak("r10_forget_24b_amid_churn", &[Pattern::HeapLeak], 24.0)
    },
    no_leak("r11_lru_bytes_fill", &[Pattern::CacheFilling, Pattern::Healthy], Decision::Pass),
    Truth {
        gate: Decision::Fail,
        // 64 pages, each of them touched.
        outside_per_batch: Some(262_144.0),
        ..no_leak("r12_mmap_outside_allocator", &[Pattern::NativeLeak], Decision::Fail)
    },
    no_leak("r13_flush_sawtooth", &[Pattern::Healthy], Decision::Pass),
    no_leak("r14_fragmentation", &[Pattern::AllocatorRetention], Decision::Warn),
    no_leak(
        "r18_all_pairs_peak",
        &[Pattern::OversizedPeak],
        // 1,024 vectors of 1,024 distances in 8 bytes and their headers; measured with what is
        // around them.
        Decision::Budget { peak: 8_420_000.0 },
    ),
];
