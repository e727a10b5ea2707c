//! Runs in several languages: each sample runs with the engine of its language.

use focalist_store::testing::{counter_repo, in_language, key_in, key_of, store_with};

use super::*;
use crate::model::{EngineName, LanguageFunnel, OfSample, SampleKey};
use crate::report::NotRun;

/// Builds a project in Java, Python and Go.
fn mixed() -> (Vec<tempfile::TempDir>, Store) {
    let folder = tempfile::tempdir().expect("there is a folder");
    let mut java = counter_repo("a");
    folder.path().clone_into(&mut java.root);
    let others =
        [Language::Python, Language::Go].map(|language| in_language(java.clone(), language));
    let [python, go] = others;
    let (index, store) = store_with(&[java, python, go]);
    (vec![folder, index], store)
}

fn function(body: &str) -> String {
    format!("def test_a():\n    {body}\n    assert is_fine\n")
}

/// Answers in three languages; the first one's sample has left the index.
fn answers() -> Vec<(SampleKey, String)> {
    let key = |language, test| key_in(language, key_of("a", test));
    vec![
        (key_of("gone", "testInc"), "x".to_owned()),
        (key(Language::Python, "testInc"), function("correct()")),
        (key_of("a", "testInc"), method("correct()")),
        (
            key(Language::Go, "testInc"),
            "func TestA(t *testing.T) {}".to_owned(),
        ),
        (key(Language::Python, "testAdd"), function("failing()")),
        (key_of("a", "testAdd"), method("not_compilable()")),
    ]
}

fn put_mixed(store: &mut Store) -> i64 {
    let run = put(store, "mixed", Target::Test, &[]);
    let predictions: Vec<Prediction> = (1..)
        .zip(answers())
        .map(|(line, (key, answer))| Prediction {
            key,
            attempt: 0,
            content_hash: ContentHash([1; 16]),
            line,
            answer,
            code: None,
            meta: None,
        })
        .collect();
    let done = store.extend_run(run, &predictions, &Monitor::default());
    assert_eq!(done.expect("they are written"), 6);
    run
}

/// Lists for each language the number of predictions, the engine, and the numbers of correct, blocked and not executed
/// ones.
fn told(by_language: &[LanguageFunnel]) -> Vec<String> {
    let line = |language_funnel: &LanguageFunnel| {
        let funnel = &language_funnel.funnel;
        format!(
            "{} {} {:?}: {} correct, {} blocked, {} not run",
            language_funnel.word(),
            language_funnel.n_predictions,
            language_funnel.engine,
            funnel.n_correct,
            funnel.n_blocked(),
            language_funnel.n_not_run()
        )
    };
    by_language.iter().map(line).collect()
}

fn outcomes(store: &Store) -> Vec<String> {
    let word = |line: &String| {
        let of = |name: &str| {
            let (_, rest) = line
                .split_once(&format!("\"{name}\":\""))
                .unwrap_or_default();
            rest.split('"').next().unwrap_or_default().to_owned()
        };
        format!("{} {}{}", of("engine"), of("outcome"), of("blocked"))
    };
    lines(store, "mixed").iter().map(word).collect()
}

#[test]
fn each_sample_is_run_by_the_engine_of_its_language() {
    let (_folders, mut store) = mixed();
    put_mixed(&mut store);
    let report = EngineStub::default()
        .execute(&mut store, &ExecuteOptions::default())
        .expect("it runs");
    assert_eq!(
        outcomes(&store),
        [
            "fast no_scaffold",
            "fork correct",
            "fast correct",
            "none no_engine",
            "fork failing",
            "fast not_compilable"
        ]
    );
    let run = &report.runs[0];
    assert_eq!(
        (run.engine.as_str(), run.n_predictions),
        ("fast+fork+none", 6)
    );
    assert_eq!((run.funnel.n_candidates, run.funnel.n_unique), (6, 4));
    assert_eq!(
        told(&run.by_language),
        [
            r#"java 2 "fast": 1 correct, 0 blocked, 0 not run"#,
            r#"python 2 "fork": 1 correct, 0 blocked, 0 not run"#,
            r#"go 1 "none": 0 correct, 1 blocked, 0 not run"#,
            r#"gone 1 "": 0 correct, 1 blocked, 0 not run"#,
        ]
    );
    let go = NotRun {
        run: "mixed".to_owned(),
        language: Language::Go,
        engine: None,
        n_predictions: 1,
    };
    assert_eq!(report.not_run, [go]);
    assert_eq!(
        report.not_run[0].to_string(),
        "run mixed: 1 prediction in go not run: no engine runs go"
    );
}

#[test]
fn an_engine_that_is_asked_for_leaves_other_languages_to_theirs() {
    let (_folders, mut store) = mixed();
    put_mixed(&mut store);
    let by = |engine| ExecuteOptions {
        engine: Some(engine),
        ..ExecuteOptions::default()
    };
    let report = EngineStub::default()
        .execute(&mut store, &by(EngineName::Fresh))
        .expect("it runs");
    assert_eq!(outcomes(&store), ["fresh correct", "fresh failing"]);
    let left: Vec<_> = report
        .not_run
        .iter()
        .map(|not_run| (not_run.language, not_run.n_predictions))
        .collect();
    assert_eq!(left, [(Language::Java, 3), (Language::Go, 1)]);
    assert_eq!(
        told(&report.runs[0].by_language)[0],
        r#"java 2 "": 0 correct, 0 blocked, 2 not run"#
    );
    // The outcomes of another engine for another language stay.
    let report = EngineStub::default()
        .execute(&mut store, &by(EngineName::Maven))
        .expect("it runs");
    assert_eq!(report.runs[0].engine, "maven+fresh");
    assert_eq!(report.runs[0].funnel.n_candidates, 5);
    // For each language, the last engine counts.
    let report = EngineStub::default()
        .execute(&mut store, &by(EngineName::Fork))
        .expect("it runs");
    assert_eq!(report.runs[0].engine, "maven+fork");
    assert_eq!(report.runs[0].funnel.n_candidates, 5);
}

#[test]
fn what_an_engine_of_another_language_said_once_is_forgotten() {
    let (_folders, mut store) = mixed();
    let run = put_mixed(&mut store);
    let setting = crate::model::ExecutionSetting {
        engine: "fast".to_owned(),
        version: "old".to_owned(),
        options: String::new(),
        sandbox: "bwrap".to_owned(),
        executed_at: 0,
    };
    store.begin_executions(run, &setting).expect("it begins");
    let written: Vec<WrittenExecution> = (0..6)
        .map(|ordinal| WrittenExecution {
            ordinal,
            stamp: ContentHash([0; 16]),
            execution: Execution {
                blocked: Some(BlockedReason::NoBuild),
                ..Execution::default()
            },
            why: None,
            words: String::new(),
            record: "{}".to_owned(),
            covered: Vec::new(),
            entered: Vec::new(),
        })
        .collect();
    let done = store.write_executions(run, &setting, &written, &Monitor::default());
    done.expect("they are written");
    let report = EngineStub::default()
        .execute(&mut store, &ExecuteOptions::default())
        .expect("it runs");
    assert_eq!(report.runs[0].funnel.n_candidates, 6);
    assert_eq!(
        report.runs[0].funnel.by_blocked[BlockedReason::NoBuild as usize],
        0
    );
}

#[test]
fn a_run_that_no_engine_runs_says_so_and_is_no_success() {
    let (_folders, mut store) = mixed();
    put_mixed(&mut store);
    let options = ExecuteOptions {
        filter: Filter::only(OfSample::Language(Language::Go)),
        ..ExecuteOptions::default()
    };
    let failed = EngineStub::default().execute(&mut store, &options);
    assert!(
        matches!(&failed, Err(ExecuteError::NoEngine { not_run }) if not_run.len() == 1),
        "{failed:?}"
    );
    assert_eq!(outcomes(&store), ["none no_engine"]);
}

#[test]
fn true_tests_are_run_in_every_language_and_counted_where_none_runs_them() {
    let (_folders, mut store) = mixed();
    let options = ExecuteOptions {
        test_source: TestSource::Truth,
        ..ExecuteOptions::default()
    };
    let report = EngineStub::default()
        .execute(&mut store, &options)
        .expect("it runs");
    let runs: Vec<_> = report
        .runs
        .iter()
        .map(|run| (run.run.as_str(), run.engine.as_str()))
        .collect();
    assert_eq!(
        runs,
        [
            ("truth", "fast"),
            ("truth-python", "fork"),
            ("truth-go", "none")
        ]
    );
    let go = &report.runs[2].funnel;
    assert_eq!(
        (
            go.n_candidates,
            go.by_blocked[BlockedReason::NoEngine as usize]
        ),
        (2, 2)
    );
    assert_eq!(report.not_run.len(), 1);
}

#[test]
fn a_second_look_is_at_so_many_of_the_run_whatever_their_languages() {
    let (_folders, mut store) = mixed();
    put_mixed(&mut store);
    let looked_at = |store: &mut Store, drawn| {
        let options = ExecuteOptions {
            confirms: Some(drawn),
            ..ExecuteOptions::default()
        };
        let report = EngineStub::default()
            .execute(store, &options)
            .expect("it runs");
        report.runs[0].funnel.n_drawn()
    };
    // One candidate passes in each of two languages.
    assert_eq!(
        looked_at(&mut store, crate::ConfirmationLimit::AtMost(1)),
        1
    );
    assert_eq!(looked_at(&mut store, crate::ConfirmationLimit::All), 2);
}

#[test]
fn a_run_of_which_nothing_is_asked_for_has_no_funnel() {
    let (_folders, mut store) = mixed();
    let only = |language: Language| ExecuteOptions {
        test_source: TestSource::Truth,
        filter: Filter::only(OfSample::Language(language)),
        ..ExecuteOptions::default()
    };
    let report = EngineStub::default()
        .execute(&mut store, &only(Language::Python))
        .expect("it runs");
    let told: Vec<&str> = report.runs.iter().map(|run| run.run.as_str()).collect();
    assert_eq!(told, ["truth-python"]);
    assert_eq!(report.unasked, ["truth", "truth-go"]);
    // If there is nothing else, the command does not succeed.
    let failed = EngineStub::default().execute(&mut store, &only(Language::Go));
    assert!(
        matches!(failed, Err(ExecuteError::NoEngine { .. })),
        "{failed:?}"
    );
    let by_another = ExecuteOptions {
        engine: Some(EngineName::Fork),
        ..only(Language::Java)
    };
    let failed = EngineStub::default().execute(&mut store, &by_another);
    let failed = failed.expect_err("engine fork runs no Java").to_string();
    assert_eq!(failed, "engine `fork` does not run java");
}
