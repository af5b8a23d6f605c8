//! `highwater list`: the manifest's fixtures, as JSON with their accepted figures.

use anstream::{eprintln, print, println};
use highwater::{Baselines, Slot};
use highwater_core::exit_code;
use highwater_fixture::{FixtureSpec, Runtime};
use highwater_worker::Interpreter;
use serde_json::{Value, json};

use crate::arguments::{Format, List, Project};
use crate::error::CliError;
use crate::project;

pub(crate) fn list(project: &Project, list: &List) -> Result<i32, CliError> {
    let manifest = project::load(project)?;
    match list.format {
        Format::Text => {
            let width = manifest.fixtures.iter().map(|spec| spec.name.len()).max().unwrap_or(0);
            for spec in &manifest.fixtures {
                let name = &spec.name;
                println!("{name:width$}  {:6}  {}", spec.runtime, spec.description);
            }
        }
        Format::Json => {
            let baselines = project::baselines(&manifest)?;
            let python = manifest
                .fixtures
                .iter()
                .any(|spec| spec.runtime == Runtime::Python)
                .then(|| python(project))
                .flatten();
            let fixtures: Vec<Value> = manifest
                .fixtures
                .iter()
                .map(|spec| entry(spec, &baselines, python.as_deref()))
                .collect();
            print!("{:#}\n", json!({ "version": 1, "fixtures": fixtures }));
        }
    }
    Ok(exit_code::PASS)
}

/// The runtime of Python fixtures, such as `python 3.11`; a warning where there is none.
fn python(project: &Project) -> Option<String> {
    match Interpreter::find(project.python.as_deref()) {
        Ok(interpreter) => Some(interpreter.runtime()),
        Err(error) => {
            eprintln!("warning: {error}");
            None
        }
    }
}

/// A fixture with the figures that are accepted for its runtime, `null` where there are none.
fn entry(spec: &FixtureSpec, baselines: &Baselines, python: Option<&str>) -> Value {
    let runtime = match spec.runtime {
        Runtime::Rust => Some(Runtime::Rust.name()),
        Runtime::Python => python,
    };
    let load = |runtime| baselines.load(Slot { fixture: &spec.name, runtime });
    let accepted = runtime.map_or(Ok(None), load).unwrap_or_else(|unreadable| {
        eprintln!("warning: {unreadable}");
        None
    });
    let accepted = accepted.map(|stored| stored.baseline);
    let accepted = accepted.as_ref();
    json!({
        "name": spec.name,
        "runtime": spec.runtime,
        "udf": spec.udf,
        "description": spec.description,
        "batches": spec.batches,
        "rows": spec.rows,
        "seed": spec.seed,
        "input": spec.input,
        "limits": spec.limits,
        "setup_bytes": accepted.map(|baseline| baseline.setup_bytes),
        "peak_bytes": accepted.map(|baseline| baseline.peak_bytes),
        "leaked_bytes_per_batch": accepted.map(|baseline| baseline.leaked_bytes_per_batch),
        "leaked_blocks_per_batch": accepted.map(|baseline| baseline.leaked_blocks_per_batch),
        "pattern": accepted.map(|baseline| baseline.pattern),
        "verdict": Value::Null,
    })
}
