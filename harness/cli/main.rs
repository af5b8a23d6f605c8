//! The `highwater` command: what was typed, handed to the gate, and its answer printed.
#![forbid(unsafe_code)]

mod arguments;
mod check;
mod doctor;
mod error;
mod list;
mod progress;
mod project;
mod python;
mod run;
mod show;
mod worker;

use std::process::ExitCode;

use anstream::eprintln;
use arguments::{Arguments, Command};
use clap::Parser as _;
use error::CliError;
use highwater_core::exit_code;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    silence_insta();
    let result = match &arguments.command {
        Command::Check(check) => check::check(&arguments.project, check),
        Command::List(list) => list::list(&arguments.project, list),
        Command::Doctor(doctor) => doctor::doctor(&arguments.project, doctor),
        Command::Run(run) => run::run(&arguments.project, run),
        Command::Show(show) => show::show(show),
    };
    let code = result.unwrap_or_else(|error| {
        report(&error);
        error.exit_code()
    });
    ExitCode::from(u8::try_from(code).unwrap_or(exit_code::INTERNAL as u8))
}

/// One line (and a hint) on standard error.
fn report(error: &CliError) {
    let red = anstyle::Style::new().fg_color(Some(anstyle::AnsiColor::Red.into())).bold();
    eprintln!("{red}error{red:#}: {error}");
}

/// Starts this program again with insta silenced, unless the user has an opinion on it: insta
/// prints its diffs to standard output, where the table and the JSON belong.
fn silence_insta() {
    use std::os::unix::process::CommandExt as _;
    const SWITCH: &str = "INSTA_OUTPUT";
    if std::env::var_os(SWITCH).is_none()
        && let Ok(program) = std::env::current_exe()
    {
        // On success this doesn't return; a failure costs the silence and nothing else.
        let error = std::process::Command::new(program)
            .args(std::env::args_os().skip(1))
            .env(SWITCH, "none")
            .exec();
        eprintln!("warning: insta will print its own diffs: {error}");
    }
}
