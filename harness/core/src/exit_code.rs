//! The exit codes of every Highwater command; part of its interface.

/// Every fixture passed, or improved.
pub const PASS: i32 = 0;
/// A bug in Highwater itself.
pub const INTERNAL: i32 = 1;
/// The command line or the manifest is wrong, or there is no such UDF.
pub const USAGE: i32 = 2;
/// At least one fixture regressed.
pub const REGRESSED: i32 = 3;
/// At least one measurement was inconclusive or invalid.
pub const INVALID: i32 = 4;
/// The confidence check failed, or a worker after it had no tracker: no figure can be believed.
pub const CONFIDENCE: i32 = 5;
/// At least one fixture has no baseline for the conditions it ran under.
pub const BASELINE_MISSING: i32 = 6;
