//! The methods of a test's own class that the test calls: a test whose body is `performTest()` says nothing without
//! them.
//!
//! Goes by names alone, as a reader does who looks for a method below the test: by unqualified calls in the text, from
//! method to method within one file. Resolves nothing; what `mine` knows of calls stays with what it decides.

use std::collections::HashSet;

use crate::store::{DeclaredSource, StoredMethod, StoredSample};

/// More would hide the test.
const HELPERS_MAX: usize = 12;

/// Lists the helpers of a sample's test, nearest first, those of one caller in the order of its calls.
pub(super) fn of(sample: &StoredSample) -> Vec<&DeclaredSource> {
    let test = sample.test.key();
    let is_outer = |class: &str| {
        let rest = class_of(&test).strip_prefix(class);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    };
    let all = sample.in_file.iter();
    let near: Vec<&DeclaredSource> = all
        .filter(|declared_source| is_outer(class_of(&declared_source.key)))
        .collect();
    let fixtures: Vec<String> = sample.fixtures.iter().map(StoredMethod::key).collect();
    let fixtures = fixtures.iter().map(String::as_str);
    let mut seen: HashSet<&str> = std::iter::once(test.as_str()).chain(fixtures).collect();
    let mut found = Vec::new();
    let mut texts = vec![sample.test.source()];
    let mut at = 0;
    while at < texts.len() && found.len() < HELPERS_MAX {
        for call in calls(texts[at]) {
            for helper in meant(&near, &call) {
                let text = helper.span.of(&helper.text);
                if found.len() < HELPERS_MAX && !text.is_empty() && seen.insert(&helper.key) {
                    texts.push(text);
                    found.push(helper);
                }
            }
        }
        at += 1;
    }
    found
}

/// Finds the methods that a call may mean: by its name, and by the number of parameters where some fit.
fn meant<'d>(near: &[&'d DeclaredSource], call: &UnqualifiedCall) -> Vec<&'d DeclaredSource> {
    let named: Vec<&DeclaredSource> = near
        .iter()
        .copied()
        .filter(|declared_source| name_of(&declared_source.key) == call.name)
        .collect();
    let fitting: Vec<&DeclaredSource> = named
        .iter()
        .copied()
        .filter(|declared_source| call.n_arguments == Some(n_parameters(&declared_source.key)))
        .collect();
    if fitting.is_empty() { named } else { fitting }
}

/// Takes `pkg.C` of `pkg.C#m(int)`.
fn class_of(key: &str) -> &str {
    key.split('#').next().unwrap_or(key)
}

fn name_of(key: &str) -> &str {
    let name = key.split('#').nth(1).unwrap_or_default();
    name.split('(').next().unwrap_or_default()
}

/// Types in keys are erased: every comma parts two.
fn n_parameters(key: &str) -> usize {
    let parameters = key.split('(').nth(1).unwrap_or_default();
    let parameters = parameters.trim_end_matches(')');
    if parameters.is_empty() {
        0
    } else {
        parameters.matches(',').count() + 1
    }
}

/// Cuts off the head of a method, whose name would look like a call.
fn body(text: &str) -> &str {
    text.find('{').map_or("", |at| &text[at..])
}

/// A call without a receiver, or on `this`.
#[derive(Clone, Debug, PartialEq, Eq)]
struct UnqualifiedCall {
    name: String,
    /// Absent for a method reference.
    n_arguments: Option<usize>,
}

/// Lists the unqualified calls and references in a method's text, in their order.
fn calls(text: &str) -> Vec<UnqualifiedCall> {
    let tokens = tokens(body(text));
    let mut found = Vec::new();
    for (idx, token) in tokens.iter().enumerate() {
        let Token::Word(name) = token else { continue };
        let before = |n: usize| idx.checked_sub(n).map(|n| &tokens[n]);
        let is_on_this = before(2) == Some(&Token::Word("this"));
        let call = match before(1) {
            Some(Token::Sign('.')) if !is_on_this => continue,
            Some(Token::Word("new")) => continue,
            // `this::name`
            Some(Token::Sign(':')) if before(3) == Some(&Token::Word("this")) => UnqualifiedCall {
                name: (*name).to_owned(),
                n_arguments: None,
            },
            _ if tokens.get(idx + 1) == Some(&Token::Sign('(')) => UnqualifiedCall {
                name: (*name).to_owned(),
                n_arguments: Some(n_arguments(&tokens[idx + 2..])),
            },
            _ => continue,
        };
        found.push(call);
    }
    found
}

/// Counts the arguments between commas, up to the closing parenthesis.
fn n_arguments(tokens: &[Token<'_>]) -> usize {
    let mut depth = 0_usize;
    let mut n_commas = 0;
    for token in tokens {
        match token {
            Token::Sign('(' | '[' | '{') => depth += 1,
            Token::Sign(')' | ']' | '}') if depth == 0 => break,
            Token::Sign(')' | ']' | '}') => depth -= 1,
            Token::Sign(',') if depth == 0 => n_commas += 1,
            _ => {}
        }
    }
    match tokens.first() {
        None | Some(Token::Sign(')')) => 0,
        Some(_) => n_commas + 1,
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Token<'t> {
    Word(&'t str),
    /// A literal of any kind: it holds no calls.
    Literal,
    Sign(char),
}

/// Cuts a text into words, literals and signs; white space and comments are left out.
fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut tokens = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '$';
        let len = if first.is_whitespace() {
            first.len_utf8()
        } else if rest.starts_with("//") {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with("/*") {
            rest.find("*/").map_or(rest.len(), |at| at + 2)
        } else if let Some(block) = rest.strip_prefix("\"\"\"") {
            tokens.push(Token::Literal);
            block.find("\"\"\"").map_or(rest.len(), |at| at + 6)
        } else if matches!(first, '"' | '\'') {
            tokens.push(Token::Literal);
            quoted(rest, first)
        } else if is_word(first) {
            let len = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
            tokens.push(Token::Word(&rest[..len]));
            len
        } else {
            tokens.push(Token::Sign(first));
            first.len_utf8()
        };
        rest = &rest[len..];
    }
    tokens
}

/// Measures a literal in quotes, in bytes; to the end of the text when it is open.
fn quoted(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        match c {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = true,
            closing_quote if closing_quote == quote => return at + 1,
            _ => {}
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_without_a_receiver_are_found_and_counted() {
        let check = |body: &str, expected: &[(&str, Option<usize>)]| {
            let found = calls(&format!("@Test(timeout = 5) void t() {{ {body} }}"));
            let found: Vec<(&str, Option<usize>)> = found
                .iter()
                .map(|unqualified_call| {
                    (unqualified_call.name.as_str(), unqualified_call.n_arguments)
                })
                .collect();
            assert_eq!(found, expected, "{body}");
        };
        check("performTest();", &[("performTest", Some(0))]);
        check(
            "this.put(a, f(b, c)); x.put(1); new Put(2);",
            &[("put", Some(2)), ("f", Some(2))],
        );
        check(
            "run(this::step, () -> { go(); });",
            &[("run", Some(2)), ("step", None), ("go", Some(0))],
        );
        check("// no()\n yes();", &[("yes", Some(0))]);
        check(
            "/* none() */ is(\"two(),\", '\"', \"\\\"three()\");",
            &[("is", Some(3))],
        );
        check("a(\"\"\" b(\" \"\"\");", &[("a", Some(1))]);
        check("open(\"", &[("open", Some(1))]);
    }

    #[test]
    fn a_call_means_the_method_of_as_many_parameters_else_all_of_its_name() {
        let method = |key: &str| DeclaredSource {
            key: key.to_owned(),
            path: String::new(),
            span: crate::model::Span::new(0, 0),
            start_line: 1,
            name_line: 1,
            text: "".into(),
        };
        let all = [
            method("p.T#f()"),
            method("p.T#f(int,p.A)"),
            method("p.T#g(int[])"),
        ];
        let near: Vec<&DeclaredSource> = all.iter().collect();
        let check = |name: &str, n_arguments, expected: &[&str]| {
            let call = UnqualifiedCall {
                name: name.to_owned(),
                n_arguments,
            };
            let found: Vec<&str> = meant(&near, &call)
                .iter()
                .map(|declared_source| declared_source.key.as_str())
                .collect();
            assert_eq!(found, expected, "{name}");
        };
        check("f", Some(2), &["p.T#f(int,p.A)"]);
        check("f", None, &["p.T#f()", "p.T#f(int,p.A)"]);
        check("g", Some(3), &["p.T#g(int[])"]);
        check("h", Some(0), &[]);
    }
}
