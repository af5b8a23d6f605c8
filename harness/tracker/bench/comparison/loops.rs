//! Loops that do nothing but allocate and free, 16 to 1024 bytes at a time.

use crate::allocators::{Allocator, DHAT, STATS_ALLOC, TRACKER};
use crate::clock::cpu_ns;
use std::alloc::{GlobalAlloc, Layout, System};
use std::hint::black_box;
use std::ptr::NonNull;
use std::thread;

const PAIRS: usize = 400_000;
/// dhat takes a backtrace for each allocation.
const PAIRS_FOR_DHAT: usize = 4_000;
pub(crate) const SLOTS: usize = 4096;

/// A loop over an allocator that makes so many pairs of an allocation and a free, and besides fills
/// and empties its slots.
pub(crate) type Loop = fn(&(dyn Erased + Sync), usize);

/// CPU nanoseconds per pair, of a loop that uses so many slots in all.
pub(crate) fn run(allocator: Allocator, work: Loop, slots: usize) -> f64 {
    let erased = allocator.erased();
    let pairs = if allocator == Allocator::Dhat { PAIRS_FOR_DHAT } else { PAIRS };
    allocator.while_profiling(|| {
        work(erased, pairs / 10);
        let start = cpu_ns();
        work(erased, pairs);
        (cpu_ns() - start) / (pairs + slots) as f64
    })
}

impl Allocator {
    pub(crate) fn erased(self) -> &'static (dyn Erased + Sync) {
        match self {
            Self::Plain => &System,
            Self::Tracker => &TRACKER,
            Self::StatsAlloc => &STATS_ALLOC,
            Self::Dhat => &DHAT,
        }
    }
}

/// Allocates and frees at once.
pub(crate) fn tight(allocator: &(dyn Erased + Sync), pairs: usize) {
    allocator.tight(pairs);
}

/// Replaces random ones of 4096 blocks.
pub(crate) fn slots(allocator: &(dyn Erased + Sync), pairs: usize) {
    allocator.slots(pairs, 1);
}

/// The same in four threads, each with its own slots.
pub(crate) fn slots_in_four_threads(allocator: &(dyn Erased + Sync), pairs: usize) {
    thread::scope(|scope| {
        for seed in 1..5 {
            scope.spawn(move || allocator.slots(pairs / 4, seed));
        }
    });
}

/// The loops, compiled once for each allocator, so that its methods are inlined as far as they can
/// be.
pub(crate) trait Erased {
    fn tight(&self, pairs: usize);
    fn slots(&self, pairs: usize, seed: u64);
}

impl<A: GlobalAlloc> Erased for A {
    fn tight(&self, pairs: usize) {
        let mut random = Random(88_172_645_463_325_252);
        for _ in 0..pairs {
            let block = Block::new(self, random.layout());
            block.free(self);
        }
    }

    fn slots(&self, pairs: usize, seed: u64) {
        let mut random = Random(88_172_645_463_325_252 * (2 * seed + 1));
        let mut slots: Vec<_> = (0..SLOTS).map(|_| Block::new(self, random.layout())).collect();
        for _ in 0..pairs {
            let slot = random.next() as usize % SLOTS;
            let new = Block::new(self, random.layout());
            std::mem::replace(&mut slots[slot], new).free(self);
        }
        for block in slots {
            block.free(self);
        }
    }
}

struct Block {
    start: NonNull<u8>,
    layout: Layout,
}

impl Block {
    #[inline(always)]
    fn new<A: GlobalAlloc>(allocator: &A, layout: Layout) -> Self {
        // SAFETY: no layout here has size 0.
        let start = unsafe { allocator.alloc(layout) };
        let start = black_box(NonNull::new(start).expect("memory"));
        Self { start, layout }
    }

    #[inline(always)]
    fn free<A: GlobalAlloc>(self, allocator: &A) {
        // SAFETY: the block came from this allocator with this layout, and is used no more.
        unsafe { allocator.dealloc(self.start.as_ptr(), self.layout) };
    }
}

/// Xorshift.
struct Random(u64);

impl Random {
    #[inline(always)]
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    #[inline(always)]
    fn layout(&mut self) -> Layout {
        let size = 16 + self.next() as usize % 1009;
        Layout::from_size_align(size, 8).expect("a small layout")
    }
}
