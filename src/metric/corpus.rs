//! Corpus values that are no means: how sums of parts become values.
//!
//! Decides in which order counts lie in the parts of a score; the arithmetic is the engines'.

use super::bleu::{self, BleuStats, Smoothing};
use super::codebleu::{Formula, Parts, Sums, Variant};
use super::ngram::ORDER_MAX;
use super::total::Total;

/// How many parts BLEU's counts take.
const N_BLEU_PARTS: usize = 3 * ORDER_MAX + 3;

/// Writes BLEU's counts as parts.
pub fn bleu_parts(stats: &BleuStats) -> Vec<f64> {
    let mut parts = Vec::with_capacity(N_BLEU_PARTS);
    for counts in [stats.n_matches, stats.n_totals, stats.n_lacking] {
        parts.extend(counts.map(|count| count as f64));
    }
    for count in [
        stats.n_hypothesis,
        stats.n_reference,
        stats.n_reference_shortest,
    ] {
        parts.push(count as f64);
    }
    parts
}

/// Reads what [`bleu_parts`] wrote; sums of counts are counts.
fn stats(total: &Total) -> BleuStats {
    #[expect(clippy::cast_sign_loss, reason = "counts are not negative")]
    let part = |idx: usize| total.parts.get(idx).map_or(0, |part| part.round() as u64);
    let orders = |first: usize| std::array::from_fn(|idx| part(first + idx));
    BleuStats {
        n_matches: orders(0),
        n_totals: orders(ORDER_MAX),
        n_lacking: orders(2 * ORDER_MAX),
        n_hypothesis: part(3 * ORDER_MAX),
        n_reference: part(3 * ORDER_MAX + 1),
        n_reference_shortest: part(3 * ORDER_MAX + 2),
    }
}

pub fn bleu(total: &Total) -> f64 {
    bleu::corpus(&stats(total)).score()
}

macro_rules! individual {
    ($($name:ident $order:literal)*) => {$(
        pub fn $name(total: &Total) -> f64 {
            bleu::corpus(&stats(total)).individual($order)
        }
    )*};
}
individual!(bleu1 1 bleu2 2 bleu3 3 bleu4 4);

macro_rules! nltk {
    ($($name:ident $smoothing:ident)*) => {$(
        pub fn $name(total: &Total) -> f64 {
            bleu::nltk(&stats(total), Smoothing::$smoothing).score()
        }
    )*};
}
nltk!(nltk_method0 Method0 nltk_method1 Method1 nltk_method2 Method2 nltk_method3 Method3 nltk_method4 Method4);

pub fn hugging_face(total: &Total) -> f64 {
    bleu::hugging_face(&stats(total)).score()
}

/// Computes BLEU as `sacrebleu.BLEU()`, which takes all orders of a corpus.
pub fn sacrebleu(total: &Total) -> f64 {
    bleu::sacrebleu(&stats(total), bleu::Orders::All).score()
}

/// Writes CodeBLEU's four parts, the weights, and the terms of a corpus's sums. The weights are included so that a sum
/// needs nothing else to become a value: divided by the number of pairs they are the weights again.
pub fn codebleu_parts(sums: &Sums, parts: &Parts, weights: [f64; 4]) -> Vec<f64> {
    let mut written = vec![parts.ngram, parts.weighted, parts.syntax, parts.dataflow];
    written.extend(weights);
    for counts in [
        sums.n_grams_matched,
        sums.n_reference_grams,
        sums.n_prediction_grams,
    ] {
        written.extend(counts.map(|count| count as f64));
    }
    written.extend(sums.weight_matched);
    written.extend(sums.weight_reference);
    let counts = [
        sums.n_reference_words,
        sums.n_prediction_words,
        sums.n_subtrees_matched,
        sums.n_subtrees_reference,
        sums.n_flows_matched,
        sums.n_flows_reference,
    ];
    written.extend(counts.map(|count| count as f64));
    written
}

/// Computes CodeBLEU of all pairs as one call of the package codebleu does.
pub fn codebleu_k4black(total: &Total) -> f64 {
    let part = |idx: usize| total.parts.get(idx).copied().unwrap_or(0.0);
    #[expect(clippy::cast_sign_loss, reason = "counts are not negative")]
    let count = |idx: usize| part(idx).round() as u64;
    let orders = |first: usize| std::array::from_fn(|idx| count(first + idx));
    #[expect(clippy::cast_sign_loss, reason = "counts are not negative")]
    let n_pairs = total.n_pairs.round() as u64;
    let sums = Sums {
        n_pairs,
        n_grams_matched: orders(8),
        n_reference_grams: orders(8 + ORDER_MAX),
        n_prediction_grams: orders(8 + 2 * ORDER_MAX),
        weight_matched: [part(20), part(21)],
        weight_reference: [part(22), part(23)],
        n_reference_words: count(24),
        n_prediction_words: count(25),
        n_subtrees_matched: count(26),
        n_subtrees_reference: count(27),
        n_flows_matched: count(28),
        n_flows_reference: count(29),
        ..Sums::default()
    };
    let weights = std::array::from_fn(|idx| part(4 + idx) / total.n_pairs.max(1.0));
    sums.parts(Variant::K4black).total(Formula {
        variant: Variant::K4black,
        weights,
    })
}
