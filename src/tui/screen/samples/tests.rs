//! The list of samples: moving, sorting, filtering.

use crate::chore::Chore;
use crate::event::Effect;
use crate::fixture;
use crate::model::EventKind;
use crate::question::QuestionFailure;
use crate::question::shared::SampleCountQuestion;
use crate::review::ReviewOptions;
use crate::stage::UiStage;
use crate::store::testing::{counter_repo, store_with};
use crate::tests::bench::Bench;
use crate::tests::{Answering, SIZES, check_frame, check_shows, pressed, shown, start};
use crate::theme::Depth;

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

#[test]
fn tab_takes_what_was_meant() {
    check_shows("gsfstatsu:tie ", &["Tab status  no field `statsu`"]);
    check_shows("gsfstatsu:tie <tab><cr>", &["status:tie · 1/812"]);
    check_shows("gsfstatsu:tie<cr><tab><cr>", &["status:tie · 1/812"]);
    check_shows(
        "gsf(status:tie,abstaned or split:test) <tab><cr>",
        &["(status:tie,abstained or split:test) · 1/812"],
    );
    check_shows(
        "gsfrepo:a @hrad <tab><cr>",
        &["repo:a status:tie weight<0.5 · "],
    );
}

/// Returns the typed line.
fn typed(keys: &str, answer: Answering) -> String {
    let start = start(80, 24, "ansi16", Depth::Mono);
    let mut stage = UiStage::new(start, answer);
    stage.press(keys).expect("the script is well-formed");
    let shown = shown(&stage);
    shown.lines().last().unwrap_or_default().to_owned()
}

#[test]
fn a_filter_that_is_typed_says_how_many_tests_it_lets_through() {
    let known: Answering = fixture::answer;
    assert_eq!(
        typed("gsfstatus:tie or weight<lt>0.5", known)
            .split_whitespace()
            .collect::<Vec<_>>(),
        ["filter", "status:tie", "or", "weight<0.5", "812"]
    );
    let wrong = typed("gsfstatus:tie or ", known);
    assert!(!wrong.contains("812"), "{wrong}");
    // No count has come yet.
    let waiting: Answering = |asked| match asked.of::<SampleCountQuestion>() {
        Some(_) => Err(QuestionFailure::NoIndex),
        None => fixture::answer(asked),
    };
    let line = typed("gsfstatus:tie", waiting);
    assert!(line.ends_with('…'), "{line}");
}

#[test]
fn a_selection_is_counted_marked_and_ended() {
    check_shows("gsVjj", &["3 selected", "3/812"]);
    check_shows("gsjjjVkk", &["3 selected", "2/812"]);
    check_shows("gsjVG", &["811 selected"]);
    let ended = shown(&pressed(120, 40, "gsVjj<esc>"));
    assert!(!ended.contains("selected"), "{ended}");
    // Esc ends the selection, and does nothing else.
    assert!(ended.contains("3/812"), "{ended}");
    // Another list has other rows.
    assert!(!shown(&pressed(120, 40, "gsVjj,w")).contains("selected"));
}

/// Opens the list of samples for ada.
fn listed(keys: &str) -> Bench {
    let (folder, store) = store_with(&[counter_repo("a"), counter_repo("b")]);
    let reviewing = ReviewOptions {
        annotator: "ada".to_owned(),
        ..ReviewOptions::default()
    };
    Bench::open(folder, store, reviewing, keys)
}

/// Returns the copied keys, one per line.
fn copied(bench: &Bench) -> Vec<String> {
    let mut texts = bench
        .stage
        .other_effects
        .iter()
        .filter_map(|effect| match effect {
            Effect::Copy(text) => Some(text.lines().map(str::to_owned).collect()),
            _ => None,
        });
    texts.next_back().expect("something was copied")
}

#[test]
fn the_selected_samples_are_marked_and_their_keys_copied_and_picked() {
    let mut bench = listed("gsjVjyi");
    let keys = copied(&bench);
    assert_eq!(keys.len(), 2);
    bench.press("m");
    bench.check_shows("✓ marked 2 samples");
    let marked: Vec<String> = bench
        .events()
        .iter()
        .filter_map(|event| match event.kind() {
            EventKind::Marked { key } => Some(key.to_string()),
            _ => None,
        })
        .collect();
    assert_eq!(marked, keys);
    bench.press("gl");
    bench.check_shows("# marked ");
    // Without a selection, the sample under the cursor is copied.
    let mut bench = listed("gsyi");
    assert_eq!(copied(&bench).len(), 1);
    bench.press("m");
    bench.check_shows("✓ marked 1 sample ");
}

#[test]
fn the_keys_of_the_selected_samples_are_written() {
    let wanted = listed("gsVjjE<cr>").stage.other_effects;
    let written = wanted.iter().find_map(|effect| match effect {
        Effect::Chore(chore) => Some(chore.as_ref()),
        _ => None,
    });
    let Some(Chore::WriteText { text, path }) = written else {
        panic!("keys are written: {written:?}");
    };
    assert_eq!((text.lines().count(), path.as_str()), (3, "keys.txt"));
}

#[test]
fn the_selected_samples_are_run_again_and_compared() {
    let mut bench = listed("gsVjr");
    bench.check_shows("execute runs");
    bench.check_shows("key:");
    bench.press("<esc>");
    bench.press("c");
    bench.check_shows("Compare");
    let wanted = listed("gsVGr");
    wanted.check_shows("execute runs");
}
