//! Ratios to the plain allocator, and how they are printed.

use crate::allocators::Allocator;

/// One workload over all allocators.
pub(crate) struct Row {
    workload: &'static str,
    /// Median CPU nanoseconds of the plain allocator.
    plain_ns: f64,
    /// For each other allocator, the ratios of all rounds in ascending order.
    ratios: Vec<Vec<f64>>,
}

impl Row {
    pub(crate) fn measure(
        workload: &'static str,
        rounds: usize,
        run: impl Fn(Allocator) -> f64,
    ) -> Self {
        // Not counted: the first touch of everything.
        Allocator::ALL.into_iter().for_each(|allocator| {
            run(allocator);
        });
        let mut plain = Vec::new();
        let mut ratios = vec![Vec::new(); Allocator::ALL.len() - 1];
        for round in 0..rounds {
            let mut times = [0.0; Allocator::ALL.len()];
            for step in 0..times.len() {
                // Each starts as often as the others.
                let turn = (round + step) % times.len();
                times[turn] = run(Allocator::ALL[turn]);
            }
            plain.push(times[0]);
            for (ratios, time) in ratios.iter_mut().zip(&times[1..]) {
                ratios.push(time / times[0]);
            }
        }
        plain.sort_by(f64::total_cmp);
        for ratios in &mut ratios {
            ratios.sort_by(f64::total_cmp);
        }
        Self { workload, plain_ns: quantile(&plain, 0.5), ratios }
    }
}

fn quantile(sorted: &[f64], at: f64) -> f64 {
    sorted[((sorted.len() - 1) as f64 * at).round() as usize]
}

pub(crate) fn print(rows: &[Row]) {
    println!("CPU time as a multiple of the plain allocator's: median (quartiles)");
    print!("{:<18}{:>14}", "workload", "plain");
    for allocator in &Allocator::ALL[1..] {
        print!("{:>24}", allocator.name());
    }
    println!();
    for row in rows {
        print!("{:<18}{:>11.1} ns", row.workload, row.plain_ns);
        for ratios in &row.ratios {
            let [low, middle, high] = [0.25, 0.5, 0.75].map(|at| quantile(ratios, at));
            print!("{:>24}", format!("{middle:.3} ({low:.2}-{high:.2})"));
        }
        println!();
    }
}
