//! Scoring compared with bare parsing, as ratios within one execution (machines are noisy).
//!
//! ```text
//! cargo bench --bench scoring
//! FOCALIST_BENCH_PAIRS=5000 cargo bench --bench scoring     # fewer pairs, for a busy machine
//! FOCALIST_BENCH_MILLION=1 cargo bench --bench scoring      # a million predictions through `import` and `eval`
//! ```
//!
//! 36,545 pairs, as many as ConTest has samples, are built from the sample data by mutation, always the same ones. The
//! baseline parses both sides of every pair once, unwrapped, from memory, with one reused tree-sitter parser.

#[path = "frame/clock.rs"]
mod clock;
#[path = "frame/computed.rs"]
mod computed;
#[path = "frame/console.rs"]
mod console;
#[path = "frame/corpus.rs"]
#[expect(dead_code, reason = "some is for other benches alone")]
mod corpus;
#[path = "frame/memory.rs"]
mod memory;
#[path = "scoring/million.rs"]
mod million;
#[path = "frame/ratios.rs"]
mod ratios;

use std::env;
use std::hint::black_box;

use focalist::metric::bleu::{self, BleuStats, Smoothing};
use focalist::metric::crystalbleu::{self, K_DEFAULT, SharedNgrams};
use focalist::metric::ngram::Counter;
use focalist::metric::scorer::{Scorer, Settings};
use focalist::metric::tokens::Vocabulary;
use focalist::metric::{METRICS, edit, metrics_of};
use focalist::model::{Language, ParseMode};
use focalist::syntax::java::fragment::Judge;
use focalist::syntax::java::javalang::Lexer;
use focalist::syntax::verdict::PieceShape;
use rayon::prelude::*;

use clock::elapsed;
use computed::seconds;
use console::{arguments, print};
use corpus::Pair;
use ratios::Ratios;

const ROUNDS: usize = 5;
const N_PAIRS: usize = 36_545;
/// The number of pairs for slow measurements and for those that fit on one line.
const N_FEW: usize = 1_000;

/// Pairs per second of the packages on one core (Python 3.11: javalang, nltk and rouge-score together; MERA's
/// `CodeBLEU`; nltk's and crystalbleu's BLEU on token lists).
const PROTOCOL_PEER: f64 = 619.0;
const CODEBLEU_PEER: f64 = 1_010.0;
const BLEU_PEER: f64 = 8_500.0;

fn main() {
    if arguments().is_none() {
        return;
    }
    if env::var_os("FOCALIST_BENCH_MILLION").is_some() {
        million::run();
        return;
    }
    let n_pairs = env::var("FOCALIST_BENCH_PAIRS").ok();
    let n_pairs = n_pairs
        .and_then(|n_pairs| n_pairs.parse().ok())
        .unwrap_or(N_PAIRS);
    let pairs = corpus::java(n_pairs);
    describe(&pairs);
    let texts = sides(&pairs);
    let mut lines = Ratios::default();
    let lists = Lists::of(&pairs);
    for _ in 0..ROUNDS {
        let parse = seconds(|| parse(&tree_sitter_java::LANGUAGE.into(), &texts));
        lines.add("parsing both sides, one thread", parse, parse);
        for (name, metrics) in [
            ("ConTest protocol", &["contest"][..]),
            ("CodeBLEU", &["codebleu"]),
        ] {
            let settings = settings(Language::Java, metrics);
            let time = seconds(|| score(&settings, &pairs, 1));
            lines.add(&format!("{name}, one thread"), time, parse);
            // In wall-clock time, and so compared with one thread in wall-clock time.
            let one = elapsed(|| score(&settings, &pairs, 1));
            let two = elapsed(|| score(&settings, &pairs, 2));
            lines.add(&format!("{name}, two threads"), time * two / one, parse);
        }
        let engine = seconds(|| codebleu(&pairs));
        lines.add("CodeBLEU's engine alone", engine, parse);
        lines.add("one verdict a pair", seconds(|| judge(&pairs)), parse);
        lines.add("tokens of both", seconds(|| lex(&texts)), parse);
        for (name, work) in [
            (
                "BLEU on ready lists",
                &(|| lists.bleu()) as &dyn Fn() -> f64,
            ),
            ("CrystalBLEU on ready lists", &|| lists.crystalbleu()),
            ("edit similarity", &|| indel(&pairs)),
        ] {
            // Several times, because one takes no longer than the clock's tick.
            let time = seconds(|| (0..10).map(|_| work()).sum::<f64>());
            lines.add(name, time / 10.0, parse);
        }
    }
    report(&lines, n_pairs);
    half_broken(&pairs[..N_FEW.min(n_pairs)]);
    alone(&pairs[..N_FEW.min(n_pairs)]);
    for language in Language::ALL {
        other(*language);
    }
}

fn describe(pairs: &[Pair]) {
    let texts = sides(pairs);
    let n_chars: usize = texts.iter().map(|text| text.chars().count()).sum();
    let mut lexer = Lexer::new();
    let n_tokens: usize = texts
        .iter()
        .map(|text| lexer.tokens(text).0.iter().count())
        .sum();
    let n_equal = pairs
        .iter()
        .filter(|pair| pair.reference == pair.prediction);
    let settings = settings(Language::Java, &["em"]);
    let mut scorer = Scorer::new(&settings);
    let n_unparsable = pairs
        .iter()
        .filter(|pair| {
            let scored = scorer.score(&[&pair.reference], &pair.prediction);
            scored.syntax_error.is_some()
        })
        .count();
    print(&format!(
        "{} pairs; a side has {:.0} characters and {:.1} tokens on average; {:.1} % equal, {:.1} % do not parse",
        pairs.len(),
        n_chars as f64 / texts.len() as f64,
        n_tokens as f64 / texts.len() as f64,
        100.0 * n_equal.count() as f64 / pairs.len() as f64,
        100.0 * n_unparsable as f64 / pairs.len() as f64,
    ));
}

fn sides(pairs: &[Pair]) -> Vec<&str> {
    pairs
        .iter()
        .flat_map(|pair| [pair.reference.as_str(), pair.prediction.as_str()])
        .collect()
}

fn settings(language: Language, metrics: &[&str]) -> Settings {
    let metrics = metrics_of(metrics.iter().copied()).expect("the metrics are known");
    Settings::new(language, metrics)
}

fn parse(grammar: &tree_sitter::Language, texts: &[&str]) -> usize {
    let mut parser = tree_sitter::Parser::new();
    parser
        .set_language(grammar)
        .expect("the grammar fits the library");
    texts
        .iter()
        .filter(|text| parser.parse(text.as_bytes(), None).is_some())
        .count()
}

fn score(settings: &Settings, pairs: &[Pair], n_threads: usize) -> usize {
    if n_threads == 1 {
        let mut scorer = Scorer::new(settings);
        return pairs
            .iter()
            .map(|pair| {
                scorer
                    .score(&[&pair.reference], &pair.prediction)
                    .scores
                    .len()
            })
            .sum();
    }
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(n_threads)
        .build();
    pool.expect("threads can be started").install(|| {
        pairs
            .par_iter()
            .with_min_len(128)
            .map_init(
                || Scorer::new(settings),
                |scorer, pair| {
                    scorer
                        .score(&[&pair.reference], &pair.prediction)
                        .scores
                        .len()
                },
            )
            .sum()
    })
}

fn codebleu(pairs: &[Pair]) -> usize {
    let mut scorer = focalist::metric::codebleu::Scorer::new();
    for pair in pairs {
        black_box(scorer.pair(Language::Java, &pair.reference, &pair.prediction));
    }
    pairs.len()
}

fn judge(pairs: &[Pair]) -> usize {
    let mut judge = Judge::new();
    pairs
        .iter()
        .filter(|pair| {
            let verdict =
                judge.verdict(&pair.prediction, PieceShape::Statements, ParseMode::Strict);
            verdict.is_ok()
        })
        .count()
}

fn lex(texts: &[&str]) -> usize {
    let mut lexer = Lexer::new();
    texts
        .iter()
        .map(|text| lexer.tokens(text).0.iter().count())
        .sum()
}

fn indel(pairs: &[Pair]) -> f64 {
    let mut scratch = edit::Scratch::default();
    pairs
        .iter()
        .filter_map(|pair| scratch.indel(&pair.prediction, &pair.reference))
        .sum()
}

/// Pairs as numbers, for metrics on token lists.
struct Lists {
    shared: SharedNgrams,
    /// Reference, prediction.
    pairs: Vec<(Vec<u32>, Vec<u32>)>,
}

impl Lists {
    fn of(pairs: &[Pair]) -> Self {
        let mut lexer = Lexer::new();
        let mut words: Vec<String> = Vec::new();
        for pair in pairs {
            let tokens = lexer.tokens(&pair.reference).0;
            words.extend(tokens.iter().map(str::to_owned));
        }
        let shared = SharedNgrams::from_tokens(words.iter().map(String::as_str), K_DEFAULT);
        let mut vocabulary: Vocabulary = shared.vocabulary();
        let pairs = pairs
            .iter()
            .map(|pair| {
                vocabulary.clear();
                let mut numbers = |text: &str| {
                    let mut numbers = Vec::new();
                    vocabulary.number_all(lexer.tokens(text).0.iter(), &mut numbers);
                    numbers
                };
                (numbers(&pair.reference), numbers(&pair.prediction))
            })
            .collect();
        Self { shared, pairs }
    }

    fn bleu(&self) -> f64 {
        let mut counter = Counter::default();
        self.pairs
            .iter()
            .map(|(reference, prediction)| {
                let stats = BleuStats::count(&mut counter, prediction, &[reference]);
                bleu::sentence(&stats).score()
            })
            .sum()
    }

    fn crystalbleu(&self) -> f64 {
        let mut counter = Counter::default();
        self.pairs
            .iter()
            .map(|(reference, prediction)| {
                let stats =
                    crystalbleu::count(&mut counter, &self.shared, prediction, &[reference]);
                crystalbleu::score(&stats, Smoothing::Method0).score()
            })
            .sum()
    }
}

/// Prints the costs of answers, half of which are cut off, with and without the location of the error.
fn half_broken(pairs: &[Pair]) {
    let mut pairs = pairs.to_vec();
    for pair in pairs.iter_mut().step_by(2) {
        let n_chars = pair.prediction.chars().count() * 2 / 3;
        pair.prediction = pair.prediction.chars().take(n_chars).collect();
    }
    print("half of the answers break off, one thread:");
    print(&format!("  {} of {} parse", judge(&pairs), pairs.len()));
    let time = seconds(|| judge(&pairs));
    print(&rate("verdicts with places", pairs.len(), time));
    let time = seconds(|| {
        let mut judge = Judge::new();
        let mode = ParseMode::Strict;
        let sound = pairs.iter();
        sound
            .filter(|pair| judge.is_sound(&pair.prediction, PieceShape::Statements, mode))
            .count()
    });
    print(&rate("whether they parse", pairs.len(), time));
    let settings = settings(Language::Java, &["contest"]);
    let time = seconds(|| score(&settings, &pairs, 1));
    print(&rate("ConTest protocol", pairs.len(), time));
}

/// Prints the cost of every metric alone through the scorer, which always cuts and parses, too.
fn alone(pairs: &[Pair]) {
    print("each metric alone, with tokens and verdict, one thread:");
    for metric in METRICS {
        let settings = settings(Language::Java, &[metric.id]);
        let time = seconds(|| score(&settings, pairs, 1));
        print(&rate(metric.id, pairs.len(), time));
    }
    let settings = settings(Language::Java, &["all"]);
    let time = seconds(|| score(&settings, pairs, 1));
    print(&rate("all of them together", pairs.len(), time));
}

/// Prints the cost of `CodeBLEU` in a language, compared with parsing the same texts.
fn other(language: Language) {
    let pairs = corpus::generated(language, N_FEW);
    let texts = sides(&pairs);
    let grammar = match language {
        Language::Java => tree_sitter_java::LANGUAGE.into(),
        Language::Python => tree_sitter_python::LANGUAGE.into(),
        Language::Go => tree_sitter_go::LANGUAGE.into(),
        Language::JavaScript => tree_sitter_javascript::LANGUAGE.into(),
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE.into(),
    };
    let mut lines = Ratios::default();
    let settings = settings(language, &["codebleu"]);
    let name = format!("CodeBLEU of generated {}", language.as_str());
    for _ in 0..ROUNDS {
        let parse = seconds(|| parse(&grammar, &texts));
        lines.add(&name, seconds(|| score(&settings, &pairs, 1)), parse);
    }
    report(&lines, pairs.len());
}

fn report(lines: &Ratios, n_pairs: usize) {
    for (name, time, ratio) in lines.medians() {
        let peer = match name {
            "ConTest protocol, one thread" => target(n_pairs, time, PROTOCOL_PEER, "≤ 1.5 ×"),
            "CodeBLEU, one thread" => target(n_pairs, time, CODEBLEU_PEER, "≤ 2.5 ×"),
            name if name.contains("ready lists") => {
                target(n_pairs, time, BLEU_PEER, "≥ 255,000 pairs/s")
            }
            _ => String::new(),
        };
        print(&format!(
            "{}   {ratio:.2} × parsing{peer}",
            rate(name, n_pairs, time)
        ));
    }
}

fn target(n_pairs: usize, time: f64, peer: f64, target: &str) -> String {
    let times = n_pairs as f64 / time / peer;
    format!("   (target {target}); {times:.0} × the packages' {peer:.0} pairs/s")
}

fn rate(name: &str, n_pairs: usize, time: f64) -> String {
    let per_second = n_pairs as f64 / time;
    format!("  {name:<44} {time:8.3} s {per_second:10.0} pairs/s")
}
