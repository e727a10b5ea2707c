//! Java: the body stands in a `try` whose `finally` throws. The `finally` is reached from the end, from each `return`
//! and by each exception, an expected one too, and the compiler takes it for reachable with any body.
//!
//! The twin throws an `Error`, which hardly any test expects; and it throws under a condition, or the compiler would
//! warn that the clause never ends.

use crate::model::{Language, Span};
use crate::syntax;
use crate::syntax::tree::Tree;

use super::{AssertionSyntax, MARK, Others, Twin, Twins, inserted, kind, returns, skips};

/// The text around a member that makes it parsable.
const CLASS: &str = "class T {\n";

/// Nodes with `return`s of their own.
const BARRIERS: &[&str] = &[
    "lambda_expression",
    "class_body",
    "enum_body",
    "interface_body",
    "annotation_type_body",
];

const ASSERTIONS: AssertionSyntax = AssertionSyntax {
    call: "method_invocation",
    handlers: &["catch_clause"],
    name: |tree, idx| {
        let name = tree.child_by_field(idx, tree.grammar.field("name"))?;
        Some(tree.nodes[name as usize].span)
    },
};

/// The array holds by which `return` a test is left.
pub(in crate::confirm) const OPENING: &str =
    " final java.lang.String[] focalistLeft = { \"\" }; try {";
pub(in crate::confirm) const CLOSING: &str = "} finally { if (java.lang.Boolean.parseBoolean(\"true\")) \
                       throw new java.lang.Error(\"focalist twin: left\" + focalistLeft[0]); } ";

/// Replaces an expected class, which is commented out, by a class that an `Error` is not.
const NARROWER: &str = "java.lang.Exception.class /* ";

pub(super) fn twin(twins: &mut Twins, text: &str) -> Option<Twin> {
    let mut wrapped = [CLASS, text, "\n}"].concat();
    syntax::make_readable(Language::Java, &mut wrapped, (CLASS.len(), text.len()));
    let Twins { parser, tree } = twins;
    parser.parse(Language::Java, &wrapped, tree);
    let tree = &*tree;
    let method = (0..tree.nodes.len() as u32).find(|n| kind(tree, *n) == "method_declaration")?;
    let body = tree.child_by_field(method, tree.grammar.field("body"))?;
    let spans = returns(tree, body, BARRIERS);
    let skips = skips((tree, &wrapped), body, &spans, &ASSERTIONS);
    let place = |at: u32| (at as usize).checked_sub(CLASS.len());
    let block = tree.nodes[body as usize].span;
    let mut inserts = vec![(place(block.start + 1)?, OPENING.to_owned())];
    let left_by = MARK.trim_start_matches("focalist twin: left");
    for (number, span) in spans.iter().enumerate() {
        // A block, because a `return` may stand where only one statement is allowed.
        let before = format!("{{ focalistLeft[0] = \"{left_by}{number}\"; ");
        inserts.push((place(span.start)?, before));
        inserts.push((place(span.end)?, " }".to_owned()));
    }
    let (too_wide, others) = expectations((tree, &wrapped), method);
    for span in too_wide {
        inserts.push((place(span.start)?, NARROWER.to_owned()));
        inserts.push((place(span.end)?, " */".to_owned()));
    }
    // The last one: a `return` may end where the body does.
    inserts.push((place(block.end - 1)?, CLOSING.to_owned()));
    Some(Twin {
        text: inserted(text, inserts),
        skips,
        others,
    })
}

/// Finds the class literals in a test's expectations that the twin's own failure would meet, and whether an expectation
/// without a written class may meet it.
fn expectations((tree, text): (&Tree, &str), method: u32) -> (Vec<Span>, Others) {
    let mut too_wide = Vec::new();
    let mut others = Others::Nobody;
    for idx in method..tree.nodes[method as usize].subtree_end {
        let of_annotation = is_annotations(tree, idx, text);
        if !of_annotation && !is_rules(tree, idx, text) {
            continue;
        }
        let below = idx..tree.nodes[idx as usize].subtree_end;
        let literals = below.filter(|below| kind(tree, *below) == "class_literal");
        let literals: Vec<Span> = literals
            .map(|literal| tree.nodes[literal as usize].span)
            .collect();
        if literals.is_empty() && !of_annotation {
            others = Others::Expectation;
        }
        let is_wide = |span: &Span| {
            let name = span.of(text).trim_end_matches("class").trim_end();
            let name = name.trim_end_matches('.').trim_end();
            let last = name.rsplit('.').next().unwrap_or_default().trim();
            matches!(last, "Throwable" | "Error")
        };
        too_wide.extend(literals.into_iter().filter(is_wide));
    }
    (too_wide, others)
}

/// Tells whether a node names expected exceptions in an annotation: JUnit 4's `expected`, TestNG's
/// `expectedExceptions`.
fn is_annotations(tree: &Tree, idx: u32, text: &str) -> bool {
    let key = tree.child_by_field(idx, tree.grammar.field("key"));
    let is_pair = kind(tree, idx) == "element_value_pair";
    is_pair
        && key.is_some_and(|key| {
            tree.nodes[key as usize]
                .span
                .of(text)
                .starts_with("expected")
        })
}

/// Tells whether a node calls the `expect` of JUnit 4's rule, which returns nothing. In contrast, the result of a
/// mock's `expect` is used.
fn is_rules(tree: &Tree, idx: u32, text: &str) -> bool {
    if kind(tree, idx) != "expression_statement" {
        return false;
    }
    let call = idx + 1;
    let name = tree.child_by_field(call, tree.grammar.field("name"));
    let is_call = kind(tree, call) == "method_invocation";
    is_call && name.is_some_and(|name| tree.nodes[name as usize].span.of(text) == "expect")
}
