//! False alarms and power on simulated series, kept under a budget.
//!
//! `cargo run -p highwater-core --example rates` prints the whole table.

mod simulate;

use highwater_core::{Bytes, Pattern, analyse};
use simulate::{HEALTHY, LEAKING, Span, Undecided, run};

/// Seeds per kind and length.
const SEEDS: u32 = 1_000;
/// Batches per run. Twice as many must not make anything worse.
const BATCHES: [usize; 2] = [200, 400];
/// The power that is required, and the share of rates that must be within 1 % or 16 bytes.
const POWER: f64 = 0.99;
/// Kinds whose end is open may be called a leak in so many of a thousand runs of fixed length.
const OPEN_LEAKS: u32 = 5;

#[test]
fn healthy_series_raise_no_alarm() {
    for kind in HEALTHY {
        for batches in BATCHES {
            let rates = kind.rates(Span::Fixed(batches), SEEDS);
            let ok = match kind.undecided {
                Undecided::Wrong => rates.pass == SEEDS,
                Undecided::Right => rates.leak <= OPEN_LEAKS,
            };
            assert!(ok, "{} over {batches} batches: {rates:?}", kind.name);
        }
    }
}

/// A run that goes on while the answer is not certain, as every run does by default, is never wrong
/// about a healthy series.
#[test]
fn runs_that_go_on_raise_no_alarm() {
    for kind in HEALTHY {
        let rates = kind.rates(Span::From(BATCHES[0]), SEEDS);
        assert_eq!(rates.leak, 0, "{}: {rates:?}", kind.name);
    }
}

/// Nor does going on lose a leak; fewer seeds, since each is analysed at 200, 400 and 800 batches.
#[test]
fn runs_that_go_on_lose_no_leak() {
    let seeds = SEEDS / 5;
    for kind in LEAKING.iter().filter(|kind| kind.name != NOISY) {
        let rates = kind.rates(Span::From(BATCHES[0]), seeds);
        let found = match kind.undecided {
            Undecided::Wrong => rates.leak,
            Undecided::Right => rates.leak + rates.inconclusive,
        };
        assert!(f64::from(found) >= POWER * f64::from(seeds), "{}: {rates:?}", kind.name);
    }
}

#[test]
fn leaks_are_found_at_their_rate() {
    for kind in LEAKING {
        for batches in BATCHES {
            // 200 batches are too few for a leak of 1 % of the noise, and for rare events.
            if batches < 400 && !matches!(kind.undecided, Undecided::Wrong if kind.name != NOISY) {
                continue;
            }
            let rates = kind.rates(Span::Fixed(batches), SEEDS);
            let found = match kind.undecided {
                Undecided::Wrong => rates.leak,
                Undecided::Right => rates.leak + rates.inconclusive,
            };
            let power = f64::from(found) / f64::from(SEEDS);
            let accuracy = 1.0 - f64::from(rates.off) / f64::from(SEEDS);
            assert!(
                power >= POWER && accuracy >= POWER,
                "{} over {batches} batches: {rates:?}",
                kind.name
            );
        }
    }
}

const NOISY: &str = "in noise, 1 % of its spread";

/// Resident memory with any healthy shape, and the highest of any so far, as from an allocator
/// that never gives back, is no native leak.
#[test]
fn healthy_resident_memory_raises_no_alarm() {
    const PAGE: i64 = 4_096;
    for kind in HEALTHY {
        let mut alarms = 0;
        for seed in 0..SEEDS {
            let mut resident = kind.series(200, seed).live;
            resident.truncate(200);
            let mut highest = i64::MIN;
            let mut level = run(&vec![0; resident.len()]);
            for (reading, bytes) in level.batches.iter_mut().zip(resident) {
                highest = highest.max(bytes);
                // The highest value of a random walk does grow without a bound.
                let keeps = seed % 2 == 1 && kind.name != "random walk";
                let bytes = if keeps { highest } else { bytes };
                reading.rss_anon = Bytes(bytes / PAGE * PAGE);
            }
            alarms += u32::from(analyse(&level).pattern() == Some(Pattern::NativeLeak));
        }
        let budget = if kind.undecided == Undecided::Right { OPEN_LEAKS } else { 0 };
        assert!(alarms <= budget, "{}: {alarms} of {SEEDS}", kind.name);
    }
}

/// A run of a day is analysed while one waits, whatever its series is like: no rule takes as many
/// steps as the square of the batches.
#[test]
fn long_runs_are_analysed() {
    for kind in HEALTHY.iter().chain(LEAKING) {
        let long = kind.series(20_000, 0);
        assert!(!analyse(&run(&long.live[..20_000])).sentence().is_empty(), "{}", kind.name);
    }
}
