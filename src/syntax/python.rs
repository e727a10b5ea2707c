//! Python in words, and the rules of its compiler beyond the grammar.

pub mod dialect;
pub(crate) mod strict;
