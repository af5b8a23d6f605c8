//! The reviewed figures: one insta snapshot per fixture and platform.

use std::cell::Cell;
use std::collections::{BTreeMap, BTreeSet};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Once;

use highwater_core::{Baseline, Finding, Verdict, judge};
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

    /// The file of a fixture's baseline on this platform.
    pub fn path(&self, fixture: &str) -> PathBuf {
        self.folder.join(format!("{fixture}@{PLATFORM}.snap"))
    }

    /// The file that insta leaves beside a baseline until it is accepted or rejected.
    pub fn pending(&self, fixture: &str) -> PathBuf {
        self.folder.join(format!("{fixture}@{PLATFORM}.snap.new"))
    }

    /// A fixture's accepted baseline; `None` when there is none.
    ///
    /// # Errors
    ///
    /// When the snapshot is there but broken (a merge conflict, a hand edit).
    pub fn load(&self, fixture: &str) -> Result<Option<Stored>, Unreadable> {
        let path = self.path(fixture);
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
        fixture: &str,
        source: &str,
        finding: &Finding,
        new: &Baseline,
        environment: &Environment,
    ) -> Pending {
        let mut settings = Settings::new();
        settings.set_snapshot_path(&self.folder);
        settings.set_prepend_module_to_snapshot(false);
        settings.set_omit_expression(true);
        settings.set_snapshot_suffix(PLATFORM);
        settings.set_description(finding.sentence());
        settings.set_info(environment);
        settings.set_comparator(Box::new(WithinLimits { finding: finding.clone() }));
        let content = serde_yaml::to_string(new).expect("a baseline is plain YAML");
        let asserted = quietly(|| {
            settings.bind(|| {
                insta::_macro_support::assert_snapshot(
                    (Some(fixture.to_owned()), content.as_str()).into(),
                    &self.workspace,
                    fixture,
                    "highwater",
                    source,
                    0,
                    "",
                )
            })
        });
        match asserted {
            Some(Err(error)) => Pending::Unwritable(error.to_string()),
            _ if self.pending(fixture).exists() => Pending::Written(self.pending(fixture)),
            _ => Pending::None,
        }
    }

    /// Baselines of this platform that belong to no fixture of `names`, sorted.
    ///
    /// # Errors
    ///
    /// When the folder is there and cannot be listed.
    pub fn orphans(&self, names: &BTreeSet<&str>) -> std::io::Result<Vec<PathBuf>> {
        let listing = match std::fs::read_dir(&self.folder) {
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Vec::new()),
            listing => listing?,
        };
        let ending = format!("@{PLATFORM}.snap");
        let mut orphans = Vec::new();
        for entry in listing {
            let path = entry?.path();
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            if name.strip_suffix(&ending).is_some_and(|fixture| !names.contains(fixture)) {
                orphans.push(path);
            }
        }
        orphans.sort();
        Ok(orphans)
    }
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
