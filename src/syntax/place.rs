//! Puts an answer into the place that it was asked for: the assertion part of the true test.

use crate::model::{Language, Span};

/// Replaces a test's assertion part by an answer, and returns the test and the span of the answer in it.
///
/// In Python, where layout counts, an answer whose later lines begin left of the place's column is moved there.
#[must_use]
pub fn in_place(
    language: Language,
    test: &str,
    assertion: Option<Span>,
    answer: &str,
) -> (String, Span) {
    // Without such a part the answer stands after the last statement, before the closing bracket.
    let place = assertion.unwrap_or_else(|| {
        let end = test.trim_end().strip_suffix('}').unwrap_or(test).trim_end();
        Span::new(end.len() as u32, end.len() as u32)
    });
    let (start, end) = (place.start as usize, place.end as usize);
    let head = test.get(..start).unwrap_or(test);
    let tail = test.get(end..).unwrap_or_default();
    let answer = match language {
        Language::Python => moved(head, answer),
        _ => answer.to_owned(),
    };
    let place = Span::new(head.len() as u32, (head.len() + answer.len()) as u32);
    ([head, &answer, tail].concat(), place)
}

/// Moves the later lines of a prediction to the column where it stands, when they begin left of it.
fn moved(head: &str, prediction: &str) -> String {
    let line = &head[head.rfind('\n').map_or(0, |n| n + 1)..];
    let column = &line[..line.len() - line.trim_start().len()];
    let prediction = prediction.trim_start_matches(['\n', '\r']);
    // The indentation of the first line is that of all lines.
    let first = &prediction[..prediction.len() - prediction.trim_start().len()];
    let depth = |line: &str| line.len() - line.trim_start().len();
    let mut lines = prediction.lines().filter(|line| !line.trim().is_empty());
    let opens = lines
        .next()
        .is_some_and(|line| line.trim_end().ends_with(':'));
    let mut later = lines.map(depth).peekable();
    // When the first line opens a block, the block is deeper than the first line.
    let is_deep = later.peek().is_none_or(|n| !opens || *n > column.len());
    let is_there = is_deep && later.all(|n| n >= column.len());
    let has_later = prediction.trim_end().contains('\n');
    if !has_later || (is_there && first.is_empty()) {
        return prediction.trim_start().to_owned();
    }
    let mut moved = String::with_capacity(prediction.len());
    for (idx, line) in prediction.split_inclusive('\n').enumerate() {
        let line = line.strip_prefix(first).unwrap_or(line);
        if idx > 0 && !line.trim().is_empty() {
            moved.push_str(column);
        }
        moved.push_str(line);
    }
    moved
}
