//! Series that do not leak.

use super::{Kind, LONGER, Random, Series, Undecided};

const fn kind(name: &'static str, make: fn(&mut Random, usize) -> Series) -> Kind {
    Kind { name, make, undecided: Undecided::Wrong }
}

const fn open(name: &'static str, make: fn(&mut Random, usize) -> Series) -> Kind {
    Kind { name, make, undecided: Undecided::Right }
}

/// A false alarm on any of these is a bug. `Undecided::Right` where a short run ends before its bound.
pub(crate) const HEALTHY: &[Kind] = &[
    kind("flat", |r, n| series(n, r.within(0..1 << 30), |_| 0.0)),
    kind("noise", |r, n| {
        let spread = r.scale(10.0..1e6);
        series(n, 1 << 24, |_| spread * r.normal())
    }),
    kind("noise, one-sided", |r, n| {
        let spread = r.scale(10.0..1e6);
        series(n, 1 << 24, |_| spread * r.normal().abs())
    }),
    kind("correlated noise", |r, n| {
        let (spread, keep, mut value) = (r.scale(10.0..1e6), r.unit() * 0.95, 0.0);
        series(n, 1 << 24, |_| {
            value = keep * value + spread * r.normal();
            value
        })
    }),
    kind("random walk", |r, n| {
        let (spread, mut value) = (r.scale(10.0..1e6), 0.0);
        series(n, 1 << 30, |_| {
            value += spread * r.normal();
            value
        })
    }),
    kind("warm-up", |r, n| {
        let (end, rate) = (share(r, n, 0.02..0.3), r.scale(10.0..1e6));
        series(n, 1 << 20, |t| rate * t.min(end))
    }),
    kind("one step", |r, n| {
        let (at, size) = (share(r, n, 0.02..0.99), r.scale(10.0..1e8));
        series(n, 1 << 20, |t| if t >= at { size } else { 0.0 })
    }),
    kind("one step, noise", |r, n| {
        let (at, size, spread) = (share(r, n, 0.02..0.98), r.scale(10.0..1e7), r.scale(10.0..1e5));
        series(n, 1 << 20, |t| spread * r.normal() + if t >= at { size } else { 0.0 })
    }),
    // Alike, or many and not stopped, they may be rare events that go on.
    open("two late steps", |r, n| steps(r, n, 2, 0.33..1.0)),
    open("three steps", |r, n| steps(r, n, 3, 0.05..1.0)),
    open("five steps", |r, n| steps(r, n, 5, 0.05..1.0)),
    open("equal steps", |r, n| {
        let (first, gap, size) =
            (share(r, n, 0.1..0.6), share(r, n, 0.05..0.2), r.scale(10.0..1e6));
        series(n, 1 << 20, |t| size * f64::from(u8::from(t >= first) + u8::from(t >= first + gap)))
    }),
    kind("alternating", |r, n| {
        let sizes: Vec<f64> = (0..r.within(2..13)).map(|_| r.scale(10.0..1e6)).collect();
        series(n, 1 << 20, |t| sizes[t as usize % sizes.len()])
    }),
    kind("alternating at random", |r, n| {
        let sizes: Vec<f64> = (0..r.within(2..6)).map(|_| r.scale(10.0..1e6)).collect();
        series(n, 1 << 20, |_| sizes[r.within(0..sizes.len() as i64) as usize])
    }),
    kind("spikes", |r, n| {
        let (share, size) = (r.scale(0.005..0.3), r.scale(1e3..1e7));
        series(n, 1 << 20, |_| if r.chance(share) { size * r.unit() } else { 0.0 })
    }),
    kind("sawtooth", |r, n| {
        let (period, rate) = (r.within(2..n as i64 / 2), r.scale(8.0..1e6));
        let phase = r.within(0..period);
        series(n, 1 << 20, |t| rate.round() * ((t as i64 + phase) % period) as f64)
    }),
    kind("sawtooth, noise", |r, n| {
        let (period, rate) = (r.within(2..n as i64 / 2), r.scale(8.0..1e6));
        let (phase, spread) = (r.within(0..period), rate * r.unit());
        series(n, 1 << 20, |t| rate * ((t as i64 + phase) % period) as f64 + spread * r.normal())
    }),
    kind("flush by size", |r, n| {
        let (limit, mean) = (r.scale(1e4..1e7), r.scale(5.0..n as f64 / 3.0));
        let (mut held, add) = (0.0, limit / mean);
        series(n, 1 << 20, |_| {
            held += 2.0 * add * r.unit();
            if held > limit {
                held = 0.0;
            }
            held
        })
    }),
    kind("ever smaller", |r, n| {
        let (end, rate) = (share(r, n, 0.3..1.5), r.scale(10.0..1e5));
        series(n, 1 << 26, |t| -rate * t.min(end))
    }),
    kind("a drained backlog", |r, n| {
        let (tau, size, spread) = (share(r, n, 0.05..1.0), r.scale(1e4..1e7), r.scale(1.0..100.0));
        series(n, 1 << 26, |t| size * (-t / tau).exp() + spread * r.normal())
    }),
    kind("a cache, full by then", |r, n| {
        let (end, rate) = (share(r, n, 0.3..0.85), r.scale(10.0..1e6));
        series(n, 1 << 20, |t| (rate * t.min(end)).floor())
    }),
    open("a cache, full at the end", |r, n| {
        let (end, rate) = (share(r, n, 0.85..0.96), r.scale(10.0..1e6));
        series(n, 1 << 20, |t| (rate * t.min(end)).floor())
    }),
    open("a cache, filled at random", |r, n| {
        let (tau, size) = (share(r, n, 0.05..0.6), r.scale(1e5..1e8));
        series(n, 1 << 20, |t| size * (1.0 - (-t / tau).exp()))
    }),
    open("a cache of slots, filled at random", |r, n| {
        let (slots, bytes, tries) = (r.within(200..5_000), r.within(40..4_000), r.within(1..60));
        let tries = tries.max(slots / n as i64 * 2);
        let mut taken = vec![false; slots as usize];
        let mut held = 0;
        series(n, 1 << 20, |_| {
            for _ in 0..tries {
                let slot = r.within(0..slots) as usize;
                held += i64::from(!std::mem::replace(&mut taken[slot], true)) * bytes;
            }
            held as f64
        })
    }),
    open("words of a small vocabulary", |r, n| {
        let (words, tries) = (r.within(20..200), r.within(20..60));
        let mut known = vec![false; words as usize];
        let mut held = 0;
        series(n, 1 << 20, |_| {
            for _ in 0..tries {
                // Zipf's law: the k-th word comes 1 / k as often as the first.
                let word =
                    ((words as f64 + 1.0).powf(r.unit()) as usize - 1).min(words as usize - 1);
                held += i64::from(!std::mem::replace(&mut known[word], true)) * 97;
            }
            held as f64
        })
    }),
    kind("a container, full by then", |r, n| {
        let (items, end) = (r.within(1..300), r.within(n as i64 / 10..n as i64 * 2 / 5));
        series(n, 1 << 20, |t| {
            24.0 * ((t as i64 + 1).min(end) * items).cast_unsigned().next_power_of_two() as f64
        })
    }),
];

fn steps(r: &mut Random, n: usize, count: usize, within: std::ops::Range<f64>) -> Series {
    let steps: Vec<(f64, f64)> =
        (0..count).map(|_| (share(r, n, within.clone()), r.scale(10.0..1e7))).collect();
    series(n, 1 << 20, |t| steps.iter().filter(|(at, _)| t >= *at).map(|(_, size)| size).sum())
}

/// A batch at a share of the run.
pub(super) fn share(r: &mut Random, n: usize, within: std::ops::Range<f64>) -> f64 {
    ((within.start + r.unit() * (within.end - within.start)) * n as f64).floor()
}

/// `base` plus `value` of each batch, as whole bytes; for as long as a run of `n` may get.
pub(super) fn series(n: usize, base: i64, mut value: impl FnMut(f64) -> f64) -> Series {
    let live = (0..n * LONGER).map(|t| base + value(t as f64).round() as i64).collect();
    Series { live, rate: None }
}
