//! Rewrites texts that TypeScript accepts and its grammar does not, so that the grammar does; offsets stay the same.
//!
//! The grammar goes astray for the rest of a file at `<T>(…): R` in a line of its own behind a line without `;`, at
//! `in` and `out` before type parameters, and at `export type *`. A file that parses is never touched.

/// Blanks the parts of a text that the grammar does not know, or ends them by `;`; nothing where none of it occurs.
pub fn repaired(text: &str) -> Option<String> {
    let mut bytes = text.as_bytes().to_vec();
    let n = end_signatures(text, &mut bytes)
        + blank_variance(&mut bytes)
        + blank_type_stars(&mut bytes);
    if n == 0 {
        return None;
    }
    String::from_utf8(bytes).ok()
}

/// Puts `;` before a `<` that begins a line where nothing else ends the code before it.
fn end_signatures(text: &str, bytes: &mut [u8]) -> usize {
    let mut n = 0;
    let mut last = b';';
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        let inner = line.trim();
        let at = start + line.len() - line.trim_start().len();
        if inner.starts_with('<')
            && !matches!(
                last,
                b';' | b',' | b'{' | b'(' | b'=' | b'<' | b'|' | b'&' | b'?' | b':'
            )
            && at > start
        {
            bytes[at - 1] = b';';
            n += 1;
        }
        let is_comment =
            inner.starts_with("//") || inner.starts_with('*') || inner.starts_with("/*");
        if !inner.is_empty() && !is_comment {
            last = inner.bytes().last().unwrap_or(b';');
        }
        start += line.len();
    }
    n
}

/// Blanks `in` and `out` before type parameters.
fn blank_variance(bytes: &mut [u8]) -> usize {
    let mut n = 0;
    let mut before = b' ';
    let mut at = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        let is_open = matches!(before, b'<' | b',');
        let word: &[u8] = if bytes[at..].starts_with(b"out ") {
            b"out"
        } else if bytes[at..].starts_with(b"in ") {
            b"in"
        } else {
            b""
        };
        let begins_name = bytes
            .get(at + word.len() + 1)
            .is_some_and(u8::is_ascii_alphabetic);
        if is_open && !word.is_empty() && begins_name {
            bytes[at..at + word.len()].fill(b' ');
            at += word.len();
            n += 1;
            continue;
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        at += 1;
    }
    n
}

/// Blanks `type` in `export type * from "…"`, which exports the same names as `export * from "…"`.
fn blank_type_stars(bytes: &mut [u8]) -> usize {
    let pattern = b"export type *";
    let mut n = 0;
    let mut at = 0;
    while at + pattern.len() <= bytes.len() {
        if bytes[at] == b'e' && bytes[at..].starts_with(pattern) {
            bytes[at + 7..at + 11].fill(b' ');
            n += 1;
            at += pattern.len();
        } else {
            at += 1;
        }
    }
    n
}

#[cfg(test)]
mod tests {
    use super::repaired;

    fn check(text: &str, expected: &str) {
        assert_eq!(repaired(text).as_deref(), Some(expected));
    }

    #[test]
    fn what_the_grammar_does_not_know_is_put_otherwise_and_stays_in_place() {
        check(
            "interface A {\n  (x: B): C\n  <T>(x: T): T\n}",
            "interface A {\n  (x: B): C\n ;<T>(x: T): T\n}",
        );
        check("interface A<in B, out C> {}", "interface A<   B,     C> {}");
        check("export type * from './a'", "export      * from './a'");
    }

    #[test]
    fn what_parses_is_left_alone() {
        for text in [
            "const a = b,\n  <T>c;",
            "x in y; for (const a in b) {}",
            "f(out)",
        ] {
            assert_eq!(repaired(text), None, "{text}");
        }
    }
}
