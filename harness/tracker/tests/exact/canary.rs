use crate::trial;
use highwater_tracker::canary::{self, CANARY_BYTES, Canary};
use highwater_tracker::{Section, take_reading};
use libtest_mimic::Trial;

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("canary::is_counted_and_leaves_nothing", is_counted_and_leaves_nothing)]
}

fn is_counted_and_leaves_nothing() {
    let expected = Ok(Canary { bytes: CANARY_BYTES as i64 });
    let before = take_reading();
    assert_eq!(canary::check(), expected);
    let after = take_reading();
    assert_eq!(crate::moved(&before, &after), (0, 0));
    assert_eq!(after.udf.peak_bytes - before.udf.live_bytes, CANARY_BYTES as i64);
    assert_eq!(after.udf.allocations - before.udf.allocations, 1);
    let _harness = Section::harness();
    assert_eq!(canary::check(), expected, "in a harness section");
}
