//! How long a run goes on: the worker asks, the harness answers.
//!
//! A worker that was given a place to ask at stops at its checkpoint and opens the named pipe there
//! for reading, which blocks until the harness opens it for writing: that it can is the question. The
//! answer is one line, the number of batches at the next checkpoint. The number that the worker has
//! already ends the run. Nothing is asked in a run of fixed length.

use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use highwater_core::{Batches, Run};
use rustix::fs::{CWD, FileType, Mode, OFlags, mknodat, open};
use rustix::io::Errno;
use serde::{Deserialize, Serialize};

/// Where a worker asks how long to go on, and when first.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    /// After so many batches, at least 1.
    pub first: Batches,
    /// The named pipe.
    pub pipe: PathBuf,
}

impl Checkpoint {
    /// Asks whether to go on after `batches`, and waits for the answer. The worker's side.
    ///
    /// # Errors
    ///
    /// When the pipe cannot be read, or says no number.
    pub(crate) fn ask(&self) -> io::Result<Batches> {
        let answer = std::fs::read_to_string(&self.pipe)?;
        answer.trim().parse().map(Batches).map_err(|_| io::Error::other("no number was answered"))
    }
}

/// Decides how long a run goes on.
pub trait Pace: Sync {
    /// After how many batches the worker asks first.
    fn first(&self) -> Batches;

    /// After how many it asks next, given what it has done; as many as that ends the run.
    fn next(&self, so_far: &Run) -> Batches;

    /// The run has ended, on its own or otherwise.
    fn ended(&self) {}
}

/// The pipe of one run, on the harness's side; gone with it.
#[derive(Debug)]
pub(crate) struct Pipe(PathBuf);

impl Pipe {
    /// Makes the pipe beside `record`.
    pub(crate) fn beside(record: &Path) -> io::Result<Self> {
        let path = record.with_extension("pipe");
        mknodat(CWD, &path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
        Ok(Self(path))
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    /// The asking worker, if it asks now.
    pub(crate) fn question(&self) -> io::Result<Option<Question>> {
        match open(&self.0, OFlags::WRONLY | OFlags::NONBLOCK | OFlags::CLOEXEC, Mode::empty()) {
            Ok(pipe) => Ok(Some(Question(File::from(pipe)))),
            Err(Errno::NXIO) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

impl Drop for Pipe {
    fn drop(&mut self) {
        // A pipe that stays is removed with the records of the same fixture.
        let _ = std::fs::remove_file(&self.0);
    }
}

/// A worker that waits for its answer.
#[derive(Debug)]
pub(crate) struct Question(File);

impl Question {
    /// Answers. A worker that was killed meanwhile needs none.
    pub(crate) fn answer(mut self, batches: Batches) -> io::Result<()> {
        match writeln!(self.0, "{}", batches.0) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => Err(error),
            _ => Ok(()),
        }
    }
}

/// A pace that another run of the same fixture can follow, so that both are of one length.
#[derive(Debug)]
pub struct Led<P> {
    pace: P,
    decided: Mutex<Decided>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Decided {
    checkpoints: Vec<Batches>,
    has_ended: bool,
}

/// Follows the decisions of a [`Led`] pace.
#[derive(Debug)]
pub struct Follower<'a, P>(&'a Led<P>);

impl<P: Pace> Led<P> {
    /// `pace`, with room for followers.
    pub fn new(pace: P) -> Self {
        Self { pace, decided: Mutex::default(), changed: Condvar::new() }
    }

    /// One that follows.
    pub fn follower(&self) -> Follower<'_, P> {
        Follower(self)
    }

    fn decided(&self) -> MutexGuard<'_, Decided> {
        self.decided.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<P: Pace> Pace for Led<P> {
    fn first(&self) -> Batches {
        self.pace.first()
    }

    fn next(&self, so_far: &Run) -> Batches {
        let next = self.pace.next(so_far);
        self.decided().checkpoints.push(next);
        self.changed.notify_all();
        next
    }

    fn ended(&self) {
        self.decided().has_ended = true;
        self.changed.notify_all();
    }
}

impl<P: Pace> Pace for Follower<'_, P> {
    fn first(&self) -> Batches {
        self.0.first()
    }

    /// Waits until the led run has decided about this checkpoint, or has ended.
    fn next(&self, so_far: &Run) -> Batches {
        let done = Batches(u32::try_from(so_far.batches.len()).unwrap_or(u32::MAX));
        let mut decided = self.0.decided();
        loop {
            // The answer to the checkpoint at `done` follows the one that led there.
            let asked = [self.0.first()].into_iter().chain(decided.checkpoints.iter().copied());
            let answers = decided.checkpoints.iter().copied();
            if let Some((_, answer)) = asked.zip(answers).find(|(asked, _)| *asked == done) {
                return answer;
            }
            if decided.has_ended {
                return done;
            }
            decided = self.0.changed.wait(decided).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use highwater_core::Reading;

    struct Twice;

    impl Pace for Twice {
        fn first(&self) -> Batches {
            Batches(2)
        }

        fn next(&self, so_far: &Run) -> Batches {
            Batches(if so_far.batches.len() == 2 { 4 } else { 4.min(so_far.batches.len() as u32) })
        }
    }

    fn run(batches: usize) -> Run {
        Run { batches: vec![Reading::default(); batches], ..Run::default() }
    }

    #[test]
    fn a_follower_takes_the_same_steps() {
        let led = Led::new(Twice);
        std::thread::scope(|scope| {
            let follower = scope.spawn(|| {
                let follower = led.follower();
                [2, 4].map(|batches| follower.next(&run(batches)))
            });
            let own = [2, 4].map(|batches| led.next(&run(batches)));
            assert_eq!(own, [Batches(4), Batches(4)]);
            assert_eq!(follower.join().unwrap(), own);
        });
    }

    #[test]
    fn a_follower_ends_with_a_run_that_died() {
        let led = Led::new(Twice);
        led.ended();
        assert_eq!(led.follower().next(&run(2)), Batches(2));
    }

    #[test]
    fn a_question_is_a_reader_at_the_pipe() {
        let folder = std::env::temp_dir().join(format!("highwater-pace-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let pipe = Pipe::beside(&folder.join("a.hwr")).unwrap();
        assert!(pipe.question().unwrap().is_none());
        let checkpoint = Checkpoint { first: Batches(1), pipe: pipe.path().to_owned() };
        let asked = std::thread::spawn(move || checkpoint.ask());
        let question = loop {
            if let Some(question) = pipe.question().unwrap() {
                break question;
            }
            std::thread::yield_now();
        };
        question.answer(Batches(400)).unwrap();
        assert_eq!(asked.join().unwrap().unwrap(), Batches(400));
        let path = pipe.path().to_owned();
        drop(pipe);
        assert!(!path.exists());
        std::fs::remove_dir_all(folder).unwrap();
    }
}
