//! The place where a text first breaks the grammar, described for people.

use super::{Node, Tree};
use crate::model::Position;

/// The longest piece of the text that is quoted, in characters.
const QUOTED_CHARS_MAX: usize = 24;

/// The first place where a text does not follow the grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    pub position: Position,
    /// A lower-case fragment: ``unexpected `x` ``, ``missing `;` ``, `unexpected end`, `too tangled to parse`.
    pub detail: String,
}

impl Tree {
    /// Finds the first fault in the order of the text, or nothing when the tree is sound. The tree was made of `text`.
    /// The place is where the parser's repair begins, which may be a little after the place that a person would blame.
    #[must_use]
    pub fn first_fault(&self, text: &str) -> Option<Fault> {
        if self.is_stopped() {
            return Some(Fault {
                position: position_of(text, 0),
                detail: "too tangled to parse".to_owned(),
            });
        }
        let first = self
            .nodes
            .iter()
            .position(|node| node.is_error() || node.is_missing());
        let Some(idx) = first else {
            return self.supposed_fault(text);
        };
        let node = &self.nodes[idx];
        if node.is_missing() {
            return Some(Fault {
                position: position_of(text, node.span.start),
                detail: format!("missing `{}`", self.grammar.kind_name(node.kind)),
            });
        }
        let is_end = node.span.end as usize >= text.trim_end().len();
        if is_end && self.stays_open(idx) {
            return Some(Fault {
                position: position_of(text, text.trim_end().len() as u32),
                detail: "unexpected end".to_owned(),
            });
        }
        let leaf = self.nodes[idx..node.subtree_end as usize]
            .iter()
            .zip(idx as u32..)
            .find(|(node, at)| node.subtree_end == at + 1 && !node.span.of(text).is_empty())
            .map_or(node, |(node, _)| node);
        Some(Fault {
            position: position_of(text, leaf.span.start),
            detail: unexpected(leaf, text),
        })
    }

    /// A fault that only [`MissingNode`](super::MissingNode) terminals show.
    fn supposed_fault(&self, text: &str) -> Option<Fault> {
        if !self.has_error() {
            return None;
        }
        let first = self
            .supposed
            .iter()
            .map(|missing_node| missing_node.after)
            .min();
        let node = first.and_then(|first| self.nodes.get(first as usize));
        let offset = node.map_or(text.trim_end().len() as u32, |node| node.span.end);
        Some(Fault {
            position: position_of(text, offset),
            detail: "something is missing".to_owned(),
        })
    }

    /// Tells whether more brackets open than close below a node without an inner error.
    fn stays_open(&self, idx: usize) -> bool {
        let below = &self.nodes[idx + 1..self.nodes[idx].subtree_end as usize];
        let mut n_open = 0_i64;
        for node in below {
            if node.is_error() {
                return false;
            }
            n_open += match self.grammar.kind_name(node.kind) {
                "(" | "[" | "{" => 1,
                ")" | "]" | "}" => -1,
                _ => 0,
            };
        }
        n_open > 0
    }
}

fn unexpected(node: &Node, text: &str) -> String {
    let quoted = node.span.of(text);
    let word = quoted.split_whitespace().next().unwrap_or(quoted);
    let mut short: String = word.chars().take(QUOTED_CHARS_MAX).collect();
    if short.len() < word.len() {
        short.push('…');
    }
    if short.is_empty() {
        return "unexpected end".to_owned();
    }
    format!("unexpected `{short}`")
}

/// Returns line and column, from 1, of a byte of the text.
pub(crate) fn position_of(text: &str, offset: u32) -> Position {
    let before = text.get(..offset as usize).unwrap_or(text);
    let line = before.rsplit('\n').next().unwrap_or_default();
    Position {
        line: before.matches('\n').count() as u32 + 1,
        column: line.encode_utf16().count() as u32 + 1,
    }
}
