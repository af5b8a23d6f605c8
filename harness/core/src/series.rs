//! What a worker's record holds, as the analysis sees it: readings, and the run they make.

use serde::{Deserialize, Serialize};

use crate::experiments::Experiments;
use crate::units::{Batches, Blocks, Bytes};

/// One mark. Bytes and blocks are those of the UDF alone unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reading {
    /// Requested bytes allocated and not freed.
    pub live: Bytes,
    /// Blocks allocated and not freed.
    pub blocks: Blocks,
    /// The highest `live` since the previous mark.
    pub peak: Bytes,
    /// Allocations since the process started.
    pub allocations: u64,
    /// Bytes requested since the process started.
    pub allocated: Bytes,
    /// Live bytes of the harness itself: the file reader, the decoded batch, its own buffers.
    pub harness_live: Bytes,
    /// Compact size of the batch that was handed over before this mark; 0 elsewhere.
    pub input: Bytes,
    /// What is alive of Arrow's buffers: under Rust, of the batches that were handed over; under
    /// Python, of Arrow's memory pool, without what the reader holds. `None` when the worker
    /// doesn't know.
    pub arrow_live: Option<Bytes>,
    /// `live` just before the collection that precedes the mark; `None` when none was forced.
    pub before_collection: Option<Bytes>,
    /// The part of `live` that no allocation of Python's made: `malloc` of C libraries. `None`
    /// without Python.
    pub native: Option<Bytes>,
    /// Anonymous mappings that the allocator did not make, in bytes of address space, whether
    /// touched or not. `None` when the worker doesn't know.
    pub mapped: Option<Bytes>,
    /// Blocks that Python's own allocator has handed out. `None` without Python.
    pub python_blocks: Option<Blocks>,
    /// Size of the array that the call returned.
    pub output: Option<Bytes>,
    /// Size of what the call returned, pickled.
    pub pickled_result: Option<Bytes>,
    /// Size of the UDF's own state, pickled.
    pub pickled_state: Option<Bytes>,
    /// Resident anonymous memory of the whole process, in bytes but whole pages.
    pub rss_anon: Bytes,
    /// Resident file-backed memory of the whole process.
    pub rss_file: Bytes,
    /// Resident shared memory of the whole process.
    pub rss_shmem: Bytes,
    /// Threads of the process.
    pub threads: u32,
    /// Wall time since the previous mark.
    pub duration_ns: u64,
}

impl Reading {
    /// Resident memory of the whole process that no file backs.
    #[must_use]
    pub fn rss(&self) -> Bytes {
        self.rss_anon + self.rss_shmem
    }
}

/// What the highest live bytes of a run are made of.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct PeakParts {
    /// What `setup` had added and kept.
    #[serde(rename = "setup_bytes")]
    pub setup: Bytes,
    /// What the batches before the highest one had added to that; negative where they gave up some.
    #[serde(rename = "state_bytes")]
    pub state: Bytes,
    /// How far the highest batch, or `setup` itself, rose above both.
    #[serde(rename = "transient_bytes")]
    pub transient: Bytes,
    /// The batch; `None` when the peak was in `setup`.
    pub batch: Option<u32>,
}

/// All marks of one worker, in order. Batches are numbered from 0: `batches[n]` is the mark after batch *n*.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Run {
    /// Before `setup`.
    pub before_setup: Reading,
    /// After `setup`, before the first batch.
    pub after_setup: Reading,
    /// After each batch.
    pub batches: Vec<Reading>,
    /// After the UDF was dropped.
    pub after_drop: Reading,
    /// What the experiments at its end gave back; `None` when none were made.
    pub experiments: Option<Experiments>,
    /// By how much a peak may be under the truth; 0 when one thread allocated.
    pub peak_error_bound: Bytes,
    /// Batches before the input starts over with its first rows; `None` when it does not, or nobody
    /// knows.
    #[serde(default)]
    pub fresh_batches: Option<Batches>,
}

impl Run {
    /// Live bytes that `setup` added.
    #[must_use]
    pub fn setup_bytes(&self) -> Bytes {
        self.after_setup.live - self.before_setup.live
    }

    /// The highest live bytes of the run, `setup` included, above those before `setup`.
    #[must_use]
    pub fn peak_bytes(&self) -> Bytes {
        let highest = self
            .batches
            .iter()
            .chain([&self.after_setup])
            .map(|reading| reading.peak.max(reading.live))
            .max()
            .unwrap_or_default();
        (highest - self.before_setup.live).max(Bytes::ZERO)
    }

    /// What [`Self::peak_bytes`] is made of; the parts add up to it.
    #[must_use]
    pub fn peak_parts(&self) -> PeakParts {
        let peak = self.peak_bytes();
        let base = self.before_setup.live;
        let height = |reading: &Reading| reading.peak.max(reading.live) - base;
        let Some(at) = self.batches.iter().position(|reading| height(reading) == peak) else {
            let setup = self.setup_bytes();
            return PeakParts { setup, transient: peak - setup, ..PeakParts::default() };
        };
        let before = if at == 0 { &self.after_setup } else { &self.batches[at - 1] };
        PeakParts {
            setup: self.setup_bytes(),
            state: before.live - self.after_setup.live,
            transient: peak - (before.live - base),
            batch: u32::try_from(at).ok(),
        }
    }

    /// Live bytes that dropping the UDF did not give back.
    #[must_use]
    pub fn retained_bytes(&self) -> Bytes {
        self.after_drop.live - self.before_setup.live
    }

    /// Live bytes after each batch.
    #[must_use]
    pub fn live_series(&self) -> Vec<i64> {
        self.batches.iter().map(|reading| reading.live.0).collect()
    }

    /// Live blocks after each batch.
    #[must_use]
    pub fn blocks_series(&self) -> Vec<i64> {
        self.batches.iter().map(|reading| reading.blocks.0).collect()
    }

    /// Arrow's live bytes after each batch; `None` when some mark doesn't know.
    #[must_use]
    pub fn arrow_series(&self) -> Option<Vec<i64>> {
        self.batches.iter().map(|reading| reading.arrow_live.map(|bytes| bytes.0)).collect()
    }

    /// Live bytes after each batch that were not asked for through Python; `None` when some mark
    /// doesn't know.
    #[must_use]
    pub fn native_series(&self) -> Option<Vec<i64>> {
        self.batches.iter().map(|reading| reading.native.map(|bytes| bytes.0)).collect()
    }

    /// Anonymous mappings that the allocator did not make, after each batch; `None` when some mark
    /// doesn't know.
    #[must_use]
    pub fn mapped_series(&self) -> Option<Vec<i64>> {
        self.batches.iter().map(|reading| reading.mapped.map(|bytes| bytes.0)).collect()
    }

    /// Resident anonymous memory after each batch.
    #[must_use]
    pub fn rss_anon_series(&self) -> Vec<i64> {
        self.batches.iter().map(|reading| reading.rss_anon.0).collect()
    }

    /// Resident shared memory after each batch.
    #[must_use]
    pub fn rss_shmem_series(&self) -> Vec<i64> {
        self.batches.iter().map(|reading| reading.rss_shmem.0).collect()
    }

    /// Threads after each batch.
    #[must_use]
    pub fn threads_series(&self) -> Vec<i64> {
        self.batches.iter().map(|reading| i64::from(reading.threads)).collect()
    }

    /// For each batch, how far its peak rose above the live bytes at the mark before it.
    #[must_use]
    pub fn transient_series(&self) -> Vec<i64> {
        let before = [&self.after_setup].into_iter().chain(&self.batches);
        self.batches
            .iter()
            .zip(before)
            .map(|(reading, before)| (reading.peak - before.live).0.max(0))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_parts_of_a_peak_add_up_to_it() {
        let reading = |live: i64, peak: i64| Reading {
            live: Bytes(live),
            peak: Bytes(peak),
            ..Reading::default()
        };
        let mut run = Run {
            before_setup: reading(1_000, 1_000),
            after_setup: reading(1_500, 1_700),
            batches: vec![reading(1_600, 1_900), reading(1_800, 2_600), reading(1_900, 2_000)],
            ..Run::default()
        };
        let parts = run.peak_parts();
        let sizes = [500, 100, 1_000].map(Bytes);
        assert_eq!([parts.setup, parts.state, parts.transient], sizes);
        assert_eq!(parts.batch, Some(1));
        assert_eq!(run.peak_bytes(), parts.setup + parts.state + parts.transient);

        run.after_setup.peak = Bytes(9_000);
        let parts = run.peak_parts();
        assert_eq!((parts.transient, parts.batch), (Bytes(7_500), None));
        assert_eq!(run.peak_bytes(), parts.setup + parts.state + parts.transient);
    }
}
