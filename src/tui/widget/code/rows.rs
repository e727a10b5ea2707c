//! The rows of a text at a width: all of them for a pane, or only as many as a caller needs.
//!
//! A test may have thousands of lines. To learn how much of it fits into a pane, no more than that is laid out.

use crate::text::Doc;
use crate::wrap::{WrappedRow, wrap};

/// Two columns for part and focal call, with a blank on either side.
pub(super) const GUTTER_WIDTH: u16 = 4;

/// Computes the width of the line numbers with a blank before them, at least three, so that short files are aligned.
pub(super) fn number_width(doc: &Doc) -> u16 {
    (doc.number_max().checked_ilog10().unwrap_or(0) as u16 + 2).max(3)
}

/// Lays a text out in rows for a width of code.
pub(super) fn layout(doc: &Doc, width: u16, wraps: bool) -> Vec<WrappedRow> {
    let mut rows = Vec::with_capacity(doc.lines.len());
    let notes = width.saturating_add(number_width(doc) + GUTTER_WIDTH);
    let widths = if wraps { [width, notes] } else { [u16::MAX; 2] };
    push_rows(doc, widths, usize::MAX, &mut rows);
    rows
}

/// Appends rows until there are `n_most` or a few more. The widths are for code and for notes, which begin at the
/// margin.
fn push_rows(doc: &Doc, [width, notes]: [u16; 2], n_most: usize, rows: &mut Vec<WrappedRow>) {
    let mut folds = doc.folds.iter().peekable();
    for (idx, line) in doc.lines.iter().enumerate() {
        if rows.len() >= n_most {
            return;
        }
        while folds.next_if(|(_, last)| *last < idx).is_some() {}
        if let Some((first, last)) = folds.peek()
            && *first <= idx
        {
            if *first == idx {
                rows.push(WrappedRow {
                    line_idx: idx as u32,
                    start: 0,
                    end: 0,
                    indent: 0,
                    is_continuation: false,
                    n_folded: (last - first + 1) as u32,
                });
            }
            continue;
        }
        let width = if line.has_gutter() { width } else { notes };
        wrap(idx, &line.text, width, rows);
    }
}

/// Lays out the first rows of a text in an area of this width, when wrapped: `n_most` or a few more.
fn first_rows(doc: &Doc, width: u16, n_most: usize) -> Vec<WrappedRow> {
    let mut rows = Vec::with_capacity(n_most.min(doc.lines.len()));
    let code = width.saturating_sub(number_width(doc) + GUTTER_WIDTH);
    push_rows(doc, [code, width], n_most, &mut rows);
    rows
}

/// Counts the lines of `doc` that are wholly visible in an area of this size (without border), when wrapped.
#[must_use]
pub fn n_lines_visible(doc: &Doc, width: u16, height: u16) -> usize {
    let height = usize::from(height);
    let rows = first_rows(doc, width, height + 1);
    match rows.get(height) {
        None => doc.lines.len(),
        Some(next) => next.line_idx as usize,
    }
}

/// Counts the rows that `doc` takes at this width, when wrapped, but only up to `n_most`.
#[must_use]
pub fn n_rows_up_to(doc: &Doc, width: u16, n_most: u16) -> u16 {
    let rows = first_rows(doc, width, usize::from(n_most));
    rows.len().min(usize::from(n_most)) as u16
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Snippet;

    #[test]
    fn who_asks_what_fits_looks_at_no_more_rows_than_fit() {
        let mut doc = Doc::default();
        doc.push_snippet(&Snippet {
            package: None,
            key: String::new(),
            path: "T.java".to_owned(),
            first_line: 1,
            name_line: 1,
            text: "a line that has to wrap where it is narrow\n".repeat(5_000),
            marks: Vec::new(),
        });
        assert_eq!(layout(&doc, 24, true).len(), 10_000);
        assert!(first_rows(&doc, 33, 30).len() <= 31);
        assert_eq!(n_rows_up_to(&doc, 33, 30), 30);
        assert_eq!(n_rows_up_to(&doc, 33, u16::MAX), 10_000);
        assert_eq!(n_lines_visible(&doc, 33, 30), 15);
        // A row that is cut in the middle of a line shows no whole line.
        assert_eq!(n_lines_visible(&doc, 33, 31), 15);
    }
}
