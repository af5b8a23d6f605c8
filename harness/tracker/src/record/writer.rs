//! The writing half.

use super::header::{CanaryOutcome, Opening, Stage};
use super::layout::{self, FAILURE_MAX_BYTES, HEADER_BYTES, MARK_BYTES};
use super::mapping::Mapping;
use super::mark::Mark;
use core::ffi::CStr;
use core::fmt;

/// Appends marks to a record. Nothing but making it and letting it grow touches the disk by system
/// call, and nothing allocates.
///
/// The mapping is shared with forked children, so every method but `Drop` refuses to work in another
/// process than the one that made it. Dropping a writer does not finish the record: a worker that
/// unwinds leaves it as running.
#[derive(Debug)]
pub struct Writer {
    mapping: Mapping,
    pid: u32,
    capacity: u64,
    committed: u64,
    peak_error_bound_bytes: i64,
    lost_events: u64,
}

/// Why the record could not be written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WriteError {
    /// A system call failed.
    System {
        /// What was being done.
        step: Step,
        /// The system's error number.
        errno: i32,
    },
    /// A text does not fit into the header.
    TextTooLong {
        /// Which one.
        field: &'static str,
        /// Its length in bytes.
        bytes: usize,
        /// Longest possible, in bytes.
        most: usize,
    },
    /// All reserved marks are used.
    Full {
        /// Marks that were reserved.
        capacity: u64,
    },
    /// A forked child tried to write into its parent's record.
    ForkedChild,
}

/// What a writer was doing when a system call failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Step {
    /// Making the file.
    Create,
    /// Reserving disk space.
    Reserve,
    /// Mapping the file.
    Map,
}

impl Writer {
    /// Makes the record at `path`, with room for `capacity` marks.
    ///
    /// # Errors
    ///
    /// [`WriteError::System`] when the file exists, the directory does not or is read-only, or the
    /// disk is full; [`WriteError::TextTooLong`] when a name or the environment is. No file is left
    /// behind.
    pub fn create_at(
        path: &CStr,
        opening: &Opening<'_>,
        capacity: u64,
    ) -> Result<Self, WriteError> {
        let pid = own_pid();
        let header = opening.encode(pid, capacity)?;
        let mut mapping = Mapping::create(path, length(capacity)?)?;
        let (magic, rest) = header.split_at(layout::MAGIC.len());
        mapping.write(magic.len(), rest);
        // Last: a file without the magic is no record, however much of it is there.
        mapping.publish(0, u64::from_le_bytes(layout::MAGIC));
        Ok(Self { mapping, pid, capacity, committed: 0, peak_error_bound_bytes: 0, lost_events: 0 })
    }

    /// Makes room for `capacity` marks in all. Fewer than there are now changes nothing.
    ///
    /// # Errors
    ///
    /// [`WriteError::System`] when the disk is full; the record is then as before.
    pub fn grow(&mut self, capacity: u64) -> Result<(), WriteError> {
        self.check_process()?;
        if capacity > self.capacity {
            self.mapping.grow(length(capacity)?)?;
            self.capacity = capacity;
            self.mapping.publish(layout::CAPACITY, capacity);
        }
        Ok(())
    }

    /// Appends a mark. From then on it can be read, whatever happens to this process.
    ///
    /// # Errors
    ///
    /// [`WriteError::Full`] when all marks are used, [`WriteError::ForkedChild`] in a child.
    pub fn commit(&mut self, mark: &Mark) -> Result<(), WriteError> {
        self.check_process()?;
        if self.committed >= self.capacity {
            return Err(WriteError::Full { capacity: self.capacity });
        }
        // Fits into `usize`: the mapping is that long.
        self.mapping.write(HEADER_BYTES + self.committed as usize * MARK_BYTES, &mark.encode());
        self.peak_error_bound_bytes = self.peak_error_bound_bytes.max(mark.peak_error_bound_bytes);
        self.lost_events = self.lost_events.max(mark.lost_events);
        self.mapping.publish(layout::PEAK_ERROR_BOUND, self.peak_error_bound_bytes.cast_unsigned());
        self.mapping.publish(layout::LOST, self.lost_events);
        self.committed += 1;
        self.mapping.publish(layout::COMMITTED, self.committed);
        Ok(())
    }

    /// Says how far the worker has come.
    ///
    /// # Errors
    ///
    /// [`WriteError::ForkedChild`] in a child.
    pub fn enter(&mut self, stage: Stage) -> Result<(), WriteError> {
        self.check_process()?;
        self.mapping.publish(layout::STAGE, stage.word());
        Ok(())
    }

    /// Says what became of the canary.
    ///
    /// # Errors
    ///
    /// [`WriteError::ForkedChild`] in a child.
    pub fn set_canary(&mut self, outcome: CanaryOutcome) -> Result<(), WriteError> {
        self.check_process()?;
        let [code, expected, counted] = outcome.words();
        self.mapping.publish(layout::CANARY_EXPECTED, expected);
        self.mapping.publish(layout::CANARY_COUNTED, counted);
        self.mapping.publish(layout::CANARY, code);
        Ok(())
    }

    /// Ends the record well.
    ///
    /// # Errors
    ///
    /// [`WriteError::ForkedChild`] in a child.
    pub fn finish(&mut self) -> Result<(), WriteError> {
        self.enter(Stage::Done)?;
        self.mapping.publish(layout::STATE, layout::STATE_FINISHED);
        Ok(())
    }

    /// Ends the record with a message, of which at most
    /// [`FAILURE_MAX_BYTES`](super::FAILURE_MAX_BYTES) are kept. The stage stays what it was.
    ///
    /// # Errors
    ///
    /// [`WriteError::ForkedChild`] in a child.
    pub fn fail(&mut self, message: &str) -> Result<(), WriteError> {
        self.check_process()?;
        let message = layout::cut(message, FAILURE_MAX_BYTES);
        self.mapping.write(layout::FAILURE, message.as_bytes());
        self.mapping.publish(layout::FAILURE_LENGTH, message.len() as u64);
        self.mapping.publish(layout::STATE, layout::STATE_FAILED);
        Ok(())
    }

    /// Marks written so far.
    pub fn committed(&self) -> u64 {
        self.committed
    }

    /// Marks that there is room for in all.
    pub fn capacity(&self) -> u64 {
        self.capacity
    }

    fn check_process(&self) -> Result<(), WriteError> {
        if own_pid() == self.pid { Ok(()) } else { Err(WriteError::ForkedChild) }
    }
}

fn own_pid() -> u32 {
    // SAFETY: takes nothing and cannot fail.
    unsafe { libc::getpid() }.cast_unsigned()
}

fn length(capacity: u64) -> Result<usize, WriteError> {
    usize::try_from(capacity)
        .ok()
        .and_then(|marks| marks.checked_mul(MARK_BYTES)?.checked_add(HEADER_BYTES))
        .filter(|length| *length <= isize::MAX as usize)
        .ok_or(WriteError::System { step: Step::Reserve, errno: libc::EFBIG })
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::System { step, errno } => {
                let (reason, hint) = explain(*step, *errno);
                match reason {
                    Some(reason) => write!(f, "{reason}\nhint: {hint}"),
                    None => write!(f, "{step} failed with error {errno}\nhint: {hint}"),
                }
            }
            Self::TextTooLong { field, bytes, most } => write!(
                f,
                "{field} has {bytes} bytes, a record holds {most}\nhint: shorten the {field}"
            ),
            Self::Full { capacity } => write!(
                f,
                "all {capacity} marks of the record are used\nhint: make the record with a larger capacity, or let it grow"
            ),
            Self::ForkedChild => f.write_str(
                "a forked child cannot write into the record of its parent\nhint: let the child make its own record",
            ),
        }
    }
}

impl core::error::Error for WriteError {}

impl fmt::Display for Step {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Create => "making the file",
            Self::Reserve => "reserving disk space",
            Self::Map => "mapping the file",
        })
    }
}

/// What the usual error numbers mean here, and what to do.
fn explain(step: Step, errno: i32) -> (Option<&'static str>, &'static str) {
    match (step, errno) {
        (_, libc::EEXIST) => {
            (Some("the file exists"), "choose another name, or remove the old record")
        }
        (_, libc::EROFS) => {
            (Some("the file system is read-only"), "choose another directory for records")
        }
        (_, libc::EACCES | libc::EPERM) => {
            (Some("permission denied"), "choose a directory that you may write to")
        }
        (_, libc::ENOENT | libc::ENOTDIR) => {
            (Some("the directory does not exist"), "make the directory first")
        }
        (_, libc::ENOSPC | libc::EDQUOT) => {
            (Some("no space left on the disk"), "free disk space, or choose another directory")
        }
        (_, libc::EFBIG) => (
            Some("the record would be larger than a file may be"),
            "ask for fewer batches, or raise the limit (`ulimit -f`)",
        ),
        (_, libc::EMFILE | libc::ENFILE) => {
            (Some("too many open files"), "raise the limit (`ulimit -n`)")
        }
        (Step::Map, libc::ENODEV) => {
            (Some("the file system cannot map files"), "choose a directory on another file system")
        }
        (_, libc::ENOMEM) => (Some("no memory"), "raise the memory limit of the worker"),
        _ => (None, "choose another directory for records"),
    }
}

#[cfg(feature = "std")]
mod with_paths {
    use super::{Opening, WriteError, Writer};
    use std::ffi::CString;
    use std::os::unix::ffi::OsStrExt;
    use std::path::{Path, PathBuf};

    /// A record could not be made.
    #[derive(Debug, thiserror::Error)]
    #[error("cannot make the record `{}`: {reason}", path.display())]
    pub struct CreateError {
        /// Where it was to be.
        pub path: PathBuf,
        /// Why not.
        // Not `source`: its text is part of this one.
        pub reason: WriteError,
    }

    impl Writer {
        /// Makes the record at `path`, with room for `capacity` marks.
        ///
        /// # Errors
        ///
        /// As [`create_at`](Self::create_at), with the path in the text.
        pub fn create(
            path: &Path,
            opening: &Opening<'_>,
            capacity: u64,
        ) -> Result<Self, CreateError> {
            let fail = |reason| CreateError { path: path.to_path_buf(), reason };
            let no_such_file =
                WriteError::System { step: super::Step::Create, errno: libc::ENOENT };
            let name = CString::new(path.as_os_str().as_bytes()).map_err(|_| fail(no_such_file))?;
            Self::create_at(&name, opening, capacity).map_err(fail)
        }
    }
}
#[cfg(feature = "std")]
pub use with_paths::CreateError;
