//! The length of prompts, and the parts that are left out of one that is too long.

use crate::encode::Vocabulary;

/// How tokens are counted.
pub enum BudgetCounter {
    /// A token for every 3.6 bytes.
    Approximate,
    Exact {
        vocabulary: Box<Vocabulary>,
        /// Its name in the prompts.
        name: String,
    },
}

impl BudgetCounter {
    /// Returns the name that stands beside numbers it counted.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Approximate => "approx",
            Self::Exact { name, .. } => name,
        }
    }

    /// Counts the tokens of a text.
    #[must_use]
    pub fn count(&self, text: &str) -> usize {
        match self {
            Self::Approximate => approximate(text),
            Self::Exact { vocabulary, .. } => {
                // A text that the vocabulary cannot cut is counted approximately.
                vocabulary.count(text).unwrap_or_else(|| approximate(text))
            }
        }
    }

    /// Cuts a text to its longest beginning with at most `budget` tokens.
    #[must_use]
    pub fn cut<'t>(&self, text: &'t str, budget: usize) -> &'t str {
        let fits = |end: usize| self.count(&text[..end]) <= budget;
        if fits(text.len()) {
            return text;
        }
        // The tokens of a beginning grow with it, except for one or two at its end.
        let (mut low, mut high) = (0, text.len());
        while low + 1 < high {
            let middle = low.midpoint(high);
            let mut end = middle;
            while !text.is_char_boundary(end) {
                end -= 1;
            }
            if end > low && fits(end) {
                low = end;
            } else {
                high = middle;
            }
        }
        &text[..low]
    }
}

fn approximate(text: &str) -> usize {
    (text.len() * 10).div_ceil(36)
}

#[cfg(test)]
mod tests {
    use super::BudgetCounter;

    #[test]
    fn without_a_vocabulary_a_token_has_three_and_six_tenths_bytes() {
        let counter = BudgetCounter::Approximate;
        assert_eq!(counter.count(""), 0);
        assert_eq!(counter.count(&"x".repeat(36)), 10);
        assert_eq!(counter.count(&"x".repeat(37)), 11);
    }

    #[test]
    fn a_cut_text_is_as_long_as_it_may_be() {
        let counter = BudgetCounter::Approximate;
        assert_eq!(counter.cut(&"x".repeat(100), 10).len(), 36);
        assert_eq!(counter.cut(&"é".repeat(100), 10).len(), 36);
        assert_eq!(counter.cut("ab", 10), "ab");
        assert_eq!(counter.cut("abcd", 0), "");
    }
}
