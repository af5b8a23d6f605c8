//! The list of thread blocks: it grows and never shrinks.

use super::ThreadBlock;
use crate::sync::{AtomicPtr, Ordering, const_unless_loom};
use core::iter;
use core::ptr;

#[derive(Debug)]
pub(super) struct Roster {
    head: AtomicPtr<ThreadBlock>,
}

impl Roster {
    const_unless_loom! {
        pub(super) fn new() -> Self {
            Self { head: AtomicPtr::new(ptr::null_mut()) }
        }
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &ThreadBlock> {
        let mut at = self.head.load(Ordering::Acquire);
        iter::from_fn(move || {
            // SAFETY: a pointer in the list is null or comes from a `&'static ThreadBlock` that
            // `link` published with release ordering, and blocks are never taken out again.
            let block = unsafe { at.as_ref() }?;
            at = block.next();
            Some(block)
        })
    }

    pub(super) fn claim(
        &self,
        fresh: impl FnOnce() -> &'static [ThreadBlock],
    ) -> Option<&ThreadBlock> {
        if let Some(block) = self.iter().find(|block| is_free(block) && block.occupy()) {
            return Some(block);
        }
        let (first, others) = fresh().split_first()?;
        // Before the block is linked, so that no other thread can get ahead of its first owner.
        first.occupy();
        others.iter().chain(iter::once(first)).for_each(|block| self.link(block));
        Some(first)
    }

    fn link(&self, block: &'static ThreadBlock) {
        let new = ptr::from_ref(block).cast_mut();
        let mut head = self.head.load(Ordering::Relaxed);
        loop {
            block.set_next(head);
            match self.head.compare_exchange(head, new, Ordering::AcqRel, Ordering::Relaxed) {
                Ok(_) => return,
                Err(other) => head = other,
            }
        }
    }
}

/// Whether a new thread may have the block. One that was set aside keeps its counts in the
/// harness's books for good, and is nobody's again.
fn is_free(block: &ThreadBlock) -> bool {
    !block.is_in_use() && !block.is_set_aside()
}
