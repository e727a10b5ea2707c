//! Questions of Jobs, and their answers.

/// What Jobs wants to know.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {}

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {}
