//! Quantities with their units: bytes, blocks, batches, and the rates between them.

mod bytes;
mod counts;
mod rates;

pub use bytes::{Bytes, ParseBytesError};
pub use counts::{Batches, Blocks};
pub use rates::{BlocksPerBatch, BytesPerBatch};

pub(crate) use bytes::human_bytes;
pub(crate) use counts::grouped;
pub(crate) use rates::human_blocks;
