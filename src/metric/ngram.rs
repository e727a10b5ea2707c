//! Counts of n-grams.
