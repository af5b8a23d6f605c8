//! A stateful UDF over Arrow batches: filter, a map of strings, cast, sort, take, IPC round trip.
//! Making the batches is part of it, as reading them is of a real run: one allocation per 40 ns.

use crate::clock::cpu_ns;
use arrow_array::builder::StringBuilder;
use arrow_array::cast::AsArray;
use arrow_array::types::Float64Type;
use arrow_array::{BooleanArray, Float64Array, Int64Array, RecordBatch, StringArray};
use arrow_cast::cast;
use arrow_ipc::reader::StreamReader;
use arrow_ipc::writer::StreamWriter;
use arrow_ord::sort::sort_to_indices;
use arrow_schema::{DataType, Field, Schema};
use arrow_select::filter::filter_record_batch;
use arrow_select::take::take;
use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;

const ROWS: usize = 4000;
const BATCHES: u64 = 120;
const WARM_UP: u64 = 10;

/// Set by the comparison for the processes that are to run the workload. `cargo bench` starts these
/// targets by themselves as well, which then have nothing to do.
const WANTED: &str = "HIGHWATER_BENCH_ARROW";

/// Prints CPU nanoseconds per batch.
pub(crate) fn main() {
    if std::env::var_os(WANTED).is_some() {
        println!("{}", run());
    }
}

fn run() -> f64 {
    let mut sums = HashMap::new();
    let mut rows = 0;
    let mut start = 0.0;
    for seed in 1..=WARM_UP + BATCHES {
        rows += udf(&batch(seed), &mut sums);
        if seed == WARM_UP {
            start = cpu_ns();
        }
    }
    let per_batch = (cpu_ns() - start) / BATCHES as f64;
    black_box((rows, sums));
    per_batch
}

fn batch(seed: u64) -> RecordBatch {
    let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    let ids = Int64Array::from_iter_values((0..ROWS).map(|_| (random() % 1000) as i64));
    let values =
        Float64Array::from_iter_values((0..ROWS).map(|_| (random() % 100_000) as f64 / 7.0));
    let mut names = StringBuilder::new();
    for _ in 0..ROWS {
        names.append_value(format!("user-{:06}", random() % 50_000));
    }
    let schema = Schema::new(vec![
        Field::new("id", DataType::Int64, false),
        Field::new("value", DataType::Float64, false),
        Field::new("name", DataType::Utf8, false),
    ]);
    RecordBatch::try_new(
        Arc::new(schema),
        vec![Arc::new(ids), Arc::new(values), Arc::new(names.finish())],
    )
    .expect("columns of one length")
}

fn udf(batch: &RecordBatch, sums: &mut HashMap<String, f64>) -> usize {
    let wanted = BooleanArray::from_unary(batch.column(1).as_primitive::<Float64Type>(), |value| {
        value > 5000.0
    });
    let filtered = filter_record_batch(batch, &wanted).expect("filter");
    let names = filtered.column(2).as_string::<i32>();
    let values = filtered.column(1).as_primitive::<Float64Type>();
    for (name, value) in names.iter().flatten().zip(values.iter().flatten()) {
        *sums.entry(name[5..8].to_owned()).or_insert(0.0) += value;
    }
    let upper = StringArray::from_iter_values(names.iter().flatten().map(str::to_uppercase));
    let texts = cast(filtered.column(0), &DataType::Utf8).expect("cast");
    let order = sort_to_indices(filtered.column(1), None, None).expect("sort");
    let sorted = take(&upper, &order, None).expect("take");
    let output = RecordBatch::try_from_iter(vec![("text", texts), ("sorted", sorted)])
        .expect("columns of one length");
    let mut bytes = Vec::new();
    let mut writer = StreamWriter::try_new(&mut bytes, &output.schema()).expect("writer");
    writer.write(&output).expect("write");
    writer.finish().expect("finish");
    drop(writer);
    let reader = StreamReader::try_new(bytes.as_slice(), None).expect("reader");
    reader.map(|batch| batch.expect("read").num_rows()).sum()
}
