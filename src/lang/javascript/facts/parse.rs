//! From a text to a tree: which grammar reads it, and what is not read at all.

use std::cell::RefCell;

use tree_sitter::{Node, Parser, Tree};

use super::Facts;
use super::kind::{Grammar, JAVASCRIPT, TSX, TYPESCRIPT};
use super::lower::Lower;
use super::repair;
use crate::fault::Fault;
use crate::model::{Language, Problem};
use crate::syntax::bounded;
use crate::syntax::file_tokens::{FileTokens, OddKinds};
use crate::syntax::tree;

thread_local! {
    // A parser keeps its buffers; making one per file costs more than parsing a small file.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Lines of minified code are longer on average than people write, in bytes.
const LINE_MEAN_MAX: usize = 500;

/// Shorter texts are read however they look.
const MINIFIED_MIN: usize = 5_000;

/// Reads one file, with its tokens where the tree tells them. Never fails: a file that does not parse as a whole gives
/// what does, and a problem.
pub fn parse(path: &str, text: &str) -> (Facts, Option<FileTokens>, Option<Problem>) {
    if is_minified(text) {
        return (
            lowered(path, "", &JAVASCRIPT, parsed("", &JAVASCRIPT).as_ref()),
            None,
            None,
        );
    }
    let mut grammar = grammar_of(path);
    let mut tree = parsed(text, grammar);
    let mut is_repaired = false;
    let count = |tree: Option<&Tree>| tree.map_or(usize::MAX, n_errors);
    // Types of Flow look like those of TypeScript, most of all (L33).
    if std::ptr::eq(grammar, &raw const *JAVASCRIPT)
        && tree.as_ref().is_none_or(|it| it.root_node().has_error())
    {
        let other = parsed_again(text, &TSX);
        if count(other.as_ref()) < count(tree.as_ref()) {
            grammar = &TSX;
            tree = other;
        }
    }
    if !std::ptr::eq(grammar, &raw const *JAVASCRIPT)
        && tree.as_ref().is_some_and(|it| it.root_node().has_error())
        && let Some(repaired) = repair::repaired(text)
    {
        let other = parsed_again(&repaired, grammar);
        if other.is_some() && count(other.as_ref()) < count(tree.as_ref()) {
            tree = other;
            is_repaired = true;
        }
    }
    let tokens = tree.as_ref().filter(|_| !is_repaired);
    let tokens = tokens.and_then(|tree| tokens_of((tree, grammar), text));
    let facts = lowered(path, text, grammar, tree.as_ref());
    let fault = tree.as_ref().map_or(Some(Fault::GivenUp), |tree| {
        first_error(tree.root_node()).map(|at| Fault::at(facts.lines.line(at)))
    });
    let problem = fault.map(|it| it.of(path));
    (facts, tokens, problem)
}

fn tokens_of((tree, grammar): (&Tree, &Grammar), text: &str) -> Option<FileTokens> {
    if std::ptr::eq(grammar, &raw const *JAVASCRIPT) {
        let grammar = tree::Grammar::of(Language::JavaScript);
        return FileTokens::of_parsed((tree, grammar), text, &OddKinds::default());
    }
    let has_elements = std::ptr::eq(grammar, &raw const *TSX);
    let grammar = tree::Grammar::typescript(has_elements);
    FileTokens::of_parsed((tree, grammar), text, OddKinds::typed(has_elements))
}

fn lowered(path: &str, text: &str, grammar: &'static Grammar, tree: Option<&Tree>) -> Facts {
    match tree {
        Some(tree) => Lower::of(path, text, grammar, tree),
        None => match parsed("", grammar) {
            Some(tree) => Lower::of(path, "", grammar, &tree),
            None => Facts::default(),
        },
    }
}

fn grammar_of(path: &str) -> &'static Grammar {
    match path.rsplit('.').next().unwrap_or_default() {
        "ts" | "mts" | "cts" => &TYPESCRIPT,
        "tsx" => &TSX,
        _ => &JAVASCRIPT,
    }
}

fn parsed(text: &str, grammar: &Grammar) -> Option<Tree> {
    parsed_by(text, grammar, bounded::parse)
}

/// Parses what has been parsed before, and is counted apart.
fn parsed_again(text: &str, grammar: &Grammar) -> Option<Tree> {
    parsed_by(text, grammar, bounded::parse_again)
}

fn parsed_by(
    text: &str,
    grammar: &Grammar,
    parse: fn(&mut Parser, &str) -> Option<Tree>,
) -> Option<Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser
            .set_language(&grammar.language)
            .expect("the grammars are built for this tree-sitter");
        parse(parser, text)
    })
}

/// Returns whether a text was written by a program that saves bytes.
fn is_minified(text: &str) -> bool {
    text.len() > MINIFIED_MIN && text.len() / (text.matches('\n').count() + 1) > LINE_MEAN_MAX
}

/// Counts the errors and missing nodes of a tree, those within errors too.
fn n_errors(tree: &Tree) -> usize {
    let mut n = 0;
    each_faulty(tree.root_node(), |_| {
        n += 1;
        true
    });
    n
}

fn first_error(root: Node<'_>) -> Option<u32> {
    let mut first = None;
    each_faulty(root, |node| {
        first = Some(node.start_byte() as u32);
        false
    });
    first
}

/// Hands over every error and missing node in order of position, until `go_on` says no.
fn each_faulty(root: Node<'_>, mut go_on: impl FnMut(Node<'_>) -> bool) {
    if !root.has_error() {
        return;
    }
    let mut cursor = root.walk();
    loop {
        let node = cursor.node();
        if (node.is_error() || node.is_missing()) && !go_on(node) {
            return;
        }
        if node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// Parses and nothing else, for measuring.
pub fn parse_only<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>) -> usize {
    texts
        .filter_map(|(path, text)| parsed(text, grammar_of(path)))
        .map(|tree| tree.root_node().child_count())
        .sum()
}
