//! What [`gate!`](crate::gate) does inside a test function.

use std::path::{Path, PathBuf};

use highwater_fixture::Runtime;
use highwater_worker::{WorkerCommand, serve_if_assigned};

use crate::baseline::Baselines;
use crate::check::Gate;
use crate::fixture::Fixture;
use crate::guard::refuse_forced_passes;
use crate::workers::Workers;

/// Where a test stands, as the macro sees it.
#[derive(Debug, Clone, Copy)]
pub struct Place {
    /// Path of the test function, with the crate's name in front.
    pub function: &'static str,
    /// Folder of the package.
    pub package: &'static str,
    /// Source file.
    pub file: &'static str,
}

/// Gates one fixture inside a `#[test]` function.
///
/// The measurement runs in a process of its own: the test binary starts itself again with this
/// one test, and the macro, finding itself in the worker, runs the UDF instead of judging it. So
/// the test must come to the macro without doing other work first.
///
/// Baselines lie in `baselines/` of the package; accept them with `cargo insta review`.
///
/// # Panics
///
/// When the gate does not pass: regressed, no baseline yet, inconclusive, invalid, confidence check
/// failed. The message says which and what to do. Outside libtest (a test harness without
/// `--exact`) the worker cannot be started, which is said as well.
///
/// ```no_run
/// use highwater::{ArrayRef, Fixture, RecordBatch, Tracker, Udf, UdfError};
///
/// #[global_allocator]
/// static TRACKER: Tracker = Tracker::new();
///
/// #[derive(Default)]
/// struct Enrich { seen: Vec<ArrayRef> }
///
/// impl Udf for Enrich {
///     fn call(&mut self, batch: &RecordBatch) -> Result<ArrayRef, UdfError> {
///         Ok(batch.column(0).clone())
///     }
/// }
///
/// # /*
/// #[test]
/// # */
/// fn enrich_keeps_nothing() {
///     highwater::gate!(Fixture::new("enrich", Enrich::default).batches(200).rows(300));
/// }
/// # fn main() { enrich_keeps_nothing() }
/// ```
#[macro_export]
macro_rules! gate {
    ($fixture:expr $(,)?) => {{
        fn here() {}
        fn name_of<T>(_: T) -> &'static str {
            ::std::any::type_name::<T>()
        }
        $crate::in_test::gate(
            $fixture,
            $crate::in_test::Place {
                function: name_of(here),
                package: ::std::env!("CARGO_MANIFEST_DIR"),
                file: ::std::file!(),
            },
        )
    }};
}

/// The function behind [`gate!`](crate::gate).
///
/// # Panics
///
/// When the gate does not pass.
#[expect(clippy::print_stdout, reason = "a test speaks through its output")]
pub fn gate(fixture: Fixture, place: Place) {
    let package = Path::new(place.package);
    let fixture = fixture.rooted(package);
    serve_if_assigned(&fixture.registry);

    if let Err(refused) = refuse_forced_passes(package) {
        panic!("highwater: {refused}");
    }
    let gate = match gate_of(place, package) {
        Ok(gate) => gate,
        Err(error) => panic!("highwater: the test cannot run itself again: {error}"),
    };
    if let Err(failed) = gate.confidence(Runtime::Rust) {
        panic!("highwater: {failed}");
    }
    let mut verdict = String::new();
    let checked = gate.check(&fixture.spec, |checked| {
        verdict = checked.to_string();
        println!("highwater: {verdict}");
    });
    assert!(checked.passes(), "highwater: {verdict}");
}

fn gate_of(place: Place, package: &Path) -> std::io::Result<Gate> {
    let program = std::env::current_exe()?;
    Ok(Gate {
        workers: Workers::rust(
            WorkerCommand::new(&program)
                .argument(test_name(place.function))
                .argument("--exact")
                .argument("--include-ignored")
                .argument("--nocapture")
                // One thread: libtest then runs the test on its main thread, and nothing of its
                // own beside.
                .argument("--test-threads=1"),
        ),
        records: records_of(&program),
        baselines: Baselines::new(&package.join("baselines"), package)?,
        source: PathBuf::from(place.file),
    })
}

/// The name by which libtest knows the function around `here`: its path without the crate.
fn test_name(here: &str) -> &str {
    let mut path = here.strip_suffix("::here").unwrap_or(here);
    while let Some(outer) = path.strip_suffix("::{{closure}}") {
        path = outer;
    }
    path.split_once("::").map_or(path, |(_crate, rest)| rest)
}

/// `target/highwater`, for a test binary in `target/<profile>/deps`.
fn records_of(program: &Path) -> PathBuf {
    program.ancestors().nth(3).unwrap_or(Path::new("target")).join("highwater")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_test_name_is_the_path_without_the_crate() {
        for (here, name) in [
            ("suite::enrich::here", "enrich"),
            ("suite::nested::module::enrich::here", "nested::module::enrich"),
            ("suite::enrich::{{closure}}::here", "enrich"),
        ] {
            assert_eq!(test_name(here), name);
        }
    }
}
