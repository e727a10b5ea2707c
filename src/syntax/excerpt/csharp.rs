//! C#: usings, code at file level, the namespace's line, the test class without its test methods.

use tree_sitter::Node;

use super::pieces::Pieces;
use super::{DEPTH_MAX, View};

pub fn context(view: &View<'_>, root: Node<'_>) -> String {
    let mut pieces = Pieces::default();
    pieces.children(view, root, |child| outside(view, child, 0));
    pieces.joined()
}

fn is_type(kind: &str) -> bool {
    matches!(
        kind,
        "class_declaration"
            | "struct_declaration"
            | "interface_declaration"
            | "record_declaration"
            | "record_struct_declaration"
            | "enum_declaration"
            | "delegate_declaration"
    )
}

/// Reduces a declaration outside classes to its context.
fn outside(view: &View<'_>, node: Node<'_>, depth: usize) -> Option<String> {
    let kind = node.kind();
    if !view.holds_wanted(node) {
        let is_other = is_type(kind) || kind == "namespace_declaration" || view.holds_test(node);
        return (!is_other).then(|| view.lines(node));
    }
    if depth > DEPTH_MAX {
        return None;
    }
    if is_type(kind) {
        return class(view, node, depth);
    }
    Some(match node.child_by_field_name("body") {
        Some(body) => braced(view, node, body, |node| outside(view, node, depth + 1)),
        None => branches(view, node, |node| outside(view, node, depth + 1)),
    })
}

fn class(view: &View<'_>, node: Node<'_>, depth: usize) -> Option<String> {
    let body = node.child_by_field_name("body")?;
    Some(braced(view, node, body, |node| {
        inside(view, node, depth + 1)
    }))
}

/// Writes a head, and the parts of its body that `left` keeps.
fn braced<'n>(
    view: &View<'_>,
    node: Node<'n>,
    body: Node<'n>,
    left: impl FnMut(Node<'n>) -> Option<String>,
) -> String {
    let mut pieces = Pieces::default();
    pieces.push(view.head(node, body));
    pieces.push(&format!("{}{{", view.indent(node)));
    pieces.children(view, body, left);
    pieces.push(&format!("{}}}", view.indent(node)));
    pieces.joined()
}

/// Writes the parts that `left` keeps of a node without braces, such as a branch of `#if`.
fn branches<'n>(
    view: &View<'_>,
    node: Node<'n>,
    mut left: impl FnMut(Node<'n>) -> Option<String>,
) -> String {
    let condition = node.child_by_field_name("condition");
    let mut pieces = Pieces::default();
    pieces.children(view, node, |child| match condition {
        Some(condition_node) if condition_node == child => None,
        _ => left(child),
    });
    pieces.joined()
}

/// Reduces a member to its context.
fn inside(view: &View<'_>, node: Node<'_>, depth: usize) -> Option<String> {
    if view.is_test(node) || depth > DEPTH_MAX {
        return None;
    }
    if is_type(node.kind()) {
        if view.holds_wanted(node) {
            return class(view, node, depth);
        }
        return (!view.holds_test(node)).then(|| view.lines(node));
    }
    if !view.holds_test(node) {
        return Some(view.lines(node));
    }
    Some(branches(view, node, |node| inside(view, node, depth + 1)))
}
