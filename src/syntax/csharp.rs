//! C# in words, and what its grammar reads otherwise than its compiler.

pub mod dialect;
pub(crate) mod half;
