//! Python UDFs as a user meets them: real Python, real pyarrow, the command.

use std::path::Path;

use assert_cmd::Command;
use highwater_tracker::record::{MarkKind, Record, State};
use suite_support::{Own, answer};

/// The user's `udfs.py`.
fn own(udfs: &str) -> Own {
    Own::new(env!("CARGO_BIN_EXE_highwater"), udfs, Path::new(env!("CARGO_TARGET_TMPDIR")))
}

fn flights() -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    root.join("udf-fixtures/data/flights-60k.parquet").display().to_string()
}

const FORMS: &str = r#"
import pyarrow as pa
import pyarrow.compute as pc

class Batch:
    def setup(self):
        self.rows = 0
    def __call__(self, batch: pa.RecordBatch):
        self.rows += batch.num_rows
        return batch.column("distance")

class Arrays:
    def __call__(self, dep_delay: pa.Array, arr_delay: pa.Array) -> pa.Array:
        return pc.add(dep_delay, arr_delay)

class Rows:
    def __call__(self, distance: int, carrier: str) -> str:
        return f"{carrier} {distance}"

def function(distance: int) -> int:
    return distance * 2
"#;

const PLAIN: &str = r#"
import pyarrow as pa

class First:
    def __call__(self, batch: pa.RecordBatch):
        return batch.column(0)
"#;

#[test]
fn every_form_of_a_udf_runs_from_its_file() {
    let own = own(FORMS);
    let path = flights();
    let input = ["--input", &path, "--batches", "100", "--rows", "100"];
    for udf in ["Batch", "Arrays", "Rows", "function"] {
        let figures = own.figures(udf, &input);
        assert_eq!(figures["runtime"], "python", "{udf}");
        assert_eq!(figures["pattern"], "healthy", "{udf}");
        assert_eq!(figures["leaked_bytes_per_batch"], 0.0, "{udf}");
    }
    let columns = [&input[..], &["--columns", "distance,carrier", "--pickle"]].concat();
    own.run("Batch", &columns).says(0, &["python, 100 batches of 100 rows", "healthy", "peak"]);
}

const CHURN: &str = r#"
import pandas as pd
import pyarrow as pa

class Churn:
    BYTES = 0
    def setup(self):
        self.kept = [None] * 1000
        self.batches = 0
    def __call__(self, batch: pa.RecordBatch):
        frame = batch.select(["carrier", "distance"]).to_pandas(use_threads=False)
        for _ in range(4):
            totals = frame.groupby("carrier")["distance"].sum()
        churn = [bytes(1000) for _ in range(2000)]
        if self.BYTES:
            self.kept[self.batches] = bytes(self.BYTES - 33)
        self.batches += 1
        return pa.array([int(totals.iloc[0])] * batch.num_rows)

class Leak(Churn):
    BYTES = 100
"#;

#[test]
fn a_hundred_bytes_per_batch_are_found_amid_churn_in_pandas() {
    let own = own(CHURN);
    let path = flights();
    let input = ["--input", &path, "--columns", "carrier,distance", "--batches", "200"];
    let leak = own.figures("Leak", &input);
    let measured = leak["leaked_bytes_per_batch"].as_f64().expect("a number");
    assert!((100.0..=108.0).contains(&measured), "{measured}");
    assert_eq!(leak["pattern"], "heap_leak");
    assert_eq!(own.figures("Churn", &input)["leaked_bytes_per_batch"], 0.0);
}

const KEPT: &str = r#"
import pyarrow as pa

def batches(n, rows, seed):
    for _ in range(n):
        yield pa.RecordBatch.from_arrays([pa.repeat(7, 3 << 17)], names=["x"])

class Keep:
    """Batches of 3 MiB, kept."""
    def setup(self):
        self.kept = [None] * 1000
        self.batches = 0
    def __call__(self, batch: pa.RecordBatch):
        self.kept[self.batches] = batch
        self.batches += 1
        return pa.nulls(1)
"#;

/// The file has batches of its own, and 200 of them are 600 MiB. In the exact run the pool is the C
/// library's, so the figure is the same whatever pool is the user's.
#[test]
fn kept_arrow_memory_is_counted_under_every_pool() {
    let own = own(KEPT);
    for pool in ["system", "mimalloc", "jemalloc"] {
        let name = "import pyarrow; print(pyarrow.default_memory_pool().backend_name)";
        let mut python = Command::new(&own.python);
        python.args(["-c", name]).env("ARROW_DEFAULT_MEMORY_POOL", pool);
        assert_eq!(answer(&mut python).out.trim(), pool, "pyarrow has it");
        let mut command = own.command(&["run", "udfs.py:Keep", "--batches", "200"]);
        command.args(["--format", "json"]).arg("--python").arg(&own.python);
        let json = answer(command.env("ARROW_DEFAULT_MEMORY_POOL", pool)).json();
        let fixture = &json["fixtures"][0];
        assert_eq!(fixture["pattern"], "arrow_leak", "{pool}");
        let leaked = fixture["leaked_bytes_per_batch"].as_f64().expect("a number");
        assert!((3_145_728.0..3_148_000.0).contains(&leaked), "{pool}: {leaked}");
        // Beside the batches the peak holds the list and the objects around them.
        let peak = fixture["peak_bytes"].as_i64().expect("a number");
        assert!((600 << 20..601 << 20).contains(&peak), "{pool}: {peak}");
        // Both runs left a record, and Arrow's own count is exact in either.
        let records =
            std::fs::read_dir(own.folder.path().join("cache/highwater")).expect("records");
        let mut seen = 0;
        for path in records.map(|entry| entry.expect("an entry").path()) {
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.starts_with("keep.") {
                let record = Record::open(&path).expect("a record");
                let last = record.marks.iter().rev().find(|mark| mark.kind == MarkKind::AfterBatch);
                assert_eq!(last.and_then(|mark| mark.arrow_live_bytes), Some(600 << 20), "{pool}");
                seen += 1;
            }
        }
        assert_eq!(seen, 2, "{pool}");
    }
}

const MISHAPS: &str = r#"
import os, signal, threading
import pyarrow as pa

class Base:
    def setup(self):
        self.calls = 0
    def __call__(self, batch: pa.RecordBatch):
        if self.calls == 37:
            self.mishap()
        self.calls += 1
        return batch.column(0)

class Raises(Base):
    def mishap(self):
        raise ValueError("row 5 has no price")

class Killed(Base):
    def mishap(self):
        os.kill(os.getpid(), signal.SIGKILL)

class Exits(Base):
    def mishap(self):
        os._exit(104)

class Hoards(Base):
    def mishap(self):
        self.hoard = []
        while True:
            self.hoard.append(b"x" * (16 << 20))

class Forks(Base):
    def mishap(self):
        child = os.fork()
        if child == 0:
            os._exit(0)
        os.waitpid(child, 0)

class ForksAndReturns(Base):
    def mishap(self):
        os.fork()

class Threads(Base):
    def mishap(self):
        threads = [threading.Thread(target=lambda: bytes(1 << 20)) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

class InSetup(Base):
    def setup(self):
        raise RuntimeError("the model is missing")
"#;

#[test]
fn mishaps_end_in_one_clear_line_and_a_readable_record() {
    let own = own(MISHAPS);
    let short = ["--batches", "100", "--rows", "8"];
    for (udf, line, state, batches) in [
        ("Raises", "invalid: ValueError: row 5 has no price (udfs.py:", "failed", 37),
        ("Killed", "invalid: killed by SIGKILL (signal 9) at batch 37", "running", 37),
        ("Exits", "invalid: the process ended with exit code 104 at batch 37", "running", 37),
        ("InSetup", "invalid: RuntimeError: the model is missing (udfs.py:", "failed", 0),
    ] {
        let answer = own.run(udf, &short);
        answer.says(4, &[line]);
        let line = answer.out.lines().find(|said| said.contains(line)).unwrap_or_default();
        assert_eq!(line.matches("batch 37").count(), usize::from(batches > 0), "{line}");
        let json = own.run(udf, &[&short[..], &["--format", "json"]].concat()).json();
        let path = json["fixtures"][0]["record"].as_str().expect("a path").to_owned();
        let record = Record::open(Path::new(&path)).expect("a readable record");
        let told = match record.progress.state {
            State::Running => "running",
            State::Finished => "finished",
            State::Failed { .. } => "failed",
        };
        assert_eq!(told, state, "{udf}");
        let after = record.marks.iter().filter(|mark| mark.kind == MarkKind::AfterBatch);
        assert_eq!(after.count(), batches, "{udf}");
    }
    for udf in ["Forks", "ForksAndReturns", "Threads"] {
        own.run(udf, &short).says(0, &["healthy"]);
    }
}

#[test]
fn the_memory_limit_of_a_python_fixture() {
    let own = own(MISHAPS);
    let manifest = "version: 1\nfixtures:\n  - {name: hoards, runtime: python, udf: udfs.py:Hoards, \
                    batches: 100, rows: 8, memory_limit: 400MiB}\n";
    std::fs::write(own.folder.path().join("highwater.yaml"), manifest).expect("it is written");
    let answer = own.with(&own.python, &["check"]);
    answer.says(
        4,
        &[
            "confidence check: planted leak of 65537 B/batch measured as 65537 B/batch",
            "`hoards` invalid: held more than its 400 MiB of memory at batch 37",
        ],
    );
}

#[test]
fn a_worker_without_the_tracker_is_never_green() {
    let own = own(FORMS);
    let text = own.folder.path().join("no-library.so");
    std::fs::write(&text, "not a library").expect("it is written");
    let foreign = own.folder.path().join("foreign.so");
    // The first bytes of a 32-bit library.
    std::fs::write(&foreign, [b"\x7fELF\x01\x01\x01".as_slice(), &[0; 200]].concat())
        .expect("it is written");
    let manifest =
        "version: 1\nfixtures:\n  - {name: batch, runtime: python, udf: udfs.py:Batch}\n";
    std::fs::write(own.folder.path().join("highwater.yaml"), manifest).expect("it is written");
    for (line, says) in [
        ("export LD_PRELOAD=/no/such.so".to_owned(), "cannot be preloaded"),
        (format!("export LD_PRELOAD={}", text.display()), "cannot be preloaded"),
        (format!("export LD_PRELOAD={}", foreign.display()), "cannot be preloaded"),
        ("unset LD_PRELOAD".to_owned(), "`LD_PRELOAD` did not reach the interpreter"),
        ("unset HIGHWATER_PRELOAD".to_owned(), "`HIGHWATER_PRELOAD` is not set"),
        ("unset HIGHWATER_WORKER LD_PRELOAD".to_owned(), "did not reach the interpreter"),
    ] {
        let python = own.wrapper(&line);
        own.with(&python, &["run", "udfs.py:Batch"]).says(5, &["no figures", says]);
        own.with(&python, &["check"]).says(5, &["confidence check failed", says]);
        own.with(&python, &["doctor"]).says(5, &["CANNOT be measured", says]);
    }
    // A wrapper that lets everything through is no obstacle.
    let python = own.wrapper(":");
    own.with(&python, &["doctor"])
        .says(0, &["python UDFs   can be measured: planted leak of 65537"]);
}

/// A program that answers as an interpreter does when it is asked what it is, and runs nothing.
const STATIC: &str = r#"
#include <stdio.h>
#include <string.h>

int main(int count, char **words) {
    if (count > 2 && strcmp(words[1], "-c") == 0)
        puts("{\"implementation\": \"cpython\", \"version\": [3, 11, 7], \"libc\": \"musl\", "
             "\"pyarrow\": \"26.0.1\", \"pool\": \"system\"}");
    return 0;
}
"#;

#[test]
fn nothing_can_be_preloaded_into_a_static_interpreter() {
    let own = own(FORMS);
    let (source, python) = (own.folder.path().join("static.c"), own.folder.path().join("static"));
    std::fs::write(&source, STATIC).expect("it is written");
    let mut compiler = std::process::Command::new("cc");
    compiler.arg("-static").arg("-o").arg(&python).arg(&source);
    assert!(compiler.status().expect("a C compiler").success());
    let says = "static is a static program, into which nothing can be preloaded";
    own.with(&python, &["run", "udfs.py:Batch"]).says(5, &["no figures", says, "`--python`"]);
    own.with(&python, &["doctor"]).says(5, &["CANNOT be measured", says]);
}

/// A real Python that runs with another group's rights: the dynamic linker then ignores
/// `LD_PRELOAD`, as for a setuid one.
#[test]
fn nothing_is_preloaded_into_an_interpreter_with_other_rights() {
    use std::os::unix::fs::{PermissionsExt as _, chown, symlink};
    let own = own(PLAIN);
    let ask = |code: &str| {
        let asked = std::process::Command::new(&own.python).args(["-c", code]).output();
        String::from_utf8(asked.expect("it starts").stdout).expect("UTF-8").trim().to_owned()
    };
    // Not in `/tmp`, where such bits may be without effect.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).expect("a folder");
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).expect("a folder");
    let python = bin.join("python");
    let base = ask("import os, sys; print(os.path.realpath(sys.executable))");
    std::fs::copy(&base, &python).expect("it is copied");
    // A virtual environment around the copy.
    let home = Path::new(&base).parent().expect("a folder").display();
    std::fs::write(folder.path().join("pyvenv.cfg"), format!("home = {home}\n"))
        .expect("it is written");
    let packages = ask("import sysconfig; print(sysconfig.get_path('purelib'))");
    let lib = folder
        .path()
        .join("lib")
        .join(Path::new(&packages).parent().expect("it").file_name().expect("it"));
    std::fs::create_dir_all(&lib).expect("a folder");
    symlink(&packages, lib.join("site-packages")).expect("it is linked");
    own.with(&python, &["run", "udfs.py:First", "--batches", "100"]).says(0, &["healthy"]);

    let own_group = rustix::process::getegid();
    let mut groups = rustix::process::getgroups().expect("the groups of this process");
    if rustix::process::geteuid().is_root() {
        groups.push(rustix::process::Gid::from_raw(1));
    }
    let Some(other) = groups.into_iter().find(|group| *group != own_group) else {
        // Nobody but root, or a member of two groups, can make such a file.
        return;
    };
    chown(&python, None, Some(other.as_raw())).expect("a group of ours");
    std::fs::set_permissions(&python, std::fs::Permissions::from_mode(0o2755)).expect("it is ours");
    let says = "bin/python is a setuid or setgid program";
    own.with(&python, &["run", "udfs.py:First"]).says(5, &["no figures", says, "`--python`"]);
    own.with(&python, &["doctor"]).says(5, &["CANNOT be measured", says]);
}

#[test]
fn a_worker_that_loses_the_tracker_after_the_confidence_check_is_no_mere_bad_run() {
    let own = own(PLAIN);
    let manifest =
        "version: 1\nfixtures:\n  - {name: batch, runtime: python, udf: udfs.py:First}\n";
    std::fs::write(own.folder.path().join("highwater.yaml"), manifest).expect("it is written");
    let python = own.wrapper("case $HIGHWATER_WORKER in *udfs.py:First*) unset LD_PRELOAD;; esac");
    own.with(&python, &["check"]).says(
        5,
        &[
            "confidence check: planted leak of 65537",
            "`batch` not attached: ",
            "`LD_PRELOAD` did not reach",
        ],
    );
    let json = own.with(&python, &["check", "--format", "json"]).json();
    assert_eq!(json["fixtures"][0]["verdict"], "not_attached");
}

#[test]
fn baselines_of_other_minor_versions_do_not_count_and_are_named() {
    let own = own(PLAIN);
    let manifest = "version: 1\ndefaults: {batches: 100, rows: 8}\n\
                    fixtures:\n  - {name: batch, runtime: python, udf: udfs.py:First}\n";
    std::fs::write(own.folder.path().join("highwater.yaml"), manifest).expect("it is written");
    own.with(&own.python, &["check"]).says(6, &["baseline missing: no baseline was accepted yet"]);
    let baselines = own.folder.path().join("baselines");
    let pending =
        std::fs::read_dir(&baselines).expect("a folder").next().expect("one").expect("it");
    let name = pending.file_name().into_string().expect("UTF-8");
    let (before, version) = name.split_once("-python-").expect("a minor version in the name");
    let version = version.strip_suffix(".snap.new").expect("a pending one");
    let of = |version: &str| baselines.join(format!("{before}-python-{version}.snap"));
    std::fs::rename(pending.path(), of(version)).expect("it is accepted");
    own.with(&own.python, &["check"]).says(0, &["pass"]);
    let listed = own.with(&own.python, &["list", "--format", "json"]).json();
    assert_eq!(listed["fixtures"][0]["leaked_bytes_per_batch"], 0);

    std::fs::rename(of(version), of("3.7")).expect("it is renamed");
    let says = format!(
        "`batch` baseline missing: none was accepted for python {version} yet, only for python 3.7"
    );
    own.with(&own.python, &["check"]).says(6, &[&says, "cargo insta accept"]);
    let listed = own.with(&own.python, &["list", "--format", "json"]).json();
    assert!(listed["fixtures"][0]["leaked_bytes_per_batch"].is_null());
}

#[test]
fn doctor_says_what_it_found() {
    let own = own(FORMS);
    let answer = own.with(&own.python, &["doctor"]);
    answer.says(0, &["tracker", "python", "pyarrow", "default pool", "C library", "glibc"]);
    let json = own.with(&own.python, &["doctor", "--format", "json"]).json();
    assert_eq!(json["runtimes"][0]["confidence"]["measured_bytes_per_batch"], 65_537.0);
    assert_eq!(json["exit_code"], 0);
}

#[test]
fn what_was_typed_wrong_is_said_in_one_line() {
    let own = own(FORMS);
    own.run("Batch", &["--input", "no.parquet"]).says(2, &["input no.parquet is no file", "hint:"]);
    own.run("Batch", &["--columns", "a"]).says(2, &["--input"]);
    own.run("Batsh", &["--batches", "100"])
        .says(2, &["udfs.py` has no `Batsh`", "hint: did you mean `Batch`?"]);
    own.run("FORMS", &[]).says(2, &["has no `FORMS`"]);
    own.run("pa", &[]).says(2, &["`pa` is no UDF but a module"]);
    let broken = self::own("import pyarrow\n\nclass A(:\n    pass\n");
    broken.run("A", &[]).says(2, &["udfs.py:3: SyntaxError: invalid syntax"]);
    own.with(&own.python, &["run", "udfs.py"]).says(2, &["`udfs.py` names no UDF", "udfs.py:Name"]);
    own.with(&own.python, &["run", "udf.py:Batch"]).says(2, &["UDF file udf.py is no file"]);
    own.with(Path::new("/no/python"), &["run", "udfs.py:Batch"])
        .says(2, &["Python /no/python cannot be started"]);
    own.with(Path::new("/bin/true"), &["run", "udfs.py:Batch"]).says(2, &["is no working Python"]);
    let mut command = own.command(&["run", "udfs.py:Batch"]);
    answer(command.env("PATH", "/nowhere"))
        .says(2, &["no Python found", "hint: install Python 3.9"]);
    let old = own.folder.path().join("old");
    let script = "#!/bin/sh\necho '{\"implementation\": \"cpython\", \"version\": [3, 8, 10], \
                  \"libc\": \"glibc 2.31\", \"pyarrow\": null, \"pool\": null}'\n";
    std::fs::write(&old, script).expect("it is written");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(&old, mode).expect("it is ours");
    own.with(&old, &["run", "udfs.py:Batch"]).says(2, &["is Python 3.8.10, and 3.9 or newer"]);
}
