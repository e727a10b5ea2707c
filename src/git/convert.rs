//! How git would store a file's text: unchanged, with other line endings, without expanded identifiers, or as UTF-8.

use std::borrow::Cow;

use crate::attributes::{AttributeState, Attributes};
use crate::config::GitConfig;

/// The value of `core.autocrlf`, for files without attributes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endings {
    /// They are stored as they are.
    Kept,
    /// Line endings of files that look like text become line feeds.
    Guessed,
}

impl Endings {
    pub fn of(config: &GitConfig) -> Self {
        let is_input = config
            .text("core", "autocrlf")
            .is_some_and(|text| text == b"input");
        if is_input || config.is_set("core", "autocrlf") == Some(true) {
            Self::Guessed
        } else {
            Self::Kept
        }
    }
}

/// What happens to the ends of lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Keep,
    Convert,
    /// Convert, unless the file does not look like text, or git has it with carriage returns already.
    Guess,
}

/// The content that git would store for a file.
#[derive(Debug, PartialEq, Eq)]
pub struct StoredContent<'a> {
    pub content: Cow<'a, [u8]>,
    /// Git leaves carriage returns alone where its own copy has them, so the unchanged file counts as equal, too.
    pub may_be_kept: bool,
}

/// Converts content to the form that git would store.
pub fn stored<'a>(
    content: &'a [u8],
    attributes: &Attributes,
    endings: Endings,
) -> StoredContent<'a> {
    let mut content = Cow::Borrowed(content);
    if let Some(AttributeState::Value(encoding)) = &attributes.encoding
        && let Some(text) = utf8(&content, encoding)
    {
        content = Cow::Owned(text.into_bytes());
    }
    let mut may_be_kept = false;
    let action = action(attributes, endings);
    if action == Action::Convert || (action == Action::Guess && !looks_binary(&content)) {
        let with_line_feeds = line_feeds(&content);
        may_be_kept = action == Action::Guess && with_line_feeds.len() != content.len();
        content = Cow::Owned(with_line_feeds);
    }
    if attributes.ident == Some(AttributeState::Set) {
        content = Cow::Owned(without_identifiers(&content));
    }
    StoredContent {
        content,
        may_be_kept,
    }
}

fn action(attributes: &Attributes, endings: Endings) -> Action {
    let value = |state: &AttributeState, expected: &str| matches!(state, AttributeState::Value(value) if value == expected);
    let said = attributes
        .text
        .as_ref()
        .filter(|state| **state != AttributeState::Unspecified)
        .or(attributes.crlf.as_ref());
    let by_text = match said {
        Some(AttributeState::Set) => Some(Action::Convert),
        Some(AttributeState::Unset) => return Action::Keep,
        Some(state) if value(state, "auto") => Some(Action::Guess),
        Some(state) if value(state, "input") => Some(Action::Convert),
        _ => None,
    };
    let eol = attributes.eol.as_ref();
    let has_eol = eol.is_some_and(|state| value(state, "lf") || value(state, "crlf"));
    match (by_text, endings) {
        (Some(action), _) => action,
        (None, _) if has_eol => Action::Convert,
        (None, Endings::Guessed) => Action::Guess,
        (None, Endings::Kept) => Action::Keep,
    }
}

/// Guesses as git does whether content is not a text: it has a zero byte, a carriage return without a line feed, or
/// more than one unprintable byte for each 128 printable ones.
fn looks_binary(content: &[u8]) -> bool {
    // MS-DOS ended texts with this byte.
    let content = content.strip_suffix(b"\x1a").unwrap_or(content);
    let (mut n_printable, mut n_others) = (0_usize, 0_usize);
    let mut bytes = content.iter().peekable();
    while let Some(byte) = bytes.next() {
        match byte {
            b'\r' if bytes.peek() != Some(&&b'\n') => return true,
            b'\r' | b'\n' => {}
            0 => return true,
            8 | b'\t' | 0x1b | 0x0c => n_printable += 1,
            127 => n_others += 1,
            byte if *byte < 32 => n_others += 1,
            _ => n_printable += 1,
        }
    }
    n_printable >> 7 < n_others
}

fn line_feeds(content: &[u8]) -> Vec<u8> {
    let mut made = Vec::with_capacity(content.len());
    for (at, byte) in content.iter().enumerate() {
        if *byte != b'\r' || content.get(at + 1) != Some(&b'\n') {
            made.push(*byte);
        }
    }
    made
}

/// Turns each `$Id: … $` on one line into `$Id$`.
fn without_identifiers(content: &[u8]) -> Vec<u8> {
    const START: &[u8] = b"$Id";
    let mut made = Vec::with_capacity(content.len());
    let mut rest = content;
    while let Some(at) = rest.windows(3).position(|bytes| bytes == START) {
        let after = &rest[at + START.len()..];
        made.extend_from_slice(&rest[..at + START.len()]);
        rest = after;
        if let Some(inside) = after.strip_prefix(b":") {
            let end = inside.iter().position(|byte| matches!(byte, b'$' | b'\n'));
            if let Some(end) = end.filter(|end| inside[*end] == b'$') {
                made.push(b'$');
                rest = &inside[end + 1..];
            }
        }
    }
    made.extend_from_slice(rest);
    made
}

/// Decodes the encodings that source files have besides UTF-8; nothing for other encodings, and for invalid text.
fn utf8(content: &[u8], encoding: &str) -> Option<String> {
    let encoding = encoding.to_ascii_uppercase();
    let (body, is_little) = match encoding.as_str() {
        "UTF-16LE" => (content, true),
        "UTF-16BE" => (content, false),
        "UTF-16LE-BOM" => (content.strip_prefix(b"\xff\xfe")?, true),
        "UTF-16" | "UTF16" => match content {
            [0xff, 0xfe, body @ ..] => (body, true),
            [0xfe, 0xff, body @ ..] => (body, false),
            _ => return None,
        },
        "ISO-8859-1" | "LATIN1" => {
            return Some(content.iter().copied().map(char::from).collect());
        }
        _ => return None,
    };
    let (units, rest) = body.as_chunks::<2>();
    let unit = |bytes: &[u8; 2]| {
        let unit = u16::from_le_bytes(*bytes);
        if is_little { unit } else { unit.swap_bytes() }
    };
    let units: Vec<u16> = units.iter().map(unit).collect();
    String::from_utf16(&units).ok().filter(|_| rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(text: &str) -> AttributeState {
        AttributeState::Value(text.to_owned())
    }

    fn check(content: &[u8], attributes: &Attributes, endings: Endings, expected: (&[u8], bool)) {
        let made = stored(content, attributes, endings);
        assert_eq!((&*made.content, made.may_be_kept), expected);
    }

    #[test]
    fn ends_of_lines_are_stored_as_attributes_and_settings_say() {
        let lines = b"a\r\nb\rc\r\n";
        let plain = b"a\r\nb\r\n";
        let none = Attributes::default();
        check(plain, &none, Endings::Kept, (plain, false));
        check(plain, &none, Endings::Guessed, (b"a\nb\n", true));
        // A lone carriage return makes git guess that this is not a text.
        check(lines, &none, Endings::Guessed, (lines, false));
        let said =
            |text: Option<AttributeState>, eol: Option<AttributeState>, expected: (&[u8], bool)| {
                let attributes = Attributes {
                    text,
                    eol,
                    ..Attributes::default()
                };
                check(lines, &attributes, Endings::Kept, expected);
            };
        let converted = (&b"a\nb\rc\n"[..], false);
        said(Some(AttributeState::Set), None, converted);
        said(None, Some(value("crlf")), converted);
        said(
            Some(AttributeState::Unset),
            Some(value("crlf")),
            (lines, false),
        );
        said(Some(value("auto")), Some(value("crlf")), (lines, false));
        said(
            Some(AttributeState::Unspecified),
            Some(value("lf")),
            converted,
        );
    }

    #[test]
    fn identifiers_are_taken_out_and_encodings_are_undone() {
        let ident = Attributes {
            ident: Some(AttributeState::Set),
            ..Attributes::default()
        };
        let text = b"$Id: a $ $Id$ $Id: b\n$";
        check(text, &ident, Endings::Kept, (b"$Id$ $Id$ $Id: b\n$", false));
        let encoded = Attributes {
            encoding: Some(value("utf-16")),
            ..Attributes::default()
        };
        check(b"\xff\xfea\0", &encoded, Endings::Kept, (b"a", false));
        check(b"a\0", &encoded, Endings::Kept, (b"a\0", false));
    }

    #[test]
    fn a_zero_makes_a_file_no_text() {
        assert!(looks_binary(b"a\0b") && looks_binary(b"\x01a"));
        assert!(!looks_binary(b"text\r\n\x1a") && !looks_binary(b""));
    }
}
