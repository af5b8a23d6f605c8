//! The README's way into a user's own crate, in a cargo project made for it: asks for a baseline,
//! accepted, green; a leak added, red; removed, green.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use tempfile::TempDir;

/// The README's example, word for word: [`readme_shows_this_example`] holds the two together.
const TEST: &str = include_str!("own_crate/gate.rs");
/// What makes the example keep a column of every batch.
const LEAK: [(&str, &str); 2] = [
    ("rows: usize,", "rows: usize,\n    seen: Vec<ArrayRef>,"),
    ("self.rows +=", "self.seen.push(batch.column(0).clone());\n        self.rows +="),
];

struct Project {
    folder: TempDir,
}

impl Project {
    fn new() -> Self {
        let project = Self { folder: tempfile::tempdir().expect("a folder") };
        let root = Path::new(env!("CARGO_MANIFEST_DIR"));
        // The same versions, profiles and features as here, so that only Highwater and the project
        // itself are built anew: Highwater without optimisation, as it is for its users.
        let workspace = std::fs::read_to_string(root.join("Cargo.toml")).expect("our manifest");
        let profiles = workspace.find("[profile.dev]").map_or("", |at| &workspace[at..]);
        let ours: String = ["", "-core", "-fixture", "-tracker", "-worker"]
            .map(|part| format!("[profile.dev.package.highwater{part}]\nopt-level = 0\n"))
            .concat();
        project.write(
            "Cargo.toml",
            &format!(
                "[package]\nname = \"own-crate\"\nedition = \"2024\"\n\n[dev-dependencies]\n\
                 highwater = {{ path = \"{}\" }}\nlibc = \"*\"\n\n\
                 [workspace]\n\n{profiles}\n{ours}",
                root.join("harness/gate").display()
            ),
        );
        std::fs::copy(root.join("Cargo.lock"), project.path("Cargo.lock")).expect("our lock file");
        project.write("src/lib.rs", "");
        project.write("tests/gate.rs", TEST);
        project
    }

    fn path(&self, relative: &str) -> PathBuf {
        self.folder.path().join(relative)
    }

    fn write(&self, relative: &str, text: &str) {
        let path = self.path(relative);
        std::fs::create_dir_all(path.parent().expect("a file has a folder")).expect("a folder");
        std::fs::write(path, text).expect("it is written");
    }

    fn cargo(&self, arguments: &[&str]) -> Output {
        // Our own target folder: what was built for us need not be built again.
        let target = Path::new(env!("CARGO_TARGET_TMPDIR")).parent().expect("a folder");
        Command::new(env!("CARGO"))
            .args(arguments)
            .current_dir(self.folder.path())
            .env("CARGO_TARGET_DIR", target)
            .env("CARGO_TERM_COLOR", "never")
            // Nobody debugs it, and it is most of what the linker writes.
            .env("CARGO_PROFILE_DEV_DEBUG", "0")
            .env_remove("CI")
            .env_remove("INSTA_UPDATE")
            .env_remove("INSTA_WORKSPACE_ROOT")
            .env_remove("NEXTEST_PROFILE")
            .output()
            .expect("cargo starts")
    }

    /// Runs the project's tests; its exit code and all that it printed.
    fn nextest(&self) -> (Option<i32>, String) {
        let output = self.cargo(&["nextest", "run", "--no-fail-fast", "--offline"]);
        let parts = [output.stdout, output.stderr];
        let text = parts.map(|part| String::from_utf8_lossy(&part).into_owned());
        (output.status.code(), text.concat())
    }

    fn accept(&self) {
        let output = self.cargo(&["insta", "accept"]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "`cargo insta accept` failed: {text}");
    }

    fn pending(&self) -> usize {
        let listing = std::fs::read_dir(self.path("baselines")).expect("there are baselines");
        listing
            .filter(|entry| {
                entry.as_ref().is_ok_and(|entry| {
                    entry.path().extension().is_some_and(|extension| extension == "new")
                })
            })
            .count()
    }
}

#[test]
fn a_users_own_crate_goes_red_and_green() {
    let project = Project::new();
    let (code, text) = project.nextest();
    assert_eq!(code, Some(100), "{text}");
    assert!(text.contains("`enrich` baseline missing"), "{text}");
    assert!(text.contains("cargo insta review"), "{text}");
    project.accept();
    let (code, text) = project.nextest();
    assert_eq!(code, Some(0), "{text}");

    let leaking = LEAK.iter().fold(TEST.to_owned(), |text, (clean, leak)| {
        assert!(text.contains(clean), "the example changed, and the leak is not planted");
        text.replace(clean, leak)
    });
    project.write("tests/gate.rs", &leaking);
    let (code, text) = project.nextest();
    assert_eq!(code, Some(100), "{text}");
    assert!(text.contains("`enrich` regressed: pattern healthy → arrow_leak"), "{text}");
    assert!(text.contains("leaked_bytes_per_batch 0 B → "), "{text}");
    assert_eq!(project.pending(), 1, "the new figures wait for review");

    project.write("tests/gate.rs", TEST);
    let (code, text) = project.nextest();
    assert_eq!(code, Some(0), "{text}");
    assert_eq!(project.pending(), 0, "a pass takes the pending snapshot away");
}

#[test]
fn readme_shows_this_example() {
    let readme = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    let readme = std::fs::read_to_string(readme).expect("the README");
    assert!(
        readme.contains(TEST.trim()),
        "the README's example is not harness/suite/own_crate/gate.rs"
    );
}
