//! JavaScript and TypeScript in words.

pub mod dialect;
