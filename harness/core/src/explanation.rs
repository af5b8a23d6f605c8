//! What a finding took, how sure it is, what was tried, and what to do next: for people.

use serde::Serialize;

use crate::evidence::{Evidence, Growth, Outliers, Shape, Trend};
use crate::experiments::{Experiments, GaveBack};
use crate::finding::{Answer, Finding, Inconclusive};
use crate::pattern::Pattern;
use crate::production::{ProductionFinding, headline};
use crate::units::{Batches, Bytes, human_bytes};

/// Plain words around a finding.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Explanation {
    /// Batches that the answer took.
    pub batches: Batches,
    /// How sure the answer is, and why.
    pub certainty: String,
    /// What the experiments at the end gave back; `None` when none were made.
    pub tried: Option<String>,
    /// What to do next.
    pub next: &'static str,
}

/// Which experiments a worker makes at the end of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// All, under Python.
    All,
    /// Trimming the heap and dropping the UDF: under Rust there is no collector, and no pool.
    TrimAndDrop,
}

/// Explains a finding, with what the production run of the same fixture says, if there is one.
/// `experiments` are those of the run that shows resident memory.
#[must_use]
pub fn explain(
    finding: &Finding,
    production: Option<&ProductionFinding>,
    experiments: Option<(&Experiments, Made)>,
) -> Explanation {
    Explanation {
        batches: finding.figures.batches,
        certainty: certainty(finding, production),
        tried: experiments.map(|(gave_back, made)| tried(gave_back, made)),
        next: match finding.answer {
            Answer::Inconclusive(why) => longer(why),
            Answer::Pattern(pattern) => next(headline(finding, production).unwrap_or(pattern)),
        },
    }
}

fn certainty(finding: &Finding, production: Option<&ProductionFinding>) -> String {
    let Evidence { live, outside, garbage, peak, .. } = &finding.evidence;
    let Answer::Pattern(pattern) = finding.answer else {
        return "not sure: the run does not tell".to_owned();
    };
    match (pattern, headline(finding, production)) {
        (Pattern::HeapLeak | Pattern::ArrowLeak, _) => grown(live),
        (Pattern::NativeLeak, _) if live.shape.trend() == Trend::Unbounded => grown(live),
        (Pattern::NativeLeak | Pattern::AllocatorRetention, _) => {
            outside.as_ref().map_or_else(|| grown(live), |outside| grown(&outside.growth))
        }
        (Pattern::GcCycles, _) => {
            let batches = garbage.map_or(0, |garbage| garbage.batches);
            format!("sure: seen after {}", Batches(batches))
        }
        (Pattern::PathologicalRow | Pattern::OversizedPeak, _) => match peak.outliers {
            Outliers::Few { count: 0 | 1 } => "sure: one batch stands out, and no other".to_owned(),
            Outliers::Few { count } => format!("sure: {} stand out, and no others", Batches(count)),
            Outliers::None => "sure: it is the median of all batches".to_owned(),
        },
        (_, Some(Pattern::NativeLeak | Pattern::AllocatorRetention | Pattern::GcCycles)) => {
            let gap = production.map(|finding| grown(&finding.gap)).unwrap_or_default();
            format!("live bytes: {}; resident memory: {gap}", level(live))
        }
        _ => level(live),
    }
}

fn grown(growth: &Growth) -> String {
    format!(
        "sure: it rises in {} of {} windows of the later part of the run",
        growth.growing_windows,
        growth.minima.len(),
    )
}

/// Why a series that does not grow is believed to stay so; of a level one, how small a leak would have
/// shown.
#[expect(clippy::cast_precision_loss, reason = "differences of sizes, far below 2^53")]
fn level(live: &Growth) -> String {
    let windows = live.minima.len();
    let range = live.minima.iter().max().zip(live.minima.iter().min());
    let range = range.map_or(0, |(high, low)| high - low);
    match (live.shape, live.level_since) {
        (Shape::Filled, Some(since)) => {
            let level = Batches(live.last_batch.saturating_sub(since));
            format!("sure: level for {level}, longer than any pause before")
        }
        (Shape::Filled, None) => "sure: what is still to come is less than 1 %".to_owned(),
        _ if range == 0 => {
            format!("sure: the lows of {windows} windows are equal, to the byte")
        }
        (Shape::Level, _) => {
            let span = f64::from(live.last_batch.saturating_sub(live.first_batch)).max(1.0);
            format!(
                "sure for leaks above {} per batch: the lows of {windows} windows lie {} apart",
                human_bytes((range as f64 / span).max(1.0)),
                human_bytes(range as f64),
            )
        }
        _ => format!("sure: it rises in {} of {windows} windows only", live.growing_windows),
    }
}

fn tried(experiments: &Experiments, made: Made) -> String {
    let collected = ("a collection", experiments.collect);
    let trimmed = ("`malloc_trim`", experiments.trim);
    let released = ("releasing Arrow's pool", experiments.release_pool);
    let emptied = ("emptying caches that are not full", experiments.empty_caches);
    let dropped = ("dropping the UDF", experiments.drop);
    let made = match made {
        Made::All if emptied.1.live == Bytes::ZERO => vec![collected, trimmed, released, dropped],
        Made::All => vec![collected, trimmed, released, emptied, dropped],
        Made::TrimAndDrop => vec![trimmed, dropped],
    };
    let gave = |(what, GaveBack { live, rss }): (&str, GaveBack)| {
        format!("{what} gave back {live} live, {rss} resident")
    };
    made.into_iter().map(gave).collect::<Vec<_>>().join("; ")
}

const fn next(pattern: Pattern) -> &'static str {
    match pattern {
        Pattern::Healthy => "nothing: accept the figures as the baseline",
        Pattern::CacheFilling => {
            "nothing, if the bound is meant: size the worker for the full cache"
        }
        Pattern::HeapLeak => {
            "find what the call adds to and never takes from (a dict, a list, a registry, a closure, a \
             cycle that nobody collects), and bound it: an LRU, a flush, a running sum"
        }
        Pattern::ArrowLeak => {
            "find who keeps a batch or a slice of one: a slice keeps all of its batch. Keep the numbers, \
             or a copy of the rows"
        }
        Pattern::NativeLeak => {
            "find what is opened and not closed outside the language's heap: mappings, connections, \
             threads, handles of C libraries, buffers of another allocator"
        }
        Pattern::GcCycles => {
            "break the cycle with a weak reference, or collect every so many batches; until then the \
             peak depends on when the collector runs"
        }
        Pattern::AllocatorRetention => {
            "the UDF keeps nothing: set the remedy that saves most in the worker's environment, or trim \
             every so many batches"
        }
        Pattern::OversizedPeak => {
            "work in parts of a batch, or with fewer rows per batch: every batch needs this much at once"
        }
        Pattern::PathologicalRow => {
            "bound what one row may expand to, or set such rows aside; size the worker for the worst \
             batch until then"
        }
    }
}

const fn longer(why: Inconclusive) -> &'static str {
    match why {
        Inconclusive::TooFewBatches { .. } => "run more batches: `batches`, or `--batches N`",
        Inconclusive::StillGrowing { .. } => {
            "run longer, beyond the bound that is meant: `max_batches`, or `--max-batches N`"
        }
        Inconclusive::InputStartedOver { .. } => "give it a longer input, or fewer rows per batch",
    }
}
