//! Two runs over every sample of an index, written without scoring anything: a list reads rows, whatever their values.
//!
//! Answers are as long as assertion parts, one in eight does not parse, and the second run is a little better.

use std::path::Path;

use focalist::metric::metric;
use focalist::model::{
    ContentHash, Extraction, Filter, Language, Matcher, ParseMode, Prediction, PredictionReading,
    RunSetting, SampleKey, Score, Tag, Tags, Target,
};
use focalist::store::{EvaluationPlan, RunCounts, Store, StoreAccess, WrittenScores};
use focalist::task::Monitor;

use super::random::Random;

/// The runs, and how much better than the first they are.
pub const RUNS: [(&str, f64); 2] = [("first", 0.0), ("second", 0.05)];
pub const METRICS: [&str; 3] = ["bleu", "rougeL", "codebleu"];
const TARGET: Target = Target::Assertion;
const PREDICTIONS_AT_ONCE: usize = 20_000;
const PREDICTIONS_PER_WRITE: usize = 500;
const ASSERTIONS: [&str; 6] = [
    "assertEquals",
    "assertTrue",
    "assertThat",
    "assertNull",
    "verify",
    "",
];

/// Adds the runs that are missing to the index in `folder`.
pub fn add(folder: &Path) {
    let mut store = Store::open(folder, StoreAccess::Write).expect("the index opens");
    let keys = store.keys(&Filter::default()).expect("there are samples");
    for (idx, (name, above)) in RUNS.into_iter().enumerate() {
        if store.run(name).expect("runs can be read").is_none() {
            add_run(&mut store, &keys, name, above, idx as u64);
        }
    }
}

fn add_run(store: &mut Store, keys: &[SampleKey], name: &str, above: f64, seed: u64) {
    let monitor = Monitor::default();
    let run = store.begin_run(&setting(name), &monitor);
    let run = run.expect("a run begins");
    let mut random = Random::new(11, seed);
    let mut first = 0;
    for keys in keys.chunks(PREDICTIONS_AT_ONCE) {
        let predictions: Vec<Prediction> = (first + 1..)
            .zip(keys)
            .map(|(line, key)| Prediction {
                key: *key,
                attempt: 0,
                content_hash: ContentHash([0; 16]),
                line,
                answer: answer(&mut random),
                code: None,
                meta: None,
            })
            .collect();
        let written = store.write_predictions(run, first, &predictions, &monitor);
        written.expect("predictions are written");
        first += keys.len() as u32;
    }
    let counts = RunCounts {
        n_predictions: first,
        n_samples: first,
    };
    let published = store.publish_run(run, counts, &[], &monitor);
    published.expect("the run is published");
    score(store, run, keys, above, &mut random);
}

fn setting(name: &str) -> RunSetting {
    RunSetting {
        name: name.to_owned(),
        model: None,
        target: TARGET,
        matcher: Matcher::DEFAULT,
        language: Language::Java,
        extraction: Extraction::None,
        parse_mode: ParseMode::Strict,
        length_max: None,
        source: "generated".to_owned(),
        imported_at: 0,
    }
}

fn answer(random: &mut Random) -> String {
    let n_lines = 1 + random.below(5);
    let lines = (0..n_lines).map(|_| {
        let assertion = random.of(&ASSERTIONS[..4]);
        let value = random.below(100_000);
        format!(
            "{assertion}({value}, subject.compute{}(first, \"text {value}\"));",
            value % 97
        )
    });
    lines.collect::<Vec<_>>().join("\n        ")
}

fn score(store: &mut Store, run: i64, keys: &[SampleKey], above: f64, random: &mut Random) {
    let monitor = Monitor::default();
    let metrics = METRICS.map(|id| EvaluationPlan {
        metric: id.to_owned(),
        version: metric(id).expect("there is such a metric").version,
        options: String::new(),
    });
    let readings = EvaluationPlan::of_readings(1, String::new());
    let tags = EvaluationPlan::of_tags(1, String::new());
    let plans: Vec<EvaluationPlan> = [readings, tags].into_iter().chain(metrics).collect();
    let progress = store.begin_evaluations(run, &plans, dataset(store, keys), &monitor);
    let evaluations: Vec<i64> = progress
        .expect("an evaluation begins")
        .iter()
        .map(|metric_progress| metric_progress.evaluation)
        .collect();
    let ordinals: Vec<u32> = (0..keys.len() as u32).collect();
    for ordinals in ordinals.chunks(PREDICTIONS_PER_WRITE) {
        let readings: Vec<PredictionReading> = ordinals.iter().map(|_| reading(random)).collect();
        let tags: Vec<Option<Tags>> = readings
            .iter()
            .map(|reading| {
                reading
                    .has_reference
                    .then(|| Tags(1 << random.below(Tag::ALL.len())))
            })
            .collect();
        let scores: Vec<(i64, Vec<Score>)> = evaluations[2..]
            .iter()
            .zip(METRICS)
            .map(|(evaluation, metric)| {
                let scores = ordinals.iter().map(|_| Score {
                    value: (random.below(1_000) as f64 / 1_000.0 * 0.95 + above).min(1.0),
                    parts: if metric == "bleu" {
                        parts(random)
                    } else {
                        Vec::new()
                    },
                });
                (*evaluation, scores.collect())
            })
            .collect();
        let written = WrittenScores {
            first: ordinals[0],
            readings: Some((evaluations[0], &readings)),
            tags: Some((evaluations[1], &tags)),
            scores: &scores,
        };
        let written = store.write_scores(run, &written, &monitor);
        written.expect("scores are written");
    }
    store.finish_readings(run).expect("readings are counted");
    let values: Vec<_> = evaluations[2..]
        .iter()
        .map(|evaluation| (*evaluation, Some(0.5), Some(0.5)))
        .collect();
    store.finish_evaluations(&values).expect("values are kept");
}

/// Returns the hash of the references that an evaluation stores, so that the runs may be compared.
fn dataset(store: &Store, keys: &[SampleKey]) -> ContentHash {
    let mut hasher = blake3::Hasher::new();
    for keys in keys.chunks(PREDICTIONS_AT_ONCE) {
        let facts = store.sample_facts(keys, Matcher::DEFAULT);
        for facts in facts.expect("facts can be read") {
            hasher.update(&facts.map_or([0; 16], |fact| fact.reference_hash(TARGET).0));
        }
    }
    ContentHash::of(&hasher)
}

/// Returns BLEU's counts of a pair.
fn parts(random: &mut Random) -> Vec<f64> {
    let n_tokens = 5 + random.below(80);
    let grams = || (0..4).map(|order| n_tokens.saturating_sub(order) as f64);
    let mut parts: Vec<f64> = grams().map(|gram| (gram * 0.6).floor()).collect();
    parts.extend(grams());
    parts.extend([0.0; 4]);
    parts.extend([n_tokens as f64, 40.0, 40.0]);
    parts
}

fn reading(random: &mut Random) -> PredictionReading {
    PredictionReading {
        syntax_error: random.once_in(8).then_some((1, 1)),
        n_tokens: 5 + random.below(120) as u32,
        n_reference_tokens: 5 + random.below(150) as u32,
        is_over_length: false,
        is_changed: random.once_in(100),
        has_reference: !random.once_in(50),
        assertion: random.of(&ASSERTIONS).to_owned(),
        asserts: Some(!random.once_in(10)),
    }
}
