//! ROUGE: overlap of n-grams, and the longest common subsequence.
//!
//! Decides precision, recall and F of ROUGE-1, -2 and -L on token numbers with the arithmetic of rouge-score 0.1.2;
//! not what a token is: the same lists as BLEU's for `rouge1`, or [`super::tokens::Scratch::rouge`] for the
//! variants with rouge-score's own tokenizer.
//!
//! ```text
//! P = overlap / |h|    R = overlap / |r|    F = 2PR / (P + R)
//! ```
//! Overlap: clipped common n-grams (Lin 2004, 2), or the length of the longest common subsequence (Lin 2004, 3); sizes
//! are the n-grams, or tokens, of a side. An empty side makes all three 0.

use super::edit::bits::Bits;
use super::ngram::Counter;

/// Precision, recall and F, each in 0..=1.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Rouge {
    pub precision: f64,
    pub recall: f64,
    pub f: f64,
}

/// The three ROUGE scores of one pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Scores {
    pub one: Rouge,
    pub two: Rouge,
    /// `None` where the two sides are too long to compare: [`super::edit::CELLS_MAX`].
    pub l: Option<Rouge>,
}

impl Rouge {
    /// Computes the score of an overlap between a hypothesis and a reference of these sizes.
    pub fn new(n_overlap: u64, n_hypothesis: u64, n_reference: u64) -> Self {
        let precision = n_overlap as f64 / n_hypothesis.max(1) as f64;
        let recall = n_overlap as f64 / n_reference.max(1) as f64;
        let f = if n_overlap == 0 {
            0.0
        } else {
            2.0 * precision * recall / (precision + recall)
        };
        Self {
            precision,
            recall,
            f,
        }
    }

    /// Computes ROUGE-n from n-gram matches as [`Counter::overlap`] finds them against one reference.
    pub fn of_order(order: u64, n_matches: u64, n_hypothesis: u64, n_reference: u64) -> Self {
        let n_ngrams = |n_tokens: u64| (n_tokens + 1).saturating_sub(order);
        Self::new(n_matches, n_ngrams(n_hypothesis), n_ngrams(n_reference))
    }
}

/// Computes ROUGE-1, -2 and -L of one pair; with several references, each score is from the reference with the best F,
/// the first of equals. Without a reference all are 0.
pub fn score(
    counter: &mut Counter,
    bits: &mut Bits,
    hypothesis: &[u32],
    references: &[impl AsRef<[u32]>],
) -> Scores {
    let mut best = Scores {
        l: Some(Rouge::default()),
        ..Scores::default()
    };
    for reference in references {
        let reference = reference.as_ref();
        let n_matches = counter.overlap(hypothesis, &[reference]).n_matches;
        let (one, two) = one_and_two(&n_matches, hypothesis, reference);
        let l = longest(bits, hypothesis, reference);
        best.one = better(best.one, one);
        best.two = better(best.two, two);
        best.l = best.l.and_then(|best| l.map(|rouge| better(best, rouge)));
    }
    best
}

/// Computes ROUGE-1 and -2 from the matches that BLEU has counted against the one reference.
pub fn one_and_two(n_matches: &[u64], hypothesis: &[u32], reference: &[u32]) -> (Rouge, Rouge) {
    let (n_hypothesis, n_reference) = (hypothesis.len() as u64, reference.len() as u64);
    let of = |order: usize| {
        Rouge::of_order(
            order as u64,
            n_matches[order - 1],
            n_hypothesis,
            n_reference,
        )
    };
    (of(1), of(2))
}

/// Computes ROUGE-L against one reference; `None` where the two sides are too long: [`super::edit::CELLS_MAX`].
pub fn longest(bits: &mut Bits, hypothesis: &[u32], reference: &[u32]) -> Option<Rouge> {
    let n_common = bits.longest_common_subsequence(hypothesis, reference)?;
    Some(Rouge::new(
        n_common as u64,
        hypothesis.len() as u64,
        reference.len() as u64,
    ))
}

fn better(best: Rouge, other: Rouge) -> Rouge {
    if other.f > best.f { other } else { best }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn scores(hypothesis: &[u32], references: &[&[u32]]) -> [Rouge; 3] {
        let scores = score(
            &mut Counter::default(),
            &mut Bits::default(),
            hypothesis,
            references,
        );
        [scores.one, scores.two, scores.l.expect("they are short")]
    }

    #[test]
    fn half_of_a_text_is_two_thirds() {
        let [one, _, l] = scores(&[1, 2, 3, 4], &[&[1, 2, 3, 4, 5, 6, 7, 8]]);
        for rouge in [one, l] {
            assert!((rouge.f - 2.0 / 3.0).abs() < 1e-12);
            assert!((rouge.precision - 1.0).abs() < 1e-12);
        }
    }

    #[test]
    fn unigrams_in_reverse_order_have_a_subsequence_of_one() {
        let [one, two, l] = scores(&[1, 2, 3, 4, 5, 6, 7, 8], &[&[8, 7, 6, 5, 4, 3, 2, 1]]);
        assert_eq!(
            [one.f, two.f, l.f].map(f64::to_bits),
            [1.0, 0.0, 0.125].map(f64::to_bits)
        );
    }

    #[test]
    fn an_empty_side_scores_zero() {
        for (hypothesis, references) in [
            (&[][..], &[&[][..]][..]),
            (&[1], &[&[]]),
            (&[], &[&[1]]),
            (&[1], &[]),
        ] {
            assert_eq!(scores(hypothesis, references), [Rouge::default(); 3]);
        }
    }

    #[test]
    fn each_score_takes_its_best_reference() {
        let [one, two, _] = scores(&[1, 2, 3], &[&[3, 2, 1], &[1, 2, 9, 9]]);
        assert!((one.f - 1.0).abs() < 1e-12);
        assert!((two.f - 0.4).abs() < 1e-12);
    }

    #[test]
    fn what_is_too_long_has_no_rouge_l() {
        let hypothesis = [1].repeat(400_000);
        let reference = [2].repeat(400_000);
        let mut counter = Counter::default();
        let scores = score(
            &mut counter,
            &mut Bits::default(),
            &hypothesis,
            &[reference],
        );
        assert_eq!(scores.l, None);
        assert_eq!(scores.one, Rouge::default());
    }

    proptest! {
        #[test]
        fn scores_are_ratios_and_identity_is_best(
            hypothesis in prop::collection::vec(0..5_u32, 0..30),
            reference in prop::collection::vec(0..5_u32, 2..30),
        ) {
            for rouge in scores(&hypothesis, &[&reference]) {
                for value in [rouge.precision, rouge.recall, rouge.f] {
                    prop_assert!((0.0..=1.0).contains(&value));
                }
            }
            for rouge in scores(&reference, &[&reference]) {
                prop_assert!(rouge.f.to_bits() == 1.0_f64.to_bits());
            }
        }

        #[test]
        fn sides_swapped_swap_precision_and_recall(
            hypothesis in prop::collection::vec(0..5_u32, 0..30),
            reference in prop::collection::vec(0..5_u32, 0..30),
        ) {
            let there = scores(&hypothesis, &[&reference]);
            let back = scores(&reference, &[&hypothesis]);
            for (there, back) in there.iter().zip(back) {
                prop_assert!((there.precision - back.recall).abs() < 1e-12);
                prop_assert!((there.f - back.f).abs() < 1e-12);
            }
        }
    }
}
