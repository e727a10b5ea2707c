//! Java: the body stands in a `try` whose `finally` throws. That is reached from the end, from each `return` and by each
//! exception, an expected one too, and it is reachable for the compiler whatever the body does.
//!
//! What is thrown is an `Error`, as hardly a test expects that; and it is thrown under a condition, or the compiler would
//! warn that the clause never ends.

use crate::lang;
use crate::lang::syntax::Tree;
use crate::model::{Language, Span};

use super::{Assertions, MARK, Twin, Twins, inserted, kind, returns, skips};

/// What a member is put into to be parsed.
const CLASS: &str = "class T {\n";

/// What has returns of its own.
const BARRIERS: &[&str] = &[
    "lambda_expression",
    "class_body",
    "enum_body",
    "interface_body",
    "annotation_type_body",
];

const ASSERTIONS: Assertions = Assertions {
    call: "method_invocation",
    handlers: &["catch_clause"],
    name: |tree, idx| {
        let name = tree.child_by_field(idx, tree.grammar.field("name"))?;
        Some(tree.nodes[name as usize].span)
    },
};

/// Names that hold where a test is left.
pub(in crate::confirm) const OPENING: &str =
    " final java.lang.String[] focalistLeft = { \"\" }; try {";
pub(in crate::confirm) const CLOSING: &str = "} finally { if (java.lang.Boolean.parseBoolean(\"true\")) \
                       throw new java.lang.Error(\"focalist twin: left\" + focalistLeft[0]); } ";

pub(super) fn twin(twins: &mut Twins, text: &str) -> Option<Twin> {
    let mut wrapped = [CLASS, text, "\n}"].concat();
    lang::make_readable(Language::Java, &mut wrapped, (CLASS.len(), text.len()));
    let Twins { parser, tree } = twins;
    parser.parse(Language::Java, &wrapped, tree);
    let tree = &*tree;
    let method = (0..tree.nodes.len() as u32).find(|it| kind(tree, *it) == "method_declaration")?;
    let body = tree.child_by_field(method, tree.grammar.field("body"))?;
    let spans = returns(tree, body, BARRIERS);
    let skips = skips((tree, &wrapped), body, &spans, &ASSERTIONS);
    let place = |at: u32| (at as usize).checked_sub(CLASS.len());
    let block = tree.nodes[body as usize].span;
    let mut inserts = vec![(place(block.start + 1)?, OPENING.to_owned())];
    let left_by = MARK.trim_start_matches("focalist twin: left");
    for (number, span) in spans.iter().enumerate() {
        // A block, as it may stand where one statement may.
        let before = format!("{{ focalistLeft[0] = \"{left_by}{number}\"; ");
        inserts.push((place(span.start)?, before));
        inserts.push((place(span.end)?, " }".to_owned()));
    }
    // The last one: a `return` may end where the body does.
    inserts.push((place(block.end - 1)?, CLOSING.to_owned()));
    Some(Twin {
        text: inserted(text, inserts),
        skips,
        has_other_ends: expects_all(tree, method, &wrapped),
    })
}

/// Returns whether a test says that it expects an exception which what the twin throws is, too.
fn expects_all(tree: &Tree, method: u32, text: &str) -> bool {
    let node = &tree.nodes[method as usize];
    let words = (method..node.subtree_end).filter(|it| tree.is_leaf(*it));
    let words: Vec<&str> = words
        .map(|it| -> Span { tree.nodes[it as usize].span })
        .map(|it| it.of(text))
        .collect();
    let has = |all: &[&str]| words.iter().any(|it| all.contains(it));
    has(&["expected", "expectedExceptions", "expect"]) && has(&["Throwable", "Error"])
}
