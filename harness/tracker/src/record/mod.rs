//! The record of a run: a file of marks that can be read whatever killed the worker.
//!
//! [`Writer`] maps the file and appends; [`Record::open`] reads it back. All disk space is reserved
//! when the file is made, so a full disk is an error then and not a signal in the middle of a run.
//!
//! # Format, version 1
//!
//! All numbers are little-endian. Offsets and sizes are in bytes. The file is a header of 4096
//! bytes, then `capacity` marks of 256 bytes, of which the first `committed` are valid. What is
//! beyond them is reserved space, and is not to be read.
//!
//! The first half of the header never changes once the magic is there, which is written last:
//!
//! | offset | type | what |
//! |---|---|---|
//! | 0 | 8 bytes | magic, `HIGHWATR` |
//! | 8 | u32 | format version, 1 |
//! | 12 | u32 | header length, 4096 |
//! | 16 | u32 | mark length, 256 |
//! | 20 | u32 | pid of the worker |
//! | 24 | u32 | runtime: 1 Rust, 2 Python |
//! | 28 | u32 | batches asked for |
//! | 32 | u64 | rows per batch |
//! | 40 | u64 | seed |
//! | 48 | i64 | start, nanoseconds since 1970 |
//! | 56 | 4 × u16 | lengths of the four texts that follow |
//! | 64 | 192, UTF-8 | name of the fixture |
//! | 256 | 192, UTF-8 | name of the UDF |
//! | 448 | 32, UTF-8 | version of the tracker |
//! | 480 | 1564, UTF-8 | environment, free text or JSON |
//! | 2044 | u32 | CRC-32 of the bytes 0 to 2043 |
//!
//! The second half changes while the worker runs. Each field is one word and stored in one piece:
//!
//! | offset | type | what |
//! |---|---|---|
//! | 2048 | u64 | capacity in marks |
//! | 2056 | u64 | committed marks; stored after the mark it counts |
//! | 2064 | u64 | state: 1 running, 2 finished, 3 failed |
//! | 2072 | u64 | stage: kind in the low half (1 starting, 2 confidence, 3 setup, 4 batch, 5 dropping, 6 done), batch index in the high half |
//! | 2080 | i64 | largest error bound of a peak in any mark |
//! | 2088 | u64 | lost events |
//! | 2096 | u64 | canary: 0 not run, 1 counted right, 2 counted wrong |
//! | 2104 | i64 | canary: bytes expected |
//! | 2112 | i64 | canary: bytes counted |
//! | 2120 | u64 | length of the failure message; stored after the message and before the state |
//! | 2128 | 944 | reserved, 0 |
//! | 3072 | 1024, UTF-8 | failure message |
//!
//! A mark:
//!
//! | offset | type | what |
//! |---|---|---|
//! | 0 | u32 | kind: 1 process start, 2 before setup, 3 after setup, 4 after batch, 5 after drop, 6 after warm-up, 7 after a collection of everything, 8 then after `malloc_trim`, 9 then after the release of Arrow's pool, 10 then after emptying caches that were still filling; others are for later versions |
//! | 4 | u32 | batch index from 0; 0 where there is none |
//! | 8 | u64 | monotonic time, ns |
//! | 16 | u64 | duration of the step before the mark, ns |
//! | 24 | i64 | UDF: live bytes |
//! | 32 | i64 | UDF: live blocks |
//! | 40 | i64 | UDF: peak bytes since the previous mark |
//! | 48 | i64 | UDF: peak bytes of the run |
//! | 56 | u64 | UDF: allocations |
//! | 64 | u64 | UDF: allocated bytes |
//! | 72 | i64 | harness: live bytes |
//! | 80 | i64 | harness: live blocks |
//! | 88 | i64 | input: bytes of the batch handed over |
//! | 96 | i64 | resident anonymous bytes |
//! | 104 | i64 | resident file bytes |
//! | 112 | i64 | resident shared bytes |
//! | 120 | i64 | highest resident bytes of the process |
//! | 128 | u32 | threads of the process |
//! | 132 | u32 | threads that own counters |
//! | 136 | i64 | error bound of the peak since the previous mark |
//! | 144 | u64 | lost events |
//! | 152 | i64 | Arrow: live bytes, or absent |
//! | 160 | i64 | Arrow: highest bytes of the pool, or absent |
//! | 168 | i64 | live bytes before the collection, or absent |
//! | 176 | i64 | anonymous mappings, bytes, or absent |
//! | 184 | i64 | Python blocks, or absent |
//! | 192 | i64 | UDF: live bytes that Python did not hand out, or absent |
//! | 200 | i64 | UDF: live bytes that Python handed out, or absent |
//! | 208 | i64 | bytes of what the UDF returned, or absent |
//! | 216 | i64 | the same pickled, or absent |
//! | 224 | i64 | bytes of the UDF itself, pickled, or absent |
//! | 232 | 20 | reserved, 0 |
//! | 252 | u32 | CRC-32 of the bytes 0 to 251 |
//!
//! Absent is the least i64. Bytes are requested bytes, except the resident ones.

mod header;
mod layout;
mod mapping;
mod mark;
mod writer;

#[cfg(feature = "std")]
mod reader;

pub use header::{CanaryOutcome, Opening, Runtime, Stage};
pub use layout::{
    ENVIRONMENT_MAX_BYTES, FAILURE_MAX_BYTES, FORMAT_VERSION, HEADER_BYTES, MARK_BYTES,
    NAME_MAX_BYTES,
};
pub use mark::{Mark, MarkKind};
pub use writer::{Step, WriteError, Writer};

#[cfg(feature = "std")]
pub use reader::{Header, Progress, Record, RecordError, State, Truncation};
#[cfg(feature = "std")]
pub use writer::CreateError;

/// The system's number for the last failed call on this thread.
pub(crate) fn last_errno() -> i32 {
    // SAFETY: the C library returns the calling thread's own, always valid place.
    let place = unsafe { libc::__errno_location() };
    // SAFETY: see above; an integer is always initialised there.
    unsafe { place.read() }
}
