//! C# in words and tokens, and what its grammar reads otherwise than its compiler.

pub mod dialect;
pub(crate) mod half;
pub(crate) mod tokens;
