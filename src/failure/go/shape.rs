//! The tree of Go in the words of the comparison: names of calls, declarations, and values of literals.

use crate::code::{Code, NodeSort, hash_of};

/// Sets the sorts, fields and words of all nodes that the comparison goes by.
pub fn refine(code: &mut Code<'_>) {
    let fields = code.fields();
    let text_kind = code.words.grammar.kind("interpreted_string_literal");
    let declarator = code.words.grammar.kind("short_var_declaration");
    for idx in 0..code.nodes.len() as u32 {
        match code.kind_name(idx) {
            "call_expression" => name_call(code, idx),
            "short_var_declaration" | "range_clause" => {
                let children: Vec<u32> = code.children(idx).collect();
                for child in children {
                    let field = code.node(child).field;
                    if field == fields.left {
                        code.set_field(Some(child), fields.name);
                    } else if field == fields.right {
                        code.set_field(Some(child), fields.value);
                    }
                }
            }
            "var_spec" => code.set_kind(idx, declarator),
            "interpreted_string_literal" | "raw_string_literal" => {
                code.set_kind(idx, text_kind);
                let word = hash_of(&text(code.source(idx)));
                code.nodes[idx as usize].word = word;
            }
            _ => {}
        }
    }
    code.rehash();
}

/// Marks the name of a call, or removes its sort where the callee has none.
fn name_call(code: &mut Code<'_>, idx: u32) {
    let fields = code.fields();
    let children: Vec<u32> = code.children(idx).collect();
    for child in &children {
        if code.node(*child).field == fields.field {
            code.set_field(Some(*child), fields.name);
            return;
        }
    }
    match children.first() {
        Some(first) if code.sort(*first) == NodeSort::Name => {
            code.set_field(Some(*first), fields.name);
        }
        _ => code.set_sort(idx, NodeSort::Other),
    }
}

/// Strips the quotes of a text, so that one without escapes is the same in both spellings.
fn text(source: &str) -> String {
    match source.strip_prefix('`') {
        Some(raw) => format!("s{}", raw.trim_end_matches('`')),
        None if source.contains('\\') => source.to_owned(),
        None => format!("s{}", source.trim_matches('"')),
    }
}
