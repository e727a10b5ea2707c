//! Other words in the messages of exceptions: string constants that are given to what a function raises.
//!
//! A text of one word stays: it may be a key or a name. So do filled-in values, and their placeholders.

use crate::code::Code;
use crate::model::{Span, VariantEdit};

use super::edit;

/// Exceptions that carry a value, not a message.
const CARRIERS: &[&str] = &["StopIteration", "StopAsyncIteration", "Return"];

/// Characters that may stand between `%` and the letter of the conversion.
const FLAGS: &str = "#0- +123456789.*hlL";

/// Makes the edits that reword the messages of a function.
pub fn edits(code: &Code<'_>, function: u32) -> Vec<VariantEdit> {
    let mut edits = Vec::new();
    for idx in code.below(function) {
        if code.kind(idx) != "raise_statement" {
            continue;
        }
        let thrown = code.named(idx).next();
        let Some(call) = thrown.filter(|thrown| code.kind(*thrown) == "call") else {
            continue;
        };
        let class = code.child(call, "function").map(|n| code.source(n));
        let class = class.unwrap_or_default().rsplit('.').next();
        if class.is_some_and(|class| CARRIERS.contains(&class)) {
            continue;
        }
        let arguments = code.child(call, "arguments");
        let arguments = arguments.filter(|argument| code.kind(*argument) == "argument_list");
        for argument in arguments
            .into_iter()
            .flat_map(|argument| code.named(argument))
        {
            let value = code.child(argument, "value").unwrap_or(argument);
            let mut strings = Vec::new();
            push_strings(code, (function, value), &mut strings);
            let n_words: usize = strings.iter().map(|string| n_words(code, *string)).sum();
            if n_words > 1 {
                edits.extend(strings.iter().flat_map(|string| reworded(code, *string)));
            }
        }
    }
    edits.sort();
    edits.dedup();
    edits
}

/// Finds the strings that a message is made of.
fn push_strings(code: &Code<'_>, (function, value): (u32, u32), strings: &mut Vec<u32>) {
    let mut push = |value| push_strings(code, (function, value), strings);
    match code.kind(value) {
        "string" => strings.extend(Some(value).filter(|n| !is_bytes(code, *n))),
        "concatenated_string" | "parenthesized_expression" => {
            code.named(value).for_each(push);
        }
        "binary_operator" => {
            let operator = code.operator(value);
            if matches!(operator, "%" | "+") {
                code.child(value, "left").into_iter().for_each(&mut push);
            }
            if operator == "+" {
                code.child(value, "right").into_iter().for_each(push);
            }
        }
        "conditional_expression" => {
            let sides: Vec<u32> = code.named(value).collect();
            for side in [sides.first(), sides.last()].into_iter().flatten() {
                push(*side);
            }
        }
        "call" => {
            let called = code.child(value, "function");
            let object = called
                .filter(|called| is_format(code, *called))
                .and_then(|called| code.child(called, "object"));
            object.into_iter().for_each(push);
        }
        "identifier" => given_once(code, function, value).into_iter().for_each(push),
        _ => {}
    }
}

fn is_bytes(code: &Code<'_>, string: u32) -> bool {
    let prefix = code.source(string).split(['"', '\'']).next();
    prefix.is_some_and(|prefix| prefix.contains(['b', 'B']))
}

fn is_format(code: &Code<'_>, called: u32) -> bool {
    let name = code.child(called, "attribute");
    name.is_some_and(|name| code.source(name) == "format")
}

/// Finds the value of a name that the function assigns once and uses once.
fn given_once(code: &Code<'_>, function: u32, name: u32) -> Option<u32> {
    let is_same = |n: &u32| code.kind(*n) == "identifier" && code.source(*n) == code.source(name);
    let uses: Vec<u32> = code.below(function).filter(is_same).collect();
    let [given, _] = uses[..] else {
        return None;
    };
    let assignment = code.parent(given);
    let is_given = code.kind(assignment) == "assignment" && code.field(given) == "left";
    code.child(assignment, "right").filter(|_| is_given)
}

/// Iterates over the pieces of a string between filled-in values.
fn contents(code: &Code<'_>, string: u32) -> impl Iterator<Item = u32> {
    let children = code.children(string);
    children.filter(|child| code.kind(*child) == "string_content")
}

fn n_words(code: &Code<'_>, string: u32) -> usize {
    let pieces = contents(code, string).flat_map(|content| pieces(code, content));
    pieces.filter(|piece| piece.1).count()
}

fn reworded(code: &Code<'_>, string: u32) -> Vec<VariantEdit> {
    let mut is_first = true;
    let mut edits = Vec::new();
    for content in contents(code, string) {
        let mut text = String::new();
        for (span, is_word) in pieces(code, content) {
            text.push_str(match (is_word, is_first) {
                (false, _) => span.of(code.text),
                (true, true) => "reworded",
                (true, false) => "text",
            });
            is_first &= !is_word;
        }
        edits.push(edit(code.span(content), text));
    }
    edits
}

/// Cuts a piece of a string into words and all else, in order.
fn pieces(code: &Code<'_>, content: u32) -> Vec<(Span, bool)> {
    let span = code.span(content);
    let escapes: Vec<Span> = code.named(content).map(|n| code.span(n)).collect();
    let mut pieces: Vec<(Span, bool)> = Vec::new();
    let mut at = span.start;
    while at < span.end {
        let rest = &code.text[at as usize..span.end as usize];
        let escape = escapes.iter().find(|escape| escape.start == at);
        let n_fixed = escape.map_or_else(
            || n_filled_in(rest),
            |span| (span.end - span.start) as usize,
        );
        let next = escapes.iter().map(|escape| escape.start).find(|n| *n > at);
        let rest = &rest[..rest
            .len()
            .min(next.map_or(usize::MAX, |next| (next - at) as usize))];
        let n_letters: usize = rest
            .chars()
            .take_while(|c| c.is_alphabetic())
            .map(char::len_utf8)
            .sum();
        let (n, is_word) = match (n_fixed, n_letters) {
            (0, 0) => (rest.chars().next().map_or(1, char::len_utf8), false),
            (0, n) => (n, rest[..n].chars().count() > 1),
            (n, _) => (n, false),
        };
        let end = (at + n as u32).min(span.end);
        pieces.push((Span::new(at, end), is_word));
        at = end;
    }
    pieces
}

/// Measures the placeholder that begins here, in bytes: `%d`, `%(name)s`, `{}`, `{name!r}`; 0 where there is none.
fn n_filled_in(text: &str) -> usize {
    match text.chars().next() {
        Some('{') if text.starts_with("{{") => 2,
        Some('{') => {
            let mut depth = 0;
            for (at, letter) in text.char_indices() {
                match letter {
                    '{' => depth += 1,
                    '}' => depth -= 1,
                    _ => {}
                }
                if depth == 0 {
                    return at + 1;
                }
            }
            1
        }
        Some('%') => {
            let mut at = 1;
            if text[at..].starts_with('(') {
                at += text[at..].find(')').map_or(0, |n| n + 1);
            }
            let flags = text[at..].chars().take_while(|c| FLAGS.contains(*c));
            at += flags.count();
            at + text[at..].chars().next().map_or(0, char::len_utf8)
        }
        _ => 0,
    }
}
