//! Edit similarity.
