//! Questions of Compare, and their answers.

/// What Compare wants to know.
#[derive(Clone, Debug, PartialEq)]
pub enum Query {}

#[derive(Clone, Debug, PartialEq)]
pub enum Answer {}
