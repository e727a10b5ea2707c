//! Mutants by tests: frames of a matrix made by hand.

use crate::tests::{check_frame, check_shows};

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
            "truth: mutation score 0.714 (5/7)",
            "truth: survives",
            "+     if value <= low:",
        ],
    );
    check_shows("gFl", &["carbon: mutation score 0.333 (2/6)"]);
    // The next one that this test does not notice.
    check_shows("gFlnn", &["not covered", "calc.py:5"]);
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
    // From the true test, which misses nothing of its own, to the first one that does.
    check_shows(
        "gFo",
        &["2 of 7 mutants", "carbon: mutation score 0.333 (2/6)"],
    );
}

#[test]
fn after_o_the_next_sample_is_the_one_that_is_found() {
    check_shows("gFlo}", &["2/2", "only mutants that the true test notices"]);
    check_shows("gFlo}}", &["1/2"]);
}

#[test]
fn what_letters_mean_is_said() {
    check_shows("gFi", &["noticed by an assertion", "repeated runs differ"]);
}
