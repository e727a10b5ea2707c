//! Source text without a project: trees, tokens, words, verdicts of parsers, excerpts.
//!
//! A language is a value here: [`tokens`], [`dialect()`], [`Judge`](judge::Judge) and the rest take it as an argument,
//! and what they return is the same type for every language. Each text is looked at alone. What a name in it means is
//! for `lang` to say, which has the sources of a whole project.
//!
//! In every language parsing never fails and does no I/O. Broken source gives a tree with errors.
//!
//! This crate owns tree-sitter and its grammars; only the front ends in `lang` use them too, to read facts off trees.

use focalist_model as model;

pub mod asserts;
pub mod bounded;
pub mod csharp;
pub mod cut;
pub mod dialect;
mod dialects;
pub mod excerpt;
pub mod file_tokens;
pub mod go;
pub mod java;
pub mod javascript;
pub mod judge;
pub mod kind;
pub mod nesting;
pub mod parses;
pub mod place;
pub mod python;
pub mod token;
pub mod tree;
pub mod verdict;

pub use self::dialect::Dialect;
pub use self::dialects::{dialect, language_of};
use crate::model::{Language, Span};

/// Rewrites constructs that a language has and its grammar does not know, in place and at the same length, in the piece
/// of a text that begins at `before` and is `len` bytes long. So nodes of the tree have the same spans in the original
/// text.
pub fn make_readable(language: Language, text: &mut String, (before, len): (usize, usize)) {
    if language == Language::Java {
        java::fragment::make_readable(text, before, len);
    }
}

/// Cuts any piece of source into the lexer's tokens; comments and layout are no tokens.
#[must_use]
pub fn tokens(language: Language, text: &str) -> Vec<Span> {
    match language {
        Language::Java => java::tokens::tokens(text),
        Language::CSharp => csharp::tokens::tokens(text),
        _ => tree::tokens(language, text),
    }
}

/// Tokens that do not make a statement by themselves.
const EMPTY: &[&str] = &[";", "{", "}"];

/// Cuts a text into tokens without layout, comments, empty statements and braces, in order.
pub fn telling_tokens(language: Language, text: &str) -> impl Iterator<Item = Span> {
    let tokens = tokens(language, text).into_iter();
    tokens.filter(move |token| !EMPTY.contains(&token.of(text)))
}

/// Tells whether a piece of source holds a statement: an answer of only comments, braces or nothing is no answer,
/// though every grammar takes it.
#[must_use]
pub fn has_statement(language: Language, text: &str) -> bool {
    begins_with_word(text) || telling_tokens(language, text).next().is_some()
}

/// Tells the same as [`has_statement`] about a parsed text in a language other than Java.
#[must_use]
pub fn has_statement_in(tree: &tree::Tree, text: &str) -> bool {
    begins_with_word(text) || {
        let mut tokens = Vec::new();
        tree.push_tokens(text, &mut tokens);
        tokens.iter().any(|token| !EMPTY.contains(&token.of(text)))
    }
}

/// Tells whether a text begins with a word, as no comment does: most texts need no second look.
fn begins_with_word(text: &str) -> bool {
    let first = text.trim_start().chars().next();
    first.is_some_and(|first| first.is_alphanumeric() || first == '_')
}
