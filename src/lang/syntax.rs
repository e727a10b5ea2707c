//! Syntax trees of all languages that can be scored, as flat lists of nodes.
