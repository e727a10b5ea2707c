//! The tree of C# in the words of the comparison: names of calls, operators, types, and declarations.

use crate::code::{Code, NodeSort, hash_of};

/// Sets the sorts, fields and words of all nodes that the comparison goes by.
pub fn refine(code: &mut Code<'_>) {
    let fields = code.fields();
    let ty = code.words.grammar.field("type");
    let arguments = code.words.grammar.kind("object_creation_expression");
    for idx in 0..code.nodes.len() as u32 {
        match code.kind_name(idx) {
            "identifier" if code.node(idx).field == ty => code.set_sort(idx, NodeSort::TypeName),
            "invocation_expression" => name_call(code, idx),
            "member_access_expression" => {
                let name = code.children(idx).last();
                code.set_field(name, fields.field);
            }
            "prefix_unary_expression" => {
                let children: Vec<u32> = code.children(idx).collect();
                code.set_field(children.first().copied(), fields.operator);
                code.set_field(children.get(1).copied(), fields.operand);
            }
            "implicit_object_creation_expression" => {
                code.set_kind(idx, arguments);
                let list = code
                    .children(idx)
                    .find(|child| code.sort(*child) == NodeSort::Arguments);
                code.set_field(list, fields.arguments);
            }
            "variable_declarator" => {
                let last = code.children(idx).last();
                let name = code.child(idx, fields.name);
                code.set_field(last.filter(|last| Some(*last) != name), fields.value);
            }
            "type_argument_list" | "typeof_expression" => {
                let all: Vec<u32> = code.children(idx).collect();
                for n in all {
                    if code.sort(n) == NodeSort::Name {
                        code.set_sort(n, NodeSort::TypeName);
                    }
                }
            }
            "argument" => {
                let children: Vec<u32> = code.children(idx).collect();
                code.set_field(children.first().copied(), fields.key);
                code.set_field(children.get(1).copied(), fields.value);
            }
            "foreach_statement" => {
                let left = code.child(idx, fields.left);
                code.set_field(left, fields.name);
            }
            "lambda_expression" => {
                let parameters = code.child(idx, fields.parameters);
                let name = parameters
                    .filter(|parameter| code.kind_name(*parameter) == "implicit_parameter");
                if let Some(name) = name {
                    code.set_sort(name, NodeSort::Name);
                }
            }
            "string_literal" => {
                // A text without escapes is the same as the verbatim one.
                let source = code.source(idx);
                let word = if source.contains('\\') {
                    hash_of(source)
                } else {
                    hash_of(&format!("s{}", source.trim_matches('"')))
                };
                code.nodes[idx as usize].word = word;
            }
            "verbatim_string_literal" => {
                let source = code.source(idx);
                let inner = source.trim_start_matches(['@', '"']).trim_end_matches('"');
                if !inner.contains(['\\', '"', '\n']) {
                    code.nodes[idx as usize].word = hash_of(&format!("s{inner}"));
                    let kind = code.words.grammar.kind("string_literal");
                    code.set_kind(idx, kind);
                }
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
    let list = code.child(idx, fields.arguments);
    // The generic name around it was left out.
    let has_name = children
        .iter()
        .any(|child| code.node(*child).field == fields.name && code.sort(*child) == NodeSort::Name);
    if has_name {
        return;
    }
    let object = code.child(idx, fields.object);
    let name = children.iter().copied().find(|child| {
        code.sort(*child) == NodeSort::Name && Some(*child) != object && Some(*child) != list
    });
    match name {
        Some(name) => code.set_field(Some(name), fields.name),
        None => code.set_sort(idx, NodeSort::Other),
    }
}
