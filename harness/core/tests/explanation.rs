//! What is said around a finding.

use highwater_core::{
    Batches, Bytes, Experiments, GaveBack, Made, Pattern, ProductionFinding, Reading, Run, analyse,
    explain,
};

fn run(live: impl Fn(i64) -> i64) -> Run {
    let reading = |batch| {
        let live = Bytes(live(batch));
        Reading { live, peak: live, ..Reading::default() }
    };
    Run { batches: (0..200).map(reading).collect(), ..Run::default() }
}

#[test]
fn how_sure_an_answer_is_rests_on_its_evidence() {
    // Scattered, with no period.
    let noise = |batch: i64| 1_000_000 + (batch * batch * 7_919 + batch * 104_729) % 10_007;
    for (run, expected) in [
        (run(|_| 7), "sure: the lows of 8 windows are equal, to the byte"),
        (run(|batch| 100 * batch), "sure: it rises in 8 of 8 windows"),
        (run(|batch| 1_000 * batch.min(120)), "sure: level for "),
        (run(noise), "sure for leaks above "),
    ] {
        let certainty = explain(&analyse(&run), None, None).certainty;
        assert!(certainty.starts_with(expected), "{certainty}");
    }
    let short = Run { batches: run(|_| 7).batches[..50].to_vec(), ..Run::default() };
    let explanation = explain(&analyse(&short), None, None);
    assert_eq!(explanation.certainty, "not sure: the run does not tell");
    assert_eq!(explanation.next, "run more batches: `batches`, or `--batches N`");
    assert_eq!((explanation.batches, explanation.tried), (Batches(50), None));
}

#[test]
fn what_was_tried_is_told_with_what_it_gave_back() {
    let gave = |rss| GaveBack { live: Bytes::ZERO, rss: Bytes(rss) };
    let experiments = Experiments { trim: gave(15 << 20), drop: gave(4096), ..Default::default() };
    let finding = analyse(&run(|_| 7));
    let all = Some((&experiments, Made::All));
    let tried = explain(&finding, None, all).tried.expect("there were some");
    assert!(tried.starts_with("a collection gave back 0 B live, 0 B resident; "), "{tried}");
    assert!(tried.contains("`malloc_trim` gave back 0 B live, 15 MiB resident"), "{tried}");
    assert!(tried.ends_with("dropping the UDF gave back 0 B live, 4 KiB resident"), "{tried}");
    assert!(!tried.contains("caches"), "{tried}");
    let empty_caches = GaveBack { live: Bytes(2048), rss: Bytes::ZERO };
    let emptied = Experiments { empty_caches, ..experiments };
    let tried =
        explain(&finding, None, Some((&emptied, Made::All))).tried.expect("there were some");
    assert!(tried.contains("caches that are not full gave back 2 KiB live"), "{tried}");
    // What was not made is not told.
    let under_rust = Some((&experiments, Made::TrimAndDrop));
    let tried = explain(&finding, None, under_rust).tried.expect("there were some");
    assert!(tried.starts_with("`malloc_trim`") && !tried.contains("collection"), "{tried}");
}

/// What the production run warns of decides what to do, where the exact run passes.
#[test]
fn the_next_step_is_that_of_the_headline() {
    let finding = analyse(&run(|_| 7));
    let production = ProductionFinding {
        pattern: Some(Pattern::AllocatorRetention),
        ..ProductionFinding::default()
    };
    let next = explain(&finding, Some(&production), None).next;
    assert!(next.contains("set the remedy that saves most"), "{next}");
    assert!(explain(&finding, None, None).next.starts_with("nothing"));
}
