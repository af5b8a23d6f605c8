//! Which pages are anonymous mappings that the process made itself: one bit per page.
//!
//! A set, not a sum: unmapping a part, mapping a file over it, unmapping what was never mapped by the
//! program: each changes exactly the pages it touches. No lock; bits are changed 64 at a time.

use core::ptr;
use core::sync::atomic::{AtomicPtr, AtomicU64, Ordering};

use crate::{books, pages};

const PAGE_BITS: u32 = 12;
const PAGE_BYTES: usize = 1 << PAGE_BITS;
/// Pages per leaf, as a power of two: 64 GiB of address, 2 MiB of bits.
const LEAF_BITS: u32 = 24;
const LEAF_WORDS: usize = 1 << (LEAF_BITS - 6);
const LEAVES: usize = 1 << (47 - PAGE_BITS - LEAF_BITS);

/// Longer mappings are reserved address space, not memory, and would take long to note.
pub(crate) const LONGEST_BYTES: usize = 64 << 30;

static TOP: [AtomicPtr<AtomicU64>; LEAVES] = [const { AtomicPtr::new(ptr::null_mut()) }; LEAVES];

/// Notes the pages of a range as anonymous and returns how many bytes of them were not.
pub(crate) fn insert(start: usize, bytes: usize) -> usize {
    walk(start, bytes, |word, mask| match word {
        Some(word) => (mask & !word.fetch_or(mask, Ordering::Relaxed)).count_ones(),
        None => {
            books::lose();
            0
        }
    })
}

/// Forgets the pages of a range and returns how many bytes of them were noted.
pub(crate) fn remove(start: usize, bytes: usize) -> usize {
    walk(start, bytes, |word, mask| {
        word.map_or(0, |word| (mask & word.fetch_and(!mask, Ordering::Relaxed)).count_ones())
    })
}

/// Calls `change` with each word of the range and the bits in question, and sums up the pages that
/// it returns, in bytes.
fn walk(
    start: usize,
    bytes: usize,
    mut change: impl FnMut(Option<&AtomicU64>, u64) -> u32,
) -> usize {
    let first = start >> PAGE_BITS;
    let end = start.saturating_add(bytes).saturating_add(PAGE_BYTES - 1) >> PAGE_BITS;
    let mut page = first;
    let mut changed = 0_usize;
    while page < end {
        let next = end.min((page | 63) + 1);
        // From `page` to `next`, which lie in one word.
        let mask = (u64::MAX >> (64 - (next - page))) << (page & 63);
        changed += change(word(page), mask) as usize;
        page = next;
    }
    changed << PAGE_BITS
}

/// The word that holds a page's bit, or `None` beyond the address space or without memory.
fn word(page: usize) -> Option<&'static AtomicU64> {
    let slot = TOP.get(page >> LEAF_BITS)?;
    let mut leaf = slot.load(Ordering::Acquire);
    if leaf.is_null() {
        leaf = make(slot)?;
    }
    let word = leaf.wrapping_add((page & ((1 << LEAF_BITS) - 1)) >> 6);
    // SAFETY: inside a leaf, which is zeroed, never unmapped and only ever shared.
    unsafe { word.as_ref() }
}

#[cold]
fn make(slot: &AtomicPtr<AtomicU64>) -> Option<*mut AtomicU64> {
    const BYTES: usize = LEAF_WORDS * size_of::<AtomicU64>();
    let leaf = pages::map(BYTES)?.cast::<AtomicU64>().as_ptr();
    match slot.compare_exchange(ptr::null_mut(), leaf, Ordering::AcqRel, Ordering::Acquire) {
        Ok(_) => Some(leaf),
        Err(other) => {
            pages::unmap(leaf.cast(), BYTES);
            Some(other)
        }
    }
}
