//! How a sample comes up: what of it is on the screen, and which keys may judge it then.

use super::n_said;
use crate::fixture::{self, Answered};
use crate::model::SampleKey;
use crate::question::AnyQuestion;
use crate::question::shared::{AskItem, Item};
use crate::stage::Stage;
use crate::tests::{SIZES, check_frame_of, start, text};
use crate::theme::Depth;

#[test]
fn the_screen_looks_as_it_did() {
    check_frame_of(answer_abstained, "annotate_unmapped", (80, 24), "ga");
    for size in SIZES {
        check_frame_of(answer_many, "annotate_many", size, "ga");
    }
}

#[test]
fn where_the_matcher_abstained_accepting_says_which_keys_decide() {
    let mut stage = stage_of(answer_abstained, (80, 24), "ga");
    assert!(!text(&stage.frame()).contains("a accept"));
    stage.press("a").expect("the script is well-formed");
    assert_eq!(n_said(&stage), 0);
    let shown = text(&stage.frame());
    assert!(shown.contains("no match to accept · 1-9: pick"), "{shown}");
}

type Answering = fn(&dyn AnyQuestion) -> Answered;

fn stage_of(answer: Answering, size: (u16, u16), keys: &str) -> Stage<Answering> {
    let start = start(size.0, size.1, "ansi16", Depth::Mono);
    let mut stage = Stage::new(start, answer);
    stage.press(keys).expect("the script is well-formed");
    stage
}

/// Answers as the fixture does, with samples that are made so.
fn answered(asked: &dyn AnyQuestion, make: impl FnOnce(&SampleKey) -> Item) -> Answered {
    let item = |asked: &AskItem| (asked.key, Some(Box::new(make(&asked.key))));
    fixture::given(asked, item).unwrap_or_else(|| fixture::answer(asked))
}

/// The matcher abstained.
fn answer_abstained(asked: &dyn AnyQuestion) -> Answered {
    answered(asked, fixture::item_abstained)
}

/// There are 12 candidates.
fn answer_many(asked: &dyn AnyQuestion) -> Answered {
    answered(asked, |key| fixture::item_with(key, 12))
}

/// Opens the first sample of 12 candidates.
fn many(size: (u16, u16), keys: &str) -> Stage<Answering> {
    stage_of(answer_many, size, keys)
}

#[test]
fn every_candidate_that_a_digit_picks_is_on_the_screen() {
    for size in SIZES.into_iter().filter(|(width, _)| *width >= 80) {
        for digit in 1..=9 {
            let shown = text(&many(size, "ga").frame());
            assert!(
                shown.contains(&format!(" {digit} Maker{digit}.make")),
                "{shown}"
            );
            let stage = many(size, &format!("ga{digit}"));
            assert_eq!(n_said(&stage), 1, "{digit} at {size:?}");
        }
        let shown = text(&many(size, "ga").frame());
        let counted = shown.contains("… 3 more") || shown.contains(" 12 Maker12.make");
        assert!(counted, "{shown}");
    }
}

/// The test is long, and its focal call stands far above its first assertion.
fn answer_long(asked: &dyn AnyQuestion) -> Answered {
    answered(asked, fixture::item_long)
}

#[test]
fn a_long_test_opens_where_the_focal_call_and_the_first_assertion_are_seen() {
    for size in SIZES {
        let mut stage = stage_of(answer_long, size, "ga");
        let shown = text(&stage.frame());
        for sought in ["▶     int sum = counter.add(", "assertEquals(6, sum)"] {
            assert!(shown.contains(sought), "{sought} at {size:?}:\n{shown}");
        }
        let is_folded = shown.contains("⋯ ");
        stage.press("za").expect("the script is well-formed");
        let unfolded = text(&stage.frame());
        assert!(!is_folded || !unfolded.contains("⋯ "), "{unfolded}");
    }
}

#[test]
fn a_digit_without_its_row_picks_nothing() {
    for keys in ["ga<enter>", "ga<tab><tab>G"] {
        let mut stage = many((80, 24), keys);
        stage.press("1").expect("the script is well-formed");
        assert_eq!(n_said(&stage), 0, "{keys}");
        let shown = text(&stage.frame());
        assert!(
            shown.contains("candidate 1 is not on the screen"),
            "{shown}"
        );
    }
    let small = many((60, 16), "ga");
    let shown = text(&small.frame());
    for digit in 1..=9 {
        let is_shown = shown.contains(&format!(" {digit} Maker{digit}.make"));
        let stage = many((60, 16), &format!("ga{digit}"));
        assert_eq!(n_said(&stage), usize::from(is_shown), "{digit}:\n{shown}");
    }
}
