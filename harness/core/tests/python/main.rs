//! Patterns that only a Python run can show, from runs made after their cause, and near misses.

mod exact;
mod production;

use highwater_core::{Blocks, Bytes, GaveBack, Reading, Run};

/// Bytes of a Python worker before its UDF does anything.
pub(crate) const IDLE: Bytes = Bytes(40 << 20);
/// What a call asks for in passing.
pub(crate) const ASKED: i64 = 300_000;

/// 200 batches, in which `each` sets what batch `t` (from 0) is about. Nothing lives of its own.
pub(crate) fn run(each: impl Fn(i64, &mut Reading)) -> Run {
    let idle = Reading {
        live: IDLE,
        native: Some(Bytes(10 << 20)),
        blocks: Blocks(400_000),
        mapped: Some(Bytes(1 << 30)),
        arrow_live: Some(Bytes(0)),
        rss_anon: Bytes(60 << 20),
        threads: 1,
        ..Reading::default()
    };
    let batches = (0..200).map(|t| {
        let mut reading = idle;
        reading.allocated = Bytes(ASKED * t);
        each(t, &mut reading);
        reading.before_collection = Some(reading.before_collection.unwrap_or(reading.live));
        reading.peak = reading.live;
        reading
    });
    Run {
        before_setup: idle,
        after_setup: idle,
        batches: batches.collect(),
        after_drop: idle,
        ..Run::default()
    }
}

/// `python` and `native` bytes of the batch, in `blocks` blocks.
pub(crate) fn keep(reading: &mut Reading, python: i64, native: i64, blocks: i64) {
    reading.live = reading.live + Bytes(python + native);
    reading.native = reading.native.map(|bytes| bytes + Bytes(native));
    reading.blocks = Blocks(reading.blocks.0 + blocks);
    reading.rss_anon = reading.rss_anon + Bytes(python + native);
}

/// An experiment that gave back so much resident memory.
pub(crate) fn rss(bytes: i64) -> GaveBack {
    GaveBack { live: Bytes::ZERO, rss: Bytes(bytes) }
}
