//! `extension(T it) { … }`, which the grammar does not know: its head becomes the declaration of a method that takes
//! the receiver, and its braces are removed, so that its members belong to the class around it. Offsets stay the same.

use std::borrow::Cow;

use super::{after_text, end_of_line};
use crate::model::Span;

const WORD: &str = "extension";

/// The text that replaces the word: as long, and the beginning of a method.
const METHOD: &[u8] = b"void e__x";

/// How long the head of a block may be, in bytes.
const HEAD_MAX: usize = 2_000;

/// Opens the blocks of a text without directives; returns the places of those that name their receiver, in order.
pub fn opened(text: Cow<'_, str>) -> (Cow<'_, str>, Vec<Span>) {
    if !text.contains(WORD) {
        return (text, Vec::new());
    }
    let bytes = text.as_bytes();
    let mut changed = bytes.to_vec();
    let mut blocks = Vec::new();
    let mut block: Option<(usize, bool)> = None;
    let (mut at, mut depth, mut before) = (0, 0_usize, b';');
    let mut around = 0;
    while at < bytes.len() {
        let byte = bytes[at];
        if bytes[at..].starts_with(b"//") {
            at = end_of_line(bytes, at);
            continue;
        }
        if let Some(end) = after_text(bytes, at) {
            before = if byte == b'/' { before } else { byte };
            at = end;
            continue;
        }
        let may_begin = byte == b'e' && block.is_none() && matches!(before, b'{' | b'}' | b';');
        if let Some(head) = may_begin.then(|| head(&bytes[at..])).flatten() {
            let brace = at + head.len;
            if head.is_named {
                changed[at..at + METHOD.len()].copy_from_slice(METHOD);
                changed[brace] = b';';
            } else {
                changed[at..=brace].fill(b' ');
            }
            block = Some((at, head.is_named));
            around = depth;
            depth += 1;
            before = b';';
            at = brace + 1;
            continue;
        }
        match byte {
            b'{' => depth += 1,
            b'}' => {
                depth = depth.saturating_sub(1);
                if let Some((start, is_named)) = block.filter(|_| depth == around) {
                    changed[at] = b' ';
                    if is_named {
                        blocks.push(Span::new(start as u32, at as u32));
                    }
                    block = None;
                }
            }
            _ => {}
        }
        if !byte.is_ascii_whitespace() {
            before = byte;
        }
        at += 1;
    }
    // A block without an end is left alone, and only ASCII was replaced by ASCII.
    match String::from_utf8(changed) {
        Ok(changed) if block.is_none() => (Cow::Owned(changed), blocks),
        _ => (text, Vec::new()),
    }
}

/// The head of a block, up to its brace.
struct Head {
    len: usize,
    is_named: bool,
}

fn head(bytes: &[u8]) -> Option<Head> {
    let bytes = &bytes[..bytes.len().min(HEAD_MAX)];
    let rest = bytes.strip_prefix(WORD.as_bytes())?;
    let first = rest.iter().find(|byte| !byte.is_ascii_whitespace())?;
    if !matches!(first, b'(' | b'<') {
        return None;
    }
    let open = bytes.iter().position(|&byte| byte == b'(')?;
    let mut depth = 0;
    let close = bytes[open..].iter().position(|byte| {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        depth == 0
    })? + open;
    let end = bytes[close..]
        .iter()
        .position(|byte| matches!(byte, b'{' | b'}' | b';' | b'='))?
        + close;
    let receiver = std::str::from_utf8(&bytes[open + 1..close]).ok()?.trim();
    let is_named = receiver
        .rsplit_once(char::is_whitespace)
        .is_some_and(|(_, name)| name.chars().all(|c| c.is_alphanumeric() || c == '_'));
    (bytes[end] == b'{').then_some(Head { len: end, is_named })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str, n_blocks: usize) {
        let (changed, blocks) = opened(Cow::Borrowed(text));
        assert_eq!(changed, expected);
        assert_eq!(blocks.len(), n_blocks, "{text}");
    }

    #[test]
    fn a_block_becomes_a_method_and_loses_its_braces() {
        check(
            "class A { extension<T>(List<T> it) where T : B { void F() { } } void G() { } }",
            "class A { void e__x<T>(List<T> it) where T : B ; void F() { }   void G() { } }",
            1,
        );
        check(
            "class A { extension(Console) { static void F() { } } }",
            "class A {                      static void F() { }   }",
            0,
        );
    }

    #[test]
    fn what_only_looks_like_a_block_stays() {
        for text in [
            "class A { void F() { extension(a); if (b) { } } }",
            "class A { int extension(int a) { } }",
            "class A { string s = \"; extension(int a) { }\"; // ; extension(int a) {\n }",
            "class A { extension(int a) { ",
            "class A { extensions(int a) { } }",
        ] {
            check(text, text, 0);
        }
    }
}
