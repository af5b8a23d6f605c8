//! The table at the end of a check.

use std::fmt::Write as _;

use anstyle::{AnsiColor, Style};
use comfy_table::{CellAlignment, ContentArrangement, Table, TableStyle};
use highwater::Checked;
use highwater_core::{Figures, Limit, Limits, Verdict};

/// The colour in which a verdict is written.
#[must_use]
pub fn style(verdict: &Verdict) -> Style {
    let colour = match verdict {
        Verdict::Pass => AnsiColor::Green,
        Verdict::Improved(_) => AnsiColor::Cyan,
        Verdict::BaselineMissing(_) | Verdict::NotRun(_) => AnsiColor::Yellow,
        Verdict::Regressed(_)
        | Verdict::Inconclusive(_)
        | Verdict::Invalid(_)
        | Verdict::Disagreement(_)
        | Verdict::NotAttached(_)
        | Verdict::NoUdf(_) => AnsiColor::Red,
    };
    Style::new().fg_color(Some(colour.into())).bold()
}

/// One line per fixture: batches, setup, peak, leaked bytes per batch, limit, pattern, verdict.
///
/// The limit shown is that of the leaked bytes, or the first that broke.
#[must_use]
pub fn table(checked: &[Checked]) -> String {
    let mut table = Table::new();
    table
        .load_style(TableStyle::new())
        .set_content_arrangement(ContentArrangement::Disabled)
        .set_header(["fixture", "batches", "setup", "peak", "leaked/batch", "limit", "pattern"]);
    for one in checked {
        table.add_row(row(one));
    }
    for column in 1..=5 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    // The verdict comes last and outside the table, so that its colour doesn't count as width.
    let verdicts = checked.iter().map(|one| {
        let style = style(&one.verdict);
        format!("{style}{}{style:#}", one.verdict.name().replace('_', " "))
    });
    let verdicts = std::iter::once("verdict".to_owned()).chain(verdicts);
    let mut text = String::new();
    for (line, verdict) in table.lines().zip(verdicts) {
        let _ = writeln!(text, "{} {verdict}", line.strip_prefix(' ').unwrap_or(&line));
    }
    text
}

fn row(checked: &Checked) -> [String; 7] {
    let spec = &checked.measured.spec;
    let finding = checked.measured.finding.as_ref();
    let figure = |of: fn(&Figures) -> String| {
        finding.map_or_else(|| "-".to_owned(), |finding| of(&finding.figures))
    };
    [
        spec.name.clone(),
        finding.map_or(spec.batches, |finding| finding.figures.batches).0.to_string(),
        figure(|figures| figures.setup_bytes.to_string()),
        figure(|figures| figures.peak_bytes.to_string()),
        figure(|figures| figures.leaked_bytes_per_batch.to_string()),
        limit(checked, &spec.limits).to_string(),
        checked.measured.headline().map_or_else(|| "-".to_owned(), |pattern| pattern.to_string()),
    ]
}

fn limit(checked: &Checked, limits: &Limits) -> Limit {
    match &checked.verdict {
        Verdict::Regressed(regression) if !regression.changes.is_empty() => {
            regression.changes[0].limit
        }
        _ => limits.leaked_bytes_per_batch,
    }
}
