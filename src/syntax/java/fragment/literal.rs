//! Literals as a Java 17 compiler's scanner takes them; the grammar takes more.

/// Finds the flaw in an integer; `is_negated` says that a `-` stands right before it.
pub fn integer(text: &str, is_negated: bool) -> Option<&'static str> {
    let digits = text.trim_end_matches(['l', 'L']);
    let is_long = digits.len() < text.len();
    if digits.ends_with('_') {
        return Some("number ends with `_`");
    }
    let (radix, digits) = match digits.as_bytes() {
        [b'0', b'x' | b'X', ..] => (16, &digits[2..]),
        [b'0', b'b' | b'B', ..] => (2, &digits[2..]),
        [b'0', b'o' | b'O', ..] => return Some("malformed number"),
        [b'0', _, ..] => (8, &digits[1..]),
        _ => (10, digits),
    };
    let mut value: u64 = 0;
    for byte in digits.bytes().filter(|&b| b != b'_') {
        let Some(digit) = char::from(byte).to_digit(radix) else {
            return Some("malformed number");
        };
        let next = value
            .checked_mul(u64::from(radix))
            .and_then(|n| n.checked_add(u64::from(digit)));
        let Some(next) = next else {
            return Some("number too large");
        };
        value = next;
    }
    // Hexadecimal, octal and binary numbers may use the sign bit.
    let max = match (radix, is_long) {
        (10, false) => i32::MAX as u64 + u64::from(is_negated),
        (10, true) => i64::MAX as u64 + u64::from(is_negated),
        (_, false) => u64::from(u32::MAX),
        (_, true) => u64::MAX,
    };
    (value > max).then_some("number too large")
}

/// Finds the flaw in a decimal number that has a point, an exponent or a suffix.
pub fn decimal_float(text: &str) -> Option<&'static str> {
    let is_float = text.ends_with(['f', 'F']);
    let number = text.trim_end_matches(['f', 'F', 'd', 'D']);
    let plain: String = number.chars().filter(|&c| c != '_').collect();
    let (is_zero, is_infinite) = if is_float {
        plain
            .parse::<f32>()
            .map_or((false, false), |value| (value == 0.0, value.is_infinite()))
    } else {
        plain
            .parse::<f64>()
            .map_or((false, false), |value| (value == 0.0, value.is_infinite()))
    };
    let mantissa = plain.split(['e', 'E']).next().unwrap_or_default();
    if is_infinite {
        Some("number too large")
    } else if is_zero && mantissa.bytes().any(|b| matches!(b, b'1'..=b'9')) {
        Some("number too small")
    } else {
        None
    }
}

/// Finds the flaw in a hexadecimal number that has a point or an exponent; its range is not checked.
pub fn hex_float(text: &str) -> Option<&'static str> {
    (!text.contains(['p', 'P'])).then_some("hexadecimal number with a point and no `p`")
}

/// Finds the flaw in a character in its quotes, and its place.
pub fn character(text: &str) -> Option<(usize, &'static str)> {
    let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or("");
    if inner.contains('\n') {
        return Some((0, "unclosed character literal"));
    }
    let len = match inner.strip_prefix('\\') {
        Some(rest) => match escape_len(rest, false) {
            Some(len) => 1 + len,
            None => return Some((1, "unknown escape")),
        },
        None => match inner.chars().next() {
            Some(c) => c.len_utf8(),
            None => return Some((0, "empty character")),
        },
    };
    (len != inner.len()).then_some((0, "more than one character"))
}

/// Finds the flaw in a string or a text block, and its place.
pub fn string(text: &str) -> Option<(usize, &'static str)> {
    let is_block = text.starts_with("\"\"\"");
    let n_quotes = if is_block { 3 } else { 1 };
    let inner = text
        .get(n_quotes..text.len().saturating_sub(n_quotes))
        .unwrap_or("");
    let bytes = inner.as_bytes();
    if is_block {
        let opening = inner.trim_start_matches([' ', '\t', '\x0c']);
        if !opening.starts_with(['\n', '\r']) {
            return Some((n_quotes, "text block begins on the line of its quotes"));
        }
    }
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\n' | b'\r' if !is_block => return Some((0, "unclosed string")),
            b'\\' => {
                let Some(len) = escape_len(&inner[at + 1..], is_block) else {
                    return Some((n_quotes + at, "unknown escape"));
                };
                at += 1 + len;
            }
            _ => at += 1,
        }
    }
    None
}

/// Measures the escape behind a backslash; nothing for one that Java does not know.
fn escape_len(rest: &str, is_block: bool) -> Option<usize> {
    let bytes = rest.as_bytes();
    let is_octal = |idx: usize| bytes.get(idx).is_some_and(|b| matches!(b, b'0'..=b'7'));
    match bytes.first()? {
        b'b' | b't' | b'n' | b'f' | b'r' | b's' | b'"' | b'\'' | b'\\' => Some(1),
        first @ b'0'..=b'7' => {
            let max = if *first <= b'3' { 3 } else { 2 };
            Some((1..max).take_while(|&idx| is_octal(idx)).count() + 1)
        }
        b'\n' if is_block => Some(1),
        b'\r' if is_block => Some(1 + usize::from(bytes.get(1) == Some(&b'\n'))),
        _ => None,
    }
}
