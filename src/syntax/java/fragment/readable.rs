//! Text that the grammar of tree-sitter-java 0.23.5 reads as the language means it.
//!
//! The grammar has gaps. Characters that it accepts and no compiler does are found here; constructs that it rejects are
//! rewritten at the same length, so that offsets stay the same.

use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};

use super::Flaw;

/// How many `<` may be open at once. The parser keeps every way to read them: 8,000 of them in 16 kB take it a second
/// and 700 MB.
const OPEN_MAX: usize = 64;

/// Looks at the characters alone: finds white space that only the grammar accepts, and too many open `<`.
pub fn odd(text: &str) -> Option<Flaw> {
    let mut n_open = 0;
    let mut is_plain = true;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'<' if n_open == OPEN_MAX => return Some(Flaw::new(at, "too many open `<`")),
            b'<' => n_open += 1,
            b'>' => n_open = n_open.saturating_sub(1),
            b';' | b'{' | b'}' => n_open = 0,
            b'\t' | b'\n' | b'\x0c' | b'\r' => {}
            0..=0x1f | 0x7f.. => is_plain = false,
            _ => {}
        }
    }
    if is_plain { None } else { odd_space(text) }
}

/// Finds the first character outside literals and comments that is white space only to the grammar.
fn odd_space(text: &str) -> Option<Flaw> {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(rest) = text.get(at..).filter(|rest| !rest.is_empty()) {
        let end = if rest.starts_with("//") {
            rest.find(['\n', '\r']).unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.get(2..)
                .and_then(|text| text.find("*/"))
                .map_or(rest.len(), |end| end + 4)
        } else if rest.starts_with("\"\"\"") {
            end_of_literal(&bytes[at..], b"\"\"\"")
        } else if rest.starts_with(['"', '\'']) {
            end_of_literal(&bytes[at..], &bytes[at..=at])
        } else {
            let c = rest.chars().next().unwrap_or(' ');
            let is_known = matches!(c, ' ' | '\t' | '\n' | '\x0c' | '\r');
            if !is_known && (c.is_whitespace() || c.is_control() || is_no_letter(c)) {
                return Some(Flaw::new(at, format!("illegal character {}", shown(c))));
            }
            c.len_utf8()
        };
        at += end;
    }
    None
}

fn shown(c: char) -> String {
    format!("`{}`", c.escape_unicode())
}

fn end_of_literal(bytes: &[u8], quotes: &[u8]) -> usize {
    let mut at = quotes.len();
    while at < bytes.len() && !bytes[at..].starts_with(quotes) {
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    (at + quotes.len()).min(bytes.len())
}

/// Tells whether the character continues a name by Unicode's rules but not by Java's.
const fn is_no_letter(c: char) -> bool {
    matches!(
        c,
        '\u{b7}' | '\u{387}' | '\u{1369}'..='\u{1371}' | '\u{19da}' | '\u{feff}'
    )
}

/// Rewrites in place what the grammar does not know, in a piece that is not [`odd`]:
/// - a lone `\r` ends a line;
/// - NUL may stand in literals and comments;
/// - currency signs are letters;
/// - annotations stand before dimensions (`int @A []`, `T @A ...`): they are blanked;
/// - `this(1)` and `super(1)` are calls wherever they stand;
/// - a record pattern may have a name with dots (`case A.B(int x)`).
///
/// Rewriting inside literals and comments does no harm.
pub fn make(wrapped: &mut String, before: usize, len: usize) {
    write(wrapped, (before, len), true);
}

/// Rewrites like [`make`] as far as every token stays in its place: everything but annotations before dimensions.
pub fn rename(wrapped: &mut String, before: usize, len: usize) {
    write(wrapped, (before, len), false);
}

fn write(wrapped: &mut String, (before, len): (usize, usize), blanks_annotations: bool) {
    let text = &wrapped[before..before + len];
    let is_known = text.is_ascii() && !text.contains(['@', '\r', '\0']);
    let has_calls = text.contains("this") || text.contains("super");
    let has_patterns = PATTERN_WORDS.iter().any(|word| text.contains(word));
    if is_known && !has_calls && !has_patterns {
        return;
    }
    let mut bytes = std::mem::take(wrapped).into_bytes();
    let piece = &mut bytes[before..before + len];
    if has_calls {
        name_calls(piece, b"this");
        name_calls(piece, b"super");
    }
    if has_patterns {
        join_patterns(piece);
    }
    if !is_known {
        if blanks_annotations {
            blank_annotations(piece);
        }
        name_currencies(piece);
        for at in 0..len {
            match piece[at] {
                b'\r' if piece.get(at + 1) != Some(&b'\n') => piece[at] = b'\n',
                0 => piece[at] = b' ',
                _ => {}
            }
        }
    }
    // Only whole characters were overwritten, each byte by an ASCII character.
    *wrapped = String::from_utf8(bytes).unwrap_or_default();
}

/// The words that stand before a pattern.
const PATTERN_WORDS: [&str; 2] = ["case", "instanceof"];

/// Makes the names of record patterns one word each, also in nested patterns.
fn join_patterns(piece: &mut [u8]) {
    for word in PATTERN_WORDS {
        for end in ends_of(piece, word.as_bytes()) {
            join_pattern(piece, end);
        }
    }
}

/// Joins the name behind `at` if it is a record pattern's, and the names inside.
fn join_pattern(piece: &mut [u8], at: usize) {
    let mut n_open = 0_usize;
    let mut at = at;
    loop {
        at += n_space(&piece[at..]);
        let len = piece[at..]
            .iter()
            .take_while(|byte| is_name(**byte) || **byte == b'.')
            .count();
        let end = at + len + n_space(&piece[at + len..]);
        if len > 0 && piece.get(end) == Some(&b'(') {
            for byte in piece[at..at + len]
                .iter_mut()
                .filter(|piece| **piece == b'.')
            {
                *byte = b'$';
            }
        } else if n_open == 0 {
            return;
        }
        // Goes to the next place where a pattern can begin.
        at += len;
        loop {
            let Some(byte) = piece.get(at) else {
                return;
            };
            at += 1;
            match byte {
                b'(' => {
                    n_open += 1;
                    break;
                }
                b',' => break,
                b')' if n_open == 1 => return,
                b')' => n_open -= 1,
                b';' | b'{' | b'}' | b'"' => return,
                _ => {}
            }
        }
    }
}

fn n_space(bytes: &[u8]) -> usize {
    bytes
        .iter()
        .take_while(|byte| byte.is_ascii_whitespace())
        .count()
}

/// Rewrites the keyword wherever it is the name of a call.
fn name_calls(piece: &mut [u8], keyword: &[u8]) {
    for end in ends_of(piece, keyword) {
        if piece[end..].trim_ascii_start().starts_with(b"(") {
            piece[end - 1] = b'$';
        }
    }
}

/// Finds the ends of all occurrences of a whole word.
fn ends_of(piece: &[u8], word: &[u8]) -> Vec<usize> {
    let (mut ends, mut at) = (Vec::new(), 0);
    while let Some(found) = piece[at..]
        .windows(word.len())
        .position(|window| window == word)
    {
        let start = at + found;
        at = start + word.len();
        let is_begun = start == 0 || !is_name(piece[start - 1]);
        if is_begun && piece.get(at).is_none_or(|byte| !is_name(*byte)) {
            ends.push(at);
        }
    }
    ends
}

const fn is_name(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | 0x80..)
}

fn name_currencies(piece: &mut [u8]) {
    let Ok(text) = std::str::from_utf8(piece) else {
        return;
    };
    let places: Vec<(usize, usize)> = text
        .char_indices()
        .filter(|(_, c)| !c.is_ascii() && c.general_category() == GeneralCategory::CurrencySymbol)
        .map(|(at, c)| (at, at + c.len_utf8()))
        // A character literal stays one character.
        .filter(|&(start, end)| !(text[..start].ends_with('\'') && text[end..].starts_with('\'')))
        .collect();
    for (start, end) in places {
        piece[start..end].fill(b'_');
    }
}

fn blank_annotations(piece: &mut [u8]) {
    let mut name = None;
    for at in 0..piece.len() {
        match piece[at] {
            b'@' if name.is_none() && is_after_type(&piece[..at]) => name = Some(at),
            b'[' => {
                if let Some(start) = name.take() {
                    piece[start..at].fill(b' ');
                }
            }
            b'.' if piece[at..].starts_with(b"...") => {
                if let Some(start) = name.take() {
                    piece[start..at].fill(b' ');
                }
            }
            b'.' | b'@' => {}
            byte if is_name(byte) || byte.is_ascii_whitespace() => {}
            _ => name = None,
        }
    }
}

fn is_after_type(before: &[u8]) -> bool {
    // No more white space is searched for each annotation; people write far less.
    const SPACE_MAX: usize = 256;
    let near = &before[before.len().saturating_sub(SPACE_MAX)..];
    near.trim_ascii_end()
        .last()
        .is_some_and(|&b| is_name(b) || matches!(b, b'>' | b']'))
}
