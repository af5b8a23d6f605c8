//! Programs in C.

use crate::support::{Program, counted, library, source, succeed};
use std::path::Path;
use std::process::Command;

#[test]
fn every_entry_point_counts_requested_bytes() {
    let program = Program::compile("entry_points.c");
    assert_eq!(succeed(&mut counted(program.file())), "exact\n");
}

/// Its heap begins in the first GiB, where null has a cell too.
#[test]
fn a_program_at_fixed_addresses_counts_right() {
    let program = Program::compile_as("entry_points.c", &["-no-pie", "-fno-pie"]);
    assert_eq!(succeed(&mut counted(program.file())), "exact\n");
}

#[test]
fn another_preloaded_allocator_is_counted_in_front_of() {
    let program = Program::compile("entry_points.c");
    for (file, package) in
        [("libjemalloc.so.2", "libjemalloc2"), ("libmimalloc.so.2", "libmimalloc2.0")]
    {
        let other = Path::new("/usr/lib/x86_64-linux-gnu").join(file);
        assert!(other.exists(), "no `{}`\nhint: apt-get install {package}", other.display());
        let both = format!("{}:{}", library().display(), other.display());
        // -8: their `operator new` does not come by `malloc`, which the canary says.
        let mut command = counted(program.file());
        assert_eq!(succeed(command.env("LD_PRELOAD", both).arg("-8")), "exact\n", "{file}");
    }
}

#[test]
fn threads_leave_nothing_behind() {
    let program = Program::compile("threads.c");
    assert_eq!(succeed(&mut counted(program.file())), "exact\n");
}

#[test]
fn children_forked_amid_allocations_do_not_hang() {
    let program = Program::compile("fork.c");
    let mut command = counted(program.file());
    assert_eq!(succeed(command.arg(program.beside("record"))), "no hangs\n");
}

#[test]
fn blocks_of_a_deepbound_library_corrupt_nothing() {
    let program = Program::compile("deepbind.c");
    let foreign = program.beside("libforeign.so");
    let mut gcc = Command::new("gcc");
    succeed(gcc.args(["-shared", "-fPIC", "-o"]).arg(&foreign).arg(source("foreign.c")));
    assert_eq!(succeed(counted(program.file()).arg(&foreign)), "exact\n");
}

#[test]
fn anonymous_mappings_are_counted_apart() {
    let program = Program::compile("mappings.c");
    assert_eq!(succeed(&mut counted(program.file())), "exact\n");
}
