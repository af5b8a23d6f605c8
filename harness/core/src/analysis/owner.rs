//! Whether what leaks has an owner in Python.

use super::growth::growth;
use super::windows::Windows;
use crate::evidence::{Growth, Trend};
use crate::series::Run;

/// The smallest object that Python can keep: a header of 16 bytes.
const OBJECT: i64 = 16;

/// Whether somebody in Python may keep what leaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Owner {
    /// Python's own blocks grow, too, or what is there already grows.
    Possible,
    /// Blocks are added, and not one of them is Python's.
    None,
}

/// Who can keep what leaks, and how the part grows that was not asked for through Python.
/// `None` without Python.
///
/// An object that Python code keeps has a header of Python's, however little of the object that is:
/// an array of NumPy's takes its elements from `malloc`, and 112 bytes from Python. So who keeps one
/// more of them keeps one more block of Python's. Where blocks are added and none of Python's is,
/// they hang on something in a C library; and where Python's part grows by less than one object for
/// each batch that adds native bytes, most of these have no owner in Python either. Where no block is added, an array or a buffer is stretched,
/// and whose that is cannot be told from numbers.
pub(super) fn owner(run: &Run, live: &Growth, blocks: &Growth) -> Option<(Owner, Growth)> {
    let native = run.native_series()?;
    let python: Vec<i64> =
        run.live_series().iter().zip(&native).map(|(live, native)| live - native).collect();
    let judged = run.batches.len() / 3;
    let added = native[judged..].windows(2).filter(|pair| pair[1] > pair[0]).count();
    let lows = Windows::of(&python[judged..]).minima;
    let grown = lows.last().zip(lows.first()).map_or(0, |(last, first)| last - first);
    let owners = i64::try_from(added).unwrap_or(i64::MAX).saturating_mul(OBJECT);
    let native = growth(&native);
    let orphaned = native.shape.trend() == Trend::Unbounded
        && native.per_batch > live.per_batch / 2.0
        && blocks.shape.trend() == Trend::Unbounded
        && (matches!(growth(&python).shape.trend(), Trend::Bounded | Trend::Filled)
            || grown < owners / 2);
    Some((if orphaned { Owner::None } else { Owner::Possible }, native))
}
