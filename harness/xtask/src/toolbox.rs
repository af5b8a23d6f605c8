//! The Python programs that lint, in a virtual environment of their own.

use std::fs;
use std::path::PathBuf;

use crate::error::ChoreError;
use crate::project::Project;
use crate::step::Step;

const REQUIREMENTS: &str = "harness/xtask/lint-requirements.txt";

/// A virtual environment that holds what [`REQUIREMENTS`] lists.
#[derive(Debug)]
pub(crate) struct Toolbox {
    folder: PathBuf,
}

impl Toolbox {
    /// Opens the toolbox; fills it when it is empty or holds other versions.
    pub(crate) fn open(project: &Project) -> Result<Self, ChoreError> {
        let toolbox = Self { folder: project.target.join("lint-venv") };
        let requirements = project.root.join(REQUIREMENTS);
        let wanted = fs::read(&requirements)
            .map_err(|source| ChoreError::File { path: requirements, source })?;
        // Written last, so that a filling that was interrupted is done again.
        let stamp = toolbox.folder.join("installed.txt");
        if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(toolbox);
        }
        eprintln!("xtask: installing the Python linters of {REQUIREMENTS}");
        let folder = toolbox.folder.as_os_str();
        Step::new("python3", "install Python 3.10 or newer with its `venv` module")
            .arguments(&["-m".as_ref(), "venv".as_ref(), "--clear".as_ref(), folder])
            .run(&project.root)?;
        Step::new(toolbox.path("pip"), "the reason is above; pip needs its package index")
            .arguments(&["install", "--quiet", "--disable-pip-version-check"])
            .arguments(&["--requirement", REQUIREMENTS])
            .run(&project.root)?;
        fs::write(&stamp, wanted).map_err(|source| ChoreError::File { path: stamp, source })?;
        Ok(toolbox)
    }

    /// One of its programs.
    pub(crate) fn step(&self, program: &str) -> Step {
        Step::new(self.path(program), "delete `target/lint-venv` to have it installed again")
    }

    fn path(&self, program: &str) -> PathBuf {
        self.folder.join("bin").join(program)
    }
}
