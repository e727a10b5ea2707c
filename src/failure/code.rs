//! A piece of Java as the tree that is compared: without layout, comments, punctuation and what says nothing.
//!
//! Left out are parentheses around expressions, `this.` before a call, parentheses around the parameters of a lambda, the
//! braces of a lambda's body that is one statement, modifiers but annotations, and `throws`. Nodes are in the order of the
//! text, parents first; each has a hash of its subtree, so that equal subtrees are found without a walk.

use std::sync::LazyLock;

use crate::lang::syntax::{Field, Grammar, Kind, Tree};
use crate::model::{Language, Span};

/// What a node is, as far as comparing asks.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Sort {
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

/// The grammar's kinds and fields that have a meaning here.
struct Words {
    sorts: Vec<Sort>,
    /// Comments, and what a method may throw.
    is_skipped: Vec<bool>,
    /// Tokens that the tree around them says already.
    is_dropped: Vec<bool>,
    /// One token although there are nodes below.
    is_atom: Vec<bool>,
    parenthesized: Option<Kind>,
    modifiers: Option<Kind>,
    inferred_parameters: Option<Kind>,
    expression_statement: Option<Kind>,
    return_statement: Option<Kind>,
}

macro_rules! fields {
    ($($name:ident),*) => {
        /// What parents call their children.
        pub struct Fields { $(pub $name: Field),* }
        impl Fields {
            fn of(grammar: &Grammar) -> Self {
                Self { $($name: grammar.field(stringify!($name))),* }
            }
        }
    };
}
fields!(
    name, object, arguments, value, left, right, operator, operand, parameters, body, key, field
);

/// The fields of Java.
pub static FIELDS: LazyLock<Fields> = LazyLock::new(|| Fields::of(Grammar::of(Language::Java)));

static WORDS: LazyLock<Words> = LazyLock::new(|| {
    let grammar = Grammar::of(Language::Java);
    let names = || (0..grammar.n_kinds()).map(|it| grammar.kind_name(Kind(it as u16)));
    let all = |wanted: &[&str]| names().map(|name| wanted.contains(&name)).collect();
    Words {
        sorts: names().map(sort_of).collect(),
        is_skipped: all(&["line_comment", "block_comment", "comment", "throws"]),
        is_dropped: all(&[
            "(",
            ")",
            "{",
            "}",
            "[",
            "]",
            ",",
            ";",
            ".",
            ":",
            "::",
            "->",
            "@",
            "new",
            "return",
            "if",
            "else",
            "for",
            "while",
            "do",
            "try",
            "catch",
            "finally",
            "throw",
            "assert",
            "class",
            "instanceof",
            "public",
            "protected",
            "private",
            "static",
            "final",
            "abstract",
            "synchronized",
            "native",
            "strictfp",
            "default",
        ]),
        is_atom: all(&[
            "string_literal",
            "character_literal",
            "integral_type",
            "floating_point_type",
            "dimensions",
        ]),
        parenthesized: grammar.kind("parenthesized_expression"),
        modifiers: grammar.kind("modifiers"),
        inferred_parameters: grammar.kind("inferred_parameters"),
        expression_statement: grammar.kind("expression_statement"),
        return_statement: grammar.kind("return_statement"),
    }
});

fn sort_of(name: &str) -> Sort {
    match name {
        "identifier" => Sort::Name,
        "type_identifier" => Sort::TypeName,
        "field_access" => Sort::FieldAccess,
        "method_invocation" => Sort::Call,
        "object_creation_expression" => Sort::New,
        "binary_expression" => Sort::Binary,
        "unary_expression" => Sort::Unary,
        "cast_expression" => Sort::Cast,
        "class_literal" => Sort::ClassLiteral,
        "lambda_expression" => Sort::Lambda,
        "method_reference" => Sort::MethodReference,
        "instanceof_expression" => Sort::InstanceOf,
        "argument_list" => Sort::Arguments,
        "block" => Sort::Block,
        "expression_statement" => Sort::Statement,
        "assert_statement" => Sort::Assert,
        "local_variable_declaration" => Sort::Declaration,
        "variable_declarator" => Sort::Declarator,
        "formal_parameter"
        | "catch_formal_parameter"
        | "resource"
        | "enhanced_for_statement"
        | "type_pattern" => Sort::Parameter,
        "method_declaration" => Sort::Method,
        "annotation" | "marker_annotation" => Sort::Annotation,
        "element_value_pair" => Sort::Pair,
        "try_statement" => Sort::Try,
        "catch_clause" => Sort::Catch,
        "this" | "super" => Sort::This,
        "scoped_type_identifier"
        | "generic_type"
        | "array_type"
        | "integral_type"
        | "floating_point_type"
        | "boolean_type"
        | "void_type"
        | "type_arguments"
        | "wildcard"
        | "catch_type" => Sort::Type,
        "true" | "false" | "null_literal" => Sort::Literal,
        _ if name.ends_with("_literal") => Sort::Literal,
        _ if name.starts_with(|it: char| it.is_ascii_punctuation()) => Sort::Operator,
        _ => Sort::Other,
    }
}

/// One node.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    pub sort: Sort,
    pub kind: Kind,
    pub field: Field,
    /// A hash of a leaf's text; 0 above leaves. Equal exactly for equal texts, but for collisions of 64 bits.
    pub word: u64,
    /// Of the subtree without what is masked below it.
    pub hash: u64,
    pub span: Span,
    /// The index after the last descendant.
    pub end: u32,
    /// The root is its own.
    pub parent: u32,
    /// Compared by itself: its parent does without.
    pub is_masked: bool,
}

/// One side of a pair.
#[derive(Clone, Debug)]
pub struct Code<'t> {
    pub text: &'t str,
    pub nodes: Vec<Node>,
}

/// Something open while nodes are copied.
struct Frame {
    /// In the tree that is read.
    end: u32,
    /// Where children go.
    node: u32,
    /// What children take over from a node that is left out.
    field: Option<Field>,
}

impl<'t> Code<'t> {
    /// Copies a tree. A stopped one becomes a single empty node.
    pub fn new(text: &'t str, tree: &Tree) -> Self {
        let mut code = Self {
            text,
            nodes: Vec::with_capacity(tree.nodes.len() / 2 + 1),
        };
        let mut frames: Vec<Frame> = Vec::new();
        let mut lone_last = None;
        let mut idx = 0_u32;
        while let Some(node) = tree.nodes.get(idx as usize) {
            while frames.last().is_some_and(|it| it.end <= idx) {
                code.close(&mut frames);
            }
            let field = frames.last().and_then(|it| it.field).unwrap_or(node.field);
            let kind = usize::from(node.kind.0);
            let is_leaf = tree.is_leaf(idx);
            if WORDS.is_skipped[kind] || (is_leaf && is_said(tree, idx)) {
                idx = node.subtree_end;
                continue;
            }
            let lone = lone_statement(tree, idx);
            if !is_leaf && (is_transparent(node.kind) || lone.is_some() || lone_last == Some(idx)) {
                lone_last = lone.or(lone_last);
                let parent = frames.last().map_or(0, |it| it.node);
                frames.push(Frame {
                    end: node.subtree_end,
                    node: parent,
                    field: Some(field),
                });
                idx += 1;
                continue;
            }
            let is_whole = is_leaf || WORDS.is_atom[kind];
            let own = code.nodes.len() as u32;
            code.nodes.push(Node {
                sort: WORDS.sorts[kind],
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
                parent: frames.last().map_or(0, |it| it.node),
                is_masked: false,
            });
            if is_whole {
                idx = node.subtree_end;
            } else {
                frames.push(Frame {
                    end: node.subtree_end,
                    node: own,
                    field: None,
                });
                idx += 1;
            }
        }
        while !frames.is_empty() {
            code.close(&mut frames);
        }
        if code.nodes.is_empty() {
            code.nodes.push(Node {
                sort: Sort::Other,
                kind: Kind(0),
                field: Field::NONE,
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

    fn close(&mut self, frames: &mut Vec<Frame>) {
        if let Some(frame) = frames.pop()
            && frame.field.is_none()
        {
            self.nodes[frame.node as usize].end = self.nodes.len() as u32;
        }
    }

    /// Computes all hashes anew, after words or masks have changed.
    pub fn rehash(&mut self) {
        for idx in (0..self.nodes.len() as u32).rev() {
            let node = self.nodes[idx as usize];
            let kind = match node.sort {
                // `@Test` and `@Test()` are one.
                Sort::Annotation => u64::MAX,
                _ => u64::from(node.kind.0),
            };
            let mut hash = mix(mix(0, kind), node.word);
            for child in self.children(idx) {
                let child = &self.nodes[child as usize];
                hash = mix(mix(hash, u64::from(child.field.0)), child.hash);
            }
            self.nodes[idx as usize].hash = hash;
        }
    }

    pub fn node(&self, idx: u32) -> &Node {
        &self.nodes[idx as usize]
    }

    pub fn sort(&self, idx: u32) -> Sort {
        self.node(idx).sort
    }

    pub fn hash(&self, idx: u32) -> u64 {
        self.node(idx).hash
    }

    /// Returns a node's source.
    pub fn source(&self, idx: u32) -> &'t str {
        self.node(idx).span.of(self.text)
    }

    /// Returns the children that are not masked.
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

    /// Returns the first child that the parent calls so.
    pub fn child(&self, idx: u32, field: Field) -> Option<u32> {
        self.children(idx)
            .find(|child| self.node(*child).field == field)
    }

    /// Returns the name that a call, a declarator or a parameter has.
    pub fn name(&self, idx: u32) -> Option<&'t str> {
        self.child(idx, FIELDS.name).map(|it| self.source(it))
    }

    /// Returns a call's arguments.
    pub fn arguments(&self, idx: u32) -> Vec<u32> {
        self.child(idx, FIELDS.arguments)
            .map_or_else(Vec::new, |it| self.children(it).collect())
    }

    /// Returns whether a node is a literal, or a number with a sign.
    pub fn is_literal(&self, idx: u32) -> bool {
        match self.sort(idx) {
            Sort::Literal => true,
            Sort::Unary => {
                let operator = self.child(idx, FIELDS.operator).map(|it| self.source(it));
                let operand = self.child(idx, FIELDS.operand);
                matches!(operator, Some("-" | "+"))
                    && operand.is_some_and(|it| self.sort(it) == Sort::Literal)
            }
            _ => false,
        }
    }
}

/// Returns whether a leaf adds nothing to the tree around it.
fn is_said(tree: &Tree, idx: u32) -> bool {
    let node = &tree.nodes[idx as usize];
    if !node.is_named() {
        return WORDS.is_dropped[usize::from(node.kind.0)];
    }
    node.field == FIELDS.object && tree.grammar.kind_name(node.kind) == "this" && {
        // The parent of a first child is just before it.
        idx > 0 && tree.grammar.kind_name(tree.nodes[idx as usize - 1].kind) == "method_invocation"
    }
}

/// Returns whether a node is left out and what it holds is kept in its place.
fn is_transparent(kind: Kind) -> bool {
    [
        WORDS.parenthesized,
        WORDS.inferred_parameters,
        WORDS.modifiers,
    ]
    .contains(&Some(kind))
}

/// Returns the only statement of a lambda's body in braces, if it is one that an expression could stand for.
fn lone_statement(tree: &Tree, block: u32) -> Option<u32> {
    let node = &tree.nodes[block as usize];
    let is_body = node.field == FIELDS.body
        && WORDS.sorts[usize::from(node.kind.0)] == Sort::Block
        && block > 0
        && is_before_lambda(tree, block);
    let child = is_body.then(|| only_child(tree, block)).flatten()?;
    let kind = Some(tree.nodes[child as usize].kind);
    let is_plain = kind == WORDS.expression_statement
        || (kind == WORDS.return_statement && only_child(tree, child).is_some());
    is_plain.then_some(child)
}

/// Returns whether the token before a block is a lambda's arrow.
fn is_before_lambda(tree: &Tree, block: u32) -> bool {
    let arrow = &tree.nodes[block as usize - 1];
    tree.grammar.kind_name(arrow.kind) == "->"
}

/// Returns the only named child of a node that is no comment.
fn only_child(tree: &Tree, idx: u32) -> Option<u32> {
    let is_named = |child: &u32| {
        let node = &tree.nodes[*child as usize];
        node.is_named()
    };
    let mut children = tree.children(idx).filter(is_named);
    let first = children.next()?;
    children.next().is_none().then_some(first)
}

/// Returns a hash of a word.
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
