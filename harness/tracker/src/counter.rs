//! The process's one ledger, and a thread's way to its place in it.

use crate::ledger::{Account, Ledger, Position, Tally, ThreadBlock};
use crate::pages;
use crate::reading::Reading;
use crate::slot::Slot;
use core::ffi::c_void;
use core::marker::PhantomData;
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicU32, Ordering};

static LEDGER: Ledger = Ledger::new();

/// The hooks to call on every allocation and free, for a thread-local slot `S`.
///
/// None of them allocates, locks or panics. A program has one slot: the ledger is shared, but a
/// thread that counts through two slots owns two blocks.
#[derive(Debug)]
pub struct Counter<S>(PhantomData<S>);

impl<S: Slot> Counter<S> {
    /// Counts a successful allocation of `bytes`.
    #[inline(always)]
    pub fn allocated(bytes: usize) {
        if Self::has_left(|tally| tally.add(bytes)) {
            Self::catch_up(|tally| tally.add(bytes));
        }
    }

    /// Counts a free of `bytes`.
    #[inline(always)]
    pub fn freed(bytes: usize) {
        if Self::has_left(|tally| tally.subtract(bytes)) {
            Self::catch_up(|tally| tally.subtract(bytes));
        }
    }

    /// Counts a successful reallocation from `old` to `new` bytes.
    #[inline(always)]
    pub fn reallocated(old: usize, new: usize) {
        if Self::has_left(|tally| tally.replace(old, new)) {
            Self::catch_up(|tally| tally.replace(old, new));
        }
    }

    /// Counts a successful allocation of `bytes` in the calling thread's own tally, for a hook that
    /// has read the slot already.
    #[inline(always)]
    pub fn allocated_in(tally: &Tally, bytes: usize) {
        LEDGER.allocated(tally, bytes);
    }

    /// Counts a free of `bytes` in the calling thread's own tally, for a hook that has read the slot
    /// already.
    #[inline(always)]
    pub fn freed_in(tally: &Tally, bytes: usize) {
        LEDGER.freed(tally, bytes);
    }

    /// Counts a free of `bytes` in `account`, whatever section the thread is in.
    #[inline(always)]
    pub fn freed_from(account: Account, bytes: usize) {
        // SAFETY: the slot holds null or what `follow` stored: a tally inside a static block.
        match unsafe { S::get().as_ref() } {
            Some(tally) if tally.account() == account => LEDGER.freed(tally, bytes),
            _ => Self::freed_elsewhere(account, bytes),
        }
    }

    /// Has the calling thread count in `account` from now on, apart from any
    /// [`Section`](crate::Section), and returns where it counted before. Without a block to be had
    /// it does nothing; the events that follow are then counted as lost.
    pub fn switch(account: Account) -> Account {
        let Some(block) = Self::block() else { return Account::Udf };
        // SAFETY: blocks are static and only ever shared.
        let shared = unsafe { block.as_ref() };
        let before = shared.account();
        if account != before {
            match account {
                Account::Udf => shared.leave_all(),
                Account::Harness => shared.enter_harness(),
            }
            Self::follow(block);
        }
        before
    }

    /// Does `work` with all that the calling thread allocates in it in the harness's account, for a
    /// hook around another allocator whose own books are nobody's memory. Sections stay as they are.
    #[inline(always)]
    pub fn aside<T>(work: impl FnOnce() -> T) -> T {
        let Some(tally) = Self::tally() else { return work() };
        let present = S::get();
        let block = ThreadBlock::around(present, tally.account());
        // SAFETY: blocks are static and only ever shared.
        let shared = unsafe { &*block };
        shared.put_aside(true);
        S::set(ThreadBlock::tally_in(block, Account::Harness));
        let done = work();
        S::set(present);
        shared.put_aside(false);
        done
    }

    /// Whether the calling thread is in [`aside`](Self::aside).
    pub fn is_aside() -> bool {
        // SAFETY: blocks are static and only ever shared.
        Self::block().is_some_and(|block| unsafe { block.as_ref() }.is_put_aside())
    }

    /// The hot half of counting an event. True when [`catch_up`](Self::catch_up) must follow, with
    /// the same event. Apart from it so that a hook can end in a tail call to either half, and has
    /// no registers to save in the hot one.
    #[inline(always)]
    pub(crate) fn has_left(event: impl FnOnce(&Tally) -> bool) -> bool {
        // SAFETY: the slot holds null or what `follow` stored: a tally inside a static block.
        match unsafe { S::get().as_ref() } {
            Some(tally) => event(tally),
            None => true,
        }
    }

    /// The cold half: the thread has no block yet and the event is not counted, or it is, and it is
    /// time to settle.
    #[cold]
    #[inline(never)]
    pub(crate) fn catch_up(event: impl FnOnce(&Tally) -> bool) {
        // SAFETY: as in `has_left`.
        if let Some(tally) = unsafe { S::get().as_ref() } {
            LEDGER.settle(tally);
        } else if let Some(tally) = Self::enlist()
            && event(tally)
        {
            LEDGER.settle(tally);
        }
    }

    /// Reads all counters and starts a new peak window. Allocates nothing.
    pub fn read() -> Reading {
        LEDGER.read()
    }

    /// The UDF's live bytes, without starting a new peak window. Allocates nothing.
    pub fn live_bytes() -> i64 {
        LEDGER.live_bytes()
    }

    /// Books what all other threads that run now do in the harness's account, from the start to the
    /// end: see [`Ledger::set_others_aside`].
    pub fn set_others_aside() {
        if let Some(block) = Self::block() {
            // SAFETY: blocks are static and only ever shared.
            LEDGER.set_others_aside(unsafe { block.as_ref() });
        }
    }

    /// What the calling thread alone holds in its present account, or `None` when it can have no
    /// block.
    pub fn own_position() -> Option<Position> {
        Self::tally().map(Tally::position)
    }

    /// Number of thread blocks made so far; it follows the highest number of threads at one time.
    pub fn thread_blocks_made() -> usize {
        LEDGER.blocks()
    }

    /// The calling thread's block, claimed if it has none.
    pub(crate) fn block() -> Option<NonNull<ThreadBlock>> {
        let account = Self::tally()?.account();
        NonNull::new(ThreadBlock::around(S::get(), account))
    }

    /// Points the slot at the tally of the block's present account.
    pub(crate) fn follow(block: NonNull<ThreadBlock>) {
        // SAFETY: blocks are static and only ever shared.
        let account = unsafe { block.as_ref() }.account();
        S::set(ThreadBlock::tally_in(block.as_ptr(), account));
    }

    #[inline(always)]
    fn tally() -> Option<&'static Tally> {
        // SAFETY: as in `has_left`.
        match unsafe { S::get().as_ref() } {
            Some(tally) => Some(tally),
            None => Self::enlist(),
        }
    }

    #[cold]
    #[inline(never)]
    fn freed_elsewhere(account: Account, bytes: usize) {
        let Some(block) = Self::block() else { return };
        // SAFETY: blocks are static and only ever shared.
        let block = unsafe { block.as_ref() };
        match account {
            Account::Udf => LEDGER.freed(block.udf(), bytes),
            Account::Harness => LEDGER.freed(block.harness(), bytes),
        }
    }

    #[cold]
    #[inline(never)]
    fn enlist() -> Option<&'static Tally> {
        let Some(block) = LEDGER.claim(pages::fresh_blocks) else {
            LEDGER.lose();
            return None;
        };
        let block = NonNull::from(block);
        // The slot first: noticing the exit may allocate, which then finds the slot filled.
        Self::follow(block);
        S::exit_key().notice(block, Self::retire);
        // SAFETY: `follow` just stored a pointer into a static block.
        unsafe { S::get().as_ref() }
    }

    /// Runs when a thread that owns `block` exits. If the thread allocates in a later destructor,
    /// it claims a block again and this runs once more.
    unsafe extern "C" fn retire(block: *mut c_void) {
        S::set(ptr::null());
        // SAFETY: the value of the key is the pointer to a static block that `enlist` stored.
        if let Some(block) = unsafe { block.cast::<ThreadBlock>().as_ref() } {
            LEDGER.release(block);
        }
    }
}

/// A thread-specific key, made when first needed, whose destructor gives a thread's block back.
#[derive(Debug)]
pub struct ExitKey(AtomicU32);

const UNMADE: u32 = u32::MAX;

impl ExitKey {
    /// A key that is not made yet.
    pub const fn new() -> Self {
        Self(AtomicU32::new(UNMADE))
    }

    /// Has `retire` called with `block` when this thread exits. When there is no key left the block
    /// is never given back, which wastes 256 bytes and no count.
    fn notice(&self, block: NonNull<ThreadBlock>, retire: unsafe extern "C" fn(*mut c_void)) {
        if let Some(key) = self.get_or_make(retire) {
            // SAFETY: the key exists and is never deleted once published.
            unsafe { libc::pthread_setspecific(key, block.as_ptr().cast_const().cast()) };
        }
    }

    fn get_or_make(
        &self,
        retire: unsafe extern "C" fn(*mut c_void),
    ) -> Option<libc::pthread_key_t> {
        let made = self.0.load(Ordering::Acquire);
        if made != UNMADE {
            return Some(made);
        }
        let mut key = 0;
        // SAFETY: `key` is a valid place, and `retire` accepts any value stored under the key.
        if unsafe { libc::pthread_key_create(&raw mut key, Some(retire)) } != 0 {
            return None;
        }
        match self.0.compare_exchange(UNMADE, key, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => Some(key),
            Err(other) => {
                // SAFETY: this key was just made here and nobody has seen it.
                unsafe { libc::pthread_key_delete(key) };
                Some(other)
            }
        }
    }
}

impl Default for ExitKey {
    fn default() -> Self {
        Self::new()
    }
}
