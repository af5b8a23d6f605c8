//! The figures of one run of a Python fixture. Those of its two runs are never mixed.

use highwater_core::{
    ArrowBooks, Bytes, BytesPerBatch, Experiments, MIN_BATCHES, Reading, Run, analyse, sustained,
};
use serde::Serialize;

/// What one run of a Python fixture measured, besides what the gate compares.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct RunFigures {
    /// Live bytes of the UDF's account.
    pub live: Option<Grown>,
    /// Bytes alive in Arrow's memory pool; `null` when pyarrow was not asked.
    pub arrow_live: Option<Grown>,
    /// The live bytes that were not asked for through Python.
    pub native: Option<Grown>,
    /// Anonymous mappings, touched or not.
    pub mapped: Option<Grown>,
    /// Resident anonymous memory of the process.
    pub rss_anon: Option<Grown>,
    /// Resident file-backed memory of the process; 256 bytes per batch of it are the record's marks.
    pub rss_file: Option<Grown>,
    /// Resident shared memory of the process.
    pub rss_shmem: Option<Grown>,
    /// Resident memory that no file backs, above heap and Arrow's buffers.
    pub gap: Option<Grown>,
    /// Live bytes that dropping the UDF did not give back.
    pub retained_bytes: Bytes,
    /// Time of a call; `null` when there was none.
    pub time_ns: Option<Spread<u64>>,
    /// Size of the array that a call returned; `null` when none could be weighed.
    pub output_bytes: Option<Spread<Bytes>>,
    /// Size of what a call returned, pickled; `null` when it was not asked for.
    pub pickled_result_bytes: Option<Spread<Bytes>>,
    /// Size of the UDF's own state, pickled; `null` when it was not asked for.
    pub pickled_state: Option<Grown>,
    /// What the experiments at the end gave back.
    pub gave_back: Option<Experiments>,
}

/// A quantity after the last batch, and how it grew.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Grown {
    /// After the last batch.
    pub last_bytes: Bytes,
    /// Sustained growth; 0 unless it grows without a bound in sight, `null` in a run too short to
    /// tell.
    pub bytes_per_batch: Option<BytesPerBatch>,
}

/// A quantity of single batches.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Spread<T> {
    /// The lower median.
    pub median: T,
    /// The highest.
    pub highest: T,
}

impl RunFigures {
    /// The figures of `run`, in which Arrow's buffers are on the books as `arrow` says.
    #[must_use]
    pub fn of(run: &Run, arrow: ArrowBooks) -> Self {
        let grown = |of: &dyn Fn(&Reading) -> Option<Bytes>| {
            let series: Option<Vec<i64>> =
                run.batches.iter().map(|reading| of(reading).map(|bytes| bytes.0)).collect();
            let series = series?;
            let bytes_per_batch = sustained(&series);
            series.last().map(|last| Grown { last_bytes: Bytes(*last), bytes_per_batch })
        };
        // As the finding has it: sizes that vary within the same blocks are no growth.
        let bytes_per_batch = (run.batches.len() >= MIN_BATCHES.0 as usize)
            .then(|| analyse(run).figures.leaked_bytes_per_batch);
        let spread = |of: &dyn Fn(&Reading) -> Option<Bytes>| {
            Spread::of(run.batches.iter().filter_map(of).collect())
        };
        Self {
            live: run.batches.last().map(|last| Grown { last_bytes: last.live, bytes_per_batch }),
            arrow_live: grown(&|reading| reading.arrow_live),
            native: grown(&|reading| reading.native),
            mapped: grown(&|reading| reading.mapped),
            rss_anon: grown(&|reading| Some(reading.rss_anon)),
            rss_file: grown(&|reading| Some(reading.rss_file)),
            rss_shmem: grown(&|reading| Some(reading.rss_shmem)),
            gap: grown(&|reading| Some(arrow.gap(reading))),
            retained_bytes: run.retained_bytes(),
            time_ns: Spread::of(run.batches.iter().map(|reading| reading.duration_ns).collect()),
            output_bytes: spread(&|reading| reading.output),
            pickled_result_bytes: spread(&|reading| reading.pickled_result),
            pickled_state: grown(&|reading| reading.pickled_state),
            gave_back: run.experiments,
        }
    }
}

impl<T: Ord + Copy> Spread<T> {
    /// Of no values there is none.
    #[must_use]
    pub fn of(mut values: Vec<T>) -> Option<Self> {
        values.sort_unstable();
        let median = *values.get(values.len().checked_sub(1)? / 2)?;
        Some(Self { median, highest: *values.last()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn run(batches: i64) -> Run {
        let reading = |t: i64| Reading {
            live: Bytes(1_000 + 100 * t),
            harness_live: Bytes(50),
            arrow_live: Some(Bytes(7)),
            rss_anon: Bytes(10_000 + 300 * t),
            rss_shmem: Bytes(20),
            output: (t % 2 == 0).then_some(Bytes(t)),
            duration_ns: t.unsigned_abs(),
            ..Reading::default()
        };
        Run { batches: (0..batches).map(reading).collect(), ..Run::default() }
    }

    #[test]
    fn each_figure_is_its_own_series() {
        let figures = RunFigures::of(&run(200), ArrowBooks::Apart);
        let grown = |last, rate| {
            Some(Grown { last_bytes: Bytes(last), bytes_per_batch: Some(BytesPerBatch(rate)) })
        };
        assert_eq!(figures.live, grown(20_900, 100.0));
        assert_eq!(figures.rss_anon, grown(69_700, 300.0));
        assert_eq!(figures.rss_shmem, grown(20, 0.0));
        assert_eq!(figures.gap, grown(69_700 + 20 - 20_900 - 50 - 7, 200.0));
        assert_eq!(figures.native, None);
        assert_eq!(figures.time_ns, Some(Spread { median: 99, highest: 199 }));
        // Only of the calls whose result could be weighed.
        let outputs = Spread { median: Bytes(98), highest: Bytes(198) };
        assert_eq!(figures.output_bytes, Some(outputs));
        // The same blocks, shrunk and stretched by what is in them.
        let mut refilled = run(200);
        for (t, reading) in (0..).zip(&mut refilled.batches) {
            reading.live = Bytes(1_000_000 + (t - 100) * (t - 100) * 16);
            reading.blocks = highwater_core::Blocks(400);
        }
        let live = RunFigures::of(&refilled, ArrowBooks::Apart).live;
        assert_eq!(live, grown(1_156_816, 0.0));
        // Where Arrow's buffers are in the heap, they are not taken off twice.
        let heap = RunFigures::of(&run(200), ArrowBooks::Heap);
        assert_eq!(heap.gap, grown(69_700 + 20 - 20_900 - 50, 200.0));
    }

    #[test]
    fn a_short_run_has_figures_and_no_growth() {
        let figures = RunFigures::of(&run(5), ArrowBooks::Heap);
        assert_eq!(figures.live, Some(Grown { last_bytes: Bytes(1_400), bytes_per_batch: None }));
        assert_eq!(RunFigures::of(&run(0), ArrowBooks::Heap).time_ns, None);
    }
}
