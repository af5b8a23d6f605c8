use crate::{left_by, trial};
use libtest_mimic::Trial;
use std::hint::black_box;
use std::panic;
use std::thread;

pub(crate) fn trials() -> Vec<Trial> {
    vec![trial("unwinding::frees_what_it_drops", frees_what_it_drops)]
}

fn deep(levels: usize) {
    let block = black_box(vec![0_u8; 1000 * levels + 1]);
    if levels == 0 {
        panic!("at the bottom, with {} bytes", block.len());
    }
    deep(levels - 1);
    drop(block);
}

fn frees_what_it_drops() {
    let loud = panic::take_hook();
    panic::set_hook(Box::new(|_| ()));
    let here = left_by(|| {
        let outcome = panic::catch_unwind(|| deep(40));
        assert!(outcome.is_err());
    });
    let elsewhere = left_by(|| {
        let outcome = thread::spawn(|| deep(40)).join();
        assert!(outcome.is_err());
    });
    panic::set_hook(loud);
    assert_eq!((here, elsewhere), ((0, 0), (0, 0)));
}
