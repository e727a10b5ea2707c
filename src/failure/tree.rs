//! Synthetic nodes, for checks that are read in another way than they are written: they stand behind the tree.

use super::code::{Code, Node, NodeSort, hash_of};
use crate::model::Span;
use crate::syntax::tree::{NodeField, NodeKind};

/// Unwraps an expression statement, or returns the statement.
pub fn expression(code: &Code<'_>, statement: u32) -> u32 {
    let mut children = code.children(statement);
    match (children.next(), children.next()) {
        (Some(only), None) if code.sort(statement) == NodeSort::Statement => only,
        _ => statement,
    }
}

/// Adds a leaf; its source is another node's.
pub fn leaf(code: &mut Code<'_>, like: u32, kind: &str, sort: NodeSort, word: &str) -> u32 {
    let kind = code.words.grammar.kind(kind);
    let own = add(code, like, kind, sort, NodeField::NONE);
    code.nodes[own as usize].word = hash_of(word);
    hash(code, own);
    own
}

/// Adds arguments that are copies of these.
pub fn arguments(code: &mut Code<'_>, like: u32, arguments: &[u32]) -> u32 {
    let own = list(code, like, NodeField::NONE, arguments);
    hash(code, own);
    own
}

/// Adds the call of a function with arguments, as it would be written.
pub fn add_call(code: &mut Code<'_>, function: u32, arguments: &[u32]) -> u32 {
    let fields = code.fields();
    let kind = code.words.grammar.kind("call");
    let sort = match code.sort(function) {
        NodeSort::Name | NodeSort::FieldAccess => NodeSort::Call,
        NodeSort::TypeName | NodeSort::Type => NodeSort::New,
        _ => NodeSort::Other,
    };
    let own = add(code, function, kind, sort, NodeField::NONE);
    if code.sort(function) == NodeSort::FieldAccess {
        let parts = [(fields.object, fields.object), (fields.field, fields.name)];
        for (field, placed) in parts {
            if let Some(part) = code.child(function, field) {
                copy(code, part, own, placed);
            }
        }
    } else {
        copy(code, function, own, fields.name);
    }
    let list = list(code, function, fields.arguments, arguments);
    code.nodes[list as usize].parent = own;
    code.nodes[own as usize].end = code.nodes.len() as u32;
    if let Some(last) = arguments.last() {
        let end = code.node(*last).span.end;
        code.nodes[own as usize].span.end = end;
    }
    hash(code, own);
    own
}

fn list(code: &mut Code<'_>, like: u32, field: NodeField, arguments: &[u32]) -> u32 {
    let kind = code.words.grammar.kind("argument_list");
    let own = add(code, like, kind, NodeSort::Arguments, field);
    for argument in arguments {
        let field = code.node(*argument).field;
        copy(code, *argument, own, field);
    }
    code.nodes[own as usize].end = code.nodes.len() as u32;
    own
}

fn add(
    code: &mut Code<'_>,
    like: u32,
    kind: Option<NodeKind>,
    sort: NodeSort,
    field: NodeField,
) -> u32 {
    let own = code.nodes.len() as u32;
    let Node { span, .. } = *code.node(like);
    code.nodes.push(Node {
        sort,
        kind: kind.unwrap_or(NodeKind(0)),
        field,
        word: 0,
        hash: 0,
        span: Span::new(span.start, span.end),
        end: own + 1,
        parent: own,
        is_masked: false,
    });
    own
}

fn copy(code: &mut Code<'_>, from: u32, parent: u32, field: NodeField) {
    let own = code.nodes.len() as u32;
    for idx in from..code.node(from).end {
        let mut node = *code.node(idx);
        node.end = node.end - from + own;
        node.parent = (node.parent.max(from) - from) + own;
        if idx == from {
            node.parent = parent;
            node.field = field;
        }
        code.nodes.push(node);
    }
}

/// Computes the hashes of a new subtree.
fn hash(code: &mut Code<'_>, own: u32) {
    for idx in (own..code.nodes.len() as u32).rev() {
        code.rehash_node(idx);
    }
}
