//! The tokens of a programming language, which `syntax` decides for all metrics alike. Not the number that a token
//! gets, nor the tokens of the metrics that bring their own tokenizer.

pub use crate::syntax::cut::Cutter;
