//! Go: `package`, imports, types, variables, constants, signatures of other functions and methods, `TestMain` in full.

use tree_sitter::Node;

use super::View;
use super::pieces::Pieces;

pub fn context(view: &View<'_>, root: Node<'_>) -> String {
    let mut pieces = Pieces::default();
    pieces.children(view, root, |child| piece(view, child));
    pieces.joined()
}

fn piece(view: &View<'_>, node: Node<'_>) -> Option<String> {
    if view.is_test(node) {
        return None;
    }
    let is_function = matches!(node.kind(), "function_declaration" | "method_declaration");
    let name = node.child_by_field_name("name");
    let is_main = name.is_some_and(|node| view.source(node) == "TestMain");
    match node.child_by_field_name("body") {
        Some(body) if is_function && !is_main => Some(view.head(node, body).to_owned()),
        _ => Some(view.lines(node)),
    }
}
