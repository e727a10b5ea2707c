//! Runs of answers to questions that are not samples: they are stored like runs of samples, and questions are found by
//! key.

use crate::model::{
    ContentHash, Filter, Language, Matcher, Name, OfSample, Prediction, Question, QuestionSetting,
    RunKind, RunSetting, SampleKey, SampleSort, SortField, Target,
};
use crate::task::Monitor;
use crate::testing::{counter_repo, empty_store, store_with, write_repos};
use crate::{
    AnswerGroup, AnsweredQuestion, Attribute, NewAnswer, NewPrompt, SortableColumn, Store,
};

use super::count_rows;

fn setting(name: &str) -> RunSetting {
    RunSetting::of_questions(name, Language::Python, "answers.jsonl", 1_700_000_000)
}

fn question(name: &str, budget: Option<u32>) -> Question {
    let asked = QuestionSetting {
        task: "cloze".to_owned(),
        budget,
        form: None,
    };
    Question {
        key: Question::key_of(RunKind::Clover, name, &asked),
        asked,
        language: Language::Python,
        repo: format!("project{}", name.len()),
        name: name.to_owned(),
        about: String::new(),
        path: "tests/t.py".to_owned(),
        line: 7,
        context: format!("assert ____ == {name}"),
        is_continued: false,
        truth: Some(format!("assert 1 == {name}")),
    }
}

fn answered(name: &str, budget: Option<u32>) -> AnsweredQuestion {
    let question = question(name, budget);
    let prediction = Prediction {
        key: question.key,
        attempt: 0,
        content_hash: question.content_hash(),
        line: 1,
        answer: "assert 2 == a".to_owned(),
        code: None,
        meta: None,
    };
    (question, prediction)
}

fn put_run(
    store: &mut Store,
    kind: RunKind,
    name: &str,
    answers: &[AnsweredQuestion],
) -> Option<(i64, String)> {
    store
        .write_question_run(kind, &setting(name), answers, &Monitor::default())
        .expect("the run is written")
}

fn three() -> [AnsweredQuestion; 3] {
    [
        answered("bb", None),
        answered("a", None),
        answered("a", Some(4_000)),
    ]
}

#[test]
fn questions_are_found_where_samples_are() {
    let (_folder, mut store) = empty_store();
    let (run, name) =
        put_run(&mut store, RunKind::Clover, "m", &three()).expect("the name is free");
    assert_eq!(name, "m");
    let row = store.run("m").expect("reads").expect("it is there");
    assert_eq!((row.kind, row.answers_to()), (RunKind::Clover, "clover"));
    let keys: Vec<SampleKey> = three().iter().map(|pair| pair.0.key).collect();
    let references = store
        .references(&keys, Target::Assertion, Matcher::DEFAULT)
        .expect("reads");
    let texts: Vec<Option<&str>> = references
        .iter()
        .map(|reference| {
            reference
                .as_ref()
                .and_then(|stored_reference| stored_reference.text.as_deref())
        })
        .collect();
    assert_eq!(
        texts,
        [
            Some("assert 1 == bb"),
            Some("assert 1 == a"),
            Some("assert 1 == a")
        ]
    );
    let rows = store.result_rows(run, Matcher::DEFAULT, &[], &[2]);
    let rows = rows.expect("reads");
    let row = rows.first().expect("there is one");
    assert_eq!((row.test.as_str(), row.repo.as_str()), ("a", "project1"));
    assert_eq!(row.asked, Some(question("a", Some(4_000)).asked));
    let place = store
        .located_reference(&keys[0], Target::Assertion, Matcher::DEFAULT)
        .expect("reads")
        .expect("it has a truth");
    assert_eq!((place.path.as_str(), place.line), ("tests/t.py", 7));
}

#[test]
fn filters_orders_and_groups_are_asked_of_questions() {
    let (_folder, mut store) = empty_store();
    let monitor = Monitor::default();
    let (run, _) = put_run(&mut store, RunKind::Clover, "m", &three()).expect("the name is free");
    let links = store
        .result_links(run, 3, Matcher::DEFAULT, &monitor)
        .expect("reads");
    assert_eq!(links.are_there(), [true; 3]);
    let matches = |condition: OfSample| {
        store
            .result_matches(&links, &Filter::only(condition), &monitor)
            .expect("reads")
    };
    let part = |text: &str| Name::Part(text.to_owned());
    assert_eq!(matches(OfSample::Test(part("B"))), [true, false, false]);
    assert_eq!(matches(OfSample::Repo(part("t1"))), [false, true, true]);
    assert_eq!(matches(OfSample::Language(Language::Java)), [false; 3]);
    let field = SortField::Sample(SampleSort::Test);
    let sorted = store.result_column(&links, field, &monitor).expect("reads");
    let SortableColumn::Texts { text, places } = sorted else {
        panic!("names are texts");
    };
    assert_eq!(text, "bbaa");
    assert_eq!(places, [Some((0, 2)), Some((2, 3)), Some((3, 4))]);
    let groups = store
        .result_attributes(&links, Attribute::Repo, &monitor)
        .expect("reads");
    assert_eq!(groups.names, ["project2", "project1"]);
}

#[test]
fn a_name_that_other_answers_have_gets_the_kind_behind_it() {
    let (_folder, mut store) = store_with(&[counter_repo("a")]);
    let answers = three();
    put_run(&mut store, RunKind::Consistency, "m", &answers);
    let (_, name) = put_run(&mut store, RunKind::Clover, "m", &answers).expect("it is free");
    assert_eq!(name, "m.clover");
    let (_, again) =
        put_run(&mut store, RunKind::Clover, "m", &answers[..1]).expect("it is its own");
    assert_eq!(again, "m.clover", "the former one is replaced");
    let run = store.run("m.clover").expect("reads").expect("it is there");
    assert_eq!(run.n_predictions, 1);
    put_run(&mut store, RunKind::Consistency, "n.clover", &answers);
    put_run(&mut store, RunKind::Consistency, "n", &answers);
    assert_eq!(put_run(&mut store, RunKind::Clover, "n", &answers), None);
}

#[test]
fn what_nobody_answers_any_more_goes() {
    let (_folder, mut store) = empty_store();
    let monitor = Monitor::default();
    put_run(&mut store, RunKind::Clover, "m", &three());
    put_run(&mut store, RunKind::Clover, "other", &three()[..1]);
    assert_eq!(count_rows(&store.conn, "questions"), 3);
    let removed = store.remove_question_run(RunKind::Consistency, "m", &monitor);
    assert!(!removed.expect("reads"), "it is of another kind");
    let removed = store.remove_question_run(RunKind::Clover, "m", &monitor);
    assert!(removed.expect("it is removed"));
    assert_eq!(count_rows(&store.conn, "questions"), 1);
    store.remove_run("other", &monitor).expect("it is removed");
    assert_eq!(count_rows(&store.conn, "questions"), 0);
}

#[test]
fn a_question_that_is_another_one_now_is_another_reference() {
    let (_folder, mut store) = empty_store();
    let monitor = Monitor::default();
    write_repos(&mut store, &[counter_repo("a")]);
    put_run(&mut store, RunKind::Clover, "m", &three()[..1]);
    let run = store.run("m").expect("reads").expect("it is there");
    let hash = |store: &Store| store.hash_references((store, &run), &monitor, |_| {});
    let before = hash(&store).expect("reads");
    let (mut changed, mut prediction) = answered("bb", None);
    changed.truth = Some("assert 3 == bb".to_owned());
    prediction.content_hash = changed.content_hash();
    put_run(
        &mut store,
        RunKind::Clover,
        "other",
        &[(changed, prediction)],
    );
    assert_ne!(hash(&store).expect("reads"), before);
}

#[test]
fn an_answer_to_a_question_has_the_prompt_that_was_asked() {
    let (folder, mut store) = empty_store();
    let prompt = NewPrompt {
        hash: ContentHash([1; 16]),
        kind: "cloze".to_owned(),
        sample: None,
        json: r#"{"id":"p/x@po"}"#.to_owned(),
    };
    let answer = NewAnswer {
        attempt: 0,
        text: Some("2".to_owned()),
        finish_reason: None,
        request_hash: ContentHash([2; 16]),
        meta: "{}".to_owned(),
    };
    let group = AnswerGroup {
        prompt: &prompt,
        line: 1,
        model: "model",
        parameters: "{}",
        answers: &[answer],
    };
    let mut asking = Store::open_to_ask(folder.path(), "model").expect("nobody else asks");
    asking.write_answers("m", &[group]).expect("it is written");
    for name in ["m", "model"] {
        let known = store.asked_answers(name).expect("reads");
        let known: Vec<&str> = known
            .iter()
            .map(|asked_answer| asked_answer.text.as_str())
            .collect();
        assert_eq!(known, ["2"], "{name}");
    }
    assert_eq!(store.asked_answers("other").expect("reads"), []);
    let known = store.asked_answers("m").expect("reads");
    let (run, _) = put_run(&mut store, RunKind::Clover, "q", &three()).expect("the name is free");
    store
        .link_answers(run, &[(1, known[0].id)])
        .expect("it is written");
    let of = |ordinal| store.prediction_answer(run, ordinal).expect("reads");
    assert_eq!(
        of(1).map(|prompted_answer| prompted_answer.prompt),
        Some(prompt.json.clone())
    );
    assert_eq!(of(0), None);
}
