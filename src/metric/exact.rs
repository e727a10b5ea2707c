//! Exact match: whether a prediction is its reference.
//!
//! Decides equality at three strictnesses; each implies the next for the token lists that lexers here make of texts.

use super::tokens::split_whitespace;

/// Tells whether the texts are the same code points (Hugging Face `exact_match` without options).
pub fn raw(hypothesis: &str, reference: &str) -> bool {
    hypothesis == reference
}

/// Tells whether the texts are equal except for the length and kind of white space between words, as Python's
/// `str.split()` sees words (CodeXGLUE line completion and text-to-code).
pub fn whitespace(hypothesis: &str, reference: &str) -> bool {
    split_whitespace(hypothesis).eq(split_whitespace(reference))
}

/// Tells whether the token lists are the same.
pub fn tokens(hypothesis: &[u32], reference: &[u32]) -> bool {
    hypothesis == reference
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(hypothesis: &str, reference: &str, expected: (bool, bool)) {
        assert_eq!(
            (
                raw(hypothesis, reference),
                whitespace(hypothesis, reference)
            ),
            expected,
            "{hypothesis:?} {reference:?}"
        );
        assert_eq!(
            whitespace(hypothesis, reference),
            whitespace(reference, hypothesis)
        );
    }

    #[test]
    fn white_space_between_words_may_differ_but_not_within() {
        check("a b", "a b", (true, true));
        check(" a\u{a0}\tb\r\n", "a b", (false, true));
        check("f( x )", "f(x)", (false, false));
        check("", " \n", (false, true));
        check("", "", (true, true));
        check("a\0", "a", (false, false));
    }

    #[test]
    fn tokens_are_compared_in_order() {
        assert!(tokens(&[], &[]));
        assert!(tokens(&[1, 2], &[1, 2]));
        assert!(!tokens(&[1, 2], &[2, 1]));
    }
}
