//! Resident memory and threads of this process, read without allocating.

use core::fmt;
use core::str;

/// What `/proc/self/status` says. Bytes, in steps of a page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Status {
    /// Resident anonymous memory (`RssAnon`): heap, stacks.
    pub rss_anon_bytes: i64,
    /// Resident pages of files (`RssFile`): code, mapped files.
    pub rss_file_bytes: i64,
    /// Resident shared memory (`RssShmem`).
    pub rss_shmem_bytes: i64,
    /// Highest resident memory ever (`VmHWM`). It never falls.
    pub rss_peak_bytes: i64,
    /// Threads that the kernel knows.
    pub threads: u32,
}

/// Why the status could not be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StatusError {
    /// `/proc/self/status` cannot be opened or read.
    Unreadable {
        /// The system's error number.
        errno: i32,
    },
    /// A line is missing or is not a number.
    Malformed {
        /// Name of the line.
        field: &'static str,
    },
}

impl fmt::Display for StatusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable { errno } => write!(
                f,
                "cannot read `/proc/self/status` (error {errno})\nhint: mount `/proc` in the container"
            ),
            Self::Malformed { field } => write!(
                f,
                "`/proc/self/status` has no readable `{field}` line\nhint: Linux 4.5 or newer is needed"
            ),
        }
    }
}

impl core::error::Error for StatusError {}

/// Reads the status of the calling process.
///
/// # Errors
///
/// [`StatusError`] when `/proc` is not mounted or does not have the lines that Linux 4.5 and newer
/// have.
pub fn read_status() -> Result<Status, StatusError> {
    // The file has about 1.5 KiB, more with many groups or processors, and the wanted lines come
    // before the long ones except for `Groups`.
    let mut buffer = [0; 8192];
    let text = read_file(&mut buffer)?;
    parse(text)
}

fn read_file(buffer: &mut [u8]) -> Result<&[u8], StatusError> {
    // SAFETY: the path is a C string.
    let file =
        unsafe { libc::open(c"/proc/self/status".as_ptr(), libc::O_RDONLY | libc::O_CLOEXEC) };
    if file < 0 {
        return Err(StatusError::Unreadable { errno: crate::record::last_errno() });
    }
    let mut filled = 0;
    let outcome = loop {
        let free = &mut buffer[filled..];
        // SAFETY: `free` is writable for its length.
        let got = unsafe { libc::read(file, free.as_mut_ptr().cast(), free.len()) };
        match usize::try_from(got) {
            Ok(0) => break Ok(filled),
            Ok(got) => filled += got,
            Err(_) => match crate::record::last_errno() {
                libc::EINTR => {}
                errno => break Err(StatusError::Unreadable { errno }),
            },
        }
    };
    // SAFETY: `file` is ours and used no more.
    unsafe { libc::close(file) };
    outcome.map(|filled| &buffer[..filled])
}

fn parse(text: &[u8]) -> Result<Status, StatusError> {
    Ok(Status {
        rss_anon_bytes: kibibytes(text, "RssAnon")?,
        rss_file_bytes: kibibytes(text, "RssFile")?,
        rss_shmem_bytes: kibibytes(text, "RssShmem")?,
        rss_peak_bytes: kibibytes(text, "VmHWM")?,
        threads: number(text, "Threads")?,
    })
}

fn kibibytes(text: &[u8], field: &'static str) -> Result<i64, StatusError> {
    number::<i64>(text, field)?.checked_mul(1024).ok_or(StatusError::Malformed { field })
}

fn number<N: str::FromStr>(text: &[u8], field: &'static str) -> Result<N, StatusError> {
    text.split(|byte| *byte == b'\n')
        .find_map(|line| line.strip_prefix(field.as_bytes())?.strip_prefix(b":"))
        .and_then(|value| value.trim_ascii().split(u8::is_ascii_whitespace).next())
        .and_then(|digits| str::from_utf8(digits).ok()?.parse().ok())
        .ok_or(StatusError::Malformed { field })
}

/// The version of the C library that the process runs on, as glibc says it: `2.36`.
pub fn libc_version() -> &'static core::ffi::CStr {
    // SAFETY: takes nothing and returns a pointer to a constant of the library.
    let version = unsafe { libc::gnu_get_libc_version() };
    // SAFETY: the constant is terminated by a zero byte and lives as long as the process.
    unsafe { core::ffi::CStr::from_ptr(version) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "Name:\tworker\nVmHWM:\t    5120 kB\nVmRSS:\t    4096 kB\n\
        RssAnon:\t    1024 kB\nRssFile:\t    3000 kB\nRssShmem:\t      72 kB\nThreads:\t17\n";

    #[test]
    fn each_line_lands_in_its_field() {
        let status = Status {
            rss_anon_bytes: 1024 * 1024,
            rss_file_bytes: 3000 * 1024,
            rss_shmem_bytes: 72 * 1024,
            rss_peak_bytes: 5120 * 1024,
            threads: 17,
        };
        assert_eq!(parse(TEXT.as_bytes()), Ok(status));
    }

    #[test]
    fn a_missing_or_broken_line_is_named() {
        for field in ["RssAnon", "RssFile", "RssShmem", "VmHWM", "Threads"] {
            for replacement in ["Other:", ""] {
                let text =
                    std::string::String::from(TEXT).replace(&std::format!("{field}:"), replacement);
                assert_eq!(parse(text.as_bytes()), Err(StatusError::Malformed { field }));
            }
        }
        let text = TEXT.replace("17", "many");
        assert_eq!(parse(text.as_bytes()), Err(StatusError::Malformed { field: "Threads" }));
    }

    #[test]
    fn the_running_process_has_sensible_figures() {
        let status = read_status().unwrap();
        assert!(status.rss_anon_bytes > 0);
        assert!(status.rss_peak_bytes >= status.rss_anon_bytes);
        assert!(status.threads >= 1);
    }

    #[test]
    fn touched_memory_shows_up() {
        let before = read_status().unwrap().rss_anon_bytes;
        let kept = std::vec![1_u8; 32 << 20];
        let after = read_status().unwrap().rss_anon_bytes;
        assert!(after - before > 24 << 20, "{before} -> {after}");
        drop(kept);
    }
}
