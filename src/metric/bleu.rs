//! BLEU: clipped n-gram precision with a penalty for short predictions.
//!
//! Decides the arithmetic from counts to scores, for the default and for each compatible variant; not what a token is
//! (the caller's list), nor which counts a corpus adds up.
//!
//! ```text
//! BLEU_n  = BP · p_n                      the individual score of order n
//! BLEU    = BP · (p_1 · p_2 · p_3 · p_4)^¼
//! p_n     = m_n / t_n                     clipped matches over n-grams of the hypotheses, both summed over the pairs
//! BP      = 1 if c ≥ r, else e^(1 − r/c)  lengths in tokens, summed; no hypothesis at all: 0
//! ```
//! Papineni et al. 2002, 2.1 and 2.3. What zero matches and short hypotheses mean is where implementations part.

use std::iter::Sum;
use std::ops::AddAssign;

use super::ngram::{Counter, ORDER_MAX, Overlap};

/// The counts of a pair that BLEU needs, or of a corpus as the sum of its pairs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BleuStats {
    /// By order from 1: clipped matches.
    pub n_matches: [u64; ORDER_MAX],
    /// By order: n-grams of the hypotheses.
    pub n_totals: [u64; ORDER_MAX],
    /// By order: pairs whose hypothesis has no such n-gram; NLTK counts one for each of them.
    pub n_lacking: [u64; ORDER_MAX],
    /// Tokens of the hypotheses.
    pub n_hypothesis: u64,
    /// Tokens of the references; of several, the one nearest in length, of two as near the shorter.
    pub n_reference: u64,
    /// Tokens of the references; of several the shortest, as Hugging Face `evaluate` counts.
    pub n_reference_shortest: u64,
}

impl BleuStats {
    /// Counts one pair. Without a reference nothing matches.
    pub fn count(
        counter: &mut Counter,
        hypothesis: &[u32],
        references: &[impl AsRef<[u32]>],
    ) -> Self {
        let overlap = counter.overlap(hypothesis, references);
        Self::from_overlap(&overlap, hypothesis, references)
    }

    /// Makes the counts of one pair whose overlap is known.
    pub fn from_overlap(
        overlap: &Overlap,
        hypothesis: &[u32],
        references: &[impl AsRef<[u32]>],
    ) -> Self {
        let lengths = || references.iter().map(|reference| reference.as_ref().len());
        let nearest = lengths().min_by_key(|length| (length.abs_diff(hypothesis.len()), *length));
        Self {
            n_matches: overlap.n_matches,
            n_totals: overlap.n_totals,
            n_lacking: overlap.n_totals.map(|n_totals| u64::from(n_totals == 0)),
            n_hypothesis: hypothesis.len() as u64,
            n_reference: nearest.unwrap_or(0) as u64,
            n_reference_shortest: lengths().min().unwrap_or(0) as u64,
        }
    }
}

impl AddAssign for BleuStats {
    fn add_assign(&mut self, other: Self) {
        for idx in 0..ORDER_MAX {
            self.n_matches[idx] += other.n_matches[idx];
            self.n_totals[idx] += other.n_totals[idx];
            self.n_lacking[idx] += other.n_lacking[idx];
        }
        self.n_hypothesis += other.n_hypothesis;
        self.n_reference += other.n_reference;
        self.n_reference_shortest += other.n_reference_shortest;
    }
}

impl Sum for BleuStats {
    fn sum<I: Iterator<Item = Self>>(pairs: I) -> Self {
        pairs.fold(Self::default(), |mut sum, pair| {
            sum += pair;
            sum
        })
    }
}

/// Precisions, smoothed or not, and the penalty: every score follows from them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bleu {
    /// By order from 1, each in 0..=1.
    pub precisions: [f64; ORDER_MAX],
    /// In 0..=1.
    pub brevity_penalty: f64,
    /// Orders that count, 1..=4: fewer than 4 where effective order leaves out what the hypothesis is too short for.
    pub n_orders: usize,
}

impl Bleu {
    /// Computes BLEU over all orders that count, in 0..=1.
    pub fn score(&self) -> f64 {
        self.cumulative(ORDER_MAX)
    }

    /// Computes BLEU over the orders 1..=`order` that count, equally weighted, in 0..=1; 0 if a precision is 0.
    pub fn cumulative(&self, order: usize) -> f64 {
        let n_orders = order.clamp(1, self.n_orders);
        let precisions = &self.precisions[..n_orders];
        if self.brevity_penalty == 0.0 || precisions.contains(&0.0) {
            return 0.0;
        }
        let sum: f64 = precisions.iter().map(|precision| precision.ln()).sum();
        self.brevity_penalty * (sum / n_orders as f64).exp()
    }

    /// Computes BLEU of the one order (from 1), in 0..=1. An order that does not count falls back to the highest that
    /// does: two equal tokens have no 3-gram, and their BLEU-3 is their BLEU-2, so that equal texts reach 1.
    pub fn individual(&self, order: usize) -> f64 {
        self.brevity_penalty * self.precisions[order.clamp(1, self.n_orders) - 1]
    }
}

/// Computes unsmoothed corpus BLEU, the default on summed counts: any order without a match makes BLEU 0, also where no
/// hypothesis is long enough to have one.
///
/// Equals TensorFlow NMT's `compute_bleu` and sacrebleu with `smooth_method="none"` on the same lists.
pub fn corpus(stats: &BleuStats) -> Bleu {
    let mut precisions = [0.0; ORDER_MAX];
    for (idx, precision) in precisions.iter_mut().enumerate() {
        if stats.n_totals[idx] > 0 {
            *precision = ratio(stats.n_matches[idx], stats.n_totals[idx]);
        }
    }
    Bleu {
        precisions,
        brevity_penalty: brevity_penalty(stats.n_hypothesis, stats.n_reference),
        n_orders: ORDER_MAX,
    }
}

/// Computes the BLEU of one pair, the default per sample: [`sacrebleu`] with effective order. Equal lists of any length
/// from 1 reach 1, an empty hypothesis 0; so does one without a common token.
///
/// BLEU-n of a pair is [`Bleu::individual`] of this: the precision of order n as the smoothing leaves it.
pub fn sentence(stats: &BleuStats) -> Bleu {
    sacrebleu(stats, Orders::Effective)
}

/// The orders that sacrebleu's geometric mean takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Orders {
    /// All four, as `sacrebleu.BLEU()` does: a hypothesis of fewer than four tokens scores 0.
    All,
    /// The orders in which the hypothesis has an n-gram, as `sacrebleu.sentence_bleu` does.
    Effective,
}

/// Computes BLEU with exponential smoothing: the k-th order without a match counts as `1 / (2^k · t_n)`. Without any
/// match BLEU is 0.
///
/// sacrebleu 2.6.0 `BLEU.compute_bleu`, `smooth_method="exp"`, after Chen and Cherry 2014 (NIST's technique 3). There
/// in 0..=100, here in 0..=1.
pub fn sacrebleu(stats: &BleuStats, orders: Orders) -> Bleu {
    let mut precisions = [0.0; ORDER_MAX];
    let n_effective = stats.n_totals.iter().take_while(|n| **n > 0).count();
    if stats.n_matches != [0; ORDER_MAX] {
        let mut halves = 1.0;
        for (idx, precision) in precisions.iter_mut().enumerate().take(n_effective) {
            *precision = if stats.n_matches[idx] == 0 {
                halves /= 2.0;
                halves / stats.n_totals[idx] as f64
            } else {
                ratio(stats.n_matches[idx], stats.n_totals[idx])
            };
        }
    }
    Bleu {
        precisions,
        brevity_penalty: brevity_penalty(stats.n_hypothesis, stats.n_reference),
        n_orders: match orders {
            Orders::All => ORDER_MAX,
            Orders::Effective => n_effective.max(1),
        },
    }
}

/// Computes BLEU as Hugging Face `evaluate` (a7dd338, after TensorFlow NMT): unsmoothed, several references by the
/// shortest. Where it divides by zero, no token in all hypotheses or in all references, this is 0.
pub fn hugging_face(stats: &BleuStats) -> Bleu {
    corpus(&BleuStats {
        n_reference: stats.n_reference_shortest,
        ..*stats
    })
}

/// NLTK's smoothing functions of Chen and Cherry 2014, by NLTK's numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Smoothing {
    /// None. NLTK puts the smallest positive float in place of 0, which makes scores from 1e-77 to 1e-308; here 0.
    Method0,
    /// No match counts as 0.1.
    Method1,
    /// Orders from 2 count one match and one n-gram more.
    Method2,
    /// The k-th order without a match counts as 1/2^k matches.
    Method3,
    /// The k-th order without a match counts as ln c / (5 · 2^k) matches, c the length of the hypotheses.
    Method4,
}

/// Computes BLEU as NLTK 3.10.4 `corpus_bleu`, and on the counts of one pair as `sentence_bleu`.
///
/// A hypothesis without an n-gram counts as one n-gram without a match. Without any common token the score is 0. An
/// order that `Method4` leaves at 0, as it does for a single token, is dropped from the mean: its precision is given
/// as 1, which comes to the same.
pub fn nltk(stats: &BleuStats, smoothing: Smoothing) -> Bleu {
    let mut precisions = [0.0; ORDER_MAX];
    let n_hypothesis = stats.n_hypothesis as f64;
    let mut halves = 1.0;
    if stats.n_matches[0] > 0 {
        for (idx, precision) in precisions.iter_mut().enumerate() {
            let n_matches = stats.n_matches[idx] as f64;
            let n_totals = (stats.n_totals[idx] + stats.n_lacking[idx]) as f64;
            let is_zero = stats.n_matches[idx] == 0;
            *precision = match smoothing {
                Smoothing::Method1 if is_zero => 0.1 / n_totals,
                Smoothing::Method2 if idx > 0 => (n_matches + 1.0) / (n_totals + 1.0),
                Smoothing::Method3 if is_zero => {
                    halves /= 2.0;
                    halves / n_totals
                }
                Smoothing::Method4 if is_zero && stats.n_hypothesis > 1 => {
                    halves /= 2.0;
                    halves / 5.0 * n_hypothesis.ln() / n_totals
                }
                Smoothing::Method4 if is_zero => 1.0,
                _ => n_matches / n_totals,
            };
        }
    }
    Bleu {
        precisions,
        brevity_penalty: brevity_penalty(stats.n_hypothesis, stats.n_reference),
        n_orders: ORDER_MAX,
    }
}

/// Computes the penalty for hypotheses that are shorter than their references, in 0..=1.
fn brevity_penalty(n_hypothesis: u64, n_reference: u64) -> f64 {
    if n_hypothesis == 0 {
        0.0
    } else if n_hypothesis >= n_reference {
        1.0
    } else {
        (1.0 - ratio(n_reference, n_hypothesis)).exp()
    }
}

fn ratio(part: u64, whole: u64) -> f64 {
    part as f64 / whole as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const SMOOTHINGS: [Smoothing; 5] = [
        Smoothing::Method0,
        Smoothing::Method1,
        Smoothing::Method2,
        Smoothing::Method3,
        Smoothing::Method4,
    ];

    fn stats(hypothesis: &[u32], references: &[&[u32]]) -> BleuStats {
        BleuStats::count(&mut Counter::default(), hypothesis, references)
    }

    fn near(left: f64, right: f64) -> bool {
        (left - right).abs() < 1e-12
    }

    /// Every reading of the counts.
    fn all(stats: &BleuStats) -> Vec<Bleu> {
        let mut all = vec![
            corpus(stats),
            sentence(stats),
            sacrebleu(stats, Orders::All),
            hugging_face(stats),
        ];
        all.extend(SMOOTHINGS.map(|smoothing| nltk(stats, smoothing)));
        all
    }

    #[test]
    fn equal_texts_of_any_length_reach_one_by_the_sentence() {
        for n_tokens in 1..9 {
            let tokens: Vec<u32> = (0..n_tokens).collect();
            let bleu = sentence(&stats(&tokens, &[&tokens]));
            let scores = [
                bleu.score(),
                bleu.individual(1),
                bleu.individual(2),
                bleu.individual(3),
                bleu.individual(4),
            ];
            assert_eq!(
                scores.map(f64::to_bits),
                [1.0_f64.to_bits(); 5],
                "{n_tokens}"
            );
        }
    }

    /// In percent, as NLTK 3.10.4 prints them.
    #[test]
    fn short_equal_texts_score_as_nltk_has_them() {
        for (n_tokens, expected) in [
            (1, [0.0, 17.78, 59.46, 35.36, 100.0]),
            (2, [0.0, 31.62, 70.71, 59.46, 22.14]),
            (3, [0.0, 56.23, 84.09, 84.09, 57.57]),
        ] {
            let tokens: Vec<u32> = (0..n_tokens).collect();
            let stats = stats(&tokens, &[&tokens]);
            for (smoothing, expected) in SMOOTHINGS.into_iter().zip(expected) {
                let score = 100.0 * nltk(&stats, smoothing).score();
                assert!(
                    (score - expected).abs() < 5e-3,
                    "{n_tokens} {smoothing:?} {score}"
                );
            }
            assert!(corpus(&stats).score() == 0.0);
            assert!(sacrebleu(&stats, Orders::All).score() == 0.0);
        }
    }

    #[test]
    fn nothing_in_common_is_zero_everywhere() {
        for (hypothesis, reference) in [
            (&[][..], &[][..]),
            (&[], &[1]),
            (&[1], &[]),
            (&[1; 8], &[2; 8]),
        ] {
            for bleu in all(&stats(hypothesis, &[reference])) {
                assert!(bleu.score() == 0.0, "{hypothesis:?} {reference:?} {bleu:?}");
                assert!(bleu.individual(1) == 0.0);
            }
        }
        assert!(sentence(&stats(&[1], &[])).score() == 0.0);
    }

    #[test]
    fn of_references_as_near_the_shorter_counts() {
        let stats = stats(&[1, 2, 3], &[&[1, 2, 3, 4], &[1, 2], &[1; 9]]);
        assert_eq!((stats.n_reference, stats.n_reference_shortest), (2, 2));
    }

    #[test]
    fn nothing_added_up_is_a_corpus_without_a_score() {
        for bleu in all(&BleuStats::default()) {
            assert!(bleu.score() == 0.0);
        }
    }

    fn tokens() -> impl Strategy<Value = Vec<u32>> {
        prop::collection::vec(0..5_u32, 0..30)
    }

    proptest! {
        #[test]
        fn scores_are_ratios(pairs in prop::collection::vec((tokens(), tokens()), 1..6)) {
            let sum: BleuStats = pairs.iter().map(|(h, r)| stats(h, &[r])).sum();
            for bleu in all(&sum) {
                for order in 0..7 {
                    prop_assert!((0.0..=1.0).contains(&bleu.individual(order)), "{:?}", bleu);
                    prop_assert!((0.0..=1.0).contains(&bleu.cumulative(order)), "{:?}", bleu);
                }
            }
        }

        #[test]
        fn identity_is_best(hypothesis in tokens(), reference in tokens()) {
            let pair = all(&stats(&hypothesis, &[&reference]));
            let identity = all(&stats(&reference, &[&reference]));
            for (idx, (pair, identity)) in pair.iter().zip(&identity).enumerate() {
                // NLTK's smoothing may leave less to three equal tokens than to a long text around them.
                if reference.len() >= ORDER_MAX || idx < 2 {
                    prop_assert!(pair.score() <= identity.score());
                }
            }
        }

        #[test]
        fn a_corpus_of_one_is_its_sentence_where_all_orders_match(
            hypothesis in tokens(),
            reference in tokens(),
        ) {
            let stats = stats(&hypothesis, &[&reference]);
            let scores = [
                corpus(&stats).score(),
                sentence(&stats).score(),
                hugging_face(&stats).score(),
                nltk(&stats, Smoothing::Method0).score(),
            ];
            if stats.n_matches[3] > 0 {
                prop_assert!(scores.iter().all(|it| near(*it, scores[0])), "{:?}", scores);
            }
        }

        #[test]
        fn bleu_is_the_geometric_mean_of_its_orders(hypothesis in tokens(), reference in tokens()) {
            let bleu = corpus(&stats(&hypothesis, &[&reference]));
            let product: f64 = (1..=4).map(|it| bleu.individual(it)).product();
            prop_assert!(near(bleu.score(), product.powf(0.25)));
        }

        #[test]
        fn another_reference_never_lowers_a_precision(
            hypothesis in tokens(),
            references in (tokens(), tokens()),
        ) {
            let one = stats(&hypothesis, &[&references.0]);
            let two = stats(&hypothesis, &[&references.0, &references.1]);
            for order in 0..ORDER_MAX {
                prop_assert!(one.n_matches[order] <= two.n_matches[order]);
            }
        }
    }
}
