//! Soft wrap with a hanging indent: where a line of code is broken when the pane is narrow.
//!
//! Decides the rows; does not draw them. Rows refer to the line by byte range, so that marks, search and colours
//! need no second copy of the text.

use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// The part of a line that one row of the screen shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrappedRow {
    pub line_idx: u32,
    pub start: u32,
    pub end: u32,
    /// Blank columns before the text; more than 0 only in continuations.
    pub indent: u16,
    pub is_continuation: bool,
    /// The number of lines that this row stands for when they are folded away; else 0.
    pub n_folded: u32,
}

/// The columns by which a continuation is indented beyond its line.
const HANGING: usize = 4;
/// Wrapping in fewer columns makes no sense; a grapheme takes up to two columns.
const WIDTH_MIN: usize = 4;

/// Appends the rows of one line. Their ranges follow each other without a gap; the text of a row, without the blanks
/// at its end, is at most `width` wide (and never less than one character).
pub fn wrap(line_idx: usize, text: &str, width: u16, rows: &mut Vec<WrappedRow>) {
    let width = usize::from(width).max(WIDTH_MIN);
    let own_indent = text.len() - text.trim_start_matches(' ').len();
    let hanging = (own_indent + HANGING).min(width / 2);
    let mut start = 0;
    loop {
        let is_continuation = start > 0;
        let indent = if is_continuation { hanging } else { 0 };
        let end = start + row_len(&text[start..], width - indent, !is_continuation);
        rows.push(WrappedRow {
            line_idx: line_idx as u32,
            start: start as u32,
            end: end as u32,
            indent: indent as u16,
            is_continuation,
            n_folded: 0,
        });
        if end >= text.len() {
            return;
        }
        start = end;
    }
}

/// Computes how many bytes of `rest` the row takes.
fn row_len(rest: &str, width: usize, is_first: bool) -> usize {
    // ASCII text takes no more columns than bytes; most lines end here.
    if rest.len() <= width && rest.is_ascii() {
        return rest.len();
    }
    let mut n_columns = 0;
    // The last good place to break: (bytes, columns).
    let mut good = (0, 0);
    let mut has_text = false;
    let mut graphemes = rest.grapheme_indices(true).peekable();
    while let Some((offset, grapheme)) = graphemes.next() {
        let end = offset + grapheme.len();
        let grapheme_width = grapheme.width();
        if n_columns + grapheme_width > width {
            if grapheme == " " && has_text {
                // Blanks at the end hang over the edge instead of opening the next row.
                let blanks = rest[offset..].len() - rest[offset..].trim_start_matches(' ').len();
                return offset + blanks;
            }
            // A break in the first third of the row wastes more than it explains.
            let is_worth_it = good.1 * 3 > width;
            return if is_worth_it {
                good.0
            } else {
                offset.max(first_len(rest))
            };
        }
        n_columns += grapheme_width;
        has_text |= grapheme != " ";
        let next = graphemes.peek().map_or("", |(_, next)| *next);
        let is_indentation = is_first && !has_text;
        if !is_indentation && is_break(grapheme, next) {
            good = (end, n_columns);
        }
    }
    rest.len()
}

fn first_len(text: &str) -> usize {
    text.graphemes(true).next().map_or(0, str::len)
}

/// Code breaks after blanks, separators and opening brackets, and before the dot of a chain.
fn is_break(grapheme: &str, next: &str) -> bool {
    match grapheme {
        " " => next != " ",
        "," | ";" | "(" | "{" | "[" => next != " " && next != ")" && next != "}" && next != "]",
        ")" => next == ".",
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use expect_test::{Expect, expect};
    use proptest::prelude::*;

    fn check(text: &str, width: u16, expected: &Expect) {
        let mut rows = Vec::new();
        wrap(0, text, width, &mut rows);
        let shown: Vec<String> = rows
            .iter()
            .map(|row| {
                let blanks = " ".repeat(usize::from(row.indent));
                format!("|{blanks}{}|", &text[row.start as usize..row.end as usize])
            })
            .collect();
        expected.assert_eq(&shown.join("\n"));
    }

    #[test]
    fn a_short_line_is_one_row() {
        check("int x = 1;", 20, &expect!["|int x = 1;|"]);
        check("", 20, &expect!["||"]);
    }

    #[test]
    fn a_long_line_goes_on_under_a_hanging_indent() {
        check(
            "    Verdict v = new Verifier(store, clock).verify(t.id());",
            32,
            &expect![[r"
                |    Verdict v = new Verifier(|
                |        store, clock).verify(|
                |        t.id());|"]],
        );
    }

    #[test]
    fn a_word_longer_than_the_row_is_cut() {
        check(
            "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa",
            12,
            &expect![[r"
                |aaaaaaaaaaaa|
                |    aaaaaaaa|
                |    aaaaaaaa|
                |    aaaa|"]],
        );
    }

    proptest! {
        #[test]
        fn rows_cover_the_line_and_fit(text in "[ a-z().,漢]{0,120}", width in 1u16..60) {
            let mut rows = Vec::new();
            wrap(0, &text, width, &mut rows);
            let joined: String = rows
                .iter()
                .map(|row| &text[row.start as usize..row.end as usize])
                .collect();
            prop_assert_eq!(&joined, &text);
            for row in &rows {
                let shown = text[row.start as usize..row.end as usize].trim_end_matches(' ');
                let n_columns = shown.width() + usize::from(row.indent);
                prop_assert!(n_columns <= usize::from(width).max(WIDTH_MIN), "{row:?} of {text:?}");
            }
        }
    }
}
