//! CPython.

use crate::record::{ABSENT, Record};
use crate::support::{Program, counted, counted_python, library, output, pythons, succeed, texts};
use std::path::Path;
use tempfile::TempDir;

#[test]
fn objects_of_every_size_count_once() {
    for python in pythons() {
        assert_eq!(succeed(&mut counted_python(&python, "objects.py")), "exact\n", "{python:?}");
    }
}

#[test]
fn pythons_own_books_are_nobodys_memory() {
    for python in pythons() {
        assert_eq!(succeed(&mut counted_python(&python, "arenas.py")), "exact\n", "{python:?}");
    }
}

/// With `malloc` behind them, Python's objects pass through both hooks.
#[test]
fn objects_count_once_when_python_uses_malloc() {
    for python in pythons() {
        let mut command = counted_python(&python, "objects.py");
        assert_eq!(succeed(command.env("PYTHONMALLOC", "malloc")), "exact\n", "{python:?}");
    }
}

#[test]
fn a_free_counts_in_the_account_of_the_allocation() {
    for python in pythons() {
        assert_eq!(succeed(&mut counted_python(&python, "sections.py")), "exact\n", "{python:?}");
    }
}

#[test]
fn churn_leaves_nothing_and_a_leak_its_bytes() {
    for python in pythons() {
        for leak in ["0", "100"] {
            let mut command = counted_python(&python, "churn.py");
            assert_eq!(succeed(command.arg(leak)), format!("[{leak}]\n"), "{python:?}");
        }
    }
}

#[test]
fn child_processes_are_alive_and_clean() {
    for python in pythons() {
        assert_eq!(succeed(&mut counted_python(&python, "processes.py")), "clean\n", "{python:?}");
    }
}

#[test]
fn other_preloaded_libraries_stay_for_children() {
    let script = "import ctypes, os, subprocess
library = ctypes.CDLL(None)
library.highwater_python_attach()
print(subprocess.run(['sh', '-c', 'echo $LD_PRELOAD'], stdout=subprocess.PIPE).stdout.decode(), end='')";
    let own = library().display();
    let other = "/usr/lib/x86_64-linux-gnu/libjemalloc.so.2";
    for (list, left) in [
        (format!("{own}"), String::new()),
        (format!("{own}:{other}"), other.to_owned()),
        (format!("{other} {own}"), other.to_owned()),
        (format!(" {own}::{other}:{own} "), other.to_owned()),
    ] {
        let mut command = counted(&pythons()[0]);
        // The copy of the environment is Python's, so the child gets the process's own.
        let out = succeed(command.args(["-c", script]).env("LD_PRELOAD", &list));
        assert_eq!(out, format!("{left}\n"), "{list}");
    }
}

#[test]
fn what_cannot_be_counted_right_is_refused() {
    let attach = "import ctypes; print(ctypes.CDLL(None).highwater_python_attach())";
    let traced = "import tracemalloc; tracemalloc.start()\n".to_owned() + attach;
    let replaced = attach.to_owned()
        + "
class Reading(ctypes.Structure):
    _fields_ = [('figures', ctypes.c_int64 * 20)]
class Allocator(ctypes.Structure):
    _fields_ = [('functions', ctypes.c_void_p * 5)]
original = Allocator()
get, put = ctypes.pythonapi.PyMem_GetAllocator, ctypes.pythonapi.PyMem_SetAllocator
get(0, ctypes.byref(original))
put(2, ctypes.byref(original))
reading = Reading()
ctypes.CDLL(None).highwater_read(ctypes.byref(reading))
import os
print('lost' if reading.figures[13] else 'not noticed', flush=True)
os._exit(0)";
    let cases = [
        (attach, &[("PYTHONMALLOC", "debug")][..], "-6\n"),
        (attach, &[("PYTHONMALLOC", "malloc_debug")], "-6\n"),
        (attach, &[("PYTHONDEVMODE", "1")], "-6\n"),
        (&traced, &[], "-6\n"),
        (attach, &[("HIGHWATER_PRELOAD", "")], "0\n"),
        (&replaced, &[("PYTHONMALLOC", "malloc")], "0\nlost\n"),
    ];
    for python in pythons() {
        for (script, environment, expected) in cases {
            let mut command = counted(&python);
            command.args(["-c", script]).envs(environment.iter().copied());
            assert_eq!(succeed(&mut command), expected, "{python:?} {environment:?} {script}");
        }
    }
}

#[test]
fn interpreters_that_are_not_known_are_refused() {
    let program = Program::compile_as(
        "interpreters.c",
        &["-fPIE", "-pie", "-rdynamic", "-Wl,-z,dynamic-undefined-weak"],
    );
    assert_eq!(succeed(&mut counted(program.file())), "refused\n");
    let plain = Program::compile("report.c");
    assert!(succeed(&mut counted(plain.file())).contains("attach -2"));
}

#[test]
fn threads_leave_no_python_counters_behind() {
    for python in pythons() {
        let mut command = counted_python(&python, "many_threads.py");
        assert_eq!(succeed(&mut command), "bounded\n", "{python:?}");
    }
}

/// Ends the interpreter with the hooks in place, threads running and garbage left.
#[test]
fn the_interpreter_ends_as_without() {
    let script = "import ctypes, threading, sys
assert ctypes.CDLL(None).highwater_python_attach() == 0
class Node: pass
node = Node(); node.me = node
threading.Thread(target=lambda: [bytes(100) for _ in range(100000)], daemon=True).start()
sys.exit(7)";
    for python in pythons() {
        let output = output(counted(&python).args(["-c", script]));
        assert_eq!((output.status.code(), texts(&output)), (Some(7), String::new()), "{python:?}");
    }
}

#[test]
fn a_record_holds_what_was_marked() {
    for python in pythons() {
        let record = write_record(&python, "finish");
        let texts = [(56, 64), (58, 256), (62, 480)].map(|(length, at)| record.text(length, at));
        assert_eq!(texts, ["fixture", "udf", r#"{"python": "3"}"#]);
        assert_eq!([24, 28].map(|at| record.u32(at)), [2, 5], "Python, batches");
        assert_eq!([32, 40].map(|at| record.u64(at)), [300, 42], "rows, seed");
        assert_eq!((record.state(), record.stage()), (2, 6));
        assert_eq!(record.canary(), [1, 104_729, 104_729]);

        let marks = record.marks();
        let kinds: Vec<_> = marks.iter().map(|mark| mark.kind()).collect();
        assert_eq!(kinds, [1, 2, 3, 4, 4, 4, 4, 4, 5]);
        for pair in marks[3..8].windows(2) {
            let grown = pair[1].live_bytes() - pair[0].live_bytes();
            assert_eq!(pair[1].batch(), pair[0].batch() + 1);
            assert!((grown - (1 << 20)).abs() < 1000, "{grown}");
        }
        // Arrow's live and most, before the collection, Python's blocks, input, duration, output,
        // pickled result and state.
        let all = [152, 160, 168, 184, 88, 16, 208, 216, 224];
        let (start, batch, drop) = (marks[0], marks[4], marks[8]);
        assert_eq!(all.map(|at| batch.i64(at)), [11, 12, 13, 14, 15, 18, 16, 17, 19]);
        assert_eq!(all.map(|at| drop.i64(at)), [11, 12, 13, 14, 0, 0, 16, 17, 19]);
        let [none, zero] = [ABSENT, 0];
        let nothing = [none, none, none, none, zero, zero, none, none, none];
        assert_eq!(all.map(|at| start.i64(at)), nothing);
        let (mapped, native) = (batch.i64(176), batch.i64(192));
        assert_eq!(native + batch.i64(200), batch.live_bytes());
        assert!(mapped > 0 && 0 < native && native < batch.live_bytes(), "{mapped} {native}");
        assert!(drop.live_bytes() < marks[3].live_bytes());
    }
}

#[test]
fn a_record_says_how_the_worker_ended() {
    let python = &pythons()[0];
    let failed = write_record(python, "fail");
    assert_eq!((failed.state(), failed.failure()), (3, "raised: é"));
    let cut_off = write_record(python, "nothing");
    assert_eq!((cut_off.state(), cut_off.stage()), (1, 4 << 32 | 4));
    assert_eq!(cut_off.marks().len(), 9);
}

fn write_record(python: &Path, end: &str) -> Record {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("record");
    let mut command = counted_python(python, "marks.py");
    assert_eq!(succeed(command.arg(&path).arg(end)), "written\n", "{python:?}");
    Record::open(&path)
}
