//! Problems of a suite: frames of a made-up one, and answers from a real index.

use crate::clover::Look;
use crate::screen::clover::draw::told_unmeasured;
use crate::screen::clover::questions::{
    CloverFileQuestion, CloverLookQuestion, CloverSuiteQuestion,
};
use crate::tests::{check_frame, check_shows, pressed, shown};

#[test]
fn the_screen_looks_as_it_did() {
    for (width, height) in [(80, 24), (120, 40)] {
        check_frame("clover", width, height, "gq");
        check_frame("clover_answer", width, height, "gqa");
    }
    check_frame("clover_problem", 120, 40, "gqtv");
}

#[test]
fn keys_choose_project_file_budget_task_and_answer() {
    check_shows(
        "gq",
        &[
            "counts · 3 problems",
            "project 2/2",
            "budget 64k",
            "a test that covers src/counts/core.py:15-20",
            "6 wanted ▷ · 2 answers",
        ],
    );
    check_shows("gqa", &["answer 1/2 passing · 4 of 6 wanted ■"]);
    check_shows("gqaa", &["answer 2/2 correct · 6 of 6 wanted ■"]);
    check_shows("gqb", &["budget 128k"]);
    check_shows("gqbb", &["the problem alone"]);
    check_shows("gqt", &["== ____", "budget 64k"]);
    check_shows("gqtt", &["this test has no target question"]);
    check_shows(
        "gq<tab>",
        &[
            "src/counts/more.py · 0 lines of its own",
            "the file is gone",
        ],
    );
    check_shows("gqv", &["def test_report():"]);
    check_shows("gq]", &["click · 3 problems"]);
}

#[test]
fn what_was_not_measured_is_not_told_as_a_fact() {
    let text = shown(&pressed(120, 40, "gqjj"));
    assert!(text.contains("not classified yet"), "{text}");
    assert!(!text.contains("of its own ─"), "{text}");
    assert!(!text.contains("│▌repo"), "{text}");
    let told = told_unmeasured(&Look::default(), Some("click"));
    assert_eq!(
        told,
        "not classified yet: `focalist paper clover classes click` · gj follows it"
    );
}

#[test]
fn a_problem_opens_where_its_gap_is() {
    // The wanted lines are 15 to 20 of a file that is longer than the pane.
    check_shows("gq", &[" 15  ▷", "lines = []"]);
    // The second block, which an answer has missed, comes into sight with its sign.
    check_shows("gqa", &[" 17  □", " 15  ■"]);
    // A blank stands in the problem's own file.
    check_shows("gqt", &["6  ▷", "assert counter.report("]);
    let text = shown(&pressed(80, 24, "gq"));
    assert!(
        text.contains("15  ▷") && !text.contains("class Counter:"),
        "{text}"
    );
}

#[test]
fn the_list_is_narrowed_and_searched() {
    check_shows(
        "gqfmore<enter>",
        &[
            "1 problem",
            "▌TestMore::test_up  test_core.py",
            "filter more",
        ],
    );
    check_shows("gqffailing<enter>", &["1 problem", "TestCounter::test_up"]);
    check_shows(
        "gqfnothing<enter>",
        &["no problem has `nothing`", "Esc shows all"],
    );
    check_shows("gqfmore<enter><esc>", &["3 problems"]);
    check_shows("gq/TestMore<enter>", &["▌TestMore::test_up  test_core.py"]);
    // While the text has the focus, it is searched.
    check_shows("gqJ/value<enter>n", &["value"]);
    check_shows(
        "gqi",
        &["legend", "wanted, and the answer that is shown misses it"],
    );
}

#[test]
fn a_workspace_without_problems_says_how_to_get_some() {
    use crate::clover::QuestionKind;
    use crate::question::Question;
    use crate::question::source::{AnswerSource, SharedJobTable};
    use crate::store::testing::store_with;

    let (_folder, store) = store_with(&[]);
    let tables = SharedJobTable::default();
    let source = AnswerSource::of(&store, &tables);
    let suite = CloverSuiteQuestion(None)
        .read(&source)
        .expect("the index reads");
    assert!(suite.projects.is_empty());
    let asked = CloverLookQuestion {
        project: "p".to_owned(),
        id: "t.py::t".to_owned(),
        task: QuestionKind::Block,
        budget: None,
    };
    assert!(asked.read(&source).expect("the index reads").is_none());
    let (project, path) = ("p".to_owned(), "p.py".to_owned());
    let text = CloverFileQuestion { project, path }.read(&source);
    assert!(text.expect("the index reads").is_none());
}
