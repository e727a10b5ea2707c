//! The text metrics compared with values of the reference packages, each within 1e-9
//! (`tests/fixtures/metrics/README.md`).

mod bleu;
mod crystalbleu;
mod edit;
mod explain;
mod rouge;

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use focalist::metric::ngram::Counter;
use focalist::metric::tokens::Vocabulary;
use serde_json::Value;

/// The contents of `metrics.json`.
pub static GOLDEN: LazyLock<Value> = LazyLock::new(|| {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures/metrics/metrics.json");
    let text = fs::read_to_string(path).expect("the fixture is in the repository");
    serde_json::from_str(&text).expect("the fixture is JSON")
});

/// The largest allowed difference from a reference value.
const TOLERANCE: f64 = 1e-9;

/// Fails unless the value is the expected one, which is a number, or null or an exception's name where focalist's value
/// is 0.
#[track_caller]
pub fn check(what: &str, value: f64, expected: &Value) {
    check_scaled(what, value, 1.0, expected);
}

/// The same for a reference whose maximum is `scale` and not 1.
#[track_caller]
pub fn check_scaled(what: &str, value: f64, scale: f64, expected: &Value) {
    assert!((0.0..=1.0).contains(&value), "{what}: {value}");
    let expected = if expected.get("err").is_some() {
        0.0
    } else {
        expected
            .as_f64()
            .unwrap_or_else(|| panic!("{what}: {expected} is no number"))
    };
    assert!(
        (value * scale - expected).abs() <= TOLERANCE,
        "{what}: {} instead of {expected}",
        value * scale
    );
}

/// A pair of the fixture, with its tokens as numbers.
pub struct Pair {
    pub id: &'static str,
    pub language: &'static str,
    pub hypothesis: &'static str,
    pub reference: &'static str,
    pub hypothesis_tokens: Vec<u32>,
    pub reference_tokens: Vec<u32>,
    pub expected: &'static Value,
}

/// Returns all pairs, with their tokens as numbers of the vocabulary, which is cleared for each pair.
pub fn pairs(vocabulary: &mut Vocabulary) -> Vec<Pair> {
    array(&GOLDEN["pairs"])
        .iter()
        .map(|pair| {
            vocabulary.clear();
            let mut numbers = |side| {
                let mut numbers = Vec::new();
                vocabulary.number_all(texts(&pair["tok"][side]), &mut numbers);
                numbers
            };
            Pair {
                id: text(&pair["id"]),
                language: text(&pair["lang"]),
                hypothesis: text(&pair["hyp"]),
                reference: text(&pair["ref"]),
                hypothesis_tokens: numbers("hyp"),
                reference_tokens: numbers("ref"),
                expected: &pair["m"],
            }
        })
        .collect()
}

/// Returns the corpora: name, positions of the pairs, expected values.
pub fn corpora() -> Vec<(&'static str, Vec<usize>, &'static Value)> {
    array(&GOLDEN["corpora"])
        .iter()
        .map(|corpus| {
            (
                text(&corpus["name"]),
                positions(&corpus["ids"]),
                &corpus["m"],
            )
        })
        .collect()
}

/// Returns the positions of the pairs with these ids.
pub fn positions(ids: &'static Value) -> Vec<usize> {
    let all: Vec<&str> = array(&GOLDEN["pairs"])
        .iter()
        .map(|pair| text(&pair["id"]))
        .collect();
    texts(ids)
        .map(|id| {
            all.iter()
                .position(|text| *text == id)
                .expect("a corpus is made of pairs of the fixture")
        })
        .collect()
}

pub fn array(value: &'static Value) -> &'static [Value] {
    value.as_array().expect("the fixture has a list there")
}

pub fn text(value: &'static Value) -> &'static str {
    value.as_str().expect("the fixture has a string there")
}

pub fn texts(value: &'static Value) -> impl Iterator<Item = &'static str> {
    array(value).iter().map(text)
}

pub fn mean(values: impl ExactSizeIterator<Item = f64>) -> f64 {
    let n_values = values.len() as f64;
    values.sum::<f64>() / n_values
}

/// The counting buffers of one test.
#[derive(Default)]
pub struct Desk {
    pub counter: Counter,
    pub vocabulary: Vocabulary,
}
