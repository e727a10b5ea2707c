//! Fingerprints of a sample: the hash of its content and the hash of its tokens.
//!
//! Every input of a hash is preceded by its length, so that two lists of parts never run into the same bytes.

use crate::model::{ContentHash, Span};

/// Fingerprints of one method's source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MethodDigest {
    pub n_tokens: u32,
    tokens: [u8; 16],
    content: [u8; 16],
}

impl MethodDigest {
    /// Computes the fingerprints of `text`, whose lexer tokens are `tokens`.
    pub fn of(text: &str, tokens: &[Span]) -> Self {
        // Hashing one long text takes half the time of hashing as many short ones.
        let mut all = Vec::with_capacity(text.len() + tokens.len());
        for token in tokens {
            all.extend_from_slice(token.of(text).as_bytes());
            // No token holds a NUL, so different sequences of tokens give different bytes.
            all.push(0);
        }
        Self {
            n_tokens: tokens.len() as u32,
            tokens: half(blake3::Hasher::new().update(&all)),
            content: half(blake3::Hasher::new().update(text.as_bytes())),
        }
    }
}

/// The methods that make up a sample.
#[derive(Debug)]
pub struct SampleDigests<'d> {
    /// Test, focal method, contexts, in this order.
    pub core: Vec<&'d MethodDigest>,
    pub fixtures: Vec<&'d MethodDigest>,
}

impl SampleDigests<'_> {
    /// Counts the lexer tokens over all parts (rule 25).
    pub fn n_tokens(&self) -> u32 {
        self.core
            .iter()
            .chain(&self.fixtures)
            .map(|method_digest| method_digest.n_tokens)
            .sum()
    }

    /// Hashes the parts that duplicates share: test, focal method and contexts, token by token (rule 24).
    pub fn token_hash(&self) -> ContentHash {
        ContentHash(combine(
            self.core.iter().map(|method_digest| method_digest.tokens),
        ))
    }

    /// Hashes everything that a person is shown.
    pub fn content_hash(&self) -> ContentHash {
        ContentHash(combine(
            self.core
                .iter()
                .chain(&self.fixtures)
                .map(|method_digest| method_digest.content),
        ))
    }
}

fn combine(parts: impl Iterator<Item = [u8; 16]>) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    for part in parts {
        hasher.update(&part);
    }
    half(&hasher)
}

fn half(hasher: &blake3::Hasher) -> [u8; 16] {
    let mut bytes = [0; 16];
    bytes.copy_from_slice(&hasher.finalize().as_bytes()[..16]);
    bytes
}
