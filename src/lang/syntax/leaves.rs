//! The tokens of a tree: its leaves.

use std::cell::RefCell;

use super::{Grammar, Kind, Parser, Tree};
use crate::model::{Language, Span};

thread_local! {
    // Parsers and trees keep their memory from one text to the next.
    static READER: RefCell<(Parser, Tree)> = RefCell::new((Parser::new(), Tree::new()));
}

/// Returns the tokens of a text in any language, as [`Tree::push_tokens`] does.
#[must_use]
pub fn tokens(language: Language, text: &str) -> Vec<Span> {
    READER.with_borrow_mut(|(parser, tree)| {
        parser.parse(language, text, tree);
        let mut tokens = Vec::new();
        tree.push_tokens(text, &mut tokens);
        tokens
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

fn kinds(grammar: &Grammar, names: &[&str]) -> Vec<Kind> {
    names.iter().filter_map(|it| grammar.kind(it)).collect()
}

impl Tree {
    /// Appends the spans of the tree's tokens, in the order of the text: leaves and whole string literals, neither
    /// comments nor what is empty or nothing but layout in `text`, which the tree was made of. Text that no leaf
    /// covers is no token. A tree whose parser was stopped has no tokens.
    pub fn push_tokens(&self, text: &str, tokens: &mut Vec<Span>) {
        let literals = kinds(self.grammar, LITERALS);
        let comments = kinds(self.grammar, COMMENTS);
        let mut idx = 0;
        while let Some(node) = self.nodes.get(idx) {
            let is_leaf = node.subtree_end as usize == idx + 1;
            if comments.contains(&node.kind) {
                idx = node.subtree_end as usize;
            } else if is_leaf || literals.contains(&node.kind) {
                idx = node.subtree_end as usize;
                if !node.span.of(text).trim().is_empty() {
                    tokens.push(node.span);
                }
            } else {
                idx += 1;
            }
        }
    }
}
