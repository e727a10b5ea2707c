//! Removes comments and docstrings from a Python text.
//!
//! Cuts the text into tokens as `tokenize.generate_tokens` of Python 3.11 does and puts them together again, spaced by
//! their columns, without comments and without strings that begin a line or a block. Other kinds of tokens are not
//! distinguished: numbers, names and operators come out as they went in. Columns count bytes here and characters there,
//! which is the same wherever they are subtracted: only spaces, tabs and form feeds stand between tokens of a line.

use std::ops::Range;

use super::sink::TextSink;
use super::words::is_space;

/// Python raises an exception: for an open bracket or string at the end, or an indent that fits no block.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoTokens;

#[derive(Clone, Copy, PartialEq, Eq)]
enum PythonTokenKind {
    Indent,
    Newline,
    String,
    Comment,
    Other,
}

/// A string that goes on in the next line.
struct OpenString {
    quote: u8,
    is_triple: bool,
    text_start: usize,
    start: (usize, usize),
}

/// A line of the text with its break, its number from 1, and where it begins in the text.
#[derive(Clone, Copy)]
struct PythonLine<'t> {
    number: usize,
    start: usize,
    text: &'t str,
}

struct Tokens<'t, S> {
    text: &'t str,
    out: &'t mut S,
    last_kind: PythonTokenKind,
    /// Line and column where the last token ended; `usize::MAX` before the first.
    last_end: Option<(usize, usize)>,
    indents: Vec<usize>,
    n_open: i64,
    is_continued: bool,
    open: Option<OpenString>,
    /// A line and a quote that opened a string there without an end; no later one of the line has an end.
    endless: Option<(usize, u8)>,
}

/// Appends the text without comments and docstrings.
pub fn remove(text: &str, out: &mut impl TextSink) -> Result<(), NoTokens> {
    let mut tokens = Tokens {
        text,
        out,
        last_kind: PythonTokenKind::Indent,
        last_end: None,
        indents: vec![0],
        n_open: 0,
        is_continued: false,
        open: None,
        endless: None,
    };
    let mut start = 0;
    let mut number = 0;
    for line in text.split_inclusive('\n') {
        number += 1;
        let begins_statement = tokens.open.is_none() && tokens.n_open == 0 && !tokens.is_continued;
        if begins_statement
            && line
                .bytes()
                .all(|byte| matches!(byte, b' ' | b'\t' | b'\x0c'))
        {
            // Only the last line has no line break; Python stops there.
            break;
        }
        tokens.line(PythonLine {
            number,
            start,
            text: line,
        })?;
        start += line.len();
    }
    if tokens.open.is_some() || tokens.n_open != 0 || tokens.is_continued {
        return Err(NoTokens);
    }
    let last = text.split_inclusive('\n').next_back().unwrap_or_default();
    if !last.is_empty()
        && !last.ends_with(['\n', '\r'])
        && !last.trim_start_matches(is_space).starts_with('#')
    {
        tokens.push(
            PythonTokenKind::Newline,
            text.len()..text.len(),
            (number, last.len()),
            (number, last.len() + 1),
        );
    }
    Ok(())
}

impl<S: TextSink> Tokens<'_, S> {
    /// Pushes a part of the text as a token, which is at these lines and columns.
    fn push(
        &mut self,
        kind: PythonTokenKind,
        part: Range<usize>,
        start: (usize, usize),
        end: (usize, usize),
    ) {
        let last_column = self
            .last_end
            .filter(|last_end| start.0 <= last_end.0)
            .map_or(0, |last_end| last_end.1);
        for _ in last_column..start.1 {
            self.out.space(part.start);
        }
        let is_docstring = kind == PythonTokenKind::String
            && (matches!(
                self.last_kind,
                PythonTokenKind::Indent | PythonTokenKind::Newline
            ) || start.1 == 0);
        if kind != PythonTokenKind::Comment && !is_docstring {
            self.out.copy(self.text, part);
        }
        self.last_kind = kind;
        self.last_end = Some(end);
    }

    /// Pushes the bytes `from..to` of a line.
    fn push_of(&mut self, kind: PythonTokenKind, line: PythonLine<'_>, from: usize, to: usize) {
        let (start, end) = ((line.number, from), (line.number, to));
        self.push(kind, line.start + from..line.start + to, start, end);
    }

    fn line(&mut self, line: PythonLine<'_>) -> Result<(), NoTokens> {
        let mut at = 0;
        if let Some(open) = self.open.take() {
            match self.go_on(open, line) {
                Some(end) => at = end,
                None => return Ok(()),
            }
        } else if self.n_open == 0 && !self.is_continued {
            match self.indent(line)? {
                Some(end) => at = end,
                None => return Ok(()),
            }
        } else {
            self.is_continued = false;
        }
        while at < line.text.len() {
            match self.token(line, at) {
                Some(end) => at = end,
                None => break,
            }
        }
        Ok(())
    }

    /// Reads on in a string from the line before; returns where it ends in this line.
    fn go_on(&mut self, open: OpenString, line: PythonLine<'_>) -> Option<usize> {
        let found = if open.is_triple {
            end_of_triple(line.text, 0, open.quote)
        } else {
            end_of_single(line.text, open.quote)
        };
        let (kind, end) = match found {
            Some(end) => (PythonTokenKind::String, end),
            None if open.is_triple
                || line.text.ends_with("\\\n")
                || line.text.ends_with("\\\r\n") =>
            {
                self.open = Some(open);
                return None;
            }
            None => (PythonTokenKind::Other, line.text.len()),
        };
        let whole = open.text_start..line.start + end;
        self.push(kind, whole, open.start, (line.number, end));
        found
    }

    /// Reads the layout before a statement; returns where it ends, or nothing when the line holds no statement.
    fn indent(&mut self, line: PythonLine<'_>) -> Result<Option<usize>, NoTokens> {
        let mut column = 0;
        let mut at = 0;
        for byte in line.text.bytes() {
            match byte {
                b' ' => column += 1,
                b'\t' => column = (column / 8 + 1) * 8,
                b'\x0c' => column = 0,
                _ => break,
            }
            at += 1;
        }
        let rest = &line.text[at..];
        if rest.starts_with(['#', '\r', '\n']) {
            if rest.starts_with('#') {
                let end = at + rest.trim_end_matches(['\r', '\n']).len();
                self.push_of(PythonTokenKind::Comment, line, at, end);
                at = end;
            }
            self.push_of(PythonTokenKind::Other, line, at, line.text.len());
            return Ok(None);
        }
        if self.indents.last().is_some_and(|indent| column > *indent) {
            self.indents.push(column);
            self.push_of(PythonTokenKind::Indent, line, 0, at);
        }
        while self.indents.last().is_some_and(|indent| column < *indent) {
            if self.indents.binary_search(&column).is_err() {
                return Err(NoTokens);
            }
            self.indents.pop();
            self.push_of(PythonTokenKind::Other, line, at, at);
        }
        Ok(Some(at))
    }

    /// Reads a token; returns where it ends, or nothing when a string goes on in the next line.
    fn token(&mut self, line: PythonLine<'_>, from: usize) -> Option<usize> {
        let bytes = line.text.as_bytes();
        let layout = bytes[from..]
            .iter()
            .take_while(|byte| matches!(byte, b' ' | b'\t' | b'\x0c'));
        let start = from + layout.count();
        let rest = &line.text[start..];
        let first = rest.chars().next()?;
        let line_break = usize::from(first == '\r') + 1;
        if rest.starts_with("\\\n") || rest.starts_with("\\\r\n") {
            self.is_continued = true;
            return Some(line.text.len());
        }
        if first == '#' {
            let length = rest.find(['\r', '\n']).unwrap_or(rest.len());
            self.push_of(PythonTokenKind::Comment, line, start, start + length);
            return Some(start + length);
        }
        if rest.starts_with('\n') || rest.starts_with("\r\n") {
            let kind = if self.n_open > 0 {
                PythonTokenKind::Other
            } else {
                PythonTokenKind::Newline
            };
            self.push_of(kind, line, start, start + line_break);
            return Some(start + line_break);
        }
        if let Some(quote_at) = quote_after_prefix(bytes, start) {
            return self.string(line, start, quote_at, from);
        }
        if first == '_' || first.is_alphanumeric() {
            let length = rest
                .find(|c: char| c != '_' && !c.is_alphanumeric())
                .unwrap_or(rest.len());
            self.push_of(PythonTokenKind::Other, line, start, start + length);
            return Some(start + length);
        }
        if "%&()*+,-./:;<=>@[]^{|}~".contains(first) || rest.starts_with("!=") {
            match first {
                '(' | '[' | '{' => self.n_open += 1,
                ')' | ']' | '}' => self.n_open -= 1,
                _ => {}
            }
            self.push_of(PythonTokenKind::Other, line, start, start + 1);
            return Some(start + 1);
        }
        Some(self.stray(line, from, start))
    }

    /// Reads the character at `start`, which begins no token; the layout before it comes out as it is.
    fn stray(&mut self, line: PythonLine<'_>, from: usize, start: usize) -> usize {
        let length = line.text[start..].chars().next().map_or(0, char::len_utf8);
        self.push_of(PythonTokenKind::Other, line, from, start + length);
        start + length
    }

    /// Reads a string whose prefix is at `start`; where it is none, its prefix is a name and its quote a stray.
    fn string(
        &mut self,
        line: PythonLine<'_>,
        start: usize,
        quote_at: usize,
        from: usize,
    ) -> Option<usize> {
        let PythonLine { number, text, .. } = line;
        let quote = text.as_bytes()[quote_at];
        let open = |is_triple| OpenString {
            quote,
            is_triple,
            text_start: line.start + start,
            start: (number, start),
        };
        if text.as_bytes()[quote_at..].starts_with(&[quote; 3]) {
            let Some(end) = end_of_triple(text, quote_at + 3, quote) else {
                self.open = Some(open(true));
                return None;
            };
            self.push_of(PythonTokenKind::String, line, start, end);
            return Some(end);
        }
        let end = if self.endless == Some((number, quote)) {
            StringEnd::None
        } else {
            end_of_line_string(text.as_bytes(), quote_at)
        };
        if matches!(end, StringEnd::None) {
            self.endless = Some((number, quote));
        }
        match end {
            StringEnd::At(end) => {
                self.push_of(PythonTokenKind::String, line, start, end);
                Some(end)
            }
            StringEnd::NextLine => {
                self.open = Some(open(false));
                None
            }
            StringEnd::None if start < quote_at => {
                self.push_of(PythonTokenKind::Other, line, start, quote_at);
                Some(quote_at)
            }
            StringEnd::None => Some(self.stray(line, from, start)),
        }
    }
}

/// Finds the quote behind a string's prefix at `start`, of none to two letters.
fn quote_after_prefix(bytes: &[u8], start: usize) -> Option<usize> {
    let length = bytes[start..]
        .iter()
        .take(3)
        .position(|byte| matches!(byte, b'\'' | b'"'))?;
    let mut prefix = [0; 2];
    for (lower, byte) in prefix.iter_mut().zip(&bytes[start..start + length]) {
        *lower = byte.to_ascii_lowercase();
    }
    let is_prefix = match length {
        0 => true,
        1 => b"bruf".contains(&prefix[0]),
        _ => [b"br", b"rb", b"fr", b"rf"].contains(&&prefix),
    };
    is_prefix.then_some(start + length)
}

enum StringEnd {
    At(usize),
    NextLine,
    None,
}

/// Finds the end of a string that a single quote opened.
fn end_of_line_string(bytes: &[u8], quote_at: usize) -> StringEnd {
    let mut at = quote_at + 1;
    loop {
        match bytes.get(at) {
            Some(b'\\') => match &bytes[at + 1..] {
                [b'\n', ..] | [b'\r', b'\n', ..] => return StringEnd::NextLine,
                [] => return StringEnd::None,
                _ => at += 2,
            },
            None | Some(b'\n') => return StringEnd::None,
            Some(byte) if *byte == bytes[quote_at] => return StringEnd::At(at + 1),
            Some(_) => at += 1,
        }
    }
}

/// Finds the end of a string of one quote in a line after its first.
fn end_of_single(line: &str, quote: u8) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut at = 0;
    loop {
        match *bytes.get(at)? {
            b'\\' if bytes.get(at + 1).is_none_or(|byte| *byte == b'\n') => return None,
            b'\\' => at += 2,
            byte if byte == quote => return Some(at + 1),
            _ => at += 1,
        }
    }
}

/// Finds the end of a string of three quotes in a line, from `from`.
fn end_of_triple(line: &str, from: usize, quote: u8) -> Option<usize> {
    let bytes = line.as_bytes();
    let mut at = from;
    loop {
        match *bytes.get(at)? {
            b'\\' if bytes.get(at + 1).is_none_or(|byte| *byte == b'\n') => return None,
            b'\\' => at += 2,
            byte if byte == quote && bytes[at..].starts_with(&[quote; 3]) => return Some(at + 3),
            _ => at += 1,
        }
    }
}
