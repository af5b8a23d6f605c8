//! What is true of each case in Python.
//!
//! Requested bytes, as the tracker counts them. The cases were first measured as blocks of glibc,
//! which are 8 to 23 bytes larger each, so those figures are higher here where many small blocks are
//! kept. "memray" is what memray 1.20 books as leaked in batches 66 to 199, less the same for 66 to
//! 132, so that what a run leaves at its end is in neither: requested bytes, too, over the `system`
//! pool and with a collection after each batch.
//!
//! A table or list that grows with what is kept counts as what its used part weighs: over the years
//! it is between that and its next capacity.

use super::truth::{Decision, Truth, leak, no_leak};
use highwater_core::Pattern::{
    AllocatorRetention, ArrowLeak, CacheFilling, GcCycles, Healthy, HeapLeak, NativeLeak,
    OversizedPeak,
};

pub(crate) const TRUTHS: &[Truth] = &[
    no_leak("p01_lru_bounded_fill", &[CacheFilling, Healthy], Decision::Pass),
    no_leak("p02_flush_sawtooth", &[Healthy], Decision::Pass),
    no_leak("p04_gc_cycles_gen2", &[GcCycles], Decision::Warn),
    // A float. By hand.
    Truth { gate: Decision::Tolerance, ..leak("p05_leak24_amid_churn", &[HeapLeak], 24.0) },
    // 5.12 failed rows; memray over 75 batches, since every 25th begins like the first.
    leak("p07_error_path_leak", &[HeapLeak], 37_643.0),
    // The object of the mapping and its place in a list are in the heap; by hand 96 + 8, and a ninth
    // of those 8.
    Truth {
        outside_per_batch: Some(262_144.0),
        ..leak("p09_mmap_anon_leak", &[NativeLeak, HeapLeak], 105.0)
    },
    // 262,144 of elements, 240 of two array objects, 8 in a list. By hand, and memray: 262,390.
    leak("p10_numpy_view_pins_base", &[HeapLeak], 262_392.0),
    // Two of 4,096² distances in 8 bytes. By hand.
    no_leak(
        "p11_one_peak_batch",
        &[OversizedPeak, Healthy],
        Decision::Budget { peak: 268_435_456.0 },
    ),
    no_leak("p13_fragmentation", &[AllocatorRetention], Decision::Warn),
    no_leak("p15_warmup_20", &[Healthy, CacheFilling], Decision::Pass),
    no_leak("p17_midrun_lazy_init", &[Healthy, CacheFilling], Decision::Pass),
    // memray: 51,200 of text and 1,028 of offsets, rounded by Arrow to 64, and what is around them.
    leak("p18_arrow_slice_pins_batch", &[ArrowLeak], 52_942.0),
    // memray: two columns of 2,048 and the batch around them.
    leak("p19_record_batch_retention", &[ArrowLeak], 5_694.0),
    // memray: 32 columns of 2,048 in NumPy's memory, and the objects around them.
    leak("p20_arrow_numpy_backed_retention", &[HeapLeak, ArrowLeak], 87_230.0),
    // 20 keys of 77 bytes, 20 values of 273, and their places in a table that is two thirds full:
    // 16 bytes and 1.5 indices of 2. By hand.
    leak("p22_unbounded_dict_cache", &[HeapLeak], 7_380.0),
    // 100,000 of an array, and the objects around it; memray less its lists: 100,512 by the batch.
    leak("p23_lru_on_method_keeps_self", &[HeapLeak], 100_787.0),
    // Ever more: no rate.
    Truth { bytes_per_batch: None, ..leak("p24_log_handlers_accelerating", &[HeapLeak], 0.0) },
    // 15,504 of tasks and lists by memray, which books 19,417 in windows of which one has the sets'
    // growth. Eight places in each of two sets, 16 bytes each in tables that are three fifths full:
    // 427 by hand.
    leak("p26_asyncio_tasks_kept", &[HeapLeak], 15_931.0),
    // 32,768 of zeros, 2,048 of cells, and the objects. By hand, and memray.
    leak("p28_object_array_cycle", &[HeapLeak], 35_128.0),
    // memray: 256 rows in pages of 4 KiB, and what the library keeps of those.
    leak("p29_sqlite_memory_db", &[NativeLeak, HeapLeak], 66_242.0),
    no_leak("p32_to_pandas_churn", &[Healthy], Decision::Pass),
    no_leak("p34_arrow_pool_hoard", &[AllocatorRetention, Healthy, OversizedPeak], Decision::Warn),
    no_leak("p36_welford_healthy", &[Healthy], Decision::Pass),
    no_leak("p37_output_view_of_big_base", &[Healthy], Decision::Pass),
    // 256 rows of 8 columns in 8 bytes. By hand, and memray.
    leak("p38_concat_history", &[HeapLeak], 16_384.0),
    // 2,048² distances in 8 bytes. By hand.
    no_leak("p42_outer_peak", &[OversizedPeak, Healthy], Decision::Budget { peak: 33_554_432.0 }),
    // Ever less, by 1 / √t: no rate.
    Truth { bytes_per_batch: None, ..leak("p43_vocab_sublinear", &[HeapLeak, CacheFilling], 0.0) },
    // memray: 51,200 of text and its offsets, and the frame around them.
    leak("p46_pandas_str_pins_arrow", &[ArrowLeak, HeapLeak], 55_790.0),
    no_leak("p48_interpreter_freelist_drift", &[Healthy, GcCycles, CacheFilling], Decision::Pass),
    // memray: 256 messages in an arena that is stretched by 32 KiB.
    leak("x01_protobuf_reparse", &[NativeLeak, HeapLeak], 91_991.0),
    // The objects in the heap: by hand 120 and 8, and a ninth of those 8. The text is in the
    // library's own allocator.
    leak("x04_polars_head_pins_buffer", &[NativeLeak, AllocatorRetention, HeapLeak], 129.0),
];
