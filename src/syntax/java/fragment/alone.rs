//! The tree of a piece by itself, derived from its tree in the wrapper.
//!
//! The grammar takes statements and methods at the top of a text as it takes them in a block and in a class, and makes
//! the same nodes of them. So a piece that was judged sound need not be parsed again for those who want its tree.

use super::Judge;
use super::kind::{GRAMMAR, Kind};
use super::strict::wrapper;
use crate::model::Span;
use crate::tree::Tree;
use crate::verdict::PieceShape;

/// The first word of a record, which at the top of a text could be read as a method that returns a `record`.
const RECORD: &str = "record";

impl Judge {
    /// Makes the tree that a parser makes of the text by itself, and returns whether it could: the text must be the
    /// piece that was judged last, without layout around it, sound and parsed as it was written, and neither a field
    /// nor a type of a class, and without comments beside its statements or methods.
    pub fn tree_of(&self, text: &str, tree: &mut Tree) -> bool {
        self.place_of(text).is_some_and(|place| {
            let root = self.sound.as_ref().map(|(tree, _)| tree.root_node());
            let around = self.around();
            root.zip(around).is_some_and(|(root, around)| {
                let root = GRAMMAR.tree.kind_of(root.kind_id());
                tree.become_inner(GRAMMAR.tree, (root, around), place);
                true
            })
        })
    }

    /// Returns where in the wrapped text the text stands, if it is the whole piece.
    fn place_of(&self, text: &str) -> Option<Span> {
        let (_, shape) = self.sound.as_ref()?;
        let (before, after) = wrapper(*shape);
        let end = self.wrapped.len().checked_sub(after.len())?;
        let piece = self.wrapped.get(before.len()..end)?;
        let at = piece.find(text)?;
        let (ahead, behind) = (&piece[..at], &piece[at + text.len()..]);
        let is_whole = ahead.trim().is_empty() && behind.trim().is_empty();
        let start = before.len() + at;
        (is_whole && !text.is_empty() && !text.contains(RECORD))
            .then(|| Span::new(start as u32, (start + text.len()) as u32))
    }

    /// Returns the node whose children the statements or methods are, if there is nothing else among them.
    fn around(&self) -> Option<tree_sitter::Node<'_>> {
        let (tree, shape) = self.sound.as_ref()?;
        let body = GRAMMAR.fields.body.0;
        let class = tree.root_node().named_child(0)?;
        let mut around = class.child_by_field_id(body)?;
        if *shape == PieceShape::Statements {
            around = around.named_child(0)?.child_by_field_id(body)?;
        }
        let mut cursor = around.walk();
        let is_plain = around
            .named_children(&mut cursor)
            .all(|named_child| match shape {
                PieceShape::Statements => !named_child.is_extra(),
                PieceShape::Member => {
                    GRAMMAR.kind_of_id(named_child.kind_id()) == Kind::MethodDeclaration
                }
            });
        is_plain.then_some(around)
    }
}

#[cfg(test)]
mod tests {
    use super::super::Judge;
    use crate::model::{Language, ParseMode};
    use crate::tree::{Parser, Tree};
    use crate::verdict::PieceShape;

    fn tree_of(text: &str, shape: PieceShape) -> Option<Tree> {
        let mut judge = Judge::new();
        judge.verdict(text, shape, ParseMode::Strict);
        let mut tree = Tree::new();
        judge.tree_of(text.trim(), &mut tree).then_some(tree)
    }

    #[test]
    fn it_is_the_tree_that_the_parser_makes() {
        for (shape, text) in [
            (
                PieceShape::Member,
                "@Test\npublic void a() throws E {\nb(1);\n}",
            ),
            (
                PieceShape::Member,
                " void a() { } <T> T b(T it) { return it; }\n",
            ),
            (PieceShape::Member, "int[] a()[] { return new int[] {1}; };"),
            (
                PieceShape::Member,
                "void a() { class B { int x; B() { x = 1; } } for (A<B> b : c) { d(b -> 1); } }",
            ),
            (PieceShape::Statements, "assertEquals(1, a.b());"),
            (
                PieceShape::Statements,
                "\n  A<B> a = b;; int x = (a < b) ? c : d;\n",
            ),
            (
                PieceShape::Statements,
                "class A { } if (a) b(); else { c(\"é\"); } ;",
            ),
            (
                PieceShape::Statements,
                "switch (a) { case B -> c(); default -> { } }",
            ),
        ] {
            let tree = tree_of(text, shape).expect(text);
            let mut expected = Tree::new();
            Parser::new().parse(Language::Java, text.trim(), &mut expected);
            assert_eq!(tree.nodes, expected.nodes, "{text}");
        }
    }

    #[test]
    fn what_the_parser_may_read_in_another_way_is_parsed() {
        for (shape, text) in [
            (PieceShape::Member, "int x;"),
            (PieceShape::Member, "A() { }"),
            (PieceShape::Member, "void a() { b( }"),
            (PieceShape::Member, "void a() { int @B [] c; }"),
            (
                PieceShape::Member,
                "void a() { class B { B() { this(1); } } }",
            ),
            (PieceShape::Statements, "record A(int x) { }"),
            (PieceShape::Statements, "a(); // b"),
            (PieceShape::Statements, ""),
        ] {
            assert!(tree_of(text, shape).is_none(), "{text}");
        }
    }

    #[test]
    fn only_the_last_piece_has_a_tree() {
        let mut judge = Judge::new();
        let mut tree = Tree::new();
        assert!(!judge.tree_of("a();", &mut tree));
        judge.verdict("a();", PieceShape::Statements, ParseMode::Strict);
        assert!(judge.tree_of("a();", &mut tree) && !judge.tree_of("b();", &mut tree));
        judge.verdict("b(", PieceShape::Statements, ParseMode::Strict);
        assert!(!judge.tree_of("a();", &mut tree));
    }
}
