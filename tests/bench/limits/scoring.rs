//! Scoring compared with only parsing the texts of the same pairs.

use std::env;

use focalist::metric::metrics_of;
use focalist::metric::scorer::{Scorer, ScoringExtras, Settings};
use focalist::model::Language;
use focalist::syntax::parses;

use super::checkout::grammar;
use super::computed::seconds;
use super::console::print;
use super::corpus::{self, Pair};
use super::figures::{Asked, Table};

const ROUNDS: usize = 5;
const N_PAIRS: usize = 8_000;
const N_WHOLE: usize = 3_000;
/// The metrics that the packages nltk, rouge-score, codebleu and rapidfuzz compute together.
const EIGHT: [&str; 8] = [
    "bleu",
    "bleu4",
    "rouge1",
    "rouge2",
    "rougeL",
    "codebleu:k4black",
    "edit",
    "em",
];

pub fn measure() {
    let asked = env::var("FOCALIST_BENCH_PAIRS").ok();
    let asked: Option<usize> = asked.and_then(|asked| asked.parse().ok());
    for (name, pairs) in [
        (
            "assertions and bodies",
            corpus::java(asked.unwrap_or(N_PAIRS)),
        ),
        ("whole tests", corpus::whole_tests(asked.unwrap_or(N_WHOLE))),
    ] {
        one(name, &pairs);
    }
}

fn one(name: &str, pairs: &[Pair]) {
    let predictions: Vec<&str> = pairs.iter().map(|pair| pair.prediction.as_str()).collect();
    let references = pairs.iter().map(|pair| pair.reference.as_str());
    let both: Vec<&str> = references.chain(predictions.iter().copied()).collect();
    let size: usize = both.iter().map(|both| both.len()).sum();
    print(&format!(
        "{name}: {} pairs, {} bytes a text",
        pairs.len(),
        size / both.len().max(1)
    ));
    let mut table = Table::default();
    for _ in 0..ROUNDS {
        let mut add = |name: &str, unit: &'static str, asked: Asked, value: f64| {
            table.add(name, unit, asked, value);
        };
        let bare = seconds(|| parse(&both));
        let before = parses::on_this_thread();
        let time = seconds(|| score(&EIGHT, ScoringExtras::Reading, pairs));
        let n_texts = (parses::on_this_thread() - before).n_texts;
        let (eight, n_pairs) = ("eight metrics, tokens, verdict", pairs.len() as f64);
        let asked = Asked::AtMost(2.3);
        add(eight, "× parsing both texts", asked, time / bare);
        add(eight, "pairs a second", Asked::Nothing, n_pairs / time);
        let asked = Asked::AtMost(3.0);
        add("parses for them", "a pair", asked, n_texts as f64 / n_pairs);
        let bare = seconds(|| parse(&predictions));
        let time = seconds(|| score(&["edit"], ScoringExtras::Verdict, pairs));
        let asked = Asked::AtMost(2.0);
        add(
            "edit, verdict",
            "× parsing the predictions",
            asked,
            time / bare,
        );
    }
    table.print();
}

fn parse(texts: &[&str]) -> usize {
    let mut parser = tree_sitter::Parser::new();
    let set = parser.set_language(&grammar(Language::Java, false));
    set.expect("the grammar fits the library");
    let trees = texts.iter().map(|text| parser.parse(text.as_bytes(), None));
    trees.flatten().count()
}

fn score(metrics: &[&str], beside: ScoringExtras, pairs: &[Pair]) -> usize {
    let metrics = metrics_of(metrics.iter().copied()).expect("the metrics are known");
    let settings = Settings {
        beside,
        ..Settings::new(Language::Java, metrics)
    };
    let mut scorer = Scorer::new(&settings);
    let scored = pairs.iter().map(|pair| {
        scorer
            .score(&[&pair.reference], &pair.prediction)
            .scores
            .len()
    });
    scored.sum()
}
