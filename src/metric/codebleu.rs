//! CodeBLEU: n-grams, weighted n-grams, syntax and data flow.
//!
//! `codebleu = α·ngram + β·weighted + γ·syntax + θ·dataflow`, each part in 0..=1, weights ¼ by default (Ren et al.,
//! CodeBLEU, arXiv:2009.10297). The parts are computed, quirks and all, as by `Pstva/code_bleu` 014f2e8 (MERA) and the
//! package codebleu 0.7.0 (k4black), which differ in keywords and in the value that a data flow of 0 counts as
//! ([`Variant`]); see METRICS.md 3. Where they depend on hash seeds, the first occurrence is kept here.
//!
//! - *ngram*: BLEU-4 of the words that layout separates, `exp(¼ Σ ln(m_n / max(1, |h|−n+1)))` times the brevity
//!   penalty; a zero `m_n` counts as 0.1, but `m_1` = 0 gives 0.
//! - *weighted*: the same with recall: `m_n` by the reference's n-grams, words weighing 1 (keywords) or 0.2; its penalty
//!   takes every reference for two words long.
//! - *syntax*: subtrees of the reference that the prediction has too, over all of the reference ([`syntax`]).
//! - *dataflow*: flows of the reference that the prediction has too, over all of the reference; 0 without any
//!   ([`dataflow`]).
//!
//! Both need the text without comments ([`comments`]) and one parse of each side. A corpus is, for `codebleu`, the mean
//! of its pairs' totals, and for `codebleu:k4black` the total of its pairs' [`Sums`].

pub(super) mod comments;
mod dataflow;
mod docstrings;
mod keywords;
pub(super) mod ngrams;
pub(super) mod sink;
mod syntax;
#[cfg(test)]
mod tests;
pub(super) mod words;

use std::ops::AddAssign;
use std::sync::Arc;

pub use self::dataflow::{Flows, Relation};
use crate::model::Language;
use crate::syntax::tree::{Memo, Tree};

/// The weights that all implementations default to.
pub const WEIGHTS: [f64; 4] = [0.25; 4];

/// The longest n-grams, in words; they begin at 1.
pub(super) const ORDERS: usize = 4;

/// The number of matches that counts where the sides share no n-gram (nltk's smoothing method 1).
pub(super) const EPSILON: f64 = 0.1;

/// The implementation whose CodeBLEU is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Variant {
    /// `codebleu`: MERA's keywords; no flow shared counts as 0.
    Mera,
    /// `codebleu:k4black`: the package's keywords; a data flow of 0 counts as 1.
    K4black,
}

/// How parts become one value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Formula {
    pub variant: Variant,
    /// The weights of ngram, weighted, syntax and dataflow.
    pub weights: [f64; 4],
}

impl Variant {
    /// Returns the formula with the usual weights.
    #[must_use]
    pub const fn formula(self) -> Formula {
        Formula {
            variant: self,
            weights: WEIGHTS,
        }
    }
}

/// Why the syntax or the data flow of a text is not all that it could be. Not an error: the values stand, but a report
/// should say how many there were.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CodeBleuCut {
    /// The parser was stopped: one subtree that is like no other, and no flows.
    Parser,
    /// Nested deeper than Python's recursion goes: no flows, as there.
    Depth,
    /// Loops in loops took more work than a text may: no flows.
    Work,
    /// A broken text lacks what a rule needs, which raises an exception in Python: no flows, as there.
    Child,
}

/// The four parts.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Parts {
    pub ngram: f64,
    pub weighted: f64,
    pub syntax: f64,
    /// 0 also when the reference has no flows.
    pub dataflow: f64,
}

impl Parts {
    /// Computes the weighted sum, in 0..=1 when the weights sum to 1.
    #[must_use]
    pub fn total(&self, formula: Formula) -> f64 {
        let dataflow = self.counted_dataflow(formula.variant);
        let [of_ngram, of_weighted, of_syntax, of_dataflow] = formula.weights;
        of_ngram * self.ngram
            + of_weighted * self.weighted
            + of_syntax * self.syntax
            + of_dataflow * dataflow
    }

    /// Returns the part of data flow as the sum counts it.
    pub(super) fn counted_dataflow(&self, variant: Variant) -> f64 {
        if variant == Variant::K4black && self.dataflow == 0.0 {
            1.0
        } else {
            self.dataflow
        }
    }
}

/// The counts of pairs, which can be summed over a corpus.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Sums {
    pub n_pairs: u64,
    pub n_reference_words: u64,
    pub n_prediction_words: u64,
    /// By length from 1: shared n-grams, and all of each side, but at least one per pair.
    pub n_grams_matched: [u64; ORDERS],
    pub n_reference_grams: [u64; ORDERS],
    pub n_prediction_grams: [u64; ORDERS],
    /// By variant: the weight of the shared words, and of all words of the reference, but at least 1 per pair.
    pub weight_matched: [f64; 2],
    pub weight_reference: [f64; 2],
    pub n_subtrees_matched: u64,
    pub n_subtrees_reference: u64,
    pub n_subtrees_prediction: u64,
    pub n_flows_matched: u64,
    pub n_flows_reference: u64,
    pub n_flows_prediction: u64,
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        self.n_pairs += other.n_pairs;
        self.n_reference_words += other.n_reference_words;
        self.n_prediction_words += other.n_prediction_words;
        for order in 0..ORDERS {
            self.n_grams_matched[order] += other.n_grams_matched[order];
            self.n_reference_grams[order] += other.n_reference_grams[order];
            self.n_prediction_grams[order] += other.n_prediction_grams[order];
        }
        for variant in 0..2 {
            self.weight_matched[variant] += other.weight_matched[variant];
            self.weight_reference[variant] += other.weight_reference[variant];
        }
        self.n_subtrees_matched += other.n_subtrees_matched;
        self.n_subtrees_reference += other.n_subtrees_reference;
        self.n_subtrees_prediction += other.n_subtrees_prediction;
        self.n_flows_matched += other.n_flows_matched;
        self.n_flows_reference += other.n_flows_reference;
        self.n_flows_prediction += other.n_flows_prediction;
    }
}

impl Sums {
    /// Computes the four parts of one pair or of a whole corpus; all 0 for none.
    #[must_use]
    pub fn parts(&self, variant: Variant) -> Parts {
        Parts {
            ngram: self.ngram().value(),
            weighted: self.weighted(variant).value(),
            syntax: ratio(self.n_subtrees_matched, self.n_subtrees_reference),
            dataflow: ratio(self.n_flows_matched, self.n_flows_reference),
        }
    }
}

/// The counts of an n-gram part.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grams {
    /// Words of the predictions, and of the texts that the penalty takes for the references.
    pub n_words: u64,
    pub n_words_wanted: u64,
    /// By length from 1, as counts or weights: the shared ones, and all.
    pub matched: [f64; ORDERS],
    pub all: [f64; ORDERS],
}

impl Sums {
    /// Returns the counts of the n-gram part.
    pub(super) fn ngram(&self) -> Grams {
        Grams {
            n_words: self.n_prediction_words,
            n_words_wanted: self.n_reference_words,
            matched: self
                .n_grams_matched
                .map(|n_grams_matched| n_grams_matched as f64),
            all: self
                .n_prediction_grams
                .map(|n_prediction_grams| n_prediction_grams as f64),
        }
    }

    /// Returns the counts of the weighted n-gram part.
    pub(super) fn weighted(&self, variant: Variant) -> Grams {
        let mut matched = self
            .n_grams_matched
            .map(|n_grams_matched| n_grams_matched as f64);
        let mut all = self
            .n_reference_grams
            .map(|n_reference_grams| n_reference_grams as f64);
        matched[0] = self.weight_matched[variant as usize];
        all[0] = self.weight_reference[variant as usize];
        Grams {
            n_words: self.n_prediction_words,
            n_words_wanted: 2 * self.n_pairs,
            matched,
            all,
        }
    }
}

impl Grams {
    /// Returns the part, in 0..=1.
    fn value(&self) -> f64 {
        self.penalty() * self.mean()
    }

    /// Computes BLEU's brevity penalty.
    pub(super) fn penalty(&self) -> f64 {
        penalty(self.n_words, self.n_words_wanted)
    }

    /// Computes the smoothed ratio of one order (from 1); 0 for all orders when no word is shared.
    pub(super) fn precision(&self, order: usize) -> f64 {
        if self.matched[0] == 0.0 {
            return 0.0;
        }
        let matched = self.matched[order - 1];
        let smoothed = if matched == 0.0 { EPSILON } else { matched };
        smoothed / self.all[order - 1]
    }

    /// Computes the geometric mean of the smoothed ratios; 0 when no word is shared.
    fn mean(&self) -> f64 {
        if self.matched[0] == 0.0 {
            return 0.0;
        }
        let logarithms = (1..=ORDERS).map(|order| self.precision(order).ln() / ORDERS as f64);
        logarithms.sum::<f64>().exp()
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 {
        0.0
    } else {
        part as f64 / whole as f64
    }
}

/// BLEU's brevity penalty.
fn penalty(n_prediction: u64, n_reference: u64) -> f64 {
    if n_prediction > n_reference {
        1.0
    } else if n_prediction == 0 {
        0.0
    } else {
        (1.0 - n_reference as f64 / n_prediction as f64).exp()
    }
}

/// The counts of a pair, and the cuts that were made on the way.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CodeBleuPair {
    pub sums: Sums,
    pub reference_cut: Option<CodeBleuCut>,
    pub prediction_cut: Option<CodeBleuCut>,
}

/// The parts that the data flow of a text needs, kept from pair to pair.
#[derive(Default)]
struct CodeBleuSide {
    cleaned: String,
    tree: Arc<Tree>,
    flows: Flows,
}

impl CodeBleuSide {
    fn read(
        &mut self,
        language: Language,
        text: &str,
        memo: &mut Memo,
        flows: &mut dataflow::FlowReader,
    ) -> Option<CodeBleuCut> {
        comments::remove(language, text, &mut self.cleaned);
        self.tree = memo.tree(language, &self.cleaned);
        flows.read(language, &self.tree, &self.cleaned, &mut self.flows)
    }
}

/// Counts pairs; keeps parsers and memory. One per thread.
#[derive(Default)]
pub struct Scorer {
    /// The trees of all texts of a pair, for other metrics that need them.
    pub(super) memo: Memo,
    counter: ngrams::Counter,
    reference: CodeBleuSide,
    prediction: CodeBleuSide,
    subtrees: syntax::Subtrees,
    flows: dataflow::FlowReader,
}

impl Scorer {
    /// Makes a scorer; parsers are made when they are first needed.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes over the tree of a text that was parsed elsewhere, where no comments are removed from it: `make` makes the
    /// tree of the text that it is given, and returns whether it could.
    pub(super) fn learn(
        &mut self,
        language: Language,
        text: &str,
        make: impl FnOnce(&str, &mut Tree) -> bool,
    ) {
        let text = words::strip(text);
        let cleaned = &mut self.prediction.cleaned;
        comments::remove(language, text, cleaned);
        if *cleaned == text {
            self.memo.learn(language, text, |tree| make(text, tree));
        }
    }

    /// Counts one pair, of any texts. Layout around them does not count. Never fails; takes time that grows with the
    /// texts' length, nested loops up to a bound ([`CodeBleuCut::Work`]).
    pub fn pair(&mut self, language: Language, reference: &str, prediction: &str) -> CodeBleuPair {
        let reference = words::strip(reference);
        let prediction = words::strip(prediction);
        let mut sums = Sums {
            n_pairs: 1,
            ..Sums::default()
        };
        self.counter
            .count(language, reference, prediction, &mut sums);
        let reference_cut =
            self.reference
                .read(language, reference, &mut self.memo, &mut self.flows);
        let prediction_cut =
            self.prediction
                .read(language, prediction, &mut self.memo, &mut self.flows);
        let subtrees = self
            .subtrees
            .compare(&self.reference.tree, &self.prediction.tree);
        sums.n_subtrees_matched = subtrees.matched;
        sums.n_subtrees_reference = subtrees.reference;
        sums.n_subtrees_prediction = subtrees.prediction;
        sums.n_flows_matched = self.reference.flows.n_shared(&self.prediction.flows);
        sums.n_flows_reference = self.reference.flows.len() as u64;
        sums.n_flows_prediction = self.prediction.flows.len() as u64;
        CodeBleuPair {
            sums,
            reference_cut,
            prediction_cut,
        }
    }

    /// Counts the pair of the prediction and that reference with which it has the largest total; the first of several,
    /// and the empty text when there are none. The packages instead mix all references into one sum, whose parts then
    /// sink with every alternative that is not met.
    pub fn best(
        &mut self,
        language: Language,
        references: &[&str],
        prediction: &str,
        formula: Formula,
    ) -> CodeBleuPair {
        let mut best: Option<(f64, CodeBleuPair)> = None;
        for reference in references {
            let pair = self.pair(language, reference, prediction);
            let total = pair.sums.parts(formula.variant).total(formula);
            if best.is_none_or(|best| total > best.0) {
                best = Some((total, pair));
            }
        }
        best.map_or_else(|| self.pair(language, "", prediction), |best| best.1)
    }

    /// Returns the flows of the last pair's reference and prediction.
    #[must_use]
    pub fn flows(&self) -> (&Flows, &Flows) {
        (&self.reference.flows, &self.prediction.flows)
    }

    /// Returns the tree of the last pair's reference, and its subtrees without an equal in the prediction, in the order
    /// of the text.
    pub(super) fn unmatched_subtrees(&self) -> (&Tree, Vec<usize>) {
        let tree = &self.reference.tree;
        (tree, self.subtrees.unmatched(tree).collect())
    }

    /// Returns the last pair's reference and prediction without comments, as they were parsed.
    #[must_use]
    pub fn cleaned(&self) -> (&str, &str) {
        (&self.reference.cleaned, &self.prediction.cleaned)
    }
}
