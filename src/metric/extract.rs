//! Code out of an answer in prose and fences.
