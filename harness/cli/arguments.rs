//! What can be typed.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

/// A memory gate for stateful UDFs.
///
/// Runs each UDF for many batches in a worker of its own, measures its peak heap and the bytes it
/// leaks per batch, to the byte, and compares them with reviewed baselines. A planted leak of known
/// size is measured first: if it is not measured right, no figure is believed.
#[derive(Debug, Parser)]
#[command(name = "highwater", version, after_help = EXIT_CODES)]
pub(crate) struct Arguments {
    #[command(flatten)]
    pub(crate) project: Project,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  every fixture passed (or improved)
  1  a bug in highwater
  2  the command line or the manifest is wrong, a UDF is not there, or a baseline has no fixture
  3  a fixture regressed
  4  a measurement is inconclusive or invalid
  5  the confidence check failed, or a worker had no tracker: no figure can be believed
  6  a baseline is missing, or was taken under other conditions
With several of these, the first of 5, 3, 4, 6, 2.

Baselines are accepted with `cargo insta review` (or `cargo insta accept`).";

/// Where things are.
#[derive(Debug, Args)]
pub(crate) struct Project {
    /// The manifest; without it `highwater.yaml`, then `udf-fixtures/highwater.yaml`, in this folder
    /// and those above
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) manifest: Option<PathBuf>,
    /// A worker program that is already built, instead of the one that the manifest names
    #[arg(long, global = true, value_name = "FILE")]
    pub(crate) worker: Option<PathBuf>,
    /// The Python that runs Python UDFs; without it the environment that the manifest's
    /// `python.requirements` makes, else the active virtual environment, else `python3`
    #[arg(long, global = true, value_name = "PATH")]
    pub(crate) python: Option<PathBuf>,
    /// The folder for the workers' records; without it `target/highwater` beside the baselines
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) records: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Measure fixtures and gate them against their baselines
    Check(Check),
    /// List the manifest's fixtures
    List(List),
    /// Measure one fixture, or a Python UDF in a file, and show its figures, without a gate
    Run(Run),
    /// Say what is here to measure with, and prove that it sees a planted leak
    Doctor(Doctor),
    /// Show what a worker's record says, even if the worker was killed
    Show(Show),
}

#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The fixtures to check; all of the manifest when none is named
    pub(crate) names: Vec<String>,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct List {
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Run {
    /// The fixture to run, or `path/to/file.py:Name`, which needs no manifest
    #[arg(value_name = "FIXTURE|FILE.py:NAME")]
    pub(crate) name: String,
    /// A Parquet or Arrow IPC file to read the batches from. Without it a file's own function
    /// `batches(n, rows, seed)` yields them, else they are generated (id, value, text)
    #[arg(long, value_name = "FILE")]
    pub(crate) input: Option<PathBuf>,
    /// Columns of the input file, by name, in this order; all when left out
    #[arg(long, value_name = "A,B", value_delimiter = ',', requires = "input")]
    pub(crate) columns: Vec<String>,
    /// Batches to run, instead of what the manifest says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) batches: Option<u32>,
    /// Batches to run at most, when the answer is not certain by then; as many as `--batches` for a
    /// run of fixed length [default: four times the batches]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) max_batches: Option<u32>,
    /// End the run at the first certain answer. A leak that starts later is not seen
    #[arg(long)]
    pub(crate) quick: bool,
    /// Batches that a worker is planned to do in its life, for the memory to ask for
    /// [default: what the manifest says, else 10,000]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) planned_batches: Option<u32>,
    /// Rows in each batch, instead of what the manifest says
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) rows: Option<u32>,
    /// Seed of generated batches, instead of what the manifest says
    #[arg(long, value_name = "N")]
    pub(crate) seed: Option<u64>,
    /// Every N batches, have the production run collect, trim and release what it can, as Geneva's
    /// applier does every 8
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub(crate) trim_every: Option<u32>,
    /// Pickle what each call returns, and the UDF itself, for their size
    #[arg(long)]
    pub(crate) pickle: bool,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Doctor {
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

#[derive(Debug, Args)]
pub(crate) struct Show {
    /// The record, as `check` and `run` name it
    pub(crate) record: PathBuf,
    #[arg(long, value_enum, default_value_t = Format::Text)]
    pub(crate) format: Format,
}

/// How to print the answer
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people
    Text,
    /// For programs
    Json,
}
