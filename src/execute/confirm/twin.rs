//! The twin of a test: the same text, made to fail wherever the test may be left.
//!
//! Decides where a method or function may be left, and which of its `return`s leave all of its assertions behind
//! unreached. [`confirm`](super) interprets a twin's outcome.

pub(super) mod java;
mod python;

use crate::model::{Language, Span};
use crate::syntax::tree::{Parser, Tree};

/// The text before the number of a `return` in the message of a twin that fails there.
const MARK: &str = "focalist twin: left by return ";

/// A text that has to fail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Twin {
    pub text: String,
    /// For each `return` by its number: whether a test that leaves there has reached no assertion, though there are
    /// some.
    pub skips: Vec<bool>,
    pub others: Others,
}

/// The code other than the test that may catch the exception of its twin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Others {
    Nobody,
    /// A decorator that is not known.
    Decorator,
    /// An expectation whose class is not written in it, so that the twin's exception may meet it.
    Expectation,
}

impl Twin {
    /// Tells whether the message says that a `return` left it before any assertion.
    pub fn says_skipped(&self, message: &str) -> bool {
        let Some((_, rest)) = message.split_once(MARK) else {
            return false;
        };
        let end = rest.find(|c: char| !c.is_ascii_digit());
        let number = rest[..end.unwrap_or(rest.len())].parse::<usize>();
        number.is_ok_and(|number| self.skips.get(number) == Some(&true))
    }
}

/// Makes twins; keeps its parser from one to the next.
#[derive(Default)]
pub struct Twins {
    parser: Parser,
    tree: Tree,
}

impl Twins {
    /// Makes the twin of a text that is one method or function; nothing for any other text.
    pub fn twin(&mut self, language: Language, text: &str) -> Option<Twin> {
        match language {
            Language::Java => java::twin(self, text),
            Language::Python => python::twin(self, text),
            Language::Go | Language::JavaScript | Language::CSharp => None,
        }
    }
}

/// The form of assertions in a language.
struct AssertionSyntax {
    /// The node of a call.
    call: &'static str,
    /// The nodes of clauses that run after an exception: to get there may be all that a test asserts.
    handlers: &'static [&'static str],
    /// Finds the name of the called function.
    name: fn(&Tree, u32) -> Option<Span>,
}

/// Beginnings of names that may assert something; the first of them surely do.
const WORDS: [&str; 11] = [
    "assert", "verify", "raises", "expect", "check", "ensure", "should", "validate", "require",
    "warns", "fail",
];
/// The first three of [`WORDS`]; the others may name helpers that assert nothing.
const N_SURE: usize = 3;

/// Tells for each `return` of a body whether a test that leaves there has reached none of its assertions. It is false
/// where a helper may have asserted something before, or where the `return` is in a handler.
fn skips(
    (tree, text): (&Tree, &str),
    body: u32,
    returns: &[Span],
    of: &AssertionSyntax,
) -> Vec<bool> {
    let (mut any, mut sure, mut handlers) = (Vec::new(), Vec::new(), Vec::new());
    for idx in body..tree.nodes[body as usize].subtree_end {
        let span = tree.nodes[idx as usize].span;
        let kind = kind(tree, idx);
        if kind == "assert_statement" {
            any.push(span.start);
            // `assert False`, like `fail()`, says that the test must not come here.
            let condition = span.of(text).trim_start_matches("assert").trim_start();
            let is_failure = ["False", "false", "0"]
                .iter()
                .any(|word| condition.starts_with(word));
            sure.extend((!is_failure).then_some(span.start));
        } else if of.handlers.contains(&kind) {
            handlers.push(span);
        } else if kind == of.call
            && let Some(name) = (of.name)(tree, idx)
        {
            let name = name.of(text).trim_start_matches('_').to_ascii_lowercase();
            let word = WORDS.iter().position(|text| name.starts_with(text));
            any.extend(word.map(|_| span.start));
            sure.extend(word.filter(|word| *word < N_SURE).map(|_| span.start));
        }
    }
    let is_skipping = |span: &Span| {
        sure.iter().any(|at| *at >= span.end)
            && any.iter().all(|at| *at >= span.end)
            && !handlers.iter().any(|handler| handler.contains(*span))
    };
    returns.iter().map(is_skipping).collect()
}

/// Lists the spans of the `return`s that leave a body, without those in its nested declarations.
fn returns(tree: &Tree, body: u32, barriers: &[&str]) -> Vec<Span> {
    let mut found = Vec::new();
    let mut idx = body + 1;
    while idx < tree.nodes[body as usize].subtree_end {
        let node = &tree.nodes[idx as usize];
        let kind = kind(tree, idx);
        if barriers.contains(&kind) {
            idx = node.subtree_end;
            continue;
        }
        if kind == "return_statement" {
            found.push(node.span);
        }
        idx += 1;
    }
    found
}

fn kind(tree: &Tree, idx: u32) -> &'static str {
    tree.grammar.kind_name(tree.nodes[idx as usize].kind)
}

/// Inserts texts into another one, each at its place; those of one place in their order.
fn inserted(text: &str, mut inserts: Vec<(usize, String)>) -> String {
    inserts.sort_by_key(|insert| insert.0);
    let mut made = String::with_capacity(text.len());
    let mut at = 0;
    for (place, insert) in inserts {
        made.push_str(&text[at..place]);
        made.push_str(&insert);
        at = place;
    }
    made.push_str(&text[at..]);
    made
}
