//! Runs: imports are all or nothing, values are read as written, and those of different versions never mix.

use std::sync::Arc;

use crate::model::{
    ContentHash, Extraction, Filter, Language, Matcher, ParseMode, Prediction, PredictionReading,
    Problem, Reason, RunSetting, Score, Span, Target,
};
use crate::task::Monitor;
use crate::testing::{counter_repo, empty_store, key_of, many_tests, store_with, write_repos};
use crate::{
    EvaluationPlan, MetricProgress, RunCounts, ScoredPrediction, Store, StoreAccess, StoreError,
    WrittenScores,
};

use super::count_rows;

/// Every table with rows about runs.
const TABLES: [&str; 8] = [
    "runs",
    "predictions",
    "run_problems",
    "readings",
    "evaluations",
    "scores",
    "failures",
    "run_references",
];

pub(super) const DATASET: ContentHash = ContentHash([7; 16]);

fn setting(name: &str) -> RunSetting {
    RunSetting {
        name: name.to_owned(),
        model: Some("a model".to_owned()),
        target: Target::Test,
        matcher: Matcher::Contest,
        language: Language::Java,
        extraction: Extraction::Lenient,
        parse_mode: ParseMode::Javalang,
        length_max: Some(512),
        source: "answers.jsonl".to_owned(),
        imported_at: 1_700_000_000,
    }
}

fn prediction(idx: u32, answer: &str) -> Prediction {
    Prediction {
        key: key_of(
            "a",
            if idx.is_multiple_of(2) {
                "testInc"
            } else {
                "testAdd"
            },
        ),
        attempt: idx / 2,
        content_hash: ContentHash([idx as u8; 16]),
        line: idx + 1,
        answer: format!("{answer} {idx}"),
        code: (idx.is_multiple_of(3)).then(|| format!("code {idx}")),
        meta: (idx.is_multiple_of(5)).then(|| format!(r#"{{"n":{idx}}}"#)),
    }
}

pub(super) fn predictions(n_predictions: u32, answer: &str) -> Vec<Prediction> {
    (0..n_predictions)
        .map(|idx| prediction(idx, answer))
        .collect()
}

fn problem(line: u32) -> Problem {
    Problem {
        path: "answers.jsonl".to_owned(),
        line: Some(line),
        reason: Reason::BadLine,
        detail: format!("broken {line}"),
    }
}

fn begin(store: &mut Store, name: &str, predictions: &[Prediction]) -> i64 {
    let monitor = Monitor::default();
    let run = store
        .begin_run(&setting(name), &monitor)
        .expect("a run begins");
    for (first, predictions) in (0..).step_by(1_000).zip(predictions.chunks(1_000)) {
        store
            .write_predictions(run, first, predictions, &monitor)
            .expect("predictions are written");
    }
    run
}

fn counts(predictions: &[Prediction]) -> RunCounts {
    RunCounts {
        n_predictions: predictions.len() as u32,
        n_samples: predictions
            .iter()
            .filter(|prediction| prediction.attempt == 0)
            .count() as u32,
    }
}

pub(super) fn import(store: &mut Store, name: &str, predictions: &[Prediction]) -> i64 {
    let run = begin(store, name, predictions);
    let problems = [problem(3), problem(9)];
    store
        .publish_run(run, counts(predictions), &problems, &Monitor::default())
        .expect("the run is published");
    run
}

fn names(store: &Store) -> Vec<String> {
    let runs = store.runs().expect("the list is read");
    runs.into_iter().map(|run| run.setting.name).collect()
}

fn all_predictions(store: &Store, run: i64) -> Vec<Prediction> {
    store
        .predictions(run, 0, usize::MAX)
        .expect("these are short")
}

fn reopened(folder: &tempfile::TempDir, store: Store) -> Store {
    drop(store);
    Store::open(folder.path(), StoreAccess::Write).expect("the index opens")
}

#[test]
fn a_run_comes_back_as_it_was_written() {
    let (folder, mut store) = empty_store();
    let predictions = predictions(2_500, "answer");
    let run = import(&mut store, "steady", &predictions);
    let store = reopened(&folder, store);
    let row = store.run("steady").expect("reads").expect("it is there");
    assert_eq!(row.id, run);
    assert_eq!(row.setting, setting("steady"));
    assert_eq!(
        (row.n_predictions, row.n_samples, row.n_problems),
        (2_500, 2, 2)
    );
    assert_eq!((row.n_scored, row.n_unparsable), (0, None));
    assert_eq!(store.runs().expect("reads"), [row]);
    assert_eq!(all_predictions(&store, run), predictions);
    assert_eq!(
        store.predictions(run, 2_400, 7).expect("reads"),
        predictions[2_400..2_407]
    );
    let keys: Vec<_> = predictions[10..20]
        .iter()
        .map(|prediction| prediction.key)
        .collect();
    assert_eq!(store.prediction_keys(run, 10, 10).expect("reads"), keys);
    assert_eq!(
        store.run_problems(run, 9).expect("reads"),
        [problem(3), problem(9)]
    );
    assert_eq!(store.run_problems(run, 1).expect("reads"), [problem(3)]);
}

#[test]
fn texts_of_any_characters_come_back() {
    let (_folder, mut store) = empty_store();
    let texts = ["", "\0a\0", " \u{202e}\u{feff}𝄞\r\n", "'; DROP TABLE runs"];
    let mut predictions = predictions(texts.len() as u32, "");
    for (prediction, text) in predictions.iter_mut().zip(texts) {
        prediction.answer = text.to_owned();
        prediction.code = Some(text.to_owned());
    }
    let run = import(&mut store, "'; DROP TABLE runs; --", &predictions);
    assert_eq!(all_predictions(&store, run), predictions);
}

#[test]
fn long_predictions_come_a_few_at_a_time() {
    let (_folder, mut store) = empty_store();
    let mut predictions = predictions(5, "");
    for prediction in &mut predictions {
        prediction.answer = "x".repeat(20 << 20);
        prediction.code = None;
    }
    let run = import(&mut store, "steady", &predictions);
    let n_read = |first| store.predictions(run, first, 100).expect("reads").len();
    assert_eq!([n_read(0), n_read(2), n_read(4), n_read(5)], [2, 2, 1, 0]);
}

#[test]
fn a_begun_run_is_not_seen_by_anybody() {
    let (folder, mut store) = empty_store();
    begin(&mut store, "steady", &predictions(10, "answer"));
    let reader = Store::open(folder.path(), StoreAccess::Read).expect("a reader opens");
    assert_eq!(names(&reader), Vec::<String>::new());
    assert_eq!(reader.run("steady").expect("reads"), None);
    assert_eq!(reader.run("\u{1}steady").expect("reads"), None);
}

#[test]
fn a_discarded_import_leaves_what_was_there() {
    let (_folder, mut store) = empty_store();
    let former = predictions(10, "former");
    let run = import(&mut store, "steady", &former);
    let begun = begin(&mut store, "steady", &predictions(2_100, "other"));
    store.discard_run(begun).expect("it goes");
    assert_eq!(names(&store), ["steady"]);
    assert_eq!(all_predictions(&store, run), former);
    assert_eq!(count_rows(&store.conn, "predictions"), 10);
    assert_eq!(count_rows(&store.conn, "runs"), 1);
}

#[test]
fn a_killed_import_leaves_what_was_there_and_nothing_else() {
    let (folder, mut store) = empty_store();
    let former = predictions(10, "former");
    let run = import(&mut store, "steady", &former);
    begin(&mut store, "steady", &predictions(2_100, "other"));
    let store = reopened(&folder, store);
    assert_eq!(names(&store), ["steady"]);
    assert_eq!(all_predictions(&store, run), former);
    assert_eq!(count_rows(&store.conn, "predictions"), 10);
    assert_eq!(count_rows(&store.conn, "runs"), 1);
}

#[test]
fn publishing_takes_the_place_of_the_run_of_that_name_alone() {
    let (_folder, mut store) = empty_store();
    let others = predictions(5, "others");
    let other = import(&mut store, "hasty", &others);
    let former = import(&mut store, "steady", &predictions(3_000, "former"));
    score_all(&mut store, former, &[("bleu", 1)], 3_000);
    let later = predictions(4, "later");
    let run = import(&mut store, "steady", &later);
    assert_ne!(run, former);
    assert_eq!(names(&store), ["hasty", "steady"]);
    assert_eq!(all_predictions(&store, run), later);
    assert_eq!(all_predictions(&store, other), others);
    assert_eq!(all_predictions(&store, former), []);
    for (table, n_rows) in TABLES.into_iter().zip([2, 9, 4, 0, 0, 0, 0]) {
        assert_eq!(count_rows(&store.conn, table), n_rows, "{table}");
    }
}

#[test]
fn a_cancelled_publication_leaves_what_was_there() {
    let (_folder, mut store) = empty_store();
    let former = predictions(10, "former");
    let run = import(&mut store, "steady", &former);
    let begun = begin(&mut store, "steady", &predictions(4, "later"));
    let monitor = Monitor::default();
    monitor.cancel();
    let stopped = store.publish_run(begun, RunCounts::default(), &[], &monitor);
    assert!(matches!(stopped, Err(StoreError::Cancelled(_))));
    assert_eq!(names(&store), ["steady"]);
    assert_eq!(all_predictions(&store, run), former);
}

#[test]
fn a_run_that_is_published_is_published_although_somebody_cancels() {
    let (folder, mut store) = empty_store();
    import(&mut store, "steady", &predictions(2_100, "former"));
    let later = predictions(4, "later");
    let run = begin(&mut store, "steady", &later);
    let monitor = Arc::new(Monitor::default());
    let cancelled = Arc::clone(&monitor);
    // Right after the first commit, which is the one of the problems.
    store
        .conn
        .commit_hook(Some(move || {
            cancelled.cancel();
            false
        }))
        .expect("this connection is no hook's own");
    store
        .publish_run(run, counts(&later), &[], &monitor)
        .expect("it is published");
    assert_eq!(all_predictions(&store, run), later);
    let store = reopened(&folder, store);
    assert_eq!(names(&store), ["steady"]);
    assert_eq!(count_rows(&store.conn, "predictions"), 4);
}

#[test]
fn removal_leaves_no_rows_in_any_table() {
    let (_folder, mut store) = empty_store();
    let run = import(&mut store, "steady", &predictions(4_500, "answer"));
    score_all(&mut store, run, &[("bleu", 1), ("edit", 1)], 4_500);
    let monitor = Monitor::default();
    assert!(!store.remove_run("hasty", &monitor).expect("reads"));
    assert!(store.remove_run("steady", &monitor).expect("it goes"));
    assert!(!store.remove_run("steady", &monitor).expect("reads"));
    for table in TABLES {
        assert_eq!(count_rows(&store.conn, table), 0, "{table}");
    }
}

#[test]
fn what_a_stopped_removal_leaves_is_not_seen_and_goes_with_the_next_writer() {
    let (folder, mut store) = empty_store();
    let run = import(&mut store, "steady", &predictions(4_500, "answer"));
    score_all(&mut store, run, &[("bleu", 1)], 4_500);
    let monitor = Monitor::default();
    monitor.cancel();
    let removed = store.remove_run("steady", &monitor);
    assert!(
        matches!(removed, Err(StoreError::Cancelled(_))),
        "{removed:?}"
    );
    assert_eq!(names(&store), Vec::<String>::new());
    let store = reopened(&folder, store);
    for table in TABLES {
        assert_eq!(count_rows(&store.conn, table), 0, "{table}");
    }
}

fn plan(metric: &str, version: u32, options: &str) -> EvaluationPlan {
    EvaluationPlan {
        metric: metric.to_owned(),
        version,
        options: options.to_owned(),
    }
}

fn readings_plan() -> EvaluationPlan {
    EvaluationPlan::of_readings(1, String::new())
}

fn reading(idx: u32) -> PredictionReading {
    PredictionReading {
        syntax_error: (idx % 4 == 1).then_some((idx + 1, 7)),
        n_tokens: idx,
        n_reference_tokens: 2 * idx,
        is_over_length: idx.is_multiple_of(3),
        is_changed: idx.is_multiple_of(7),
        has_reference: idx % 5 != 4,
        assertion: format!("assert{idx}"),
        asserts: (idx % 4 != 1).then_some(idx.is_multiple_of(3)),
    }
}

fn score(metric: &str, idx: u32) -> Score {
    Score {
        value: f64::from(idx) / 7.0 % 1.0,
        parts: match metric {
            "bleu" => vec![f64::from(idx), 300.0, 0.0],
            "rouge1" => vec![0.1, f64::from(idx) / 3.0],
            _ => Vec::new(),
        },
    }
}

/// Writes readings and scores for the predictions `first..end`.
fn write(store: &mut Store, run: i64, progress: &[(MetricProgress, &str)], first: u32, end: u32) {
    let readings: Vec<PredictionReading> = (first..end).map(reading).collect();
    let scores: Vec<(i64, Vec<Score>)> = progress[1..]
        .iter()
        .map(|(metric_progress, metric)| {
            let scores = (first..end).map(|idx| score(metric, idx));
            (metric_progress.evaluation, scores.collect())
        })
        .collect();
    let written = WrittenScores {
        first,
        readings: Some((progress[0].0.evaluation, &readings)),
        tags: None,
        scores: &scores,
    };
    store
        .write_scores(run, &written, &Monitor::default())
        .expect("scores are written");
}

fn begin_scoring<'m>(
    store: &mut Store,
    run: i64,
    metrics: &[(&'m str, u32)],
) -> Vec<(MetricProgress, &'m str)> {
    let plans: Vec<EvaluationPlan> = std::iter::once(readings_plan())
        .chain(metrics.iter().map(|(id, version)| plan(id, *version, "")))
        .collect();
    let progress = store
        .begin_evaluations(run, &plans, DATASET, &Monitor::default())
        .expect("evaluations begin");
    let names = std::iter::once("").chain(metrics.iter().map(|metric| metric.0));
    progress.into_iter().zip(names).collect()
}

pub(super) fn score_all(store: &mut Store, run: i64, metrics: &[(&str, u32)], n_predictions: u32) {
    let progress = begin_scoring(store, run, metrics);
    for first in (0..n_predictions).step_by(700) {
        write(store, run, &progress, first, n_predictions.min(first + 700));
    }
    finish(store, run, &progress);
}

fn finish(store: &mut Store, run: i64, progress: &[(MetricProgress, &str)]) {
    store.finish_readings(run).expect("readings are summed up");
    let values: Vec<_> = progress[1..]
        .iter()
        .map(|(metric_progress, _)| (metric_progress.evaluation, Some(0.5), Some(0.25)))
        .collect();
    store
        .finish_evaluations(&values)
        .expect("values are written");
}

pub(super) fn scored(store: &Store, run: i64, evaluations: &[i64]) -> Vec<ScoredPrediction> {
    let mut all = Vec::new();
    store
        .each_score::<StoreError>(run, evaluations, |scored_prediction| {
            all.push(scored_prediction);
            Ok(())
        })
        .expect("scores are read");
    all
}

#[test]
fn scores_and_readings_come_back_in_order_as_they_were_written() {
    let (_folder, mut store) = empty_store();
    let n_predictions = 9_000;
    let written = predictions(n_predictions, "answer");
    import(&mut store, "before", &written[..50]);
    let run = import(&mut store, "steady", &written);
    import(&mut store, "after", &written[..50]);
    score_all(
        &mut store,
        run,
        &[("bleu", 1), ("rouge1", 1), ("edit", 1)],
        n_predictions,
    );
    // In the requested order, not in the order of writing.
    let asked = ["edit", "bleu", "rouge1"];
    let evaluations = store.evaluations(run, &asked).expect("reads");
    let evaluations: Vec<i64> = evaluations.into_iter().flatten().collect();
    assert_eq!(evaluations.len(), 3);
    let expected: Vec<_> = (0..n_predictions)
        .zip(&written)
        .map(|(idx, prediction)| ScoredPrediction {
            ordinal: idx,
            key: prediction.key,
            attempt: prediction.attempt,
            reading: reading(idx),
            tags: None,
            scores: asked.map(|metric| score(metric, idx)).to_vec(),
        })
        .collect();
    assert!(scored(&store, run, &evaluations) == expected);
    let row = store.run("steady").expect("reads").expect("it is there");
    // Attempt 0 of two samples: predictions 0 and 1, both with a reference, the second does not parse.
    assert_eq!((row.n_scored, row.n_unparsable), (2, Some(1)));
    assert_eq!((row.n_over_length, row.n_changed), (1, 1));
    assert_eq!(
        row.evaluation("bleu")
            .and_then(|evaluation| evaluation.value),
        Some(0.5)
    );
}

#[test]
fn reading_stops_with_the_caller_s_error() {
    let (_folder, mut store) = empty_store();
    let run = import(&mut store, "steady", &predictions(20, "answer"));
    score_all(&mut store, run, &[("edit", 1)], 20);
    let mut n_seen = 0;
    let stopped = store.each_score::<StoreError>(run, &[], |_| {
        n_seen += 1;
        Err(StoreError::Cancelled(crate::task::Cancelled))
    });
    assert!(matches!(stopped, Err(StoreError::Cancelled(_))));
    assert_eq!(n_seen, 1);
    assert!(store.run("steady").expect("it reads on").is_some());
}

#[test]
fn an_evaluation_that_was_stopped_goes_on_where_it_was() {
    let (folder, mut store) = empty_store();
    let run = import(&mut store, "steady", &predictions(30, "answer"));
    let progress = begin_scoring(&mut store, run, &[("bleu", 1)]);
    write(&mut store, run, &progress, 0, 12);
    let mut store = reopened(&folder, store);
    assert_eq!(store.evaluations(run, &["bleu"]).expect("reads"), [None]);
    let again = begin_scoring(&mut store, run, &[("bleu", 1), ("edit", 1)]);
    let n_done: Vec<u32> = again.iter().map(|again| again.0.n_done).collect();
    assert_eq!(n_done, [12, 12, 0]);
    assert_eq!(again[1].0.evaluation, progress[1].0.evaluation);
}

#[test]
fn writing_that_is_stopped_writes_nothing_of_its_part() {
    let (_folder, mut store) = empty_store();
    let run = import(&mut store, "steady", &predictions(30, "answer"));
    let progress = begin_scoring(&mut store, run, &[("edit", 1)]);
    let monitor = Monitor::default();
    monitor.cancel();
    let scores = [(progress[1].0.evaluation, vec![score("edit", 0)])];
    let written = WrittenScores {
        first: 0,
        readings: None,
        tags: None,
        scores: &scores,
    };
    let stopped = store.write_scores(run, &written, &monitor);
    assert!(matches!(stopped, Err(StoreError::Cancelled(_))));
    assert_eq!(count_rows(&store.conn, "scores"), 0);
    assert_eq!(
        begin_scoring(&mut store, run, &[("edit", 1)])[1].0.n_done,
        0
    );
}

/// Begins with other plans or another dataset; returns each one's progress, and the metrics that still have a value.
fn check_restart(
    plans: &[EvaluationPlan],
    dataset: ContentHash,
    n_done: &[u32],
    with_value: &[&str],
) {
    let (_folder, mut store) = empty_store();
    let run = import(&mut store, "steady", &predictions(30, "answer"));
    let other = import(&mut store, "hasty", &predictions(8, "answer"));
    score_all(&mut store, run, &[("bleu", 1), ("edit", 1)], 30);
    score_all(&mut store, other, &[("bleu", 1), ("edit", 1)], 8);
    let progress = store
        .begin_evaluations(run, plans, dataset, &Monitor::default())
        .expect("evaluations begin");
    let found: Vec<u32> = progress
        .iter()
        .map(|metric_progress| metric_progress.n_done)
        .collect();
    assert_eq!(found, n_done);
    let row = store.run("steady").expect("reads").expect("it is there");
    let valued: Vec<&str> = row
        .evaluations
        .iter()
        .filter(|evaluation| evaluation.value.is_some())
        .map(|evaluation| evaluation.metric.as_str())
        .collect();
    assert_eq!(valued, with_value);
    let n_kept: u32 = row
        .evaluations
        .iter()
        .filter_map(|evaluation| {
            store
                .evaluations(run, &[&evaluation.metric])
                .expect("reads")[0]
        })
        .map(|evaluation| scored_rows(&store, evaluation))
        .sum();
    assert_eq!(i64::from(n_kept) + 16, count_rows(&store.conn, "scores"));
    let row = store.run("hasty").expect("reads").expect("it is there");
    assert!(
        row.evaluations
            .iter()
            .all(|evaluation| evaluation.value.is_some())
    );
}

fn scored_rows(store: &Store, evaluation: i64) -> u32 {
    store
        .conn
        .query_row(
            "SELECT COUNT(*) FROM scores WHERE evaluation = ?1",
            [evaluation],
            |row| row.get(0),
        )
        .expect("reads")
}

#[test]
fn the_same_plan_goes_on() {
    let plans = [readings_plan(), plan("bleu", 1, ""), plan("edit", 1, "")];
    check_restart(&plans, DATASET, &[30, 30, 30], &["bleu", "edit"]);
}

#[test]
fn another_version_begins_anew_and_the_old_numbers_are_gone() {
    let plans = [readings_plan(), plan("bleu", 2, "")];
    check_restart(&plans, DATASET, &[30, 0], &["edit"]);
}

#[test]
fn other_options_begin_anew_and_the_old_numbers_are_gone() {
    let plans = [readings_plan(), plan("edit", 1, "x=1"), plan("bleu", 1, "")];
    check_restart(&plans, DATASET, &[30, 0, 30], &["bleu"]);
}

#[test]
fn changed_references_take_all_numbers_also_those_nobody_asked_for() {
    let plans = [readings_plan(), plan("bleu", 1, "")];
    check_restart(&plans, ContentHash([8; 16]), &[0, 0], &[]);
}

#[test]
fn other_readings_take_the_values_that_were_summed_up_with_them() {
    let readings = EvaluationPlan::of_readings(2, String::new());
    check_restart(&[readings], DATASET, &[0], &[]);
}

#[test]
fn what_a_stopped_restart_leaves_has_no_value_and_no_gap() {
    let (folder, mut store) = empty_store();
    let n_predictions = 4_500;
    let run = import(&mut store, "steady", &predictions(n_predictions, "answer"));
    score_all(&mut store, run, &[("edit", 1)], n_predictions);
    let monitor = Monitor::default();
    monitor.cancel();
    let plans = [readings_plan(), plan("edit", 2, "")];
    let stopped = store.begin_evaluations(run, &plans, DATASET, &monitor);
    assert!(matches!(stopped, Err(StoreError::Cancelled(_))));
    let mut store = reopened(&folder, store);
    let progress = store
        .begin_evaluations(run, &plans, DATASET, &Monitor::default())
        .expect("evaluations begin");
    assert_eq!(progress[1].n_done, 0);
    assert_eq!(count_rows(&store.conn, "scores"), 0);
    assert_eq!(scored(&store, run, &[]).len(), n_predictions as usize);
}

#[test]
fn which_references_are_there_is_known_until_other_samples_are() {
    let (_folder, mut store) = store_with(&[counter_repo("a")]);
    let run = import(&mut store, "steady", &predictions(30, "answer"));
    assert_eq!(store.dataset_now(run).expect("reads"), None);
    score_all(&mut store, run, &[("bleu", 1)], 30);
    assert_eq!(store.dataset_now(run).expect("reads"), Some(DATASET));
    write_repos(&mut store, &[counter_repo("b")]);
    assert_eq!(store.dataset_now(run).expect("reads"), None);
    assert_eq!(store.dataset(run).expect("reads"), Some(DATASET));
}

#[test]
fn what_is_forgotten_is_computed_again() {
    let (_folder, mut store) = empty_store();
    let run = import(&mut store, "steady", &predictions(30, "answer"));
    score_all(&mut store, run, &[("bleu", 1), ("edit", 1)], 30);
    store
        .forget_evaluations(run, &[plan("bleu", 1, "")], &Monitor::default())
        .expect("it is forgotten");
    assert_eq!(count_rows(&store.conn, "scores"), 30);
    let progress = begin_scoring(&mut store, run, &[("bleu", 1), ("edit", 1)]);
    let n_done: Vec<u32> = progress.iter().map(|progress| progress.0.n_done).collect();
    assert_eq!(n_done, [30, 0, 30]);
}

#[test]
fn references_are_the_texts_of_now() {
    let (_folder, mut store) = store_with(&[counter_repo("a")]);
    let keys = [
        key_of("a", "testAdd"),
        key_of("a", "nothing"),
        key_of("a", "testInc"),
    ];
    let texts = |store: &Store, target| -> Vec<Option<Option<String>>> {
        let references = store
            .references(&keys, target, Matcher::Contest)
            .expect("reads");
        references
            .into_iter()
            .map(|reference| reference.map(|stored_reference| stored_reference.text))
            .collect()
    };
    let assertion = |text: &str| Some(Some(text.to_owned()));
    assert_eq!(
        texts(&store, Target::Assertion),
        [
            Some(None),
            None,
            assertion("assertEquals(\"foo bar\", 5, counter.get());")
        ]
    );
    let tests = texts(&store, Target::Test);
    assert!(tests[0].as_ref().is_some_and(|test| {
        test.as_ref()
            .is_some_and(|text| text.starts_with("@Test") && text.contains("counter.add(5)"))
    }));
    let mut edited = counter_repo("a");
    edited.files[1].text = edited.files[1].text.replace("foo bar", "bar foo");
    write_repos(&mut store, &[edited]);
    assert_eq!(
        texts(&store, Target::Assertion)[2],
        assertion("assertEquals(\"bar foo\", 5, counter.get());")
    );
}

#[test]
fn facts_and_keys_follow_the_list() {
    let (_folder, store) = store_with(&[counter_repo("a"), many_tests("b", 20)]);
    let keys = store.keys(&Filter::default()).expect("reads");
    assert_eq!(keys.len(), 23);
    let facts = store.sample_facts(&keys, None).expect("reads");
    let repos: Vec<String> = facts.into_iter().flatten().map(|fact| fact.repo).collect();
    assert_eq!(repos.len(), 23);
    assert_eq!(
        repos.iter().filter(|repo| *repo == "example.org/a").count(),
        3
    );
}

#[test]
fn a_reference_is_another_one_when_the_test_is_cut_elsewhere() {
    let facts = |contents: crate::testing::Contents| {
        let (_folder, store) = store_with(&[contents]);
        let facts = store.sample_facts(&[key_of("a", "testInc")], None);
        let hash = |target| {
            let facts = facts.as_ref().expect("reads")[0].as_ref();
            facts.expect("it is there").reference_hash(target)
        };
        (hash(Target::Assertion), hash(Target::Test))
    };
    let before = facts(counter_repo("a"));
    assert_eq!(facts(counter_repo("a")), before);
    let mut cut_elsewhere = counter_repo("a");
    let cut = cut_elsewhere.tests[0].decided[0].cut.as_mut();
    let cut = cut.expect("the test is cut");
    cut.assertion = cut
        .assertion
        .map(|span| Span::new(span.start - 3, span.end));
    let after = facts(cut_elsewhere);
    assert_ne!(after.0, before.0);
    assert_eq!(after.1, before.1);
    assert_ne!(before.0, before.1);
}
