//! Java in words, tokens and verdicts, and the declarations of its library.

pub mod dialect;
pub mod fragment;
pub mod header;
pub mod javalang;
pub mod jdk;
pub mod outline;
pub mod piece;
pub mod prim;
pub(crate) mod tokens;

use std::sync::LazyLock;

use rustc_hash::FxHashSet;

/// Tells whether the JDK or a library of the built-in table has a type, method or field of that simple name. The first
/// call reads the whole table.
pub fn is_library_name(name: &str) -> bool {
    static NAMES: LazyLock<FxHashSet<&str>> = LazyLock::new(|| jdk::simple_names().collect());
    NAMES.contains(name)
}
