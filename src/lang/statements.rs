//! Statements and what lies in them, for every language.

use crate::model::Span;

/// Finds the statement that holds a place, by number; statements are in order and apart from each other.
pub fn statement_of(statements: &[Span], place: Span) -> Option<u32> {
    let after = statements.partition_point(|statement| statement.start <= place.start);
    let at = after.checked_sub(1)?;
    statements[at].contains(place).then_some(at as u32)
}
