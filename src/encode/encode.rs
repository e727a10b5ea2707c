//! From a piece of source to its sequence.

use std::fmt;

use crate::syntax::java::piece::{JavaPiece, JavaPieceError, JavaPieceReader, PieceUnit};
use crate::syntax::tree::{Node, Tree};

use crate::form::{Child, FilledPiece, FormTable, FormToken, NodeEncoding};
use crate::sequence::{CLOSED, FULL, Sequence};

/// Why a text has no sequence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EncodeError {
    /// The text is no such piece of Java.
    Unread(JavaPieceError),
    /// The grammar has a type that the table does not have.
    UnknownType(String),
}

impl fmt::Display for EncodeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unread(unread) => write!(f, "does not parse: {}", unread.detail),
            Self::UnknownType(name) => write!(f, "no encoding of `{name}`"),
        }
    }
}

impl std::error::Error for EncodeError {}

/// Makes sequences from texts; keeps its parser and buffers from one to the next. One per thread.
#[derive(Default)]
pub struct Encoder {
    reader: JavaPieceReader,
    writer: TreeWriter,
}

impl Encoder {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Appends the sequence of a text with its root: `block` for statements, `class_body` for members, `program` for a
    /// file. Comments and layout are left out. On an error nothing is appended.
    ///
    /// # Errors
    /// When the text is no such piece of Java.
    pub fn encode(
        &mut self,
        text: &str,
        unit: PieceUnit,
        sequence: &mut Sequence,
    ) -> Result<(), EncodeError> {
        let len = sequence.len();
        let piece = self.reader.read(text, unit).map_err(EncodeError::Unread)?;
        let written = self.writer.write(&piece, sequence);
        written.inspect_err(|_| sequence.truncate(len))
    }

    /// Appends the sequence of a text without the markers of its root: each child of the root as a tree of its own.
    ///
    /// # Errors
    /// When the text is no such piece of Java.
    pub fn encode_inner(
        &mut self,
        text: &str,
        unit: PieceUnit,
        sequence: &mut Sequence,
    ) -> Result<(), EncodeError> {
        let mut whole = Sequence::new();
        self.encode(text, unit, &mut whole)?;
        if whole.get(1) != CLOSED {
            let inner = whole.len() - 2;
            sequence.extend(whole.iter().skip(1).take(inner));
        }
        Ok(())
    }
}

/// A node whose end is still to be written.
struct OpenNode {
    subtree_end: u32,
    kind: u16,
}

/// Writes trees; keeps buffers from one to the next.
#[derive(Default)]
struct TreeWriter {
    open: Vec<OpenNode>,
    /// By node: whether the sequence leaves it out.
    is_said: Vec<bool>,
    children: Vec<(u32, Child)>,
    kept: Vec<(u32, Child)>,
    taken: Vec<Child>,
    filled: Vec<FilledPiece>,
}

impl TreeWriter {
    fn write(&mut self, piece: &JavaPiece<'_>, sequence: &mut Sequence) -> Result<(), EncodeError> {
        let table = FormTable::java();
        let tree = piece.tree;
        self.open.clear();
        self.is_said.clear();
        self.is_said.resize(tree.nodes.len(), false);
        let mut idx = piece.root;
        let end = tree.nodes[idx as usize].subtree_end;
        while idx < end {
            self.close(table, idx, sequence);
            let node = &tree.nodes[idx as usize];
            if self.is_said[idx as usize] {
                idx = node.subtree_end;
                continue;
            }
            match role(table, tree, idx) {
                NodeEncoding::Comment => idx = node.subtree_end,
                NodeEncoding::Atom => {
                    sequence.push(node.span.of(piece.text));
                    idx = node.subtree_end;
                }
                NodeEncoding::Unknown => {
                    let name = table.grammar.kind_name(node.kind);
                    return Err(EncodeError::UnknownType(name.to_owned()));
                }
                NodeEncoding::Type(kind) => {
                    let subtree_end = node.subtree_end;
                    let n_written = self.open(table, piece, (idx, kind), sequence);
                    if n_written == 0 {
                        sequence.push(CLOSED);
                        idx = subtree_end;
                    } else {
                        self.open.push(OpenNode { subtree_end, kind });
                        idx += 1;
                    }
                }
            }
        }
        self.close(table, end, sequence);
        Ok(())
    }

    /// Writes the ends of the nodes that end before `idx`.
    fn close(&mut self, table: &FormTable, idx: u32, sequence: &mut Sequence) {
        while let Some(open) = self.open.pop_if(|open_node| open_node.subtree_end <= idx) {
            sequence.push(&table.types[usize::from(open.kind)].close);
        }
    }

    /// Writes the beginning of a node and marks the children that the sequence leaves out. Returns how many tokens are
    /// between its beginning and its end, each child counted once.
    fn open(
        &mut self,
        table: &FormTable,
        piece: &JavaPiece<'_>,
        (idx, kind): (u32, u16),
        sequence: &mut Sequence,
    ) -> usize {
        let row = &table.types[usize::from(kind)];
        sequence.push(&row.open);
        self.children.clear();
        for child in piece.tree.children(idx) {
            let node = &piece.tree.nodes[child as usize];
            let item = match role(table, piece.tree, child) {
                NodeEncoding::Comment => continue,
                NodeEncoding::Type(_) => Child::Node(node.kind),
                NodeEncoding::Atom | NodeEncoding::Unknown => {
                    Child::Token(table.word(node.span.of(piece.text)))
                }
            };
            self.children.push((child, item));
        }
        if row.is_plain {
            return self.children.len();
        }
        for form in &row.forms {
            self.kept.clear();
            let kept = self
                .children
                .iter()
                .filter(|child| !form.leaves_out(child.1));
            self.kept.extend(kept.copied());
            self.taken.clear();
            self.taken.extend(self.kept.iter().map(|kept| kept.1));
            // The decoder takes the first form that fits.
            let Some(first) = row.forms.iter().find(|form| form.fits(&self.taken)) else {
                continue;
            };
            self.filled.clear();
            first.fill(self.kept.len(), &mut self.filled);
            if self.is_filled() {
                for (child, item) in &self.children {
                    self.is_said[*child as usize] = form.leaves_out(*item);
                }
                return self.kept.len();
            }
        }
        sequence.push(FULL);
        self.children.len() + 1
    }

    /// Tells whether the filled form has exactly the node's children.
    fn is_filled(&self) -> bool {
        self.filled.len() == self.children.len()
            && self
                .filled
                .iter()
                .zip(&self.children)
                .all(|(filled, child)| match filled {
                    FilledPiece::Said(word) => {
                        child.1 == Child::Token(*word) && *word != FormToken::OTHER
                    }
                    FilledPiece::Child(at) => self.kept[*at as usize].0 == child.0,
                })
    }
}

fn role(table: &FormTable, tree: &Tree, idx: u32) -> NodeEncoding {
    let node: &Node = &tree.nodes[idx as usize];
    if !node.is_named() {
        return NodeEncoding::Atom;
    }
    match table.role(node.kind) {
        // A node without children is its token, whatever its type.
        NodeEncoding::Unknown if tree.is_leaf(idx) => NodeEncoding::Atom,
        role => role,
    }
}
