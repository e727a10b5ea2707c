//! Finds calls that give a value to a variable which an assertion reads that is not a call: `got := sum(1, 2)`, and
//! later `if got != 3 { t.Error(got) }`. It compares words of the text alone, which is enough to point at a call.

use std::cell::OnceCell;

use crate::model::{Call, Span, TestCase};

/// The greatest number of variables of one statement that are followed.
const NAMES_MAX: usize = 16;

/// Tells for every call of a test whether such an assertion reads its value.
pub fn asserted(test_case: &TestCase, text: &str) -> Vec<bool> {
    let calls = &test_case.calls;
    if test_case.assertions.is_empty() {
        return vec![false; calls.len()];
    }
    // Few calls give a value to a variable, and the assertions are only read for these.
    let read: Vec<(Span, OnceCell<Vec<&str>>)> = test_case
        .assertions
        .iter()
        .map(|assertion| (*assertion, OnceCell::new()))
        .collect();
    let is_asserted = |call: &Call| {
        let Some(statement) = innermost(test_case, call.name_span) else {
            return false;
        };
        let names = assigned(text, statement, call);
        if names.is_empty() {
            return false;
        }
        let mut after = read.iter().filter(|(span, _)| statement.end <= span.start);
        after.any(|(span, known)| {
            let words = known.get_or_init(|| words(span.of(text)));
            names.iter().any(|name| words.binary_search(name).is_ok())
        })
    };
    calls.iter().map(is_asserted).collect()
}

/// Finds the innermost statement around a place, of the body or of one inside it.
fn innermost(test_case: &TestCase, place: Span) -> Option<Span> {
    let blocks = test_case.blocks.iter().rev();
    let inner = blocks.flat_map(|block| &block.statements);
    let all = inner.chain(&test_case.statements);
    let around = all.filter(|span| span.contains(place));
    around.min_by_key(|span| span.end - span.start).copied()
}

/// Lists the words to the left of the assignment sign before a call in its statement.
fn assigned<'t>(text: &'t str, statement: Span, call: &Call) -> Vec<&'t str> {
    let before = Span::new(statement.start, call.span.start).of(text);
    let Some(sign) = assignment(before) else {
        return Vec::new();
    };
    let mut names = words(&before[..sign]);
    names.truncate(NAMES_MAX);
    names
}

/// Finds the first `=` that assigns, and is not part of `==`, `<=`, `=>` and the like.
fn assignment(text: &str) -> Option<usize> {
    let bytes = text.as_bytes();
    let is_sign = |at: usize| {
        let before = at.checked_sub(1).map_or(b' ', |n| bytes[n]);
        let after = bytes.get(at + 1).copied().unwrap_or(b' ');
        !matches!(before, b'=' | b'!' | b'<' | b'>') && !matches!(after, b'=' | b'>')
    };
    (0..bytes.len()).find(|at| bytes[*at] == b'=' && is_sign(*at))
}

/// Lists the identifiers of a piece of source, sorted; those in strings too.
fn words(text: &str) -> Vec<&str> {
    let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
    let mut words: Vec<&str> = text
        .split(|text| !is_part(text))
        .filter(|part| !part.is_empty() && !part.starts_with(|c: char| c.is_ascii_digit()))
        .collect();
    words.sort_unstable();
    words.dedup();
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sign_of_assignment_is_found_among_others() {
        assert_eq!(assignment("got, err := "), Some(10));
        assert_eq!(assignment("const x = "), Some(8));
        assert_eq!(assignment("if a == "), None);
        assert_eq!(assignment("a <= b; f(() => "), None);
    }

    #[test]
    fn words_are_identifiers() {
        assert_eq!(words("b.x != 3 && a"), ["a", "b", "x"]);
    }
}
