//! `highwater list`: the manifest's fixtures.

use anstream::{print, println};
use highwater_core::exit_code;
use serde_json::json;

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
            let fixtures = json!({ "version": 1, "fixtures": manifest.fixtures });
            print!("{fixtures:#}\n");
        }
    }
    Ok(exit_code::PASS)
}
