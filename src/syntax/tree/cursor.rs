//! Walks a flat tree from node to node, as the library's own cursor walks its tree.

use super::{Node, Tree};

/// A place in a tree, which has a node at least.
#[derive(Clone, Debug)]
pub struct Cursor<'t> {
    tree: &'t Tree,
    at: u32,
    /// The nodes around the place, outermost first.
    around: Vec<u32>,
}

impl<'t> Cursor<'t> {
    /// Makes a cursor at the root; nothing for a tree whose parser was stopped.
    #[must_use]
    pub fn at_root(tree: &'t Tree) -> Option<Self> {
        (!tree.is_stopped()).then_some(Self {
            tree,
            at: 0,
            around: Vec::new(),
        })
    }

    /// Returns the node here.
    #[must_use]
    pub fn node(&self) -> &'t Node {
        &self.tree.nodes[self.at as usize]
    }

    /// Goes to the first child and returns true; stays and returns false where there is none.
    pub fn goto_first_child(&mut self) -> bool {
        let has_child = !self.tree.is_leaf(self.at);
        if has_child {
            self.around.push(self.at);
            self.at += 1;
        }
        has_child
    }

    /// Goes to the next sibling and returns true; stays and returns false where there is none.
    pub fn goto_next_sibling(&mut self) -> bool {
        let next = self.node().subtree_end;
        let around = self.around.last();
        let has_next =
            around.is_some_and(|around| next < self.tree.nodes[*around as usize].subtree_end);
        if has_next {
            self.at = next;
        }
        has_next
    }

    /// Goes to the parent and returns true; stays and returns false at the root.
    pub fn goto_parent(&mut self) -> bool {
        let around = self.around.pop();
        self.at = around.unwrap_or(self.at);
        around.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::Cursor;
    use crate::model::Language;
    use crate::tree::{Parser, Tree};

    #[test]
    fn it_goes_down_along_and_up() {
        let text = "a(b, c)\n";
        let mut tree = Tree::new();
        Parser::new().parse(Language::Python, text, &mut tree);
        let mut cursor = Cursor::at_root(&tree).expect("the text is parsed");
        assert!(!cursor.goto_next_sibling() && !cursor.goto_parent());
        while cursor.goto_first_child() {}
        assert_eq!(cursor.node().span.of(text), "a");
        assert!(cursor.goto_next_sibling());
        assert_eq!(cursor.node().span.of(text), "(b, c)");
        assert!(!cursor.goto_next_sibling());
        assert!(cursor.goto_first_child() && cursor.goto_next_sibling());
        assert_eq!(cursor.node().span.of(text), "b");
        assert!(cursor.goto_parent());
        assert_eq!(cursor.node().span.of(text), "(b, c)");
    }
}
