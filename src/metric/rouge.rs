//! ROUGE: overlap of n-grams, and the longest common subsequence.
