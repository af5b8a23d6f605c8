//! Proof that the tracker is attached: an allocation of known size must move the counters by it.

use crate::counter::Counter;
use crate::ledger::Position;
use crate::slot::ThreadSlot;
use core::alloc::Layout;
use core::hint::black_box;

/// Size of the canary block, in bytes: odd, prime, and above the slack, so that it also passes
/// through the settling of the peak.
pub const CANARY_BYTES: usize = 104_729;

/// A canary that was counted right.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Canary {
    /// Size of the block, in bytes.
    pub bytes: i64,
}

/// Why the tracker's figures cannot be believed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CanaryError {
    /// The counters did not move at all.
    #[error(
        "tracker not attached: an allocation of {CANARY_BYTES} bytes was not counted\n\
         hint: declare `#[global_allocator] static ALLOCATOR: Tracker = Tracker::new();` in the \
         binary that runs the UDF"
    )]
    NotAttached,
    /// The counters moved, but not by the block.
    #[error(
        "tracker counts wrong: {CANARY_BYTES} bytes in 1 block were counted as {bytes} bytes in \
         {blocks} blocks\n\
         hint: is another allocator wrapper between the program and the tracker, and does it \
         change sizes?"
    )]
    Miscounted {
        /// Bytes counted.
        bytes: i64,
        /// Blocks counted.
        blocks: i64,
    },
    /// The block was counted, but its free was not.
    #[error(
        "tracker misses frees: after the canary was freed, {bytes} bytes in {blocks} blocks were \
         left\n\
         hint: does another allocator wrapper between the program and the tracker keep blocks?"
    )]
    FreeMiscounted {
        /// Bytes left.
        bytes: i64,
        /// Blocks left.
        blocks: i64,
    },
    /// There was no memory for the canary or for the thread's counters.
    #[error(
        "no memory for an allocation of {CANARY_BYTES} bytes\nhint: raise the memory limit of the worker"
    )]
    NoMemory,
}

/// Allocates and frees a block of [`CANARY_BYTES`] through the global allocator and checks that this
/// thread's counters follow. What other threads do meanwhile does not matter.
///
/// # Errors
///
/// [`CanaryError`] says what was counted instead.
pub fn check() -> Result<Canary, CanaryError> {
    let before = position()?;
    let layout = Layout::array::<u8>(CANARY_BYTES).map_err(|_| CanaryError::NoMemory)?;
    // SAFETY: the layout's size is not zero.
    let block = unsafe { std::alloc::alloc(black_box(layout)) };
    if block.is_null() {
        return Err(CanaryError::NoMemory);
    }
    // The optimiser may remove an allocation that nobody looks at.
    let block = black_box(block);
    let during = position();
    // SAFETY: `block` was just allocated with this layout.
    unsafe { std::alloc::dealloc(block, black_box(layout)) };
    let after = position()?;
    judge(before, during?, after)
}

fn judge(before: Position, during: Position, after: Position) -> Result<Canary, CanaryError> {
    let expected = CANARY_BYTES as i64;
    match moved(before, during) {
        (0, 0) => return Err(CanaryError::NotAttached),
        (bytes, 1) if bytes == expected => {}
        (bytes, blocks) => return Err(CanaryError::Miscounted { bytes, blocks }),
    }
    match moved(before, after) {
        (0, 0) => Ok(Canary { bytes: expected }),
        (bytes, blocks) => Err(CanaryError::FreeMiscounted { bytes, blocks }),
    }
}

fn moved(from: Position, to: Position) -> (i64, i64) {
    (to.live_bytes - from.live_bytes, to.live_blocks - from.live_blocks)
}

fn position() -> Result<Position, CanaryError> {
    Counter::<ThreadSlot>::own_position().ok_or(CanaryError::NoMemory)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(live_bytes: i64, live_blocks: i64) -> Position {
        Position { live_bytes, live_blocks }
    }

    #[test]
    fn each_fault_is_told_apart() {
        let size = CANARY_BYTES as i64;
        let cases = [
            ([(7, 1), (7 + size, 2), (7, 1)], Ok(Canary { bytes: size })),
            ([(7, 1), (7, 1), (7, 1)], Err(CanaryError::NotAttached)),
            (
                [(7, 1), (8 + size, 2), (7, 1)],
                Err(CanaryError::Miscounted { bytes: size + 1, blocks: 1 }),
            ),
            (
                [(7, 1), (7 + size, 3), (7, 1)],
                Err(CanaryError::Miscounted { bytes: size, blocks: 2 }),
            ),
            (
                [(7, 1), (7 + size, 2), (7 + size, 2)],
                Err(CanaryError::FreeMiscounted { bytes: size, blocks: 1 }),
            ),
        ];
        for (positions, expected) in cases {
            let [before, during, after] = positions.map(|(bytes, blocks)| at(bytes, blocks));
            assert_eq!(judge(before, during, after), expected, "{positions:?}");
        }
    }

    #[test]
    fn a_program_without_the_tracker_is_found_out() {
        // This test binary keeps the default allocator.
        assert_eq!(check(), Err(CanaryError::NotAttached));
    }
}
