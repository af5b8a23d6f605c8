//! CPython's allocator domains.
//!
//! Only the public C API is used, looked up by name in the running process: `PyMem_GetAllocator` and
//! `PyMem_SetAllocator` are the same in every CPython since 3.5. What is not a plain CPython 3.9 to
//! 3.14 is refused.

mod domains;
mod interpreter;
pub(crate) mod tally;

pub(crate) use interpreter::{Refusal, attach, check};
