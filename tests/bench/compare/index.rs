//! Two runs over a whole index: what it takes to load them, to select and to compare.

use std::path::Path;
use std::time::Instant;

use focalist::browse::parse_filter;
use focalist::eval::compare::By;
use focalist::eval::pairing::{Look, Pairing, Selection};
use focalist::metric::metric;
use focalist::model::{
    ContentHash, Direction, Extraction, Filter, Language, Matcher, ParseMode, Prediction, Reading,
    RunSetting, SampleKey, Score, Target,
};
use focalist::store::{Access, EvaluationPlan, RunCounts, Store, WrittenScores};
use focalist::task::Monitor;

use super::{Random, print};

const RUNS: [&str; 2] = ["bench-a", "bench-b"];
const METRICS: [&str; 3] = ["bleu", "rougeL", "codebleu"];
const AT_ONCE: usize = 10_000;

pub fn run(folder: &Path) {
    let mut store = Store::open(folder, Access::Write).expect("there is an index");
    for (seed, name) in (1..).zip(RUNS) {
        if store.run(name).expect("runs can be read").is_none() {
            make(&mut store, name, seed);
        }
    }
    say("two runs are there", &Instant::now());
    drop(store);
    // SQLite and the making have their own peak; a process of its own would hide the time to open.
    let store = Store::open(folder, Access::Read).expect("there is an index");
    let monitor = &Monitor::default();
    let metrics = METRICS.map(|it| metric(it).expect("there is such a metric"));
    let started = Instant::now();
    let before = resident();
    let mut pairing = Pairing::load(&store, monitor, &RUNS.map(str::to_owned), &metrics)
        .expect("they can be compared");
    say(
        &format!("{} shared samples loaded", pairing.len()),
        &started,
    );
    print(&format!("  {:.0} MB more than before", resident() - before));
    let look = pairing.look("rougeL", 1).expect("it was loaded");
    let started = Instant::now();
    let everything = pairing
        .select(&store, monitor, &Filter::default(), look)
        .expect("it is selected");
    say("everything selected", &started);
    let started = Instant::now();
    let filter = parse_filter("status:mapped").expect("a filter");
    let some = pairing.select(&store, monitor, &filter, look);
    say(
        &format!(
            "{} of a filter selected",
            some.expect("it is selected").len()
        ),
        &started,
    );
    compare(&store, &mut pairing, &everything, look);
    let look = pairing.look("bleu", 1).expect("it was loaded");
    compare(&store, &mut pairing, &everything, look);
    let started = Instant::now();
    let slices = pairing
        .slices(&store, monitor, &everything, By::Length, look, 10, 1)
        .expect("it is sliced");
    say(
        &format!("{} slices by length, 10 draws", slices.len()),
        &started,
    );
    let started = Instant::now();
    let repos = pairing.split(&store, monitor, &everything, By::Repo);
    say(
        &format!("{} repositories", repos.expect("it is split").len()),
        &started,
    );
}

fn compare(store: &Store, pairing: &mut Pairing, everything: &Selection, look: Look) {
    let monitor = &Monitor::default();
    let id = look.metric().id;
    let started = Instant::now();
    let mut refining = pairing
        .refining((store, monitor), everything, look, 1)
        .expect("they can be compared");
    let at_once = refining.compared();
    say(
        &format!("{id}: {:?} before any draw", at_once.interval),
        &started,
    );
    let started = Instant::now();
    refining.step(monitor, 1_000).expect("nobody cancels");
    say(&format!("{id}: a step"), &started);
    let started = Instant::now();
    while !refining.step(monitor, 100).expect("nobody cancels") {}
    let drawn = refining.compared();
    say(
        &format!(
            "{id}: {:?} after {} draws",
            drawn.interval, drawn.n_resamples
        ),
        &started,
    );
    let started = Instant::now();
    let places = pairing.by_delta(everything, look, Direction::Ascending);
    say(&format!("{id}: {} places by delta", places.len()), &started);
    let started = Instant::now();
    let histogram = pairing.histogram(everything, look, 20);
    say(&format!("{id}: {:?}", histogram.tally()), &started);
}

fn say(what: &str, started: &Instant) {
    let seconds = started.elapsed().as_secs_f64();
    print(&format!(
        "{seconds:8.3} s  {what} (memory {:.0} MB)",
        resident()
    ));
}

/// Returns how much memory this process has that is not of files, in MB, where the system tells.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("RssAnon"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<f64>().ok());
    kib.unwrap_or(f64::NAN) * 1024.0 / 1e6
}

/// Writes a run that answers every sample, with scores out of a fixed stream of numbers.
fn make(store: &mut Store, name: &str, seed: u64) {
    let monitor = &Monitor::default();
    let keys = store.keys(&Filter::default()).expect("keys can be read");
    let setting = RunSetting {
        name: name.to_owned(),
        model: None,
        target: Target::Test,
        matcher: Matcher::DEFAULT,
        language: Language::Java,
        extraction: Extraction::None,
        parse_mode: ParseMode::Strict,
        length_max: None,
        source: "bench".to_owned(),
        imported_at: 0,
    };
    let run = store
        .begin_run(&setting, monitor)
        .expect("a run can be made");
    for (idx, keys) in keys.chunks(AT_ONCE).enumerate() {
        let predictions: Vec<Prediction> = keys.iter().map(prediction).collect();
        store
            .write_predictions(run, (idx * AT_ONCE) as u32, &predictions, monitor)
            .expect("they are written");
    }
    let n = keys.len() as u32;
    let counts = RunCounts {
        n_predictions: n,
        n_samples: n,
    };
    store
        .publish_run(run, counts, &[], monitor)
        .expect("it is published");
    score(store, run, &keys, seed);
}

fn prediction(key: &SampleKey) -> Prediction {
    Prediction {
        key: *key,
        attempt: 0,
        content_hash: ContentHash([0; 16]),
        line: 1,
        answer: "assertTrue(true);".to_owned(),
        code: None,
        meta: None,
    }
}

fn score(store: &mut Store, run: i64, keys: &[SampleKey], seed: u64) {
    let monitor = &Monitor::default();
    let mut plans = vec![EvaluationPlan::of_readings(1, String::new())];
    plans.extend(METRICS.map(|it| EvaluationPlan {
        metric: it.to_owned(),
        version: metric(it).expect("there is such a metric").version,
        options: String::new(),
    }));
    let mut hasher = blake3::Hasher::new();
    for keys in keys.chunks(AT_ONCE) {
        let facts = store.sample_facts(keys, Matcher::DEFAULT);
        for facts in facts.expect("facts can be read") {
            hasher.update(&facts.map_or([0; 16], |it| it.reference_hash(Target::Test).0));
        }
    }
    let progress = store
        .begin_evaluations(run, &plans, ContentHash::of(&hasher), monitor)
        .expect("it is begun");
    let mut random = Random(seed);
    for (idx, keys) in keys.chunks(AT_ONCE).enumerate() {
        let readings: Vec<Reading> = keys
            .iter()
            .map(|key| Reading {
                n_tokens: 5,
                n_reference_tokens: u32::from(key.0[0]),
                has_reference: true,
                assertion: "assertEquals".to_owned(),
                ..Reading::default()
            })
            .collect();
        let scores: Vec<(i64, Vec<Score>)> = progress[1..]
            .iter()
            .zip(METRICS)
            .map(|(progress, metric)| {
                let scores = keys.iter().map(|_| Score {
                    value: random.below(10_000) as f64 / 1e4,
                    parts: if metric == "bleu" {
                        parts(&mut random)
                    } else {
                        Vec::new()
                    },
                });
                (progress.evaluation, scores.collect())
            })
            .collect();
        let written = WrittenScores {
            first: (idx * AT_ONCE) as u32,
            readings: Some((progress[0].evaluation, &readings)),
            tags: None,
            scores: &scores,
        };
        store
            .write_scores(run, &written, monitor)
            .expect("they are written");
    }
    let values: Vec<(i64, Option<f64>, Option<f64>)> = progress
        .iter()
        .map(|it| (it.evaluation, Some(0.5), Some(0.5)))
        .collect();
    store.finish_evaluations(&values).expect("it is finished");
    store.finish_readings(run).expect("it is finished");
}

fn parts(random: &mut Random) -> Vec<f64> {
    let n_tokens = 5 + random.below(80);
    let grams = || (0..4).map(|order| n_tokens.saturating_sub(order) as f64);
    let mut parts: Vec<f64> = grams().map(|it| (it * 0.6).floor()).collect();
    parts.extend(grams());
    parts.extend([0.0; 4]);
    parts.extend([n_tokens as f64, 40.0, 40.0]);
    parts
}
