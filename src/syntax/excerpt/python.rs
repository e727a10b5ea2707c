//! Python: imports, the module's code, classes without tests, signatures of other functions; for a method its class.

use tree_sitter::Node;

use super::pieces::Pieces;
use super::{DEPTH_MAX, View};

pub fn context(view: &View<'_>, root: Node<'_>) -> String {
    let mut pieces = Pieces::default();
    pieces.children(view, root, |child| piece(view, child, 0));
    pieces.joined()
}

fn piece(view: &View<'_>, node: Node<'_>, depth: usize) -> Option<String> {
    let definition = definition(node);
    if view.is_test(node) || view.is_test(definition) {
        return None;
    }
    match definition.kind() {
        "function_definition" => Some(signature(view, node, definition)),
        "class_definition" if view.holds_wanted(node) && depth < DEPTH_MAX => {
            Some(class(view, node, definition, depth))
        }
        "class_definition" if view.holds_test(node) => None,
        _ => Some(view.lines(node)),
    }
}

/// Finds the definition behind decorators, else returns the node itself.
fn definition(node: Node<'_>) -> Node<'_> {
    match node.kind() {
        "decorated_definition" => node.child_by_field_name("definition").unwrap_or(node),
        _ => node,
    }
}

fn signature(view: &View<'_>, node: Node<'_>, function: Node<'_>) -> String {
    match function.child_by_field_name("body") {
        Some(body) => format!("{}\n{}    ...", view.head(node, body), view.indent(node)),
        None => view.lines(node),
    }
}

fn class(view: &View<'_>, node: Node<'_>, class: Node<'_>, depth: usize) -> String {
    let Some(body) = class.child_by_field_name("body") else {
        return String::new();
    };
    let mut pieces = Pieces::default();
    pieces.children(view, body, |member| {
        if is_docstring(member) {
            None
        } else {
            piece(view, member, depth + 1)
        }
    });
    let members = pieces.joined();
    let head = view.head(node, body);
    if members.is_empty() {
        format!("{head}\n{}    ...", view.indent(node))
    } else {
        format!("{head}\n{members}")
    }
}

fn is_docstring(node: Node<'_>) -> bool {
    let is_string = |node: Node<'_>| matches!(node.kind(), "string" | "concatenated_string");
    node.kind() == "expression_statement"
        && node.named_child_count() == 1
        && node.named_child(0).is_some_and(is_string)
}
