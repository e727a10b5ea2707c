//! A test's file without its tests: the context for a model that is to write one of them (MERA.md 2).
//!
//! This module decides by syntax alone which pieces of the file stay; the caller names the tests, and decides how many
//! characters are shown and how. Broken files give the parts that their trees still hold, hostile ones nothing.

mod csharp;
mod go;
mod java;
mod javascript;
mod name;
mod pieces;
mod python;
#[cfg(test)]
mod tests;

use tree_sitter::Node;

use crate::bounded;
use crate::model::{Language, Span};
use crate::tree::Grammar;

pub use self::name::declared_name;
use self::pieces::without;

/// A source file and the spans of its tests.
#[derive(Clone, Copy, Debug)]
pub struct TestFile<'t> {
    pub language: Language,
    pub path: &'t str,
    pub text: &'t str,
    /// All of them, in order.
    pub tests: &'t [Span],
}

/// Deeper groups and classes are not taken apart.
const DEPTH_MAX: usize = 64;

/// Extracts the context of one of the file's tests: pieces of the file in their order, joined by line feeds.
#[must_use]
pub fn test_context(file: TestFile<'_>, test: Span) -> String {
    let Some(tree) = parse(file.language, file.path, file.text) else {
        return String::new();
    };
    let view = View { file, test };
    let root = tree.root_node();
    match file.language {
        Language::Python => python::context(&view, root),
        Language::Go => go::context(&view, root),
        Language::Java => java::context(&view, root),
        Language::JavaScript => javascript::context(&view, root),
        Language::CSharp => csharp::context(&view, root),
    }
}

/// Where a file does not follow its grammar.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faults(Vec<Span>);

impl Faults {
    /// Finds erroneous and missing nodes; the whole file counts as one where parsing would take too much time or stack.
    #[must_use]
    pub fn of(language: Language, path: &str, text: &str) -> Self {
        let Some(tree) = parse(language, path, text) else {
            return Self(vec![Span::new(0, u32::MAX)]);
        };
        let mut faults = Vec::new();
        each_fault(&tree, |node| faults.push(span_of(node)));
        Self(faults)
    }

    /// Tells whether this span of the file has neither an error nor a missing node.
    #[must_use]
    pub fn spare(&self, span: Span) -> bool {
        let touches = |fault: &Span| {
            fault.start < span.end && span.start < fault.end.max(fault.start.saturating_add(1))
        };
        !self.0.iter().any(touches)
    }
}

/// Parses a whole file, by the grammar that its name asks for; nothing where parsing it would take time or stack beyond
/// all measure.
pub(crate) fn parse(language: Language, path: &str, text: &str) -> Option<tree_sitter::Tree> {
    let ending = path
        .rsplit('.')
        .next()
        .filter(|_| language == Language::JavaScript);
    let grammar = match ending {
        Some("ts" | "mts" | "cts") => Grammar::typescript(false),
        Some("tsx") => Grammar::typescript(true),
        _ => Grammar::of(language),
    };
    let by = |grammar: &Grammar| bounded::parse(&mut grammar.parser(), text);
    let tree = by(grammar)?;
    let is_plain =
        language == Language::JavaScript && !path.ends_with("ts") && !path.ends_with("tsx");
    if is_plain && tree.root_node().has_error() {
        // Some files named `.js` have type annotations.
        let other = by(Grammar::typescript(true));
        return other
            .filter(|other| n_faults(other) < n_faults(&tree))
            .or(Some(tree));
    }
    Some(tree)
}

fn n_faults(tree: &tree_sitter::Tree) -> usize {
    let mut n_faults = 0;
    each_fault(tree, |_| n_faults += 1);
    n_faults
}

/// Hands every node that is an error or missing to `each`, but no node inside an error.
fn each_fault(tree: &tree_sitter::Tree, mut each: impl FnMut(Node<'_>)) {
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_fault = node.is_error() || node.is_missing();
        if is_fault {
            each(node);
        }
        if !is_fault && node.has_error() && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return;
            }
        }
    }
}

/// A file as one of its tests sees it.
struct View<'t> {
    file: TestFile<'t>,
    test: Span,
}

impl<'t> View<'t> {
    fn source(&self, node: Node<'_>) -> &'t str {
        span_of(node).of(self.file.text)
    }

    /// Tells whether a node is a test and nothing else.
    fn is_test(&self, node: Node<'_>) -> bool {
        let span = span_of(node);
        let is_slight = |start, end| {
            let rest = Span::new(start, end).of(self.file.text);
            // A function of Python may end with the comments behind it.
            rest.lines().all(|line| {
                let line = line.trim();
                matches!(line, "" | ";" | "," | "await" | "void") || line.starts_with('#')
            })
        };
        self.tests_from(span.start).is_some_and(|test| {
            span.contains(test)
                && is_slight(span.start, test.start)
                && is_slight(test.end, span.end)
        })
    }

    fn holds_test(&self, node: Node<'_>) -> bool {
        let span = span_of(node);
        self.tests_from(span.start)
            .is_some_and(|test_span| span.contains(test_span))
    }

    fn holds_wanted(&self, node: Node<'_>) -> bool {
        span_of(node).contains(self.test)
    }

    /// Finds the first test that begins at or after an offset.
    fn tests_from(&self, start: u32) -> Option<Span> {
        let idx = self.file.tests.partition_point(|test| test.start < start);
        self.file.tests.get(idx).copied()
    }

    /// Copies a node's lines, without any test in them.
    fn lines(&self, node: Node<'_>) -> String {
        let start = self.line_start(node);
        let whole = Span::new(start as u32, node.end_byte() as u32);
        if !self.holds_test(node) {
            return whole.of(self.file.text).to_owned();
        }
        let first = self
            .file
            .tests
            .partition_point(|test| test.start < whole.start);
        let inside = self.file.tests[first..]
            .iter()
            .take_while(|test| test.end <= whole.end);
        // Includes the sign that ends the statement.
        let wider = |span: &Span| {
            let rest = self.file.text.get(span.end as usize..).unwrap_or_default();
            let n_more = u32::from(rest.starts_with([';', ',']));
            Span::new(span.start, (span.end + n_more).min(whole.end))
        };
        let holes: Vec<Span> = inside.map(wider).collect();
        without(self.file.text, whole, &holes)
    }

    /// Finds where a node's line begins, if only white space stands before the node; else where the node begins.
    fn line_start(&self, node: Node<'_>) -> usize {
        let before = &self.file.text[..node.start_byte()];
        let indented = before.trim_end_matches([' ', '\t']);
        if indented.is_empty() || indented.ends_with('\n') {
            indented.len()
        } else {
            node.start_byte()
        }
    }

    /// Copies the white space before a node on its line.
    fn indent(&self, node: Node<'_>) -> &'t str {
        &self.file.text[self.line_start(node)..node.start_byte()]
    }

    /// Copies a node's lines up to the beginning of another one, without white space at the end.
    fn head(&self, node: Node<'_>, body: Node<'_>) -> &'t str {
        let start = self.line_start(node);
        let text = self.file.text.get(start..body.start_byte());
        text.unwrap_or_default().trim_end()
    }
}

fn span_of(node: Node<'_>) -> Span {
    Span::new(node.start_byte() as u32, node.end_byte() as u32)
}

/// Lists the children that the grammar gives names, in order.
fn named_children(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    node.named_children(&mut cursor).collect()
}
