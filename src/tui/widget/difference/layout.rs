//! The rows of a difference: its folds, and its broken lines.
//!
//! Decides rows for a width; draws nothing.

use unicode_width::UnicodeWidthStr;

use super::compose::{ComposedDifference, DifferenceSide};
use crate::widget::frame::cut;
use crate::wrap::{self, wrap};

/// Fewer lines are not worth a row that says that they are folded.
const FOLDED_MIN: usize = 2;

/// Where the parser stopped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParserStop {
    pub half: usize,
    pub line_idx: u32,
    /// A byte of the line.
    pub column: u32,
    pub text: String,
}

/// The content of a row.
#[derive(Clone, Debug)]
pub enum RowContent {
    /// Parts of lines; the other cell may be blank.
    Lines([Option<wrap::WrappedRow>; 2]),
    /// The number of entries that are folded away.
    Fold(usize),
    /// A line of the parser's message, in the cell of the marked line, and the blank columns before it.
    Note {
        cell: usize,
        indent: u16,
        text: String,
    },
}

/// A row of the screen.
#[derive(Clone, Debug)]
pub struct DifferenceRow {
    pub entry_idx: usize,
    pub content: RowContent,
}

/// Tells for each entry whether it stays unfolded; all do without a context, and where nothing differs.
pub fn unfolded(
    composed: &ComposedDifference,
    stops: &[ParserStop],
    context: Option<usize>,
) -> Vec<bool> {
    let entries = &composed.entries;
    let Some(context) = context.filter(|_| entries.iter().any(|entry| entry.hunk.is_some())) else {
        return vec![true; entries.len()];
    };
    let mut kept = vec![false; entries.len()];
    let mut end = 0;
    for (idx, entry) in entries.iter().enumerate() {
        let has_stop = || entry_has_stop(composed, idx, stops);
        if entry.hunk.is_none() && (stops.is_empty() || !has_stop()) {
            continue;
        }
        let start = idx.saturating_sub(context).max(end);
        end = idx
            .saturating_add(context)
            .saturating_add(1)
            .min(entries.len());
        kept[start.min(end)..end].fill(true);
    }
    for gap in gaps(&kept) {
        if gap.len() < FOLDED_MIN {
            kept[gap].fill(true);
        }
    }
    kept
}

fn gaps(kept: &[bool]) -> Vec<std::ops::Range<usize>> {
    let mut at = 0;
    let runs = kept.chunk_by(|a, b| a == b).map(|run| {
        at += run.len();
        (run[0], at - run.len()..at)
    });
    runs.filter(|run| !run.0).map(|run| run.1).collect()
}

fn entry_has_stop(composed: &ComposedDifference, idx: usize, stops: &[ParserStop]) -> bool {
    let cells = composed.entries[idx].cells.into_iter().flatten();
    let mut lines = cells.filter_map(|cell| composed.lines.get(cell as usize));
    lines.any(|line| {
        let mut stops = stops.iter();
        stops.any(|stop| line.numbers[stop.half] == Some(stop.line_idx))
    })
}

/// Lays out the rows for cells of these widths.
pub fn layout(
    composed: &ComposedDifference,
    kept: &[bool],
    (halves, stops): (&[DifferenceSide; 2], &[ParserStop]),
    widths: [u16; 2],
    wraps: bool,
) -> Vec<DifferenceRow> {
    let mut rows = Vec::with_capacity(kept.len());
    let mut parts: [Vec<wrap::WrappedRow>; 2] = Default::default();
    let mut idx = 0;
    while let Some(entry) = composed.entries.get(idx) {
        let n_folded = kept[idx..].iter().take_while(|is_kept| !**is_kept).count();
        if n_folded > 0 {
            rows.push(DifferenceRow {
                entry_idx: idx,
                content: RowContent::Fold(n_folded),
            });
            idx += n_folded;
            continue;
        }
        for (cell, parts) in parts.iter_mut().enumerate() {
            parts.clear();
            if let Some(line_idx) = entry.cells[cell] {
                let width = if wraps { widths[cell] } else { u16::MAX };
                let text = &composed.lines[line_idx as usize].text;
                wrap(line_idx as usize, text, width, parts);
                if !wraps {
                    // Without wrapping, a line of any length is one row.
                    parts.truncate(1);
                    parts[0].end = text.len() as u32;
                }
            }
        }
        for nth in 0..parts[0].len().max(parts[1].len()) {
            let cells = [&parts[0], &parts[1]].map(|wrapped_rows| wrapped_rows.get(nth).copied());
            rows.push(DifferenceRow {
                entry_idx: idx,
                content: RowContent::Lines(cells),
            });
        }
        for stop in stops {
            for (cell, parts) in parts.iter().enumerate() {
                let line_idx = entry.cells[cell].map_or(usize::MAX, |cell| cell as usize);
                let line = composed.lines.get(line_idx);
                if line.is_some_and(|difference_line| {
                    difference_line.numbers[stop.half] == Some(stop.line_idx)
                }) {
                    let column = caret(composed, (halves, stop), parts);
                    let notes = notes(stop, column, widths[cell]).into_iter();
                    rows.extend(notes.map(|(indent, text)| DifferenceRow {
                        entry_idx: idx,
                        content: RowContent::Note { cell, indent, text },
                    }));
                }
            }
        }
        idx += 1;
    }
    rows
}

/// Finds the column where the parser stopped, in the row of the line that holds the place.
fn caret(
    composed: &ComposedDifference,
    (halves, stop): (&[DifferenceSide; 2], &ParserStop),
    parts: &[wrap::WrappedRow],
) -> usize {
    let Some(last) = parts.last() else { return 0 };
    let line = &composed.lines[last.line_idx as usize];
    let at = halves[stop.half].shown(stop.line_idx as usize, stop.column);
    // In a line that mixes both texts, the words stand elsewhere.
    let mut origins = line
        .origins
        .iter()
        .filter(|origin| origin.half == stop.half);
    let shift = origins
        .find(|origin| (origin.start..=origin.end).contains(&at))
        .map(|origin| origin.at as usize + (at - origin.start) as usize);
    let at = shift.unwrap_or(line.text.len());
    let part = parts
        .iter()
        .rev()
        .find(|wrapped_row| wrapped_row.start as usize <= at);
    let part = part.unwrap_or(last);
    let end = at.min(part.end as usize);
    usize::from(part.indent) + line.text[part.start as usize..end].width()
}

/// Lays a message out in rows: the caret with the text behind it, else before it, else below it.
fn notes(stop: &ParserStop, column: usize, width: u16) -> Vec<(u16, String)> {
    let room = usize::from(width);
    let column = column.min(room.saturating_sub(1));
    let text = &stop.text;
    let indent = |n: usize| n as u16;
    if column + 2 + text.width() <= room {
        return vec![(indent(column), format!("^ {text}"))];
    }
    if text.width() < column {
        let start = column - 1 - text.width();
        return vec![(indent(start), format!("{text} ^"))];
    }
    vec![(indent(column), "^".to_owned()), (0, cut(text, room))]
}
