//! Statements and the places in them, for every language.

use crate::model::Span;

/// Finds the number of the statement that holds a place; statements are sorted and do not overlap.
pub fn statement_of(statements: &[Span], place: Span) -> Option<u32> {
    let after = statements.partition_point(|statement| statement.start <= place.start);
    let at = after.checked_sub(1)?;
    statements[at].contains(place).then_some(at as u32)
}
