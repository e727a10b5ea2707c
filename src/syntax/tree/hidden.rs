//! Terminals that a grammar hides, such as `_newline`, and that the parser inserted to continue: no node shows them,
//! but a printed tree does, and reference implementations compare printed trees.

use super::{MissingNode, Node, Tree};
use crate::model::Language;

const MISSING: &str = "(MISSING ";

/// Tells whether a broken text may have such terminals. Those of Java all stand in text blocks or after `\`.
pub fn may_be_supposed(language: Language, text: &str) -> bool {
    language != Language::Java || text.contains("\"\"\"") || text.contains('\\')
}

/// Finds terminals that are printed but are not nodes, by walking the nodes and the printed tree together.
pub fn find(tree: &mut Tree, printed: &str) {
    let n_shown = tree.nodes.iter().filter(|node| node.is_missing()).count();
    if printed.matches(MISSING).count() <= n_shown {
        return;
    }
    let mut open: Vec<u32> = Vec::new();
    let mut found = Vec::new();
    let mut last = 0;
    let mut next = 0;
    let mut at = 0;
    while let Some(skipped) = printed[at..].find(['(', ')']) {
        let gap = &printed[at..at + skipped];
        let start = at + skipped;
        if printed.as_bytes()[start] == b')' {
            open.pop();
            at = start + 1;
            continue;
        }
        let rest = &printed[start..];
        let head = head_of(rest);
        at = start + head.len();
        next = next_printed(tree, next);
        let is_node = tree
            .nodes
            .get(next as usize)
            .is_some_and(|node| is_head_of(tree, node, head));
        if is_node {
            open.push(next);
            last = next;
            next += 1;
        } else if let (Some(&parent), true) = (open.last(), head.starts_with(MISSING)) {
            found.push(MissingNode {
                parent,
                after: last,
                field: tree.grammar.field(gap.trim().trim_end_matches(':')),
                printed: format!("{head})"),
            });
            open.push(parent);
        } else {
            // The two trees differ after all: finding nothing is better than finding something wrong.
            return;
        }
    }
    found.sort_by_key(|missing_node: &MissingNode| (missing_node.parent, missing_node.after));
    tree.supposed = found;
}

/// Cuts out the opening parenthesis and the name at the beginning. A quoted name may itself be a parenthesis.
fn head_of(rest: &str) -> &str {
    let quoted = |quote: char| {
        let from = rest.find(quote).map_or(rest.len(), |at| at + 1);
        // The name has at least one byte, and may be the quote itself.
        let end = rest.get(from + 1..).and_then(|text| text.find(quote));
        end.map_or(rest, |at| &rest[..=from + 1 + at])
    };
    if rest.starts_with("(MISSING \"") {
        return quoted('"');
    }
    if rest.starts_with("(UNEXPECTED '") {
        return quoted('\'');
    }
    let skipped = if rest.starts_with(MISSING) {
        MISSING.len()
    } else if rest.starts_with("(UNEXPECTED ") {
        "(UNEXPECTED ".len()
    } else {
        1
    };
    let end = rest[skipped..].find([' ', '(', ')']);
    end.map_or(rest, |at| &rest[..skipped + at])
}

fn next_printed(tree: &Tree, from: u32) -> u32 {
    let skipped = tree.nodes[from as usize..]
        .iter()
        .position(|node| node.is_named() || node.is_missing());
    skipped.map_or(tree.nodes.len(), |skipped| from as usize + skipped) as u32
}

fn is_head_of(tree: &Tree, node: &Node, head: &str) -> bool {
    let name = tree.grammar.kind_name(node.kind);
    if let Some(missing) = head.strip_prefix(MISSING) {
        return node.is_missing() && missing.trim_matches('"') == name.trim_matches('"');
    }
    if node.is_missing() {
        return false;
    }
    head.starts_with("(UNEXPECTED") && node.is_error() || &head[1..] == name
}
