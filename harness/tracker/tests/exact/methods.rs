use crate::{moved, trial};
use highwater_tracker::proc::read_status;
use highwater_tracker::{Tracker, take_reading};
use libtest_mimic::Trial;
use std::alloc::{self, GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::sync::Mutex;
use std::sync::atomic::{AtomicPtr, Ordering};

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("methods::each_counts_requested_bytes", each_counts_requested_bytes),
        trial("methods::failures_are_not_counted", failures_are_not_counted),
        trial("methods::nothing_is_counted_for_empty_values", nothing_is_counted_for_empty_values),
        trial("methods::a_growing_vector_peaks_at_its_size", a_growing_vector_peaks_at_its_size),
        trial("methods::zeroed_memory_stays_untouched", zeroed_memory_stays_untouched),
        trial("methods::all_four_reach_the_inner_allocator", all_four_reach_the_inner_allocator),
        trial(
            "methods::a_block_from_before_main_can_be_freed",
            a_block_from_before_main_can_be_freed,
        ),
    ]
}

fn layout(size: usize, align: usize) -> Layout {
    Layout::from_size_align(size, align).unwrap()
}

fn each_counts_requested_bytes() {
    // Sizes around the allocator's steps, above the slack, and over-aligned.
    for (size, align) in [(1, 1), (24, 8), (25, 1), (4097, 16), (100, 4096), (5 << 20, 64)] {
        for zeroed in [false, true] {
            let layout = layout(size, align);
            let start = take_reading();
            let allocate = if zeroed { alloc::alloc_zeroed } else { alloc::alloc };
            // SAFETY: no layout here has size 0.
            let block = unsafe { allocate(layout) };
            assert!(!block.is_null());
            let allocated = take_reading();
            assert_eq!(moved(&start, &allocated), (size as i64, 1), "{layout:?}");
            assert_eq!(allocated.udf.allocations - start.udf.allocations, 1);
            assert_eq!(allocated.udf.allocated_bytes - start.udf.allocated_bytes, size as u64);

            let new_size = size * 2 + 1;
            // SAFETY: `block` has this layout, and the new size is neither 0 nor too large.
            let block = unsafe { alloc::realloc(block, layout, new_size) };
            assert!(!block.is_null());
            let grown = take_reading();
            assert_eq!(moved(&start, &grown), (new_size as i64, 1), "{layout:?}");
            assert_eq!(grown.udf.peak_bytes, grown.udf.live_bytes);
            assert_eq!(grown.udf.allocations - start.udf.allocations, 2);
            let total = (size + new_size) as u64;
            assert_eq!(grown.udf.allocated_bytes - start.udf.allocated_bytes, total);

            // SAFETY: `block` was reallocated to this layout.
            unsafe { alloc::dealloc(block, self::layout(new_size, align)) };
            let freed = take_reading();
            assert_eq!(moved(&start, &freed), (0, 0), "{layout:?}");
            assert_eq!(freed.udf.allocations, grown.udf.allocations);
        }
    }
}

fn failures_are_not_counted() {
    let impossible = layout(isize::MAX as usize - 4095, 1);
    let small = layout(16, 1);
    // SAFETY: the size is not 0.
    let kept = unsafe { alloc::alloc(small) };
    let before = take_reading();
    // SAFETY: the size is not 0.
    assert!(black_box(unsafe { alloc::alloc(black_box(impossible)) }).is_null());
    // SAFETY: the size is not 0.
    assert!(black_box(unsafe { alloc::alloc_zeroed(black_box(impossible)) }).is_null());
    // SAFETY: `kept` has this layout, and the new size is one that a layout may have.
    assert!(black_box(unsafe { alloc::realloc(kept, small, impossible.size()) }).is_null());
    let after = take_reading();
    assert_eq!(moved(&before, &after), (0, 0));
    assert_eq!(after.udf.allocations, before.udf.allocations);
    assert_eq!(after.udf.peak_bytes, before.udf.live_bytes);
    // SAFETY: a failed reallocation leaves the block as it was.
    unsafe { alloc::dealloc(kept, small) };
}

fn nothing_is_counted_for_empty_values() {
    let before = take_reading();
    black_box((Vec::<u8>::new(), String::new(), Box::new(()), vec![(); 1000]));
    let after = take_reading();
    assert_eq!(before.udf.allocations, after.udf.allocations);
    assert_eq!(moved(&before, &after), (0, 0));
}

fn a_growing_vector_peaks_at_its_size() {
    let before = take_reading();
    let mut grown = Vec::<u8>::with_capacity(1 << 20);
    grown.reserve_exact(8 << 20);
    let after = take_reading();
    assert_eq!(after.udf.peak_bytes - before.udf.live_bytes, 8 << 20);
    drop(black_box(grown));
}

fn zeroed_memory_stays_untouched() {
    let before = read_status().unwrap().rss_anon_bytes;
    let zeroes = black_box(vec![0_u8; 256 << 20]);
    let after = read_status().unwrap().rss_anon_bytes;
    assert!(after - before < 16 << 20, "{} bytes became resident", after - before);
    drop(zeroes);
}

/// Notes what it is asked for.
#[derive(Debug)]
struct Noting(Mutex<Vec<(&'static str, Layout, usize)>>);

impl Noting {
    fn note(&self, call: &'static str, layout: Layout, size: usize) {
        self.0.lock().unwrap().push((call, layout, size));
    }
}

// SAFETY: everything is forwarded to the system's allocator unchanged.
unsafe impl GlobalAlloc for Noting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.note("alloc", layout, 0);
        // SAFETY: as for the caller.
        unsafe { System.alloc(layout) }
    }
    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.note("alloc_zeroed", layout, 0);
        // SAFETY: as for the caller.
        unsafe { System.alloc_zeroed(layout) }
    }
    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        self.note("dealloc", layout, 0);
        // SAFETY: as for the caller.
        unsafe { System.dealloc(block, layout) }
    }
    unsafe fn realloc(&self, block: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        self.note("realloc", layout, new_size);
        // SAFETY: as for the caller.
        unsafe { System.realloc(block, layout, new_size) }
    }
}

fn all_four_reach_the_inner_allocator() {
    let tracker = Tracker::over(Noting(Mutex::new(Vec::with_capacity(16))));
    let (a, b) = (layout(40, 8), layout(80, 8));
    // SAFETY: the sizes are not 0, and each block is freed once with the layout it then has.
    #[expect(clippy::multiple_unsafe_ops_per_block, reason = "one sequence of calls")]
    unsafe {
        let first = tracker.alloc(a);
        let first = tracker.realloc(first, a, 80);
        let second = tracker.alloc_zeroed(a);
        tracker.dealloc(second, a);
        tracker.dealloc(first, b);
    }
    let text = format!("{tracker:?}");
    let order = ["alloc\"", "realloc\"", "alloc_zeroed\"", "dealloc\"", "dealloc\""];
    let mut rest = text.as_str();
    for call in order {
        let at = rest.find(&format!("(\"{call}")).expect(call);
        rest = &rest[at + 1..];
    }
    assert_eq!(text.matches("(\"").count(), order.len(), "{text}");
    assert!(text.contains("80)"), "{text}");
}

static EARLY: AtomicPtr<[u8; 12_345]> = AtomicPtr::new(std::ptr::null_mut());
static LATE: AtomicPtr<[u8; 54_321]> = AtomicPtr::new(std::ptr::null_mut());

extern "C" fn before_main() {
    EARLY.store(Box::into_raw(Box::new([1; 12_345])), Ordering::Relaxed);
    LATE.store(Box::into_raw(Box::new([1; 54_321])), Ordering::Relaxed);
    // SAFETY: `after_main` may run at any time after `main`.
    unsafe { libc::atexit(after_main) };
}

extern "C" fn after_main() {
    // SAFETY: the pointer came from `Box::into_raw` and is used once.
    drop(unsafe { Box::from_raw(LATE.load(Ordering::Relaxed)) });
}

#[used]
// SAFETY: the section holds pointers to functions without arguments, as this is one.
#[unsafe(link_section = ".init_array")]
static CONSTRUCTOR: extern "C" fn() = before_main;

fn a_block_from_before_main_can_be_freed() {
    let before = take_reading();
    // SAFETY: the pointer came from `Box::into_raw` and is used once.
    drop(unsafe { Box::from_raw(EARLY.load(Ordering::Relaxed)) });
    let after = take_reading();
    assert_eq!(moved(&before, &after), (-12_345, -1));
    assert!(after.udf.live_bytes >= 54_321, "the late block is still counted");
}
