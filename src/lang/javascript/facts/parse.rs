//! Parses texts: decides which grammar reads a text, and which texts are not read at all.

use std::cell::RefCell;

use tree_sitter::{Node, Parser};

use super::JavaScriptFacts;
use super::kind::{JAVASCRIPT, JavaScriptGrammar, TSX, TYPESCRIPT};
use super::lower::JavaScriptLowering;
use super::{node, repair};
use crate::fault::Fault;
use crate::index::{FileReading, SourceText};
use crate::syntax::bounded;
use crate::syntax::file_tokens::{FileTokens, OddKinds};
use crate::syntax::tree::Tree;

thread_local! {
    // A parser keeps its buffers; making one per file costs more than parsing a small file. So does a tree.
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
    static TREE: RefCell<Tree> = RefCell::new(Tree::new());
}

/// The mean length of lines, in bytes, beyond which code is minified: people write shorter ones.
const LINE_MEAN_MAX: usize = 500;

/// How many bytes a text may have to be read however it looks.
const MINIFIED_MIN: usize = 5_000;

/// Reads one file, with its tokens where the tree tells them. Never fails: a file with syntax errors gives the facts
/// that can be read, and a problem.
pub fn parse(source: SourceText<'_>) -> FileReading<JavaScriptFacts> {
    let SourceText { path, text } = source;
    if is_minified(text) {
        return FileReading {
            facts: JavaScriptLowering::of(path, "", &JAVASCRIPT, None),
            tokens: None,
            problem: None,
        };
    }
    let mut grammar = grammar_of(path);
    let mut tree = parsed(text, grammar);
    let mut is_repaired = false;
    let count = |tree: Option<&tree_sitter::Tree>| tree.map_or(usize::MAX, n_errors);
    // Most types of Flow look like TypeScript's (L33).
    if std::ptr::eq(grammar, &raw const *JAVASCRIPT)
        && tree
            .as_ref()
            .is_none_or(|tree| tree.root_node().has_error())
    {
        let other = parsed_again(text, &TSX);
        if count(other.as_ref()) < count(tree.as_ref()) {
            grammar = &TSX;
            tree = other;
        }
    }
    if !std::ptr::eq(grammar, &raw const *JAVASCRIPT)
        && tree
            .as_ref()
            .is_some_and(|tree| tree.root_node().has_error())
        && let Some(repaired) = repair::repaired(text)
    {
        let other = parsed_again(&repaired, grammar);
        if other.is_some() && count(other.as_ref()) < count(tree.as_ref()) {
            tree = other;
            is_repaired = true;
        }
    }
    let (facts, tokens) = TREE.with_borrow_mut(|flat| {
        flat.become_parsed(grammar.tree, tree.as_ref());
        let root = node::Node::root(flat);
        // A text whose parsing was given up has no facts.
        let text = if root.is_some() { text } else { "" };
        let tokens = (!is_repaired)
            .then(|| FileTokens::of_odd_tree(flat, text, odd_kinds(grammar)))
            .flatten();
        (JavaScriptLowering::of(path, text, grammar, root), tokens)
    });
    let fault = tree.as_ref().map_or(Some(Fault::GivenUp), |tree| {
        first_error(tree.root_node()).map(|at| Fault::at(facts.lines.line(at)))
    });
    FileReading {
        facts,
        tokens,
        problem: fault.map(|fault| fault.of(path)),
    }
}

/// Lists the node kinds that the grammar of JavaScript reads otherwise, or not at all.
fn odd_kinds(grammar: &'static JavaScriptGrammar) -> &'static OddKinds {
    if std::ptr::eq(grammar, &raw const *JAVASCRIPT) {
        OddKinds::none()
    } else {
        OddKinds::typed(std::ptr::eq(grammar, &raw const *TSX))
    }
}

fn grammar_of(path: &str) -> &'static JavaScriptGrammar {
    match path.rsplit('.').next().unwrap_or_default() {
        "ts" | "mts" | "cts" => &TYPESCRIPT,
        "tsx" => &TSX,
        _ => &JAVASCRIPT,
    }
}

fn parsed(text: &str, grammar: &JavaScriptGrammar) -> Option<tree_sitter::Tree> {
    parsed_by(text, grammar, bounded::parse)
}

/// Parses a text once more, which is counted apart.
fn parsed_again(text: &str, grammar: &JavaScriptGrammar) -> Option<tree_sitter::Tree> {
    parsed_by(text, grammar, bounded::parse_again)
}

fn parsed_by(
    text: &str,
    grammar: &JavaScriptGrammar,
    parse: fn(&mut Parser, &str) -> Option<tree_sitter::Tree>,
) -> Option<tree_sitter::Tree> {
    PARSER.with_borrow_mut(|parser| {
        parser
            .set_language(grammar.tree.language())
            .expect("the grammars are built for this tree-sitter");
        parse(parser, text)
    })
}

/// Tells whether a text was minified, as the mean length of its lines shows.
fn is_minified(text: &str) -> bool {
    text.len() > MINIFIED_MIN && text.len() / (text.matches('\n').count() + 1) > LINE_MEAN_MAX
}

/// Counts the errors and missing nodes of a tree, those within errors too.
fn n_errors(tree: &tree_sitter::Tree) -> usize {
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

/// Parses and does nothing else, for measuring; counts the top-level nodes.
pub fn parse_only<'t>(texts: impl Iterator<Item = (&'t str, &'t str)>) -> usize {
    texts
        .filter_map(|(path, text)| parsed(text, grammar_of(path)))
        .map(|tree| tree.root_node().child_count())
        .sum()
}
