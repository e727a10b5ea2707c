//! The list of samples: moving, sorting, filtering.

use crate::tests::{SIZES, check_frame, check_shows};

#[test]
fn the_list_looks_as_it_did() {
    for (width, height) in SIZES {
        check_frame("samples", width, height, "gsjj");
    }
}

#[test]
fn the_list_opens_a_sample_and_comes_back() {
    check_shows(
        "gsjj",
        &["3/812", "test · VerifierTest.rejectsExpiredToken2"],
    );
    check_shows("gsjj<enter>", &["candidates (3)", "setup context (2)"]);
    check_shows("gsjj<enter><esc>", &["samples", "3/812"]);
    check_shows("gsG", &["812/812"]);
    check_shows("gs<c-f>gg", &["1/812"]);
    check_shows("gs<enter>}}{", &["2/812"]);
}

#[test]
fn a_sort_shows_in_the_filter_and_turns_round() {
    check_shows("gs,w", &["sort:-weight"]);
    check_shows("gs,w,w", &["sort:weight"]);
    check_shows("gs,w,,", &["every test"]);
}

#[test]
fn a_wrong_filter_is_marked_and_changes_nothing() {
    check_shows("gsfstatsu:tie<cr>", &["no field `statsu`", "every test"]);
    check_shows("gsfstatus:tie<cr>", &["status:tie · 1/812"]);
    check_shows("gsfsta<tab>", &["status:"]);
    check_shows("gsfsta<tab><tab>", &["stage:"]);
}
