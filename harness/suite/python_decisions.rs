//! What is decided about Python UDFs beyond one run: how long it takes, which rows are to blame, what
//! would save resident memory.

use std::path::Path;

use suite_support::Own;

const UDFS: &str = r#"
import pyarrow as pa

class Filling:
    """Holds ever more, ever more slowly: a hundredth of what is missing with each batch."""

    def setup(self):
        self.held = [None] * 10_000
        self.count = self.bytes = 0

    def __call__(self, batch: pa.RecordBatch):
        more = (4_000_000 - self.bytes) // 100
        self.bytes += more
        self.held[self.count] = bytes(more)
        self.count += 1
        return batch.column(0)

class Peaking:
    """One row of batch 70 expands."""

    def __call__(self, batch: pa.RecordBatch):
        if 7031 in batch.column("id").to_pylist():
            bytes(64 << 20)
        return batch.column("id")
"#;

/// The same with batches of the file's own.
const OWN_BATCHES: &str = r#"
def batches(n, rows, seed):
    for at in range(n):
        yield pa.RecordBatch.from_arrays([pa.array(range(at * rows, (at + 1) * rows))], ["id"])
"#;

fn own(more: &str) -> Own {
    let udfs = format!("{UDFS}{more}");
    Own::new(env!("CARGO_BIN_EXE_highwater"), &udfs, Path::new(env!("CARGO_TARGET_TMPDIR")))
}

#[test]
fn both_runs_go_on_until_the_answer_is_certain() {
    for more in ["", OWN_BATCHES] {
        let length = ["--rows", "10", "--batches", "150", "--max-batches", "2000"];
        let found = own(more).figures("Filling", &length);
        assert_eq!(found["pattern"], "cache_filling", "{found:#}");
        let took = found["batches"].as_u64().expect("a number");
        assert!([300, 600, 1200].contains(&took), "{took}");
        assert_eq!(found["python"]["production"]["finding"]["batches"], took);
    }
}

#[test]
fn the_row_to_blame_is_named() {
    for more in ["", OWN_BATCHES] {
        let found = own(more).figures("Peaking", &["--rows", "100", "--batches", "120"]);
        assert_eq!(found["bad_rows"]["batch"], 70, "{found:#}");
        let row = &found["bad_rows"]["blame"]["rows"][0];
        assert_eq!((&row["first"], &row["last"]), (&31.into(), &31.into()), "{found:#}");
    }
}

/// What a run under each remedy gave, and not what a book says.
#[test]
fn remedies_against_retention_are_tried() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let file = root.join("udf-fixtures/python/fragments.py:FragmentedRing").display().to_string();
    let input = root.join("udf-fixtures/data/flights-60k.parquet").display().to_string();
    let own = own("");
    let answer = own.with(
        &own.python,
        &["run", &file, "--input", &input, "--columns", "distance", "--format", "json"],
    );
    assert_eq!(answer.code, 0, "{}{}", answer.out, answer.err);
    let found = answer.json()["fixtures"][0].take();
    assert_eq!(found["pattern"], "allocator_retention");
    let remedies = found["remedies"].as_array().expect("a list");
    let named = |part: &str| {
        remedies
            .iter()
            .find(|remedy| remedy["name"].as_str().is_some_and(|name| name.contains(part)))
            .unwrap_or_else(|| panic!("{part} is not in {remedies:#?}"))
    };
    named("MALLOC_ARENA_MAX=1");
    named("MALLOC_TRIM_THRESHOLD_=");
    for remedy in remedies {
        assert!(remedy["result"]["measured"]["rss_bytes"].as_i64() > Some(0), "{remedy:#}");
    }
    let trimmed = &named("every 8 batches")["result"]["measured"];
    assert!(trimmed["saved_bytes"].as_i64() > Some(1 << 20), "{trimmed:#}");
}
