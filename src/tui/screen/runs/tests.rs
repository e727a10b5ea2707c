//! The runs: the table, details of one, and the jobs that are started there.

use crate::event::Effect;
use crate::files::Listing;
use crate::fixture::{self, AnswerResult, given};
use crate::model::RunRow;
use crate::question::AnyQuestion;
use crate::question::shared::{FileCompletionQuestion, RunsQuestion};
use crate::screen::runs::fixture as runs_fixture;
use crate::screen::runs::questions::RunProblemsQuestion;
use crate::screen::runs::{detail, execution_lines};
use crate::stage::UiStage;
use crate::tests::{
    Answering, SIZES, check_frame, check_frame_of, check_shows, pressed, shown, start, wanted,
};
use crate::theme::Depth;
use crate::work::BackgroundTask;

#[test]
fn the_runs_look_as_they_did() {
    for (width, height) in SIZES {
        check_frame("runs", width, height, "gR,b");
    }
    check_frame("runs_baseline", 120, 40, "gRcjv");
    check_frame("runs_scrolled", 80, 24, "gRGllllllllllll");
    check_frame("run", 80, 24, "gRG<enter>");
    check_frame("run", 120, 40, "gRjj<enter>");
    check_frame("import", 60, 16, "gRiruns/<tab>");
    check_frame("import", 80, 24, "gRiruns/<tab><tab>");
    check_frame("import_flaw", 80, 24, "gRiruns/carbon.jsonl<cr>");
    check_frame("remove", 80, 24, "gRd");
    check_frame_of(without_runs, "runs_empty", (80, 24), "gR");
}

#[test]
fn a_run_in_several_languages_tells_each_of_them() {
    let languages = runs_fixture::languages();
    let mut lines = execution_lines::lines(&runs_fixture::execution(), &languages);
    lines.extend(detail::facts(&runs_fixture::runs()[0], &languages));
    let text: Vec<String> = lines
        .iter()
        .map(|line| line.iter().map(|line| line.0.as_str()).collect())
        .collect();
    for expected in [
        "java 600, python 360, go 40",
        "121 of 600 correct",
        "37 of 300 correct, 60 not run",
        "0 of 0 correct, 40 blocked",
        "fast+fork+none",
    ] {
        assert!(text.iter().any(|text| text.contains(expected)), "{text:?}");
    }
    // The lines fit into the narrowest pane.
    assert!(
        text.iter().all(|text| text.chars().count() <= 76),
        "{text:?}"
    );
}

fn without_runs(asked: &dyn AnyQuestion) -> AnswerResult {
    given(asked, |_: &RunsQuestion| Vec::new()).unwrap_or_else(|| fixture::answer(asked))
}

#[test]
fn runs_are_sorted_by_any_column_both_ways() {
    let names = ["carbon-ft", "carbon", "zero-shot", "gnu-test", "broken"];
    let check = |keys: &str, expected: [usize; 5]| {
        let text = shown(&pressed(120, 40, keys));
        let mut found: Vec<(usize, &str)> = text
            .lines()
            .skip(4)
            .take(5)
            .enumerate()
            .filter_map(|(row, line)| {
                let name = names
                    .iter()
                    .find(|name| line.split_whitespace().any(|word| word == **name))?;
                Some((row, *name))
            })
            .collect();
        found.sort_unstable();
        let found: Vec<&str> = found.into_iter().map(|(_, name)| name).collect();
        assert_eq!(found, expected.map(|idx| names[idx]), "{keys}\n{text}");
    };
    check("gR", [1, 0, 2, 3, 4]);
    check("gR,b", [0, 1, 2, 3, 4]);
    check("gR,b,b", [2, 1, 0, 3, 4]);
    check("gR,u", [0, 1, 2, 3, 4]);
    check("gR,n", [4, 1, 0, 3, 2]);
    check("gR,n,n", [2, 3, 0, 1, 4]);
    check("gR,b,,", [1, 0, 2, 3, 4]);
    // Sorts by the column with the cursor: samples, and problems two columns further.
    check("gRlllss", [1, 0, 2, 3, 4]);
    check("gRllll,c", [1, 0, 2, 3, 4]);
    check("gRlllls,c", [4, 1, 0, 2, 3]);
    check_shows("gR,x", &["EM▼"]);
    check_shows("gR,b", &["sorted by BLEU corpus ▼", "BLEU corpus▼"]);
    check_shows("gR,b,b", &["sorted by BLEU corpus ▲", "BLEU corpus▲"]);
}

#[test]
fn values_turn_from_all_to_parsable_to_adjusted() {
    check_shows("gR", &["34.42", "percent over all answers"]);
    check_shows("gRv", &["35.11", "percent over those that parse"]);
    // The score is 0.3442 · 1.02 · (1 − 0.031).
    check_shows("gRvv", &["34.02", "percent adjusted"]);
    check_shows("gRvvv", &["34.42", "over all answers"]);
}

#[test]
fn a_baseline_turns_values_into_differences() {
    check_shows("gRc", &["+7.45", "−15.12", "points to carbon", "◆"]);
    check_shows("gRcj", &["+7.45*"]);
    check_shows("gRGc", &["broken is not evaluated", "41.87"]);
    for ended in ["gRcc", "gRc<esc>"] {
        let text = shown(&pressed(120, 40, ended));
        assert!(!text.contains("+7.45") && text.contains("41.87"), "{text}");
    }
}

#[test]
fn the_run_under_the_cursor_is_told_in_full() {
    check_shows(
        "gRjj",
        &[
            "zero-shot",
            "2 have changed since the import",
            "0, now 1",
            "† outdated",
        ],
    );
    check_shows("gRj", &["4 · 0.50 %", "512 tokens"]);
    check_shows(
        "gRG",
        &["line 12", "`xyz` is no sample's key", "was there␇ before"],
    );
    check_shows(
        "gRjjj",
        &["gpt⟨202E⟩4", "1,000/5,000", "… not computed to the end"],
    );
    check_shows("gR<enter>", &["2026-05-04 08:30 UTC"]);
    assert!(!shown(&pressed(120, 40, "gR<enter>")).contains("zero-shot"));
    assert!(shown(&pressed(120, 40, "gR<enter><esc>")).contains("zero-shot"));
}

#[test]
fn many_runs_and_problems_scroll() {
    fn many(_: &RunsQuestion) -> Vec<RunRow> {
        let first = runs_fixture::runs().remove(4);
        let runs = (0..1_000).map(|id| {
            let mut run = first.clone();
            run.id = id;
            run.setting.name = format!("run-{id}");
            run.n_problems = 10_000;
            run
        });
        runs.collect()
    }
    fn answer(asked: &dyn AnyQuestion) -> AnswerResult {
        let problems = |problems_question: &RunProblemsQuestion| {
            let problems = runs_fixture::run_problems();
            (
                problems_question.0,
                problems.iter().cycle().take(10_000).cloned().collect(),
            )
        };
        given(asked, many)
            .or_else(|| given(asked, problems))
            .unwrap_or_else(|| fixture::answer(asked))
    }
    for (width, height) in SIZES {
        let mut stage = UiStage::new(
            start(width, height, "dark", Depth::True),
            answer as Answering,
        );
        stage.press("gRG").expect("well-formed");
        let text = shown(&stage);
        assert!(
            text.contains("1,000/1,000") && text.contains("run-999"),
            "{text}"
        );
        stage.press("gg<c-f><c-d>k").expect("well-formed");
        stage.press("<enter>G").expect("well-formed");
        let text = shown(&stage);
        assert!(
            text.contains("line 7") && !text.contains("more ┐"),
            "{text}"
        );
        stage.press("<esc>jJJK").expect("well-formed");
        assert!(shown(&stage).contains("runs ━"));
    }
}

#[test]
fn a_run_is_copied_with_its_head() {
    let wanted = wanted("gRyy");
    let [Effect::Copy(text)] = wanted.as_slice() else {
        panic!("{wanted:?}");
    };
    assert!(text.starts_with("name\tmodel\ttarget\tsamples\t"), "{text}");
    assert_eq!(text.lines().count(), 2);
    check_shows("gRym", &["copied the table as Markdown"]);
}

#[test]
fn a_run_is_removed_only_after_a_yes() {
    let remove = Effect::Work(BackgroundTask::Remove {
        run: "carbon".to_owned(),
    });
    assert_eq!(wanted("gRdy"), [remove]);
    for no in ["gRdn", "gRd<esc>", "gRd<enter>", "gRdd", "gRdqj"] {
        assert_eq!(wanted(no), [], "{no}");
    }
}

#[test]
fn a_run_is_evaluated_with_metrics_that_are_named() {
    check_shows("gRm<c-u>em crystalblue <cr>", &["no metric `crystalblue`"]);
    check_shows("gRmcry<tab>", &["BLEU without the k n-grams"]);
    check_frame("metrics", 80, 24, "gRmble<tab>");
}

#[test]
fn a_form_that_is_left_keeps_what_was_typed() {
    check_shows("gRiruns/ca<esc>i", &["runs/ca", "caesium.jsonl"]);
    check_shows("gRiruns/ca<c-c>i", &["runs/ca"]);
    // A file that does not exist.
    let listed: Answering = |asked| {
        let nothing = |completion_question: &FileCompletionQuestion| Listing {
            typed: completion_question.0.clone(),
            ..Listing::default()
        };
        given(asked, nothing).unwrap_or_else(|| fixture::answer(asked))
    };
    let mut stage = UiStage::new(start(120, 40, "ansi16", Depth::Mono), listed);
    stage.press("gRinowhere<cr>").expect("well-formed");
    assert!(shown(&stage).contains("there is no such file"));
    check_shows("gRi<cr>", &["which file?"]);
}

#[test]
fn without_runs_every_key_says_what_to_do() {
    let mut stage = UiStage::new(
        start(80, 24, "dark", Depth::True),
        without_runs as Answering,
    );
    for keys in ["gRe", "E", "d", "c", "yy", "sv<enter>"] {
        stage.press(keys).expect("well-formed");
        assert_eq!(stage.other_effects, [], "{keys}");
    }
    let text = shown(&stage);
    assert!(text.contains("focalist import --run NAME"), "{text}");
}
