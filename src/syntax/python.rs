//! Python in words, and what its compiler asks beyond the grammar.

pub mod dialect;
pub(crate) mod strict;
