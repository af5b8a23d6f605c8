//! Building the library and the test programs, and running them.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use tempfile::TempDir;

const MANIFEST_DIR: &str = env!("CARGO_MANIFEST_DIR");

/// The release build of the library. Cargo does nothing when it is there.
pub(crate) fn library() -> &'static Path {
    static LIBRARY: OnceLock<PathBuf> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join("library");
        let cargo = env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let mut build = Command::new(cargo);
        build
            .args(["build", "--quiet", "--release", "--locked", "--manifest-path"])
            .arg(Path::new(MANIFEST_DIR).join("Cargo.toml"))
            .env("CARGO_TARGET_DIR", &target)
            // Of the workspace that runs the tests.
            .env_remove("RUSTFLAGS")
            .env_remove("CARGO_ENCODED_RUSTFLAGS");
        succeed(&mut build);
        target.join("release/libhighwater_preload.so")
    })
}

/// A source file in `tests/programs`.
pub(crate) fn source(name: &str) -> PathBuf {
    Path::new(MANIFEST_DIR).join("tests/programs").join(name)
}

/// A compiled C program, in a folder of its own.
pub(crate) struct Program {
    folder: TempDir,
    file: PathBuf,
}

impl Program {
    /// Position-independent, as programs are today.
    pub(crate) fn compile(name: &str) -> Self {
        Self::compile_as(name, &["-fPIE", "-pie", "-Wl,-z,dynamic-undefined-weak"])
    }

    pub(crate) fn compile_as(name: &str, flags: &[&str]) -> Self {
        let folder = TempDir::new().unwrap();
        let file = folder.path().join("program");
        let mut gcc = Command::new("gcc");
        gcc.args(["-O1", "-Wall", "-fno-builtin", "-pthread", "-I"])
            .arg(Path::new(MANIFEST_DIR).join("include"))
            .args(flags)
            .arg(source(name))
            .arg("-o")
            .arg(&file);
        succeed(&mut gcc);
        Self { folder, file }
    }

    pub(crate) fn file(&self) -> &Path {
        &self.file
    }

    /// A path in the program's folder, for it to write to.
    pub(crate) fn beside(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }
}

/// `program` with the library preloaded and counting.
pub(crate) fn counted(program: impl AsRef<Path>) -> Command {
    let mut command = Command::new(program.as_ref());
    command.env("LD_PRELOAD", library()).env("HIGHWATER_PRELOAD", "1");
    command
}

/// The interpreters to try.
pub(crate) fn pythons() -> Vec<PathBuf> {
    match env::var_os("HIGHWATER_TEST_PYTHONS") {
        Some(list) => env::split_paths(&list).collect(),
        None => vec![interpreter("python3")],
    }
}

/// The interpreter itself behind a name that may be a script which finds it.
fn interpreter(name: &str) -> PathBuf {
    let mut command = Command::new(name);
    command.args(["-c", "import sys; print(sys.executable)"]);
    PathBuf::from(succeed(&mut command).trim())
}

/// `python` with the library preloaded and counting, about to run a test program.
pub(crate) fn counted_python(python: &Path, program: &str) -> Command {
    let mut command = counted(python);
    command.arg(source(program)).env("PYTHONHASHSEED", "0").env("PYTHONDONTWRITEBYTECODE", "1");
    command
}

/// Standard output of a command that must succeed.
pub(crate) fn succeed(command: &mut Command) -> String {
    let output = output(command);
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, texts(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// What a command said and how it ended.
pub(crate) fn output(command: &mut Command) -> Output {
    command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"))
}

/// All that a command said.
pub(crate) fn texts(output: &Output) -> String {
    let [out, error] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text));
    format!("{out}{error}")
}
