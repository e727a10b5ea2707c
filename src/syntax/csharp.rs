//! C# in words and tokens, and the code that its grammar reads otherwise than its compiler.

pub mod dialect;
pub(crate) mod half;
pub(crate) mod tokens;
