//! Tokens as numbers: a vocabulary, and the tokenizers of the reference implementations.
