//! The Python side of the harness: the user's interpreter, started with the runner and the preloaded
//! tracker.
//!
//! Both are carried in this crate and written to a folder before they are used, so that nothing has
//! to be installed into the user's Python. [`Interpreter::find`] finds one, [`Interpreter::equip`]
//! writes the files, and [`Python::command`] starts a worker of either [kind](crate::RunKind).

pub(crate) mod attachment;
mod environment;
mod equipment;
mod error;
mod interpreter;
mod venv;

pub use equipment::Python;
pub use error::PythonError;
pub use interpreter::{Interpreter, Version};
pub use venv::{Venv, venv};

/// Version of the preloaded tracker that this crate carries.
pub const TRACKER_VERSION: &str = highwater_tracker::VERSION;
