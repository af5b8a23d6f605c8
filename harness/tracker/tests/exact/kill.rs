use crate::trial;
use highwater_tracker::record::{Mark, MarkKind, Opening, Record, Runtime, Stage, State, Writer};
use highwater_tracker::{Reading, proc};
use libtest_mimic::Trial;
use std::io::{self, BufRead, BufReader, Write};
use std::os::unix::process::ExitStatusExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// Set for a process that is to write a record to this path until it is killed.
pub(crate) const CHILD: &str = "HIGHWATER_TEST_RECORD";

pub(crate) fn trials() -> Vec<Trial> {
    vec![
        trial("kill::marks_before_a_kill_are_readable", marks_before_a_kill_are_readable),
        trial("kill::a_kill_amid_marks_tears_none", a_kill_amid_marks_tears_none),
    ]
}

const CAPACITY: u64 = 1 << 16;
const PAUSE: u32 = 50;

fn mark(index: u32) -> Mark {
    let mut mark =
        Mark::now(MarkKind::AfterBatch, index, &Reading::default(), &proc::Status::default());
    mark.live_bytes = i64::from(index) * 1000;
    mark
}

/// Writes `PAUSE` marks, says so, waits for a line, and writes on until the room is used up.
pub(crate) fn child(path: &Path) -> ! {
    let opening = Opening {
        fixture: "kill",
        udf: "none",
        runtime: Runtime::Rust,
        batches: 200,
        rows: 1,
        seed: 2,
        environment: "{}",
    };
    let mut writer = Writer::create(path, &opening, CAPACITY).unwrap();
    for index in 0..CAPACITY as u32 {
        writer.enter(Stage::Batch(index)).unwrap();
        if index == PAUSE {
            say("paused");
            io::stdin().lock().read_line(&mut String::new()).unwrap();
            say("going on");
        }
        writer.commit(&mark(index)).unwrap();
    }
    say("done");
    // The parent kills it here at the latest.
    loop {
        std::thread::park();
    }
}

fn say(line: &str) {
    let mut out = io::stdout().lock();
    writeln!(out, "{line}").unwrap();
    out.flush().unwrap();
}

/// Runs the child, lets it go on past the pause or not, kills it, and reads what it left.
fn kill(go_on: bool) -> Record {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("record");
    let mut child = Command::new(std::env::current_exe().unwrap())
        .env(CHILD, &path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut said = BufReader::new(child.stdout.take().unwrap()).lines();
    assert_eq!(said.next().unwrap().unwrap(), "paused");
    if go_on {
        child.stdin.as_mut().unwrap().write_all(b"\n").unwrap();
        assert_eq!(said.next().unwrap().unwrap(), "going on");
    }
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().signal(), Some(libc::SIGKILL));
    Record::open(&path).unwrap()
}

fn marks_before_a_kill_are_readable() {
    let record = kill(false);
    assert_eq!(record.marks.len(), PAUSE as usize);
    assert_eq!(record.progress.state, State::Running);
    assert_eq!(record.progress.stage, Stage::Batch(PAUSE));
    assert_eq!(record.truncated, None);
    assert_eq!(record.header.fixture, "kill");
}

fn a_kill_amid_marks_tears_none() {
    for _ in 0..10 {
        let record = kill(true);
        assert!(record.marks.len() >= PAUSE as usize);
        assert_eq!(record.truncated, None);
        for (index, read) in (0..).zip(&record.marks) {
            let written = Mark { monotonic_ns: read.monotonic_ns, ..mark(index) };
            assert_eq!(*read, written);
        }
    }
}
