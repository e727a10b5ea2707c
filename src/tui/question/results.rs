//! Questions of Results, and their answers.

/// What Results wants to know.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {}

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {}
