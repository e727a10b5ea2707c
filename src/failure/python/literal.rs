//! The values of Python's literals: two of one value are one, however they are written.

/// Writes a number in one spelling: without `_`, whole ones in decimals, others as the nearest double.
pub fn number(text: &str) -> String {
    let plain = text.replace('_', "").to_ascii_lowercase();
    let (digits, radix) = match plain.get(..2) {
        Some("0x") => (&plain[2..], 16),
        Some("0o") => (&plain[2..], 8),
        Some("0b") => (&plain[2..], 2),
        _ => (plain.as_str(), 10),
    };
    if let Ok(value) = u128::from_str_radix(digits, radix) {
        return value.to_string();
    }
    let (real, suffix) = match plain.strip_suffix('j') {
        Some(real) if radix == 10 => (real, "j"),
        _ => (plain.as_str(), ""),
    };
    match real.parse::<f64>() {
        Ok(value) if radix == 10 && real.contains(['.', 'e']) || suffix == "j" => {
            // A double and the whole number are equal, and yet print in other ways.
            format!("{value:e}f{suffix}")
        }
        _ => plain,
    }
}

/// Joins the values of texts that stand side by side, after a letter that tells whether they are bytes.
pub fn string(text: &str) -> String {
    let mut value = String::new();
    let mut is_bytes = false;
    let mut rest = text.trim_start();
    while let Some(quoted) = QuotedText::of(rest) {
        is_bytes |= quoted.is_bytes;
        value.push_str(&unescaped(quoted.content, quoted.is_raw));
        rest = after(&rest[quoted.end..]);
    }
    if rest.is_empty() {
        let kind = if is_bytes { 'b' } else { 's' };
        format!("{kind}{value}")
    } else {
        text.to_owned()
    }
}

/// Reads the value of a piece of a text with values in it; `text` is all of it.
pub fn content(text: &str, piece: &str) -> String {
    let is_raw = QuotedText::of(text).is_some_and(|quoted| quoted.is_raw);
    format!("s{}", unescaped(piece, is_raw))
}

/// One text with its quotes.
struct QuotedText<'t> {
    content: &'t str,
    is_raw: bool,
    is_bytes: bool,
    end: usize,
}

impl<'t> QuotedText<'t> {
    fn of(text: &'t str) -> Option<Self> {
        let start = text.find(['"', '\''])?;
        let prefix = &text[..start];
        if start > 2 || !prefix.chars().all(|letter| "rRbBuUfF".contains(letter)) {
            return None;
        }
        let quote = &text[start..=start];
        let triple = quote.repeat(3);
        let quote = if text[start..].starts_with(&triple) {
            triple.as_str()
        } else {
            quote
        };
        let begin = start + quote.len();
        let len = closing(&text[begin..], quote);
        Some(Self {
            content: &text[begin..begin + len],
            is_raw: prefix.contains(['r', 'R']),
            is_bytes: prefix.contains(['b', 'B']),
            end: (begin + len + quote.len()).min(text.len()),
        })
    }
}

/// Finds the quotes that close a text, escaped ones passed over, or its end.
fn closing(text: &str, quote: &str) -> usize {
    let mut is_escaped = false;
    for (at, letter) in text.char_indices() {
        if is_escaped {
            is_escaped = false;
        } else if letter == '\\' {
            is_escaped = true;
        } else if text[at..].starts_with(quote) {
            return at;
        }
    }
    text.len()
}

/// Skips layout, comments and ends of lines between two texts.
fn after(text: &str) -> &str {
    let mut rest = text.trim_start_matches(|letter: char| letter.is_whitespace() || letter == '\\');
    while let Some(comment) = rest.strip_prefix('#') {
        let end = comment.find('\n').unwrap_or(comment.len());
        rest = comment[end..].trim_start();
    }
    rest
}

/// Resolves the escapes of a text; names of characters stay as they are.
fn unescaped(text: &str, is_raw: bool) -> String {
    if is_raw || !text.contains('\\') {
        return text.to_owned();
    }
    let mut value = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        value.push_str(&rest[..at]);
        let escape = &rest[at + 1..];
        let (resolved, len) = resolved(escape);
        value.push_str(&resolved);
        rest = &escape[len..];
    }
    value.push_str(rest);
    value
}

/// Resolves an escape, and measures its bytes after the backslash.
fn resolved(escape: &str) -> (String, usize) {
    let Some(letter) = escape.chars().next() else {
        return ("\\".to_owned(), 0);
    };
    let by_code = |from: usize, len: usize, radix: u32| {
        let digits = escape.get(from..from + len)?;
        let character = char::from_u32(u32::from_str_radix(digits, radix).ok()?)?;
        Some((character.to_string(), from + len))
    };
    let simple = match letter {
        '\n' => "",
        '\\' => "\\",
        '\'' => "'",
        '"' => "\"",
        'a' => "\u{7}",
        'b' => "\u{8}",
        'f' => "\u{c}",
        'n' => "\n",
        'r' => "\r",
        't' => "\t",
        'v' => "\u{b}",
        _ => {
            let n_octal = escape
                .bytes()
                .take(3)
                .take_while(|byte| (b'0'..=b'7').contains(byte))
                .count();
            let found = match letter {
                'x' => by_code(1, 2, 16),
                'u' => by_code(1, 4, 16),
                'U' => by_code(1, 8, 16),
                '0'..='7' => by_code(0, n_octal, 8),
                _ => None,
            };
            return found.unwrap_or_else(|| (format!("\\{letter}"), letter.len_utf8()));
        }
    };
    (simple.to_owned(), letter.len_utf8())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_one_value_are_one() {
        for (a, b) in [
            ("1000", "1_000"),
            ("255", "0xFF"),
            ("8", "0o10"),
            ("5", "0B101"),
            ("1.0", "1."),
            ("0.5", ".5"),
            ("1e3", "1000.0"),
            ("2j", "2J"),
        ] {
            assert_eq!(number(a), number(b), "{a} {b}");
        }
        for (a, b) in [("1", "1.0"), ("1", "1j"), ("0x10", "10"), ("1e3", "1e4")] {
            assert_ne!(number(a), number(b), "{a} {b}");
        }
    }

    #[test]
    fn texts_of_one_value_are_one() {
        for (a, b) in [
            ("'a'", "\"a\""),
            ("'''a'''", "\"a\""),
            ("'it\\'s'", "\"it's\""),
            (r"r'\d'", r"'\\d'"),
            (r"'\d'", r"'\\d'"),
            (r"'\x41\u0042\103'", "'ABC'"),
            ("'a' \"b\"", "'ab'"),
            ("'a' # one\n  'b'", "'ab'"),
            ("u'a'", "'a'"),
            ("''", "\"\"\"\"\"\""),
            ("'a\\\nb'", "'ab'"),
        ] {
            assert_eq!(string(a), string(b), "{a} {b}");
        }
        for (a, b) in [
            ("'a'", "b'a'"),
            ("'a'", "'A'"),
            (r"r'\n'", r"'\n'"),
            ("''", "' '"),
        ] {
            assert_ne!(string(a), string(b), "{a} {b}");
        }
    }
}
