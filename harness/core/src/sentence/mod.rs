//! Findings in plain words.

mod production;

pub(crate) use production::of_production;

use crate::evidence::{
    Evidence, Garbage, Growth, Holder, Outliers, Outside, OutsideKind, Peak, Shape, Trend,
};
use crate::finding::{Answer, Finding, Inconclusive};
use crate::pattern::Pattern;
use crate::units::{Batches, Bytes, grouped, human_blocks, human_bytes};

/// Memory of the worker that a leak is projected to fill.
const WORKER: f64 = (8_u64 << 30) as f64;

/// See [`Finding::sentence`].
pub(crate) fn of(finding: &Finding) -> String {
    let evidence = &finding.evidence;
    match finding.answer {
        Answer::Inconclusive(why) => inconclusive(why, evidence),
        Answer::Pattern(Pattern::Healthy) => level(&evidence.live),
        Answer::Pattern(Pattern::GcCycles) => match &evidence.garbage {
            Some(garbage) => format!("{}, but {}", level(&evidence.live), left(*garbage)),
            None => level(&evidence.live),
        },
        Answer::Pattern(Pattern::CacheFilling) => filled(&evidence.live),
        Answer::Pattern(Pattern::HeapLeak | Pattern::ArrowLeak) => leak(finding),
        Answer::Pattern(Pattern::NativeLeak | Pattern::AllocatorRetention) => {
            let leaks = evidence.live.shape.trend() == Trend::Unbounded;
            match &evidence.outside {
                Some(outside) if leaks => {
                    format!("{}; besides, {}", grows_outside(outside), leak(finding))
                }
                Some(outside) => {
                    format!("{}, but {}", level(&evidence.live), grows_outside(outside))
                }
                None => leak(finding),
            }
        }
        Answer::Pattern(Pattern::OversizedPeak | Pattern::PathologicalRow) => {
            format!("{}, but {}", level(&evidence.live), stands_out(&evidence.peak))
        }
    }
}

fn leak(finding: &Finding) -> String {
    let Evidence { arrow, peak, outside, .. } = &finding.evidence;
    let bytes = finding.figures.leaked_bytes_per_batch.0;
    let mut text = rises(finding);
    if let Some(arrow) = arrow.as_ref().filter(|arrow| arrow.per_batch > 0.0 && bytes > 0.0) {
        let part = (arrow.per_batch / bytes * 100.0).min(100.0);
        text += &format!("; Arrow buffers of kept batches are {part:.0} % of it");
    }
    if finding.pattern() == Some(Pattern::NativeLeak) && outside.is_none() {
        text += "; none of the blocks that are added is Python's";
    }
    let resident = match outside {
        Some(Outside { what: OutsideKind::RssAnon | OutsideKind::RssShmem, growth, .. }) => {
            growth.per_batch
        }
        _ => 0.0,
    };
    if bytes + resident > 0.0 {
        let lasts = Batches(two_digits(WORKER / (bytes + resident)));
        text += &format!("; an 8 GiB worker lasts about {lasts}");
    }
    if let Outliers::Few { .. } = peak.outliers {
        text += &format!("; besides, {}", stands_out(peak));
    }
    text
}

fn rises(finding: &Finding) -> String {
    let live = &finding.evidence.live;
    let bytes = finding.figures.leaked_bytes_per_batch.0;
    let blocks = finding.figures.leaked_blocks_per_batch.0;
    let how = match live.shape {
        Shape::Doubling => ", in steps that double",
        Shape::Accelerating => ", ever faster",
        Shape::Slowing => ", ever more slowly, but not towards a bound",
        _ => "",
    };
    let and_blocks = if blocks >= 0.05 {
        format!(" and {}", human_blocks(blocks))
    } else {
        String::new() // blocks that are there already grow
    };
    format!(
        "live bytes rise {}{and_blocks} per batch{}{how}, in {}",
        human_bytes(bytes),
        since(live),
        windows(live),
    )
}

fn level(live: &Growth) -> String {
    match live.shape {
        Shape::Steps => "live bytes are level but for one-time steps".to_owned(),
        Shape::Sawtooth => match live.period {
            Some(period) => format!(
                "live bytes go up and down in turns of {}, and the lows do not rise",
                Batches(period)
            ),
            None => "live bytes go up and down, and the lows do not rise".to_owned(),
        },
        Shape::Refilled => {
            "live bytes fall and rise in the same blocks, within what they held before".to_owned()
        }
        Shape::Shrinking => "live bytes shrink".to_owned(),
        Shape::Filled => filled(live),
        _ => {
            format!("live bytes are level over batches {} to {}", live.first_batch, live.last_batch)
        }
    }
}

fn filled(live: &Growth) -> String {
    match live.level_since {
        Some(batch) => format!(
            "live bytes grew, and are level from batch {batch} to batch {}",
            live.last_batch
        ),
        None => "live bytes grew, and have reached their bound but for less than 1 %".to_owned(),
    }
}

fn inconclusive(why: Inconclusive, evidence: &Evidence) -> String {
    let live = &evidence.live;
    match why {
        Inconclusive::TooFewBatches { have, need } => {
            format!(
                "{have} are too few to tell warm-up from a leak, which takes {}",
                grouped(need.0.into())
            )
        }
        Inconclusive::StillGrowing { batches, early, late } => {
            let why = match (live.shape, live.level_since) {
                _ if let Some(held) = evidence.filling_caches => {
                    format!("{held} are in caches that have a bound and are not full")
                }
                (Shape::Recent, _) => "live bytes began to grow shortly before the end".to_owned(),
                (Shape::TooFewCycles, _) => {
                    let period = Batches(live.period.unwrap_or_default());
                    format!("up once in about {period}, too few times to tell")
                }
                (_, Some(batch)) => format!("level only since batch {batch}"),
                _ => format!(
                    "{} per batch at first, then {}",
                    human_bytes(early.0),
                    human_bytes(late.0)
                ),
            };
            format!("still growing after {batches}, a bound was not reached: {why}")
        }
        Inconclusive::InputStartedOver { fresh, .. } => format!(
            "live bytes grew until the input started over after {fresh}, which may be why they \
             stopped"
        ),
    }
}

fn grows_outside(outside: &Outside) -> String {
    let growth = &outside.growth;
    let what = match outside.what {
        OutsideKind::RssAnon => "resident anonymous memory",
        OutsideKind::RssShmem => "resident shared memory",
        OutsideKind::Mapped => "mapped memory that nobody touches",
        OutsideKind::Threads => {
            let threads = format!("{:.2}", growth.per_batch);
            let threads = threads.trim_end_matches('0').trim_end_matches('.');
            return format!(
                "threads rise by {threads} per batch{}, in {}",
                since(growth),
                windows(growth)
            );
        }
    };
    let asked = human_bytes(outside.allocated_per_batch);
    let mapped = outside.mapped_per_batch.filter(|mapped| *mapped > growth.per_batch / 2.0);
    let holder = match (outside.holder, mapped) {
        (Holder::Outside, Some(mapped)) => {
            format!("in new mappings of {} per batch", human_bytes(mapped))
        }
        (Holder::Outside, None) => format!("more than the {asked} asked of the allocator"),
        (Holder::Allocator, _) => "and the allocator gave it back when asked to".to_owned(),
        (Holder::AllocatorOrOutside, _) => {
            format!("which the allocator may keep of the {asked} it is asked for")
        }
    };
    format!(
        "{what} rises {} per batch{}, in {}, {holder}",
        human_bytes(growth.per_batch),
        since(growth),
        windows(growth),
    )
}

fn left(garbage: Garbage) -> String {
    let grows = if garbage.grows { ", and ever more" } else { "" };
    format!(
        "a typical batch leaves {} to the garbage collector{grows}, of {} that it asks for",
        garbage.typical, garbage.asked,
    )
}

fn stands_out(peak: &Peak) -> String {
    match peak.outliers {
        Outliers::None => format!(
            "a typical batch peaks {} above them, {} times what it and the state weigh",
            peak.typical,
            grouped(peak.typical.0 / peak.weight.0.max(1)),
        ),
        Outliers::Few { count } => {
            let others = match count {
                0 | 1 => String::new(),
                count => format!(", and {} like it", grouped(i64::from(count) - 1)),
            };
            format!(
                "batch {} peaks {} above the live bytes before it, where a typical one peaks {}{others}",
                peak.highest_batch,
                peak.highest,
                peak.typical.max(Bytes::ZERO),
            )
        }
    }
}

fn since(growth: &Growth) -> String {
    growth.since_batch.map_or(String::new(), |batch| format!(" since batch {batch}"))
}

fn windows(growth: &Growth) -> String {
    format!("{} of {} windows", growth.growing_windows, growth.minima.len())
}

/// Rounded to two digits, as much as a projection is good for.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped; positive")]
fn two_digits(value: f64) -> u32 {
    let scale = 10.0_f64.powf((value.max(1.0).log10().floor() - 1.0).max(0.0));
    ((value / scale).round() * scale).min(f64::from(u32::MAX)) as u32
}
