//! One sample: its panes, its candidates with the reasons for their weights, and what can be done with its code.

use crate::event::Effect;
use crate::fixture;
use crate::model::{Shakes, Stability};
use crate::screen::docs;
use crate::tests::{SIZES, check_frame, check_frame_of, check_shows, pressed, shown, wanted};

#[test]
fn a_sample_looks_as_it_did() {
    for (width, height) in SIZES {
        check_frame("sample", width, height, "gs<enter>/store<cr>");
    }
}

#[test]
fn weighed_candidates_look_as_they_did() {
    for size in [(80, 24), (120, 40)] {
        check_frame_of(fixture::answer_weighed, "weighed", size, "gs<enter>");
        check_frame_of(fixture::answer_weighed, "why", size, "gs<enter>i");
    }
    check_frame_of(fixture::answer_weighed, "why", (60, 16), "gs<enter>i");
    check_frame_of(
        fixture::answer_weighed,
        "why_long",
        (80, 24),
        "gs<enter>ijj",
    );
    check_frame_of(
        fixture::answer_weighed,
        "why_abstained",
        (80, 24),
        "gsjjj<enter>ij",
    );
}

#[test]
fn why_follows_the_candidate_and_the_sample() {
    check_shows(
        "gs<enter>i",
        &[
            "why · 1 of 3 · Verifier.verify",
            "picked by the test's name",
        ],
    );
    check_shows(
        "gs<enter>ij",
        &["why · 2 of 3 · TokenStore.size", "not picked"],
    );
    check_shows("gs<enter>ijjjk", &["why · 2 of 3"]);
    check_shows(
        "gs<enter>i}}}",
        &["why · 1 of 3", "Several candidates share"],
    );
    // The same in the list, whose cursor stays in its place.
    check_shows("gsij", &["why · 2 of 3", "1/812"]);
    for closed in [
        "gs<enter>ii",
        "gs<enter>i<esc>",
        "gs<enter>iq",
        "gs<enter>iI",
    ] {
        assert!(
            !shown(&pressed(120, 40, closed)).contains("why ·"),
            "{closed}"
        );
    }
}

#[test]
fn a_search_finds_and_says_how_often() {
    check_shows("gs<enter>/store<cr>", &["store: 1 of 6"]);
    check_shows("gs<enter>/store<cr>nn", &["store: 3 of 6"]);
    check_shows("gs<enter>/store<cr>N", &["store: 6 of 6"]);
    check_shows("gs<enter>/nowhere<cr>", &["nowhere: not in this pane"]);
}

#[test]
fn panes_are_walked_around() {
    let title = |keys: &str| {
        let text = shown(&pressed(120, 40, keys));
        let line = text
            .lines()
            .find(|line| line.contains('┏'))
            .unwrap_or_default();
        let title = line.split('┏').nth(1).unwrap_or_default();
        title.trim_start().chars().take(7).collect::<String>()
    };
    assert_eq!(title("gs<enter>"), "test · ");
    assert_eq!(title("gs<enter><tab>"), "focal ·");
    assert_eq!(title("gs<enter><tab><tab>"), "setup c");
    assert_eq!(title("gs<enter><tab><tab><tab>"), "focal c");
    assert_eq!(title("gs<enter><s-tab>"), "candida");
    assert_eq!(title("gs<enter><tab><tab><tab><tab><tab>"), "test · ");
}

#[test]
fn the_editor_opens_at_the_line_of_what_has_the_focus() {
    let edit = |path: &str, line| Effect::Edit {
        path: format!("repositories/kit/{path}").into(),
        line,
    };
    let (test, focal) = (
        "src/test/java/kit/VerifierTest.java",
        "src/main/java/kit/Verifier.java",
    );
    assert_eq!(wanted("gse"), [edit(test, 42)]);
    assert_eq!(wanted("gs<enter><tab>e"), [edit(focal, 88)]);
    assert_eq!(wanted("gs<enter>]e"), [edit(test, 47)]);
}

#[test]
fn a_copy_is_said_with_its_size() {
    assert_eq!(wanted("gsyi"), [Effect::Copy("0".repeat(32))]);
    assert_eq!(
        wanted("gsyp"),
        [Effect::Copy(
            "src/test/java/kit/VerifierTest.java:42".to_owned()
        )]
    );
    check_shows(
        "gs<enter><tab>yy",
        &["copied the focal method · 323 B · OSC 52"],
    );
}

#[test]
fn code_shows_what_cannot_be_seen_and_wraps_under_its_indent() {
    let text = shown(&pressed(120, 40, "gs<enter>"));
    assert!(text.contains("⟨202E⟩tab and bidi"), "{text}");
    assert!(text.contains('↪'), "{text}");
    assert!(text.contains("47 S▶ "), "{text}");
    assert!(text.contains("48 A  "), "{text}");
    let cut = shown(&pressed(120, 40, "gs<enter>w"));
    assert!(!cut.contains('↪') && cut.contains('›'), "{cut}");
}

#[test]
fn a_test_that_is_unstable_says_so_in_its_title_and_among_the_facts() {
    let mut detail = fixture::detail(fixture::row(0));
    let title = |detail: &_| super::title(super::SamplePane::Test, detail);
    assert!(!title(&detail).contains("unstable"));
    let stability = |changed: &str| Stability {
        changed: Shakes::read(changed).unwrap_or_default(),
        ..Stability::default()
    };
    detail.stability = Some(stability(""));
    assert!(!title(&detail).contains("unstable"));
    detail.stability = Some(stability("order,date"));
    assert!(title(&detail).ends_with(" · unstable: order, date"));
    let told = ("unstable".to_owned(), "order, date".to_owned());
    assert!(docs::facts(&detail).contains(&told));
}
