//! The atomics of the ledger: the real ones, or loom's under `--cfg loom`.

#[cfg(not(loom))]
pub(crate) use core::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering};
#[cfg(loom)]
pub(crate) use loom::sync::atomic::{AtomicI64, AtomicPtr, AtomicU32, AtomicU64, Ordering};

/// Declares a constructor that is `const` except under loom, whose atomics have no such thing.
macro_rules! const_unless_loom {
    ($(#[$meta:meta])* $visibility:vis fn $name:ident($($argument:ident: $type:ty),*) -> Self $body:block) => {
        $(#[$meta])*
        #[cfg(not(loom))]
        $visibility const fn $name($($argument: $type),*) -> Self $body

        $(#[$meta])*
        #[cfg(loom)]
        $visibility fn $name($($argument: $type),*) -> Self $body
    };
}
pub(crate) use const_unless_loom;
