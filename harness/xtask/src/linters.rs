//! `cargo xtask lint`: everything that reads the sources and runs nothing of them.

use crate::arguments::Group;
use crate::error::ChoreError;
use crate::project::Project;
use crate::step::Step;
use crate::toolbox::{LINTERS, Toolbox};

const COMPONENTS: &str = "install Rust's `rustfmt` and `clippy` components";

/// A step and the name by which a failure is reported.
type Linter = (&'static str, Step);

/// Runs the linters of `groups`, or of every group. A finding of one doesn't stop the others.
pub(crate) fn lint(project: &Project, groups: &[Group]) -> Result<(), ChoreError> {
    let wanted = |group| groups.is_empty() || groups.contains(&group);
    let mut linters = Vec::new();
    if wanted(Group::Rust) {
        linters.extend(rust(project)?);
    }
    if wanted(Group::Python) || wanted(Group::Workflows) {
        let toolbox = Toolbox::open(project, LINTERS)?;
        if wanted(Group::Python) {
            linters.extend(python(&toolbox));
        }
        if wanted(Group::Workflows) {
            linters.extend(workflows(project, &toolbox)?);
        }
    }

    let mut failed = Vec::new();
    for (name, step) in linters {
        match step.run(&project.root) {
            Ok(()) => {}
            Err(ChoreError::Failed { .. }) if failed.contains(&name) => {}
            Err(ChoreError::Failed { .. }) => failed.push(name),
            Err(other) => return Err(other),
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(ChoreError::Lint(failed)) }
}

fn rust(project: &Project) -> Result<Vec<Linter>, ChoreError> {
    let cargo = |arguments: &[&str]| Step::cargo(arguments, COMPONENTS);
    let denied = |step: Step| step.arguments(&["--", "-D", "warnings"]);
    let clippy = &["clippy", "--workspace", "--all-targets"];
    // Libraries only: the `highwater` program's page would overwrite the library's.
    let doc = cargo(&["doc", "--workspace", "--lib", "--no-deps"]);
    let mut linters = vec![
        ("cargo fmt", cargo(&["fmt", "--all", "--check"])),
        ("cargo clippy", denied(cargo(clippy))),
        ("cargo doc", doc.variable("RUSTDOCFLAGS", "-D warnings")),
    ];
    for package in project.standalone()? {
        let manifest = ["--manifest-path".as_ref(), package.manifest.as_os_str()];
        let target = ["--target-dir".as_ref(), package.target.as_os_str()];
        let doc = cargo(&["doc", "--no-deps"]).arguments(&manifest).arguments(&target);
        linters.extend([
            ("cargo fmt", cargo(&["fmt", "--check"]).arguments(&manifest)),
            ("cargo clippy", denied(cargo(clippy).arguments(&manifest).arguments(&target))),
            ("cargo doc", doc.variable("RUSTDOCFLAGS", "-D warnings")),
        ]);
    }
    Ok(linters)
}

fn python(toolbox: &Toolbox) -> [Linter; 2] {
    [
        ("ruff check", toolbox.step("ruff").arguments(&["check", "."])),
        ("ruff format", toolbox.step("ruff").arguments(&["format", "--check", "."])),
    ]
}

fn workflows(project: &Project, toolbox: &Toolbox) -> Result<[Linter; 3], ChoreError> {
    let files = project.workflows()?;
    let zizmor = toolbox.step("zizmor").arguments(&["--offline", "--no-progress", "--quiet"]);
    let schema = ["--builtin-schema", "vendor.github-workflows"];
    Ok([
        ("bash", Step::new("bash", "install bash").arguments(&["-n", ".ci/run"])),
        ("zizmor", zizmor.arguments(&files)),
        ("check-jsonschema", toolbox.step("check-jsonschema").arguments(&schema).arguments(&files)),
    ])
}
