//! Go in words.

pub mod dialect;
