//! The record, read by its documented offsets.
//!
//! Not by the tracker's own reader: as a development dependency with `std` it would be built into
//! the library, whose panic handler would then be the second.

use std::fs;
use std::path::Path;

/// The bytes of a record.
pub(crate) struct Record(Vec<u8>);

/// The bytes of a mark.
#[derive(Clone, Copy)]
pub(crate) struct Mark<'a>(&'a [u8]);

pub(crate) const ABSENT: i64 = i64::MIN;

impl Record {
    pub(crate) fn open(path: &Path) -> Self {
        let bytes = fs::read(path).unwrap();
        assert_eq!(&bytes[..8], b"HIGHWATR");
        let record = Self(bytes);
        assert_eq!([8, 12, 16].map(|at| record.u32(at)), [1, 4096, 256], "format of version 1");
        record
    }

    pub(crate) fn u32(&self, at: usize) -> u32 {
        u32::from_le_bytes(self.0[at..at + 4].try_into().unwrap())
    }

    pub(crate) fn u64(&self, at: usize) -> u64 {
        u64::from_le_bytes(self.0[at..at + 8].try_into().unwrap())
    }

    /// The text at `at`, whose length is in the 16 bits at `length_at`.
    pub(crate) fn text(&self, length_at: usize, at: usize) -> &str {
        let length = u16::from_le_bytes(self.0[length_at..length_at + 2].try_into().unwrap());
        std::str::from_utf8(&self.0[at..at + usize::from(length)]).unwrap()
    }

    pub(crate) fn state(&self) -> u64 {
        self.u64(2064)
    }

    pub(crate) fn stage(&self) -> u64 {
        self.u64(2072)
    }

    /// Code, bytes expected, bytes counted.
    pub(crate) fn canary(&self) -> [u64; 3] {
        [2096, 2104, 2112].map(|at| self.u64(at))
    }

    pub(crate) fn failure(&self) -> &str {
        let length = usize::try_from(self.u64(2120)).unwrap();
        std::str::from_utf8(&self.0[3072..3072 + length]).unwrap()
    }

    pub(crate) fn marks(&self) -> Vec<Mark<'_>> {
        let committed = usize::try_from(self.u64(2056)).unwrap();
        self.0[4096..].chunks_exact(256).take(committed).map(Mark).collect()
    }
}

impl Mark<'_> {
    pub(crate) fn kind(self) -> u32 {
        u32::from_le_bytes(self.0[..4].try_into().unwrap())
    }

    pub(crate) fn batch(self) -> u32 {
        u32::from_le_bytes(self.0[4..8].try_into().unwrap())
    }

    pub(crate) fn i64(self, at: usize) -> i64 {
        i64::from_le_bytes(self.0[at..at + 8].try_into().unwrap())
    }

    pub(crate) fn live_bytes(self) -> i64 {
        self.i64(24)
    }
}
