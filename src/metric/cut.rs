//! What a token of a programming language is: decided in `lang`, for all metrics alike. Not which number a token gets, nor
//! what it is for the metrics that bring their own tokenizer.

pub use crate::syntax::cut::Cutter;
