//! Memory for thread blocks, straight from the kernel: the allocator is what is being counted.

use crate::ledger::ThreadBlock;
use core::ptr;
use core::slice;

const PAGE_BYTES: usize = 4096;
const BLOCKS: usize = PAGE_BYTES / size_of::<ThreadBlock>();

/// A page of fresh blocks, or none when the kernel has no memory.
pub(crate) fn fresh_blocks() -> &'static [ThreadBlock] {
    // By number and not by `libc::mmap`, which a preloaded library may have replaced by its own.
    // SAFETY: an anonymous mapping at an address that the kernel chooses touches no memory of ours.
    let address = unsafe {
        libc::syscall(
            libc::SYS_mmap,
            ptr::null_mut::<u8>(),
            PAGE_BYTES,
            libc::PROT_READ | libc::PROT_WRITE,
            libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
            -1,
            0_usize,
        )
    };
    if address == -1 {
        return &[];
    }
    let blocks = ptr::with_exposed_provenance_mut::<ThreadBlock>(address.cast_unsigned() as usize);
    for index in 0..BLOCKS {
        // SAFETY: the page holds `BLOCKS` blocks, and `index` is below that.
        let place = unsafe { blocks.add(index) };
        // SAFETY: `place` is writable, page alignment is more than a block's, nobody else knows it.
        unsafe { place.write(ThreadBlock::new()) };
    }
    // SAFETY: all `BLOCKS` blocks were just written, and the page is never unmapped nor borrowed
    // mutably.
    unsafe { slice::from_raw_parts(blocks, BLOCKS) }
}
