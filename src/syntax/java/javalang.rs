//! Tokens of Java text as javalang 0.13.0 cuts them, and as a regular expression does where javalang gives up: the
//! token lists from which published values of BLEU, ROUGE and exact match were computed.
//!
//! This module only cuts. `fragment` decides whether the text parses, and `tokens` cuts the tokens that mining hashes
//! and stores: it never fails, and differs (text blocks are one token there, and every character outside ASCII is a
//! letter).
//!
//! These surprises of javalang's rules (tokenizer.py) are kept:
//! - Unicode escapes are decoded first, everywhere; a token's text is the decoded one.
//! - `>>` and `>>>` are single `>`, but `>>=` and `>>>=` stay whole.
//! - A string or character ends only at its own quote, even lines further down; `"""x"""` is three strings.
//! - Numbers have no range and few rules: `08`, `1e`, `0x` pass, and after `_` an `l` takes the `_` and leaves itself.
//!
//! One line feed is added behind the text before cutting, as everyone does who calls javalang: without it the tokenizer
//! fails with a `TypeError` on a text that ends in `0` or `1e`.

mod class;
mod fallback;

use std::fmt;

use self::class::{ByteClass, class_of, is_part, is_space, is_start};
use crate::model::Span;
use crate::token::Tokens;

/// The reason why a text has no tokens by javalang's rules, and the place where cutting stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LexError {
    /// Offset in bytes into the text as it was given, at most its length.
    pub position: u32,
    pub what: Fault,
}

/// The kind of text that the lexer cannot read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// A character that begins no token.
    Character(char),
    /// `\` in a literal, followed by this.
    Escape(char),
    /// `\u` without four hexadecimal digits.
    UnicodeEscape,
    UnclosedComment,
    UnclosedLiteral,
    /// A hexadecimal number with a point and without `p`.
    HexFloat,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // Escaped, so that no control character or right-to-left mark reaches a terminal.
            Self::Character(c) => write!(f, "unknown character `{}`", c.escape_debug()),
            Self::Escape(c) => write!(f, "unknown escape `\\{}`", c.escape_debug()),
            Self::UnicodeEscape => f.write_str("broken Unicode escape"),
            Self::UnclosedComment => f.write_str("unclosed comment"),
            Self::UnclosedLiteral => f.write_str("unclosed literal"),
            Self::HexFloat => f.write_str("hexadecimal number with a point and no `p`"),
        }
    }
}

/// Cuts texts into tokens; keeps its buffers from one text to the next.
///
/// In decoded text, half of a surrogate pair, which no Rust text can hold, stands as U+10F800 plus its low eleven bits:
/// two halves stay two characters, as in Python.
#[derive(Debug, Default)]
pub struct Lexer {
    spans: Vec<Span>,
    decoded: String,
    /// The places where offsets shift: (offset in the decoded text, offset in the given one), both after an escape.
    shifts: Vec<(u32, u32)>,
}

impl Lexer {
    pub fn new() -> Self {
        Self::default()
    }

    /// Cuts a text by javalang's rules. Takes time linear in the text.
    ///
    /// # Errors
    /// When javalang's tokenizer raises an exception for the text.
    ///
    /// # Panics
    /// When the text has 4 GiB or more.
    pub fn lex<'t>(&'t mut self, text: &'t str) -> Result<Tokens<'t>, LexError> {
        match self.cut(text) {
            Ok(true) => Ok(Tokens::new(&self.decoded, &self.spans)),
            Ok(false) => Ok(Tokens::new(text, &self.spans)),
            Err(error) => Err(error),
        }
    }

    /// Cuts a text by javalang's rules; one without tokens is cut by [`Lexer::fallback`], and the error says why.
    pub fn tokens<'t>(&'t mut self, text: &'t str) -> (Tokens<'t>, Option<LexError>) {
        match self.cut(text) {
            Ok(is_decoded) => {
                let text = if is_decoded { &self.decoded } else { text };
                (Tokens::new(text, &self.spans), None)
            }
            Err(error) => (self.fallback(text), Some(error)),
        }
    }

    /// Cuts a text by a regular expression (Python's `re`) that never fails:
    /// `"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|\d+\.\d+\w*|\w+|[^\w\s]`.
    ///
    /// Text between two tokens is white space. Comments are cut like everything else. Takes time linear in the text.
    pub fn fallback<'t>(&'t mut self, text: &'t str) -> Tokens<'t> {
        self.spans.clear();
        fallback::cut(text, &mut self.spans);
        Tokens::new(text, &self.spans)
    }

    /// Decodes the Unicode escapes in a text, or returns nothing when there are none.
    ///
    /// # Errors
    /// When one of them is broken.
    pub fn decoded(&mut self, text: &str) -> Result<Option<&str>, LexError> {
        Ok(self.decode(text)?.then_some(&self.decoded))
    }

    /// Fills the spans; returns whether they are offsets in the decoded text.
    fn cut(&mut self, text: &str) -> Result<bool, LexError> {
        assert!(u32::try_from(text.len()).is_ok(), "spans are u32");
        self.spans.clear();
        let is_decoded = self.decode(text)?;
        let lexed = if is_decoded { &self.decoded } else { text };
        let mut cutter = Cutter {
            text: lexed,
            bytes: lexed.as_bytes(),
            at: 0,
        };
        cutter.cut(&mut self.spans).map_err(|(at, what)| LexError {
            position: if is_decoded {
                self.original(at)
            } else {
                at as u32
            },
            what,
        })?;
        Ok(is_decoded)
    }

    /// Decodes Unicode escapes; returns whether there were any.
    fn decode(&mut self, text: &str) -> Result<bool, LexError> {
        let bytes = text.as_bytes();
        let mut is_decoded = false;
        let mut copied = 0;
        let mut at = 0;
        while let Some(found) = memchr(bytes, at, b'\\') {
            if bytes.get(found + 1) != Some(&b'u') {
                // The next character is skipped, even if it is a second backslash.
                at = found + 2;
                continue;
            }
            if !is_decoded {
                is_decoded = true;
                self.decoded.clear();
                self.shifts.clear();
            }
            let digits = bytes[found + 1..].iter().position(|&b| b != b'u');
            let digits = found + 1 + digits.unwrap_or(bytes.len() - found - 1);
            let Some((code, len)) = escape_code(&text[digits..]) else {
                return Err(LexError {
                    position: found as u32,
                    what: Fault::UnicodeEscape,
                });
            };
            self.decoded.push_str(&text[copied..found]);
            self.decoded
                .push(char::from_u32(code).unwrap_or_else(|| half(code)));
            at = digits + len;
            copied = at;
            self.shifts.push((self.decoded.len() as u32, at as u32));
        }
        if is_decoded {
            self.decoded.push_str(&text[copied..]);
        }
        Ok(is_decoded)
    }

    /// Maps a place in the decoded text back to the text that was decoded last.
    pub fn original(&self, at: usize) -> u32 {
        let at = at as u32;
        let before = self.shifts.partition_point(|&(decoded, _)| decoded <= at);
        let base = before.checked_sub(1).map_or((0, 0), |idx| self.shifts[idx]);
        let place = base.1 + (at - base.0);
        // A place inside the character of an escape maps to the escape's end at most.
        self.shifts
            .get(before)
            .map_or(place, |next| place.min(next.1))
    }
}

/// Makes the character that stands for half of a surrogate pair.
fn half(code: u32) -> char {
    char::from_u32(0x10_F800 + (code & 0x7ff)).expect("U+10F800 to U+10FFFF are characters")
}

/// Reads up to four characters as Python's `int(_, 16)` does: white space around, a sign, `0x` and single `_` between
/// digits are allowed, and so is a short number before the end. Returns the value and how many bytes were read.
fn escape_code(rest: &str) -> Option<(u32, usize)> {
    // The line feed that stands behind every text.
    let mut chars = rest.chars().chain(['\n']);
    let four: [Option<char>; 4] = std::array::from_fn(|_| chars.next());
    let len: usize = four.iter().flatten().map(|c| c.len_utf8()).sum();
    let len = len.min(rest.len());
    if let [Some(a), Some(b), Some(c), Some(d)] = four
        && let (Some(a), Some(b), Some(c), Some(d)) = (
            a.to_digit(16),
            b.to_digit(16),
            c.to_digit(16),
            d.to_digit(16),
        )
    {
        return Some(((a << 12) | (b << 8) | (c << 4) | d, len));
    }
    let word: String = four.into_iter().flatten().collect();
    let word = word.trim_matches(is_space);
    let (is_negative, word) = match word.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, word.strip_prefix('+').unwrap_or(word)),
    };
    let prefixed = word.strip_prefix("0x").or_else(|| word.strip_prefix("0X"));
    let word = prefixed.map_or(word, |rest| rest.strip_prefix('_').unwrap_or(rest));
    let is_number = !word.is_empty()
        && word
            .split('_')
            .all(|part| !part.is_empty() && part.bytes().all(|b| b.is_ascii_hexdigit()));
    if !is_number {
        return None;
    }
    let code = u32::from_str_radix(&word.replace('_', ""), 16).ok()?;
    (!is_negative || code == 0).then_some((code, len))
}

/// Finds the next place of `wanted`.
fn memchr(bytes: &[u8], from: usize, wanted: u8) -> Option<usize> {
    let rest = bytes.get(from..)?;
    rest.iter().position(|&b| b == wanted).map(|at| from + at)
}

type Stop = (usize, Fault);

struct Cutter<'t> {
    text: &'t str,
    bytes: &'t [u8],
    at: usize,
}

impl Cutter<'_> {
    fn cut(&mut self, spans: &mut Vec<Span>) -> Result<(), Stop> {
        while let Some(&byte) = self.bytes.get(self.at) {
            let start = self.at;
            match class_of(byte) {
                ByteClass::Space => {
                    self.at += 1;
                    continue;
                }
                ByteClass::Letter => {
                    self.at += 1;
                    self.word();
                }
                ByteClass::Digit => self.number()?,
                ByteClass::Single => self.at += 1,
                ByteClass::Dot => self.dot(),
                ByteClass::Quote => self.literal(byte)?,
                ByteClass::Slash => match self.peek(1) {
                    b'/' => {
                        self.at = memchr(self.bytes, start, b'\n').unwrap_or(self.bytes.len());
                        continue;
                    }
                    b'*' => {
                        self.comment()?;
                        continue;
                    }
                    next => self.at += 1 + usize::from(next == b'='),
                },
                ByteClass::Sign => self.at += sign_len(&self.bytes[start..]),
                ByteClass::High => {
                    let c = self.char();
                    self.at += c.len_utf8();
                    if is_space(c) {
                        continue;
                    }
                    if !is_start(c) {
                        return Err((start, Fault::Character(c)));
                    }
                    self.word();
                }
                ByteClass::Unknown => return Err((start, Fault::Character(char::from(byte)))),
            }
            spans.push(Span::new(start as u32, self.at as u32));
        }
        Ok(())
    }

    /// Looks at the byte `ahead` places on; behind the text it is a line feed, which no token looks for.
    fn peek(&self, ahead: usize) -> u8 {
        self.bytes.get(self.at + ahead).copied().unwrap_or(b'\n')
    }

    fn char(&self) -> char {
        self.text
            .get(self.at..)
            .and_then(|rest| rest.chars().next())
            .unwrap_or('\n')
    }

    fn word(&mut self) {
        loop {
            match class_of(self.peek(0)) {
                ByteClass::Letter | ByteClass::Digit => self.at += 1,
                ByteClass::High => {
                    let c = self.char();
                    if !is_part(c) {
                        return;
                    }
                    self.at += c.len_utf8();
                }
                _ => return,
            }
        }
    }

    fn dot(&mut self) {
        if self.bytes[self.at..].starts_with(b"...") {
            self.at += 3;
        } else if self.peek(1).is_ascii_digit() {
            self.decimal();
        } else {
            self.at += 1;
        }
    }

    fn number(&mut self) -> Result<(), Stop> {
        match (self.peek(0), self.peek(1)) {
            (b'0', b'x' | b'X') => return self.hex(),
            (b'0', b'b' | b'B') => {
                self.at += 2;
                self.digits(|b| matches!(b, b'0' | b'1'));
            }
            (b'0', b'0'..=b'7') => {
                self.at += 1;
                self.digits(|b| matches!(b, b'0'..=b'7'));
            }
            _ => self.decimal(),
        }
        Ok(())
    }

    fn hex(&mut self) -> Result<(), Stop> {
        let start = self.at;
        self.at += 2;
        self.digits(|b| b.is_ascii_hexdigit());
        if !matches!(self.peek(0), b'.' | b'p' | b'P') {
            return Ok(());
        }
        if self.peek(0) == b'.' {
            self.at += 1;
            self.digits(|b| b.is_ascii_hexdigit());
        }
        if !matches!(self.peek(0), b'p' | b'P') {
            return Err((start, Fault::HexFloat));
        }
        self.at += 1;
        self.signed_digits();
        Ok(())
    }

    fn decimal(&mut self) {
        self.digits(|b| b.is_ascii_digit());
        if self.peek(0) == b'.' {
            self.at += 1;
            self.digits(|b| b.is_ascii_digit());
        }
        if matches!(self.peek(0), b'e' | b'E') {
            self.at += 1;
            self.signed_digits();
        } else if matches!(self.peek(0), b'f' | b'F' | b'd' | b'D') {
            self.at += 1;
        }
    }

    fn signed_digits(&mut self) {
        if matches!(self.peek(0), b'+' | b'-') {
            self.at += 1;
        }
        self.digits(|b| b.is_ascii_digit());
        if matches!(self.peek(0), b'f' | b'F' | b'd' | b'D') {
            self.at += 1;
        }
    }

    /// Skips digits with `_` between them. The `l` of a `long` is taken by going one byte further, wherever that is.
    fn digits(&mut self, is_digit: impl Fn(u8) -> bool) {
        let mut n_underscores = 0;
        loop {
            let byte = self.peek(n_underscores);
            if is_digit(byte) {
                self.at += n_underscores + 1;
                n_underscores = 0;
            } else if byte == b'_' {
                n_underscores += 1;
            } else {
                if matches!(byte, b'l' | b'L') {
                    self.at += 1;
                }
                return;
            }
        }
    }

    fn literal(&mut self, quote: u8) -> Result<(), Stop> {
        let start = self.at;
        self.at += 1;
        loop {
            let Some(&byte) = self.bytes.get(self.at) else {
                return Err((start, Fault::UnclosedLiteral));
            };
            self.at += 1;
            if byte == quote {
                return Ok(());
            }
            if byte == b'\\' {
                let escaped = self.char();
                if !matches!(
                    escaped,
                    'b' | 't' | 'n' | 'f' | 'r' | 'u' | '"' | '\'' | '\\' | '0'..='7'
                ) {
                    return Err((self.at - 1, Fault::Escape(escaped)));
                }
                self.at += 1;
            }
        }
    }

    fn comment(&mut self) -> Result<(), Stop> {
        let start = self.at;
        let mut at = start + 2;
        while let Some(star) = memchr(self.bytes, at, b'*') {
            if self.bytes.get(star + 1) == Some(&b'/') {
                self.at = star + 2;
                return Ok(());
            }
            at = star + 1;
        }
        Err((start, Fault::UnclosedComment))
    }
}

/// Measures the longest operator at the start.
fn sign_len(bytes: &[u8]) -> usize {
    let at = |idx: usize| bytes.get(idx).copied().unwrap_or(b'\n');
    let first = at(0);
    match (first, at(1)) {
        (b'<', b'<') => 2 + usize::from(at(2) == b'='),
        (b'>', b'>') if at(2) == b'=' => 3,
        (b'>', b'>') if at(2) == b'>' && at(3) == b'=' => 4,
        (b':', b':') | (b'-', b'>') => 2,
        (b'+' | b'-' | b'&' | b'|', second) if second == first => 2,
        (b':', _) => 1,
        (_, b'=') => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests;
