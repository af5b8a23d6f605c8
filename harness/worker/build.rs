//! Builds the preloaded tracker and lists the Python runner's files, to be embedded in the crate; without
//! its feature `python`, nothing is.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::hash::{DefaultHasher, Hasher as _};
use std::path::{Path, PathBuf};
use std::process::Command;

const LIBRARY: &str = "libhighwater_preload.so";

fn main() {
    let out = PathBuf::from(variable("OUT_DIR"));
    let harness = Path::new(&variable("CARGO_MANIFEST_DIR")).join("..");
    let mut files = BTreeMap::new();
    if std::env::var_os("CARGO_FEATURE_PYTHON").is_some() {
        files = runner(&harness.join("python"));
        files.insert(LIBRARY.to_owned(), preload(&harness, &out));
    } else {
        watch(Path::new("build.rs"));
    }
    std::fs::write(out.join("embedded.rs"), list(&files)).expect("OUT_DIR can be written to");
}

/// The runner's files by the path that they have beside `runner.py`.
fn runner(folder: &Path) -> BTreeMap<String, PathBuf> {
    const PACKAGE: &str = "highwater_runner";
    let mut files = BTreeMap::from([("runner.py".to_owned(), folder.join("runner.py"))]);
    watch(&folder.join("runner.py"));
    watch(&folder.join(PACKAGE));
    let listing = std::fs::read_dir(folder.join(PACKAGE)).expect("the runner is in the repository");
    for entry in listing {
        let path = entry.expect("the runner's folder can be listed").path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if name.ends_with(".py") {
            files.insert(format!("{PACKAGE}/{name}"), path);
        }
    }
    files
}

/// Builds the library and returns its path. It is a package of its own, because it must abort on
/// panic in every profile.
fn preload(harness: &Path, out: &Path) -> PathBuf {
    let package = harness.join("preload");
    for part in ["preload/src", "preload/Cargo.toml", "preload/Cargo.lock"] {
        watch(&harness.join(part));
    }
    // What the library is made of, and the versions that its manifest inherits.
    for part in ["tracker/src", "tracker/Cargo.toml", "../Cargo.toml"] {
        watch(&harness.join(part));
    }
    let target = out.join("preload");
    let mut cargo = Command::new(variable("CARGO"));
    cargo
        .args(["build", "--release", "--locked", "--quiet", "--manifest-path"])
        .arg(package.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(&target)
        .current_dir(&package);
    for (name, _) in std::env::vars_os() {
        if name.to_str().is_none_or(leaks) {
            cargo.env_remove(name);
        }
    }
    // Also overrules flags of a configuration file: the library must run on any machine.
    cargo.env("CARGO_ENCODED_RUSTFLAGS", "");
    let status = cargo.status().expect("cargo can be started");
    assert!(
        status.success(),
        "the preloaded tracker cannot be built: see cargo's message above\n\
         hint: it needs a C linker, and once the crates that its `Cargo.lock` names"
    );
    target.join("release").join(LIBRARY)
}

/// Whether a variable that cargo set for this build, or that steers it, would steer that of the
/// library too: flags, wrappers (clippy is one), profiles, targets, features.
fn leaks(name: &str) -> bool {
    const KEPT: [&str; 6] = [
        "CARGO_HOME",
        "CARGO_MAKEFLAGS",
        "CARGO_NET_",
        "CARGO_HTTP_",
        "CARGO_REGISTR",
        "CARGO_SOURCE_",
    ];
    let flags = ["RUSTFLAGS", "RUSTC_WRAPPER", "RUSTC_WORKSPACE_WRAPPER", "RUSTDOCFLAGS"];
    flags.contains(&name)
        || name.starts_with("CARGO") && !KEPT.iter().any(|kept| name.starts_with(kept))
        || name.starts_with("__CARGO")
        || name.starts_with("CLIPPY")
}

/// Rust source: the files with their content, and a name for all of it.
fn list(files: &BTreeMap<String, PathBuf>) -> String {
    let mut hasher = DefaultHasher::new();
    let mut items = String::new();
    for (name, path) in files {
        let content = std::fs::read(path).expect("a file that was just built or listed");
        hasher.write(name.as_bytes());
        hasher.write(&content);
        let path = std::path::absolute(path).expect("a path");
        writeln!(items, "    ({name:?}, include_bytes!({path:?})),").expect("text");
    }
    format!(
        "const CONTENT: &str = \"{:016x}\";\nconst FILES: &[(&str, &[u8])] = &[\n{items}];\n",
        hasher.finish()
    )
}

fn watch(path: &Path) {
    println!("cargo::rerun-if-changed={}", path.display());
}

fn variable(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets `{name}`"))
}
