//! Corpus values that are no means: how sums of parts become values.
//!
//! Decides in which order counts lie in the parts of a score; the arithmetic is the engines'.

use super::bleu::{self, Smoothing, Stats};
use super::codebleu;
use super::ngram::ORDER_MAX;
use super::total::Total;

/// How many parts BLEU's counts take.
const N_BLEU_PARTS: usize = 3 * ORDER_MAX + 3;

/// Writes BLEU's counts as parts.
pub fn bleu_parts(stats: &Stats) -> Vec<f64> {
    let mut parts = Vec::with_capacity(N_BLEU_PARTS);
    for counts in [stats.n_matches, stats.n_totals, stats.n_lacking] {
        parts.extend(counts.map(|it| it as f64));
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
fn stats(total: &Total) -> Stats {
    #[expect(clippy::cast_sign_loss, reason = "counts are not negative")]
    let part = |idx: usize| total.parts.get(idx).map_or(0, |it| it.round() as u64);
    let orders = |first: usize| std::array::from_fn(|idx| part(first + idx));
    Stats {
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

/// `sacrebleu.BLEU()` takes all orders of a corpus.
pub fn sacrebleu(total: &Total) -> f64 {
    bleu::sacrebleu(&stats(total), bleu::Orders::All).score()
}

pub fn codebleu_k4black(total: &Total) -> f64 {
    codebleu::corpus_k4black(total)
}
