//! Names that need no declaration: the language's, those of Node.js, and of test frameworks and assertion libraries.
//!
//! `names.txt` was written by `names.mjs` with Node.js 20: names only, one a line.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use crate::reader::names;

static NAMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| names(include_str!("names.txt")));

/// Tells whether the language or one of these libraries has something of that name.
pub fn is_name(name: &str) -> bool {
    NAMES.contains(name)
}
