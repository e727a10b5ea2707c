//! A million predictions through `import` and `eval`: time, memory, and the continuation after a cancel.

use std::io::{self, BufReader, Read};
use std::sync::atomic::Ordering;
use std::time::Instant;

use focalist::eval::crystal::CrystalOptions;
use focalist::eval::evaluate::{EvalOptions, evaluate};
use focalist::eval::import::{ImportOptions, PredictionFormat, import};
use focalist::exchange::pairs::FieldNames;
use focalist::exchange::records::RecordLayout;
use focalist::metric::{DEFAULT, metrics_of};
use focalist::model::{Extraction, Join, Language, ParseMode, RunSetting, SampleKey, Target};
use focalist::store::Store;
use focalist::task::Monitor;
use serde_json::json;

use super::console::print;
use super::corpus::{MATCHER, Random, assertion_parts, mined};
use super::memory::memory_mb;

const N_PREDICTIONS: usize = 1_000_000;

pub fn run() {
    let folder = tempfile::tempdir().expect("a temporary folder can be made");
    let mut store = mined(folder.path());
    say("the sample data is mined");
    let answers = Answers {
        samples: assertion_parts(&store),
        random: Random(1),
        n_made: 0,
        line: io::Cursor::default(),
    };
    let mut files = [(
        "answers.jsonl".to_owned(),
        Box::new(BufReader::new(answers)) as Box<_>,
    )];
    let started = Instant::now();
    let options = import_options();
    let report = import(&mut store, &Monitor::default(), &options, &mut files);
    let report = report.expect("it is loaded");
    assert_eq!(report.n_predictions, N_PREDICTIONS as u64);
    say(&format!("import: {:.1} s", started.elapsed().as_secs_f64()));

    let started = Instant::now();
    cancel_at(&mut store, N_PREDICTIONS as u64 / 2);
    let cancelled = started.elapsed().as_secs_f64();
    say(&format!("eval, cancelled at half: {cancelled:.1} s"));

    let started = Instant::now();
    let goes_on = goes_on(&mut store);
    let whole = started.elapsed().as_secs_f64();
    say(&format!(
        "eval, the other half: {whole:.1} s, of which {goes_on:.1} s until it goes on"
    ));
    let started = Instant::now();
    let again = evaluate(&mut store, &Monitor::default(), &eval_options());
    let reports = again.expect("it is evaluated");
    assert_eq!(reports[0].n_computed, 0);
    say(&format!(
        "eval, nothing to do: {:.1} s",
        started.elapsed().as_secs_f64()
    ));
    let size_bytes = std::fs::metadata(store.path()).map_or(0, |metadata| metadata.len());
    say(&format!("index.db: {:.0} MB", size_bytes as f64 / 1e6));
}

fn say(what: &str) {
    let peak = memory_mb("self", "VmHWM");
    print(&format!("{what} (peak memory so far {peak:.0} MB)"));
}

/// Lines of predictions, generated as they are read: attempt by attempt over all samples.
struct Answers {
    samples: Vec<(SampleKey, String)>,
    random: Random,
    n_made: usize,
    line: io::Cursor<Vec<u8>>,
}

impl Read for Answers {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let n_read = self.line.read(buffer)?;
        if n_read > 0 || self.n_made == N_PREDICTIONS {
            return Ok(n_read);
        }
        let n_samples = self.samples.len();
        let (key, reference) = &self.samples[self.n_made % n_samples];
        let attempt = self.n_made / n_samples;
        let (_, other) = &self.samples[self.random.below(n_samples)];
        let text = match self.random.below(4) {
            0 => reference.clone(),
            1 => other.clone(),
            2 => format!("{reference}\n// {attempt}"),
            _ => reference.replacen('(', "((", self.random.below(3)),
        };
        self.n_made += 1;
        let line = json!({"sample": key.to_string(), "prediction": text, "attempt": attempt});
        self.line = io::Cursor::new(format!("{line}\n").into_bytes());
        self.line.read(buffer)
    }
}

fn import_options() -> ImportOptions {
    ImportOptions {
        setting: RunSetting {
            name: "million".to_owned(),
            model: None,
            target: Target::Assertion,
            matcher: MATCHER,
            language: Language::Java,
            extraction: Extraction::None,
            parse_mode: ParseMode::Strict,
            length_max: None,
            source: "answers.jsonl".to_owned(),
            imported_at: 0,
        },
        form: PredictionFormat::Records {
            layout: RecordLayout::Json,
            names: FieldNames {
                id: "sample".to_owned(),
                prediction: "prediction".to_owned(),
                reference: "reference".to_owned(),
            },
        },
        ids: None,
        join: Join::default(),
        aligned_with: None,
        is_encoded: false,
        is_replacing: false,
        is_strict: true,
    }
}

fn eval_options() -> EvalOptions {
    EvalOptions {
        runs: Vec::new(),
        metrics: metrics_of(DEFAULT.iter().copied()).expect("the metrics are known"),
        weights: [0.25; 4],
        crystal: CrystalOptions::default(),
        force: false,
        ast: None,
    }
}

/// Evaluates until `n_predictions` are done.
fn cancel_at(store: &mut Store, n_predictions: u64) {
    let monitor = Monitor::default();
    std::thread::scope(|scope| {
        let monitor = &monitor;
        let evaluating = scope.spawn(move || evaluate(store, monitor, &eval_options()));
        while !evaluating.is_finished() {
            if monitor.n_predictions.load(Ordering::Relaxed) >= n_predictions {
                monitor.cancel();
            }
            std::thread::yield_now();
        }
        let result = evaluating.join().expect("nothing panics");
        assert!(result.is_err(), "it was not cancelled");
    });
}

/// Evaluates the rest, and returns the number of seconds until there was something new.
fn goes_on(store: &mut Store) -> f64 {
    let monitor = Monitor::default();
    std::thread::scope(|scope| {
        let monitor = &monitor;
        let started = Instant::now();
        let evaluating = scope.spawn(move || evaluate(store, monitor, &eval_options()));
        let (mut before, mut seconds) = (0, 0.0);
        while !evaluating.is_finished() {
            let n_predictions = monitor.n_predictions.load(Ordering::Relaxed);
            if n_predictions > before {
                if before > 0 && seconds == 0.0 {
                    seconds = started.elapsed().as_secs_f64();
                }
                before = n_predictions;
            }
            std::thread::yield_now();
        }
        evaluating
            .join()
            .expect("nothing panics")
            .expect("it is evaluated");
        seconds
    })
}
