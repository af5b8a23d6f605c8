//! `cargo xtask oracle`, `harmless`, `bench-python` and `pythons`: that the tracker of Python workers
//! is right, harmless and cheap. The programs are in `harness/proof`.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;

use crate::error::ChoreError;
use crate::project::Project;
use crate::step::Step;
use crate::toolbox::{PROOF, Toolbox};

/// Compares figures with those of other tools.
pub(crate) fn oracle(project: &Project, unittest: &[OsString]) -> Result<(), ChoreError> {
    let proof = Proof::open(project)?;
    if unittest.is_empty() {
        return proof.run("unittest", &["discover", "--start-directory", "oracle", "--top", "."]);
    }
    proof.run("unittest", unittest)
}

/// Runs others' tests on both sides.
pub(crate) fn harmless(
    project: &Project,
    short: bool,
    units: &[OsString],
) -> Result<(), ChoreError> {
    let mut arguments = units.to_owned();
    if short {
        arguments.insert(0, "--short".into());
    } else if units.is_empty() {
        // Hours: what an interrupted run has done is not done again.
        arguments.extend(["--log".into(), project.target.join("harmless.jsonl").into()]);
    }
    Proof::open(project)?.run("harmless", &arguments)
}

/// Takes the time of Python workloads.
pub(crate) fn bench(project: &Project, rounds: u32) -> Result<(), ChoreError> {
    Proof::open(project)?.run("bench", &["--rounds".to_owned(), rounds.to_string()])
}

/// Tries other Pythons.
pub(crate) fn pythons(
    project: &Project,
    mirror: Option<&OsStr>,
    suites: &[OsString],
) -> Result<(), ChoreError> {
    let target = project.target.join("pythons");
    let mut arguments = vec![OsString::from("--target"), target.into()];
    if let Some(mirror) = mirror {
        arguments.extend(["--mirror".into(), mirror.to_owned()]);
    }
    arguments.extend_from_slice(suites);
    Proof::open(project)?.run("pythons", &arguments)
}

/// The preloaded tracker, built, and the Python that the programs run in.
struct Proof<'a> {
    project: &'a Project,
    toolbox: Toolbox,
    library: PathBuf,
}

impl<'a> Proof<'a> {
    fn open(project: &'a Project) -> Result<Self, ChoreError> {
        let target = project.target.join("preload");
        Step::cargo(&["build", "--release", "--locked"], "the errors are above")
            .arguments(&["--manifest-path", "harness/preload/Cargo.toml"])
            .arguments(&["--target-dir".as_ref(), target.as_os_str()])
            .run(&project.root)?;
        let library = target.join("release/libhighwater_preload.so");
        Ok(Self { project, toolbox: Toolbox::open(project, PROOF)?, library })
    }

    /// Runs one of the modules in `harness/proof`.
    fn run(&self, module: &str, arguments: &[impl AsRef<OsStr>]) -> Result<(), ChoreError> {
        self.step(module, arguments).run(&self.project.root.join("harness/proof"))
    }

    fn step(&self, module: &str, arguments: &[impl AsRef<OsStr>]) -> Step {
        self.toolbox
            .step("python")
            .variable("HIGHWATER_TRACKER", &self.library)
            .variable("PYTHONDONTWRITEBYTECODE", "1")
            .arguments(&["-m", module])
            .arguments(arguments)
    }
}
