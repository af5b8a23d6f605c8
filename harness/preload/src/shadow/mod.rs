//! Requested sizes of the blocks in use: one byte for every 16 bytes of address.
//!
//! Two levels: a table of 131,072 pointers, each to a leaf that covers 1 GiB of address with 64 MiB
//! of cells. The kernel backs only the pages of a leaf that are touched, so the map costs 1/16 of
//! the memory that small blocks span, and nothing worth naming for large ones. No lock: a cell
//! belongs to whoever owns the block at its address, as the block itself does.
//!
//! # Blocks that die unseen
//!
//! A library that binds another `free` (`RTLD_DEEPBIND`) may free a block of ours. Its cell then
//! stays until the address is handed out again, and is found then, so that the dead block can be
//! taken off the books. A block that such a library allocates has no cell, and a free of it is no
//! event.

mod cell;

pub(crate) use cell::{Block, Cell, Head, Origin};

use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicPtr, Ordering};

use crate::pages;

const GRANULE_BITS: u32 = 4;
/// Cells per leaf, as a power of two.
const LEAF_BITS: u32 = 26;
/// Leaves for 47 bits of address: all that Linux gives a program that does not ask for more.
const LEAVES: usize = 1 << (47 - GRANULE_BITS - LEAF_BITS);
/// The cells, and room behind them for the size of a block that starts in the last ones.
const LEAF_BYTES: usize = (1 << LEAF_BITS) + 4096;

static TOP: [AtomicPtr<u8>; LEAVES] = [const { AtomicPtr::new(ptr::null_mut()) }; LEAVES];

/// The cell of `address`, or `None` when nothing is known at it or near it, or when it can have no
/// cell: not a multiple of 16, or beyond 47 bits.
#[inline(always)]
pub(crate) fn find(address: *mut c_void) -> Option<Cell> {
    let (leaf, offset) = place(address);
    let leaf = TOP.get(leaf)?.load(Ordering::Acquire);
    match leaf.is_null() {
        true => None,
        // SAFETY: the offset is that of a cell, and leaves are never unmapped.
        false => Some(unsafe { Cell::at(leaf.wrapping_add(offset)) }),
    }
}

/// The cell of `address`, or `None` when it can have none or there is no memory for it.
#[inline(always)]
pub(crate) fn reach(address: *mut c_void) -> Option<Cell> {
    match find(address) {
        Some(cell) => Some(cell),
        None => grow(address),
    }
}

/// The low bits of the address go to the top of the first number, where they fail the range check.
#[inline(always)]
fn place(address: *mut c_void) -> (usize, usize) {
    let granule = address.addr().rotate_right(GRANULE_BITS);
    (granule >> LEAF_BITS, granule & ((1 << LEAF_BITS) - 1))
}

/// As [`find`], after making the leaf.
#[cold]
#[inline(never)]
fn grow(address: *mut c_void) -> Option<Cell> {
    let slot = TOP.get(place(address).0)?;
    if slot.load(Ordering::Acquire).is_null() {
        let leaf = pages::map(LEAF_BYTES)?.cast::<u8>().as_ptr();
        if slot
            .compare_exchange(ptr::null_mut(), leaf, Ordering::AcqRel, Ordering::Acquire)
            .is_err()
        {
            pages::unmap(leaf.cast(), LEAF_BYTES);
        }
    }
    find(address)
}
