//! A selection of rows in a list: all from where it began to the cursor, in either direction.

use std::ops::RangeInclusive;

use crate::model::SampleKey;
use crate::widget::frame::count;

/// The most rows that a selection can have.
pub const ROWS_MAX: u64 = 5_000;

/// The most samples that a filter names.
pub const NAMED_MAX: usize = 500;

/// The digits of a key that are enough to name one sample among many millions.
const N_DIGITS: usize = 16;

/// The message at the beginning of a selection.
pub const BEGUN: &str = "j k select more";

/// The beginning of a selection, in a list whose rows are numbered from 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    anchor: Option<u64>,
}

impl Selection {
    /// Begins the selection at a row, or ends it; tells whether it has begun.
    pub const fn toggle(&mut self, cursor: u64) -> bool {
        self.anchor = match self.anchor {
            None => Some(cursor),
            Some(_) => None,
        };
        self.anchor.is_some()
    }

    /// Ends the selection; tells whether there was one.
    pub const fn clear(&mut self) -> bool {
        self.anchor.take().is_some()
    }

    /// Returns the selected rows; nothing without a selection, or while the row of the cursor is unknown.
    #[must_use]
    pub fn rows(&self, cursor: Option<u64>) -> Option<RangeInclusive<u64>> {
        let (anchor, cursor) = (self.anchor?, cursor?);
        let first = anchor.min(cursor);
        Some(first..=anchor.max(cursor).min(first + ROWS_MAX - 1))
    }

    /// Writes the number of selected rows for the line above a list; empty without a selection.
    #[must_use]
    pub fn note(&self, cursor: Option<u64>) -> String {
        let Some(rows) = self.rows(cursor) else {
            return String::new();
        };
        format!(" · {} selected", count(rows.end() - rows.start() + 1))
    }
}

/// Writes a filter that lets through only these samples; nothing without any, or for more than [`NAMED_MAX`].
#[must_use]
pub fn filter_of(keys: &[SampleKey]) -> Option<String> {
    let mut names: Vec<String> = Vec::new();
    for key in keys {
        let mut name = key.to_string();
        name.truncate(N_DIGITS);
        // A run with several attempts has several rows for a sample.
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let can_be_named = !names.is_empty() && names.len() <= NAMED_MAX;
    can_be_named.then(|| format!("key:{}", names.join(",")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter;

    #[test]
    fn selected_samples_are_named_once_each_in_a_filter() {
        let key = |digits: &str| {
            let all = SampleKey::beginning_with(digits);
            all.expect("they are digits").0
        };
        let (one, other) = (key("4e01"), key("5a"));
        let text = filter_of(&[one, one, other]).expect("there are two");
        assert_eq!(text, "key:4e01000000000000,5a00000000000000");
        assert!(filter::parse(&text).is_ok());
        assert_eq!(filter_of(&[]), None);
        let many: Vec<SampleKey> = (0..=NAMED_MAX)
            .map(|number| key(&format!("{number:04x}")))
            .collect();
        assert_eq!(filter_of(&many), None);
        assert!(filter_of(&many[1..]).is_some());
    }

    #[test]
    fn a_selection_reaches_from_where_it_began_to_the_cursor() {
        let mut selection = Selection::default();
        assert_eq!(selection.rows(Some(3)), None);
        assert!(selection.toggle(3));
        assert_eq!(selection.rows(Some(3)), Some(3..=3));
        assert_eq!(selection.rows(Some(1)), Some(1..=3));
        assert_eq!(selection.rows(Some(7)), Some(3..=7));
        assert_eq!(selection.note(Some(7)), " · 5 selected");
        assert_eq!(selection.rows(None), None);
        assert_eq!(
            selection.rows(Some(3 + 2 * ROWS_MAX)),
            Some(3..=2 + ROWS_MAX)
        );
        assert!(selection.clear() && !selection.clear());
        assert_eq!(selection.note(Some(7)), "");
        assert!(selection.toggle(0) && !selection.toggle(0));
    }
}
