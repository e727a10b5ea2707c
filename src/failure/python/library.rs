//! Names that need no declaration: the language's, its standard library's, those of pytest and of the asserting part of
//! numpy.
//!
//! `names.txt` was written by `names.py` with Python 3.11, pytest 9 and numpy 2: names only, one a line.

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::super::reader::names;

static NAMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| names(include_str!("names.txt")));

/// Modules of the standard library and of test frameworks: names behind them after a dot are theirs.
pub const MODULES: &[&str] = &[
    "asyncio",
    "collections",
    "contextlib",
    "copy",
    "csv",
    "datetime",
    "decimal",
    "functools",
    "io",
    "itertools",
    "json",
    "logging",
    "math",
    "mock",
    "os",
    "pathlib",
    "pickle",
    "pytest",
    "random",
    "re",
    "shutil",
    "string",
    "subprocess",
    "sys",
    "tempfile",
    "textwrap",
    "threading",
    "time",
    "types",
    "typing",
    "unittest",
    "urllib",
    "uuid",
    "warnings",
];

/// Tells whether the language or one of these libraries has something of that name.
pub fn is_name(name: &str) -> bool {
    NAMES.contains(name) || MODULES.contains(&name)
}
