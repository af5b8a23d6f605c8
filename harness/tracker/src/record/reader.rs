//! The reading half: plain bytes of a file, no mapping.

use super::header::{CanaryOutcome, Runtime, Stage};
use super::layout::{self, HEADER_BYTES, MARK_BYTES, Text, get, get_i64, get_u32, get_u64};
use super::mark::Mark;
use std::borrow::ToOwned;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::string::String;
use std::vec::Vec;

/// A record as it was when it was read; its worker may be running, finished or dead.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// What was known before the run.
    pub header: Header,
    /// How far the run came.
    pub progress: Progress,
    /// Every mark that can be read, in order.
    pub marks: Vec<Mark>,
    /// Set when the file is shorter than it should be. The marks are those before the cut.
    pub truncated: Option<Truncation>,
}

/// What was known before the run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    /// Name of the fixture.
    pub fixture: String,
    /// Name of the UDF.
    pub udf: String,
    /// What ran the UDF.
    pub runtime: Runtime,
    /// Batches asked for.
    pub batches: u32,
    /// Rows per batch.
    pub rows: u64,
    /// Seed of the inputs.
    pub seed: u64,
    /// Where it ran.
    pub environment: String,
    /// Version of the tracker that wrote the record.
    pub tracker_version: String,
    /// Process that wrote it.
    pub pid: u32,
    /// When it was made, in nanoseconds since 1970.
    pub started_unix_ns: i64,
}

/// How far the run came.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Progress {
    /// How it ended, if it did.
    pub state: State,
    /// What the worker did last.
    pub stage: Stage,
    /// Whether the tracker was proved to be attached.
    pub canary: CanaryOutcome,
    /// Marks that were written.
    pub committed: u64,
    /// Marks that there was room for.
    pub capacity: u64,
    /// Largest error bound of a peak in any mark, in bytes.
    pub peak_error_bound_bytes: i64,
    /// Events that could not be counted. Unless it is 0, the run is invalid.
    pub lost_events: u64,
}

/// How a run ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    /// It did not, or the worker was killed: only its parent knows.
    Running,
    /// It came to its end.
    Finished,
    /// The worker gave up.
    Failed {
        /// Its last words.
        message: String,
    },
}

/// A record that lost its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Truncation {
    /// Marks that the header promises.
    pub committed: u64,
    /// Whole marks that are there.
    pub readable: u64,
}

/// Why a file could not be read as a record.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// The file cannot be read.
    #[error("cannot read the record `{}`: {reason}\nhint: was the worker started, and is this its record?", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why not.
        // Not `source`: its text is part of this one.
        reason: io::Error,
    },
    /// The file is something else.
    #[error("`{}` is not a highwater record\nhint: name a file that a worker wrote", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
    },
    /// The file ends inside the header.
    #[error(
        "the record `{}` is cut off in its header: {bytes} of {HEADER_BYTES} bytes, no mark is readable\n\
         hint: run the fixture again", path.display()
    )]
    HeaderCut {
        /// The file.
        path: PathBuf,
        /// Its length.
        bytes: usize,
    },
    /// Another version of the tracker wrote it.
    #[error(
        "the record `{}` has format version {version}, this build reads version {}\n\
         hint: read it with the version of highwater that wrote it", path.display(), layout::FORMAT_VERSION
    )]
    UnsupportedVersion {
        /// The file.
        path: PathBuf,
        /// Its version.
        version: u32,
    },
    /// The header was changed after it was written.
    #[error("the record `{}` has a damaged header: `{field}`\nhint: run the fixture again", path.display())]
    DamagedHeader {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        field: &'static str,
    },
    /// A mark was changed after it was written.
    #[error("the record `{}` is damaged: mark {mark} fails its checksum\nhint: run the fixture again", path.display())]
    DamagedMark {
        /// The file.
        path: PathBuf,
        /// Index of the mark, from 0.
        mark: u64,
    },
}

impl Record {
    /// Reads the record at `path`.
    ///
    /// # Errors
    ///
    /// [`RecordError`] when the file is not a record, not of this version, or damaged. A file that
    /// only lost its end is not an error: see [`Record::truncated`].
    pub fn open(path: &Path) -> Result<Self, RecordError> {
        let bytes = fs::read(path)
            .map_err(|reason| RecordError::Unreadable { path: path.to_owned(), reason })?;
        Self::decode(&bytes).map_err(|fault| fault.at(path))
    }

    fn decode(bytes: &[u8]) -> Result<Self, Fault> {
        if !bytes.starts_with(&layout::MAGIC) {
            return Err(Fault::Foreign);
        }
        let Some((head, body)) = bytes.split_at_checked(HEADER_BYTES) else {
            return Err(Fault::HeaderCut { bytes: bytes.len() });
        };
        let header = Header::decode(head)?;
        let progress = Progress::decode(head)?;
        let (whole, _) = body.as_chunks::<MARK_BYTES>();
        let promised = usize::try_from(progress.committed).unwrap_or(usize::MAX);
        let marks = whole
            .iter()
            .take(promised)
            .enumerate()
            .map(|(mark, bytes)| {
                Mark::decode(bytes).ok_or(Fault::DamagedMark { mark: mark as u64 })
            })
            .collect::<Result<Vec<_>, _>>()?;
        let readable = marks.len() as u64;
        let truncated = (readable < progress.committed)
            .then_some(Truncation { committed: progress.committed, readable });
        Ok(Self { header, progress, marks, truncated })
    }
}

impl Header {
    fn decode(head: &[u8]) -> Result<Self, Fault> {
        let version = get_u32(head, layout::VERSION);
        if version != layout::FORMAT_VERSION {
            return Err(Fault::UnsupportedVersion { version });
        }
        if crc32fast::hash(&head[..layout::HEADER_CRC]) != get_u32(head, layout::HEADER_CRC) {
            return Err(Fault::DamagedHeader { field: "checksum" });
        }
        if get_u32(head, layout::HEADER_LENGTH) as usize != HEADER_BYTES {
            return Err(Fault::DamagedHeader { field: "header length" });
        }
        if get_u32(head, layout::MARK_LENGTH) as usize != MARK_BYTES {
            return Err(Fault::DamagedHeader { field: "mark length" });
        }
        Ok(Self {
            fixture: text(head, &layout::FIXTURE)?,
            udf: text(head, &layout::UDF)?,
            runtime: Runtime::from_code(get_u32(head, layout::RUNTIME))
                .ok_or(Fault::DamagedHeader { field: "runtime" })?,
            batches: get_u32(head, layout::BATCHES),
            rows: get_u64(head, layout::ROWS),
            seed: get_u64(head, layout::SEED),
            environment: text(head, &layout::ENVIRONMENT)?,
            tracker_version: text(head, &layout::TRACKER)?,
            pid: get_u32(head, layout::PID),
            started_unix_ns: get_i64(head, layout::STARTED),
        })
    }
}

impl Progress {
    fn decode(head: &[u8]) -> Result<Self, Fault> {
        let state = match get_u64(head, layout::STATE) {
            layout::STATE_RUNNING => State::Running,
            layout::STATE_FINISHED => State::Finished,
            layout::STATE_FAILED => State::Failed { message: failure(head)? },
            _ => return Err(Fault::DamagedHeader { field: "state" }),
        };
        let canary = [layout::CANARY, layout::CANARY_EXPECTED, layout::CANARY_COUNTED];
        Ok(Self {
            state,
            stage: Stage::from_word(get_u64(head, layout::STAGE))
                .ok_or(Fault::DamagedHeader { field: "stage" })?,
            canary: CanaryOutcome::from_words(canary.map(|at| get_u64(head, at)))
                .ok_or(Fault::DamagedHeader { field: "canary" })?,
            committed: get_u64(head, layout::COMMITTED),
            capacity: get_u64(head, layout::CAPACITY),
            peak_error_bound_bytes: get_i64(head, layout::PEAK_ERROR_BOUND),
            lost_events: get_u64(head, layout::LOST),
        })
    }
}

fn failure(head: &[u8]) -> Result<String, Fault> {
    let length = get_u64(head, layout::FAILURE_LENGTH);
    utf8(
        head,
        layout::FAILURE,
        usize::try_from(length).unwrap_or(usize::MAX),
        layout::FAILURE_MAX_BYTES,
    )
    .ok_or(Fault::DamagedHeader { field: "failure message" })
}

fn text(head: &[u8], place: &Text) -> Result<String, Fault> {
    let length = u16::from_le_bytes(get(head, place.length_at));
    utf8(head, place.at, usize::from(length), place.most)
        .ok_or(Fault::DamagedHeader { field: place.name })
}

fn utf8(head: &[u8], at: usize, length: usize, most: usize) -> Option<String> {
    if length > most {
        return None;
    }
    str::from_utf8(&head[at..at + length]).ok().map(ToOwned::to_owned)
}

/// A [`RecordError`] that does not know its file yet.
#[derive(Debug)]
enum Fault {
    Foreign,
    HeaderCut { bytes: usize },
    UnsupportedVersion { version: u32 },
    DamagedHeader { field: &'static str },
    DamagedMark { mark: u64 },
}

impl Fault {
    fn at(self, path: &Path) -> RecordError {
        let path = path.to_owned();
        match self {
            Self::Foreign => RecordError::Foreign { path },
            Self::HeaderCut { bytes } => RecordError::HeaderCut { path, bytes },
            Self::UnsupportedVersion { version } => {
                RecordError::UnsupportedVersion { path, version }
            }
            Self::DamagedHeader { field } => RecordError::DamagedHeader { path, field },
            Self::DamagedMark { mark } => RecordError::DamagedMark { path, mark },
        }
    }
}
