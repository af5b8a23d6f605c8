//! The preloaded tracker: counts what a process allocates that was not built to be counted.
//!
//! Named in `LD_PRELOAD`, it stands in front of the C library's allocator, and after
//! `highwater_python_attach` also in front of CPython's. It counts requested bytes through
//! [`highwater_tracker`] and changes nothing: the same calls reach the same allocator, whichever
//! that is.
//!
//! # Parts
//!
//! | module | what |
//! |---|---|
//! | `libc_hooks`, `mappings` | the functions that replace the C library's |
//! | `early`, `arena` | what they do before counting begins |
//! | `real`, `symbols`, `stand_in` | the functions behind them, and how they are found |
//! | `shadow` | the size of every block in use, by address |
//! | `page_map` | which pages are anonymous mappings |
//! | `books`, `tls` | from a block to the tracker's counters |
//! | `python` | CPython's allocator domains |
//! | `start`, `environment` | when counting begins, and what child processes inherit |
//! | `api` | the C functions that the worker calls |
//!
//! # What must hold in every hook
//!
//! It runs at any moment of any thread: before `main`, in a fork's child, inside the dynamic linker,
//! in the last destructor of a thread. So it takes no lock, allocates nothing, prints nothing and
//! does not panic. What it cannot do it leaves undone and counts as lost, which makes the run
//! invalid. Until the constructor has run, and in a process without `HIGHWATER_PRELOAD` in its
//! environment, the hooks pass every call on and do nothing else.
//!
//! # How it disturbs what it measures
//!
//! One byte of shadow per 16 bytes that small blocks span, 384 bytes per thread at the same time.
//! Requests below 9 bytes are passed on as 9, because some allocators would otherwise put two
//! blocks into 16 bytes; the GNU C library makes the same block of both. `LD_PRELOAD` and
//! `HIGHWATER_PRELOAD` leave the environment when the record is made.
//!
//! # What it cannot see
//!
//! * Allocators that are linked into a library under names of their own (Arrow's mimalloc and
//!   jemalloc pools, polars).
//! * `operator new` of another preloaded allocator, which does not come by `malloc`.
//! * The C library's own mappings and what its allocator keeps after a free.
//! * Static and setuid programs, which load no library.
//! * Blocks that existed before the constructor ran, and Python objects from before
//!   `highwater_python_attach`: freeing them is no event.

#![no_std]
// Test harnesses are built to unwind, which needs `std`; the library would be of no use to them.
#![cfg(panic = "abort")]

mod api;
mod arena;
mod books;
mod early;
mod environment;
mod libc_hooks;
mod mappings;
mod page_map;
mod pages;
mod python;
mod real;
mod shadow;
mod stand_in;
mod start;
mod symbols;
mod tls;

/// No hook panics; this is for the linker.
#[panic_handler]
fn panic(_: &core::panic::PanicInfo<'_>) -> ! {
    // SAFETY: takes no argument.
    unsafe { libc::abort() }
}
