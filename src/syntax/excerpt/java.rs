//! Java: imports, the class's header and fields, constructors, set-up and tear-down in full, signatures of other public
//! methods; no comments.

use tree_sitter::Node;

use crate::model::Span;

use super::pieces::{Pieces, without};
use super::{DEPTH_MAX, View, named_children, span_of};

/// Annotations of methods that run before or after tests.
const AROUND: [&str; 16] = [
    "After",
    "AfterAll",
    "AfterClass",
    "AfterEach",
    "AfterGroups",
    "AfterMethod",
    "AfterSuite",
    "AfterTest",
    "Before",
    "BeforeAll",
    "BeforeClass",
    "BeforeEach",
    "BeforeGroups",
    "BeforeMethod",
    "BeforeSuite",
    "BeforeTest",
];

/// The names of such methods in JUnit 3.
const AROUND_NAMES: [&str; 2] = ["setUp", "tearDown"];

pub fn context(view: &View<'_>, root: Node<'_>) -> String {
    let mut pieces = Pieces::default();
    for child in named_children(root) {
        if child.kind() == "import_declaration" {
            pieces.push(&plain(view, child));
        } else if view.holds_wanted(child)
            && let Some(class) = class(view, child, 0)
        {
            pieces.push(&class);
        }
    }
    pieces.joined()
}

fn class(view: &View<'_>, node: Node<'_>, depth: usize) -> Option<String> {
    let body = node.child_by_field_name("body")?;
    if depth > DEPTH_MAX {
        return None;
    }
    let indent = view.indent(node);
    let mut pieces = Pieces::default();
    let head = Span::new(view.line_start(node) as u32, body.start_byte() as u32);
    pieces.push(&format!("{} {{", uncommented(view, node, head).trim_end()));
    let is_interface = node.kind() == "interface_declaration";
    for member in members(body) {
        if let Some(piece) = piece(view, member, is_interface, depth) {
            pieces.push(&piece);
        }
    }
    pieces.push(&format!("{indent}}}"));
    Some(pieces.joined())
}

/// Lists the declarations of a body; an enum's are one level deeper.
fn members(body: Node<'_>) -> Vec<Node<'_>> {
    let mut members = Vec::new();
    for child in named_children(body) {
        match child.kind() {
            "enum_body_declarations" => members.extend(named_children(child)),
            _ => members.push(child),
        }
    }
    members
}

fn piece(view: &View<'_>, node: Node<'_>, is_interface: bool, depth: usize) -> Option<String> {
    if view.is_test(node) {
        return None;
    }
    match node.kind() {
        "field_declaration"
        | "constant_declaration"
        | "constructor_declaration"
        | "compact_constructor_declaration" => Some(plain(view, node)),
        "method_declaration" if is_around(view, node) => Some(plain(view, node)),
        "method_declaration" => {
            let is_public = has_modifier(node, "public");
            let is_open = is_public || (is_interface && !has_modifier(node, "private"));
            is_open.then(|| signature(view, node))
        }
        _ if view.holds_wanted(node) => class(view, node, depth + 1),
        _ => None,
    }
}

fn modifiers(node: Node<'_>) -> Option<Node<'_>> {
    let mut children = named_children(node).into_iter();
    children.find(|child| child.kind() == "modifiers")
}

fn has_modifier(node: Node<'_>, word: &str) -> bool {
    let Some(modifiers) = modifiers(node) else {
        return false;
    };
    let mut cursor = modifiers.walk();
    modifiers
        .children(&mut cursor)
        .any(|child| child.kind() == word)
}

fn is_annotation(node: Node<'_>) -> bool {
    matches!(node.kind(), "annotation" | "marker_annotation")
}

fn is_around(view: &View<'_>, node: Node<'_>) -> bool {
    let name = |node: Node<'_>| Some(view.source(node.child_by_field_name("name")?));
    let annotations = modifiers(node).map(named_children).unwrap_or_default();
    let mut names = annotations
        .into_iter()
        .filter(|annotation| is_annotation(*annotation))
        .filter_map(name);
    let is_marked = names.any(|name| AROUND.contains(&name.rsplit('.').next().unwrap_or(name)));
    is_marked || name(node).is_some_and(|name| AROUND_NAMES.contains(&name))
}

/// Writes a method's header on one line, without annotations.
fn signature(view: &View<'_>, node: Node<'_>) -> String {
    let end = node
        .child_by_field_name("body")
        .map_or(node.end_byte(), |node| node.start_byte());
    let head = Span::new(node.start_byte() as u32, end as u32);
    let annotations = modifiers(node).map(named_children).unwrap_or_default();
    let mut holes = comments(node, head);
    holes.extend(
        annotations
            .into_iter()
            .filter(|annotation| is_annotation(*annotation))
            .map(span_of),
    );
    holes.sort_unstable();
    let head = without(view.file.text, head, &holes);
    let words: Vec<&str> = head.split_whitespace().collect();
    let words = words.join(" ");
    let header = words.trim_end_matches([';', ' ']);
    format!("{}{header};", view.indent(node))
}

/// Copies a node's lines without comments.
fn plain(view: &View<'_>, node: Node<'_>) -> String {
    let lines = Span::new(view.line_start(node) as u32, node.end_byte() as u32);
    uncommented(view, node, lines)
}

fn uncommented(view: &View<'_>, node: Node<'_>, part: Span) -> String {
    without(view.file.text, part, &comments(node, part))
}

/// Lists the spans of comments in a part of a node, in order.
fn comments(node: Node<'_>, part: Span) -> Vec<Span> {
    let mut found = Vec::new();
    let mut cursor = node.walk();
    loop {
        let span = span_of(cursor.node());
        let is_comment = matches!(cursor.node().kind(), "line_comment" | "block_comment");
        if is_comment && part.contains(span) {
            found.push(span);
        }
        if span.start < part.end && cursor.goto_first_child() {
            continue;
        }
        while !cursor.goto_next_sibling() {
            if !cursor.goto_parent() {
                return found;
            }
        }
    }
}
