//! Mutants by tests: frames of a made-up matrix.

use crate::event::{Effect, UiEvent};
use crate::model::FaultOutcome::{KilledByError, Survived};
use crate::model::{EventKind, FaultOutcome};
use crate::review::ReviewOptions;
use crate::store::testing::{counter_repo, key_of, mutant, put_held, store_with};
use crate::store::{StoreAccess, Verdicts};
use crate::tests::bench::Bench;
use crate::tests::{check_frame, check_shows, pressed, shown};

#[test]
fn the_screen_looks_as_it_did() {
    for (width, height) in [(80, 24), (120, 40), (200, 50)] {
        check_frame("faults", width, height, "gF");
    }
    check_frame("faults_missed", 80, 24, "gFlo");
    check_frame("faults_legend", 120, 40, "gFi");
}

#[test]
fn keys_choose_mutant_test_and_sample() {
    check_shows(
        "gF",
        &[
            "bounded · 7 mutants × 3 tests",
            "1/2",
            "truth: mutation score 0.833 (5/6, 1 marked)",
            "truth: survives",
            "+     if value <= low:",
        ],
    );
    check_shows("gFl", &["carbon: mutation score 0.400 (2/5, 1 marked)"]);
    // The next mutant that this test does not kill, and that is not marked.
    check_shows("gFln", &["not covered", "calc.py:5"]);
    check_shows("gFlN", &["calc.py:7"]);
    check_shows("gFllj", &["carbon #1: survives"]);
    check_shows("gF}", &["2/2"]);
}

#[test]
fn only_what_the_true_test_notices_and_the_other_does_not_is_listed() {
    check_shows(
        "gFlo",
        &["2 of 7 mutants", "only mutants that the true test notices"],
    );
    check_shows("gFlo<esc>", &["7 mutants × 3 tests"]);
    // From the true test, which misses none of its own, to the first one that misses some.
    check_shows(
        "gFo",
        &[
            "2 of 7 mutants",
            "carbon: mutation score 0.400 (2/5, 1 marked)",
        ],
    );
}

#[test]
fn after_o_the_next_sample_is_the_one_that_is_found() {
    check_shows("gFlo}", &["2/2", "only mutants that the true test notices"]);
    check_shows("gFlo}}", &["1/2"]);
}

#[test]
fn a_mutant_in_another_file_is_not_shown_in_that_of_the_focal_method() {
    check_shows("gF}N", &["Square.java:2 · Replaced multiplication"]);
    let text = shown(&pressed(120, 40, "gF}N"));
    assert!(!text.contains("if value < low:"), "{text}");
}

#[test]
fn what_letters_mean_is_said() {
    check_shows(
        "gFi",
        &[
            "noticed by an assertion",
            "repeated runs differ",
            "marked as equivalent; counts in no score",
        ],
    );
}

/// Opens Faults on an index: the first mutant survives in both runs, a test of another sample kills the second.
fn marking(annotator: &str, keys: &str) -> Bench {
    let (folder, mut store) = store_with(&[counter_repo("a")]);
    let mut put = |name: &str, test: &str, outcomes: &[FaultOutcome]| {
        put_held(&mut store, name, key_of("a", test), outcomes);
    };
    put(
        "carbon",
        "testInc",
        &[Survived, Survived, Survived, KilledByError],
    );
    put("other", "testAdd", &[Survived, KilledByError]);
    let reviewing = ReviewOptions {
        annotator: annotator.to_owned(),
        ..ReviewOptions::default()
    };
    Bench::open(folder, store, reviewing, &format!("gF{keys}"))
}

#[test]
fn one_key_marks_a_mutant_as_equivalent_and_takes_it_back() {
    let mut bench = marking("ada", "");
    bench.check_shows("carbon: mutation score 0.250 (1/4) · strength 0.250 (1/4)");
    bench.press("=");
    bench.check_shows("✓ saved: mutant marked as equivalent · u undoes it");
    bench.check_shows("mutation score 0.333 (1/3, 1 marked) · strength 0.333 (1/3)");
    bench.check_shows("▌ =   1 AOR");
    bench.check_shows("= ada");
    // Going to the next survivor skips it.
    bench.press("jn");
    bench.check_shows("Counter.java:3");
    bench.press("n");
    bench.check_shows("Counter.java:2");
    bench.press("k=");
    bench.check_shows("✓ saved: mutant no longer marked as equivalent · u undoes it");
    bench.press("u");
    bench.check_shows("undone: mutant no longer marked as equivalent");
    assert_eq!(bench.verdicts().equivalents().expect("they read").len(), 1);
    bench.press("u");
    assert_eq!(bench.verdicts().equivalents().expect("they read"), []);
    bench.press("U");
    bench.check_shows("redone: mutant marked as equivalent");
    let kinds: Vec<&str> = bench
        .events()
        .iter()
        .map(|event| event.kind().as_str())
        .collect();
    let expected = ["equivalent", "not_equivalent", "undone", "undone", "redone"];
    assert_eq!(kinds, expected);
}

#[test]
fn a_mutant_that_any_test_kills_is_not_marked() {
    let mut bench = marking("ada", "j=");
    bench.check_shows("not marked: a test of other kills it by an error, so it is not equivalent");
    bench.press("jj=");
    bench.check_shows("not marked: a test of carbon kills it by an error");
    assert_eq!(bench.events(), []);
    // A mutant that is marked elsewhere has another sign.
    let mutant = mutant(2).id;
    let key = key_of("a", "testInc");
    let verdicts = Verdicts::open(bench.folder.path(), StoreAccess::Create);
    let mut verdicts = verdicts.expect("the file is made");
    let said = verdicts.append("eva", 1, vec![EventKind::Equivalent { key, mutant }]);
    said.expect("an event is added");
    bench.press("qgF");
    bench.check_shows("┃  ≠   2 AOR");
    bench.press("gg=");
    bench.check_shows("✓ saved");
}

#[test]
fn no_mark_without_a_name_of_what_was_not_shown_or_by_a_key_that_is_held_down() {
    let mut bench = marking("", "=");
    bench.check_shows("your name");
    bench = marking("ada", "");
    for key in crate::key::parse("=").expect("it is a key") {
        bench.stage.send(UiEvent::Repeat(key));
    }
    bench.check_shows("ignored: the key is held down");
    bench.stage.paints = false;
    bench.press("j=");
    bench.check_shows("ignored: the mutant was not shown yet");
    bench.stage.paints = true;
    bench.press("k");
    bench.stage.scribe = None;
    bench.press("==");
    bench.check_shows("still being saved");
    let said = bench.stage.other_effects.iter();
    assert_eq!(said.filter(|it| matches!(it, Effect::Say(_))).count(), 1);
    assert_eq!(bench.events(), []);
}
