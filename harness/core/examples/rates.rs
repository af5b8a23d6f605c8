//! False alarms and power of the analysis on simulated series, as a table.
//!
//! Runs of 200 and of 400 batches, and such as go on from 200 up to 800 while the answer is not
//! certain, as by default.
//!
//! `cargo run --release -p highwater-core --example rates [SEEDS]`, 1,000 seeds by default.
#![expect(clippy::print_stdout, reason = "the table is what it is for")]

#[path = "../tests/simulate/mod.rs"]
mod simulate;

use simulate::{HEALTHY, Kind, LEAKING, LONGER, Span, Undecided};

fn main() {
    let seeds = std::env::args().nth(1).and_then(|text| text.parse().ok()).unwrap_or(1_000);
    for (title, kinds) in [("healthy", HEALTHY), ("leaking", LEAKING)] {
        println!("{title:<36} batches     leak  inconclusive   pass  rate off");
        for kind in kinds {
            for span in [Span::Fixed(200), Span::Fixed(400), Span::From(200)] {
                line(kind, span, seeds);
            }
        }
    }
}

fn line(kind: &Kind, span: Span, seeds: u32) {
    let rates = kind.rates(span, seeds);
    let batches = match span {
        Span::Fixed(batches) => batches.to_string(),
        Span::From(batches) => format!("{batches}-{}", LONGER * batches),
    };
    let note =
        if kind.undecided == Undecided::Right { "  (inconclusive is right, too)" } else { "" };
    println!(
        "  {:<34} {batches:>7}   {:>6} {:>13} {:>6} {:>9}{note}",
        kind.name, rates.leak, rates.inconclusive, rates.pass, rates.off
    );
}
