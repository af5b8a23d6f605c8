//! What the cells of a block say.
//!
//! | low six bits | meaning |
//! |---|---|
//! | 0 | no block known here |
//! | 1 to 60 | a block of 0 to 59 bytes |
//! | 61 | a block of 60 to 65,535 bytes: the size is in the next two cells |
//! | 62 | a larger block: the size is in the next six cells |
//! | 63 | not used yet |
//!
//! Bit 6 says that a harness section allocated the block, bit 7 that Python's allocator handed it
//! out. The following cells are the block's own: 60 bytes span at least four granules, 65,536 far
//! more than seven.

use highwater_tracker::Account;

const KIND: u8 = 0b0011_1111;
const MEDIUM: u8 = 61;
const LARGE: u8 = 62;
const SMALL_SIZES: usize = 60;
const MEDIUM_SIZES: usize = 1 << 16;

/// Who allocated a block, as bits of its cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Origin(u8);

/// A block in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Block {
    pub(crate) size: usize,
    pub(crate) origin: Origin,
}

/// The cell of an address at which a block may begin: inside a leaf, which is never unmapped, with
/// room for the longest size behind it.
#[derive(Clone, Copy)]
pub(crate) struct Cell(*mut u8);

/// What a cell says: nothing, or the beginning of a block.
#[derive(Clone, Copy)]
pub(crate) struct Head(u8);

impl Origin {
    const HARNESS: u8 = 0b0100_0000;
    const PYTHON: u8 = 0b1000_0000;

    #[inline(always)]
    pub(crate) fn native(account: Account) -> Self {
        // Arithmetic, not a branch: this is in every allocation.
        Self(u8::from(account == Account::Harness) * Self::HARNESS)
    }

    #[inline(always)]
    pub(crate) fn python(account: Account) -> Self {
        Self(Self::native(account).0 | Self::PYTHON)
    }

    #[inline(always)]
    pub(crate) fn account(self) -> Account {
        match self.0 & Self::HARNESS {
            0 => Account::Udf,
            _ => Account::Harness,
        }
    }

    #[inline(always)]
    pub(crate) fn is_python(self) -> bool {
        self.0 & Self::PYTHON != 0
    }
}

impl Head {
    /// True when no block is known there.
    #[inline(always)]
    pub(crate) fn is_empty(self) -> bool {
        self.0 & KIND == 0
    }

    /// True when a block of this origin is known there.
    #[inline(always)]
    pub(crate) fn is_of(self, origin: Origin) -> bool {
        self.0 & !KIND == origin.0 && !self.is_empty()
    }

    /// True when Python's allocator handed out the block that is known there.
    #[inline(always)]
    pub(crate) fn is_python(self) -> bool {
        Origin(self.0).is_python()
    }
}

impl Cell {
    /// # Safety
    ///
    /// `cell` and the six bytes after it can be read and written from now on.
    #[inline(always)]
    pub(super) unsafe fn at(cell: *mut u8) -> Self {
        Self(cell)
    }

    #[inline(always)]
    pub(crate) fn head(self) -> Head {
        // SAFETY: readable by the contract of `at`.
        Head(unsafe { self.0.read() })
    }

    /// Notes a block that begins here. The cell is empty.
    #[inline(always)]
    pub(crate) fn write(self, block: Block) {
        let Block { size, origin: Origin(bits) } = block;
        let kind = if size < SMALL_SIZES {
            size as u8 + 1
        } else if size < MEDIUM_SIZES {
            self.write_medium(size as u16);
            MEDIUM
        } else {
            self.write_large(size as u64);
            LARGE
        };
        // SAFETY: writable by the contract of `at`, and the block's own.
        unsafe { self.0.write(bits | kind) };
    }

    /// Forgets the block that begins here, whose head is not empty.
    #[inline(always)]
    pub(crate) fn clear(self, head: Head) -> Block {
        // Sizes are zeroed, because other blocks may begin in those cells once this one is gone.
        let size = match head.0 & KIND {
            MEDIUM => {
                let size = self.read_medium();
                self.write_medium(0);
                usize::from(size)
            }
            LARGE => {
                let size = self.read_large();
                self.write_large(0);
                size as usize
            }
            small => usize::from(small).wrapping_sub(1),
        };
        // SAFETY: writable by the contract of `at`, and the block's own.
        unsafe { self.0.write(0) };
        Block { size, origin: Origin(head.0 & !KIND) }
    }

    // A medium block spans four granules at least, so the next two cells are its own; a large one
    // more than seven.

    #[inline(always)]
    fn write_medium(self, size: u16) {
        // SAFETY: in the reach that `at` promises.
        unsafe { self.after::<u16>(1).write_unaligned(size) };
    }

    #[inline(always)]
    fn read_medium(self) -> u16 {
        // SAFETY: in the reach that `at` promises.
        unsafe { self.after::<u16>(1).read_unaligned() }
    }

    #[inline(always)]
    fn write_large(self, size: u64) {
        // SAFETY: in the reach that `at` promises.
        unsafe { self.after::<u32>(1).write_unaligned(size as u32) };
        // SAFETY: in the reach that `at` promises.
        unsafe { self.after::<u16>(5).write_unaligned((size >> 32) as u16) };
    }

    #[inline(always)]
    fn read_large(self) -> u64 {
        // SAFETY: in the reach that `at` promises.
        let low = unsafe { self.after::<u32>(1).read_unaligned() };
        // SAFETY: in the reach that `at` promises.
        let high = unsafe { self.after::<u16>(5).read_unaligned() };
        u64::from(low) | u64::from(high) << 32
    }

    #[inline(always)]
    fn after<T>(self, cells: usize) -> *mut T {
        self.0.wrapping_add(cells).cast()
    }
}
