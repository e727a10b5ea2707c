//! The verb `eval`: predictions in, scores out, and runs against each other.
