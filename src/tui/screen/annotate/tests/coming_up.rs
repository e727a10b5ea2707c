//! How a sample comes up: its visible part, and the keys that may judge it then.

use super::n_said;
use crate::fixture::{self, AnswerResult};
use crate::model::SampleKey;
use crate::question::AnyQuestion;
use crate::question::shared::{ReviewItem, ReviewItemQuestion};
use crate::stage::UiStage;
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

type Answering = fn(&dyn AnyQuestion) -> AnswerResult;

fn stage_of(answer: Answering, size: (u16, u16), keys: &str) -> UiStage<Answering> {
    let start = start(size.0, size.1, "ansi16", Depth::Mono);
    let mut stage = UiStage::new(start, answer);
    stage.press(keys).expect("the script is well-formed");
    stage
}

/// Answers as the fixture does, but with samples that `make` makes.
fn answered(asked: &dyn AnyQuestion, make: impl FnOnce(&SampleKey) -> ReviewItem) -> AnswerResult {
    let item = |asked: &ReviewItemQuestion| (asked.key, Some(Box::new(make(&asked.key))));
    fixture::given(asked, item).unwrap_or_else(|| fixture::answer(asked))
}

/// Answers with samples on which the matcher abstained.
fn answer_abstained(asked: &dyn AnyQuestion) -> AnswerResult {
    answered(asked, fixture::item_abstained)
}

/// Answers with samples of 12 candidates.
fn answer_many(asked: &dyn AnyQuestion) -> AnswerResult {
    answered(asked, |key| fixture::item_with(key, 12))
}

/// Opens the first sample of 12 candidates.
fn many(size: (u16, u16), keys: &str) -> UiStage<Answering> {
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

/// Answers with a long test, whose focal call stands far above its first assertion.
fn answer_long(asked: &dyn AnyQuestion) -> AnswerResult {
    answered(asked, fixture::item_long)
}

#[test]
fn a_long_test_opens_where_the_focal_call_and_the_assertion_part_are_seen() {
    for size in SIZES {
        let mut stage = stage_of(answer_long, size, "ga");
        let shown = text(&stage.frame());
        for sought in ["▶     int sum = counter.add(", " A      Part after0"] {
            assert!(shown.contains(sought), "{sought} at {size:?}:\n{shown}");
        }
        let is_folded = shown.contains("⋯ ");
        stage.press("za").expect("the script is well-formed");
        let unfolded = text(&stage.frame());
        assert!(!is_folded || !unfolded.contains("⋯ "), "{unfolded}");
    }
}

/// Answers with a queue whose samples usually have nine candidates.
fn answer_asserting(asked: &dyn AnyQuestion) -> AnswerResult {
    fixture::queue_of_many(asked).unwrap_or_else(|| answered(asked, fixture::item_asserting))
}

#[test]
fn a_test_opens_at_its_assertion_part_and_takes_rows_that_no_candidate_needs() {
    for size in [(80, 24), (120, 40)] {
        let shown = text(&stage_of(answer_asserting, size, "ga").frame());
        let begins = |sought: &str| shown.lines().any(|line| line.contains(sought));
        assert!(begins("▶     int sum = counter.add("), "{shown}");
        let part = shown.lines().find(|line| line.contains(" A  "));
        assert!(
            part.is_some_and(|part| part.contains("Part after0")),
            "{shown}"
        );
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

#[test]
fn the_finder_leaves_the_test_in_sight() {
    for size in SIZES.into_iter().filter(|(width, _)| *width >= 80) {
        let stage = stage_of(fixture::answer, size, "gapver");
        let shown = text(&stage.frame());
        for seen in [
            "rejectsExpiredToken()",
            "Find a method",
            "Verifier.verify(String)",
        ] {
            assert!(shown.contains(seen), "{seen} at {size:?}:\n{shown}");
        }
    }
}

/// Answers with seven candidates for every third sample, and two for the others.
fn answer_uneven(asked: &dyn AnyQuestion) -> AnswerResult {
    answered(asked, |key| {
        let n_candidates = if key.0[3].is_multiple_of(3) { 7 } else { 2 };
        fixture::item_with(key, n_candidates)
    })
}

#[test]
fn the_panes_stand_where_they_stood_but_for_a_sample_with_more_candidates() {
    let stage = stage_of(answer_uneven, (80, 24), "ga");
    let borders = |stage: &UiStage<Answering>| -> Vec<usize> {
        let shown = text(&stage.frame());
        let lines = shown.lines().enumerate();
        let ends = lines.filter(|(_, line)| line.starts_with(['┗', '└']));
        ends.map(|(idx, _)| idx).collect()
    };
    let mut seen = vec![borders(&stage)];
    let mut stage = stage;
    for _ in 0..5 {
        stage.press("}").expect("the script is well-formed");
        seen.push(borders(&stage));
    }
    // The panes are laid out for the queue's median, three candidates; the seven of every third sample take more rows.
    let [many, few] = [&seen[0], &seen[1]];
    assert!(many[1] < few[1], "{seen:?}");
    for (idx, borders) in seen.iter().enumerate() {
        assert_eq!(borders, if idx % 3 == 0 { many } else { few }, "{seen:?}");
    }
}

#[test]
fn the_calls_of_the_candidate_under_the_cursor_are_marked() {
    let marked = |answer: Answering, keys: &str, mark: char| {
        let shown = text(&stage_of(answer, (120, 40), keys).frame());
        let line = shown
            .lines()
            .find(|line| line.contains(mark) && line.contains("store"));
        line.map(|line| line.contains("size()"))
    };
    // The second candidate is `size`; its call is marked although the matcher chose another one or abstained.
    assert_eq!(marked(fixture::answer, "ga", '▷'), None);
    assert_eq!(marked(fixture::answer, "ga<tab><tab>j", '▷'), Some(true));
    assert_eq!(marked(answer_abstained, "ga<tab><tab>j", '▷'), Some(true));
}
