//! Importing files as runs and scoring them: formats of files, locations, strictness, recomputation.

use std::fmt::Write as _;
use std::fs;
use std::sync::atomic::Ordering;

use focalist::browse::parse_filter;
use focalist::eval;
use focalist::eval::evaluate::{EvalOptions, evaluate};
use focalist::eval::import::{PredictionFormat, import};
use focalist::exchange::records::RecordLayout;
use focalist::model::{Extraction, Filter, Language, SampleKey, SampleScope, Target};
use focalist::store::Store;
use focalist::task::Monitor;
use serde_json::json;

use super::{
    all_scores, eval_options, evaluate_all, import_options, import_text, keys_with_reference,
    prediction_names, predictions, run, sample_store, score_options, score_records, told,
};
use crate::support::sample_data;

fn sample_predictions(name: &str) -> String {
    fs::read_to_string(sample_data(&format!("predictions/{name}.jsonl")))
        .expect("the predictions are there")
}

/// Writes answers to the first samples that have a reference: the reference with something added.
fn answers(store: &Store, n_attempts: u32) -> Vec<(SampleKey, u32, String)> {
    let keys = keys_with_reference(store);
    (0..n_attempts)
        .flat_map(|attempt| {
            keys.iter().map(move |(key, reference)| {
                let cut = reference.len() * (attempt as usize % 7 + 1) / 7;
                let cut = (0..=cut)
                    .rfind(|at| reference.is_char_boundary(*at))
                    .unwrap_or(0);
                (
                    *key,
                    attempt,
                    format!("{} f({attempt});", &reference[..cut]),
                )
            })
        })
        .collect()
}

fn json_lines(answers: &[(SampleKey, u32, String)]) -> String {
    answers
        .iter()
        .fold(String::new(), |mut lines, (key, attempt, text)| {
            let line = json!({"sample": key.to_string(), "prediction": text, "attempt": attempt});
            writeln!(lines, "{line}").expect("a string takes all");
            lines
        })
}

#[test]
fn the_form_of_a_file_does_not_matter() {
    let (_place, mut store) = sample_store();
    let answers = answers(&store, 2);
    let lines = json_lines(&answers);
    let array = format!("[\n{}\n]\n", lines.trim_end().replace('\n', ",\n"));
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(["prediction", "sample", "attempt"])
        .expect("memory does not fail");
    for (key, attempt, text) in &answers {
        csv.write_record([text, &key.to_string(), &attempt.to_string()])
            .expect("memory does not fail");
    }
    let csv = csv.into_inner().expect("memory does not fail");
    for (name, layout, text) in [
        ("lines", RecordLayout::Json, lines.into_bytes()),
        ("array", RecordLayout::Json, array.into_bytes()),
        ("csv", RecordLayout::Csv, csv),
    ] {
        let mut options = import_options(name);
        options.form = PredictionFormat::Records {
            layout,
            names: prediction_names(),
        };
        let report = import_text(&mut store, &options, text).expect("it is loaded");
        assert_eq!(report.problems, []);
        assert_eq!(report.n_predictions, answers.len() as u64);
        assert_eq!(report.n_samples, answers.len() as u64 / 2);
        let found: Vec<_> = predictions(&store, name)
            .into_iter()
            .map(|prediction| (prediction.key, prediction.attempt, prediction.answer))
            .collect();
        assert_eq!(found, answers, "{name}");
    }
}

fn of_quayside() -> Filter {
    parse_filter("repo:quayside status:ok").expect("a filter")
}

#[test]
fn records_without_keys_follow_the_order_of_samples() {
    let (_place, mut store) = sample_store();
    let keys = store.keys(&of_quayside()).expect("reads");
    let mut options = import_options("places");
    options.aligned_with = Some((of_quayside(), SampleScope::All));
    let lines: Vec<String> = (0..keys.len())
        .map(|idx| json!({"prediction": format!("f({idx});")}).to_string())
        .collect();
    import_text(&mut store, &options, lines.join("\n")).expect("it is loaded");
    options.setting.name = "plain".to_owned();
    options.form = PredictionFormat::Lines;
    let plain: Vec<String> = (0..keys.len()).map(|idx| format!("f({idx});")).collect();
    let report = import_text(&mut store, &options, plain.join("\r\n")).expect("it is loaded");
    assert_eq!(report.problems, []);
    for name in ["places", "plain"] {
        let found: Vec<_> = predictions(&store, name)
            .into_iter()
            .map(|prediction| (prediction.key, prediction.answer))
            .collect();
        let expected = keys.iter().enumerate();
        let expected: Vec<_> = expected
            .map(|(idx, key)| (*key, format!("f({idx});")))
            .collect();
        assert_eq!(found, expected);
    }
}

#[test]
fn a_broken_record_keeps_the_place_of_those_behind_it() {
    let (_place, mut store) = sample_store();
    let keys = store.keys(&of_quayside()).expect("reads");
    let mut options = import_options("places");
    options.aligned_with = Some((of_quayside(), SampleScope::All));
    let mut lines = vec![r#"{"prediction": "x"}"#; keys.len() + 2];
    lines[1] = "{";
    let report = import_text(&mut store, &options, lines.join("\n")).expect("it is loaded");
    let n = keys.len();
    let too_many = format!("there are only {n} samples");
    let count = format!(
        "{} records for {n} samples: the order may be another one",
        n + 2
    );
    let places = [
        (2, "ends in the middle of an object"),
        (n as u32 + 1, &*too_many),
        (n as u32 + 2, &*too_many),
        (0, &*count),
    ];
    assert_eq!(told(&report.problems), places);
    let found: Vec<SampleKey> = predictions(&store, "places")
        .iter()
        .map(|prediction| prediction.key)
        .collect();
    assert_eq!(found[..], [&keys[..1], &keys[2..]].concat());
}

#[test]
fn strictness_stores_nothing_when_there_is_any_problem() {
    let (_place, mut store) = sample_store();
    let answers = answers(&store, 1);
    let lines = json_lines(&answers);
    let mut options = import_options("strict");
    options.is_strict = true;
    import_text(&mut store, &options, lines.clone()).expect("there is no problem");
    options.is_replacing = true;
    let broken = format!("{lines}{{");
    let result = import_text(&mut store, &options, broken.clone());
    assert!(matches!(
        result,
        Err(eval::EvalError::Problems { n_problems: 1, .. })
    ));
    assert_eq!(predictions(&store, "strict").len(), answers.len());
    options.setting.name = "other".to_owned();
    assert!(import_text(&mut store, &options, broken).is_err());
    let names: Vec<String> = store
        .runs()
        .expect("reads")
        .into_iter()
        .map(|run_row| run_row.setting.name)
        .collect();
    assert_eq!(names, ["strict"]);
}

#[test]
fn a_name_is_taken_once_unless_replacing_is_asked_for() {
    let (_place, mut store) = sample_store();
    let lines = json_lines(&answers(&store, 1));
    let mut options = import_options("a run");
    import_text(&mut store, &options, lines.clone()).expect("it is loaded");
    let result = import_text(&mut store, &options, lines.clone());
    assert!(matches!(result, Err(eval::EvalError::RunExists { .. })));
    options.is_replacing = true;
    let first = lines.lines().next().expect("there are lines");
    import_text(&mut store, &options, first).expect("it is loaded");
    assert_eq!(run(&store, "a run").n_predictions, 1);
    for name in ["", " ", "a\nb", "\u{1}a run"] {
        let mut options = import_options(name);
        options.is_replacing = true;
        let result = import_text(&mut store, &options, first);
        assert!(
            matches!(result, Err(eval::EvalError::BadName { .. })),
            "{name:?}"
        );
    }
    let result = import_text(&mut store, &import_options("nothing"), "{}\n");
    assert!(matches!(
        result,
        Err(eval::EvalError::NothingUsable {
            n_records: 1,
            n_problems: 1,
            ..
        })
    ));
    assert!(store.run("nothing").expect("reads").is_none());
}

#[test]
fn a_cancelled_import_leaves_what_was_there() {
    let (_place, mut store) = sample_store();
    let lines = json_lines(&answers(&store, 1));
    let mut options = import_options("a run");
    import_text(&mut store, &options, lines.clone()).expect("it is loaded");
    let before = predictions(&store, "a run");
    options.is_replacing = true;
    let monitor = Monitor::default();
    monitor.cancel();
    let input = Box::new(std::io::Cursor::new(lines.into_bytes()));
    let mut files = [("answers.jsonl".to_owned(), input as _)];
    assert!(import(&mut store, &monitor, &options, &mut files).is_err());
    assert_eq!(predictions(&store, "a run"), before);
    assert_eq!(store.runs().expect("reads").len(), 1);
}

#[test]
fn what_was_extracted_is_kept_beside_the_answer() {
    let (_place, mut store) = sample_store();
    let (key, reference) = keys_with_reference(&store).remove(0);
    let answer = format!("Here you are:\n```java\n{reference}\n```\nThanks!");
    let line = json!({"sample": key.to_string(), "prediction": answer}).to_string();
    let mut options = import_options("prose");
    options.setting.extraction = Extraction::Lenient;
    let report = import_text(&mut store, &options, line).expect("it is loaded");
    assert_eq!(report.n_extracted, 1);
    let prediction = predictions(&store, "prose").remove(0);
    assert_eq!(prediction.answer, answer);
    assert_eq!(prediction.code.as_deref(), Some(reference.as_str()));
    evaluate_all(&mut store, &["em"]);
    assert_eq!(
        run(&store, "prose")
            .evaluation("em")
            .and_then(|evaluation| evaluation.value),
        Some(1.0)
    );
}

#[test]
fn answers_to_samples_without_the_part_are_loaded_and_counted() {
    let (_place, mut store) = sample_store();
    let with: Vec<SampleKey> = keys_with_reference(&store)
        .iter()
        .map(|pair| pair.0)
        .collect();
    let filter = parse_filter("status:no_assertion_part").expect("the filter is right");
    let without = store.keys(&filter).expect("reads");
    assert!(without.len() > 1, "the sample data has such tests");
    // The last one is answered twice.
    let answered = with.iter().take(3).chain(&without);
    let mut all: Vec<(SampleKey, u32, String)> =
        answered.map(|key| (*key, 0, "f();".to_owned())).collect();
    all.push((without[without.len() - 1], 1, "g();".to_owned()));
    let lines = json_lines(&all);
    let n_lost = without.len() as u64;

    let options = import_options("assertions");
    let report = import_text(&mut store, &options, lines.clone()).expect("it is loaded");
    assert_eq!(report.n_predictions, 3 + n_lost + 1);
    assert_eq!(report.n_without_reference, n_lost + 1);
    assert!(report.problems.is_empty());
    assert_eq!(run(&store, "assertions").n_without_reference(), None);
    let reports = evaluate_all(&mut store, &["em"]);
    assert_eq!(reports[0].n_without_reference, n_lost + 1);
    let row = run(&store, "assertions");
    assert_eq!((row.n_scored, row.n_without_reference()), (3, Some(n_lost)));

    let mut options = import_options("tests");
    options.setting.target = Target::Test;
    let report = import_text(&mut store, &options, lines).expect("it is loaded");
    assert_eq!(report.n_without_reference, 0);
    evaluate_all(&mut store, &["em"]);
    assert_eq!(run(&store, "tests").n_without_reference(), Some(0));
}

#[test]
fn a_run_scores_what_the_same_pairs_score_without_an_index() {
    let (_place, mut store) = sample_store();
    let metrics = [
        "contest",
        "codebleu",
        "codebleu:k4black",
        "edit",
        "em",
        "bleu:*",
    ];
    import_text(
        &mut store,
        &import_options("steady"),
        sample_predictions("steady"),
    )
    .expect("it is loaded");
    evaluate_all(&mut store, &metrics);
    let row = run(&store, "steady");
    let first: Vec<_> = predictions(&store, "steady")
        .into_iter()
        .filter(|prediction| prediction.attempt == 0)
        .collect();
    let keys: Vec<SampleKey> = first.iter().map(|prediction| prediction.key).collect();
    let references = store
        .references(&keys, row.setting.target, row.setting.matcher)
        .expect("reads");
    let lines: Vec<String> = first
        .iter()
        .zip(references)
        .filter_map(|(prediction, reference)| {
            let reference = reference?.text?;
            Some(json!({"reference": reference, "prediction": prediction.answer}).to_string())
        })
        .collect();
    let options = score_options(Language::Java, &metrics);
    let scored = score_records(&options, RecordLayout::Json, lines.join("\n").as_bytes());
    let (_, corpus) = scored.lines();
    assert_eq!(row.n_scored, lines.len() as u64);
    assert_eq!(corpus["n_unparsable"], json!(row.n_unparsable));
    for evaluation in &row.evaluations {
        let id = evaluation.metric.as_str();
        let check = |values: &str, expected: Option<f64>| {
            let (found, expected) = (corpus[values][id].as_f64(), expected);
            let difference = found.zip(expected).map(|(a, b)| (a - b).abs());
            assert!(
                difference.is_some_and(|difference| difference < 1e-12),
                "{id} {values}"
            );
        };
        check("corpus", evaluation.value);
        check("parsable", evaluation.value_parsable);
        check("adjusted", row.adjusted(id));
    }
}

#[test]
fn only_what_is_missing_is_computed() {
    let (_place, mut store) = sample_store();
    for name in ["steady", "hasty"] {
        import_text(&mut store, &import_options(name), sample_predictions(name))
            .expect("it is loaded");
    }
    let n_steady = run(&store, "steady").n_predictions;
    let computed = |store: &mut Store, options: &EvalOptions| {
        let monitor = Monitor::default();
        let reports = evaluate(store, &monitor, options).expect("runs are evaluated");
        let total = monitor.n_predictions_total.load(Ordering::Relaxed);
        assert_eq!(monitor.n_predictions.load(Ordering::Relaxed), total);
        (reports[0].n_computed, reports[0].n_kept)
    };
    let mut options = eval_options(&["bleu", "edit"]);
    assert_eq!(computed(&mut store, &options), (2 * n_steady, 0));
    assert_eq!(computed(&mut store, &options), (0, 2 * n_steady));
    let before = all_scores(&store, "steady");
    options = eval_options(&["bleu", "edit", "em"]);
    assert_eq!(computed(&mut store, &options), (n_steady, 2 * n_steady));
    let values = |store: &Store| -> Vec<_> {
        let run = run(store, "steady");
        let values = run.evaluations.into_iter();
        values
            .map(|evaluation| {
                (
                    evaluation.metric,
                    evaluation.value,
                    evaluation.value_parsable,
                )
            })
            .collect()
    };
    let summed = values(&store);
    options = eval_options(&["em"]);
    options.force = true;
    assert_eq!(computed(&mut store, &options), (n_steady, 0));
    let mut after = values(&store);
    after.sort_by(|a, b| a.0.cmp(&b.0));
    let mut expected = summed;
    expected.sort_by(|a, b| a.0.cmp(&b.0));
    assert_eq!(after, expected);
    let (metrics, scored) = all_scores(&store, "steady");
    assert_eq!(metrics, ["bleu", "edit", "em"]);
    for (now, before) in scored.iter().zip(&before.1) {
        assert_eq!(now.scores[..2], before.scores);
        assert_eq!(now.reading, before.reading);
    }
    options.weights = [0.1, 0.1, 0.4, 0.4];
    options.force = false;
    options.metrics = eval_options(&["em", "codebleu"]).metrics;
    assert_eq!(computed(&mut store, &options), (n_steady, n_steady));
    options.weights = [0.25; 4];
    assert_eq!(computed(&mut store, &options), (n_steady, n_steady));
}

/// Evaluates until it is complete, and cancels each round as soon as a part is done; returns the number of cancels.
fn evaluate_with_interruptions(store: &mut Store, n_rounds: u32) -> u32 {
    let options = eval_options(&["contest", "edit", "em"]);
    let mut n_cancelled = 0;
    for round in 0.. {
        let monitor = Monitor::default();
        let result = std::thread::scope(|scope| {
            let (monitor, store) = (&monitor, &mut *store);
            let options = &options;
            let evaluating = scope.spawn(move || evaluate(store, monitor, options));
            // Goes on from where the last round stopped, and so sees that first.
            let before = monitor.n_predictions.load(Ordering::Relaxed);
            while round < n_rounds && !evaluating.is_finished() {
                if monitor.n_predictions.load(Ordering::Relaxed) > before {
                    monitor.cancel();
                }
                std::thread::yield_now();
            }
            evaluating.join().expect("nothing panics")
        });
        match result {
            Ok(_) => break,
            Err(
                eval::EvalError::Cancelled(_)
                | eval::EvalError::Store(focalist::store::StoreError::Cancelled(_)),
            ) => n_cancelled += 1,
            Err(error) => panic!("{error}"),
        }
    }
    n_cancelled
}

#[test]
fn an_evaluation_that_was_cancelled_ends_in_the_same_values() {
    let (_place, mut store) = sample_store();
    let lines = json_lines(&answers(&store, 120));
    import_text(&mut store, &import_options("whole"), lines.clone()).expect("it is loaded");
    evaluate_all(&mut store, &["contest", "edit", "em"]);
    let whole = (all_scores(&store, "whole"), run(&store, "whole"));
    store
        .remove_run("whole", &Monitor::default())
        .expect("it is removed");
    import_text(&mut store, &import_options("whole"), lines).expect("it is loaded");
    assert!(evaluate_with_interruptions(&mut store, 2) > 0);
    assert!(all_scores(&store, "whole") == whole.0);
    let mut row = run(&store, "whole");
    row.id = whole.1.id;
    assert_eq!(row, whole.1);
}

fn with_threads<T: Send>(n_threads: usize, work: impl FnOnce() -> T + Send) -> T {
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build();
    pool.expect("threads can be started").install(work)
}

#[test]
fn one_thread_and_four_write_the_same_bytes() {
    let (_place, mut store) = sample_store();
    let answers = answers(&store, 12);
    let keys = keys_with_reference(&store);
    let lines: Vec<String> = answers
        .iter()
        .zip(keys.iter().cycle())
        .map(|((_, _, answer), (_, reference))| {
            json!({"reference": reference, "prediction": answer}).to_string()
        })
        .collect();
    let text = lines.join("\n");
    let options = score_options(Language::Java, &["all"]);
    let scored = |n_threads| {
        with_threads(n_threads, || {
            score_records(&options, RecordLayout::Json, text.as_bytes()).out
        })
    };
    assert_eq!(scored(1), scored(4));

    let lines = json_lines(&answers);
    for (name, n_threads) in [("one", 1), ("four", 4)] {
        import_text(&mut store, &import_options(name), lines.clone()).expect("it is loaded");
        let mut options = eval_options(&["all"]);
        options.runs = vec![name.to_owned()];
        let monitor = Monitor::default();
        with_threads(n_threads, || evaluate(&mut store, &monitor, &options))
            .expect("it is evaluated");
    }
    assert!(all_scores(&store, "one") == all_scores(&store, "four"));
    let evaluations = |name| run(&store, name).evaluations;
    assert_eq!(evaluations("one"), evaluations("four"));
}
