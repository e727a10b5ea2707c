//! The lexer's tokens of any piece of source, cut by hand: fragments need not parse, and it must be fast.

use crate::model::Span;

/// Cuts a text into tokens, without comments and layout.
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
        match bytes[at..] {
            [b'/', b'/', ..] => {
                at = line_end(bytes, at);
                continue;
            }
            [b'/', b'*', ..] => {
                at = end_of_comment(bytes, at + 2);
                continue;
            }
            _ => {}
        }
        at = if is_word(byte) {
            let is_number = byte.is_ascii_digit();
            end_of_word(bytes, at, is_number)
        } else if byte == b'.' && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) {
            end_of_word(bytes, at + 1, true)
        } else if matches!(bytes[at..], [b'"', b'"', b'"', ..]) {
            end_of_block(bytes, at + 3)
        } else if byte == b'"' || byte == b'\'' {
            end_of_quoted(bytes, at + 1, byte)
        } else {
            at + sign_len(&bytes[at..])
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

/// Tells whether the number that ends at `at` is hexadecimal and does not end in `p`, so that a sign behind it is an
/// operator: `0xE+1` is a sum.
fn is_plain_hex(bytes: &[u8], at: usize) -> bool {
    let start = bytes[..at]
        .iter()
        .rposition(|&byte| !is_word(byte) && byte != b'.')
        .map_or(0, |before| before + 1);
    let word = &bytes[start..at];
    (word.starts_with(b"0x") || word.starts_with(b"0X")) && !matches!(bytes[at - 1], b'p' | b'P')
}

/// Measures the sign that a text begins with, in characters; `>` is never joined, so that nested type arguments and
/// shifts give the same tokens wherever they stand.
const fn sign_len(bytes: &[u8]) -> usize {
    match bytes {
        [b'.', b'.', b'.', ..] | [b'<', b'<', b'=', ..] => 3,
        [b'-', b'>', ..] | [b'<', b'<', ..] => 2,
        [first @ (b':' | b'+' | b'-' | b'&' | b'|'), second, ..] if *first == *second => 2,
        [first, b'=', ..] if is_assigning(*first) => 2,
        _ => 1,
    }
}

/// Tells whether a sign and a `=` behind it are one operator.
const fn is_assigning(sign: u8) -> bool {
    matches!(
        sign,
        b'=' | b'!' | b'<' | b'>' | b'+' | b'-' | b'*' | b'/' | b'&' | b'|' | b'^' | b'%'
    )
}

/// Finds the end of a string or character; one without an end goes to the end of its line.
fn end_of_quoted(bytes: &[u8], mut at: usize, quote: u8) -> usize {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\n' => return at,
            b'\\' => at += 2,
            _ if byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    bytes.len()
}

/// Finds the end of a text block; one without an end goes to the end of the text.
fn end_of_block(bytes: &[u8], mut at: usize) -> usize {
    while at < bytes.len() {
        match bytes[at..] {
            [b'"', b'"', b'"', ..] => return at + 3,
            [b'\\', ..] => at += 2,
            _ => at += 1,
        }
    }
    bytes.len()
}

fn line_end(bytes: &[u8], from: usize) -> usize {
    let rest = bytes[from..].iter();
    let len = rest.copied().position(|byte| byte == b'\n');
    len.map_or(bytes.len(), |len| from + len)
}

/// Finds the end of the comment whose inside begins at `from`; one without an end goes to the end of the text.
fn end_of_comment(bytes: &[u8], from: usize) -> usize {
    let rest = bytes.get(from..).unwrap_or_default();
    let len = rest.windows(2).position(|pair| matches!(pair, b"*/"));
    len.map_or(bytes.len(), |len| from + len + 2)
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
