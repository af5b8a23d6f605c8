//! Shells and wrappers between the harness and the worker.

use crate::support::{Program, counted, output, succeed, texts};
use std::process::Command;

#[test]
fn without_the_switch_nothing_is_counted() {
    let program = Program::compile("report.c");
    let out = succeed(counted(program.file()).env_remove("HIGHWATER_PRELOAD"));
    assert!(out.starts_with("read -95 canary -1"), "{out}");
}

#[test]
fn without_the_library_nothing_is_found() {
    let program = Program::compile("report.c");
    assert_eq!(
        succeed(&mut Command::new(program.file())),
        "read 1 canary 1 preload - asked - attach 1\n"
    );
}

/// A chain of shells, with a pipe and a command that fails, says what it says without the library.
#[test]
fn shells_on_the_way_stay_silent() {
    let script =
        "ls / | head -1 >/dev/null; cat /nonexistent; exec bash -c 'echo $((6 * 7)); exit 3'";
    let plain = output(Command::new("sh").args(["-c", script]));
    let ours = output(counted("sh").args(["-c", script]));
    assert_eq!(texts(&ours), texts(&plain));
    assert_eq!(ours.status.code(), Some(3));
}

#[test]
fn the_library_reaches_a_program_behind_shells() {
    let program = Program::compile("report.c");
    let script = format!("exec bash -c 'exec {}'", program.file().display());
    let out = succeed(counted("sh").args(["-c", &script]));
    assert!(out.starts_with("read 0 canary 0"), "{out}");
}

#[test]
fn a_library_that_is_not_there_is_no_handshake() {
    let program = Program::compile("report.c");
    let mut command = counted(program.file());
    let out = output(command.env("LD_PRELOAD", program.beside("missing.so")));
    assert!(texts(&out).contains("read 1 canary 1"), "{}", texts(&out));
}
