//! A piece of source as the tree that is compared: without layout, comments, punctuation and meaningless nodes.
//!
//! The [`ComparisonGrammar`] of the language tells which nodes are meaningless, and the sorts of the others. Nodes are
//! in the order of the text, parents first; each has a hash of its subtree, so that equal subtrees are found without a
//! walk.

use crate::model::Span;
use crate::syntax::tree::{Grammar, NodeField, NodeKind, Tree};

/// The sort of a node, as far as the comparison distinguishes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NodeSort {
    Literal,
    Name,
    TypeName,
    FieldAccess,
    Call,
    New,
    Binary,
    Unary,
    Cast,
    ClassLiteral,
    Lambda,
    MethodReference,
    InstanceOf,
    Arguments,
    Block,
    Statement,
    Assert,
    Declaration,
    Declarator,
    Parameter,
    Method,
    Annotation,
    Pair,
    Try,
    Catch,
    Type,
    This,
    Operator,
    Other,
}

/// The kinds and fields of one grammar that have a meaning here.
#[derive(Debug)]
pub struct ComparisonGrammar {
    pub grammar: &'static Grammar,
    pub fields: Fields,
    sorts: Vec<NodeSort>,
    is_skipped: Vec<bool>,
    is_dropped: Vec<bool>,
    is_atom: Vec<bool>,
    is_transparent: Vec<bool>,
    lone: Option<NodeKind>,
    lone_return: Option<NodeKind>,
    arrow: Option<NodeKind>,
    receiver: Option<(NodeKind, NodeKind)>,
    taken: fn(&Tree, u32, &str) -> NodeTreatment,
    /// Whether variables are declared by a first value, without a type, and a function is a value like others.
    pub is_untyped: bool,
}

/// How a node of the grammar's tree is taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NodeTreatment {
    /// Treated as all of its kind.
    ByKind,
    /// Left out with all that is below.
    Skipped,
    /// Left out itself; its children stay and keep the names of their fields.
    Spliced,
    /// One token although there are nodes below.
    Atom,
    /// Treated as a block, although it is a lambda's body of one statement.
    Block,
}

/// The names of kinds from which a [`ComparisonGrammar`] is made.
pub struct GrammarSpelling {
    pub sort_of: fn(&str) -> NodeSort,
    /// Left out with all that is below them, as comments.
    pub skipped: &'static [&'static str],
    /// Tokens that the tree around them implies.
    pub dropped: &'static [&'static str],
    /// One token although there are nodes below.
    pub atoms: &'static [&'static str],
    /// Left out themselves; their children stay.
    pub transparent: &'static [&'static str],
    /// Statements that mean the same as their expression where they are all of a lambda's body; the second one where it
    /// returns something.
    pub lone: [&'static str; 2],
    /// The sign between a lambda's parameters and its body.
    pub arrow: &'static str,
    /// The kind of a receiver that says nothing, and the kind of its call: `this` in `method_invocation`.
    pub receiver: (&'static str, &'static str),
    /// Fields that have another name in this grammar: ours, and the grammar's.
    pub fields: &'static [(&'static str, &'static str)],
    /// Tells how a node is taken where its kind alone does not.
    pub taken: fn(&Tree, u32, &str) -> NodeTreatment,
    pub is_untyped: bool,
}

impl ComparisonGrammar {
    pub fn of(grammar: &'static Grammar, spelling: &GrammarSpelling) -> Self {
        let names = || (0..grammar.n_kinds()).map(|n| grammar.kind_name(NodeKind(n as u16)));
        let all = |wanted: &[&str]| names().map(|name| wanted.contains(&name)).collect();
        let (receiver, call) = spelling.receiver;
        Self {
            grammar,
            fields: Fields::of(grammar, spelling.fields),
            sorts: names().map(spelling.sort_of).collect(),
            is_skipped: all(spelling.skipped),
            is_dropped: all(spelling.dropped),
            is_atom: all(spelling.atoms),
            is_transparent: all(spelling.transparent),
            lone: grammar.kind(spelling.lone[0]),
            lone_return: grammar.kind(spelling.lone[1]),
            arrow: grammar.kind(spelling.arrow),
            receiver: grammar.kind(receiver).zip(grammar.kind(call)),
            taken: spelling.taken,
            is_untyped: spelling.is_untyped,
        }
    }
}

macro_rules! fields {
    ($($name:ident),*) => {
        /// The fields in which nodes hold their children.
        #[derive(Debug)]
        pub struct Fields { $(pub $name: NodeField),* }
        impl Fields {
            fn of(grammar: &Grammar, others: &[(&str, &str)]) -> Self {
                // A field that the grammar lacks gets an unused number, for the reader of the language to set.
                let mut unused = u16::MAX;
                let mut field = |ours: &str| {
                    let other = others.iter().find(|(name, _)| *name == ours);
                    let found = grammar.field(other.map_or(ours, |(_, name)| *name));
                    if found == NodeField::NONE {
                        unused -= 1;
                        return NodeField(unused);
                    }
                    found
                };
                Self { $($name: field(stringify!($name))),* }
            }
        }
    };
}
fields!(
    name, object, arguments, value, left, right, operator, operand, parameters, body, key, field
);

#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub sort: NodeSort,
    pub kind: NodeKind,
    pub field: NodeField,
    /// A hash of a leaf's text; 0 above leaves. Equal exactly for equal texts, except for collisions of 64 bits.
    pub word: u64,
    /// The hash of the subtree without its masked parts.
    pub hash: u64,
    pub span: Span,
    /// The index after the last descendant.
    pub end: u32,
    /// The root is its own.
    pub parent: u32,
    /// Compared separately: its parent is compared without it.
    pub is_masked: bool,
}

/// One side of a pair.
#[derive(Clone, Debug)]
pub struct Code<'t> {
    pub text: &'t str,
    pub nodes: Vec<Node>,
    pub words: &'static ComparisonGrammar,
}

/// Something open while nodes are copied.
struct CopyFrame {
    /// In the tree that is read.
    end: u32,
    /// Where children go.
    node: u32,
    /// The field that children take over from a left-out node.
    field: Option<NodeField>,
    /// Whether the node is the frame's, and not one above a left-out part.
    is_own: bool,
}

impl<'t> Code<'t> {
    /// Copies a tree. A stopped one becomes a single empty node.
    pub fn new(text: &'t str, tree: &Tree, words: &'static ComparisonGrammar) -> Self {
        let mut code = Self {
            text,
            words,
            nodes: Vec::with_capacity(tree.nodes.len() / 2 + 1),
        };
        let mut frames: Vec<CopyFrame> = Vec::new();
        let mut lone_last = None;
        let mut idx = 0_u32;
        while let Some(node) = tree.nodes.get(idx as usize) {
            while frames.last().is_some_and(|frame| frame.end <= idx) {
                code.close(&mut frames);
            }
            let field = frames
                .last()
                .and_then(|frame| frame.field)
                .unwrap_or(node.field);
            let kind = usize::from(node.kind.0);
            let is_leaf = tree.is_leaf(idx);
            let taken = (words.taken)(tree, idx, text);
            if taken == NodeTreatment::Skipped
                || words.is_skipped[kind]
                || (is_leaf && words.is_said(tree, idx))
            {
                idx = node.subtree_end;
                continue;
            }
            let lone = (taken != NodeTreatment::Block)
                .then(|| words.lone_statement(tree, idx))
                .flatten();
            let is_transparent = words.is_transparent[kind] || taken == NodeTreatment::Spliced;
            if !is_leaf && (is_transparent || lone.is_some() || lone_last == Some(idx)) {
                lone_last = lone.or(lone_last);
                let parent = frames.last().map_or(0, |frame| frame.node);
                frames.push(CopyFrame {
                    end: node.subtree_end,
                    node: parent,
                    field: (taken != NodeTreatment::Spliced).then_some(field),
                    is_own: false,
                });
                idx += 1;
                continue;
            }
            let is_whole = is_leaf || words.is_atom[kind] || taken == NodeTreatment::Atom;
            let own = code.nodes.len() as u32;
            code.nodes.push(Node {
                sort: words.sorts[kind],
                kind: node.kind,
                field,
                word: if is_whole {
                    hash_of(node.span.of(text))
                } else {
                    0
                },
                hash: 0,
                span: node.span,
                end: own + 1,
                parent: frames.last().map_or(0, |frame| frame.node),
                is_masked: false,
            });
            if is_whole {
                idx = node.subtree_end;
            } else {
                frames.push(CopyFrame {
                    end: node.subtree_end,
                    node: own,
                    field: None,
                    is_own: true,
                });
                idx += 1;
            }
        }
        while !frames.is_empty() {
            code.close(&mut frames);
        }
        if code.nodes.is_empty() {
            code.nodes.push(Node {
                sort: NodeSort::Other,
                kind: NodeKind(0),
                field: NodeField::NONE,
                word: 0,
                hash: 0,
                span: Span::new(0, 0),
                end: 1,
                parent: 0,
                is_masked: false,
            });
        }
        code.rehash();
        code
    }

    fn close(&mut self, frames: &mut Vec<CopyFrame>) {
        if let Some(frame) = frames.pop()
            && frame.is_own
        {
            self.nodes[frame.node as usize].end = self.nodes.len() as u32;
        }
    }

    /// Computes all hashes anew, after words or masks have changed.
    pub fn rehash(&mut self) {
        for idx in (0..self.nodes.len() as u32).rev() {
            self.rehash_node(idx);
        }
    }

    /// Computes the hash of one node from the hashes of its children.
    pub fn rehash_node(&mut self, idx: u32) {
        let node = self.nodes[idx as usize];
        let kind = match node.sort {
            // `@Test` and `@Test()` are one.
            NodeSort::Annotation => u64::MAX,
            _ => u64::from(node.kind.0),
        };
        let hash = mix(mix(0, kind), node.word);
        let with = |hash: u64, child: u32| {
            let child = &self.nodes[child as usize];
            mix(mix(hash, u64::from(child.field.0)), child.hash)
        };
        let hash = match node.sort {
            NodeSort::Arguments => self.ordered(idx).into_iter().fold(hash, with),
            _ => self.children(idx).fold(hash, with),
        };
        self.nodes[idx as usize].hash = hash;
    }

    pub fn set_sort(&mut self, idx: u32, sort: NodeSort) {
        self.nodes[idx as usize].sort = sort;
    }

    /// Makes a node one of another kind, if the grammar has it.
    pub fn set_kind(&mut self, idx: u32, kind: Option<NodeKind>) {
        let node = &mut self.nodes[idx as usize];
        node.kind = kind.unwrap_or(node.kind);
    }

    /// Sets the field in which its parent holds a node, if there is one.
    pub fn set_field(&mut self, idx: Option<u32>, field: NodeField) {
        if let Some(idx) = idx {
            self.nodes[idx as usize].field = field;
        }
    }

    /// Returns the names of the fields of nodes.
    pub fn fields(&self) -> &'static Fields {
        &self.words.fields
    }

    pub fn node(&self, idx: u32) -> &Node {
        &self.nodes[idx as usize]
    }

    pub fn sort(&self, idx: u32) -> NodeSort {
        self.node(idx).sort
    }

    pub fn hash(&self, idx: u32) -> u64 {
        self.node(idx).hash
    }

    /// Tells whether a node is all of the text, as the only method is.
    pub fn is_whole(&self, idx: u32) -> bool {
        idx == 1 && self.node(idx).end == self.node(0).end
    }

    /// Looks up the name of a node's kind.
    pub fn kind_name(&self, idx: u32) -> &'static str {
        self.words.grammar.kind_name(self.node(idx).kind)
    }

    /// Returns a node's source.
    pub fn source(&self, idx: u32) -> &'t str {
        self.node(idx).span.of(self.text)
    }

    /// Iterates over the children that are not masked.
    pub fn children(&self, idx: u32) -> impl Iterator<Item = u32> + '_ {
        let end = self.node(idx).end;
        let mut next = idx + 1;
        std::iter::from_fn(move || {
            while next < end {
                let child = next;
                let node = self.node(child);
                next = node.end;
                if !node.is_masked {
                    return Some(child);
                }
            }
            None
        })
    }

    /// Finds the first child in this field.
    pub fn child(&self, idx: u32, field: NodeField) -> Option<u32> {
        self.children(idx)
            .find(|child| self.node(*child).field == field)
    }

    /// Reads the name of a call, a declarator or a parameter.
    pub fn name(&self, idx: u32) -> Option<&'t str> {
        self.child(idx, self.fields().name).map(|n| self.source(n))
    }

    /// Lists a call's arguments.
    pub fn arguments(&self, idx: u32) -> Vec<u32> {
        self.child(idx, self.fields().arguments)
            .map_or_else(Vec::new, |n| self.ordered(n))
    }

    /// Lists a node's children, those that are given by name last, in the order of their names: these may be passed in
    /// any order.
    fn ordered(&self, idx: u32) -> Vec<u32> {
        let mut all: Vec<u32> = self.children(idx).collect();
        all.sort_by_key(|child| {
            let key = self.key(*child);
            (key.is_some(), key)
        });
        all
    }

    /// Reads the name that an argument is given by, if it is.
    pub fn key(&self, argument: u32) -> Option<&'t str> {
        let is_named = self.sort(argument) == NodeSort::Pair;
        let key = is_named.then(|| self.child(argument, self.fields().key));
        key.flatten().map(|key| self.source(key))
    }

    /// Tells whether a node is a literal, or a number with a sign.
    pub fn is_literal(&self, idx: u32) -> bool {
        match self.sort(idx) {
            NodeSort::Literal => true,
            NodeSort::Unary => {
                let operator = self
                    .child(idx, self.fields().operator)
                    .map(|n| self.source(n));
                let operand = self.child(idx, self.fields().operand);
                matches!(operator, Some("-" | "+"))
                    && operand.is_some_and(|operand| self.sort(operand) == NodeSort::Literal)
            }
            _ => false,
        }
    }
}

impl ComparisonGrammar {
    /// Tells whether a leaf adds nothing to the tree around it.
    fn is_said(&self, tree: &Tree, idx: u32) -> bool {
        let node = &tree.nodes[idx as usize];
        if !node.is_named() {
            return self.is_dropped[usize::from(node.kind.0)];
        }
        // The parent of a first child is just before it.
        self.receiver.is_some_and(|(receiver, call)| {
            node.field == self.fields.object
                && node.kind == receiver
                && idx > 0
                && tree.nodes[idx as usize - 1].kind == call
        })
    }

    /// Finds the only statement of a lambda's body in braces, if an expression could stand for it.
    fn lone_statement(&self, tree: &Tree, block: u32) -> Option<u32> {
        let node = &tree.nodes[block as usize];
        let is_body = node.field == self.fields.body
            && self.sorts[usize::from(node.kind.0)] == NodeSort::Block
            && block > 0
            && Some(tree.nodes[block as usize - 1].kind) == self.arrow;
        let child = is_body.then(|| only_child(tree, block)).flatten()?;
        let kind = tree.nodes[child as usize].kind;
        let is_plain = Some(kind) == self.lone
            || (Some(kind) == self.lone_return && only_child(tree, child).is_some());
        is_plain.then_some(child)
    }
}

/// Finds the only named child of a node that is no comment.
fn only_child(tree: &Tree, idx: u32) -> Option<u32> {
    let is_named = |child: &u32| {
        let node = &tree.nodes[*child as usize];
        node.is_named()
    };
    let mut children = tree.children(idx).filter(is_named);
    let first = children.next()?;
    children.next().is_none().then_some(first)
}

/// Hashes a word: equal words of both texts have equal hashes.
pub fn hash_of(word: &str) -> u64 {
    let mut hash = word.len() as u64;
    for chunk in word.as_bytes().chunks(8) {
        let mut bytes = [0; 8];
        bytes[..chunk.len()].copy_from_slice(chunk);
        hash = mix(hash, u64::from_le_bytes(bytes));
    }
    hash
}

/// Adds a number to a hash (the finalizer of `SplitMix64` over both).
pub const fn mix(hash: u64, number: u64) -> u64 {
    let mut z = hash
        .rotate_left(25)
        .wrapping_add(number)
        .wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}
