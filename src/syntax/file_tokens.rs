//! The tokens of a file, read off the tree that its facts were lowered from, so that the text of a method need not be
//! parsed again to be counted and hashed.
//!
//! The tokens of a method depend on its text alone ([`tokens`](crate::tokens())), wherever it stands: a sample has the
//! same hash as the same text in a dataset without sources. So tokens are returned here only where the text alone has
//! the same ones. That is so for all methods without errors; not for directives of C#, nor for types of TypeScript,
//! which are read by the grammar of JavaScript when they stand alone.

use std::sync::OnceLock;

use crate::model::{Language, Span};
use crate::tree::{Grammar, Node, NodeKind, Tree};

/// The tokens of one file, and the places where a piece would be cut otherwise.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileTokens {
    /// In the order of the text.
    spans: Box<[Span]>,
    /// Places, in ascending order, that may be read otherwise where the text around them stands alone.
    odd: Box<[u32]>,
}

impl FileTokens {
    /// Lists the tokens of a piece, with offsets in the piece; nothing where the piece has to be parsed alone.
    #[must_use]
    pub fn of_piece(&self, piece: Span) -> Option<Vec<Span>> {
        let next = self.odd.partition_point(|place| *place < piece.start);
        if self.odd.get(next).is_some_and(|place| *place < piece.end) {
            return None;
        }
        let first = self
            .spans
            .partition_point(|token| token.start < piece.start);
        let tokens = self.spans[first..].iter();
        Some(
            tokens
                .take_while(|token| token.end <= piece.end)
                .map(|token| Span::new(token.start - piece.start, token.end - piece.start))
                .collect(),
        )
    }

    /// Reads the tokens off the tree of a file, in which errors are odd; nothing where the parser was stopped.
    pub fn of_tree(tree: &Tree, text: &str) -> Option<Self> {
        Self::of_odd_tree(tree, text, OddKinds::none())
    }

    /// Reads the tokens off the tree of a file, in which errors and nodes of some kinds are odd; nothing where the
    /// parser was stopped.
    pub fn of_odd_tree(tree: &Tree, text: &str, odd_kinds: &OddKinds) -> Option<Self> {
        if tree.is_stopped() {
            return None;
        }
        let mut spans = Vec::new();
        tree.push_tokens(text, &mut spans);
        let is_odd =
            |node: &&Node| node.is_error() || node.is_missing() || odd_kinds.has(node.kind);
        let odd = if tree.has_error() || !odd_kinds.is_odd.is_empty() {
            let odd = tree.nodes.iter().filter(is_odd);
            odd.map(|node| node.span.start).collect()
        } else {
            Box::default()
        };
        Some(Self {
            spans: spans.into(),
            odd,
        })
    }

    /// Reads the tokens off the tree of a C# file, which was parsed as a `readable` text: as long as its own, with
    /// other letters where directives stand. Nothing where the parser was stopped.
    pub fn of_csharp(tree: &Tree, (text, readable): (&str, &str)) -> Option<Self> {
        let tokens = Self::of_tree(tree, readable)?;
        if std::ptr::eq(text, readable) {
            return Some(tokens);
        }
        let mut odd = tokens.odd.into_vec();
        odd.extend(changed(text, readable));
        odd.sort_unstable();
        Some(Self {
            odd: odd.into(),
            ..tokens
        })
    }
}

/// The kinds of nodes that are read otherwise where the text around them stands alone.
#[derive(Debug, Default)]
pub struct OddKinds {
    /// By kind; kinds beyond its end are not odd.
    is_odd: Vec<bool>,
}

impl OddKinds {
    fn of(grammar: &Grammar, is_odd: impl Fn(&str) -> bool) -> Self {
        let kinds = (0..grammar.n_kinds()).map(|kind| NodeKind(kind as u16));
        Self {
            is_odd: kinds.map(|kind| is_odd(grammar.kind_name(kind))).collect(),
        }
    }

    /// Marks no kind as odd.
    pub fn none() -> &'static Self {
        static NONE: OddKinds = OddKinds { is_odd: Vec::new() };
        &NONE
    }

    /// Marks the kinds of TypeScript that the grammar of JavaScript does not know. A parameter has a node around it in
    /// TypeScript that says nothing by itself.
    pub fn typed(has_elements: bool) -> &'static Self {
        static KINDS: [OnceLock<OddKinds>; 2] = [const { OnceLock::new() }; 2];
        KINDS[usize::from(has_elements)].get_or_init(|| {
            let plain = Grammar::of(Language::JavaScript);
            Self::of(Grammar::typescript(has_elements), |name| {
                name != "required_parameter" && plain.kind(name).is_none()
            })
        })
    }

    fn has(&self, kind: NodeKind) -> bool {
        self.is_odd.get(usize::from(kind.0)) == Some(&true)
    }
}

/// Finds the runs of bytes that differ between two texts of equal length, by their beginnings.
fn changed(text: &str, readable: &str) -> impl Iterator<Item = u32> {
    let mut was_same = true;
    let pairs = text.bytes().zip(readable.bytes()).zip(0..);
    pairs.filter_map(move |((before, after), place)| {
        let is_first = before != after && was_same;
        was_same = before == after;
        is_first.then_some(place)
    })
}
