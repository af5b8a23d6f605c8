//! A file mapped for writing.

use super::last_errno;
use super::writer::{Step, WriteError};
use core::ffi::{CStr, c_int};
use core::ptr::{self, NonNull};
use core::sync::atomic::{AtomicU64, Ordering};

/// An open, mapped file whose disk space is reserved.
#[derive(Debug)]
pub(super) struct Mapping {
    file: c_int,
    base: NonNull<u8>,
    length: usize,
}

// SAFETY: the file and the mapping belong to the process, not to a thread.
unsafe impl Send for Mapping {}

impl Mapping {
    /// Makes the file, which must not exist, reserves `length` bytes and maps them. Removes it again
    /// when the space or the mapping cannot be had.
    pub(super) fn create(path: &CStr, length: usize) -> Result<Self, WriteError> {
        let flags = libc::O_RDWR | libc::O_CREAT | libc::O_EXCL | libc::O_CLOEXEC;
        // SAFETY: `path` is a C string, and the mode that `O_CREAT` asks for is given.
        let file = unsafe { libc::open(path.as_ptr(), flags, 0o644) };
        if file < 0 {
            return Err(system(Step::Create, last_errno()));
        }
        let mapped = reserve(file, length).and_then(|()| map(file, length));
        match mapped {
            Ok(base) => Ok(Self { file, base, length }),
            Err(error) => {
                // SAFETY: `file` is ours and used no more.
                unsafe { libc::close(file) };
                // SAFETY: `path` is a C string, of a file that was made just now.
                unsafe { libc::unlink(path.as_ptr()) };
                Err(error)
            }
        }
    }

    /// Reserves more space and maps it. After an error the mapping is as before.
    pub(super) fn grow(&mut self, length: usize) -> Result<(), WriteError> {
        if length <= self.length {
            return Ok(());
        }
        reserve(self.file, length)?;
        let old = self.base.as_ptr().cast();
        // SAFETY: `old` is a mapping of `self.length` bytes, and nothing points into it but `base`,
        // which is replaced.
        let new = unsafe { libc::mremap(old, self.length, length, libc::MREMAP_MAYMOVE) };
        self.base = mapped(new)?;
        self.length = length;
        Ok(())
    }

    /// Copies `bytes` to `offset`. Nothing happens when they would not fit.
    pub(super) fn write(&mut self, offset: usize, bytes: &[u8]) {
        let fits = offset.checked_add(bytes.len()).is_some_and(|end| end <= self.length);
        debug_assert!(fits, "write beyond the mapping");
        if fits {
            // SAFETY: `offset` is inside the mapping.
            let target = unsafe { self.base.add(offset) }.as_ptr();
            // SAFETY: `target` is valid for `bytes.len()` bytes as checked; `bytes` is not in the
            // mapping, which no reference points into.
            unsafe { ptr::copy_nonoverlapping(bytes.as_ptr(), target, bytes.len()) };
        }
    }

    /// Stores a word that readers of the file may look at while it changes, after everything
    /// written before. `offset` is a multiple of 8 inside the header.
    pub(super) fn publish(&self, offset: usize, word: u64) {
        debug_assert!(offset.is_multiple_of(8) && offset < super::HEADER_BYTES);
        // SAFETY: `offset` is inside the header, and the mapping is never shorter than that.
        let place = unsafe { self.base.add(offset) }.as_ptr().cast();
        // SAFETY: `place` is inside the mapping and aligned, since a mapping begins at a page; this
        // process touches it by this method alone while the mapping exists.
        let word_place = unsafe { AtomicU64::from_ptr(place) };
        word_place.store(word.to_le(), Ordering::Release);
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping is ours, and nothing points into it after this.
        unsafe { libc::munmap(self.base.as_ptr().cast(), self.length) };
        // SAFETY: the file is ours and used no more.
        unsafe { libc::close(self.file) };
    }
}

fn reserve(file: c_int, length: usize) -> Result<(), WriteError> {
    let Ok(length) = libc::off_t::try_from(length) else {
        return Err(system(Step::Reserve, libc::EFBIG));
    };
    loop {
        // SAFETY: no pointers are involved.
        match unsafe { libc::posix_fallocate(file, 0, length) } {
            0 => return Ok(()),
            libc::EINTR => {}
            errno => return Err(system(Step::Reserve, errno)),
        }
    }
}

fn map(file: c_int, length: usize) -> Result<NonNull<u8>, WriteError> {
    let access = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: a new mapping at an address that the kernel chooses touches no memory of ours.
    let base = unsafe { libc::mmap(ptr::null_mut(), length, access, libc::MAP_SHARED, file, 0) };
    mapped(base)
}

fn mapped(base: *mut libc::c_void) -> Result<NonNull<u8>, WriteError> {
    match NonNull::new(base) {
        Some(start) if base != libc::MAP_FAILED => Ok(start.cast()),
        _ => Err(system(Step::Map, last_errno())),
    }
}

fn system(step: Step, errno: i32) -> WriteError {
    WriteError::System { step, errno }
}
