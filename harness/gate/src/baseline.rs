//! The reviewed figures: one insta snapshot per fixture and platform, and under Python one more per
//! minor version.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Once;

use highwater_core::{Baseline, Finding, Verdict, judge};
use highwater_fixture::{FixtureSpec, Runtime};
use insta::{Settings, Snapshot, comparator::Comparator};

/// What the measured environment says of itself: versions, processors, profile. Stored beside a
/// baseline and shown when figures differ; never compared.
pub type Environment = BTreeMap<String, String>;

/// Operating system and processor: figures of one platform say nothing about another.
pub const PLATFORM: &str = match (cfg!(target_os = "linux"), cfg!(target_arch = "x86_64")) {
    (true, true) => "linux-x86_64",
    (true, false) => "linux-other",
    (false, _) => "other",
};

/// One baseline of a fixture: the fixture's name, and what it ran in as far as figures depend on it,
/// such as `rust` or `python 3.11` ([`highwater_core::Conditions::runtime`]).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slot<'a> {
    /// The fixture.
    pub fixture: &'a str,
    /// The runtime. What follows a name and a space becomes part of the file's name.
    pub runtime: &'a str,
}

impl Slot<'_> {
    /// What stands between the fixture's name and the file's ending: `linux-x86_64`, or
    /// `linux-x86_64-python-3.11`.
    fn suffix(&self) -> String {
        match self.runtime.split_once(' ') {
            Some((name, version)) => format!("{PLATFORM}-{name}-{version}"),
            None => PLATFORM.to_owned(),
        }
    }

    /// The runtime in a file's name; `None` for a file of another platform, or of another kind.
    fn runtime(suffix: &str, of: Runtime) -> Option<String> {
        let rest = suffix.strip_prefix(PLATFORM)?;
        let name = of.name();
        match (
            of,
            rest.strip_prefix('-').and_then(|rest| rest.strip_prefix(name)?.strip_prefix('-')),
        ) {
            (Runtime::Python, Some(version)) => Some(format!("{name} {version}")),
            (Runtime::Rust, None) if rest.is_empty() => Some(name.to_owned()),
            _ => None,
        }
    }
}

/// A folder of baselines.
#[derive(Debug, Clone)]
pub struct Baselines {
    folder: PathBuf,
    workspace: PathBuf,
}

/// An accepted baseline and the environment in which it was measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Stored {
    /// The accepted figures.
    pub baseline: Baseline,
    /// Where they were measured; empty when the snapshot doesn't say.
    pub environment: Environment,
}

/// A baseline that is there and cannot be read.
#[derive(Debug, thiserror::Error)]
#[error(
    "baseline {} cannot be read: {reason}\n\
     hint: restore it from version control, or delete it and accept the new figures with \
     `cargo insta review`", path.display()
)]
pub struct Unreadable {
    /// The snapshot's file.
    pub path: PathBuf,
    /// What is wrong with it.
    pub reason: String,
}

impl Baselines {
    /// The baselines in `folder`, of a project whose files lie in `workspace`. Both are made
    /// absolute, as `cargo insta` finds nothing else.
    ///
    /// # Errors
    ///
    /// When the current folder cannot be told.
    pub fn new(folder: &Path, workspace: &Path) -> std::io::Result<Self> {
        Ok(Self { folder: plain(folder)?, workspace: plain(workspace)? })
    }

    /// The folder, absolute.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The project's folder, absolute.
    pub fn workspace(&self) -> &Path {
        &self.workspace
    }

    /// The file of a baseline on this platform.
    pub fn path(&self, slot: Slot<'_>) -> PathBuf {
        self.folder.join(format!("{}@{}.snap", slot.fixture, slot.suffix()))
    }

    /// The file that insta leaves beside a baseline until it is accepted or rejected.
    pub fn pending(&self, slot: Slot<'_>) -> PathBuf {
        self.path(slot).with_extension("snap.new")
    }

    /// The runtimes for which a fixture has baselines on this platform, sorted: every one of
    /// `python 3.11` and `python 3.12`, say.
    ///
    /// # Errors
    ///
    /// When the folder is there and cannot be listed.
    pub fn runtimes(&self, fixture: &str, of: Runtime) -> std::io::Result<Vec<String>> {
        let mut runtimes: Vec<String> = self
            .files()?
            .iter()
            .filter_map(|path| named(path))
            .filter(|(name, _)| *name == fixture)
            .filter_map(|(_, suffix)| Slot::runtime(suffix, of))
            .collect();
        // By numbers, so that 3.9 comes before 3.10.
        runtimes.sort_by_key(|runtime| {
            let numbers = runtime.split(|c: char| !c.is_ascii_digit());
            numbers.filter_map(|number| number.parse::<u32>().ok()).collect::<Vec<_>>()
        });
        Ok(runtimes)
    }

    /// An accepted baseline; `None` when there is none.
    ///
    /// # Errors
    ///
    /// When the snapshot is there but broken (a merge conflict, a hand edit).
    pub fn load(&self, slot: Slot<'_>) -> Result<Option<Stored>, Unreadable> {
        let path = self.path(slot);
        if !path.exists() {
            return Ok(None);
        }
        let read = || -> Result<Stored, String> {
            let snapshot = Snapshot::from_file(&path).map_err(|error| error.to_string())?;
            let baseline = parse(&snapshot)?;
            let environment = snapshot.metadata().private_info().map(environment);
            Ok(Stored { baseline, environment: environment.unwrap_or_default() })
        };
        read().map(Some).map_err(|reason| Unreadable { path: path.clone(), reason })
    }

    /// Holds the figures against the accepted ones through insta, which leaves a pending snapshot
    /// when they don't match, and says whether one lies there afterwards.
    ///
    /// Insta prints its diff to standard output (`INSTA_OUTPUT=none` silences it), so the verdict
    /// must have been printed before.
    pub fn settle(
        &self,
        slot: Slot<'_>,
        source: &str,
        finding: &Finding,
        new: &Baseline,
        environment: &Environment,
    ) -> Pending {
        let mut settings = Settings::new();
        settings.set_snapshot_path(&self.folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_snapshot_suffix(slot.suffix());
        settings.set_description(finding.sentence());
        settings.set_info(environment);
        settings.set_comparator(Box::new(WithinLimits { finding: finding.clone() }));
        let content = serde_yaml::to_string(new).expect("a baseline is plain YAML");
        let asserted = quietly(|| {
            settings.bind(|| {
                insta::_macro_support::assert_snapshot(
                    (Some(slot.fixture.to_owned()), content.as_str()).into(),
                    &self.workspace,
                    slot.fixture,
                    "highwater",
                    source,
                    0,
                    "",
                )
            })
        });
        match asserted {
            Some(Err(error)) => Pending::Unwritable(error.to_string()),
            _ if self.pending(slot).exists() => Pending::Written(self.pending(slot)),
            _ => Pending::None,
        }
    }

    /// Baselines of this platform that belong to none of `fixtures`, sorted. Those of other minor
    /// versions of Python belong to theirs.
    ///
    /// # Errors
    ///
    /// When the folder is there and cannot be listed.
    pub fn orphans(&self, fixtures: &[FixtureSpec]) -> std::io::Result<Vec<PathBuf>> {
        let belongs = |fixture: &str, suffix: &str| {
            let spec = fixtures.iter().find(|spec| spec.name == fixture);
            spec.is_some_and(|spec| Slot::runtime(suffix, spec.runtime).is_some())
        };
        let is_orphan = |path: &PathBuf| {
            named(path).is_some_and(|(fixture, suffix)| {
                is_of_this_platform(suffix) && !belongs(fixture, suffix)
            })
        };
        Ok(self.files()?.into_iter().filter(is_orphan).collect())
    }

    /// Everything in the folder, sorted; nothing when there is none.
    fn files(&self) -> std::io::Result<Vec<PathBuf>> {
        let listing = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            listing => listing?,
        };
        let mut files: Vec<PathBuf> =
            listing.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
        files.sort();
        Ok(files)
    }
}

/// The fixture's name and the suffix in the name of a baseline's file.
fn named(path: &Path) -> Option<(&str, &str)> {
    path.file_name()?.to_str()?.strip_suffix(".snap")?.split_once('@')
}

fn is_of_this_platform(suffix: &str) -> bool {
    suffix.strip_prefix(PLATFORM).is_some_and(|rest| rest.is_empty() || rest.starts_with('-'))
}

/// What lies beside the baseline after the comparison.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Pending {
    /// Nothing: the figures match, or insta was told to write nothing (`INSTA_UPDATE=no`, or CI).
    None,
    /// New figures that wait for `cargo insta review`.
    Written(PathBuf),
    /// The pending snapshot could not be written; the text says why.
    Unwritable(String),
}

/// Accepts a snapshot when the gate would pass it: neither worse nor better than the limits allow.
/// A run within its limits rewrites nothing, so figures cannot drift upwards run by run.
struct WithinLimits {
    finding: Finding,
}

impl Comparator for WithinLimits {
    fn matches(&self, reference: &Snapshot, test: &Snapshot) -> bool {
        match (parse(reference), parse(test)) {
            (Ok(old), Ok(new)) => judge(Some(&old), &self.finding, &new) == Verdict::Pass,
            _ => false,
        }
    }

    fn dyn_clone(&self) -> Box<dyn Comparator> {
        Box::new(Self { finding: self.finding.clone() })
    }
}

fn parse(snapshot: &Snapshot) -> Result<Baseline, String> {
    let text = snapshot.as_text().ok_or("it is no text snapshot")?.to_string();
    serde_yaml::from_str(&text).map_err(|error| error.to_string())
}

/// Reads back the map that [`Baselines::settle`] stored.
fn environment(content: &insta::internals::Content) -> Environment {
    use insta::internals::Content::{Map, String as Text};
    let Map(pairs) = content else { return Environment::new() };
    let pairs = pairs.iter().filter_map(|(key, value)| match (key, value) {
        (Text(key), Text(value)) => Some((key.clone(), value.clone())),
        _ => None,
    });
    pairs.collect()
}

thread_local! { static QUIET: Cell<bool> = const { Cell::new(false) }; }

/// Runs insta's assertion, whose panic is an answer here and no bug: it is caught, and not printed.
fn quietly<T>(assertion: impl FnOnce() -> T) -> Option<T> {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let usual = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            if !QUIET.get() {
                usual(info);
            }
        }));
    });
    QUIET.set(true);
    let result = catch_unwind(AssertUnwindSafe(assertion));
    QUIET.set(false);
    result.ok()
}

/// An absolute path without `.` or `..`, which `cargo insta` would not find.
fn plain(path: &Path) -> std::io::Result<PathBuf> {
    use std::path::Component::{CurDir, ParentDir};
    let mut plain = PathBuf::new();
    for component in std::path::absolute(path)?.components() {
        match component {
            CurDir => {}
            ParentDir => drop(plain.pop()),
            other => plain.push(other),
        }
    }
    Ok(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder(files: &[&str]) -> (tempfile::TempDir, Baselines) {
        let folder = tempfile::tempdir().expect("a folder");
        for file in files {
            std::fs::write(folder.path().join(file), "").expect("it is written");
        }
        let baselines = Baselines::new(folder.path(), folder.path()).expect("a current folder");
        (folder, baselines)
    }

    #[test]
    fn each_minor_version_of_python_has_its_own_file() {
        let (_folder, baselines) = folder(&[]);
        for (runtime, name) in [
            ("rust", format!("a@{PLATFORM}.snap")),
            ("python 3.9", format!("a@{PLATFORM}-python-3.9.snap")),
            ("python 3.13", format!("a@{PLATFORM}-python-3.13.snap")),
        ] {
            let slot = Slot { fixture: "a", runtime };
            assert_eq!(baselines.path(slot), baselines.folder().join(&name));
            assert_eq!(baselines.pending(slot), baselines.folder().join(name + ".new"));
        }
    }

    #[test]
    fn runtimes_are_those_of_the_fixture_on_this_platform() {
        let of = |name: &str, rest: &str| format!("{name}@{PLATFORM}{rest}.snap");
        let files = [
            of("a", "-python-3.9"),
            of("a", "-python-3.11"),
            of("a", ""),
            of("b", "-python-3.12"),
            of("a", "-python-3.13") + ".new",
            "a@elsewhere-python-3.10.snap".to_owned(),
        ];
        let (_folder, baselines) = folder(&files.each_ref().map(String::as_str));
        let runtimes = |of| baselines.runtimes("a", of).expect("it is listed");
        assert_eq!(runtimes(Runtime::Python), ["python 3.9", "python 3.11"]);
        assert_eq!(runtimes(Runtime::Rust), ["rust"]);
    }

    #[test]
    fn a_baseline_of_another_minor_version_is_no_orphan() {
        let of = |name: &str, rest: &str| format!("{name}@{PLATFORM}{rest}.snap");
        let files = [
            of("python", "-python-3.9"),
            of("python", "-python-3.11"),
            of("rust", ""),
            "gone@elsewhere.snap".to_owned(),
            // These four belong to nobody.
            of("gone", ""),
            of("gone", "-python-3.11"),
            of("python", ""),
            of("rust", "-python-3.11"),
        ];
        let (_folder, baselines) = folder(&files.each_ref().map(String::as_str));
        let python = FixtureSpec { runtime: Runtime::Python, ..FixtureSpec::new("python") };
        let orphans = baselines.orphans(&[python, FixtureSpec::new("rust")]).expect("it is listed");
        let mut expected: Vec<_> =
            files[4..].iter().map(|file| baselines.folder().join(file)).collect();
        expected.sort();
        assert_eq!(orphans, expected);
    }
}
