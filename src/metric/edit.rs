//! Edit similarity: how much of a text must change to become another, on Unicode code points.
//!
//! Decides four similarities in 0..=1 and how much work a pair may cost; not what is compared (raw strings, as they
//! are). [`bits`] counts edits, [`difflib`] finds matching blocks.

pub mod bits;
pub mod difflib;

use self::bits::Bits;
use self::difflib::Matcher;

pub use self::bits::CELLS_MAX;

/// Computes edit similarities; keeps its buffers from pair to pair.
///
/// `None` from any of them says that the pair would cost too much: what differs of the two texts has more than
/// [`CELLS_MAX`] pairs of code points, or for `difflib` more than [`difflib::STEPS_MAX`] steps.
#[derive(Clone, Default)]
pub struct Scratch {
    bits: Bits,
    matcher: Matcher,
    hypothesis: Vec<u32>,
    reference: Vec<u32>,
}

impl Scratch {
    /// Returns 1 − d / (|h| + |r|), where d counts insertions and deletions only; 1 if both are empty. Symmetric.
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

    /// Returns 1 − d / max(|h|, |r|), where d is Levenshtein's distance; 1 if both are empty. Symmetric.
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

    /// Returns `fuzz.ratio` of fuzzywuzzy 0.18.0 with python-Levenshtein present, over 100. Symmetric.
    pub fn fuzzywuzzy(&mut self, hypothesis: &str, reference: &str) -> Option<f64> {
        let indel = self.indel(hypothesis, reference)?;
        Some(fuzzywuzzy(indel, hypothesis, reference))
    }

    /// Returns `difflib.SequenceMatcher(None, hypothesis, reference).ratio()`: twice the code points in matching blocks
    /// over all; 1 if both are empty. Not symmetric.
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

/// Returns fuzzywuzzy's ratio of a pair whose [`Scratch::indel`] is known: whole percents, halves to the even one,
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
