//! The time limits that Tests4J writes into tests (section 3.4): JUnit 4 and TestNG have them in their annotation,
//! Jupiter has one of its own.

use std::time::Duration;

use crate::model::{Framework, Language, Span};
use crate::syntax::tokens;

/// Adds a time limit to a test without changing its lines; returns it unchanged where it has one, or where there is no
/// place for one.
pub fn limited(text: &str, framework: Framework, limit: Duration) -> String {
    let (name, value) = match framework {
        Framework::JUnit4 => ("timeout", limit.as_millis()),
        Framework::TestNg => ("timeOut", limit.as_millis()),
        Framework::JUnit5 => {
            let has_limit = |note: &MethodAnnotation| TIMEOUTS.contains(&note.name.as_str());
            if annotations(text).iter().any(has_limit) {
                return text.to_owned();
            }
            let seconds = limit.as_secs().max(1);
            return format!("@org.junit.jupiter.api.Timeout({seconds}) {text}");
        }
        _ => return text.to_owned(),
    };
    let annotations = annotations(text);
    let is_test = |note: &&MethodAnnotation| TESTS.contains(&note.name.as_str());
    let Some(test) = annotations.iter().find(is_test) else {
        return text.to_owned();
    };
    if test.keys.iter().any(|key| key == name) {
        return text.to_owned();
    }
    let (before, after) = text.split_at(test.end);
    let written = match test.arguments {
        Arguments::None => format!("({name} = {value})"),
        Arguments::Empty => format!("{name} = {value}"),
        Arguments::Some => format!("{name} = {value}, "),
    };
    format!("{before}{written}{after}")
}

/// The forms of Jupiter's annotation. Other libraries have annotations of the same simple name.
const TIMEOUTS: &[&str] = &["Timeout", "org.junit.jupiter.api.Timeout"];

/// The annotations that take the limit of JUnit 4 or TestNG.
const TESTS: &[&str] = &["Test", "org.junit.Test", "org.testng.annotations.Test"];

/// An annotation of the declaration itself.
struct MethodAnnotation {
    /// The text as written, without layout.
    name: String,
    /// Where arguments are inserted: behind the `(`, or behind the name if there is none.
    end: usize,
    arguments: Arguments,
    /// The names of the arguments, without those of annotations inside them.
    keys: Vec<String>,
}

/// The arguments after the name of an annotation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Arguments {
    None,
    /// `()`.
    Empty,
    Some,
}

/// Finds the annotations before the name of a declaration. Tokens decide: comments, strings, parameters and the body
/// may say the same words and mean nothing.
fn annotations(text: &str) -> Vec<MethodAnnotation> {
    let spans = tokens(Language::Java, text);
    let word = |at: usize| spans.get(at).map_or("", |span: &Span| span.of(text));
    let mut found = Vec::new();
    let mut at = 0;
    // A parenthesis outside an annotation opens the parameters.
    while !matches!(word(at), "" | "(" | "{" | ";") {
        if word(at) != "@" {
            at += 1;
            continue;
        }
        let mut name = word(at + 1).to_owned();
        at += 2;
        while word(at) == "." {
            name = format!("{name}.{}", word(at + 1));
            at += 2;
        }
        let mut note = MethodAnnotation {
            name,
            end: spans[..at.min(spans.len())]
                .last()
                .map_or(0, |span| span.end as usize),
            arguments: Arguments::None,
            keys: Vec::new(),
        };
        if word(at) == "(" {
            note.end = spans[at].end as usize;
            note.arguments = match word(at + 1) {
                ")" => Arguments::Empty,
                _ => Arguments::Some,
            };
            at = read_keys(&mut note.keys, at + 1, word);
        }
        found.push(note);
    }
    found
}

/// Reads the names of arguments from the token behind the `(` on. Returns which token follows the `)`.
fn read_keys<'t>(keys: &mut Vec<String>, mut at: usize, word: impl Fn(usize) -> &'t str) -> usize {
    let mut depth = 1;
    while depth > 0 && !word(at).is_empty() {
        match word(at) {
            "(" | "{" | "[" => depth += 1,
            ")" | "}" | "]" => depth -= 1,
            key if depth == 1 && word(at + 1) == "=" => keys.push(key.to_owned()),
            _ => {}
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(framework: Framework, text: &str, expected: &str) {
        assert_eq!(limited(text, framework, Duration::from_secs(10)), expected);
    }

    #[test]
    fn junit_4_has_it_in_its_annotation() {
        let check = |text, expected| check(Framework::JUnit4, text, expected);
        check(
            "@Test\npublic void a() {}",
            "@Test(timeout = 10000)\npublic void a() {}",
        );
        check("@Test() void a() {}", "@Test(timeout = 10000) void a() {}");
        check(
            "@Test(expected = E.class) void a() {}",
            "@Test(timeout = 10000, expected = E.class) void a() {}",
        );
        check(
            "@Test(timeout = 5) void a() {}",
            "@Test(timeout = 5) void a() {}",
        );
        check(
            "@org.junit.Test void a() {}",
            "@org.junit.Test(timeout = 10000) void a() {}",
        );
        check("@TestFactory void a() {}", "@TestFactory void a() {}");
    }

    #[test]
    fn test_ng_writes_it_otherwise() {
        let text = "@Test(groups = \"a\") void a() {}";
        let expected = "@Test(timeOut = 10000, groups = \"a\") void a() {}";
        check(Framework::TestNg, text, expected);
    }

    #[test]
    fn jupiter_has_an_annotation_of_its_own() {
        let check = |text, expected| check(Framework::JUnit5, text, expected);
        check(
            "@Test void a() {}",
            "@org.junit.jupiter.api.Timeout(10) @Test void a() {}",
        );
        check(
            "@Timeout(1) @Test void a() {}",
            "@Timeout(1) @Test void a() {}",
        );
        check(
            "@Test @org.junit.jupiter.api.Timeout(value = 1) void a() {}",
            "@Test @org.junit.jupiter.api.Timeout(value = 1) void a() {}",
        );
    }

    #[test]
    fn a_test_that_only_mentions_a_timeout_gets_its_limit() {
        for text in [
            "/** See {@link Timeout}, or @Timeout. */ @Test void a() {}",
            "@Test void answersBeforeTimeout() {}",
            "@Test void a() { client.setTimeout(1); }",
            "@DisplayName(\"@Timeout(1)\") @Test void a() {}",
            "@Test // not @Timeout(1)\nvoid a() {}",
            "@ParameterizedTest void a(@Timeout int limit) {}",
            "@Test void a() { class B { @Timeout(1) void c() {} } }",
            "@io.vertx.junit5.Timeout(1) @Test void a() {}",
            "@TimeoutSource @Test void a() {}",
        ] {
            let expected = format!("@org.junit.jupiter.api.Timeout(10) {text}");
            check(Framework::JUnit5, text, &expected);
        }
    }

    #[test]
    fn what_a_comment_or_a_nested_annotation_says_is_no_limit() {
        let check = |text, expected| check(Framework::JUnit4, text, expected);
        check(
            "// @Test\n@Test void a() {}",
            "// @Test\n@Test(timeout = 10000) void a() {}",
        );
        check(
            "@Test(expected = E.class) void a() { timeout = 1; }",
            "@Test(timeout = 10000, expected = E.class) void a() { timeout = 1; }",
        );
        check(
            "@Test(groups = {\"a\"}, timeout = 5) void a() {}",
            "@Test(groups = {\"a\"}, timeout = 5) void a() {}",
        );
        check(
            "@With(@Rule(timeout = 5)) @Test void a() {}",
            "@With(@Rule(timeout = 5)) @Test(timeout = 10000) void a() {}",
        );
        check("void a() { b(\"@Test\"); }", "void a() { b(\"@Test\"); }");
    }

    #[test]
    fn junit_3_has_none() {
        check(
            Framework::JUnit3,
            "public void testA() {}",
            "public void testA() {}",
        );
    }
}
