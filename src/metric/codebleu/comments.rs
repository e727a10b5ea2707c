//! Takes comments (and Python's docstrings) out of a text as the reference implementations do, before it is parsed.
//!
//! Source: `remove_comments_and_docstrings` of the package codebleu 0.7.0 and of `Pstva/code_bleu`, METRICS.md 3. For
//! Java, Go, JavaScript and C# it is one regular expression that knows `//`, `/* */`, `'…'` and `"…"`, but neither
//! backticks nor `@""`; for Python it is the tokenizer of the standard library (3.11), see [`super::docstrings`].

use super::docstrings;
use super::sink::TextSink;
use super::words::is_space;
use crate::model::Language;

/// Replaces `cleaned` by the text without comments and blank lines. Takes time linear in the text.
pub fn remove(language: Language, text: &str, cleaned: &mut impl TextSink) {
    cleaned.clear();
    if language == Language::Python {
        if docstrings::remove(text, cleaned).is_err() {
            // A text that Python cannot cut into tokens stays as it is, with its blank lines.
            cleaned.clear();
            cleaned.copy(text, 0..text.len());
            return;
        }
    } else {
        replace(text, cleaned);
    }
    drop_blank_lines(cleaned);
}

/// Replaces each comment by a space: the leftmost match of
/// ``//.*?$|/\*.*?\*/|'(?:\\.|[^\\'])*'|"(?:\\.|[^\\"])*"`` that begins with `/`.
fn replace(text: &str, cleaned: &mut impl TextSink) {
    let bytes = text.as_bytes();
    // A text that never closes one block or quote closes no later one either: nothing is looked for twice.
    let mut may_close = [true; 3];
    let mut kept = 0;
    let mut at = 0;
    while let Some(skipped) = bytes[at..]
        .iter()
        .position(|byte| matches!(byte, b'/' | b'\'' | b'"'))
    {
        let start = at + skipped;
        let (kind, end) = match (bytes[start], bytes.get(start + 1)) {
            (b'/', Some(b'/')) => (None, Some(end_of_line(bytes, start))),
            (b'/', Some(b'*')) => (
                Some(0),
                end_of_block(&bytes[start + 2..], start + 2, may_close[0]),
            ),
            (b'/', _) => (None, None),
            (quote, _) => {
                let kind = 1 + usize::from(quote == b'"');
                (Some(kind), end_of_quoted(bytes, start, may_close[kind]))
            }
        };
        let Some(end) = end else {
            if let Some(kind) = kind {
                may_close[kind] = false;
            }
            at = start + 1;
            continue;
        };
        if bytes[start] == b'/' {
            cleaned.copy(text, kept..start);
            cleaned.space(start);
            kept = end;
        }
        at = end;
    }
    cleaned.copy(text, kept..text.len());
}

fn end_of_line(bytes: &[u8], from: usize) -> usize {
    let length = bytes[from..].iter().position(|byte| *byte == b'\n');
    length.map_or(bytes.len(), |length| from + length)
}

fn end_of_block(rest: &[u8], from: usize, may_close: bool) -> Option<usize> {
    let length = may_close.then(|| rest.windows(2).position(|window| window == b"*/"))?;
    length.map(|length| from + length + 2)
}

fn end_of_quoted(bytes: &[u8], start: usize, may_close: bool) -> Option<usize> {
    if !may_close {
        return None;
    }
    let mut at = start + 1;
    while let Some(byte) = bytes.get(at) {
        at += match byte {
            b'\\' => 2,
            quote if *quote == bytes[start] => return Some(at + 1),
            _ => 1,
        };
    }
    None
}

/// Drops the lines with nothing but layout, and the line break at the end of the rest.
fn drop_blank_lines<S: TextSink>(cleaned: &mut S) {
    let text = cleaned.text();
    let is_blank = |line: &str| line.chars().all(is_space);
    if !text.split('\n').any(is_blank) {
        return;
    }
    let mut kept = S::with_capacity(text.len());
    let mut start = 0;
    for line in text.split('\n') {
        let end = start + line.len();
        if !is_blank(line) {
            // The line break before it, unless this is the first line that is kept.
            let from = start - usize::from(!kept.text().is_empty());
            kept.append(cleaned, from..end);
        }
        start = end + 1;
    }
    *cleaned = kept;
}
