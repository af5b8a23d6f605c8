//! Refuses, under CI, the switches that would turn a red gate green.

use std::path::Path;

use serde_yaml::Value;

/// A switch that makes a gate's answer worthless under CI.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{switch}` turns a failing gate green and is refused under CI\nhint: {hint}")]
pub struct Refused {
    /// The switch, as it was found.
    pub switch: String,
    /// What to do instead.
    pub hint: &'static str,
}

const INSTA: &str = "unset it and set `INSTA_UPDATE=new`: the gate then stays red and leaves the \
                     pending snapshot to upload and review";
const RETRIES: &str = "set `retries = 0`: memory figures are exact, so a second try that passes \
                       hides a real difference";

/// Checks this process's environment and the insta configuration of `workspace`.
///
/// # Errors
///
/// Under CI (`CI` is set, and not to `false` or `0`), the first switch found that forces a pass.
pub fn refuse_forced_passes(workspace: &Path) -> Result<(), Refused> {
    check(&|name| std::env::var(name).ok(), configuration(workspace).as_ref())
}

/// Whether a variable's value means yes to `CI`.
fn is_ci(value: Option<String>) -> bool {
    value.is_some_and(|value| !matches!(value.as_str(), "" | "0" | "false"))
}

fn check(
    variable: &dyn Fn(&str) -> Option<String>,
    configuration: Option<&(String, Value)>,
) -> Result<(), Refused> {
    if !is_ci(variable("CI")) {
        return Ok(());
    }
    let refuse = |switch: String, hint| Err(Refused { switch, hint });
    for (name, bad) in [
        ("INSTA_FORCE_PASS", &["1"][..]),
        ("INSTA_UPDATE", &["always", "1", "force", "unseen"]),
        ("INSTA_FORCE_UPDATE", &["1"]),
        ("INSTA_FORCE_UPDATE_SNAPSHOTS", &["1"]),
    ] {
        if let Some(value) = variable(name).filter(|value| bad.contains(&value.as_str())) {
            return refuse(format!("{name}={value}"), INSTA);
        }
    }
    if let Some((file, yaml)) = configuration {
        let behavior = &yaml["behavior"];
        if behavior["force_pass"].as_bool() == Some(true) {
            return refuse(format!("behavior.force_pass: true (in {file})"), INSTA);
        }
        // The environment overrules the file, as it does in insta.
        let update = behavior["update"].as_str().filter(|_| variable("INSTA_UPDATE").is_none());
        if let Some(update @ ("always" | "force" | "unseen")) = update {
            return refuse(format!("behavior.update: {update} (in {file})"), INSTA);
        }
    }
    if let Some(total) = variable("NEXTEST_TOTAL_ATTEMPTS").filter(|total| total != "1") {
        return refuse(format!("nextest retries (NEXTEST_TOTAL_ATTEMPTS={total})"), RETRIES);
    }
    Ok(())
}

/// The workspace's insta configuration, from the places where insta looks.
fn configuration(workspace: &Path) -> Option<(String, Value)> {
    [".config/insta.yaml", "insta.yaml", ".insta.yaml"].into_iter().find_map(|name| {
        let text = std::fs::read_to_string(workspace.join(name)).ok()?;
        Some((name.to_owned(), serde_yaml::from_str(&text).ok()?))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(variables: &[(&str, &str)], yaml: Option<&str>) -> Option<String> {
        let lookup = |name: &str| {
            variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned())
        };
        let yaml = yaml.map(|text| {
            ("insta.yaml".to_owned(), serde_yaml::from_str(text).expect("the test's own YAML"))
        });
        check(&lookup, yaml.as_ref()).err().map(|refused| refused.switch)
    }

    #[test]
    fn every_switch_that_forces_a_pass_is_refused_under_ci_and_only_there() {
        let switches = [
            ("INSTA_FORCE_PASS", "1"),
            ("INSTA_UPDATE", "always"),
            ("INSTA_UPDATE", "1"),
            ("INSTA_UPDATE", "force"),
            ("INSTA_UPDATE", "unseen"),
            ("INSTA_FORCE_UPDATE", "1"),
            ("INSTA_FORCE_UPDATE_SNAPSHOTS", "1"),
            ("NEXTEST_TOTAL_ATTEMPTS", "3"),
        ];
        for switch in switches {
            assert!(refused(&[("CI", "true"), switch], None).is_some(), "{switch:?} passed");
            assert_eq!(refused(&[switch], None), None, "{switch:?} was refused outside CI");
            assert_eq!(refused(&[("CI", "false"), switch], None), None, "CI=false is no CI");
        }
        for yaml in ["behavior: {force_pass: true}", "behavior: {update: always}"] {
            assert!(refused(&[("CI", "1")], Some(yaml)).is_some(), "{yaml} passed");
        }
    }

    #[test]
    fn what_keeps_the_gate_red_is_allowed_under_ci() {
        for variables in [
            &[("CI", "true")][..],
            &[("CI", "true"), ("INSTA_UPDATE", "new")],
            &[("CI", "true"), ("INSTA_UPDATE", "no")],
            &[("CI", "true"), ("INSTA_FORCE_PASS", "0")],
            &[("CI", "true"), ("NEXTEST_TOTAL_ATTEMPTS", "1")],
        ] {
            assert_eq!(refused(variables, Some("behavior: {update: new}")), None, "{variables:?}");
        }
        let overruled = [("CI", "true"), ("INSTA_UPDATE", "new")];
        assert_eq!(refused(&overruled, Some("behavior: {update: always}")), None);
    }
}
