//! Behaviour of the passes, rule by rule.
