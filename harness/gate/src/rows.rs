//! Which rows of a bad batch make its peak: found by bisection, each half in a fresh worker.

use std::path::Path;

use highwater_core::{Batches, Bytes, Outliers, Peak};
use highwater_fixture::FixtureSpec;
use highwater_worker::{MeasureError, Outcome, Slice, WorkerCommand, measure_slices};
use serde::Serialize;

/// Ranges that are followed at a time: more than a few bad rows are no longer a row to blame.
const RANGES: usize = 8;

/// The rows of a batch whose peak stands out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct BadRows {
    /// The batch, counted from 0.
    pub batch: u32,
    /// What its rows do.
    pub blame: Blame,
    /// Workers that it took.
    pub workers: u32,
}

/// Rows of one batch, by themselves in a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Rows {
    /// The first, counted from 0.
    pub first: u32,
    /// The last.
    pub last: u32,
    /// How high a call with them alone rises above the live bytes before it.
    #[serde(rename = "peak_bytes")]
    pub peak: Bytes,
}

/// What bisecting a batch tells.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Blame {
    /// These alone reach at least half of the peak.
    Rows(Vec<Rows>),
    /// The whole batch reaches it, and no part of it does: the rows make it together.
    AllTogether,
    /// The batch alone, in a fresh worker, does not reach it: it is not in the rows, but in what
    /// came before, or in the number of the call.
    NotTheRows,
    /// The worker died on a part of the batch; says how.
    Died(String),
}

/// Looks for the rows of the batch that `peak` says stands out; `None` when none does.
///
/// Each worker runs `setup`, a batch that is not to blame, and then the parts to compare, so that
/// what is made once is made by then. A part is to blame when it reaches at least half of what the
/// batch rises above a typical one.
///
/// # Errors
///
/// When a worker cannot be started.
pub(crate) fn bad_rows(
    command: &WorkerCommand,
    spec: &FixtureSpec,
    records: &Path,
    peak: &Peak,
) -> Result<Option<BadRows>, MeasureError> {
    if peak.outliers == Outliers::None {
        return Ok(None);
    }
    let batch = peak.highest_batch;
    let enough = Bytes((peak.highest - peak.typical).0 / 2);
    let mut search = Search { command, spec, records, batch, enough, workers: 0 };
    let blame = search.run()?;
    Ok(Some(BadRows { batch, blame, workers: search.workers }))
}

struct Search<'a> {
    command: &'a WorkerCommand,
    spec: &'a FixtureSpec,
    records: &'a Path,
    batch: u32,
    enough: Bytes,
    workers: u32,
}

/// What one worker says: the ranges that reach enough, or how it died.
type Reached = Result<Vec<Rows>, String>;

impl Search<'_> {
    fn run(&mut self) -> Result<Blame, MeasureError> {
        let whole = (0, self.spec.rows - 1);
        let mut blamed = match self.reached(&[whole])? {
            Ok(blamed) if blamed.is_empty() => return Ok(Blame::NotTheRows),
            Ok(blamed) => blamed,
            Err(died) => return Ok(Blame::Died(died)),
        };
        loop {
            let halves: Vec<_> = blamed.iter().flat_map(halves).take(2 * RANGES).collect();
            if halves.is_empty() {
                break;
            }
            let mut narrower = match self.reached(&halves)? {
                Ok(narrower) => narrower,
                Err(died) => return Ok(Blame::Died(died)),
            };
            // What has no half to blame is to blame as a whole, as is a single row.
            for rows in &blamed {
                let within = |half: &Rows| (rows.first..=rows.last).contains(&half.first);
                if !narrower.iter().any(within) {
                    narrower.push(*rows);
                }
            }
            narrower.sort_by_key(|rows| rows.first);
            if narrower == blamed {
                break;
            }
            blamed = narrower;
        }
        let together = matches!(blamed.as_slice(), [rows] if (rows.first, rows.last) == whole);
        Ok(if together && self.spec.rows > 1 { Blame::AllTogether } else { Blame::Rows(blamed) })
    }

    /// Those of `ranges` (first and last row) that reach enough.
    fn reached(&mut self, ranges: &[(u32, u32)]) -> Result<Reached, MeasureError> {
        let other = if self.batch == 0 { None } else { Some(self.batch - 1) };
        let warm_up = other.map(|batch| Slice { batch, from: 0, rows: self.spec.rows });
        let parts = ranges.iter().map(|&(first, last)| Slice {
            batch: self.batch,
            from: first,
            rows: last - first + 1,
        });
        let slices: Vec<Slice> = warm_up.into_iter().chain(parts).collect();
        let warming = slices.len() - ranges.len();
        self.workers += 1;
        let spec = FixtureSpec { batches: Batches(self.batch + 1), ..self.spec.clone() };
        let measured = measure_slices(self.command, &spec, self.records, slices)?;
        Ok(match measured.outcome {
            Outcome::Finished(run) => {
                let peaks = run.transient_series().into_iter().skip(warming).map(Bytes);
                let rows = ranges.iter().zip(peaks);
                let rows = rows.map(|(&(first, last), peak)| Rows { first, last, peak });
                Ok(rows.filter(|rows| rows.peak >= self.enough).collect())
            }
            Outcome::Invalid(invalid) => Err(invalid.to_string()),
            Outcome::NotAttached(reason) => Err(reason),
        })
    }
}

/// The halves of a range of two rows or more.
fn halves(rows: &Rows) -> Vec<(u32, u32)> {
    let Rows { first, last, .. } = *rows;
    if first == last {
        return Vec::new();
    }
    let middle = first + (last - first) / 2;
    vec![(first, middle), (middle + 1, last)]
}

impl std::fmt::Display for BadRows {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let batch = self.batch;
        match &self.blame {
            Blame::Rows(rows) => {
                write!(f, "batch {batch}: ")?;
                for (index, Rows { first, last, peak }) in rows.iter().enumerate() {
                    if index != 0 {
                        f.write_str("; ")?;
                    }
                    if first == last {
                        write!(f, "row {first} alone takes {peak}")?;
                    } else {
                        write!(f, "rows {first} to {last} together take {peak}")?;
                    }
                }
                Ok(())
            }
            Blame::AllTogether => {
                write!(f, "batch {batch}: its rows make the peak together, no half of them does")
            }
            Blame::NotTheRows => write!(
                f,
                "batch {batch}: alone in a fresh worker it does not reach the peak, so that is not \
                 in its rows, but in what came before, or in the number of the call"
            ),
            Blame::Died(how) => write!(f, "batch {batch}: the worker that tried its rows {how}"),
        }
    }
}
