//! What a reading of the counters says.

/// All counters at one moment, and the peak since the previous reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Reading {
    /// What the UDF did.
    pub udf: Figures,
    /// What the harness did, in its sections.
    pub harness: Figures,
    /// Number of threads that own a block of counters: those that have allocated and not exited.
    pub thread_blocks: u32,
    /// How far `udf.peak_bytes` may be off in either direction, in bytes. 0 when at most one
    /// thread's UDF counters moved since the previous reading.
    pub peak_error_bound_bytes: i64,
    /// Events that no thread block could be had for. Unless it is 0, every figure is wrong.
    pub lost_events: u64,
}

/// The figures of one account. Requested bytes: what the program asked for, not what the allocator
/// rounded it to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Figures {
    /// Bytes allocated and not freed. Negative when more was freed in this account than allocated.
    pub live_bytes: i64,
    /// Blocks allocated and not freed.
    pub live_blocks: i64,
    /// Highest `live_bytes` since the previous reading, never below `live_bytes`.
    pub peak_bytes: i64,
    /// Highest `peak_bytes` of any reading so far, this one included.
    pub run_peak_bytes: i64,
    /// Allocations since the process started; a reallocation is one.
    pub allocations: u64,
    /// Bytes of those allocations; a reallocation adds its new size.
    pub allocated_bytes: u64,
}
