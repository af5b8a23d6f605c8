//! Simulated series of live bytes, each kind after one cause, for false alarms and power.
//!
//! Every parameter that a rule could be fitted to (size, period, phase, position, noise) is drawn
//! anew for each seed.

mod healthy;
mod leaking;
mod random;

pub(crate) use healthy::HEALTHY;
pub(crate) use leaking::LEAKING;
pub(crate) use random::Random;

use highwater_core::{
    Answer, Batches, Blocks, Bytes, Class, Finding, Haste, Inconclusive, Length, Reading, Run,
    analyse,
};

/// Times the batches that were asked for that a run may take, as by default.
pub(crate) const LONGER: usize = 4;

/// A kind of series.
#[derive(Debug)]
pub(crate) struct Kind {
    pub(crate) name: &'static str,
    pub(crate) make: fn(&mut Random, usize) -> Series,
    /// What besides the plain answer (a pass, or a leak) is right, too.
    pub(crate) undecided: Undecided,
}

/// Whether inconclusive is a right answer for a kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Undecided {
    Wrong,
    Right,
}

/// A series, and its true rate where the truth is a rate.
pub(crate) struct Series {
    pub(crate) live: Vec<i64>,
    pub(crate) rate: Option<f64>,
}

/// What the analysis made of many seeds of one kind.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Rates {
    pub(crate) leak: u32,
    pub(crate) inconclusive: u32,
    pub(crate) pass: u32,
    /// Leaks whose rate is more than 1 % and 16 bytes from the truth.
    pub(crate) off: u32,
}

/// How many batches a simulated run takes.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Span {
    /// So many.
    Fixed(usize),
    /// So many, and more while the answer is not certain, as the gate's runs do.
    From(usize),
}

impl Kind {
    /// Analyses `seeds` series.
    pub(crate) fn rates(&self, span: Span, seeds: u32) -> Rates {
        let mut rates = Rates::default();
        for seed in 0..seeds {
            let (Span::Fixed(batches) | Span::From(batches)) = span;
            let series = self.series(batches, seed);
            let finding = match span {
                Span::Fixed(batches) => analyse(&run(&series.live[..batches])),
                Span::From(batches) => walked(&series.live, batches),
            };
            match class(&finding) {
                Some(Class::Fail) => {
                    rates.leak += 1;
                    let found = finding.figures.leaked_bytes_per_batch.0;
                    let off = |truth: f64| (found - truth).abs() > (truth * 0.01).max(16.0);
                    rates.off += u32::from(series.rate.is_some_and(off));
                }
                Some(_) => rates.pass += 1,
                None => rates.inconclusive += 1,
            }
        }
        rates
    }

    /// A series of `batches` batches, and as many more as a run may go on for.
    pub(crate) fn series(&self, batches: usize, seed: u32) -> Series {
        (self.make)(&mut Random::new(self.name, seed), batches)
    }
}

/// What is found in as much of a series as a run takes that is asked for `batches`.
fn walked(series: &[i64], batches: usize) -> Finding {
    let count = |batches| Batches(u32::try_from(batches).unwrap_or(u32::MAX));
    let length = Length {
        asked: count(batches),
        most: count(series.len()),
        haste: Haste::Whole,
        knows_leak: false,
        memory_limit: Bytes(i64::MAX),
    };
    let mut done = length.first();
    loop {
        let run = run(&series[..done.0 as usize]);
        let finding = analyse(&run);
        let next = length.after(&run, &finding);
        if next == done {
            return finding;
        }
        done = next;
    }
}

fn class(finding: &Finding) -> Option<Class> {
    match finding.answer {
        Answer::Pattern(pattern) => Some(pattern.class()),
        Answer::Inconclusive(Inconclusive::StillGrowing { .. }) => None,
        Answer::Inconclusive(other) => panic!("{other:?}"),
    }
}

/// A run whose live bytes are `live`, in blocks of 64, and in which nothing else happens.
pub(crate) fn run(live: &[i64]) -> Run {
    let first = live.first().copied().unwrap_or_default();
    let reading = |live: i64| Reading {
        live: Bytes(live),
        blocks: Blocks(1 + (live - first).div_euclid(64)),
        peak: Bytes(live),
        ..Reading::default()
    };
    Run {
        before_setup: reading(first),
        after_setup: reading(first),
        batches: live.iter().map(|live| reading(*live)).collect(),
        after_drop: reading(first),
        ..Run::default()
    }
}
