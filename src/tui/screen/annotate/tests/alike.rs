//! One verdict for similar tests: the list before it, the events, and the undo.

use ratatui::layout::Size;

use super::ada;
use crate::event::UiEvent;
use crate::keymap::{KeyContext, all};
use crate::model::EventKind;
use crate::review::is_of_alike;
use crate::store::testing::{many_tests, store_with};
use crate::tests::bench::Bench;

/// Opens twenty similar tests of one class; the matcher chose `setCount` for three, `inc` for four and `add` for three.
fn bench(keys: &str) -> Bench {
    let (folder, store) = store_with(&[many_tests("m", 20)]);
    Bench::open(folder, store, ada("alike"), keys)
}

#[test]
fn a_verdict_is_given_to_what_is_alike_after_its_differences_were_seen() {
    let mut bench = bench("gaagA");
    bench.check_shows("accept Counter.setCount(int) · for 2 similar tests");
    bench.check_shows("differences from ManyTest.test0_0()");
    bench.check_shows("left out: 17 similar tests of another method or of none");
    bench.check_shows("+ ");
    bench.check_shows("Enter give it to all  Space page  G end  Esc leave");
    // Nothing is written before Enter.
    assert_eq!(bench.events().len(), 1);
    bench.press("<enter>");
    bench.check_shows("✓ given to 2 similar tests, provisionally · u undoes all");
    bench.check_shows("17 left");
    let provisional = bench.verdicts().provisional().expect("it reads");
    assert_eq!(provisional.len(), 2);
    let batches = bench.events().into_iter();
    let batches = batches
        .filter(|event| matches!(event.kind(), EventKind::Batch(batch) if is_of_alike(batch)));
    assert_eq!(batches.count(), 1);
    // The next sample is of another method.
    bench.check_shows("Counter.inc()");
    bench.press("u");
    bench.check_shows("undone: 2 verdicts given to similar tests");
    bench.check_shows("19 left");
    assert_eq!(bench.verdicts().provisional().expect("it reads"), []);
    bench.press("U");
    bench.check_shows("17 left");
}

#[test]
fn what_is_left_out_is_counted_with_its_reason_on_a_narrow_screen() {
    let (folder, store) = store_with(&[many_tests("m", 20)]);
    let mut bench = Bench::open(folder, store, ada("alike"), "gaa");
    bench.stage.send(UiEvent::Resize(Size::new(80, 24)));
    bench.press("gA");
    bench.check_shows("left out: 17 similar tests of another method or of none");
    let text = bench.text();
    assert!(!text.contains('↪'), "{text}");
}

#[test]
fn leaving_the_list_gives_nothing() {
    let bench = bench("gaagA<esc>");
    assert_eq!(bench.events().len(), 1);
    bench.check_shows("19 left");
}

#[test]
fn what_has_not_been_seen_to_its_end_is_not_given() {
    // "No focal method" fits all nineteen others, more than a screen holds.
    let mut bench = bench("gaXgA<enter>");
    bench.check_shows("for 19 similar tests");
    bench.check_shows("not yet: there is more below");
    assert_eq!(bench.events().len(), 1);
    bench.press("G<enter>");
    bench.check_shows("✓ given to 19 similar tests");
    bench.check_shows("You have judged all 20 samples");
}

#[test]
fn without_a_verdict_there_is_nothing_to_give() {
    bench("gagA").check_shows("no verdict to give yet: judge one, then gA");
    bench("gasgA").check_shows("no verdict to give yet");
}

#[test]
fn the_chord_is_free_on_every_screen() {
    let chord = "gA";
    for action in all().filter(|key_action| key_action.id != "annotate-alike") {
        let takes = |keys: &&str| chord.starts_with(*keys);
        let is_on_screen = action
            .contexts
            .iter()
            .any(|context| matches!(context, KeyContext::On(_)));
        assert!(
            !is_on_screen || !action.keys.iter().any(takes),
            "{} takes {chord}",
            action.id
        );
    }
}
