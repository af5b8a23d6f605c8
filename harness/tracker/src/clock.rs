//! The two clocks that a record needs, read without allocating.

/// Nanoseconds on the monotonic clock, from an origin that is fixed until the machine restarts.
pub fn monotonic_ns() -> u64 {
    read(libc::CLOCK_MONOTONIC).cast_unsigned()
}

/// Nanoseconds since 1970, from the wall clock.
pub fn unix_ns() -> i64 {
    read(libc::CLOCK_REALTIME)
}

fn read(clock: libc::clockid_t) -> i64 {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: `time` is a valid place. Both clocks exist on every Linux, so it cannot fail; if it
    // did, the time would be 0.
    unsafe { libc::clock_gettime(clock, &raw mut time) };
    time.tv_sec.wrapping_mul(1_000_000_000).wrapping_add(time.tv_nsec)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clocks_go_forward() {
        let first = monotonic_ns();
        assert!(first > 0);
        assert!(monotonic_ns() >= first);
        // 2020-01-01 in seconds.
        assert!(unix_ns() / 1_000_000_000 > 1_577_836_800);
    }
}
