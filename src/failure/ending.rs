//! Where a text between braces breaks off: the parts that are still open at its end.

use crate::model::{Language, ParseMode};
use crate::syntax::judge::Judge;
use crate::syntax::verdict::PieceShape;

/// How texts end in one language.
pub struct Ending {
    pub language: Language,
    /// Texts that may be missing at the end of a last statement.
    pub completions: &'static [&'static str],
    /// The shapes that a completed text may have.
    pub shapes: &'static [PieceShape],
    pub raw: RawStringStyle,
}

/// The style of texts that have other rules than those between quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RawStringStyle {
    None,
    /// Between backquotes, without escapes.
    Backquotes,
    /// Between backquotes, with escapes.
    Templates,
    /// After `@`, where two quotes are one.
    Verbatim,
}

/// The part that is open at the end of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OpenConstruct {
    /// The byte where it begins.
    pub at: usize,
    /// For people: ``the `(` is not closed``.
    pub detail: &'static str,
}

/// Finds the part that is open at the end of a text that does not parse: a string, a comment, a bracket, or else the
/// last statement. A round or square bracket is a mistake and no end where the text ends with `;` or `}`.
pub fn open(text: &str, judge: &mut Judge, ending: &Ending) -> Option<OpenConstruct> {
    scan(text, ending.raw).or_else(|| {
        let end = text.trim_end();
        if end.is_empty() || end.ends_with([';', '}']) {
            return None;
        }
        let by = (ending.language, ParseMode::Strict);
        let is_completed = ending.completions.iter().any(|completion| {
            let completed = format!("{end}{completion}");
            ending
                .shapes
                .iter()
                .any(|shape| judge.is_sound(&completed, *shape, by))
        });
        is_completed.then_some(OpenConstruct {
            at: end.len(),
            detail: "the last statement has no end",
        })
    })
}

fn scan(text: &str, raw: RawStringStyle) -> Option<OpenConstruct> {
    let bytes = text.as_bytes();
    let mut brackets = Brackets::default();
    let mut at = 0;
    // The last byte that is neither layout nor comment.
    let mut last = 0_u8;
    while at < bytes.len() {
        let rest = &bytes[at..];
        let start = at;
        if rest.starts_with(b"//") {
            at += rest
                .iter()
                .position(|byte| *byte == b'\n')
                .unwrap_or(rest.len());
            continue;
        }
        if rest.starts_with(b"/*") {
            match find(&rest[2..], b"*/") {
                Some(end) => at += 2 + end + 2,
                None => return Some(OpenConstruct::new(start, "the comment is not closed")),
            }
            continue;
        }
        if rest.starts_with(b"\"\"\"") {
            match text_block(&rest[3..]) {
                Some(end) => at += 3 + end,
                None => return Some(OpenConstruct::new(start, "the text block is not closed")),
            }
            last = b'"';
            continue;
        }
        match raw_text(rest, raw) {
            Some(Literal::Closed(end) | Literal::Line(end)) => {
                at += end;
                last = b'"';
                continue;
            }
            Some(Literal::Open) => {
                return Some(OpenConstruct::new(start, "the text is not closed"));
            }
            None => {}
        }
        match rest[0] {
            quote @ (b'"' | b'\'') => {
                match literal(&rest[1..], quote) {
                    // The end of a line in a text is a mistake in the middle.
                    Literal::Closed(end) | Literal::Line(end) => at += 1 + end,
                    Literal::Open => {
                        return Some(OpenConstruct::new(start, "the text is not closed"));
                    }
                }
                last = quote;
                continue;
            }
            byte => brackets.meet(byte, at),
        }
        if !rest[0].is_ascii_whitespace() {
            last = rest[0];
        }
        at += 1;
    }
    let (bracket, open) = brackets.open()?;
    (bracket == b'{' || !matches!(last, b';' | b'}')).then_some(open)
}

/// The brackets that are open at a place of a text.
#[derive(Default)]
pub struct Brackets(Vec<(u8, usize)>);

impl Brackets {
    /// Opens or closes a bracket, by a byte that stands in no text and no comment.
    pub fn meet(&mut self, byte: u8, at: usize) {
        let opening = match byte {
            b'(' | b'[' | b'{' => {
                self.0.push((byte, at));
                return;
            }
            b')' => b'(',
            b']' => b'[',
            b'}' => b'{',
            _ => return,
        };
        // One without a partner closes nothing.
        if self.0.last().is_some_and(|last| last.0 == opening) {
            self.0.pop();
        }
    }

    /// Finds the innermost one, and tells that it is not closed.
    pub fn open(&self) -> Option<(u8, OpenConstruct)> {
        let (bracket, at) = *self.0.last()?;
        let detail = match bracket {
            b'(' => "the `(` is not closed",
            b'[' => "the `[` is not closed",
            _ => "the `{` is not closed",
        };
        Some((bracket, OpenConstruct::new(at, detail)))
    }
}

impl OpenConstruct {
    pub const fn new(at: usize, detail: &'static str) -> Self {
        Self { at, detail }
    }
}

fn find(bytes: &[u8], needle: &[u8]) -> Option<usize> {
    bytes
        .windows(needle.len())
        .position(|window| window == needle)
}

/// Finds the end of a text that has rules of its own; nothing where no such text begins.
fn raw_text(bytes: &[u8], raw: RawStringStyle) -> Option<Literal> {
    let (begin, end, is_escaping): (&[u8], &[u8], bool) = match raw {
        RawStringStyle::None => return None,
        RawStringStyle::Backquotes => (b"`", b"`", false),
        RawStringStyle::Templates => (b"`", b"`", true),
        RawStringStyle::Verbatim => {
            let begins: [&[u8]; 3] = [b"@\"", b"$@\"", b"@$\""];
            let begin = begins.into_iter().find(|begin| bytes.starts_with(begin))?;
            (begin, b"\"", false)
        }
    };
    if !bytes.starts_with(begin) {
        return None;
    }
    let mut at = begin.len();
    while at < bytes.len() {
        let rest = &bytes[at..];
        if is_escaping && rest[0] == b'\\'
            || raw == RawStringStyle::Verbatim && rest.starts_with(b"\"\"")
        {
            at += 2;
        } else if rest.starts_with(end) {
            return Some(Literal::Closed(at + end.len()));
        } else {
            at += 1;
        }
    }
    Some(Literal::Open)
}

/// Finds where a text block ends.
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
            b'\n' if bytes[at..].iter().any(|byte| !byte.is_ascii_whitespace()) => {
                return Literal::Line(at);
            }
            byte if byte == quote => return Literal::Closed(at + 1),
            _ => at += 1,
        }
    }
    Literal::Open
}
