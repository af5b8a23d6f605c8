//! `cargo xtask test`: every test of the project.

use std::ffi::OsString;

use crate::error::ChoreError;
use crate::project::{Project, Standalone};
use crate::step::{Probe, Step};

/// A cargo subcommand that the tests need.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Subcommand {
    name: &'static str,
    /// The version that is installed when there is none.
    version: &'static str,
}

/// Runs the tests.
pub(crate) const NEXTEST: Subcommand = Subcommand { name: "nextest", version: "0.9.143" };
/// Accepts the baseline of the cargo project that `own_crate` makes, as its user would.
const INSTA: Subcommand = Subcommand { name: "insta", version: "1.49.0" };

const TESTS: &str = "the failures are above; repeat one with `cargo nextest run NAME`, and take new \
                     figures over with `cargo insta review`";

/// Runs the workspace's tests with nextest, those of the packages outside it, then the doctests.
/// Ends with the first of them that fails.
pub(crate) fn test(project: &Project, nextest: &[OsString]) -> Result<(), ChoreError> {
    install(project, NEXTEST)?;
    install(project, INSTA)?;
    let profile = profile(&|name| std::env::var(name).ok());
    for step in steps(&project.standalone()?, profile, nextest) {
        step.run(&project.root)?;
    }
    Ok(())
}

/// Installs a subcommand of cargo, unless it answers.
pub(crate) fn install(project: &Project, subcommand: Subcommand) -> Result<(), ChoreError> {
    let Subcommand { name, version } = subcommand;
    let probe = Step::cargo(&[name, "--version"], "install Rust, with cargo on the `PATH`");
    if probe.probe(&project.root)? == Probe::Present {
        return Ok(());
    }
    eprintln!("xtask: cargo-{name} is missing, installing it (a few minutes, once)");
    let package = format!("cargo-{name}@{version}");
    // It is built for longer than it will ever run.
    Step::cargo(&["install", "--locked", &package], "the reason is above")
        .variable("CARGO_PROFILE_RELEASE_OPT_LEVEL", "0")
        .run(&project.root)
}

/// Nextest's profile: `ci` under CI, unless the caller named one.
fn profile(variable: &dyn Fn(&str) -> Option<String>) -> Option<&'static str> {
    let ci = variable("CI").is_some_and(|ci| !matches!(ci.as_str(), "" | "0" | "false"));
    (ci && variable("NEXTEST_PROFILE").is_none()).then_some("ci")
}

fn steps(
    standalone: &[Standalone],
    profile: Option<&'static str>,
    nextest: &[OsString],
) -> Vec<Step> {
    let mut workspace = Step::cargo(&["nextest", "run"], TESTS).arguments(nextest);
    if let Some(profile) = profile {
        // Not as an argument: one that was typed would clash with it instead of overruling it.
        workspace = workspace.variable("NEXTEST_PROFILE", profile);
    }
    let mut steps = vec![workspace];
    for package in standalone {
        steps.push(
            Step::cargo(&["nextest", "run", "--config-file", ".config/nextest.toml"], TESTS)
                .arguments(&["--manifest-path".as_ref(), package.manifest.as_os_str()])
                .arguments(&["--target-dir".as_ref(), package.target.as_os_str()]),
        );
    }
    steps.push(Step::cargo(&["test", "--doc", "--workspace"], "the failed examples are above"));
    steps
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use super::*;

    #[test]
    fn only_ci_takes_the_ci_profile() {
        for (variables, expected) in [
            (&[][..], None),
            (&[("CI", "true")], Some("ci")),
            (&[("CI", "1")], Some("ci")),
            (&[("CI", "")], None),
            (&[("CI", "0")], None),
            (&[("CI", "false")], None),
            (&[("CI", "true"), ("NEXTEST_PROFILE", "default")], None),
        ] {
            let variable = |name: &str| {
                variables.iter().find(|(set, _)| *set == name).map(|(_, value)| (*value).to_owned())
            };
            assert_eq!(profile(&variable), expected, "{variables:?}");
        }
    }

    #[test]
    fn arguments_reach_the_workspace_alone() {
        let preload = Standalone {
            manifest: PathBuf::from("harness/preload/Cargo.toml"),
            target: PathBuf::from("target/preload"),
        };
        let steps = steps(&[preload], Some("ci"), &["--no-capture".into()]);
        let shown: Vec<String> = steps.iter().map(ToString::to_string).collect();
        assert_eq!(
            shown,
            [
                "NEXTEST_PROFILE=ci cargo nextest run --no-capture",
                "cargo nextest run --config-file .config/nextest.toml \
                 --manifest-path harness/preload/Cargo.toml --target-dir target/preload",
                "cargo test --doc --workspace",
            ]
        );
    }
}
