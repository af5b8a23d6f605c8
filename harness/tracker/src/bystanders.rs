//! Threads that were there before the UDF.

use crate::counter::Counter;
use crate::slot::ThreadSlot;

/// Books what all other threads that run now do in the harness's account: the UDF's threads are this
/// one and those that start later. For programs that share their process with a test harness, whose
/// threads allocate when they like.
pub fn set_other_threads_aside() {
    Counter::<ThreadSlot>::set_others_aside();
}
