//! How a user comes back to an earlier place, and the messages about parts that are gone.

use std::collections::VecDeque;

use super::{Answering, shown, start};
use crate::app::App;
use crate::config::Session;
use crate::event::{Effect, UiEvent};
use crate::fixture::AnswerResult;
use crate::model::SampleKey;
use crate::question::shared::RunsQuestion;
use crate::question::{AnyQuestion, QuestionFailure};
use crate::screen::compare::tests as compare;
use crate::screen::faults::fixture as faults;
use crate::screen::faults::questions::FaultSamplesQuestion;
use crate::screen::results::questions::ResultListQuestion;
use crate::stage::UiStage;
use crate::theme::Depth;
use crate::{fixture, key};

fn opened(session: Session, answer: Answering) -> UiStage<Answering> {
    let start = super::UiStart {
        session,
        ..start(120, 40, "ansi16", Depth::Mono)
    };
    UiStage::new(start, answer)
}

/// Presses keys and returns the session; checks that it is read as it was written.
fn left(answer: Answering, keys: &str) -> Session {
    let mut stage = opened(Session::default(), answer);
    stage.press(keys).expect("the script is well-formed");
    let session = stage.app.session();
    assert_eq!(Session::of(&session.text()), session, "after `{keys}`");
    session
}

/// Leaves after some keys and comes back; the same questions get the same answers.
fn check_back(answer: Answering, keys: &str, expected: &[&str]) {
    let session = left(answer, keys);
    let stage = opened(session.clone(), answer);
    let shown = shown(&stage);
    for part in expected {
        assert!(
            shown.contains(part),
            "`{part}` is missing after `{keys}`:\n{shown}"
        );
    }
    for word in ["is gone", "not listed any more"] {
        assert!(!shown.contains(word), "after `{keys}`:\n{shown}");
    }
    assert_eq!(stage.app.session(), session, "after `{keys}`");
}

#[test]
fn one_comes_back_to_where_one_was() {
    let check = |keys: &str, expected: &[&str]| check_back(fixture::answer, keys, expected);
    check("", &["funnel"]);
    check("gsfstatus:ok<cr>", &["status:ok"]);
    check("gs<enter>", &["Samples › Sample", "1/812"]);
    check("gs<c-d>j", &["8/812"]);
    check("gs<c-d>j<enter>", &["Samples › Sample"]);
    check("gsw", &["1/812"]);
    check("gp", &["problems"]);
    check("gpj", &["┌ textutil "]);
    check("gR", &["1/5"]);
    check("gRjj", &["3/5"]);
    check("gaf<c-u>random:7<cr>", &["random:7"]);
    check("gdj", &["2/"]);
}

#[test]
fn one_comes_back_to_the_runs_the_metric_and_the_row_that_one_looked_at() {
    let check = |keys: &str, expected: &[&str]| check_back(compare::answer, keys, expected);
    check("gr", &["raw"]);
    check("grRsteady<cr>", &["steady · every prediction"]);
    check(
        "grRsteady<cr>bhasty<cr>mem<cr>jjj",
        &["steady against hasty", "4/12"],
    );
    check(
        "grRsteady<cr>f-repo:ab sort:-bleu<cr>j",
        &["-repo:ab sort:-bleu", "2/11"],
    );
    check("grRsteady<cr>Frepo<cr>", &["repo"]);
    check("gc", &["steady", "hasty"]);
    check("gcmedit<cr>jj", &["3/12"]);
    check("gc,djFlength<cr>", &["slices by length", "2/12"]);
    check("gcFtag<cr>", &["tags of A and B"]);
    check("gc+less<cr>f-repo:ab<cr>j", &["less", "2/6"]);
    check("gcjs", &["Samples › Sample", "CounterTest.java"]);
}

#[test]
fn faults_are_opened_for_the_sample_that_is_asked_for() {
    let faults = |item: Option<String>| Session {
        screen: vec!["faults".to_owned()],
        item,
        ..Session::default()
    };
    for (item, matrix, place) in [
        (None, "7 mutants × 3 tests", "1/2"),
        (Some(fixture::row(1).key), "7 mutants × 3 tests", "1/2"),
        (Some(fixture::row(2).key), "8 mutants × 3 tests", "2/2"),
    ] {
        let item = item.map(|sample_key| sample_key.to_string());
        let mut stage = opened(faults(item), fixture::answer);
        let text = shown(&stage);
        for part in ["Results › Faults", matrix, place] {
            assert!(text.contains(part), "`{part}` is missing:\n{text}");
        }
        // Results lie below, and are there when the user goes back.
        stage.press("q").expect("well-formed");
        let text = shown(&stage);
        assert!(
            !text.contains("Faults") && text.contains("every prediction"),
            "{text}"
        );
    }
}

/// Answers with the compared runs, and mutants of all samples.
fn with_faults(asked: &dyn AnyQuestion) -> AnswerResult {
    let samples = |_: &FaultSamplesQuestion| compare::keys();
    let faults = fixture::given(asked, samples).or_else(|| faults::answer(asked));
    faults.unwrap_or_else(|| compare::answer(asked))
}

#[test]
fn one_comes_back_to_the_faults_of_the_sample_that_one_looked_at() {
    let check = |keys: &str, expected: &[&str]| check_back(with_faults, keys, expected);
    check("grjgF", &["Results › Faults", "2/12"]);
    check("grjjgF{", &["Results › Faults", "2/12"]);
    // Results lie below as they were left.
    let keys = "grRsteady<cr>jjgF";
    let mut stage = opened(left(with_faults, keys), with_faults);
    stage.press("q").expect("well-formed");
    let text = shown(&stage);
    for part in ["steady · every prediction", "3/12"] {
        assert!(text.contains(part), "`{part}` is missing:\n{text}");
    }
}

#[test]
fn without_the_faults_that_were_left_one_comes_to_the_results_below() {
    let gone = Session {
        opened: Some(SampleKey([255; 16]).to_string()),
        ..left(with_faults, "grRsteady<cr>jjgF")
    };
    let said = "the faults of the sample that was open are gone";
    check_says(
        with_faults,
        gone.clone(),
        &["steady · every prediction", "3/12", said],
    );
    let shown = shown(&opened(gone, with_faults));
    assert!(!shown.contains("Faults"), "{shown}");
}

#[test]
fn results_that_are_opened_at_once_wait_until_it_is_known_which_runs_there_are() {
    let (mut app, mut effects) = App::new(start(120, 40, "ansi16", Depth::Mono));
    for key in key::parse("gr").expect("the script is well-formed") {
        effects.extend(app.update(UiEvent::Key(key)));
    }
    let mut effects = VecDeque::from(effects);
    let mut n_lists = 0;
    while let Some(effect) = effects.pop_front() {
        let Effect::Ask(ask) = effect else { continue };
        if let Some(list) = ask.question.of::<ResultListQuestion>() {
            n_lists += 1;
            assert_eq!(list.0.run.as_deref(), Some("raw"));
        }
        let answer = compare::answer(&*ask.question);
        effects.extend(app.update(UiEvent::Reply(ask.answered(answer))));
    }
    assert_eq!(n_lists, 1);
}

#[test]
fn whoever_goes_back_until_the_program_ends_leaves_from_where_that_began() {
    let screen = |keys: &str| left(fixture::answer, keys).screen;
    assert_eq!(screen("gsq"), ["samples"]);
    assert_eq!(screen("gs<enter>qq"), ["samples", "sample"]);
    assert_eq!(screen("gs<enter>q<esc>q"), ["samples", "sample"]);
    assert_eq!(screen("gRqjj"), [""; 0], "Home is looked at");
    assert_eq!(screen("gRgh"), [""; 0], "one went there");
    assert_eq!(screen("gsqgR<c-c>"), ["runs"]);
    let mut stage = opened(Session::default(), fixture::answer);
    stage.press("gsjjqq").expect("well-formed");
    let row = fixture::row(2).key.to_string();
    assert_eq!(stage.app.session().sample, Some(row));
}

fn check_says(answer: Answering, session: Session, expected: &[&str]) {
    let stage = opened(session, answer);
    let shown = shown(&stage);
    for part in expected {
        assert!(shown.contains(part), "`{part}` is missing:\n{shown}");
    }
}

#[test]
fn what_is_gone_is_left_out_and_said() {
    let gone = || Some(SampleKey([255; 16]).to_string());
    let check = |session, expected: &[&str]| check_says(compare::answer, session, expected);
    let sample = "the sample of your last session is no longer listed";
    let results = left(compare::answer, "grRsteady<cr>jjj");
    let renamed = Session {
        run: Some("nobody".to_owned()),
        ..results.clone()
    };
    check(renamed, &["raw", "run nobody is gone"]);
    let removed = Session {
        sample: gone(),
        ..results.clone()
    };
    check(removed, &["steady", "4/12", sample]);
    let shorter = Session {
        sample: gone(),
        row: Some(99),
        ..results
    };
    check(shorter, &["12/12", sample]);
    let compared = Session {
        sample: gone(),
        ..left(compare::answer, "gc+less<cr>j")
    };
    check(compared.clone(), &["less", sample]);
    let fewer = Session {
        compared: ["steady", "hasty", "nobody"].map(str::to_owned).into(),
        ..compared
    };
    check(fewer, &["steady", "hasty", "run nobody is gone"]);
    let opened = Session {
        opened: gone(),
        ..left(compare::answer, "gcjs")
    };
    check(opened, &["Compare", "the sample that was open is gone"]);
    let repos = Session {
        item: Some("example.org/nothing".to_owned()),
        ..left(fixture::answer, "gpj")
    };
    check_says(
        fixture::answer,
        repos,
        &["problems", "the repository of your last session is gone"],
    );
    let samples = Session {
        sample: gone(),
        opened: gone(),
        ..left(fixture::answer, "gsjj<enter>")
    };
    check_says(fixture::answer, samples, &["3/812", sample]);
    let filtered = Session {
        filters: [("samples".to_owned(), "status:moon".to_owned())].into(),
        ..left(fixture::answer, "gsj")
    };
    let said = "the filter of your last session is no longer valid";
    check_says(fixture::answer, filtered, &["2/812", said]);
}

#[test]
fn nothing_that_a_session_says_hinders() {
    let some = |text: &str| Some(text.to_owned());
    let session = Session {
        screen: vec!["results".to_owned()],
        run: some("nobody"),
        baseline: some("nobody"),
        metric: some("nothing"),
        sample: some("xyz"),
        opened: some("xyz"),
        item: some("\u{1b}"),
        theme: some("pink"),
        columns: vec!["no".to_owned()],
        compared: vec!["nobody".to_owned(); 3],
        groups: [("results".to_owned(), "moon".to_owned())].into(),
        filters: [("samples", "status:moon"), ("results", "(")]
            .map(|(screen, text)| (screen.to_owned(), text.to_owned()))
            .into(),
        ..Session::default()
    };
    let stage = opened(session.clone(), fixture::answer);
    let options = stage.app.session();
    assert_eq!(options.run.as_deref(), Some("broken"), "the newest");
    let nothing: Answering = |_| Err(QuestionFailure::NoIndex);
    assert!(shown(&opened(session.clone(), nothing)).contains("focalist demo"));
    let no_runs: Answering = |asked| {
        fixture::given(asked, |_: &RunsQuestion| Vec::new())
            .unwrap_or_else(|| fixture::answer(asked))
    };
    for screen in [
        "samples", "compare", "jobs", "annotate", "moon", "sample", "question", "disagree", "runs",
    ] {
        let screen = vec![screen.to_owned(), screen.to_owned()];
        let session = Session {
            screen,
            ..session.clone()
        };
        for answer in [fixture::answer as Answering, no_runs, nothing] {
            shown(&opened(session.clone(), answer));
        }
    }
}
