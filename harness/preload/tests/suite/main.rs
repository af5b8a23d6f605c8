//! The library as it is shipped, preloaded into small C programs and into Python.
//!
//! Needs `gcc`, `python3` and, for the stacking tests, Debian's `libjemalloc2` and `libmimalloc2.0`
//! (`apt-get install libjemalloc2 libmimalloc2.0`). `HIGHWATER_TEST_PYTHONS` names other
//! interpreters to try, separated by colons.

#![expect(clippy::unwrap_used, reason = "helpers of tests fail as the tests do")]

mod binary;
mod inherited;
mod native;
mod python;
mod record;
mod support;
