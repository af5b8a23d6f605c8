//! What each thread did in Python's domains: the part of the live bytes that Python handed out.
//!
//! A second set of counters beside the tracker's, with only what a reading needs: bytes and blocks,
//! by account. One per thread, because Python's domains are not always behind one lock (interpreters
//! with a lock of their own). Written by its owner alone, with plain loads and stores; given to the
//! next thread when its owner exits, counts and all.

use core::ptr;
use core::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, Ordering};
use highwater_tracker::Account;

use crate::{books, pages, tls};

const PAGE_BYTES: usize = 4096;

/// One thread's counters.
#[derive(Debug)]
#[repr(C, align(64))]
pub(crate) struct PythonTally {
    udf: Sums,
    harness: Sums,
    is_in_use: AtomicU32,
    next: AtomicPtr<PythonTally>,
}

#[derive(Debug)]
struct Sums {
    bytes: AtomicI64,
    blocks: AtomicI64,
}

/// Sums over all threads, of one account.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PythonFigures {
    pub(crate) live_bytes: i64,
    pub(crate) live_blocks: i64,
}

static HEAD: AtomicPtr<PythonTally> = AtomicPtr::new(ptr::null_mut());

/// The calling thread's counters, if it has some yet.
#[inline(always)]
pub(crate) fn present() -> Option<&'static PythonTally> {
    borrow(tls::python_tally())
}

/// Counts a block that Python handed out to this thread.
pub(crate) fn count_allocated(account: Account, bytes: usize) {
    if let Some(tally) = present().or_else(enlist) {
        tally.allocated(account, bytes);
    }
}

/// Counts a block that this thread gave back to Python.
pub(crate) fn count_freed(account: Account, bytes: usize) {
    if let Some(tally) = present().or_else(enlist) {
        tally.freed(account, bytes);
    }
}

/// What Python holds in the UDF's account.
pub(crate) fn read() -> PythonFigures {
    let mut figures = PythonFigures::default();
    let mut at = HEAD.load(Ordering::Acquire);
    while let Some(tally) = borrow(at) {
        figures.live_bytes += tally.udf.bytes.load(Ordering::Relaxed);
        figures.live_blocks += tally.udf.blocks.load(Ordering::Relaxed);
        at = tally.next.load(Ordering::Relaxed);
    }
    figures
}

/// What the calling thread's counters alone hold in `account`.
pub(crate) fn own(account: Account) -> PythonFigures {
    let Some(tally) = present() else { return PythonFigures::default() };
    let sums = tally.sums(account);
    PythonFigures {
        live_bytes: sums.bytes.load(Ordering::Relaxed),
        live_blocks: sums.blocks.load(Ordering::Relaxed),
    }
}

/// Leaves the calling thread's counters to a later thread.
#[cold]
pub(crate) fn retire() {
    if let Some(tally) = borrow(tls::set_python_tally(ptr::null())) {
        tally.is_in_use.store(0, Ordering::Release);
    }
}

impl PythonTally {
    /// Counts a block that Python handed out. The calling thread's own tally only.
    #[inline(always)]
    pub(crate) fn allocated(&self, account: Account, bytes: usize) {
        self.add(account, bytes as i64, 1);
    }

    /// Counts a block that was given back to Python. The calling thread's own tally only.
    #[inline(always)]
    pub(crate) fn freed(&self, account: Account, bytes: usize) {
        self.add(account, (bytes as i64).wrapping_neg(), -1);
    }

    #[inline(always)]
    fn add(&self, account: Account, bytes: i64, blocks: i64) {
        let sums = self.sums(account);
        let bytes = sums.bytes.load(Ordering::Relaxed).wrapping_add(bytes);
        sums.bytes.store(bytes, Ordering::Relaxed);
        let blocks = sums.blocks.load(Ordering::Relaxed).wrapping_add(blocks);
        sums.blocks.store(blocks, Ordering::Relaxed);
    }

    #[inline(always)]
    fn sums(&self, account: Account) -> &Sums {
        match account {
            Account::Udf => &self.udf,
            Account::Harness => &self.harness,
        }
    }
}

/// Gives the calling thread counters: those that an exited thread left, or new ones.
#[cold]
#[inline(never)]
fn enlist() -> Option<&'static PythonTally> {
    let tally = vacant().or_else(fresh);
    match tally {
        Some(tally) => tls::set_python_tally(tally),
        None => {
            books::lose();
            return None;
        }
    };
    tally
}

fn vacant() -> Option<&'static PythonTally> {
    let mut at = HEAD.load(Ordering::Acquire);
    while let Some(tally) = borrow(at) {
        if tally.is_in_use.compare_exchange(0, 1, Ordering::Acquire, Ordering::Relaxed).is_ok() {
            return Some(tally);
        }
        at = tally.next.load(Ordering::Relaxed);
    }
    None
}

/// The first of a page of new ones; the others are vacant.
fn fresh() -> Option<&'static PythonTally> {
    let page = pages::map(PAGE_BYTES)?.cast::<PythonTally>().as_ptr();
    // Zeroed pages are vacant tallies with nothing in them.
    let first = borrow(page)?;
    first.is_in_use.store(1, Ordering::Relaxed);
    for index in 0..PAGE_BYTES / size_of::<PythonTally>() {
        link(page.wrapping_add(index));
    }
    Some(first)
}

fn link(tally: *mut PythonTally) {
    let Some(new) = borrow(tally) else { return };
    let mut head = HEAD.load(Ordering::Relaxed);
    loop {
        new.next.store(head, Ordering::Relaxed);
        match HEAD.compare_exchange(head, tally, Ordering::AcqRel, Ordering::Relaxed) {
            Ok(_) => return,
            Err(other) => head = other,
        }
    }
}

/// The tally behind a pointer of the list or of a thread's slot; null is none.
#[inline(always)]
fn borrow(tally: *const PythonTally) -> Option<&'static PythonTally> {
    // SAFETY: such a pointer is null or goes into a page of tallies, which is never unmapped and
    // only ever shared; all-zero bytes are a valid tally.
    unsafe { tally.as_ref() }
}
