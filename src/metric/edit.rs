//! Edit similarity: how much of a text must change to become another, on Unicode code points.
//!
//! Decides four similarities in 0..=1 and the work that a pair may cost; it compares raw strings, unchanged. [`bits`]
//! counts edits, [`difflib`] finds matching blocks.

pub mod bits;
pub mod difflib;

use self::bits::Bits;
use self::difflib::Matcher;

pub use self::bits::CELLS_MAX;

/// Computes edit similarities; keeps its buffers from pair to pair.
///
/// `None` from any of them says that the pair would cost too much: the differing parts of the two texts have more than
/// [`CELLS_MAX`] pairs of code points, or for `difflib` more than [`difflib::STEPS_MAX`] steps.
#[derive(Clone, Default)]
pub struct Scratch {
    bits: Bits,
    matcher: Matcher,
    hypothesis: Vec<u32>,
    reference: Vec<u32>,
}

impl Scratch {
    /// Computes 1 − d / (|h| + |r|), where d counts insertions and deletions only; 1 if both are empty. Symmetric.
    ///
    /// The same as `Levenshtein.ratio` 0.27.5 and `rapidfuzz.distance.Indel.normalized_similarity` 3.14.6.
    pub fn indel(&mut self, hypothesis: &str, reference: &str) -> Option<f64> {
        let (n_common, n_total) = if hypothesis.is_ascii() && reference.is_ascii() {
            let (h, r) = (hypothesis.as_bytes(), reference.as_bytes());
            (
                self.bits.longest_common_subsequence(h, r)?,
                h.len() + r.len(),
            )
        } else {
            self.decode(hypothesis, reference);
            let (h, r) = (&self.hypothesis, &self.reference);
            (
                self.bits.longest_common_subsequence(h, r)?,
                h.len() + r.len(),
            )
        };
        Some(similarity(n_total - 2 * n_common, n_total))
    }

    /// Computes 1 − d / max(|h|, |r|), where d is Levenshtein's distance; 1 if both are empty. Symmetric.
    ///
    /// The same as `rapidfuzz.distance.Levenshtein.normalized_similarity` 3.14.6.
    pub fn levenshtein(&mut self, hypothesis: &str, reference: &str) -> Option<f64> {
        let (n_edits, n_longer) = if hypothesis.is_ascii() && reference.is_ascii() {
            let (h, r) = (hypothesis.as_bytes(), reference.as_bytes());
            (self.bits.levenshtein(h, r)?, h.len().max(r.len()))
        } else {
            self.decode(hypothesis, reference);
            let (h, r) = (&self.hypothesis, &self.reference);
            (self.bits.levenshtein(h, r)?, h.len().max(r.len()))
        };
        Some(similarity(n_edits, n_longer))
    }

    /// Computes `fuzz.ratio` of fuzzywuzzy 0.18.0 with python-Levenshtein present, over 100. Symmetric.
    pub fn fuzzywuzzy(&mut self, hypothesis: &str, reference: &str) -> Option<f64> {
        let indel = self.indel(hypothesis, reference)?;
        Some(fuzzywuzzy(indel, hypothesis, reference))
    }

    /// Computes `difflib.SequenceMatcher(None, hypothesis, reference).ratio()`: twice the code points in matching
    /// blocks over all; 1 if both are empty. Not symmetric.
    pub fn difflib(&mut self, hypothesis: &str, reference: &str) -> Option<f64> {
        self.decode(hypothesis, reference);
        self.matcher.ratio(&self.hypothesis, &self.reference)
    }

    fn decode(&mut self, hypothesis: &str, reference: &str) {
        for (text, symbols) in [
            (hypothesis, &mut self.hypothesis),
            (reference, &mut self.reference),
        ] {
            symbols.clear();
            symbols.extend(text.chars().map(u32::from));
        }
    }
}

/// Computes fuzzywuzzy's ratio of a pair whose [`Scratch::indel`] is known: whole percents, halves to the even one,
/// over 100. Of one empty text it is 0, of two it is 1.
pub fn fuzzywuzzy(indel: f64, hypothesis: &str, reference: &str) -> f64 {
    if hypothesis == reference {
        1.0
    } else if hypothesis.is_empty() || reference.is_empty() {
        0.0
    } else {
        (100.0 * indel).round_ties_even() / 100.0
    }
}

/// The form matters to the last digit: fuzzywuzzy rounds halves.
fn similarity(distance: usize, maximum: usize) -> f64 {
    if maximum == 0 {
        return 1.0;
    }
    1.0 - distance as f64 / maximum as f64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// All four, in the order of their methods.
    fn all(hypothesis: &str, reference: &str) -> [Option<f64>; 4] {
        let mut scratch = Scratch::default();
        [
            scratch.indel(hypothesis, reference),
            scratch.levenshtein(hypothesis, reference),
            scratch.fuzzywuzzy(hypothesis, reference),
            scratch.difflib(hypothesis, reference),
        ]
    }

    #[track_caller]
    fn check(hypothesis: &str, reference: &str, expected: [f64; 4]) {
        for (score, expected) in all(hypothesis, reference).into_iter().zip(expected) {
            let score = score.expect("these are short");
            assert!(
                (score - expected).abs() < 1e-12,
                "{score} instead of {expected}"
            );
        }
    }

    #[test]
    fn empty_texts_are_equal_to_each_other_only() {
        check("", "", [1.0, 1.0, 1.0, 1.0]);
        check("", "a", [0.0, 0.0, 0.0, 0.0]);
        check("a", "", [0.0, 0.0, 0.0, 0.0]);
        check("\0", "\0", [1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn code_points_count_and_not_bytes() {
        check("\u{e9}", "e", [0.0, 0.0, 0.0, 0.0]);
        check("a\u{1f600}", "a\u{1f601}", [0.5, 0.5, 0.5, 0.5]);
    }

    #[test]
    fn halves_go_to_the_even_percent() {
        // 5 of 8 and 7 of 8 code points in common: 62.5 and 87.5.
        check("xywrv123", "xywrvezs", [0.625, 0.625, 0.62, 0.625]);
        check("xywrvez1", "xywrvezs", [0.875, 0.875, 0.88, 0.875]);
    }

    /// The examples in CPython's documentation of `difflib`, `ratio`.
    #[test]
    fn difflib_depends_on_the_order() {
        let mut scratch = Scratch::default();
        assert_eq!(scratch.difflib("tide", "diet"), Some(0.25));
        assert_eq!(scratch.difflib("diet", "tide"), Some(0.5));
        assert_eq!(scratch.difflib("abcd", "bcde"), Some(0.75));
    }

    #[test]
    fn a_popular_code_point_starts_no_block_in_a_long_reference() {
        let mut scratch = Scratch::default();
        assert_eq!(scratch.difflib("xab", &"ab".repeat(99)), Some(4.0 / 201.0));
        assert_eq!(scratch.difflib("xab", &"ab".repeat(100)), Some(0.0));
        // At the start of both there is a block without a start: it is extended all the same.
        assert_eq!(scratch.difflib("ab", &"ab".repeat(100)), Some(4.0 / 202.0));
    }

    #[test]
    fn what_costs_too_much_is_not_compared() {
        let (long, other) = ("ab".repeat(2_500_000), "ba".repeat(2_500_000));
        assert_eq!(all(&long, &other)[..3], [None; 3]);
        // One end more, and everything else is the same: that is free.
        assert!(
            all(&long, &long[..long.len() - 1])[..3]
                .iter()
                .all(Option::is_some)
        );
        assert!(all(&long, "ab\0").iter().all(Option::is_some));
    }

    proptest! {
        #[test]
        fn scores_are_ratios_and_identity_is_best(
            hypothesis in "[ab\u{e9}\u{1f600}]{0,90}",
            reference in "[ab\u{e9}\u{1f600}]{0,90}",
        ) {
            for score in all(&hypothesis, &reference) {
                prop_assert!(score.is_some_and(|it| (0.0..=1.0).contains(&it)));
            }
            prop_assert_eq!(all(&reference, &reference), [Some(1.0); 4]);
            let there = all(&hypothesis, &reference);
            prop_assert_eq!(&all(&reference, &hypothesis)[..3], &there[..3]);
        }
    }
}
