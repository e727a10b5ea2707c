//! The tokens of a regular expression, cut by hand: it accepts any text, in any language.

use super::class::{is_digit, is_space, is_word};
use crate::model::Span;

/// Appends the spans of everything that the expression at [`Lexer::fallback`](super::Lexer::fallback) finds.
pub fn cut(text: &str, spans: &mut Vec<Span>) {
    let bytes = text.as_bytes();
    // Before these places no literal in that kind of quotes ends. Without them a line of `\"\"\"` would be searched
    // anew for each quote.
    let mut open = [0; 2];
    let mut at = 0;
    while let Some(c) = text.get(at..).and_then(|rest| rest.chars().next()) {
        let start = at;
        if is_space(c) {
            at += c.len_utf8();
            continue;
        }
        at = if c == '"' || c == '\'' {
            let open = &mut open[usize::from(c == '"')];
            let end = if start < *open {
                None
            } else {
                quoted(bytes, start).map_err(|end| *open = end).ok()
            };
            end.unwrap_or(start + 1)
        } else if is_word(c) {
            decimal(text, start).unwrap_or_else(|| run(text, start, is_word))
        } else {
            start + c.len_utf8()
        };
        spans.push(Span::new(start as u32, at as u32));
    }
}

/// Finds the end of the literal that begins at `start`; the error is the place up to which there is no end.
///
/// No literal in the same quotes that begins before that place has an end either: the character after a quote is not
/// escaped, so that both are read alike from there on.
fn quoted(bytes: &[u8], start: usize) -> Result<usize, usize> {
    let mut at = start + 1;
    loop {
        match bytes.get(at) {
            None | Some(b'\n') => return Err(at),
            Some(b'\\') if matches!(bytes.get(at + 1), None | Some(b'\n')) => return Err(at),
            Some(b'\\') => at += 2,
            Some(&byte) if byte == bytes[start] => return Ok(at + 1),
            Some(_) => at += 1,
        }
    }
}

/// Finds the end of a number with a point.
fn decimal(text: &str, start: usize) -> Option<usize> {
    let point = run(text, start, is_digit);
    if point == start || text.as_bytes().get(point) != Some(&b'.') {
        return None;
    }
    let end = run(text, point + 1, is_digit);
    (end > point + 1).then(|| run(text, end, is_word))
}

fn run(text: &str, start: usize, goes_on: fn(char) -> bool) -> usize {
    let rest = text.get(start..).unwrap_or_default();
    rest.find(|c| !goes_on(c))
        .map_or(text.len(), |len| start + len)
}
