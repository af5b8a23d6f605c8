//! A checked fixture in words.

use std::fmt;

use highwater_core::{Improvement, Regression, Verdict};
use highwater_worker::Outcome;

use crate::check::Checked;

/// What a person needs in order to act on the verdict; several lines, the first one whole in itself.
impl fmt::Display for Checked {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name();
        match &self.verdict {
            Verdict::Regressed(Regression { pattern, changes })
            | Verdict::Improved(Improvement { pattern, changes }) => {
                write!(f, "`{name}` {}:", self.verdict.name())?;
                let pattern = pattern.map(|(old, new)| format!("pattern {old} → {new}"));
                let changes = changes.iter().map(ToString::to_string);
                let lines: Vec<String> = pattern.into_iter().chain(changes).collect();
                writeln!(f, " {}", lines.join("\n  "))?;
            }
            verdict => writeln!(f, "`{name}` {verdict}")?,
        }
        if let Some(sentence) = self.measured.sentence() {
            writeln!(f, "  finding: {sentence}")?;
        }
        if let Some(confirmation) = &self.confirmation {
            let second = &confirmation.verdict;
            match &self.verdict {
                first @ Verdict::Regressed(_) if first == second => {
                    writeln!(f, "  confirmed in a fresh process, by the same figures")?;
                }
                Verdict::Regressed(_) => {
                    writeln!(f, "  confirmed in a fresh process: {second}")?;
                }
                _ => {
                    writeln!(f, "  record of the second run: {}", confirmation.record().display())?;
                }
            }
        }
        if let Some(explanation) = self.measured.explanation()
            && !matches!(self.verdict, Verdict::NotRun(_))
        {
            writeln!(f, "  certainty: {}", explanation.certainty)?;
            writeln!(f, "  next: {}", explanation.next)?;
        }
        let explained = &self.measured.explained;
        if let Some(rows) = &explained.rows {
            writeln!(f, "  rows: {rows}")?;
        }
        if let Some(remedy) = explained.best_remedy() {
            writeln!(f, "  best of {} remedies: {remedy}", explained.remedies.len())?;
        }
        if let Some(failed) = &explained.failed {
            writeln!(f, "  not explained further: {failed}")?;
        }
        if let Outcome::Invalid(invalid) = &self.measured.measurement.outcome {
            for line in invalid.output.lines().rev().take(5).collect::<Vec<_>>().iter().rev() {
                writeln!(f, "  worker: {line}")?;
            }
        }
        for (key, then, now) in &self.moved {
            writeln!(f, "  environment: {key} was {then}, is {now}")?;
        }
        if self.record().exists() {
            writeln!(f, "  record: {}", self.record().display())?;
        }
        match &self.verdict {
            Verdict::Regressed(_) => {
                writeln!(f, "  baseline: {}", self.baseline.display())?;
                f.write_str(
                    "  accept it, if it is meant: cargo insta review (or cargo insta accept)",
                )
            }
            Verdict::Improved(_) => f.write_str(
                "  the baseline is stale, tighten it: cargo insta review (or cargo insta accept)",
            ),
            Verdict::BaselineMissing(_) => f.write_str(
                "  look at the figures and accept them: cargo insta review (or cargo insta accept)",
            ),
            Verdict::NotRun(_) => {
                f.write_str("  it is optional: nothing is gated, and nothing passed")
            }
            Verdict::Disagreement(_) => f.write_str(
                "  something but the UDF differs from run to run (time, threads, a random seed, what \
                 else runs here): fix it, or give the figure a limit",
            ),
            Verdict::NotAttached(_) => f.write_str("  look closer: highwater doctor"),
            Verdict::NoUdf(_) => f.write_str("  correct `udf` in the manifest, or the file"),
            Verdict::Pass | Verdict::Inconclusive(_) | Verdict::Invalid(_) => {
                f.write_str("  look closer: highwater run ")?;
                f.write_str(name)
            }
        }
    }
}
