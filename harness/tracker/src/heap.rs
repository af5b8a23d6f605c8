//! What the C library's allocator keeps of freed memory.

/// Asks the C library to give the system back what it does not use: `malloc_trim(0)`, over all of
/// its arenas. Returns whether anything was given back; `false`, too, under a C library without such
/// a call. What another global allocator keeps is left alone.
///
/// ```
/// drop(vec![1_u8; 1 << 20]);
/// highwater_tracker::heap::trim();
/// ```
pub fn trim() -> bool {
    #[cfg(target_env = "gnu")]
    {
        // SAFETY: it asks for nothing, and may be called at any time and on any thread.
        unsafe { libc::malloc_trim(0) == 1 }
    }
    #[cfg(not(target_env = "gnu"))]
    false
}
