//! The tokens of a tree: its leaves.

use std::cell::RefCell;

use super::{Parser, Tree};
use crate::model::{Language, Span};

thread_local! {
    // Parsers and trees keep their memory from one text to the next.
    static READER: RefCell<(Parser, Tree)> = RefCell::new((Parser::new(), Tree::new()));
}

/// Cuts a text in any language into tokens, as [`Tree::push_tokens`] does.
#[must_use]
pub fn tokens(language: Language, text: &str) -> Vec<Span> {
    read_tokens(language, text).0
}

/// Cuts a text in any language into tokens, and tells whether the text follows the grammar.
pub(crate) fn read_tokens(language: Language, text: &str) -> (Vec<Span>, bool) {
    READER.with_borrow_mut(|(parser, tree)| {
        parser.parse(language, text, tree);
        let mut tokens = Vec::new();
        tree.push_tokens(text, &mut tokens);
        (tokens, !tree.has_error())
    })
}

/// Kinds that are one token although they have children.
const LITERALS: &[&str] = &[
    "string_literal",
    "string",
    "character_literal",
    "interpreted_string_literal",
    "raw_string_literal",
];

const COMMENTS: &[&str] = &["comment", "line_comment", "block_comment", "html_comment"];

/// The part that a node plays when a tree is cut into tokens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum TokenPart {
    /// A token where it has no children, else the tokens of its children.
    Inner,
    /// One token together with its descendants.
    Literal,
    /// No token, nor are its descendants.
    Comment,
}

impl TokenPart {
    /// Classifies nodes by the name of their kind.
    pub(super) fn of(name: &str) -> Self {
        if COMMENTS.contains(&name) {
            Self::Comment
        } else if LITERALS.contains(&name) {
            Self::Literal
        } else {
            Self::Inner
        }
    }
}

/// Tells whether a text is empty or only layout. For nearly all tokens the first byte already says no.
fn is_blank(text: &str) -> bool {
    let begins = text.as_bytes().first().is_some_and(u8::is_ascii_graphic);
    !begins && text.trim().is_empty()
}

impl Tree {
    /// Appends the spans of the tree's tokens, in the order of the text: leaves and whole string literals, but no
    /// comments and no leaves that are empty or mere layout in `text`, the text of the tree. Text that no leaf covers
    /// is no token. A tree whose parser was stopped has no tokens.
    pub fn push_tokens(&self, text: &str, tokens: &mut Vec<Span>) {
        let mut idx = 0;
        while let Some(node) = self.nodes.get(idx) {
            let end = node.subtree_end as usize;
            let part = self.grammar.part(node.kind);
            if part == TokenPart::Inner && end != idx + 1 {
                idx += 1;
                continue;
            }
            idx = end;
            if part != TokenPart::Comment && !is_blank(node.span.of(text)) {
                tokens.push(node.span);
            }
        }
    }
}
