//! The checkout that the chores work on.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use crate::error::ChoreError;

/// Where the checkout and its build products lie.
#[derive(Debug)]
pub(crate) struct Project {
    /// The folder of the workspace's manifest.
    pub(crate) root: PathBuf,
    /// The folder of cargo's build products.
    pub(crate) target: PathBuf,
}

impl Project {
    /// The checkout that this program was built from.
    pub(crate) fn new() -> Self {
        let package = Path::new(env!("CARGO_MANIFEST_DIR"));
        let root = package.ancestors().nth(2).unwrap_or(package).to_owned();
        let target = std::env::var_os("CARGO_TARGET_DIR").unwrap_or_else(|| "target".into());
        Self { target: root.join(target), root }
    }

    /// Packages below `harness` that are workspaces of their own, by folder. Commands over the
    /// workspace pass them by.
    pub(crate) fn standalone(&self) -> Result<Vec<Standalone>, ChoreError> {
        let mut found = Vec::new();
        for folder in list(&self.root.join("harness"))? {
            let manifest = folder.join("Cargo.toml");
            let text = match fs::read_to_string(&manifest) {
                Ok(text) => text,
                Err(error) if is_absence(&error) => continue,
                Err(source) => return Err(ChoreError::File { path: manifest, source }),
            };
            if text.lines().any(|line| line.trim() == "[workspace]") {
                let name = folder.file_name().unwrap_or_default();
                found.push(Standalone {
                    manifest: manifest.strip_prefix(&self.root).unwrap_or(&manifest).to_owned(),
                    target: self.target.join(name),
                });
            }
        }
        Ok(found)
    }

    /// The workflow files, relative to the root.
    pub(crate) fn workflows(&self) -> Result<Vec<PathBuf>, ChoreError> {
        let mut files = list(&self.root.join(".github/workflows"))?;
        files.retain(|file| file.extension().is_some_and(|ending| ending == "yml"));
        let relative = |file: &PathBuf| file.strip_prefix(&self.root).unwrap_or(file).to_owned();
        Ok(files.iter().map(relative).collect())
    }
}

/// A package that is a workspace of its own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Standalone {
    /// Its manifest, relative to the root.
    pub(crate) manifest: PathBuf,
    /// Where its build products go.
    pub(crate) target: PathBuf,
}

fn is_absence(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

/// A folder's entries, sorted.
fn list(folder: &Path) -> Result<Vec<PathBuf>, ChoreError> {
    let read = || -> io::Result<Vec<PathBuf>> {
        let mut entries =
            fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<Vec<_>>>()?;
        entries.sort();
        Ok(entries)
    };
    read().map_err(|source| ChoreError::File { path: folder.to_owned(), source })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_packages_with_a_workspace_of_their_own_stand_alone() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let root = folder.path().to_owned();
        for (package, manifest) in [
            ("member", Some("[package]\nworkspace = \"../..\"\n[lints]\nworkspace = true\n")),
            ("alone", Some("[workspace]\n\n[package]\n")),
            ("no-package", None),
        ] {
            let package = root.join("harness").join(package);
            fs::create_dir_all(&package).expect("a folder for the package");
            if let Some(manifest) = manifest {
                fs::write(package.join("Cargo.toml"), manifest).expect("a manifest");
            }
        }
        let project = Project { target: root.join("target"), root };
        let expected = Standalone {
            manifest: PathBuf::from("harness/alone/Cargo.toml"),
            target: project.target.join("alone"),
        };
        assert_eq!(project.standalone().expect("the folder can be read"), [expected]);
    }

    #[test]
    fn this_checkout_has_workflows() {
        let workflows = Project::new().workflows().expect("the folder can be read");
        assert!(workflows.contains(&PathBuf::from(".github/workflows/ci.yml")), "{workflows:?}");
    }
}
