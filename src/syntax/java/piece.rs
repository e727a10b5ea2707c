//! Java as trees, piece by piece: statements, members of a class, whole files.
//!
//! A piece is read as [`fragment`](super::fragment) judges it: in the same wrapper, and where the grammar rejects it,
//! once more with its Unicode escapes decoded and rewritten for the grammar. The text of a node is then the decoded one
//! before rewriting. Only the grammar decides; a piece that only a compiler's parser rejects (`int x = 09;`) has a tree
//! as well.

use super::fragment::readable;
use super::javalang::Lexer;
use crate::model::Language;
use crate::tree::{Parser, Tree};

/// The kind of piece that a text is read as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PieceUnit {
    /// The body of a method without its braces, which may be empty.
    Statements,
    /// The content of the body of a class, which may be empty.
    Members,
    /// A whole file.
    File,
}

impl PieceUnit {
    /// Returns the text to put before and behind such a piece to make it a file.
    const fn around(self) -> (&'static str, &'static str) {
        match self {
            Self::Statements => ("class T { void t() throws Throwable {\n", "\n}}"),
            Self::Members => ("class T {\n", "\n}"),
            Self::File => ("", ""),
        }
    }
}

/// The place where a text stops being such a piece of Java, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JavaPieceError {
    /// In bytes, at most the length of the text; approximate where escapes were decoded.
    pub at: usize,
    /// For people: a lower-case fragment, source text in backticks and escaped.
    pub detail: String,
}

/// A piece that was read.
#[derive(Clone, Copy, Debug)]
pub struct JavaPiece<'r> {
    pub tree: &'r Tree,
    /// The text that the spans of the tree's nodes refer to: the piece in its wrapper.
    pub text: &'r str,
    /// The node whose children are the piece: `block`, `class_body` or `program`. The braces of the first two are the
    /// wrapper's.
    pub root: u32,
    /// How many bytes of the text stand before the piece.
    pub before: usize,
}

/// Reads pieces of Java; keeps parser and buffers from one to the next. One per thread.
#[derive(Default)]
pub struct JavaPieceReader {
    parser: Parser,
    lexer: Lexer,
    tree: Tree,
    wrapped: String,
    written: String,
}

impl JavaPieceReader {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads any text.
    ///
    /// # Errors
    /// When it is no such piece.
    pub fn read(&mut self, text: &str, unit: PieceUnit) -> Result<JavaPiece<'_>, JavaPieceError> {
        let text = match unit {
            PieceUnit::File => text.strip_prefix('\u{feff}').unwrap_or(text),
            PieceUnit::Statements | PieceUnit::Members => text,
        };
        if let Some(flaw) = readable::odd(text) {
            return Err(JavaPieceError {
                at: flaw.at,
                detail: flaw.detail,
            });
        }
        let (before, after) = unit.around();
        wrap(&mut self.wrapped, (before, text, after));
        self.parser
            .parse(Language::Java, &self.wrapped, &mut self.tree);
        let root = match root(&self.tree, unit, self.wrapped.len()) {
            Ok(root) => root,
            Err(first) => self.read_again(text, unit).ok_or_else(|| JavaPieceError {
                at: first.saturating_sub(before.len()).min(text.len()),
                detail: first_words(text, first.saturating_sub(before.len())),
            })?,
        };
        Ok(JavaPiece {
            tree: &self.tree,
            text: &self.wrapped,
            root,
            before: before.len(),
        })
    }

    /// Decodes, rewrites and reads a text that the grammar does not accept as it stands; returns the root.
    fn read_again(&mut self, text: &str, unit: PieceUnit) -> Option<u32> {
        let (before, after) = unit.around();
        let mut len = text.len();
        if text.contains("\\u")
            && let Some(decoded) = self.lexer.decoded(text).ok()?
        {
            if readable::odd(decoded).is_some() {
                return None;
            }
            len = decoded.len();
            wrap(&mut self.wrapped, (before, decoded, after));
        }
        self.written.clone_from(&self.wrapped);
        readable::rename(&mut self.written, before.len(), len);
        self.parser
            .parse(Language::Java, &self.written, &mut self.tree);
        root(&self.tree, unit, self.written.len()).ok()
    }
}

fn wrap(wrapped: &mut String, (before, text, after): (&str, &str, &str)) {
    wrapped.clear();
    wrapped.push_str(before);
    wrapped.push_str(text);
    wrapped.push_str(after);
}

/// Finds the node of the piece, or the place where the text stops being such a piece.
fn root(tree: &Tree, unit: PieceUnit, len: usize) -> Result<u32, usize> {
    if tree.has_error() {
        let mut nodes = tree.nodes.iter();
        let first = nodes.find(|node| node.is_error() || node.is_missing());
        return Err(first.map_or(0, |node| node.span.start as usize));
    }
    if unit == PieceUnit::File {
        return Ok(0);
    }
    // A piece that closes more than it opens leaves more in the file than the class, or more in the class than its
    // one method.
    let class = tree.children(0).next().ok_or(0_usize)?;
    let node = tree.nodes[class as usize];
    if node.span.end as usize != len || node.subtree_end as usize != tree.nodes.len() {
        return Err(node.span.end as usize);
    }
    let body = last_child(tree, class).ok_or(0_usize)?;
    if unit == PieceUnit::Members {
        return Ok(body);
    }
    let mut members = tree.children(body).skip(1);
    let method = members.next().ok_or(0_usize)?;
    let end = tree.nodes[method as usize].span.end as usize;
    if members.count() != 1 || end + 1 != len {
        return Err(end);
    }
    last_child(tree, method).ok_or(0)
}

fn last_child(tree: &Tree, idx: u32) -> Option<u32> {
    tree.children(idx).last()
}

/// Describes the text where reading ended.
fn first_words(text: &str, at: usize) -> String {
    /// A longer piece is cut in a message: its beginning is enough to find it.
    const CHARS_MAX: usize = 24;
    let rest = text.get(at..).unwrap_or_default().trim_start();
    let line = rest.lines().next().unwrap_or_default();
    if line.is_empty() {
        return "unexpected end".to_owned();
    }
    let words: String = line.chars().take(CHARS_MAX).collect();
    format!("syntax error at `{}`", words.escape_debug())
}

#[cfg(test)]
mod tests {
    use super::{JavaPieceReader, PieceUnit};

    fn check(text: &str, unit: PieceUnit, expected: Result<&str, usize>) {
        let mut reader = JavaPieceReader::new();
        let read = reader.read(text, unit);
        let kind = |root: u32, tree: &crate::tree::Tree| {
            tree.grammar
                .kind_name(tree.nodes[root as usize].kind)
                .to_owned()
        };
        let found = read
            .map(|piece| kind(piece.root, piece.tree))
            .map_err(|unread| unread.at);
        assert_eq!(found.as_deref().map_err(|at| *at), expected, "{text}");
    }

    #[test]
    fn a_piece_is_what_it_is_asked_to_be() {
        check("f(); int x = 1;", PieceUnit::Statements, Ok("block"));
        check("", PieceUnit::Statements, Ok("block"));
        check("T(int a) {} int b;", PieceUnit::Members, Ok("class_body"));
        check("package p; class C {}", PieceUnit::File, Ok("program"));
        check("\u{feff}class C {}", PieceUnit::File, Ok("program"));
    }

    #[test]
    fn what_leaves_its_wrapper_is_no_piece() {
        check("} void u() {", PieceUnit::Statements, Err(1));
        check("} { ", PieceUnit::Statements, Err(1));
        check("} class U {", PieceUnit::Members, Err(1));
    }

    #[test]
    fn escapes_and_currencies_are_read_as_the_language_means_them() {
        check("int \\u0061 = 1;", PieceUnit::Statements, Ok("block"));
        check("int a€ = 1;", PieceUnit::Statements, Ok("block"));
    }
}
