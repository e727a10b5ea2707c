//! A place in the tree of a file.

use crate::model::Span;
use crate::syntax::tree::{self, Tree};

/// A node of a file's tree, which knows the node around it.
#[derive(Clone, Copy)]
pub struct Node<'t> {
    tree: &'t Tree,
    idx: u32,
    parent: u32,
}

impl<'t> Node<'t> {
    /// Opens the root of a tree; nothing of one whose parser was stopped.
    pub fn root(tree: &'t Tree) -> Option<Self> {
        (!tree.is_stopped()).then_some(Self {
            tree,
            idx: 0,
            parent: 0,
        })
    }

    fn get(self) -> &'t tree::Node {
        &self.tree.nodes[self.idx as usize]
    }

    pub fn kind(self) -> tree::NodeKind {
        self.get().kind
    }

    /// Returns the field of the node around this one that holds it.
    pub fn field(self) -> tree::NodeField {
        self.get().field
    }

    pub fn span(self) -> Span {
        self.get().span
    }

    pub fn start_byte(self) -> usize {
        self.span().start as usize
    }

    pub fn end_byte(self) -> usize {
        self.span().end as usize
    }

    pub fn is_named(self) -> bool {
        self.get().is_named()
    }

    pub fn is_missing(self) -> bool {
        self.get().is_missing()
    }

    pub fn is_error(self) -> bool {
        self.get().is_error()
    }

    pub fn has_error(self) -> bool {
        self.get().has_error()
    }

    /// Returns the kind and the place of the node around this one; the root is around itself.
    pub fn around(self) -> (tree::NodeKind, Span) {
        let around = &self.tree.nodes[self.parent as usize];
        (around.kind, around.span)
    }

    /// Iterates over the direct children, in the order of the text.
    pub fn children(self) -> impl Iterator<Item = Self> + 't {
        let Self { tree, idx, .. } = self;
        tree.children(idx).map(move |child| Self {
            tree,
            idx: child,
            parent: idx,
        })
    }
}
