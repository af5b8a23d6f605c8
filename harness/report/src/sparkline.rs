//! A series in one line of text.

const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// `values` drawn from their minimum (lowest bar) to their maximum (highest), at most `width`
/// characters wide. Neighbouring values share a bar by their maximum, so that no peak is lost.
///
/// ```
/// use highwater_report::sparkline;
///
/// assert_eq!(sparkline(&[0, 10, 20, 30, 40, 50, 60, 70], 8), "▁▂▃▄▅▆▇█");
/// assert_eq!(sparkline(&[5, 5, 5], 8), "▁▁▁");
/// assert_eq!(sparkline(&[0, 0, 0, 9, 0, 0], 3), "▁█▁");
/// assert_eq!(sparkline(&[], 8), "");
/// ```
#[must_use]
pub fn sparkline(values: &[i64], width: usize) -> String {
    let (Some(&low), Some(&high)) = (values.iter().min(), values.iter().max()) else {
        return String::new();
    };
    let span = i128::from(high) - i128::from(low);
    let count = values.len().min(width.max(1));
    let bars = (0..count).map(|bar| {
        let (start, end) = (bar * values.len() / count, (bar + 1) * values.len() / count);
        let value = values[start..end].iter().max().copied().unwrap_or(low);
        let level = (i128::from(value) - i128::from(low)) * 7;
        // Rounded to the nearest level; a flat series lies on the lowest.
        BARS[(level + span / 2).checked_div(span).unwrap_or(0) as usize]
    });
    bars.collect()
}
