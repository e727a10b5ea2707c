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

/// Returns what is left of a thing that is in no class.
fn outside(view: &View<'_>, node: Node<'_>, depth: usize) -> Option<String> {
    let kind = node.kind();
    if !view.holds_wanted(node) {
        let is_other = is_type(kind) || kind == "namespace_declaration" || view.holds_test(node);
        return (!is_other).then(|| view.lines(node));
    }
    if depth > DEPTH_MAX {
        return None;
    }
    let mut pieces = Pieces::default();
    if is_type(kind) {
        return class(view, node, depth);
    }
    let Some(body) = node.child_by_field_name("body") else {
        // A branch of `#if`, say.
        let condition = node.child_by_field_name("condition");
        pieces.children(view, node, |child| match condition {
            Some(it) if it == child => None,
            _ => outside(view, child, depth + 1),
        });
        return Some(pieces.joined());
    };
    pieces.push(view.head(node, body));
    pieces.push(&format!("{}{{", view.indent(node)));
    pieces.children(view, body, |child| outside(view, child, depth + 1));
    pieces.push(&format!("{}}}", view.indent(node)));
    Some(pieces.joined())
}

fn class(view: &View<'_>, node: Node<'_>, depth: usize) -> Option<String> {
    let body = node.child_by_field_name("body")?;
    let mut pieces = Pieces::default();
    pieces.push(view.head(node, body));
    pieces.push(&format!("{}{{", view.indent(node)));
    pieces.children(view, body, |member| inside(view, member, depth + 1));
    pieces.push(&format!("{}}}", view.indent(node)));
    Some(pieces.joined())
}

/// Returns what is left of a member.
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
    // A branch of `#if`, say.
    let condition = node.child_by_field_name("condition");
    let mut pieces = Pieces::default();
    pieces.children(view, node, |child| match condition {
        Some(it) if it == child => None,
        _ => inside(view, child, depth + 1),
    });
    Some(pieces.joined())
}
