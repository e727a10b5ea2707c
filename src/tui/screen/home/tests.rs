//! What home shows and where its lines lead.

use crate::tests::{SIZES, check_frame, check_shows, pressed, shown};

#[test]
fn home_looks_as_it_did() {
    for (width, height) in SIZES {
        check_frame("home", width, height, "");
    }
}

#[test]
fn home_lists_the_last_runs_and_opens_them() {
    check_shows("", &["last runs", "broken", "not evaluated", "BLEU 19.30"]);
    let n_downs = (0..30).find(|n| {
        let mut stage = pressed(120, 40, "l");
        stage.press(&"j".repeat(*n)).expect("well-formed");
        shown(&stage).contains("Enter: run zero-shot")
    });
    let keys = format!("l{}<enter>", "j".repeat(n_downs.expect("it is listed")));
    check_shows(&keys, &["3/5"]);
}

#[test]
fn a_line_of_the_funnel_opens_its_tests() {
    check_shows("<enter>", &["every test"]);
    check_shows("jj<enter>", &["status:ok"]);
}
