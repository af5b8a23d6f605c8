//! The command as a user types it, over the reference fixtures.

use assert_cmd::Command;
use suite_support::{Answer, Project, answer};

const HIGHWATER: &str = env!("CARGO_BIN_EXE_highwater");

fn highwater(arguments: &[&str]) -> Answer {
    let mut command = Command::new(HIGHWATER);
    command
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .args(arguments)
        .args(["--worker", env!("CARGO_BIN_EXE_reference-worker")])
        .env("NO_COLOR", "1");
    answer(&mut command)
}

#[test]
fn check_prints_a_table_and_passes() {
    let answer = highwater(&["check", "running_stats", "growing_cache"]);
    answer.says(0, &["confidence check: planted leak", "fixture", "leaked/batch", "verdict"]);
    assert!(
        answer.out.lines().any(|line| line.starts_with("growing_cache") && line.ends_with("pass"))
    );
    assert!(!answer.out.contains("periodic_flush"), "only the named fixtures run");
    assert!(!answer.out.contains('\u{1b}'), "a pipe gets no escape codes");
}

#[test]
fn check_as_json_has_the_documented_keys() {
    let json = highwater(&["check", "batches_kept", "--format", "json"]).json();
    let fixture = &json["fixtures"][0];
    for key in [
        "name",
        "runtime",
        "batches",
        "setup_bytes",
        "peak_bytes",
        "leaked_bytes_per_batch",
        "leaked_blocks_per_batch",
        "pattern",
        "verdict",
    ] {
        assert!(!fixture[key].is_null(), "`{key}` is missing: {fixture:#}");
    }
    assert_eq!(fixture["name"], "batches_kept");
    assert_eq!(fixture["runtime"], "rust");
    assert_eq!(fixture["batches"], 200);
    assert_eq!(fixture["verdict"], "pass");
    assert_eq!(json["exit_code"], 0);
    let planted = &json["confidence"][0];
    assert_eq!(planted["runtime"], "rust");
    assert_eq!(planted["planted_bytes_per_batch"], 65_537);
    assert_eq!(planted["measured_bytes_per_batch"], 65_537.0);
    assert_eq!(planted["twin_bytes_per_batch"], 0.0);
}

#[test]
fn run_shows_figures_and_a_sparkline_and_gates_nothing() {
    highwater(&["run", "planted_leak"]).says(
        0,
        &["planted_leak (rust, 200 batches", "leaked per batch", "pattern", "heap_leak", "▁", "█"],
    );
    let fixed = ["--batches", "150", "--max-batches", "150", "--format", "json"];
    let json = highwater(&[&["run", "planted_leak"], &fixed[..]].concat()).json();
    assert_eq!(json["fixtures"][0]["batches"], 150);
    assert_eq!(json["fixtures"][0]["leaked_bytes_per_batch"], 65_537.0);
    assert!(json["fixtures"][0]["verdict"].is_null());
}

#[test]
fn list_names_every_fixture() {
    let answer = highwater(&["list"]);
    answer.says(0, &["planted_leak", "running_stats", "pathological_row"]);
    let json = highwater(&["list", "--format", "json"]).json();
    let count = json["fixtures"].as_array().map_or(0, Vec::len);
    assert_eq!(answer.out.lines().count(), count);
    let planted = &json["fixtures"][0];
    assert_eq!(planted["name"], "planted_leak");
    assert_eq!(planted["leaked_bytes_per_batch"], 65_537, "the accepted figures");
}

#[test]
fn a_mistyped_name_is_told_what_is_near() {
    for command in ["check", "run"] {
        highwater(&[command, "growing_cash"])
            .says(2, &["no fixture is called `growing_cash`", "did you mean `growing_cache`?"]);
    }
}

#[test]
fn usage_errors_have_their_exit_code() {
    for arguments in
        [&["chek"][..], &["check", "--format", "xml"], &["run"], &["run", "x", "--batches", "0"]]
    {
        assert_eq!(highwater(arguments).code, 2, "{arguments:?}");
    }
    let help = highwater(&["--help"]);
    help.says(0, &["Exit codes:", "check", "list", "run", "cargo insta review"]);
}

#[test]
fn manifest_errors_name_file_line_and_key() {
    let worker = std::path::Path::new(env!("CARGO_BIN_EXE_reference-worker"));
    let project = Project::new(HIGHWATER, worker, "  - {name: planted_twin}\n");
    project.manifest("version: 1\nfixtures:\n  - name: planted_twin\n    batchs: 200\n");
    project
        .run(&["check"])
        .says(2, &["highwater.yaml", "line 4", "`fixtures[0].batchs`", "did you mean `batches`?"]);
    project.run(&["check", "--manifest", "no.yaml"]).says(2, &["no.yaml"]);
    std::fs::remove_file(project.path("highwater.yaml")).expect("it can be removed");
    project.run(&["list"]).says(2, &["`highwater.yaml`", "`udf-fixtures/highwater.yaml`"]);
}

#[test]
fn a_worker_that_is_none_is_said() {
    let project =
        Project::new(HIGHWATER, std::path::Path::new("/no/such/worker"), "  - {name: a}\n");
    project.run(&["check"]).says(2, &["worker /no/such/worker is no file"]);
    let project = Project::new(HIGHWATER, std::path::Path::new("/bin/true"), "  - {name: a}\n");
    project.run(&["check"]).says(5, &["confidence check failed"]);
}
