//! What a production run adds, in plain words.

use crate::experiments::{Experiments, GaveBack};
use crate::pattern::Pattern;
use crate::production::ProductionFinding;
use crate::units::{Bytes, BytesPerBatch};

/// See [`ProductionFinding::sentence`].
pub(crate) fn of_production(finding: &ProductionFinding) -> String {
    let ProductionFinding { gap_bytes, gap_grown_bytes, gap_bytes_per_batch, .. } = finding;
    let rises = finding.rss_bytes_per_batch.0 > 0.0;
    let rss = if rises {
        format!("resident memory rises {}", finding.rss_bytes_per_batch)
    } else if finding.rss.minima.is_empty() {
        format!("{} are too few to tell how resident memory grows", finding.batches)
    } else {
        "resident memory does not rise in the long run".to_owned()
    };
    let climb = if gap_bytes_per_batch.0 > 0.0 && gap_grown_bytes.0 > 0 {
        let BytesPerBatch(bytes) = *gap_bytes_per_batch;
        format!(", {} of it beyond what is accounted for", crate::units::human_bytes(bytes))
    } else {
        format!(", and ends {gap_bytes} above what is accounted for")
    };
    let experiments = finding.experiments.unwrap_or_default();
    let what = match finding.pattern {
        Some(Pattern::GcCycles) => format!(
            "; a collection at the end gave back {} of live and {} of resident memory",
            experiments.collect.live, experiments.collect.rss
        ),
        Some(Pattern::AllocatorRetention) => format!(
            "; of the {gap_grown_bytes} that came after setup, {} gave back {}",
            most(&experiments).0,
            most(&experiments).1.rss
        ),
        Some(_) => "; no experiment gave half of it back".to_owned(),
        None => String::new(),
    };
    format!("{rss}{climb}{what}")
}

/// The allocator's experiment that gave back more.
fn most(experiments: &Experiments) -> (&'static str, GaveBack) {
    let Experiments { trim, release_pool, .. } = *experiments;
    if release_pool.rss > trim.rss.max(Bytes::ZERO) {
        ("releasing Arrow's pool", release_pool)
    } else {
        ("`malloc_trim`", trim)
    }
}
