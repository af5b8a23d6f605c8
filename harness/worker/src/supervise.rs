//! Watches a running worker: its time, its memory, its end and its last words.

use std::io::Read;
use std::process::{Child, ExitStatus};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use highwater_core::Bytes;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{Pid, PidfdFlags, Signal, kill_process_group, pidfd_open};

/// How often a running worker's resident memory and time are looked at.
const GLANCE: Duration = Duration::from_millis(10);

/// How much of a worker's output is kept, from the end.
const TAIL: usize = 16 * 1024;

/// What a worker may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allowance {
    /// Wall time for the whole run.
    pub time: Duration,
    /// Resident memory. Looked at every 10 ms, so a fast allocator may pass it for that long.
    pub memory: Bytes,
}

/// How a worker ended.
#[derive(Debug)]
pub struct Ending {
    /// Its exit status.
    pub status: ExitStatus,
    /// The limit for which it was killed, if it was.
    pub killed_for: Option<KilledFor>,
    /// The end of its standard output and error, as text.
    pub output: String,
}

/// The limit for which the harness killed a worker.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KilledFor {
    /// It ran longer than it may.
    Time,
    /// It held more resident memory than it may.
    Memory,
}

/// Waits for the worker's end; kills it, and all that it started, when it passes a limit.
///
/// `glance` is called again and again meanwhile, and may change what the worker may use.
///
/// # Errors
///
/// When the system refuses to tell of the process, or `glance` fails.
pub fn supervise(
    mut child: Child,
    allowance: Allowance,
    glance: &mut dyn FnMut(&mut Allowance) -> std::io::Result<()>,
) -> std::io::Result<Ending> {
    let out = child.stdout.take().map(tail);
    let err = child.stderr.take().map(tail);
    let watched = watch(&child, allowance, glance);
    if !matches!(watched, Ok(None)) {
        kill_group(&child);
    }
    let status = child.wait()?;
    // Children that outlive the worker hold its pipes open, and are of no use to anybody.
    kill_group(&child);
    let mut output = String::new();
    for reader in [out, err].into_iter().flatten() {
        if let Ok(bytes) = reader.join() {
            output.push_str(&String::from_utf8_lossy(&bytes));
        }
    }
    Ok(Ending { status, killed_for: watched?, output })
}

/// Looks at the worker until it ends (`None`) or passes a limit.
fn watch(
    child: &Child,
    mut allowance: Allowance,
    at_glance: &mut dyn FnMut(&mut Allowance) -> std::io::Result<()>,
) -> std::io::Result<Option<KilledFor>> {
    let started = Instant::now();
    let pidfd = pidfd_open(pid(child), PidfdFlags::empty())?;
    let statm = format!("/proc/{}/statm", child.id());
    let page = rustix::param::page_size() as i64;
    let glance = Timespec { tv_sec: 0, tv_nsec: GLANCE.as_nanos() as i64 };
    loop {
        let mut fds = [PollFd::new(&pidfd, PollFlags::IN)];
        match poll(&mut fds, Some(&glance)) {
            Ok(0) | Err(rustix::io::Errno::INTR) => {}
            Ok(_) => return Ok(None),
            Err(error) => return Err(error.into()),
        }
        at_glance(&mut allowance)?;
        if started.elapsed() > allowance.time {
            return Ok(Some(KilledFor::Time));
        }
        let resident = std::fs::read_to_string(&statm)
            .ok()
            .and_then(|text| text.split_whitespace().nth(1)?.parse::<i64>().ok())
            .map_or(0, |pages| pages * page);
        if Bytes(resident) > allowance.memory {
            return Ok(Some(KilledFor::Memory));
        }
    }
}

fn pid(child: &Child) -> Pid {
    Pid::from_child(child)
}

fn kill_group(child: &Child) {
    // Fails when nobody of the group is left, which is what is wanted.
    let _ = kill_process_group(pid(child), Signal::KILL);
}

/// Reads a pipe to its end and keeps the last [`TAIL`] bytes.
fn tail(mut pipe: impl Read + Send + 'static) -> JoinHandle<Vec<u8>> {
    std::thread::spawn(move || {
        let mut kept = Vec::new();
        let mut chunk = [0; 4096];
        while let Ok(count @ 1..) = pipe.read(&mut chunk) {
            kept.extend_from_slice(&chunk[..count]);
            if kept.len() > 2 * TAIL {
                kept.drain(..kept.len() - TAIL);
            }
        }
        let start = kept.len().saturating_sub(TAIL);
        kept.split_off(start)
    })
}
