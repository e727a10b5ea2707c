//! JavaScript and TypeScript: imports, all code outside group and test calls, and the groups around the test without
//! their tests and other groups.

use tree_sitter::Node;

use super::pieces::Pieces;
use super::{DEPTH_MAX, View, named_children};

/// Calls that group tests, and calls that are tests, whether they were collected or not: `it('later')` has no body.
const GROUPS: [&str; 12] = [
    "describe",
    "fdescribe",
    "xdescribe",
    "ddescribe",
    "context",
    "fcontext",
    "xcontext",
    "suite",
    "QUnit.module",
    "test.describe",
    "Deno.describe",
    "nodeTest.describe",
];
const TESTS: [&str; 11] = [
    "it",
    "fit",
    "xit",
    "iit",
    "test",
    "xtest",
    "specify",
    "fspecify",
    "xspecify",
    "QUnit.test",
    "Deno.test",
];

pub fn context(view: &View<'_>, root: Node<'_>) -> String {
    statements(view, root, 0)
}

fn statements(view: &View<'_>, parent: Node<'_>, depth: usize) -> String {
    let is_list = parent.kind() == "object";
    let mut pieces = Pieces::default();
    pieces.children(view, parent, |child| {
        let piece = piece(view, child, depth)?;
        // Members of an object keep their commas.
        let is_member = is_list && child.kind() != "comment";
        Some(if is_member { piece + "," } else { piece })
    });
    pieces.joined()
}

fn piece(view: &View<'_>, node: Node<'_>, depth: usize) -> Option<String> {
    if view.is_test(node) {
        return None;
    }
    if view.holds_wanted(node) {
        return match block_around(view, node) {
            Some(block) if depth < DEPTH_MAX => Some(opened(view, node, block, depth)),
            _ => Some(view.lines(node)),
        };
    }
    (!is_call_of_runner(view, node)).then(|| view.lines(node))
}

/// Writes a statement around the test, with the block that holds the test reduced.
fn opened(view: &View<'_>, node: Node<'_>, block: Node<'_>, depth: usize) -> String {
    let text = view.file.text;
    let head = &text[view.line_start(node)..=block.start_byte()];
    let tail_start = block
        .end_byte()
        .saturating_sub(1)
        .max(block.start_byte() + 1);
    let tail = text.get(tail_start..node.end_byte()).unwrap_or_default();
    let line = text[..tail_start].rfind('\n').map_or(0, |n| n + 1);
    let indent = &text[line..tail_start];
    let indent = if indent.trim().is_empty() { indent } else { "" };
    let inside = statements(view, block, depth + 1);
    let mut pieces = Pieces::default();
    pieces.push(head);
    pieces.push(&inside);
    pieces.push(&format!("{indent}{tail}"));
    pieces.joined()
}

/// Finds the outermost block or object inside a node that holds the test.
fn block_around<'n>(view: &View<'_>, node: Node<'n>) -> Option<Node<'n>> {
    let mut inner = node;
    loop {
        let mut children = named_children(inner).into_iter();
        inner = children.find(|child| view.holds_wanted(*child))?;
        if view.is_test(inner) {
            return None;
        }
        if matches!(inner.kind(), "statement_block" | "object") {
            return Some(inner);
        }
    }
}

/// Tells whether a statement is a call that makes a group or a test: with a title, and by one of their names.
fn is_call_of_runner(view: &View<'_>, node: Node<'_>) -> bool {
    let mut call = node;
    while let "expression_statement" | "await_expression" = call.kind() {
        let Some(inner) = call.named_child(0) else {
            return false;
        };
        call = inner;
    }
    if call.kind() != "call_expression" {
        return false;
    }
    let arguments = call.child_by_field_name("arguments").map(named_children);
    let is_title = |node: &Node<'_>| {
        matches!(
            node.kind(),
            "string" | "template_string" | "binary_expression" | "identifier" | "member_expression"
        )
    };
    let has_title = arguments.is_some_and(|argument| argument.first().is_some_and(is_title));
    has_title && is_runner(view, call)
}

/// Tells whether a call is rooted in a name of the lists, with any chain behind it: `it.each(table)('…')`.
fn is_runner(view: &View<'_>, call: Node<'_>) -> bool {
    let is_known = |name: &str| GROUPS.contains(&name) || TESTS.contains(&name);
    let mut node = call;
    loop {
        let next = match node.kind() {
            "call_expression" => node.child_by_field_name("function"),
            "member_expression" => {
                if is_known(view.source(node)) {
                    return true;
                }
                node.child_by_field_name("object")
            }
            "identifier" => return is_known(view.source(node)),
            _ => None,
        };
        match next {
            Some(next) => node = next,
            None => return false,
        }
    }
}
