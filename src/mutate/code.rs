//! A parsed file as the passes read it: nodes with their parents, kinds and fields by name.
//!
//! Decides nothing: it answers questions about the tree.

use crate::model::Span;
use crate::syntax::tree::Tree;

/// A text and its tree.
pub struct Code<'c> {
    pub text: &'c str,
    pub tree: &'c Tree,
    parents: Vec<u32>,
}

impl<'c> Code<'c> {
    /// Reads the tree of a text.
    pub fn new(text: &'c str, tree: &'c Tree) -> Self {
        let mut parents = vec![0; tree.nodes.len()];
        let mut open: Vec<u32> = Vec::new();
        for (idx, node) in tree.nodes.iter().enumerate() {
            open.truncate(node.depth as usize);
            parents[idx] = open.last().copied().unwrap_or(0);
            open.push(idx as u32);
        }
        Self {
            text,
            tree,
            parents,
        }
    }

    pub fn kind(&self, idx: u32) -> &'static str {
        self.tree
            .grammar
            .kind_name(self.tree.nodes[idx as usize].kind)
    }

    /// Returns the name of the field in which the parent holds the node; `""` where it is in none.
    pub fn field(&self, idx: u32) -> &'static str {
        self.tree
            .grammar
            .field_name(self.tree.nodes[idx as usize].field)
    }

    pub fn span(&self, idx: u32) -> Span {
        self.tree.nodes[idx as usize].span
    }

    pub fn source(&self, idx: u32) -> &'c str {
        self.span(idx).of(self.text)
    }

    /// Returns the source on one line, each run of white space as one space.
    pub fn flat(&self, idx: u32) -> String {
        let words: Vec<&str> = self.source(idx).split_whitespace().collect();
        words.join(" ")
    }

    /// Returns the node above; the root is its own parent.
    pub fn parent(&self, idx: u32) -> u32 {
        self.parents[idx as usize]
    }

    pub fn end(&self, idx: u32) -> u32 {
        self.tree.nodes[idx as usize].subtree_end
    }

    pub fn is_named(&self, idx: u32) -> bool {
        self.tree.nodes[idx as usize].is_named()
    }

    pub fn is_leaf(&self, idx: u32) -> bool {
        self.tree.is_leaf(idx)
    }

    pub fn children(&self, idx: u32) -> impl Iterator<Item = u32> + '_ {
        self.tree.children(idx)
    }

    /// Iterates over the children that the grammar gives names, without comments.
    pub fn named(&self, idx: u32) -> impl Iterator<Item = u32> + '_ {
        self.tree.children(idx).filter(|child| {
            let node = &self.tree.nodes[*child as usize];
            node.is_named() && !node.is_extra()
        })
    }

    /// Finds the first child in this field.
    pub fn child(&self, idx: u32, field: &str) -> Option<u32> {
        self.children(idx).find(|child| self.field(*child) == field)
    }

    /// Returns the nodes of a subtree, the node itself first.
    pub fn below(&self, idx: u32) -> std::ops::Range<u32> {
        idx..self.end(idx)
    }

    /// Iterates over the nodes above, innermost first, up to the root.
    pub fn above(&self, idx: u32) -> impl Iterator<Item = u32> + '_ {
        let mut at = idx;
        std::iter::from_fn(move || {
            let parent = self.parent(at);
            let is_new = parent != at;
            at = parent;
            is_new.then_some(parent)
        })
    }

    /// Tells whether one of the nodes in a subtree is of one of these kinds.
    pub fn holds(&self, idx: u32, kinds: &[&str]) -> bool {
        self.below(idx).any(|n| kinds.contains(&self.kind(n)))
    }

    /// Returns the source of the operator: the child in that field, or the first one without a name; `""` for none.
    pub fn operator(&self, idx: u32) -> &'c str {
        let operator = self.child(idx, "operator").or_else(|| {
            self.child(idx, "operators")
                .or_else(|| self.children(idx).find(|child| !self.is_named(*child)))
        });
        operator.map_or("", |operator| self.source(operator))
    }

    /// Returns the offset at which the line of a place begins.
    pub fn line_start(&self, at: u32) -> u32 {
        let before = &self.text.as_bytes()[..at as usize];
        before
            .iter()
            .rposition(|byte| *byte == b'\n')
            .map_or(0, |n| n as u32 + 1)
    }

    /// Returns the offset at which the line of a place ends, without the line break.
    pub fn line_end(&self, at: u32) -> u32 {
        let bytes = self.text.as_bytes();
        let rest = &bytes[at as usize..];
        let end = rest
            .iter()
            .position(|byte| *byte == b'\n')
            .map_or(bytes.len(), |n| at as usize + n);
        let is_two = end > at as usize && end < bytes.len() && bytes[end - 1] == b'\r';
        (end - usize::from(is_two)) as u32
    }

    /// Returns the white space that begins the line of a place, up to the place.
    pub fn indent(&self, at: u32) -> &'c str {
        let line = &self.text[self.line_start(at) as usize..at as usize];
        let trimmed = line.trim_start_matches([' ', '\t', '\u{c}']);
        &line[..line.len() - trimmed.len()]
    }

    /// Tells whether nothing but white space is before a place on its line.
    pub fn begins_line(&self, at: u32) -> bool {
        self.indent(at).len() as u32 == at - self.line_start(at)
    }

    /// Returns the line break of the file, as the first line has it; `\n` where there is only one line.
    pub fn line_break(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }
}
