//! Completions of mutated functions: frames of a made-up run, and answers from a real index.

use crate::screen::consistency::questions::{ConsistencyFunctionQuestion, ConsistencyListQuestion};
use crate::tests::{check_frame, check_shows, pressed, shown};

#[test]
fn the_screen_looks_as_it_did() {
    for (width, height) in [(80, 24), (120, 40)] {
        check_frame("consistency", width, height, "gk");
        check_frame("consistency_difference", width, height, "gk<tab>v");
    }
    check_frame("consistency_outlier", 120, 40, "gktttt}}}}}}]");
}

#[test]
fn keys_choose_run_variant_threshold_and_rule() {
    check_shows(
        "gk",
        &[
            "large · 2 functions",
            "run 1/2",
            "below the median of 9 or more others",
            "own: the function as it is",
        ],
    );
    check_shows("gk]", &["small · 2 functions", "run 2/2"]);
    check_shows("gk]j", &["nothing came back for this function"]);
    check_shows("gkt", &["of 1 or more"]);
    check_shows("gkm", &["distance above the mean"]);
    check_shows("gkl", &["REP_R"]);
    check_shows(
        "gk<tab>v",
        &[
            "total, the function",
            "REP_R, a parameter is called Param1",
            "- def total(prices, rate):",
            "+ def total(prices, Param1):",
            "second half from line 15",
        ],
    );
}

#[test]
fn a_narrow_screen_has_whole_names_and_a_whole_line_above() {
    let text = shown(&pressed(80, 24, "gk"));
    for part in [
        "own: the function as it is · ✗ outlier: 9 or more below the median\n",
        "┏ large ━",
        "a_function_with_q…",
    ] {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
    let text = shown(&pressed(80, 24, "gk}}"));
    let line = "REP_C: a parameter has a name that says where it is · ✗ 9+ below the median\n";
    assert!(text.contains(line), "{text}");
}

#[test]
fn what_signs_and_words_mean_is_said() {
    check_shows(
        "gki",
        &[
            "legend",
            "RTF",
            "a condition c is written c == (x == x)",
            "spread",
        ],
    );
    let text = shown(&pressed(120, 40, "gkii"));
    assert!(!text.contains("legend ━"), "{text}");
    // The meaning of a variant stands beside the matrix where there is room.
    let text = shown(&pressed(200, 50, "gk"));
    assert!(
        text.contains("such a branch in the function's own words"),
        "{text}"
    );
}

#[test]
fn two_completions_are_told_apart_line_by_line() {
    // The taken variant is compared with the one under the cursor.
    check_shows(
        "gk<tab>",
        &[
            "IRR ✓ taken − / REP_R +",
            "-     total = total + price * rate",
            "+     total += price * Param1",
            "BLEU 47 → ",
        ],
    );
    // Under the cursor, the taken variant is compared with the function's own.
    check_shows("gk}}}}}", &["own − / IRR ✓ taken +"]);
}

#[test]
fn a_function_is_found_by_a_part_of_its_name() {
    check_shows("gk/long<enter>", &["▌a_function_with_quite"]);
    check_shows(
        "gk/nowhere<enter>",
        &["no function has `nowhere` in its name"],
    );
}

#[test]
fn a_workspace_without_completions_says_how_to_get_some() {
    use crate::question::Question;
    use crate::question::source::{AnswerSource, SharedJobTable};
    use crate::store::testing::store_with;

    let (_folder, store) = store_with(&[]);
    let tables = SharedJobTable::default();
    let source = AnswerSource::of(&store, &tables);
    let options = crate::consistency::judged::JudgeOptions::default();
    let list = ConsistencyListQuestion { run: None, options };
    assert_eq!(list.read(&source).expect("the index reads").runs, []);
    let seed = ConsistencyFunctionQuestion {
        run: "m".to_owned(),
        seed: 1,
        options,
    };
    assert!(seed.read(&source).expect("the index reads").is_none());
}
