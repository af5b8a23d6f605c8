//! What grows outside the allocator's books: resident memory and threads.

use super::growth::growth;
use super::windows::WINDOWS;
use crate::evidence::{Growth, Holder, Outside, OutsideKind, Shape, Trend};
use crate::series::{Reading, Run};

/// Growth over the judged part below which resident memory says nothing: 128 pages of 4 KiB, as
/// much as page tables, stacks and the allocator's own books move.
pub(super) const FLOOR: i64 = 512 << 10;
/// Threads that must have been added in the judged part.
const THREADS: i64 = 8;

/// Growth in the second half, relative to the first, of what does not slow down. What an allocator
/// keeps does: the more holes there are, the more requests fit into one.
const EVEN: f64 = 0.85;

/// The most that an allocator adds to a block for its own books and for alignment. The smallest block
/// of glibc takes 32 bytes, and larger ones take a header of 8 and less than 16 for alignment.
const BLOCK: i64 = 32;

/// What grows outside the books faster than live bytes, `live`, do inside.
///
/// Resident memory is judged more strictly than live bytes, because allocators keep freed pages:
/// when a UDF asked the allocator for as much as resident memory grew, the growth can be the
/// allocator's, and then it must be even and go on in every window. When it asked for less, the
/// allocator cannot be what holds it. Beside a leak in the heap only what is surely outside
/// counts, and only when it is the larger part. Mappings come last: where their pages are touched,
/// resident memory says what they weigh.
pub(super) fn outside(run: &Run, live: &Growth) -> Option<Outside> {
    let trend = live.shape.trend();
    if trend == Trend::Undecided {
        return None;
    }
    let leaked = if trend == Trend::Unbounded { live.per_batch } else { 0.0 };
    let anon = beyond_the_leak(run, trend);
    // Threads first: their stacks are resident memory, so they are the cause.
    if let Some(threads) = threads(run)
        && (leaked == 0.0 || growth(&anon).per_batch > leaked)
    {
        return Some(threads);
    }
    [(OutsideKind::RssAnon, anon), (OutsideKind::RssShmem, run.rss_shmem_series())]
        .into_iter()
        .filter_map(|(what, series)| memory(run, what, &series))
        .find(|found| {
            trend != Trend::Unbounded
                || (found.holder == Holder::Outside && found.growth.per_batch > leaked)
        })
        .or_else(|| mappings(run).filter(|found| found.growth.per_batch > leaked))
}

/// Whether resident memory grew by more than was asked for, since before `setup`. If not, memory
/// that was asked for long ago is being touched for the first time, and its pages are no news.
fn more_than_asked_for(run: &Run) -> bool {
    let beyond = |reading: &Reading| reading.rss() - reading.live - reading.harness_live;
    run.batches.last().is_some_and(|last| beyond(last) > beyond(&run.before_setup))
}

/// Resident anonymous memory, without what is leaked inside the books and what these blocks take
/// besides.
fn beyond_the_leak(run: &Run, trend: Trend) -> Vec<i64> {
    let leaks = trend == Trend::Unbounded;
    let kept = |reading: &Reading| reading.live.0 + BLOCK * reading.blocks.0;
    let beyond = |reading: &Reading| reading.rss_anon.0 - if leaks { kept(reading) } else { 0 };
    run.batches.iter().map(beyond).collect()
}

/// Growth of anonymous mappings that nobody touches. They cost no memory yet, but the kernel allows
/// a process 65,530 of them, and whatever is touched later is resident.
fn mappings(run: &Run) -> Option<Outside> {
    let judged = run.batches.len() / 3;
    let growth = growth(&run.mapped_series()?);
    let mapped_per_batch = mapped(run, judged)?;
    let grown = growth.minima.last()? - growth.minima.first()?;
    // Not the arenas that Python maps for what is leaked inside the books.
    let others = mapped_per_batch > growth.per_batch / 2.0;
    let persists = growth.shape.trend() == Trend::Unbounded;
    (persists && others && grown >= FLOOR).then(|| Outside {
        what: OutsideKind::Mapped,
        growth,
        allocated_per_batch: requested(run, judged),
        mapped_per_batch: Some(mapped_per_batch),
        holder: Holder::Outside,
    })
}

fn threads(run: &Run) -> Option<Outside> {
    let judged = run.batches.len() / 3;
    let threads = run.threads_series();
    let added = threads.last()? - threads.get(judged)?;
    let growth = growth(&threads);
    (added >= THREADS && growth.shape.trend() == Trend::Unbounded).then(|| Outside {
        what: OutsideKind::Threads,
        growth,
        allocated_per_batch: requested(run, judged),
        mapped_per_batch: None,
        holder: Holder::Outside,
    })
}

/// Growth of one kind of resident memory, if there is any that persists.
fn memory(run: &Run, what: OutsideKind, series: &[i64]) -> Option<Outside> {
    let judged = run.batches.len() / 3;
    let allocated_per_batch = requested(run, judged);
    let mapped_per_batch = mapped(run, judged);
    let growth = growth(series);
    let grown = growth.minima.last()? - growth.minima.first()?;
    // The C library's own mappings are not among those that are counted, so the holder of what was
    // mapped is another; it serves shared memory to nobody.
    let is_mapped = mapped_per_batch.is_some_and(|mapped| mapped > growth.per_batch / 2.0);
    // Memory that the allocator was never asked for is not the allocator's, whatever it gives back
    // of what it kept from before.
    let never_asked = growth.per_batch > allocated_per_batch;
    let holder = if what == OutsideKind::RssShmem || never_asked || is_mapped {
        Holder::Outside
    } else if gave_back(run) * 2 >= grown.max(1) {
        Holder::Allocator
    } else {
        Holder::AllocatorOrOutside
    };
    let rises = growth.minima.windows(2).filter(|pair| pair[1] > pair[0]).count();
    let even = match holder {
        Holder::Outside | Holder::Allocator => {
            growth.shape.trend() == Trend::Unbounded && rises + 2 >= growth.minima.len()
        }
        Holder::AllocatorOrOutside => {
            matches!(growth.shape, Shape::Steady | Shape::Accelerating)
                && growth.late_per_batch >= EVEN * growth.early_per_batch
                && growth.minima.len() == WINDOWS
                && rises + 1 == WINDOWS
        }
    };
    (grown >= FLOOR && even && more_than_asked_for(run)).then_some(Outside {
        what,
        growth,
        allocated_per_batch,
        mapped_per_batch,
        holder,
    })
}

/// Resident bytes that the allocators gave back when they were asked to; 0 when they were not.
fn gave_back(run: &Run) -> i64 {
    run.experiments.map_or(0, |experiments| experiments.allocators().0)
}

/// Bytes per batch asked for in the judged part, with what the allocator adds to each block.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
fn requested(run: &Run, judged: usize) -> f64 {
    let (Some(first), Some(last)) = (run.batches.get(judged), run.batches.last()) else {
        return 0.0;
    };
    let blocks = last.allocations.saturating_sub(first.allocations);
    let added = BLOCK as f64 * blocks as f64;
    ((last.allocated - first.allocated).0 as f64 + added) / between(run, judged)
}

/// Bytes per batch of address space that was mapped in the judged part, without what Python may
/// have mapped for blocks of its own: its arenas are mappings like any other.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
fn mapped(run: &Run, judged: usize) -> Option<f64> {
    let (first, last) = (run.batches.get(judged)?, run.batches.last()?);
    let mapped = last.mapped? - first.mapped?;
    let python = last.live - last.native? - (first.live - first.native?);
    Some((mapped.0 - python.0.max(0)) as f64 / between(run, judged))
}

#[expect(clippy::cast_precision_loss, reason = "a count of batches")]
fn between(run: &Run, judged: usize) -> f64 {
    (run.batches.len() - 1 - judged).max(1) as f64
}
