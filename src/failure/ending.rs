//! Where a text in Java breaks off: what is still open at its end.

use crate::lang::judge::Judge;
use crate::lang::verdict::Shape;
use crate::model::{Language, ParseMode};

/// What may be missing at the end of a last statement.
const COMPLETIONS: &[&str] = &[";", "x;", "x();"];

/// What a text ends in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// The byte where it begins.
    pub at: usize,
    /// For people: ``the `(` is not closed``.
    pub detail: &'static str,
}

/// Returns what is open at the end of a text that does not parse: a string, a comment, a bracket, or else the last
/// statement. A round or square bracket is a mistake and no end where the text ends with `;` or `}`.
pub fn open(text: &str, judge: &mut Judge) -> Option<Open> {
    scan(text).or_else(|| {
        let end = text.trim_end();
        if end.is_empty() || end.ends_with([';', '}']) {
            return None;
        }
        let by = (Language::Java, ParseMode::Strict);
        let is_completed = COMPLETIONS.iter().any(|completion| {
            let completed = format!("{end}{completion}");
            [Shape::Statements, Shape::Member]
                .iter()
                .any(|shape| judge.is_sound(&completed, *shape, by))
        });
        is_completed.then_some(Open {
            at: end.len(),
            detail: "the last statement has no end",
        })
    })
}

fn scan(text: &str) -> Option<Open> {
    let bytes = text.as_bytes();
    let mut brackets: Vec<(u8, usize)> = Vec::new();
    let mut at = 0;
    // The last byte that is neither layout nor comment.
    let mut last = 0_u8;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let start = at;
        if rest.starts_with(b"//") {
            at += rest
                .iter()
                .position(|it| *it == b'\n')
                .unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with(b"/*") {
            match find(&rest[2..], b"*/") {
                Some(end) => at += 2 + end + 2,
                None => return Some(Open::new(start, "the comment is not closed")),
            }
            continue;
        }
        if rest.starts_with(b"\"\"\"") {
            match text_block(&rest[3..]) {
                Some(end) => at += 3 + end,
                None => return Some(Open::new(start, "the text block is not closed")),
            }
            last = b'"';
            continue;
        }
        match rest[0] {
            quote @ (b'"' | b'\'') => {
                match literal(&rest[1..], quote) {
                    // The end of a line in a text is a mistake in the middle.
                    Literal::Closed(end) | Literal::Line(end) => at += 1 + end,
                    Literal::Open => return Some(Open::new(start, "the text is not closed")),
                }
                last = quote;
                continue;
            }
            opening @ (b'(' | b'[' | b'{') => brackets.push((opening, at)),
            closing @ (b')' | b']' | b'}') => {
                let opening = match closing {
                    b')' => b'(',
                    b']' => b'[',
                    _ => b'{',
                };
                // One without a partner closes nothing.
                if brackets.last().is_some_and(|it| it.0 == opening) {
                    brackets.pop();
                }
            }
            _ => {}
        }
        if !rest[0].is_ascii_whitespace() {
            last = rest[0];
        }
        at += 1;
    }
    let (bracket, at) = brackets.pop()?;
    match bracket {
        b'{' => Some(Open::new(at, "the `{` is not closed")),
        _ if matches!(last, b';' | b'}') => None,
        b'(' => Some(Open::new(at, "the `(` is not closed")),
        _ => Some(Open::new(at, "the `[` is not closed")),
    }
}

impl Open {
    const fn new(at: usize, detail: &'static str) -> Self {
        Self { at, detail }
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes.windows(needle.len()).position(|it| it == needle)
}

/// Returns where a text block ends.
fn text_block(bytes: &[u8]) -> Option<usize> {
    let mut at = 0;
    while at < bytes.len() {
        if bytes[at] == b'\\' {
            at += 2;
        } else if bytes[at..].starts_with(b"\"\"\"") {
            return Some(at + 3);
        } else {
            at += 1;
        }
    }
    None
}

enum Literal {
    Closed(usize),
    /// The line ends first.
    Line(usize),
    /// The text ends first.
    Open,
}

fn literal(bytes: &[u8], quote: u8) -> Literal {
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 2,
            // Layout after an open text is looked at once.
            b'\n' if bytes[at..].iter().any(|it| !it.is_ascii_whitespace()) => {
                return Literal::Line(at);
            }
            byte if byte == quote => return Literal::Closed(at + 1),
            _ => at += 1,
        }
    }
    Literal::Open
}
