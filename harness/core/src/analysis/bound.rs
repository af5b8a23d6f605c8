//! Whether growth that persists has a bound: stopped, steady, accelerating, or slowing down.

use super::doubling::{self, Step, steps};
use super::stats::median;
use super::windows::{WINDOWS, Windows};
use crate::evidence::Shape;

/// Growth in the second half, relative to the first, from which a series is steady.
const STEADY: f64 = 0.85;
/// And from which it accelerates; the same distance on the other side.
const ACCELERATING: f64 = 1.0 / STEADY;
/// Over the last two thirds of its life, t^a grows in the second half (3^a - 2^a) / (2^a - 1)
/// times as much as in the first: 0.585 for a -> 0, a logarithm, and more for every a > 0. What
/// slows down more than that is not any power of time.
const SLOWEST_POWER: f64 = 0.585;
/// Growth in the second half, relative to the first, that scatter alone does not make.
const FAR_SLOWER: f64 = 0.75;
/// How many times better one law must fit than the other to be believed.
const BETTER: f64 = 5.0;
/// How clearly the rate must change over the windows, in standard errors: by chance one steady
/// series in some thousands does.
const CLEAR: f64 = 5.0;
/// The same for the order of the rates; 16 windows reach 5.2 at most.
const CLEAR_BY_RANK: f64 = 4.0;
/// The first value that says something of a law of time: before it, a batch more or less does.
const FIRST: usize = 4;
/// Half octaves of a life that show a law.
const HALF_OCTAVES: usize = 7;
/// How far rates may scatter around a law that they follow: a tenth, as many words do.
const SCATTER: f64 = 0.1;
/// Windows for that question, if the series is long enough: more of them, smaller chance.
const FINE_WINDOWS: usize = 16;
/// What an exponential may still be going to add, of all that it added, once its bound counts as
/// reached: the accuracy of the figures.
const REACHED: f64 = 0.01;
/// And what rare events may still be going to add, where they get rarer: too little to size a worker
/// by.
const LITTLE: f64 = 0.05;
/// A tail without growth is an end of growth when it is this many times longer than any pause
/// before: between events at random, such a pause comes less than once in a thousand runs.
const PAUSES: usize = 3;
/// But never shorter than this many values.
const SHORTEST_TAIL: usize = 4;

/// Whether a monotone series has stopped growing at its end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tail {
    Growing,
    /// Level for so many values.
    Level(usize),
}

/// Looks for the end of growth in `series`, whose growth persisted.
pub(super) fn tail(series: &[i64]) -> Tail {
    let rises: Vec<usize> =
        steps(series).iter().filter(|step| step.size > 0).map(|step| step.at).collect();
    let Some(&last) = rises.last() else { return Tail::Growing };
    let longest = rises.windows(2).map(|pair| pair[1] - pair[0]).max().unwrap_or(series.len());
    let level = series.len() - 1 - last;
    if level >= SHORTEST_TAIL && level > PAUSES * longest {
        Tail::Level(level)
    } else {
        Tail::Growing
    }
}

/// The shape of persistent growth, of which `life` is all there is, from its last two thirds, which
/// begin at `start`.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
pub(super) fn shape(life: &[i64], start: usize) -> Shape {
    let before = life[start] - life[0];
    let series = &without_jumps(&life[start..]);
    let windows = Windows::of(series);
    let (early, late) = windows.halves();
    if early <= 0.0 || late >= early * ACCELERATING {
        return if late > 0.0 && changes(series) { Shape::Accelerating } else { Shape::Steady };
    }
    let ratio = late / early;
    if ratio >= STEADY {
        return Shape::Steady;
    }
    if !changes(series) {
        // Scatter hides whether it slows down. Where the medians and the sums both say that it
        // does, by far, a bound cannot be ruled out.
        let [first, middle, last] = [0, series.len() / 2, series.len() - 1].map(|at| series[at]);
        let sums = (last - middle) as f64 / (middle - first).max(1) as f64;
        let slower = ratio < FAR_SLOWER && sums < FAR_SLOWER;
        return if slower { Shape::Saturating } else { Shape::Steady };
    }
    let law = if is_power(life) { Law::Power } else { law(&windows, start) };
    if ratio < SLOWEST_POWER || law == Law::Exponential {
        // A geometric series: each half adds `ratio` times what the one before added.
        let half = late.max(0.0) * series.len() as f64 / 2.0;
        let rest = half * ratio.max(0.0) / (1.0 - ratio);
        let grown = (series[series.len() - 1] - series[0] + before) as f64;
        return if rest <= REACHED * grown { Shape::Filled } else { Shape::Saturating };
    }
    if law == Law::Power { Shape::Slowing } else { Shape::Saturating }
}

/// Whether growth that comes in ever rarer events from `judged` on is all but over: what a store that
/// is filled at random still finds room for.
///
/// Events of a leak come as often in the second half as in the first. That they get rarer is no chance
/// above one and a half deviations of their number, when there is little left to add besides.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
pub(super) fn nearly_reached(values: &[i64], judged: usize) -> bool {
    let last = values.len() - 1;
    let at = [judged, usize::midpoint(judged, last), last];
    let events = |from: usize, to: usize| {
        values[from..=to].windows(2).filter(|pair| pair[1] > pair[0]).count() as f64
    };
    let (often, later) = (events(at[0], at[1]), events(at[1], at[2]));
    let rarer = often - later > 1.5 * (often + later).sqrt();
    let [from, middle, to] = at.map(|at| values[at]);
    let (early, late) = ((middle - from) as f64, (to - middle) as f64);
    let ratio = late / early.max(1.0);
    let rest = late * ratio / (1.0 - ratio);
    rarer && ratio < SLOWEST_POWER && rest <= LITTLE * (to - values[0]) as f64
}

/// The series without single jumps that dwarf what usually happens within a window: one-time steps
/// and capacities say nothing about what goes on between them.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
fn without_jumps(series: &[i64]) -> Vec<i64> {
    let usual = usual(series);
    let jumps = |step: &Step| usual > 0.0 && step.size as f64 > usual;
    doubling::less(series, &steps(series).into_iter().filter(jumps).collect::<Vec<_>>())
}

/// The series without what stands out from the increments around it, where these are most of the
/// growth: lists that grow by an eighth, for one.
fn evened(series: &[i64]) -> Vec<i64> {
    let even = doubling::less(series, &doubling::on_top(series));
    let grown = |series: &[i64]| series[series.len() - 1] - series[0];
    if 2 * grown(&even) > grown(series) { even } else { series.to_vec() }
}

/// Four times what a window usually adds: any single step above it is a jump.
pub(super) fn usual(series: &[i64]) -> f64 {
    let windows = Windows::of(series);
    #[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
    let rises: Vec<f64> =
        windows.minima.windows(2).map(|pair| (pair[1] - pair[0]) as f64).collect();
    4.0 * median(&rises)
}

/// Whether the rate changes from window to window by more than it scatters.
fn changes(series: &[i64]) -> bool {
    let count = if series.len() >= 4 * FINE_WINDOWS { FINE_WINDOWS } else { WINDOWS };
    let rates = Windows::cut(series, count).rates();
    // A line sees slow changes of the rate, ranks see steep ones (Mann 1945), which no line fits.
    let points: Vec<(f64, f64)> = (0_u32..).map(f64::from).zip(rates.iter().copied()).collect();
    let line = Fit::of(&points);
    let error = (line.squares / (points.len() as f64 - 2.0).max(1.0) / line.spread).sqrt();
    line.slope.abs() > CLEAR * error || concordance(&rates).abs() > CLEAR_BY_RANK
}

/// Kendall's statistic of the order of `values`, in standard deviations.
fn concordance(values: &[f64]) -> f64 {
    let mut balance = 0.0;
    for (index, value) in values.iter().enumerate() {
        for later in &values[index + 1..] {
            balance += match later.total_cmp(value) {
                std::cmp::Ordering::Less => -1.0,
                std::cmp::Ordering::Equal => 0.0,
                std::cmp::Ordering::Greater => 1.0,
            };
        }
    }
    let n = values.len() as f64;
    balance / (n * (n - 1.0) * (2.0 * n + 5.0) / 18.0).sqrt()
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Law {
    /// Increments fall by the same factor in the same time: what fills a bounded store at random
    /// finds ever less room.
    Exponential,
    /// Increments fall by the same factor when time doubles: new words in a text, rarer for ever.
    Power,
    Unclear,
}

/// Which law the increments follow: the logarithm of the rate is a straight line over time for an
/// exponential, and over the logarithm of time for a power.
fn law(windows: &Windows, skipped: usize) -> Law {
    let points: Vec<(f64, f64)> = windows
        .midpoints()
        .into_iter()
        .zip(windows.rates())
        .filter(|(_, rate)| *rate > 0.0)
        .map(|(at, rate)| (at + skipped as f64 + 1.0, rate.ln()))
        .collect();
    if points.len() < 5 {
        return Law::Unclear;
    }
    let exponential = misfit(&points);
    let power = misfit(&points.iter().map(|(t, rate)| (t.ln(), *rate)).collect::<Vec<_>>());
    if power * BETTER < exponential {
        Law::Power
    } else if exponential * BETTER < power {
        Law::Exponential
    } else {
        Law::Unclear
    }
}

/// Whether the whole life of a growth follows a power of time.
///
/// Over its last two thirds a power and an exponential differ by less than most growth scatters; over
/// several octaves they do not. What fills a bounded store at random begins evenly, and what begins
/// with a warm-up and goes on otherwise follows neither.
#[expect(clippy::cast_precision_loss, reason = "sizes, far below 2^53")]
fn is_power(life: &[i64]) -> bool {
    let life = &evened(life);
    let last = life.len() - 1;
    let ends: Vec<usize> = (0..)
        .map(|half| (last as f64 * 0.5_f64.powf(f64::from(half) / 2.0)) as usize)
        .take_while(|end| *end >= FIRST)
        .collect();
    let points: Option<Vec<(f64, f64)>> = ends
        .windows(2)
        .map(|end| {
            let rate = (life[end[0]] - life[end[1]]) as f64 / (end[0] - end[1]) as f64;
            (rate > 0.0).then(|| (((end[0] * end[1]) as f64).sqrt(), rate.ln()))
        })
        .collect();
    let Some(points) = points.filter(|points| points.len() >= HALF_OCTAVES) else { return false };
    let by_time = misfit(&points);
    let by_octave = misfit(&points.iter().map(|(t, rate)| (t.ln(), *rate)).collect::<Vec<_>>());
    let scatter = (by_octave / (points.len() - 2) as f64).sqrt();
    scatter < SCATTER && by_octave * BETTER < by_time
}

/// The squared residuals of the best straight line through points.
fn misfit(points: &[(f64, f64)]) -> f64 {
    Fit::of(points).squares
}

/// A straight line through points.
struct Fit {
    slope: f64,
    /// Sum of squared residuals.
    squares: f64,
    /// Sum of squared distances along x.
    spread: f64,
}

impl Fit {
    fn of(points: &[(f64, f64)]) -> Self {
        let n = points.len().max(1) as f64;
        let x = points.iter().map(|point| point.0).sum::<f64>() / n;
        let y = points.iter().map(|point| point.1).sum::<f64>() / n;
        let spread: f64 = points.iter().map(|p| (p.0 - x).powi(2)).sum();
        let slope = points.iter().map(|p| (p.0 - x) * (p.1 - y)).sum::<f64>() / spread;
        let squares = points.iter().map(|p| (p.1 - y - slope * (p.0 - x)).powi(2)).sum();
        Self { slope, squares, spread }
    }
}
