//! From a block to the counters: which account, how many bytes, whether it is Python's.
//!
//! A free counts in the account that the block was allocated in, whatever section the thread is in
//! then: a collection of the UDF's garbage during a mark is still the UDF's. A resize is an allocation
//! in the present account. A block that could not be noted is lost, which the record says.
//!
//! The functions that every call goes through do the usual case only, without a branch back from
//! what is rare: that keeps them free of saved registers. The rest is in functions of its own.

use core::ffi::c_void;
use core::ptr;
use core::sync::atomic::{AtomicU64, Ordering};
use highwater_tracker::Counter;

use crate::arena;
use crate::python::tally;
use crate::shadow::{self, Block, Cell, Head, Origin};
use crate::tls::{self, ThreadSlot};

/// Blocks that could not be noted.
static LOST: AtomicU64 = AtomicU64::new(0);
/// Blocks that died unseen and were found when their address was handed out again.
static HEALED: AtomicU64 = AtomicU64::new(0);

/// An allocation by the C library's functions; null is none. Returns the address, so that the way
/// which is rarely taken can be left to another function altogether.
#[inline(always)]
pub(crate) fn allocated(address: *mut c_void, size: usize) -> *mut c_void {
    let Some(cell) = vacant(address) else { return allocated_rarely(address, size) };
    let Some(present) = tls::present() else { return allocated_rarely(address, size) };
    cell.write(Block { size, origin: Origin::native(present.account()) });
    Counter::<ThreadSlot>::allocated_in(present, size);
    address
}

/// Null, the thread's first block, the first one in a GiB of address, or in place of a block that
/// died unseen.
#[cold]
#[inline(never)]
fn allocated_rarely(address: *mut c_void, size: usize) -> *mut c_void {
    if !address.is_null() {
        note(address, Block { size, origin: Origin::native(tls::account()) });
    }
    address
}

/// A free by the C library's functions, about to happen. False when the block is the arena's, which
/// the real allocator must not see.
#[inline(always)]
pub(crate) fn freed(address: *mut c_void) -> bool {
    let Some(cell) = shadow::find(address) else { return freed_rarely(address) };
    let Some(present) = tls::present() else { return freed_rarely(address) };
    let head = cell.head();
    if !head.is_of(Origin::native(present.account())) {
        return freed_rarely(address);
    }
    Counter::<ThreadSlot>::freed_in(present, cell.clear(head).size);
    true
}

/// A block that is not known, of the other account or Python's, or in a thread without counters.
#[inline(never)]
fn freed_rarely(address: *mut c_void) -> bool {
    match suspended(address) {
        Some(block) => {
            forget(block);
            true
        }
        None => !arena::contains(address),
    }
}

/// A reallocation that is about to happen: takes the block off the map, but not off the books.
#[inline(always)]
pub(crate) fn suspended(address: *mut c_void) -> Option<Block> {
    let cell = shadow::find(address)?;
    let head = cell.head();
    if head.is_empty() { None } else { Some(cell.clear(head)) }
}

/// What came of it: the block of `size` bytes at `after`, or nothing.
#[inline(always)]
pub(crate) fn resumed(
    suspended: Option<Block>,
    before: *mut c_void,
    after: *mut c_void,
    size: usize,
) {
    let origin = Origin::native(tls::account());
    match suspended {
        Some(block) if after.is_null() => failed(block, before, size),
        Some(block) if block.origin == origin => {
            if put(after, Block { size, origin }) {
                Counter::<ThreadSlot>::reallocated(block.size, size);
            } else {
                forget(block);
            }
        }
        Some(block) if Counter::<ThreadSlot>::is_aside() => {
            // A table of Python's allocator that was made before its books were set aside stays where
            // it was counted, as a constant, and what it grows by is nobody's.
            Counter::<ThreadSlot>::freed(block.size);
            allocated(after, size);
        }
        Some(block) => {
            forget(block);
            allocated(after, size);
        }
        None => {
            allocated(after, size);
        }
    }
}

/// An allocation by Python's functions. What came by `malloc` is on the books already and becomes
/// Python's; what Python cut from an arena of its own is new.
#[inline(always)]
pub(crate) fn python_allocated(address: *mut c_void, size: usize) -> *mut c_void {
    let Some(cell) = vacant(address) else { return python_allocated_rarely(address, size) };
    let Some(present) = tls::present() else { return python_allocated_rarely(address, size) };
    let Some(python) = tally::present() else { return python_allocated_rarely(address, size) };
    let account = present.account();
    cell.write(Block { size, origin: Origin::python(account) });
    python.allocated(account, size);
    Counter::<ThreadSlot>::allocated_in(present, size);
    address
}

/// Null, a block that came by `malloc`, the first one in a GiB of address, or in place of a block of
/// Python's that died unseen.
#[inline(never)]
fn python_allocated_rarely(address: *mut c_void, size: usize) -> *mut c_void {
    if address.is_null() {
        return address;
    }
    let is_adopted = shadow::find(address).is_some_and(|cell| adopt(cell, cell.head()));
    if !is_adopted {
        let account = tls::account();
        tally::count_allocated(account, size);
        note(address, Block { size, origin: Origin::python(account) });
    }
    address
}

/// A free by Python's functions, about to happen. What did not come from them is left to the C
/// library's.
#[inline(always)]
pub(crate) fn python_freed(address: *mut c_void) -> Option<Block> {
    let cell = shadow::find(address)?;
    let head = cell.head();
    if !head.is_python() {
        return None;
    }
    let Some(present) = tls::present() else { return Some(python_freed_rarely(cell)) };
    let Some(python) = tally::present() else { return Some(python_freed_rarely(cell)) };
    let account = present.account();
    if !head.is_of(Origin::python(account)) {
        return Some(python_freed_rarely(cell));
    }
    let block = cell.clear(head);
    python.freed(account, block.size);
    Counter::<ThreadSlot>::freed_in(present, block.size);
    Some(block)
}

/// A block of the other account, or in a thread without counters.
#[cold]
#[inline(never)]
fn python_freed_rarely(cell: Cell) -> Block {
    let block = cell.clear(cell.head());
    forget(block);
    block
}

/// Whether the C library's functions made the block at `address`, as far as is known.
#[cold]
#[inline(never)]
pub(crate) fn is_native(address: *mut c_void) -> bool {
    !address.is_null() && shadow::find(address).is_some_and(|cell| !cell.head().is_empty())
}

/// A free of Python's that did not happen after all, because a resize returned null.
#[cold]
#[inline(never)]
pub(crate) fn python_kept(address: *mut c_void, block: Block) -> *mut c_void {
    let account = tls::account();
    tally::count_allocated(account, block.size);
    note(address, Block { origin: Origin::python(account), ..block });
    ptr::null_mut()
}

/// Number of blocks that could not be noted.
pub(crate) fn lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

/// Number of blocks that died unseen and were found later.
pub(crate) fn healed() -> u64 {
    HEALED.load(Ordering::Relaxed)
}

/// Counts something that the figures cannot be trusted after.
#[cold]
#[inline(never)]
pub(crate) fn lose() {
    LOST.fetch_add(1, Ordering::Relaxed);
}

#[inline(always)]
fn note(address: *mut c_void, block: Block) {
    if put(address, block) {
        Counter::<ThreadSlot>::allocated(block.size);
    }
}

/// The cell of a new block, in the usual case.
#[inline(always)]
fn vacant(address: *mut c_void) -> Option<Cell> {
    // Null has a cell like any address once there are blocks in the first GiB.
    let cell = if address.is_null() { None } else { shadow::find(address) };
    cell.filter(|cell| cell.head().is_empty())
}

/// Puts a block on the map. False, and lost, when there is no place for it.
#[inline(always)]
fn put(address: *mut c_void, block: Block) -> bool {
    let Some(cell) = shadow::reach(address) else {
        lose();
        return false;
    };
    let head = cell.head();
    if !head.is_empty() {
        heal(cell, head);
    }
    cell.write(block);
    true
}

#[inline(always)]
fn forget(block: Block) {
    let account = block.origin.account();
    if block.origin.is_python() {
        tally::count_freed(account, block.size);
    }
    Counter::<ThreadSlot>::freed_from(account, block.size);
}

/// Makes the block that begins at a cell Python's. False when there is none, or when it is Python's
/// already: then it is dead, and left to be healed.
#[inline(always)]
fn adopt(cell: Cell, head: Head) -> bool {
    if head.is_empty() || head.is_python() {
        return false;
    }
    let block = cell.clear(head);
    let (before, account) = (block.origin.account(), tls::account());
    cell.write(Block { origin: Origin::python(account), ..block });
    if before != account {
        // `malloc` took it for a page of Python's books.
        Counter::<ThreadSlot>::freed_from(before, block.size);
        Counter::<ThreadSlot>::allocated(block.size);
    }
    tally::count_allocated(account, block.size);
    true
}

/// The largest request that CPython serves from its arenas, in bytes; the same since 3.7.
const LARGEST_FROM_ARENA: usize = 512;

/// Passes a request for `size` bytes on to Python's own allocator, so that [`for_pythons_books`] knows
/// what it asks for itself meanwhile. Not for resizing a block that `malloc` made: see [`is_native`].
#[inline(always)]
pub(crate) fn by_python<T>(size: usize, request: impl FnOnce() -> T) -> T {
    if size > LARGEST_FROM_ARENA {
        return request();
    }
    tls::set_in_python(true);
    let done = request();
    tls::set_in_python(false);
    done
}

/// A request to `malloc` by way of Python's `raw` domain.
///
/// While a small request is served it is for the allocator's own books (the table of its arenas, the
/// radix tree over their addresses). That is not what the program asked for, and depends on where
/// the kernel puts the arenas: it goes to the harness's account.
pub(crate) fn for_pythons_books<T>(request: impl FnOnce() -> T) -> T {
    if tls::is_in_python() { Counter::<ThreadSlot>::aside(request) } else { request() }
}

#[cold]
#[inline(never)]
fn heal(cell: Cell, head: Head) {
    HEALED.fetch_add(1, Ordering::Relaxed);
    forget(cell.clear(head));
}

/// A reallocation returned null: to size 0 that was a free, otherwise the block is as before.
#[cold]
#[inline(never)]
fn failed(block: Block, address: *mut c_void, size: usize) {
    if size == 0 || !put(address, block) {
        forget(block);
    }
}
