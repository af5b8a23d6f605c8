//! `highwater doctor`: what is here to measure with, and whether it sees a planted leak.

use std::path::Path;

use anstream::{print, println};
use highwater::{Confidence, Gate, Workers};
use highwater_core::exit_code;
use highwater_fixture::{Manifest, ManifestError, Runtime};
use highwater_worker::{Interpreter, python::TRACKER_VERSION};
use serde_json::{Value, json};

use crate::arguments::{Doctor, Format, Project};
use crate::error::CliError;
use crate::worker::worker;
use crate::{project, python};

/// What became of one runtime's confidence check.
enum State {
    Proved(Confidence),
    /// No figure of this runtime can be believed.
    Failed(String),
    /// There is nothing to run such a UDF with.
    Absent(String),
}

pub(crate) fn doctor(project: &Project, doctor: &Doctor) -> Result<i32, CliError> {
    let manifest = match project::load(project) {
        Ok(manifest) => Some(manifest),
        // Python UDFs in files need none.
        Err(CliError::Manifest(ManifestError::NotFound { .. })) => None,
        Err(error) => return Err(error),
    };
    let interpreter = interpreter(project, manifest.as_ref());
    let has_rust = project.worker.is_some()
        || manifest.as_ref().is_some_and(|manifest| manifest.worker.is_some());
    let states: Vec<(Runtime, State)> = Runtime::ALL
        .into_iter()
        .filter(|runtime| *runtime == Runtime::Python || has_rust)
        .map(|runtime| (runtime, examine(project, manifest.as_ref(), runtime, &interpreter)))
        .collect();
    let any = |is: fn(&State) -> bool| states.iter().any(|(_, state)| is(state));
    let failed = any(|state| matches!(state, State::Failed(_)));
    let proved = any(|state| matches!(state, State::Proved(_)));
    let code = if failed || !proved { exit_code::CONFIDENCE } else { exit_code::PASS };
    match doctor.format {
        Format::Text => print!("{}", text(&interpreter, &states)),
        Format::Json => println!("{:#}", document(&interpreter, &states, code)),
    }
    Ok(code)
}

/// The Python that `check` and `run` would use.
fn interpreter(project: &Project, manifest: Option<&Manifest>) -> Result<Interpreter, CliError> {
    let Some(manifest) = manifest else {
        return Ok(python::interpreter(project, None, &python::cache())?);
    };
    let root = manifest.baselines.parent().unwrap_or(&manifest.baselines);
    let requirements = manifest.python.as_ref().map(|python| &*python.requirements);
    Ok(python::interpreter(project, requirements, &project::records(project, root))?)
}

fn examine(
    project: &Project,
    manifest: Option<&Manifest>,
    runtime: Runtime,
    interpreter: &Result<Interpreter, CliError>,
) -> State {
    if let (Runtime::Python, Err(error)) = (runtime, interpreter) {
        return State::Absent(error.to_string());
    }
    let gate: Result<Gate, CliError> = match (manifest, runtime) {
        (Some(manifest), _) => project::gate(project, manifest, &[runtime]),
        (None, Runtime::Python) => python::gate(project),
        (None, Runtime::Rust) => python::gate_of(project, |_| {
            let worker = worker(project.worker.as_deref(), None, Path::new("."))?;
            Ok(Workers::rust(worker))
        }),
    };
    let gate = match gate {
        Ok(gate) => gate,
        Err(error) => return State::Absent(error.to_string()),
    };
    match gate.confidence(runtime) {
        Ok(confidence) => State::Proved(confidence),
        Err(failed) => State::Failed(failed.to_string()),
    }
}

/// Name and value of everything that was found.
fn found(interpreter: &Interpreter) -> [(&'static str, String); 4] {
    let Interpreter { path, version, pyarrow, pool, libc } = interpreter;
    let none = || "none".to_owned();
    [
        ("python", format!("{version} ({})", path.display())),
        ("pyarrow", pyarrow.clone().unwrap_or_else(none)),
        ("default pool", pool.clone().unwrap_or_else(none)),
        ("C library", libc.clone()),
    ]
}

fn text(interpreter: &Result<Interpreter, CliError>, states: &[(Runtime, State)]) -> String {
    let mut lines = vec![format!("{:<14}{TRACKER_VERSION}", "tracker")];
    match interpreter {
        Ok(interpreter) => {
            let found = found(interpreter);
            lines.extend(found.iter().map(|(name, value)| format!("{name:<14}{value}")));
        }
        Err(error) => lines.push(format!("{:<14}{}", "python", indented(&error.to_string()))),
    }
    for (runtime, state) in states {
        let name = format!("{runtime} UDFs");
        let said = match state {
            State::Proved(confidence) => format!("can be measured: {confidence}"),
            State::Failed(why) => format!("CANNOT be measured: {}", indented(why)),
            // Said above already.
            State::Absent(_) if *runtime == Runtime::Python && interpreter.is_err() => {
                "cannot be run: there is no Python to run them".to_owned()
            }
            State::Absent(why) => format!("cannot be run: {}", indented(why)),
        };
        lines.push(format!("{name:<14}{said}"));
    }
    lines.join("\n") + "\n"
}

/// The lines of a message below the first, under it.
fn indented(message: &str) -> String {
    message.replace('\n', &format!("\n{:14}", ""))
}

fn document(
    interpreter: &Result<Interpreter, CliError>,
    states: &[(Runtime, State)],
    code: i32,
) -> Value {
    let python = match interpreter {
        Ok(Interpreter { path, version, pyarrow, pool, libc }) => json!({
            "path": path,
            "version": version.to_string(),
            "pyarrow": pyarrow,
            "pool": pool,
            "libc": libc,
        }),
        Err(error) => json!({ "error": error.to_string() }),
    };
    let runtimes = states.iter().map(|(runtime, state)| {
        let (state, confidence, why) = match state {
            State::Proved(confidence) => ("proved", Some(confidence), None),
            State::Failed(why) => ("failed", None, Some(why)),
            State::Absent(why) => ("absent", None, Some(why)),
        };
        json!({ "runtime": runtime, "state": state, "confidence": confidence, "error": why })
    });
    json!({
        "version": 1,
        "tracker": TRACKER_VERSION,
        "python": python,
        "runtimes": runtimes.collect::<Vec<Value>>(),
        "exit_code": code,
    })
}
