//! The loops under criterion, for following one allocator over time.

use crate::allocators::Allocator;
use crate::loops;
use criterion::{BenchmarkId, Criterion, Throughput};
use std::hint::black_box;

const PAIRS: usize = 10_000;
/// dhat takes a backtrace for each allocation.
const PAIRS_FOR_DHAT: usize = 100;

pub(crate) fn run() {
    let mut criterion = Criterion::default().configure_from_args();
    let workloads: [(&str, loops::Loop); 3] = [
        ("tight", loops::tight),
        ("slots", loops::slots),
        ("slots_in_four_threads", loops::slots_in_four_threads),
    ];
    for (name, work) in workloads {
        let mut group = criterion.benchmark_group(name);
        group.sample_size(10).measurement_time(std::time::Duration::from_secs(2));
        for allocator in Allocator::ALL {
            let pairs = if allocator == Allocator::Dhat { PAIRS_FOR_DHAT } else { PAIRS };
            group.throughput(Throughput::Elements(pairs as u64));
            let id = BenchmarkId::from_parameter(allocator.name());
            allocator.while_profiling(|| {
                group.bench_function(id, |bencher| {
                    bencher.iter(|| work(allocator.erased(), black_box(pairs)));
                });
            });
        }
        group.finish();
    }
    criterion.final_summary();
}
