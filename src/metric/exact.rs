//! Exact match: whether a prediction is its reference.
//!
//! Decides equality at three strictnesses; each implies the next for the token lists that lexers here make of texts.

use super::tokens::split_whitespace;

/// Returns whether the texts are the same code points (Hugging Face `exact_match` without options).
pub fn raw(hypothesis: &str, reference: &str) -> bool {
    hypothesis == reference
}

/// Returns whether the texts are the same but for the length and kind of white space between words, as Python's
/// `str.split()` sees words (CodeXGLUE line completion and text-to-code).
pub fn whitespace(hypothesis: &str, reference: &str) -> bool {
    split_whitespace(hypothesis).eq(split_whitespace(reference))
}

/// Returns whether the token lists are the same.
pub fn tokens(hypothesis: &[u32], reference: &[u32]) -> bool {
    hypothesis == reference
}
