//! What grows outside the allocator's books: resident memory and threads.

use super::growth::growth;
use super::windows::WINDOWS;
use crate::evidence::{Growth, Holder, Outside, OutsideKind, Shape, Trend};
use crate::series::Run;

/// Growth over the judged part below which resident memory says nothing: 128 pages of 4 KiB, as
/// much as page tables, stacks and the allocator's own books move.
const FLOOR: i64 = 512 << 10;
/// Threads that must have been added in the judged part.
const THREADS: i64 = 8;

/// Growth in the second half, relative to the first, of what does not slow down. What an allocator
/// keeps does: the more holes there are, the more requests fit into one.
const EVEN: f64 = 0.85;

/// What grows outside the books while live bytes, `live`, do not.
///
/// Resident memory is judged more strictly than live bytes, because allocators keep freed pages:
/// when a UDF asked the allocator for as much as resident memory grew, the growth can be the
/// allocator's, and then it must be even and go on in every window. When it asked for less, the
/// allocator cannot be what holds it.
pub(super) fn outside(run: &Run, live: &Growth) -> Option<Outside> {
    if !matches!(live.shape.trend(), Trend::Bounded | Trend::Filled) {
        return None;
    }
    let judged = run.batches.len() / 3;
    let requested = requested(run, judged);
    let threads = run.threads_series();
    let memory = [
        (OutsideKind::RssAnon, run.rss_anon_series()),
        (OutsideKind::RssShmem, run.rss_shmem_series()),
    ];
    // Threads first: their stacks are resident memory, so they are the cause.
    let added = threads.last()? - threads.get(judged)?;
    let growth_of_threads = growth(&threads);
    if added >= THREADS && growth_of_threads.shape.trend() == Trend::Unbounded {
        let holder = Holder::Outside;
        let what = OutsideKind::Threads;
        return Some(Outside {
            what,
            growth: growth_of_threads,
            allocated_per_batch: requested,
            holder,
        });
    }
    memory.into_iter().find_map(|(what, series)| {
        let growth = growth(&series);
        let grown = growth.minima.last()? - growth.minima.first()?;
        // glibc serves shared memory to nobody.
        let holder = if what == OutsideKind::RssShmem || growth.per_batch > requested {
            Holder::Outside
        } else {
            Holder::AllocatorOrOutside
        };
        let even = match holder {
            Holder::Outside => {
                let rises = growth.minima.windows(2).filter(|pair| pair[1] > pair[0]).count();
                growth.shape.trend() == Trend::Unbounded && rises + 2 >= growth.minima.len()
            }
            Holder::AllocatorOrOutside => {
                matches!(growth.shape, Shape::Steady | Shape::Accelerating)
                    && growth.late_per_batch >= EVEN * growth.early_per_batch
                    && growth.minima.len() == WINDOWS
                    && growth.minima.windows(2).all(|pair| pair[1] > pair[0])
            }
        };
        (grown >= FLOOR && even).then_some(Outside {
            what,
            growth,
            allocated_per_batch: requested,
            holder,
        })
    })
}

/// Bytes per batch asked for in the judged part.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
fn requested(run: &Run, judged: usize) -> f64 {
    let (Some(first), Some(last)) = (run.batches.get(judged), run.batches.last()) else {
        return 0.0;
    };
    (last.allocated - first.allocated).0 as f64 / (run.batches.len() - 1 - judged).max(1) as f64
}
