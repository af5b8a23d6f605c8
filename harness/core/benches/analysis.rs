//! How long the analysis of one run takes, by its length and by what it shows.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, criterion_group, criterion_main};
use highwater_core::{Bytes, Reading, Run, analyse};

/// Live bytes after a batch.
type Series = fn(i64) -> i64;

const KINDS: [(&str, Series); 4] = [
    ("level", |_| 1_000_000),
    ("sawtooth", |batch| 1_000_000 + batch % 37 * 5_000),
    ("leak", |batch| 1_000_000 + 100 * batch),
    // Scattered, with no period.
    ("noise", |batch| 1_000_000 + (batch * batch * 7_919 + batch * 104_729) % 100_003),
];

fn analysis(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("analyse");
    for batches in [200, 800, 10_000] {
        for (name, live) in KINDS {
            let reading = |batch| {
                let live = Bytes(live(batch));
                Reading { live, peak: live, ..Reading::default() }
            };
            let run = Run { batches: (0..batches).map(reading).collect(), ..Run::default() };
            group.bench_with_input(BenchmarkId::new(name, batches), &run, |bencher, run| {
                bencher.iter(|| analyse(black_box(run)));
            });
        }
    }
    group.finish();
}

criterion_group!(benches, analysis);
criterion_main!(benches);
