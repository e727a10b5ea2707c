//! Exact match.
