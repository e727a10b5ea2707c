//! Values cut into pieces of a vocabulary, and back; and the number of a model's tokens in a text. Sole owner of
//! `tokenizers`.
//!
//! Markers stay whole. Every other token becomes its pieces, the first behind [`BEGIN`]; a piece is a slice of the token,
//! so nothing is lost that the vocabulary does not know, and joining the pieces needs no vocabulary.

use tokenizers::Tokenizer;

use crate::sequence::{Sequence, is_marker};

/// The mark before the first piece of a value, as in sentencepiece.
pub const BEGIN: char = '▁';

/// A file that is no `tokenizer.json`.
#[derive(Debug, thiserror::Error)]
#[error("no tokenizer: {0}")]
pub struct VocabularyError(String);

/// A `tokenizer.json` of the library `tokenizers`.
pub struct Vocabulary {
    tokenizer: Tokenizer,
}

impl Vocabulary {
    /// Reads the content of a `tokenizer.json`.
    ///
    /// # Errors
    /// When it is not one.
    pub fn read(bytes: &[u8]) -> Result<Self, VocabularyError> {
        let tokenizer =
            Tokenizer::from_bytes(bytes).map_err(|error| VocabularyError(error.to_string()))?;
        Ok(Self { tokenizer })
    }

    /// Counts the tokens of a text, without those that begin and end every text; nothing where the vocabulary cannot
    /// cut it.
    #[must_use]
    pub fn count(&self, text: &str) -> Option<usize> {
        let encoding = self.tokenizer.encode_fast(text, false).ok()?;
        Some(encoding.len())
    }

    /// Appends tokens, cut into pieces.
    pub fn split<'t>(&self, tokens: impl IntoIterator<Item = &'t str>, pieces: &mut Sequence) {
        let mut piece = String::new();
        for token in tokens {
            if is_marker(token) {
                pieces.push(token);
                continue;
            }
            piece.clear();
            piece.push(BEGIN);
            let mut start = 0;
            for end in self.ends(token) {
                piece.push_str(&token[start..end]);
                // A piece that begins like a value would be taken for one.
                if end < token.len() && token[end..].starts_with([BEGIN, '<']) {
                    start = end;
                    continue;
                }
                pieces.push(&piece);
                piece.clear();
                start = end;
            }
            if !piece.is_empty() || start < token.len() {
                piece.push_str(&token[start..]);
                pieces.push(&piece);
            }
        }
    }

    /// Finds the ends of a token's pieces, in order.
    fn ends(&self, token: &str) -> Vec<usize> {
        let Ok(encoding) = self.tokenizer.encode(token, false) else {
            return Vec::new();
        };
        let mut ends: Vec<usize> = Vec::new();
        for (_, end) in encoding.get_offsets() {
            let is_new = ends.last().is_none_or(|last| end > last);
            if *end > 0 && is_new && *end <= token.len() && token.is_char_boundary(*end) {
                ends.push(*end);
            }
        }
        ends
    }
}

/// Appends the tokens that pieces make: the opposite of [`Vocabulary::split`]. A piece without [`BEGIN`] that continues
/// no value begins one.
pub fn join<'t>(pieces: impl IntoIterator<Item = &'t str>, tokens: &mut Sequence) {
    let mut token: Option<String> = None;
    for piece in pieces {
        if is_marker(piece) {
            tokens.extend(token.take().as_deref());
            tokens.push(piece);
        } else if let Some(begin) = piece.strip_prefix(BEGIN) {
            tokens.extend(token.take().as_deref());
            token = Some(begin.to_owned());
        } else {
            token.get_or_insert_default().push_str(piece);
        }
    }
    tokens.extend(token.as_deref());
}

#[cfg(test)]
mod tests {
    use super::{Vocabulary, join};
    use crate::sequence::Sequence;

    const SMALL: &str = r#"{"version":"1.0","truncation":null,"padding":null,"added_tokens":[],"normalizer":null,
        "pre_tokenizer":null,"post_processor":null,"decoder":null,"model":{"type":"Unigram","unk_id":0,
        "vocab":[["<unk>",0.0],["get",-1.0],["Count",-1.0],["e",-3.0],["g",-3.0]],"byte_fallback":false}}"#;

    fn check(tokens: &[&str], expected: &[&str]) {
        let vocabulary = Vocabulary::read(SMALL.as_bytes()).expect("it is a tokenizer");
        let mut pieces = Sequence::new();
        vocabulary.split(tokens.iter().copied(), &mut pieces);
        assert_eq!(pieces.iter().collect::<Vec<_>>(), expected);
        let mut joined = Sequence::new();
        join(pieces.iter(), &mut joined);
        assert_eq!(joined.iter().collect::<Vec<_>>(), tokens);
    }

    #[test]
    fn a_value_is_split_and_a_marker_is_not() {
        check(
            &["<[block]>", "getCount", "<[/block]>"],
            &["<[block]>", "▁get", "Count", "<[/block]>"],
        );
    }

    #[test]
    fn what_the_vocabulary_does_not_know_is_not_lost() {
        check(&["getß\"x y\n\"", ";"], &["▁get", "ß\"x y\n\"", "▁;"]);
    }

    #[test]
    fn what_looks_like_a_begin_or_a_marker_stays_in_its_value() {
        check(
            &["get▁get", "get<[get]>"],
            &["▁get▁", "get", "▁get<[", "get", "]>"],
        );
    }

    #[test]
    fn a_file_that_is_no_tokenizer_is_refused() {
        assert!(Vocabulary::read(b"{}").is_err());
    }
}
