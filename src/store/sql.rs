//! Pieces of SQL, each with its values.

use rusqlite::types::Value;

/// A piece of SQL with the values for its `?`s, in order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Sql {
    pub text: String,
    pub values: Vec<Value>,
}

impl Sql {
    pub(super) fn new(text: impl Into<String>, values: Vec<Value>) -> Self {
        Self {
            text: text.into(),
            values,
        }
    }

    pub(super) fn push(&mut self, other: &Self) {
        self.text.push_str(&other.text);
        self.values.extend_from_slice(&other.values);
    }

    pub(super) fn push_str(&mut self, text: &str) {
        self.text.push_str(text);
    }

    /// Joins conditions that must all hold, beginning with ` AND `; empty for no conditions.
    pub(super) fn demanded(conditions: &[Self]) -> Self {
        if conditions.is_empty() {
            return Self::default();
        }
        let mut sql = Self::new(" AND (", Vec::new());
        sql.push(&Self::joined(conditions, "AND", "1"));
        sql.push_str(")");
        sql
    }

    pub(super) fn negated(&self) -> Self {
        Self::new(format!("NOT ({})", self.text), self.values.clone())
    }

    /// Joins pieces in halves, because SQLite rejects an expression that is a thousand levels deep.
    pub(super) fn joined(pieces: &[Self], word: &str, of_none: &str) -> Self {
        match pieces {
            [] => Self::new(of_none, Vec::new()),
            [piece] => piece.clone(),
            pieces => {
                let (first, last) = pieces.split_at(pieces.len() / 2);
                let mut sql = Self::new("(", Vec::new());
                sql.push(&Self::joined(first, word, of_none));
                sql.push_str(&format!(") {word} ("));
                sql.push(&Self::joined(last, word, of_none));
                sql.push_str(")");
                sql
            }
        }
    }
}

/// Writes the `LIKE` pattern for "contains".
pub(super) fn like(value: &str) -> String {
    format!("%{}%", escape_like(value))
}

pub(super) fn escape_like(value: &str) -> String {
    value
        .replace('\\', "\\\\")
        .replace('%', "\\%")
        .replace('_', "\\_")
}
