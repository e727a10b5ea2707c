//! Scoring from end to end: from raw texts to JSON or stored numbers.

mod compared;
mod golden;
mod hostile;
mod imported;
mod pairing;

use std::io::BufRead;

use focalist::eval::crystal::CrystalOptions;
use focalist::eval::evaluate::{EvalOptions, EvalReport, evaluate};
use focalist::eval::import::{ImportOptions, ImportReport, PredictionFormat, import};
use focalist::eval::score::{PairSource, ScoreOptions, ScoreReport, score};
use focalist::eval::{self};
use focalist::exchange::pairs::FieldNames;
use focalist::exchange::records::RecordLayout;
use focalist::metric::metrics_of;
use focalist::metric::scorer::Settings;
use focalist::model::{
    Extraction, Filter, Join, Language, Matcher, ParseMode, Prediction, Problem, RunRow,
    RunSetting, SampleKey, Target,
};
use focalist::store::{ScoredPrediction, Store, StoreAccess};
use focalist::task::Monitor;
use serde_json::Value;

use crate::support::Place;

fn score_options(language: Language, metrics: &[&str]) -> ScoreOptions {
    let metrics = metrics_of(metrics.iter().copied()).expect("the metrics are known");
    ScoreOptions {
        settings: Settings::new(language, metrics),
        crystal: CrystalOptions::default(),
        extraction: Extraction::None,
        length_max: None,
        is_summary_only: false,
        ast: None,
    }
}

/// The output and the messages of `score`.
struct Scored {
    report: ScoreReport,
    out: String,
    problems: Vec<Problem>,
}

impl Scored {
    /// Returns the lines of the pairs, and the line of the corpus.
    fn lines(&self) -> (Vec<Value>, Value) {
        let mut lines: Vec<Value> = self
            .out
            .lines()
            .map(|line| serde_json::from_str(line).expect("a line is JSON"))
            .collect();
        let corpus = lines.pop().expect("the last line is the corpus");
        (lines, corpus)
    }

    /// Returns line and detail of every problem.
    fn told(&self) -> Vec<(u32, &str)> {
        told(&self.problems)
    }
}

fn told(problems: &[Problem]) -> Vec<(u32, &str)> {
    problems
        .iter()
        .map(|problem| (problem.line.unwrap_or_default(), problem.detail.as_str()))
        .collect()
}

fn pair_names() -> FieldNames {
    FieldNames {
        id: "id".to_owned(),
        prediction: "prediction".to_owned(),
        reference: "reference".to_owned(),
    }
}

fn score_records(options: &ScoreOptions, layout: RecordLayout, text: &[u8]) -> Scored {
    let mut input = text;
    score_source(
        options,
        PairSource::Records {
            input: &mut input,
            layout,
            names: pair_names(),
            path: "pairs.jsonl".to_owned(),
        },
    )
}

fn score_source(options: &ScoreOptions, source: PairSource<'_>) -> Scored {
    let (mut out, mut problems) = (Vec::new(), Vec::new());
    let mut tell = |problem: &Problem| problems.push(problem.clone());
    let report = score(&Monitor::default(), options, source, &mut out, &mut tell)
        .expect("memory does not fail");
    Scored {
        report,
        out: String::from_utf8(out).expect("JSON is UTF-8"),
        problems,
    }
}

fn setting(name: &str) -> RunSetting {
    RunSetting {
        name: name.to_owned(),
        model: None,
        target: Target::Assertion,
        matcher: Matcher::DEFAULT,
        language: Language::Java,
        extraction: Extraction::None,
        parse_mode: ParseMode::Strict,
        length_max: None,
        source: "answers.jsonl".to_owned(),
        imported_at: 0,
    }
}

fn import_options(name: &str) -> ImportOptions {
    ImportOptions {
        setting: setting(name),
        form: PredictionFormat::Records {
            layout: RecordLayout::Json,
            names: prediction_names(),
        },
        ids: None,
        join: Join::default(),
        aligned_with: None,
        is_encoded: false,
        is_replacing: false,
        is_strict: false,
    }
}

fn prediction_names() -> FieldNames {
    FieldNames {
        id: "sample".to_owned(),
        ..pair_names()
    }
}

fn import_text(
    store: &mut Store,
    options: &ImportOptions,
    text: impl Into<Vec<u8>>,
) -> Result<ImportReport, eval::EvalError> {
    let input: Box<dyn BufRead> = Box::new(std::io::Cursor::new(text.into()));
    let mut files = [("answers.jsonl".to_owned(), input)];
    import(store, &Monitor::default(), options, &mut files)
}

fn eval_options(metrics: &[&str]) -> EvalOptions {
    EvalOptions {
        runs: Vec::new(),
        metrics: metrics_of(metrics.iter().copied()).expect("the metrics are known"),
        weights: [0.25; 4],
        crystal: CrystalOptions::default(),
        force: false,
        ast: None,
    }
}

fn evaluate_all(store: &mut Store, metrics: &[&str]) -> Vec<EvalReport> {
    evaluate(store, &Monitor::default(), &eval_options(metrics)).expect("runs are evaluated")
}

fn open(place: &Place) -> Store {
    Store::open(&place.path(".focalist"), StoreAccess::Write).expect("the index opens")
}

/// Opens the mined sample data.
fn sample_store() -> (Place, Store) {
    let place = Place::with_sample_data();
    let store = open(&place);
    (place, store)
}

/// Returns the samples that have an assertion part, in the order of lists.
fn keys_with_reference(store: &Store) -> Vec<(SampleKey, String)> {
    let keys = store.keys(&Filter::default()).expect("reads");
    let references = store
        .references(&keys, Target::Assertion, Matcher::DEFAULT)
        .expect("reads");
    keys.into_iter()
        .zip(references)
        .filter_map(|(key, stored_reference)| Some((key, stored_reference?.text?)))
        .collect()
}

fn run(store: &Store, name: &str) -> RunRow {
    let run = store.run(name).expect("reads");
    run.expect("the run is there")
}

fn predictions(store: &Store, name: &str) -> Vec<Prediction> {
    let run = run(store, name);
    let mut all = Vec::new();
    while all.len() < run.n_predictions as usize {
        let some = store.predictions(run.id, all.len() as u32, usize::MAX);
        all.extend(some.expect("reads"));
    }
    all
}

/// Returns everything that is stored about a run's scores in its complete metrics.
fn all_scores(store: &Store, name: &str) -> (Vec<String>, Vec<ScoredPrediction>) {
    let run = run(store, name);
    let mut metrics: Vec<String> = run
        .evaluations
        .iter()
        .map(|evaluation| evaluation.metric.clone())
        .collect();
    metrics.sort();
    let ids: Vec<&str> = metrics.iter().map(String::as_str).collect();
    let evaluations = store.evaluations(run.id, &ids).expect("reads");
    let evaluations: Vec<i64> = evaluations
        .into_iter()
        .map(|evaluation| evaluation.expect("it is complete"))
        .collect();
    let mut all = Vec::new();
    store
        .each_score::<eval::EvalError>(run.id, &evaluations, |scored| {
            all.push(scored);
            Ok(())
        })
        .expect("reads");
    (metrics, all)
}
