//! Python: a statement that raises stands behind the last one, and before each `return` on the same line, so that the
//! layout stays.
//!
//! The twin raises a `BaseException`: tests that try until something holds catch everything below it.

use crate::model::Language;
use crate::syntax::tree::Tree;

use super::{AssertionSyntax, MARK, Others, Twin, Twins, inserted, kind, returns, skips};

/// Nodes with `return`s of their own.
const BARRIERS: &[&str] = &["function_definition", "class_definition", "lambda"];

const ASSERTIONS: AssertionSyntax = AssertionSyntax {
    call: "call",
    handlers: &["except_clause", "except_group_clause"],
    name: |tree, idx| {
        let grammar = tree.grammar;
        let function = tree.child_by_field(idx, grammar.field("function"))?;
        let attribute = tree.child_by_field(function, grammar.field("attribute"));
        Some(tree.nodes[attribute.unwrap_or(function) as usize].span)
    },
};

/// Beginnings of decorators that let a test's exceptions through.
const DECORATORS: &[&str] = &[
    "pytest.",
    "mark.",
    "mock.",
    "patch",
    "unittest.",
    "given",
    "settings",
];

pub(super) fn twin(twins: &mut Twins, text: &str) -> Option<Twin> {
    let Twins { parser, tree } = twins;
    parser.parse(Language::Python, text, tree);
    let tree = &*tree;
    let function =
        (0..tree.nodes.len() as u32).find(|n| kind(tree, *n) == "function_definition")?;
    let body = tree.child_by_field(function, tree.grammar.field("body"))?;
    let mut statements = tree.children(body).filter(|child| {
        let node = &tree.nodes[*child as usize];
        node.is_named() && !node.is_extra()
    });
    let first = statements.next()?;
    let last = statements.last().unwrap_or(first);
    let start = tree.nodes[first as usize].span.start as usize;
    let end = tree.nodes[last as usize].span.end as usize;
    let line = text[..start].rfind('\n').map_or(0, |n| n + 1);
    let before = &text[line..start];
    // The body stands on its head's line, or on lines of its own.
    let separator = if before.trim().is_empty() {
        format!("\n{before}")
    } else {
        "; ".to_owned()
    };
    let raising = |what: &str| format!("raise BaseException(\"{what}\")");
    let at_end = format!("{separator}{}", raising("focalist twin: left at its end"));
    let mut inserts = vec![(text[..end].trim_end().len(), at_end)];
    let spans = returns(tree, body, BARRIERS);
    for (number, span) in spans.iter().enumerate() {
        let before = format!("{}; ", raising(&format!("{MARK}{number}")));
        inserts.push((span.start as usize, before));
    }
    Some(Twin {
        text: inserted(text, inserts),
        skips: skips((tree, text), body, &spans, &ASSERTIONS),
        others: if has_unknown_decorator(tree, function, text) {
            Others::Decorator
        } else {
            Others::Nobody
        },
    })
}

fn has_unknown_decorator(tree: &Tree, function: u32, text: &str) -> bool {
    (0..function)
        .filter(|n| kind(tree, *n) == "decorator")
        .any(|n| {
            let decorator = tree.nodes[n as usize].span.of(text);
            let name = decorator.trim_start_matches('@').trim_start();
            !DECORATORS.iter().any(|text| name.starts_with(text))
        })
}
