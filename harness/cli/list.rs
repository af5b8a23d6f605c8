//! `highwater list`: the manifest's fixtures, as JSON with their accepted figures.

use anstream::{eprintln, print, println};
use highwater::Baselines;
use highwater_core::exit_code;
use highwater_fixture::FixtureSpec;
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
            let fixtures: Vec<Value> =
                manifest.fixtures.iter().map(|spec| entry(spec, &baselines)).collect();
            print!("{:#}\n", json!({ "version": 1, "fixtures": fixtures }));
        }
    }
    Ok(exit_code::PASS)
}

/// A fixture with its accepted figures, which are `null` where there are none.
fn entry(spec: &FixtureSpec, baselines: &Baselines) -> Value {
    let accepted = baselines.load(&spec.name).unwrap_or_else(|unreadable| {
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
