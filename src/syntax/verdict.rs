//! The types of a verdict on a piece of source: the kind of piece it was taken for, and whether it parses.

use crate::tree::Tree;

/// The kind of piece that a source is taken for. Only Java has two; in the other languages a list of statements may
/// hold declarations, too.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceShape {
    /// The body of a method, which may be empty.
    Statements,
    /// The content of the body of a class `T`: strictly any number of members, or none; to javalang exactly one method,
    /// constructor, field or type, because its parser reads one.
    Member,
}

/// Whether a piece of source parses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ParseOutcome {
    Ok,
    Error {
        /// Counted from 1, in the piece itself.
        line: u32,
        /// From the beginning of the line, counted from 1.
        column: u32,
        /// The error, for people: a lower-case fragment, source text in backticks and escaped.
        detail: String,
    },
}

impl ParseOutcome {
    #[must_use]
    pub const fn is_ok(&self) -> bool {
        matches!(self, Self::Ok)
    }

    /// Judges a parsed text.
    pub(super) fn of_tree(tree: &Tree, text: &str) -> Self {
        match tree.first_fault(text) {
            None => Self::Ok,
            Some(fault) => Self::Error {
                line: fault.position.line,
                column: fault.position.column,
                detail: fault.detail,
            },
        }
    }
}
