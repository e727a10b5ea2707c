//! The lexer's tokens of any piece of source, by hand: fragments need not parse, and speed counts.

use crate::model::Span;

/// Signs of more than one character, longest first; `>` is never joined, so that nested type arguments and shifts
/// give the same tokens wherever they stand.
const SIGNS: &[&str] = &[
    "...", "<<=", "->", "::", "++", "--", "&&", "||", "==", "!=", "<=", ">=", "+=", "-=", "*=",
    "/=", "&=", "|=", "^=", "%=", "<<",
];

/// Returns the spans of the tokens; comments and layout are none.
pub fn tokens(text: &str) -> Vec<Span> {
    let bytes = text.as_bytes();
    let mut spans = Vec::with_capacity(text.len() / 4);
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let byte = bytes[at];
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if bytes[at..].starts_with(b"//") {
            at = find(bytes, at, b"\n").unwrap_or(bytes.len());
            continue;
        }
        if bytes[at..].starts_with(b"/*") {
            at = find(bytes, at + 2, b"*/").map_or(bytes.len(), |end| end + 2);
            continue;
        }
        at = if is_word(byte) {
            let is_number = byte.is_ascii_digit();
            end_of_word(bytes, at, is_number)
        } else if byte == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            end_of_word(bytes, at + 1, true)
        } else if bytes[at..].starts_with(b"\"\"\"") {
            end_of_quoted(bytes, at + 3, b"\"\"\"")
        } else if byte == b'"' || byte == b'\'' {
            end_of_quoted(bytes, at + 1, &bytes[at..=at])
        } else {
            let sign = SIGNS
                .iter()
                .find(|sign| bytes[at..].starts_with(sign.as_bytes()));
            at + sign.map_or(1, |sign| sign.len())
        };
        spans.push(Span::new(start as u32, at as u32));
    }
    spans
}

/// Characters outside ASCII are letters here; in valid Java they stand nowhere else.
const fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'$' || byte >= 0x80
}

fn end_of_word(bytes: &[u8], mut at: usize, is_number: bool) -> usize {
    while at < bytes.len() {
        let byte = bytes[at];
        let goes_on = is_word(byte)
            || (is_number
                && (byte == b'.'
                    || (matches!(byte, b'+' | b'-')
                        && matches!(bytes[at - 1], b'e' | b'E' | b'p' | b'P')
                        && !is_plain_hex(bytes, at))));
        if !goes_on {
            break;
        }
        at += 1;
    }
    at
}

/// Returns whether the number that ends at `at` is hexadecimal without an exponent: `0xE+1` is a sum.
fn is_plain_hex(bytes: &[u8], at: usize) -> bool {
    let start = bytes[..at]
        .iter()
        .rposition(|&byte| !is_word(byte) && byte != b'.')
        .map_or(0, |before| before + 1);
    let word = &bytes[start..at];
    (word.starts_with(b"0x") || word.starts_with(b"0X")) && !matches!(bytes[at - 1], b'p' | b'P')
}

/// Returns where a literal ends; one without an end goes to the end of its line, a text block's to the end.
fn end_of_quoted(bytes: &[u8], mut at: usize, quote: &[u8]) -> usize {
    while at < bytes.len() {
        if bytes[at..].starts_with(quote) {
            return at + quote.len();
        }
        if bytes[at] == b'\n' && quote.len() == 1 {
            return at;
        }
        at += if bytes[at] == b'\\' { 2 } else { 1 };
    }
    bytes.len()
}

fn find(bytes: &[u8], from: usize, what: &[u8]) -> Option<usize> {
    bytes
        .get(from..)?
        .windows(what.len())
        .position(|window| window == what)
        .map(|at| from + at)
}

#[cfg(test)]
mod tests {
    use super::tokens;

    fn check(text: &str, expected: &[&str]) {
        let found: Vec<&str> = tokens(text).into_iter().map(|span| span.of(text)).collect();
        assert_eq!(found, expected);
    }

    #[test]
    fn layout_and_comments_are_no_tokens() {
        check("a /* b */ . c // d\n;", &["a", ".", "c", ";"]);
        check("a /* never closed", &["a"]);
    }

    #[test]
    fn literals_are_one_token_each() {
        check(
            r#"f("a \" // b", '\'', 1.5e-3f)"#,
            &[
                "f",
                "(",
                r#""a \" // b""#,
                ",",
                r"'\''",
                ",",
                "1.5e-3f",
                ")",
            ],
        );
        check(
            "x = \"\"\"\n a \"b\" \"\"\";",
            &["x", "=", "\"\"\"\n a \"b\" \"\"\"", ";"],
        );
        check("0xE+1", &["0xE", "+", "1"]);
    }

    #[test]
    fn closing_angle_brackets_are_single_tokens() {
        check(
            "Map<K, List<V>> m",
            &["Map", "<", "K", ",", "List", "<", "V", ">", ">", "m"],
        );
    }

    #[test]
    fn a_fragment_may_begin_and_end_anywhere() {
        check("} else { \"open", &["}", "else", "{", "\"open"]);
        check("é = 1", &["é", "=", "1"]);
    }
}
