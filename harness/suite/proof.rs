//! The tests that are written in Python: the worker's own, the tracker's figures beside those of other
//! tools, and programs that must not notice the tracker.
//!
//! Each file of tests is a test here, and runs in a virtual environment with the versions and hashes
//! of its list. `harness/proof/README.md` says what they show.

use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use highwater_worker::{Interpreter, python};
use libtest_mimic::{Arguments, Failed, Trial};

/// What the reference fixtures run on; the worker's tests run on the same.
const RUNNER: &str = "udf-fixtures/python/requirements.lock";
/// What the programs of `harness/proof` run on.
const PROOF: &str = "harness/proof/requirements.txt";

fn main() -> ExitCode {
    let mut trials = Vec::new();
    for (kind, folder, package, list) in [
        ("runner", "harness/python", "tests", RUNNER),
        ("oracle", "harness/proof", "oracle", PROOF),
    ] {
        for name in modules(&root().join(folder).join(package)) {
            let module = format!("{package}.{name}");
            let test = move || run(list, folder, &["-m", "unittest", &module]);
            trials.push(Trial::test(format!("{kind}::{name}"), test));
        }
    }
    // Some systems ship CPython without its tests; then this is shown as skipped.
    let harmless = || run(PROOF, "harness/proof", &["-m", "harmless", "--short"]);
    trials.push(Trial::test("harmless::short", harmless).with_ignored_flag(!has_tests()));
    libtest_mimic::run(&Arguments::from_args(), trials).exit_code()
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The files of tests in a folder, by the names of their modules.
fn modules(folder: &Path) -> Vec<String> {
    let listing = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut modules: Vec<String> = listing
        .filter_map(|entry| {
            let name = entry.ok()?.file_name().into_string().ok()?;
            name.strip_suffix(".py").filter(|name| name.starts_with("test_")).map(str::to_owned)
        })
        .collect();
    modules.sort();
    modules
}

/// Whether the Python on the `PATH` has CPython's own tests.
fn has_tests() -> bool {
    let code =
        "import importlib.util, sys; sys.exit(not importlib.util.find_spec('test.test_json'))";
    let python = Interpreter::find(None);
    python.is_ok_and(|python| python.evaluate(code).is_some())
}

/// Runs the Python of `list` with `arguments` in `folder`; it must end well.
fn run(list: &str, folder: &str, arguments: &[&str]) -> Result<(), Failed> {
    // `target/highwater`, as for the command.
    let records = Path::new(env!("CARGO_TARGET_TMPDIR")).with_file_name("highwater");
    let base = Interpreter::find(None)?;
    let venv = python::venv(&base, &root().join(list), &records, |_| {})?;
    let path: PathBuf = venv.interpreter.path.clone();
    let tracker = venv.interpreter.equip(&records)?.library();
    let output = Command::new(path)
        .args(arguments)
        .current_dir(root().join(folder))
        .env("HIGHWATER_TRACKER", tracker)
        .env("PYTHONDONTWRITEBYTECODE", "1")
        .env_remove("PYTHONPATH")
        .stdin(Stdio::null())
        .output()?;
    if output.status.success() {
        return Ok(());
    }
    let said =
        [output.stdout, output.stderr].map(|part| String::from_utf8_lossy(&part).into_owned());
    Err(format!("{}it ended with {}", said.concat(), output.status).into())
}
