//! Syntax trees of all languages that can be scored, as flat lists of nodes.
//!
//! This module knows nothing of scores: it holds what tree-sitter saw, in memory that is used again for the next text.
//! The nodes are those that tree-sitter shows, in the order of the text, parents before children. Two more things
//! are kept because printed trees have them and no node does: the text of an unexpected character, and terminals that
//! the parser inserted although the grammar hides them.

mod cursor;
mod fault;
mod grammar;
mod hidden;
mod leaves;
mod memo;
pub mod parsers;
mod tangle;
#[cfg(test)]
mod tests;

use tree_sitter::TreeCursor;

pub use self::cursor::Cursor;
pub use self::fault::Fault;
pub(crate) use self::fault::position_of;
pub use self::grammar::{Grammar, NodeField, NodeKind};
pub(crate) use self::leaves::read_tokens;
pub use self::leaves::tokens;
pub use self::memo::Memo;
use crate::bounded;
use crate::model::{Language, Span};

/// Flags of a node.
const NAMED: u8 = 1;
const MISSING: u8 = 2;
const ERROR: u8 = 4;
const EXTRA: u8 = 8;
const FAULTY: u8 = 16;

/// The greatest depth of a tree whose hidden terminals are looked for. tree-sitter prints by recursion, with several
/// frames of 160 bytes for each node that it shows: 3,000 links of a broken chain of calls overflow a stack of 2 MiB.
const PRINTED_MAX: u32 = 1_500;

/// One node of a tree.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// Bytes of the text.
    pub span: Span,
    /// The index after the node's last descendant: its subtree is `nodes[idx..subtree_end]`.
    pub subtree_end: u32,
    /// How many nodes are above it; the root has none.
    pub depth: u32,
    pub kind: NodeKind,
    /// The field of the parent that holds the node; [`NodeField::NONE`] when none does.
    pub field: NodeField,
    flags: u8,
}

impl Node {
    /// Tells whether the grammar gives the node a name, as it does not to `(` and `if`.
    #[must_use]
    pub const fn is_named(&self) -> bool {
        self.flags & NAMED != 0
    }

    /// Tells whether the node is empty and was inserted by the parser, to continue.
    #[must_use]
    pub const fn is_missing(&self) -> bool {
        self.flags & MISSING != 0
    }

    /// Tells whether the node is text that the parser had to skip.
    #[must_use]
    pub const fn is_error(&self) -> bool {
        self.flags & ERROR != 0
    }

    /// Tells whether the node may stand anywhere, as comments do.
    #[must_use]
    pub const fn is_extra(&self) -> bool {
        self.flags & EXTRA != 0
    }

    /// Tells whether the node, or one below it, is an error or missing, be it shown or hidden.
    #[must_use]
    pub const fn has_error(&self) -> bool {
        self.flags & FAULTY != 0
    }
}

/// A terminal that the grammar hides and the parser inserted: a printed tree has it, the nodes do not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MissingNode {
    /// The innermost printed node around it.
    pub parent: u32,
    /// The last printed node before it: its parent, or a node below its parent.
    pub after: u32,
    pub field: NodeField,
    /// As a printed tree shows it: `(MISSING _newline)`.
    pub printed: String,
}

/// A parsed text. Keep it and parse the next text into it: the memory is used again.
#[derive(Clone, Debug)]
pub struct Tree {
    /// In the order of the text, parents first; empty when the parser was stopped.
    pub nodes: Vec<Node>,
    /// The printed form of error nodes of one unexpected character, `(UNEXPECTED 'x')`; by index of the node.
    pub unexpected: Vec<(u32, String)>,
    /// By parent, then by place.
    pub supposed: Vec<MissingNode>,
    pub grammar: &'static Grammar,
    /// Nodes around the one that is read, each with how many of its children are left.
    open: Vec<(u32, usize)>,
}

/// How the library's nodes are read.
#[derive(Clone, Copy)]
struct Reading {
    /// Whether there are errors anywhere.
    is_faulty: bool,
    /// How many bytes the library's text has before ours.
    n_before: u32,
}

impl Tree {
    /// Makes a tree without nodes.
    #[must_use]
    pub fn new() -> Self {
        Self {
            nodes: Vec::new(),
            unexpected: Vec::new(),
            supposed: Vec::new(),
            grammar: Grammar::of(Language::Java),
            open: Vec::new(),
        }
    }

    /// Tells whether the parser gave up: parsing the text would take time or stack beyond all measure, or it has 4 GiB
    /// or more. Such a tree has no nodes; every other one has a root.
    #[must_use]
    pub fn is_stopped(&self) -> bool {
        self.nodes.is_empty()
    }

    /// Tells whether the text does not follow the grammar; also when the parser was stopped.
    #[must_use]
    pub fn has_error(&self) -> bool {
        self.nodes.first().is_none_or(Node::has_error)
    }

    /// Iterates over the indices of a node's children, in the order of the text.
    pub fn children(&self, idx: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.nodes[idx as usize].subtree_end;
        let mut next = idx + 1;
        std::iter::from_fn(move || {
            (next < end).then(|| {
                let child = next;
                next = self.nodes[child as usize].subtree_end;
                child
            })
        })
    }

    /// Tells whether a node has no children.
    #[must_use]
    pub fn is_leaf(&self, idx: u32) -> bool {
        self.nodes[idx as usize].subtree_end == idx + 1
    }

    /// Finds the first child in a field; [`NodeField::NONE`] names nothing.
    #[must_use]
    pub fn child_by_field(&self, idx: u32, field: NodeField) -> Option<u32> {
        if field == NodeField::NONE {
            return None;
        }
        self.children(idx)
            .find(|child| self.nodes[*child as usize].field == field)
    }

    /// Becomes the tree that the library's own parser made by a grammar, or one without nodes. Terminals that only a
    /// printed tree has are not looked for.
    pub fn become_parsed(&mut self, grammar: &'static Grammar, parsed: Option<&tree_sitter::Tree>) {
        self.clear(grammar);
        if let Some(parsed) = parsed {
            self.read(parsed);
        }
    }

    /// Becomes the tree of a text that was parsed inside a longer one, without errors: a root of that kind over what
    /// stands between the first and the last child of the node around it, which are brackets.
    pub(crate) fn become_inner(
        &mut self,
        grammar: &'static Grammar,
        (root, around): (NodeKind, tree_sitter::Node<'_>),
        text: Span,
    ) {
        self.clear(grammar);
        self.nodes.push(Node {
            span: Span::new(0, text.end - text.start),
            subtree_end: 0,
            depth: 0,
            kind: root,
            field: NodeField::NONE,
            flags: NAMED,
        });
        let n_inner = around.child_count().saturating_sub(2);
        let how = Reading {
            is_faulty: false,
            n_before: text.start,
        };
        let mut cursor = around.walk();
        if cursor.goto_first_child() {
            self.open.push((0, n_inner));
            for _ in 0..n_inner {
                cursor.goto_next_sibling();
                self.read_node(&mut cursor, how);
            }
        }
        self.nodes[0].subtree_end = self.nodes.len() as u32;
    }

    fn clear(&mut self, grammar: &'static Grammar) {
        self.grammar = grammar;
        self.nodes.clear();
        self.unexpected.clear();
        self.supposed.clear();
        self.open.clear();
    }

    fn read(&mut self, tree: &tree_sitter::Tree) {
        let how = Reading {
            is_faulty: tree.root_node().has_error(),
            n_before: 0,
        };
        self.read_node(&mut tree.walk(), how);
    }

    /// Adds the node under the cursor with everything in it.
    ///
    /// Children are counted: a node says at once how many it has, whereas a cursor that is asked for a sibling of the
    /// last child looks through all the nodes around it.
    fn read_node(&mut self, cursor: &mut TreeCursor<'_>, how: Reading) {
        let n_around = self.open.len();
        loop {
            let n_children = self.push(cursor, how);
            let idx = self.nodes.len() as u32 - 1;
            if n_children > 0 && cursor.goto_first_child() {
                self.open.push((idx, n_children));
                continue;
            }
            self.nodes[idx as usize].subtree_end = idx + 1;
            while let Some((parent, n_left)) = self.open[n_around..].last_mut() {
                *n_left -= 1;
                if *n_left > 0 && cursor.goto_next_sibling() {
                    break;
                }
                self.nodes[*parent as usize].subtree_end = self.nodes.len() as u32;
                self.open.pop();
                cursor.goto_parent();
            }
            if self.open.len() == n_around {
                return;
            }
        }
    }

    /// Adds a node and returns how many children it has. Errors are rare, and every check costs: the nodes of a sound
    /// tree are not checked.
    fn push(&mut self, cursor: &TreeCursor<'_>, how: Reading) -> usize {
        let is_faulty = how.is_faulty;
        let node = cursor.node();
        let id = node.kind_id();
        let mut flags = 0;
        if self.grammar.is_named(id) {
            flags |= NAMED;
        }
        if node.is_extra() {
            flags |= EXTRA;
        }
        if is_faulty && node.is_error() {
            // The library's `has_error` is false for an error of one unexpected character.
            flags |= ERROR | FAULTY;
            if node.child_count() == 0 {
                let printed = node.to_sexp();
                if printed != "(ERROR)" {
                    self.unexpected.push((self.nodes.len() as u32, printed));
                }
            }
        } else if is_faulty && node.has_error() {
            flags |= FAULTY;
            if node.is_missing() {
                flags |= MISSING;
            }
        }
        self.nodes.push(Node {
            span: Span::new(
                node.start_byte() as u32 - how.n_before,
                node.end_byte() as u32 - how.n_before,
            ),
            subtree_end: 0,
            depth: self.open.len() as u32,
            kind: self.grammar.kind_of(id),
            field: NodeField::of_id(cursor.field_id()),
            flags,
        });
        node.child_count()
    }
}

impl Default for Tree {
    fn default() -> Self {
        Self::new()
    }
}

/// Parsers of all languages, made when first needed. One per thread.
#[derive(Default)]
pub struct Parser {
    by_language: [Option<tree_sitter::Parser>; Language::ALL.len()],
    typescript: [Option<tree_sitter::Parser>; 2],
}

impl Parser {
    /// Makes a parser that knows no language yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Parses any text into a tree whose old nodes are lost. Never fails: see [`Tree::is_stopped`].
    pub fn parse(&mut self, language: Language, text: &str, tree: &mut Tree) {
        tree.clear(Grammar::of(language));
        if is_beyond(language, text) {
            return;
        }
        if let Some(parsed) = bounded::parse(self.of(language), text) {
            tree.read(&parsed);
            if tree.has_error()
                && hidden::may_be_supposed(language, text)
                && tree.nodes.iter().all(|node| node.depth <= PRINTED_MAX)
            {
                hidden::find(tree, &parsed.root_node().to_sexp());
            }
        }
    }

    /// Parses a file into a tree, whose old nodes are lost, by the grammar that its name asks for: a file that ends in
    /// `.ts` is TypeScript, and so is one that only parses with types. Never fails: see [`Tree::is_stopped`].
    pub fn parse_file(&mut self, language: Language, path: &str, text: &str, tree: &mut Tree) {
        let extension = path.rsplit('.').next().unwrap_or_default();
        match (language, extension) {
            (Language::JavaScript, "ts" | "mts" | "cts") => self.parse_typed(text, false, tree),
            (Language::JavaScript, "tsx") => self.parse_typed(text, true, tree),
            (Language::JavaScript, _) => {
                // Some files named `.js` have type annotations.
                self.parse(language, text, tree);
                if tree.has_error() {
                    self.parse_typed(text, true, tree);
                }
                if tree.has_error() {
                    self.parse(language, text, tree);
                }
            }
            _ => self.parse(language, text, tree),
        }
    }

    /// Parses TypeScript, with or without elements in the text.
    fn parse_typed(&mut self, text: &str, has_elements: bool, tree: &mut Tree) {
        tree.clear(Grammar::typescript(has_elements));
        if is_beyond(Language::JavaScript, text) {
            return;
        }
        if let Some(parsed) = bounded::parse(self.typed(has_elements), text) {
            tree.read(&parsed);
        }
    }

    /// Tells whether a text follows the grammar: the opposite of its tree's [`Tree::has_error`], without the time that
    /// looking for a repair takes.
    pub fn is_sound(&mut self, language: Language, text: &str) -> bool {
        !is_beyond(language, text) && bounded::parse_sound(self.of(language), text).is_some()
    }

    /// Tells whether a text follows the grammar of TypeScript, with elements in it or without.
    pub fn is_sound_typed(&mut self, text: &str) -> bool {
        let is_sound = |has_elements: bool, parser: &mut Self| {
            bounded::parse_sound(parser.typed(has_elements), text).is_some()
        };
        !is_beyond(Language::JavaScript, text) && (is_sound(true, self) || is_sound(false, self))
    }

    fn typed(&mut self, has_elements: bool) -> &mut tree_sitter::Parser {
        self.typescript[usize::from(has_elements)]
            .get_or_insert_with(|| Grammar::typescript(has_elements).parser())
    }

    fn of(&mut self, language: Language) -> &mut tree_sitter::Parser {
        self.by_language[language as usize].get_or_insert_with(|| Grammar::of(language).parser())
    }
}

/// Tells whether a text is too large or too tangled to be parsed.
pub fn is_beyond(language: Language, text: &str) -> bool {
    u32::try_from(text.len()).is_err() || tangle::is_tangled(language, text)
}
