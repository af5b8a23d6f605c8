//! What goes into a record comes out again, and every way of it being broken has its own error.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use highwater_tracker::proc::Status;
use highwater_tracker::record::{
    CanaryOutcome, ENVIRONMENT_MAX_BYTES, FAILURE_MAX_BYTES, HEADER_BYTES, MARK_BYTES, Mark,
    MarkKind, NAME_MAX_BYTES, Opening, Record, RecordError, Runtime, Stage, State, Step,
    Truncation, WriteError, Writer,
};
use highwater_tracker::{Figures, Reading, VERSION, clock};
use std::fs;
use std::path::{Path, PathBuf};
use tempfile::TempDir;

const OPENING: Opening<'static> = Opening {
    fixture: "growing_cache",
    udf: "udf_fixtures::GrowingCache",
    runtime: Runtime::Rust,
    batches: 200,
    rows: 300,
    seed: u64::MAX,
    environment: r#"{"cpu": "é"}"#,
};

fn folder() -> (TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.record");
    (folder, path)
}

fn mark(kind: MarkKind, batch: u32) -> Mark {
    let reading = Reading {
        udf: Figures {
            live_bytes: 1000 + i64::from(batch),
            live_blocks: 3,
            peak_bytes: 5000,
            run_peak_bytes: 6000,
            allocations: 70,
            allocated_bytes: 80_000,
        },
        harness: Figures { live_bytes: 9, live_blocks: 1, ..Figures::default() },
        thread_blocks: 2,
        peak_error_bound_bytes: i64::from(batch % 3) * 65_536,
        lost_events: 0,
    };
    let status = Status {
        rss_anon_bytes: 10,
        rss_file_bytes: 11,
        rss_shmem_bytes: 12,
        rss_peak_bytes: 13,
        threads: 14,
    };
    Mark { duration_ns: 55, input_bytes: 66, ..Mark::now(kind, batch, &reading, &status) }
}

/// A record of `marks` marks with room for four more.
fn write(path: &Path, marks: u32) -> Vec<Mark> {
    let mut writer = Writer::create(path, &OPENING, u64::from(marks) + 4).unwrap();
    let marks: Vec<_> = (0..marks).map(|batch| mark(MarkKind::AfterBatch, batch)).collect();
    for mark in &marks {
        writer.commit(mark).unwrap();
    }
    marks
}

#[test]
fn what_goes_in_comes_out() {
    let (_folder, path) = folder();
    let before = clock::unix_ns();
    let mut writer = Writer::create(&path, &OPENING, 10).unwrap();
    let marks = [
        mark(MarkKind::ProcessStart, 0),
        mark(MarkKind::BeforeSetup, 0),
        mark(MarkKind::AfterSetup, 0),
        Mark { arrow_live_bytes: Some(-1), ..mark(MarkKind::AfterBatch, 2) },
        mark(MarkKind::Other(99), 0),
        mark(MarkKind::AfterDrop, 0),
    ];
    for mark in &marks {
        writer.commit(mark).unwrap();
    }
    writer.set_canary(CanaryOutcome::Failed { expected: 104_729, counted: -3 }).unwrap();
    writer.enter(Stage::Batch(199)).unwrap();
    let record = Record::open(&path).unwrap();
    assert_eq!(record.marks, marks);
    assert_eq!(record.truncated, None);
    let header = &record.header;
    assert_eq!((header.fixture.as_str(), header.udf.as_str()), (OPENING.fixture, OPENING.udf));
    assert_eq!((header.runtime, header.batches), (OPENING.runtime, OPENING.batches));
    assert_eq!((header.rows, header.seed), (OPENING.rows, OPENING.seed));
    assert_eq!(header.environment, OPENING.environment);
    assert_eq!((header.tracker_version.as_str(), header.pid), (VERSION, std::process::id()));
    assert!((before..=clock::unix_ns()).contains(&header.started_unix_ns));
    let progress = &record.progress;
    assert_eq!(progress.state, State::Running);
    assert_eq!(progress.stage, Stage::Batch(199));
    assert_eq!(progress.canary, CanaryOutcome::Failed { expected: 104_729, counted: -3 });
    assert_eq!((progress.committed, progress.capacity), (6, 10));
    assert_eq!((progress.peak_error_bound_bytes, progress.lost_events), (131_072, 0));

    writer.finish().unwrap();
    let progress = Record::open(&path).unwrap().progress;
    assert_eq!((progress.state, progress.stage), (State::Finished, Stage::Done));
}

#[test]
fn every_stage_and_canary_is_told_apart() {
    let (_folder, path) = folder();
    let mut writer = Writer::create(&path, &OPENING, 1).unwrap();
    assert_eq!(Record::open(&path).unwrap().progress.stage, Stage::Starting);
    assert_eq!(Record::open(&path).unwrap().progress.canary, CanaryOutcome::NotRun);
    for stage in [
        Stage::Confidence,
        Stage::Setup,
        Stage::Batch(0),
        Stage::Batch(u32::MAX),
        Stage::Dropping,
        Stage::Done,
    ] {
        writer.enter(stage).unwrap();
        assert_eq!(Record::open(&path).unwrap().progress.stage, stage);
    }
    writer.set_canary(CanaryOutcome::Passed { bytes: 77 }).unwrap();
    assert_eq!(Record::open(&path).unwrap().progress.canary, CanaryOutcome::Passed { bytes: 77 });
}

#[test]
fn last_words_are_kept_and_cut_at_a_character() {
    let (_folder, path) = folder();
    let mut writer = Writer::create(&path, &OPENING, 1).unwrap();
    writer.enter(Stage::Batch(37)).unwrap();
    for (said, kept) in [
        ("panicked at batch 37".to_owned(), "panicked at batch 37".to_owned()),
        ("é".repeat(FAILURE_MAX_BYTES), "é".repeat(FAILURE_MAX_BYTES / 2)),
        (format!("a{}", "é".repeat(FAILURE_MAX_BYTES)), format!("a{}", "é".repeat(511))),
        (String::new(), String::new()),
    ] {
        writer.fail(&said).unwrap();
        let progress = Record::open(&path).unwrap().progress;
        assert_eq!(progress.state, State::Failed { message: kept });
        assert_eq!(progress.stage, Stage::Batch(37));
    }
}

#[test]
fn a_full_record_says_so_and_grows() {
    let (_folder, path) = folder();
    let mut writer = Writer::create(&path, &OPENING, 2).unwrap();
    let marks: Vec<_> = (0..500).map(|batch| mark(MarkKind::AfterBatch, batch)).collect();
    writer.commit(&marks[0]).unwrap();
    writer.commit(&marks[1]).unwrap();
    assert_eq!(writer.commit(&marks[2]), Err(WriteError::Full { capacity: 2 }));
    writer.grow(500).unwrap();
    writer.grow(3).unwrap();
    assert_eq!((writer.capacity(), writer.committed()), (500, 2));
    for mark in &marks[2..] {
        writer.commit(mark).unwrap();
    }
    let record = Record::open(&path).unwrap();
    assert_eq!((record.marks, record.progress.capacity), (marks, 500));
    assert_eq!(fs::metadata(&path).unwrap().len(), (HEADER_BYTES + 500 * MARK_BYTES) as u64);
}

#[test]
fn names_that_do_not_fit_are_refused() {
    let (_folder, path) = folder();
    let (name, environment) = ("n".repeat(NAME_MAX_BYTES), "e".repeat(ENVIRONMENT_MAX_BYTES));
    let fitting = Opening { fixture: &name, udf: &name, environment: &environment, ..OPENING };
    drop(Writer::create(&path, &fitting, 1).unwrap());
    let header = Record::open(&path).unwrap().header;
    assert_eq!((&header.fixture, &header.udf, &header.environment), (&name, &name, &environment));

    fs::remove_file(&path).unwrap();
    let longer = "x".repeat(1 << 17);
    for (opening, field, most) in [
        (Opening { fixture: &longer, ..OPENING }, "fixture", NAME_MAX_BYTES),
        (Opening { udf: &longer[..193], ..OPENING }, "udf", NAME_MAX_BYTES),
        (Opening { environment: &longer, ..OPENING }, "environment", ENVIRONMENT_MAX_BYTES),
    ] {
        let error = Writer::create(&path, &opening, 1).unwrap_err();
        let WriteError::TextTooLong { field: named, most: limit, .. } = error.reason else {
            panic!("{error}");
        };
        assert_eq!((named, limit), (field, most));
        assert!(!path.exists());
    }
}

#[test]
fn what_keeps_a_record_from_being_made_is_said() {
    let (folder, path) = folder();
    fs::write(&path, "something").unwrap();
    let file_as_folder = path.join("record");
    let missing = folder.path().join("missing").join("record");
    let nul = folder.path().join("a\0b");
    // More than any disk has, and more than a file may be.
    let huge = folder.path().join("huge");
    let cases = [
        (&path, 1, Step::Create, "the file exists"),
        (&file_as_folder, 1, Step::Create, "the directory does not exist"),
        (&missing, 1, Step::Create, "the directory does not exist"),
        (&nul, 1, Step::Create, "the directory does not exist"),
        (&huge, 1 << 44, Step::Reserve, ""),
        (&huge, u64::MAX, Step::Reserve, "the record would be larger than a file may be"),
    ];
    for (path, capacity, step, reason) in cases {
        let error = Writer::create(path, &OPENING, capacity).unwrap_err();
        let WriteError::System { step: failed, .. } = error.reason else { panic!("{error}") };
        assert_eq!(failed, step, "{error}");
        let text = error.to_string();
        assert!(text.contains(&path.display().to_string()), "{text}");
        assert!(text.contains(reason), "{text}");
        assert!(text.contains("\nhint: "), "{text}");
    }
    assert!(!huge.exists(), "a record that could not be made is removed");
    assert_eq!(fs::read(&path).unwrap(), b"something");
}

#[test]
fn a_full_or_read_only_disk_has_words_of_its_own() {
    for (errno, words) in [
        (libc::ENOSPC, "no space left on the disk"),
        (libc::EDQUOT, "no space left on the disk"),
        (libc::EROFS, "the file system is read-only"),
        (libc::EACCES, "permission denied"),
        (libc::EIO, "reserving disk space failed with error 5"),
    ] {
        let text = WriteError::System { step: Step::Reserve, errno }.to_string();
        assert!(text.starts_with(words), "{text}");
        assert!(text.contains("\nhint: choose") || text.contains("\nhint: free"), "{text}");
    }
}

#[test]
fn a_cut_record_gives_what_is_left() {
    let (_folder, path) = folder();
    let marks = write(&path, 5);
    let bytes = fs::read(&path).unwrap();
    let end = |marks: usize| HEADER_BYTES + marks * MARK_BYTES;
    for (length, readable) in
        [(bytes.len(), 5), (end(5), 5), (end(5) - 1, 4), (end(2) + 1, 2), (end(2), 2), (end(0), 0)]
    {
        fs::write(&path, &bytes[..length]).unwrap();
        let record = Record::open(&path).unwrap();
        assert_eq!(record.marks, marks[..readable], "{length}");
        let truncated =
            (readable < 5).then_some(Truncation { committed: 5, readable: readable as u64 });
        assert_eq!(record.truncated, truncated, "{length}");
    }
}

#[test]
fn each_fault_has_its_own_error() {
    let (_folder, path) = folder();
    write(&path, 5);
    let sound = fs::read(&path).unwrap();
    let with = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = sound.clone();
        change(&mut bytes);
        bytes
    };
    let cases: [(Vec<u8>, &str); 10] = [
        (Vec::new(), "is not a highwater record"),
        (b"PAR1 and so on".to_vec(), "is not a highwater record"),
        (vec![0; HEADER_BYTES * 2], "is not a highwater record"),
        (sound[..8].to_vec(), "cut off in its header: 8 of 4096 bytes"),
        (sound[..4095].to_vec(), "cut off in its header: 4095 of 4096 bytes"),
        (with(&|bytes| bytes[8] = 2), "format version 2, this build reads version 1"),
        (with(&|bytes| bytes[70] ^= 1), "damaged header: `checksum`"),
        (with(&|bytes| bytes[2064] = 9), "damaged header: `state`"),
        (with(&|bytes| bytes[2072] = 9), "damaged header: `stage`"),
        (with(&|bytes| bytes[4096 + 3 * 256 + 40] ^= 1), "mark 3 fails its checksum"),
    ];
    for (bytes, words) in cases {
        fs::write(&path, bytes).unwrap();
        let text = Record::open(&path).unwrap_err().to_string();
        assert!(text.contains(words), "{text}");
        assert!(text.contains("\nhint: "), "{text}");
        assert!(text.contains(&path.display().to_string()), "{text}");
    }
    fs::remove_file(&path).unwrap();
    assert!(matches!(Record::open(&path), Err(RecordError::Unreadable { .. })));
}

#[test]
fn reserved_space_is_not_read() {
    let (_folder, path) = folder();
    let marks = write(&path, 5);
    let mut bytes = fs::read(&path).unwrap();
    assert_eq!(bytes.len(), HEADER_BYTES + 9 * MARK_BYTES);
    bytes[HEADER_BYTES + 5 * MARK_BYTES..].fill(0xFF);
    fs::write(&path, bytes).unwrap();
    assert_eq!(Record::open(&path).unwrap().marks, marks);
}

#[test]
fn a_record_without_its_magic_is_none() {
    // What a worker leaves that dies while it makes the record.
    let (_folder, path) = folder();
    write(&path, 1);
    let mut bytes = fs::read(&path).unwrap();
    assert_eq!(bytes[..8], *b"HIGHWATR");
    bytes[..8].fill(0);
    fs::write(&path, bytes).unwrap();
    assert!(matches!(Record::open(&path), Err(RecordError::Foreign { .. })));
}
