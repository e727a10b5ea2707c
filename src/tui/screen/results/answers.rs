//! Tests of runs of answers to questions that are no samples.

use tempfile::TempDir;

use crate::eval::crystal::CrystalOptions;
use crate::eval::evaluate::{EvalOptions, evaluate};
use crate::metric::metrics_of;
use crate::model::{
    Extraction, Language, Prediction, Question, QuestionSetting, RunKind, RunSetting,
};
use crate::review::ReviewOptions;
use crate::store::testing::{counter_repo, store_with};
use crate::store::{AnsweredQuestion, Store};
use crate::task::Monitor;
use crate::tests::bench::Bench;

fn setting(name: &str) -> RunSetting {
    RunSetting {
        model: Some(name.to_owned()),
        extraction: Extraction::Lenient,
        ..RunSetting::of_questions(name, Language::Python, "answers.jsonl", 1_777_883_400)
    }
}

/// Makes an answer with notes on its question, as an import reads them.
fn answered(question: Question, said: &str) -> AnsweredQuestion {
    let QuestionSetting { task, budget, .. } = &question.asked;
    let budget = budget.map_or_else(String::new, |budget| format!(",\"budget\":{budget}"));
    let meta = format!("{{\"parameters\":{{\"task\":\"{task}\"{budget}}}}}");
    let prediction = Prediction {
        key: question.key,
        attempt: 0,
        content_hash: question.content_hash(),
        line: 1,
        answer: said.to_owned(),
        code: None,
        meta: Some(meta),
    };
    (question, prediction)
}

/// Makes the answer to a blank, which is asked about alone or with other files.
fn cloze(budget: Option<u32>, said: &str) -> AnsweredQuestion {
    let asked = QuestionSetting {
        task: "cloze".to_owned(),
        budget,
        form: None,
    };
    let name = "tests/test_tray.py::test_size#cloze-1-left";
    let question = Question {
        key: Question::key_of(RunKind::Clover, name, &asked),
        asked,
        language: Language::Python,
        repo: "tray".to_owned(),
        name: name.to_owned(),
        about: String::new(),
        path: "tests/test_tray.py".to_owned(),
        line: 5,
        context: "def test_size():\n    tray = Tray(4)\n    assert ____ == 4\n".to_owned(),
        is_continued: false,
        truth: Some("assert tray.size == 4".to_owned()),
    };
    answered(question, said)
}

fn half(pass: &str, said: &str) -> AnsweredQuestion {
    let asked = QuestionSetting {
        task: pass.to_owned(),
        ..QuestionSetting::default()
    };
    let question = Question {
        key: Question::key_of(RunKind::Consistency, "set/3f21", &asked),
        asked,
        language: Language::Python,
        repo: "leetcode".to_owned(),
        name: "total".to_owned(),
        about: "3f21".to_owned(),
        path: "total.py".to_owned(),
        line: 3,
        context: "def total(prices):\n    total = 0\n".to_owned(),
        is_continued: true,
        truth: Some("    return total\n".to_owned()),
    };
    answered(question, said)
}

fn put(store: &mut Store, kind: RunKind, name: &str, answers: &[AnsweredQuestion]) {
    let monitor = Monitor::default();
    store
        .write_question_run(kind, &setting(name), answers, &monitor)
        .expect("the run is written");
    let options = EvalOptions {
        runs: vec![name.to_owned()],
        metrics: metrics_of(["em", "edit", "bleu"]).expect("they exist"),
        weights: [0.25; 4],
        crystal: CrystalOptions::default(),
        ast: None,
        force: false,
    };
    evaluate(store, &monitor, &options).expect("the run is evaluated");
}

/// Makes an index with samples, and with runs of answers to other questions.
fn opened() -> (TempDir, Store) {
    let (folder, mut store) = store_with(&[counter_repo("a")]);
    let good = [
        cloze(None, "assert tray.size == 4"),
        cloze(Some(4_000), "assert tray.size == 4"),
    ];
    let bad = [
        cloze(None, "assert tray.width == 4"),
        cloze(Some(4_000), "assert tray.size( == 4"),
    ];
    let halves = [
        half("own", "    return total\n"),
        half("REP_R", "    return prices\n"),
        half("RTF", "    return (\n"),
    ];
    put(&mut store, RunKind::Consistency, "halves", &halves);
    put(&mut store, RunKind::Clover, "good", &good);
    put(&mut store, RunKind::Clover, "bad", &bad);
    (folder, store)
}

fn bench(keys: &str) -> Bench {
    let (folder, store) = opened();
    Bench::open(folder, store, ReviewOptions::default(), keys)
}

#[test]
fn answers_to_clozes_stand_beside_the_truth_with_what_was_asked() {
    let mut bench = bench("gr");
    expect_test::expect_file!["../../frames/results_clover.txt"].assert_eq(&bench.text());
    for expected in [
        "cloze · 4k",
        "test_size#cloze-1-left",
        "assert ____ == 4",
        "tray.width",
    ] {
        bench.check_shows(expected);
    }
    bench.press("s");
    bench.check_shows("it answers a question of clover");
    bench.press("T");
    bench.check_shows("only samples have training samples near them");
    bench.press("fsetting:budget=4000 parse:fail<cr>");
    bench.check_shows("1/1");
    bench.press("f<c-u>split:test<cr>");
    bench.check_shows("`split` applies to samples, but run `bad` answers questions of clover");
}

#[test]
fn two_runs_of_answers_are_held_against_each_other() {
    let mut bench = bench("gr");
    bench.press("f<c-u>baseline:good sort:delta<cr>");
    bench.check_shows("Δ");
    bench.check_shows("−1.00");
    bench.press("f<c-u>baseline:halves<cr>");
    bench.check_shows("do not answer the same question");
}

#[test]
fn completions_parse_with_the_half_that_they_go_on_from() {
    let mut bench = bench("gr");
    bench.press("f<c-u>run:halves<cr>");
    expect_test::expect_file!["../../frames/results_consistency.txt"].assert_eq(&bench.text());
    bench.press("f<c-u>run:halves parse:fail<cr>");
    bench.check_shows("RTF");
    bench.check_shows("1/1");
    bench.press("x");
    bench.check_shows("completions of halves are not executed");
}
