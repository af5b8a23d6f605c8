//! Series that leak 100 bytes per batch, or as stated.

use super::healthy::{series, share};
use super::{Kind, Random, Series, Undecided};

const LEAK: f64 = 100.0;

const fn kind(name: &'static str, make: fn(&mut Random, usize) -> Series) -> Kind {
    Kind { name, make, undecided: Undecided::Wrong }
}

const fn open(name: &'static str, make: fn(&mut Random, usize) -> Series) -> Kind {
    Kind { name, make, undecided: Undecided::Right }
}

/// Missing any of these is a bug. `Undecided::Right` where a bound cannot be ruled out.
pub(crate) const LEAKING: &[Kind] = &[
    kind("each batch", |_, n| leak(n, LEAK, |t| LEAK * t)),
    kind("24 bytes", |_, n| leak(n, 24.0, |t| 24.0 * t)),
    kind("every k-th batch", |r, n| {
        let k = r.within(2..n as i64 / 8) as f64;
        let phase = r.within(0..k as i64) as f64;
        leak(n, LEAK, |t| LEAK * k * ((t + phase) / k).floor())
    }),
    kind("in a vector", |r, n| {
        let slot = r.within(8..64);
        leak(n, LEAK + slot as f64, |t| LEAK * t + capacity(slot, t as i64 + 1))
    }),
    kind("in a map", |r, n| {
        let slot = r.within(8..64);
        leak(n, LEAK + slot as f64 * 8.0 / 7.0, |t| LEAK * t + table(slot, t as i64 + 1))
    }),
    kind("a vector alone", |r, n| {
        let (slot, items) = (r.within(8..64), r.within(1..300));
        leak(n, (slot * items) as f64, |t| capacity(slot, (t as i64 + 1) * items))
    }),
    kind("a map alone", |r, n| {
        let (slot, items) = (r.within(8..64), r.within(1..300));
        leak(n, (slot * items) as f64 * 8.0 / 7.0, |t| table(slot, (t as i64 + 1) * items))
    }),
    kind("after warm-up", |r, n| {
        let (end, rate) = (share(r, n, 0.05..0.3), r.scale(100.0..1e6));
        leak(n, LEAK, |t| LEAK * t + (rate * t.min(end)).floor())
    }),
    kind("with a step", |r, n| {
        let (at, size) = (share(r, n, 0.05..0.98), r.scale(100.0..1e8));
        leak(n, LEAK, |t| LEAK * t + if t >= at { size.round() } else { 0.0 })
    }),
    kind("late onset", |r, n| {
        let onset = share(r, n, 0.2..0.72);
        leak(n, LEAK, |t| LEAK * (t - onset).max(0.0))
    }),
    kind("behind a backlog", |r, n| {
        let (end, rate) = (share(r, n, 0.2..0.65), r.scale(200.0..1e5).round());
        leak(n, LEAK, |t| LEAK * t - rate * t.min(end))
    }),
    kind("under alternating batches", |r, n| {
        let sizes: Vec<f64> = (0..r.within(2..9)).map(|_| r.scale(10.0..1e6).round()).collect();
        leak(n, LEAK, |t| LEAK * t + sizes[t as usize % sizes.len()])
    }),
    kind("under a sawtooth", |r, n| {
        let (period, rate) = (r.within(2..n as i64 / 6), r.scale(8.0..1e6).round());
        let phase = r.within(0..period);
        leak(n, LEAK, |t| LEAK * t + rate * ((t as i64 + phase) % period) as f64)
    }),
    // Eight cycles or more, none like the other to the byte.
    kind("under an uneven sawtooth", |r, n| {
        let (period, rate) = (r.within(4..n as i64 / 12), r.scale(100.0..1e5).round());
        let cycle = rate * period as f64 / 20.0;
        let mut made = leak(n, cycle, |t| {
            let (of, at) = ((t as i64 / period) as f64, (t as i64 % period) as f64);
            rate * at
                + cycle * period as f64 * of
                + if at > 0.0 { rate * 0.01 * r.unit() } else { 0.0 }
        });
        made.rate = None;
        made
    }),
    kind("under spikes", |r, n| {
        let (share, size) = (r.scale(0.005..0.1), r.scale(1e3..1e6));
        leak(n, LEAK, |t| LEAK * t + if r.chance(share) { size * r.unit() } else { 0.0 })
    }),
    kind("in noise, 1 % of its spread", |r, n| {
        let mut made = leak(n, LEAK, |t| LEAK * t + 100.0 * LEAK * r.normal());
        made.rate = None; // an estimate, no better than the noise lets it be
        made
    }),
    kind("of random size", |r, n| {
        let mut held = 0.0;
        let mut made = leak(n, LEAK, |_| {
            held += 2.0 * LEAK * r.unit();
            held
        });
        made.rate = Some((made.live[n - 1] - made.live[n / 3]) as f64 / (n - 1 - n / 3) as f64);
        made
    }),
    open("on rare rows", |r, n| {
        let (chance, mut held) = (r.scale(0.06..0.5), 0.0);
        let mut made = leak(n, LEAK, |_| {
            held += if r.chance(chance) { LEAK / chance } else { 0.0 };
            held
        });
        made.rate = None;
        made
    }),
    open("on rarer rows", |r, n| {
        let (gap, size, mut next, mut held) = (r.scale(10.0..40.0), r.scale(40.0..1e5), 0.0, 0.0);
        let mut made = leak(n, LEAK, |t| {
            if t >= next {
                held += size * (0.8 + 0.4 * r.unit());
                next = t + 1.0 + 2.0 * gap * r.unit();
            }
            held
        });
        made.rate = None;
        made
    }),
    kind("in a set of CPython's", |r, n| {
        let items = r.within(1..60);
        leak(n, LEAK + 16.0 / 0.6 * items as f64, |t| LEAK * t + set((t as i64 + 1) * items))
    }),
    open("words of a language, like a root", |r, n| {
        let (size, power) = (r.within(60..400), 0.4 + 0.4 * r.unit());
        let scale = r.scale(50.0..1e3);
        let mut made = leak(n, 0.0, |t| {
            let words = (scale * (t + 1.0).powf(power) + 2.0 * r.normal()) as i64;
            (words * size) as f64 + table(24, words)
        });
        made.rate = None;
        made
    }),
    open("ever slower, like a logarithm", |r, n| {
        let size = r.scale(1e4..1e6);
        let mut made = leak(n, 0.0, |t| size * (t + 1.0).ln());
        made.rate = None;
        made
    }),
    kind("ever faster", |r, n| {
        let growth = r.scale(1.0..100.0);
        let mut made = leak(n, 0.0, |t| LEAK * t + growth * t * t);
        made.rate = None;
        made
    }),
    open("ever slower, like a root", |r, n| {
        let (size, power) = (r.scale(1e4..1e6), 0.3 + 0.5 * r.unit());
        let mut made = leak(n, 0.0, |t| size * t.powf(power));
        made.rate = None;
        made
    }),
];

fn leak(n: usize, rate: f64, value: impl FnMut(f64) -> f64) -> Series {
    let mut made = series(n, 1 << 26, value);
    made.rate = Some(rate);
    made
}

/// The bytes of a vector of `items` slots: the next power of two, at least 4.
fn capacity(slot: i64, items: i64) -> f64 {
    (slot * items.cast_unsigned().next_power_of_two().max(4).cast_signed()) as f64
}

/// The bytes of a set of CPython's: a power of two of slots, at most 3/5 full, then four times as many.
fn set(items: i64) -> f64 {
    let mut slots = 8;
    while items * 5 >= slots * 3 {
        slots *= 4;
    }
    (16 * slots) as f64
}

/// The bytes of a hash table of `items` slots: buckets a power of two, at most 7/8 full.
fn table(slot: i64, items: i64) -> f64 {
    let buckets = (items * 8).cast_unsigned().div_ceil(7).next_power_of_two().max(4);
    (slot * buckets.cast_signed()) as f64
}
