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

/// Caches that hold a little of every row, far from full after 300 batches, as even as a leak.
const CACHES: &str = r#"
import collections, functools

@functools.lru_cache(maxsize=1 << 20)
def described(id):
    return f"the row of number {id}"

class OfModule:
    """The cache is there before `setup` is."""

    def __call__(self, batch: pa.RecordBatch):
        for id in batch.column("id").to_pylist():
            described(id)
        return batch.column("id")

class OfMethod(OfModule):
    def setup(self):
        self.described = functools.lru_cache(maxsize=1 << 20)(described.__wrapped__)

    def __call__(self, batch: pa.RecordBatch):
        for id in batch.column("id").to_pylist():
            self.described(id)
        return batch.column("id")

class LastRows:
    def setup(self):
        self.rows = collections.deque(maxlen=1 << 20)

    def __call__(self, batch: pa.RecordBatch):
        self.rows.extend(batch.column("text").to_pylist())
        return batch.column("id")

class Cache(dict):
    """As `cachetools` has them."""

    maxsize = 1 << 20

    @property
    def currsize(self):
        return len(self)

class OfClass:
    def setup(self):
        self.cache = Cache()

    def __call__(self, batch: pa.RecordBatch):
        for id in batch.column("id").to_pylist():
            self.cache[id] = f"the row of number {id}"
        return batch.column("id")

class BesideLeak(OfModule):
    """A cache that is full soon, one that is not, and a list without a bound that outweighs both."""

    def setup(self):
        self.few = functools.lru_cache(maxsize=100)(described.__wrapped__)
        self.kept = []

    def __call__(self, batch: pa.RecordBatch):
        ids = batch.column("id").to_pylist()
        described(ids[0])
        for id in ids:
            self.few(id)
        self.kept.append(bytes(4096))
        return batch.column("id")
"#;

#[test]
fn a_cache_that_knows_its_bound_is_no_leak_while_it_fills() {
    let own = own(CACHES);
    let length = ["--rows", "10", "--batches", "150", "--max-batches", "300"];
    for udf in ["OfModule", "OfMethod", "LastRows", "OfClass"] {
        let answer = own.run(udf, &[&length[..], &["--format", "json"]].concat());
        assert_eq!(answer.code, 4, "{udf}: {}{}", answer.out, answer.err);
        let found = answer.json()["fixtures"][0].take();
        let finding = &found["finding"];
        assert!(finding["answer"]["inconclusive"]["still_growing"].is_object(), "{udf}: {found:#}");
        let held = finding["evidence"]["filling_caches_bytes"].as_u64().expect("bytes");
        assert!(held > 300 * 10 * 50, "{udf}: {held}");
        assert_eq!(found["batches"], 300, "{udf}");
    }
    let found = own.figures("BesideLeak", &length);
    assert_eq!(found["pattern"], "heap_leak", "{found:#}");
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
