//! Code that keeps an assertion's failure from the test runner, and code that keeps the assertion from running.

use tree_sitter::Node;

use crate::model::Language;

use super::call::SyntaxCall;
use super::shape::ControlFlowKinds;
use super::words::says;
use super::{named, source};

/// The search for an end of the block goes no deeper.
const DEPTH_MAX: u32 = 32;

/// Tells whether the statements behind this one are never reached.
pub fn ends(shape: &ControlFlowKinds, node: Node<'_>) -> bool {
    ends_at(shape, node, 0)
}

fn ends_at(shape: &ControlFlowKinds, node: Node<'_>, depth: u32) -> bool {
    if depth > DEPTH_MAX {
        return false;
    }
    let depth = depth + 1;
    let kind = node.kind();
    if shape.ends.contains(&kind) {
        return true;
    }
    if matches!(
        kind,
        "block" | "statement_block" | "statement_list" | "else_clause"
    ) {
        return named(node)
            .into_iter()
            .any(|node| ends_at(shape, node, depth));
    }
    if !shape.ifs.contains(&kind) {
        return false;
    }
    let mut cursor = node.walk();
    let alternatives: Vec<_> = node
        .children_by_field_name("alternative", &mut cursor)
        .collect();
    let then = node.child_by_field_name("consequence");
    let last = alternatives.last();
    // Without `else` there is a way past the branches.
    let is_closed = last.is_some_and(|node| node.kind() != "elif_clause");
    let elif_ends = |node: &Node<'_>| {
        let inner = node.child_by_field_name("consequence").unwrap_or(*node);
        ends_at(shape, inner, depth)
    };
    is_closed
        && then.is_some_and(|node| ends_at(shape, node, depth))
        && alternatives.iter().all(|alternative| {
            if alternative.kind() == "elif_clause" {
                elif_ends(alternative)
            } else {
                ends_at(shape, *alternative, depth)
            }
        })
}

/// Tells whether a `try` swallows what an assertion in its body throws.
pub fn is_swallowing(shape: &ControlFlowKinds, node: Node<'_>, text: &str) -> bool {
    let is_handler = |node: &Node<'_>| shape.catches.contains(&node.kind());
    let mut parts = named(node).into_iter();
    // The first handler that fits is the one that runs.
    let handler = parts
        .by_ref()
        .filter(is_handler)
        .find(|node| covers(shape.language, *node, text));
    let is_dropped = handler.is_some_and(|node| !passes_on(shape, node, text));
    let last = named(node)
        .into_iter()
        .find(|node| node.kind() == "finally_clause");
    let returns = last.is_some_and(|node| {
        named(node)
            .into_iter()
            .any(|node| ends(shape, node) && !shape.throws.contains(&node.kind()))
    });
    is_dropped || returns
}

/// Tells whether a handler catches an assertion's exception.
fn covers(language: Language, handler: Node<'_>, text: &str) -> bool {
    match language {
        Language::JavaScript => true,
        Language::Python => {
            let mut of = named(handler).into_iter();
            let of: Vec<Node<'_>> = of
                .by_ref()
                .filter(|node| node.kind() != "block" && !node.kind().contains("comment"))
                .collect();
            of.is_empty() || of.iter().any(|node| covers_python(source(*node, text)))
        }
        Language::Java => {
            let of = named(handler).into_iter();
            let of = of
                .filter(|node| node.kind() == "catch_formal_parameter")
                .flat_map(named)
                .find(|node| node.kind() == "catch_type");
            of.is_some_and(|catch_type| {
                let mut kinds = source(catch_type, text).split('|').map(last_name);
                kinds.any(|kind| {
                    matches!(kind, "Throwable" | "Error" | "ComparisonFailure")
                        || kind.contains("AssertionError")
                        || kind.contains("AssertionFailed")
                })
            })
        }
        Language::CSharp => {
            let of = named(handler).into_iter();
            let mut of = of.filter(|node| node.kind() == "catch_declaration");
            of.next().is_none_or(|node| {
                let kind = node.child_by_field_name("type");
                let kind = last_name(kind.map_or("", |node| source(node, text)));
                kind == "Exception" || kind.contains("Assert") || kind.contains("Xunit")
            })
        }
        Language::Go => false,
    }
}

/// Tells whether one of these exceptions of Python is an assertion's, or a base of it.
pub fn covers_python(exceptions: &str) -> bool {
    let mut words =
        exceptions.split(|exception: char| !exception.is_alphanumeric() && exception != '_');
    words.any(|word| matches!(word, "Exception" | "BaseException" | "AssertionError"))
}

fn last_name(kind: &str) -> &str {
    let kind = kind.trim();
    kind.rsplit('.').next().unwrap_or(kind)
}

/// Tells whether a handler fails by itself: it throws, asserts, or tells the runner.
pub fn passes_on(shape: &ControlFlowKinds, handler: Node<'_>, text: &str) -> bool {
    let mut left = named(handler);
    while let Some(node) = left.pop() {
        if shape.throws.contains(&node.kind()) {
            return true;
        }
        if shape.calls.contains(&node.kind())
            && let Some(call) = SyntaxCall::of(shape, node, text)
        {
            let tells = matches!(call.name, "done" | "reject" | "next" | "callback" | "cb");
            if tells || says(shape.language, &call, node, text).is_some() {
                return true;
            }
        }
        // `.catch(done)`
        let is_told = node.kind() == "identifier"
            && matches!(source(node, text), "done" | "reject" | "next" | "fail");
        if is_told && shape.language == Language::JavaScript {
            return true;
        }
        left.extend(named(node));
    }
    false
}

/// Tells whether a class has a supertype, through which others may call its methods.
pub fn has_supertype(class: Node<'_>) -> bool {
    let mut parts = named(class).into_iter();
    parts.any(|node| {
        matches!(
            node.kind(),
            "superclass" | "super_interfaces" | "base_list" | "class_heritage" | "argument_list"
        )
    })
}
