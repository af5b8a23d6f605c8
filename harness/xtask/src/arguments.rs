//! What can be typed.

use std::ffi::OsString;

use clap::{Parser, Subcommand, ValueEnum};

/// The project's chores. Shows each command before running it
#[derive(Debug, Parser)]
#[command(name = "cargo xtask", bin_name = "cargo xtask")]
pub(crate) struct Arguments {
    #[command(subcommand)]
    pub(crate) chore: Chore,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Chore {
    /// Run every test, doctests too; installs cargo-nextest and cargo-insta when they are missing
    Test {
        /// Arguments for `cargo nextest run`, e.g. `--no-capture` or `--package highwater-core`
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        nextest: Vec<OsString>,
    },
    /// Run every linter, and name those that failed
    Lint {
        /// The groups to run; all when none is named
        #[arg(value_enum)]
        groups: Vec<Group>,
    },
    /// Run the benchmarks, then take the time of `cargo highwater check`
    Bench {
        /// Arguments for criterion, e.g. part of a benchmark's name
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        criterion: Vec<OsString>,
    },
    /// Compare the tracker's figures for Python UDFs with memray's, tracemalloc's, glibc's and Arrow's
    Oracle {
        /// Arguments for `python -m unittest`, e.g. `oracle.test_memray`; all tests without
        #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENT")]
        unittest: Vec<OsString>,
    },
    /// Run the tests that CPython, pyarrow and NumPy ship with and without the tracker
    Harmless {
        /// A selection that takes less than two minutes
        #[arg(long)]
        short: bool,
        /// Only these, e.g. `test_json` or `pyarrow.tests.test_array`
        #[arg(value_name = "UNIT")]
        units: Vec<OsString>,
    },
    /// Time Python workloads under the tracker and its peers; needs heaptrack
    BenchPython {
        /// How often each workload runs under each tool
        #[arg(long, default_value_t = 9, value_parser = clap::value_parser!(u32).range(1..))]
        rounds: u32,
    },
    /// Try CPython 3.9, 3.11, 3.13 and 3.14 with their C libraries; needs root and the network
    Pythons {
        /// A mirror of Debian; debootstrap's own without
        #[arg(long, value_name = "URL")]
        mirror: Option<OsString>,
        /// Only these of bullseye, bookworm, trixie and sid
        #[arg(value_name = "SUITE")]
        suites: Vec<OsString>,
    },
    /// Check every interleaving of the tracker's concurrent parts
    Loom,
    /// Run the tracker's exact tests under valgrind, which must be installed
    Valgrind,
}

/// What a linter looks at.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Group {
    /// rustfmt, clippy and rustdoc
    Rust,
    /// ruff
    Python,
    /// bash, zizmor and check-jsonschema
    Workflows,
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory as _;

    use super::*;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn options_after_test_belong_to_nextest() {
        let typed = ["xtask", "test", "--profile", "ci", "-E", "test(leak)"];
        let Chore::Test { nextest } = Arguments::parse_from(typed).chore else { panic!("no test") };
        assert_eq!(nextest, ["--profile", "ci", "-E", "test(leak)"]);
    }

    #[test]
    fn harmless_takes_units_and_its_own_option() {
        let typed = ["xtask", "harmless", "--short", "test_json", "test_gc"];
        let Chore::Harmless { short, units } = Arguments::parse_from(typed).chore else {
            panic!("not harmless");
        };
        assert!(short);
        assert_eq!(units, ["test_json", "test_gc"]);
    }

    #[test]
    fn a_benchmark_has_at_least_one_round() {
        assert!(Arguments::try_parse_from(["xtask", "bench-python", "--rounds", "0"]).is_err());
    }

    #[test]
    fn an_unknown_lint_group_is_refused() {
        assert!(Arguments::try_parse_from(["xtask", "lint", "rest"]).is_err());
    }
}
