//! Python programs that chores run, in virtual environments of their own.

use std::fs;
use std::path::PathBuf;

use crate::error::ChoreError;
use crate::project::Project;
use crate::step::Step;

/// A list of packages and the virtual environment that it goes to.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Packages {
    /// The list, relative to the root.
    requirements: &'static str,
    /// The environment's folder, below the folder of build products.
    folder: &'static str,
    /// What to do when one of the programs cannot be started.
    hint: &'static str,
}

/// The linters.
pub(crate) const LINTERS: Packages = Packages {
    requirements: "harness/xtask/lint-requirements.txt",
    folder: "lint-venv",
    hint: "delete `target/lint-venv` to have it installed again",
};

/// What the programs of `harness/proof` need.
pub(crate) const PROOF: Packages = Packages {
    requirements: "harness/proof/requirements.txt",
    folder: "proof-venv",
    hint: "what failed is above; delete `target/proof-venv` to have it installed again",
};

/// A virtual environment that holds the packages of a list.
#[derive(Debug)]
pub(crate) struct Toolbox {
    folder: PathBuf,
    hint: &'static str,
}

impl Toolbox {
    /// Opens the toolbox; fills it when it is empty or holds other versions.
    pub(crate) fn open(project: &Project, packages: Packages) -> Result<Self, ChoreError> {
        let Packages { requirements, folder, hint } = packages;
        let toolbox = Self { folder: project.target.join(folder), hint };
        let list = project.root.join(requirements);
        let wanted = fs::read(&list).map_err(|source| ChoreError::File { path: list, source })?;
        // Written last, so that a filling that was interrupted is done again.
        let stamp = toolbox.folder.join("installed.txt");
        if fs::read(&stamp).is_ok_and(|installed| installed == wanted) {
            return Ok(toolbox);
        }
        eprintln!("xtask: installing the Python packages of {requirements}");
        let folder = toolbox.folder.as_os_str();
        Step::new("python3", "install Python 3.11 or newer with its `venv` module")
            .arguments(&["-m".as_ref(), "venv".as_ref(), "--clear".as_ref(), folder])
            .run(&project.root)?;
        Step::new(toolbox.path("pip"), "the reason is above; pip needs its package index")
            .arguments(&["install", "--quiet", "--disable-pip-version-check"])
            .arguments(&["--requirement", requirements])
            .run(&project.root)?;
        fs::write(&stamp, wanted).map_err(|source| ChoreError::File { path: stamp, source })?;
        Ok(toolbox)
    }

    /// One of its programs.
    pub(crate) fn step(&self, program: &str) -> Step {
        Step::new(self.path(program), self.hint)
    }

    fn path(&self, program: &str) -> PathBuf {
        self.folder.join("bin").join(program)
    }
}
