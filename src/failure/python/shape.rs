//! The tree of Python in the words of the comparison: which names declare, which are types, and the values of literals.

use super::super::code::{Code, NodeSort, hash_of};
use super::expecting;
use super::literal;
use crate::syntax::tree::NodeKind;

/// Types of the language whose names are written like functions'.
const TYPES: &[&str] = &[
    "bool",
    "bytearray",
    "bytes",
    "complex",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "object",
    "set",
    "str",
    "tuple",
    "type",
];

/// Tells whether a name is spelled as a class: `CapWords`, or one of the language.
pub fn is_type_name(name: &str) -> bool {
    let bare = name.trim_start_matches('_');
    TYPES.contains(&name)
        || bare.starts_with(char::is_uppercase)
            && bare.contains(char::is_lowercase)
            && !bare.contains('_')
}

/// Sets the sorts, fields and words of all nodes that the comparison goes by.
pub fn refine(code: &mut Code<'_>) {
    let kinds = SynonymKinds::of(code);
    // Nodes that bind names come last: they overrule the spelling, which is looked at first.
    for idx in 0..code.nodes.len() as u32 {
        match code.kind_name(idx) {
            "identifier" if is_type_name(code.source(idx)) => {
                code.set_sort(idx, NodeSort::TypeName);
            }
            "attribute" if is_class_of_module(code, idx) => code.set_sort(idx, NodeSort::Type),
            "call" => call(code, idx),
            "comparison_operator" => comparison(code, idx),
            "not_operator" => {
                let operator = code.fields().operator;
                let first = code.children(idx).next();
                code.set_field(first, operator);
            }
            "decorated_definition" => {
                let is_function = code.child(idx, code.fields().parameters).is_some();
                if is_function {
                    code.set_sort(idx, NodeSort::Method);
                    code.set_kind(idx, kinds.function);
                }
            }
            "typed_default_parameter" => code.set_kind(idx, kinds.default),
            "expression_list" => code.set_kind(idx, kinds.tuple),
            "pair" => {
                let (left, right) = (code.fields().left, code.fields().right);
                let children: Vec<u32> = code.children(idx).collect();
                code.set_field(children.first().copied(), left);
                code.set_field(children.get(1).copied(), right);
            }
            "string" | "concatenated_string" if code.node(idx).end > idx + 1 => {
                code.set_sort(idx, NodeSort::Other);
            }
            "concatenated_string" => {
                code.set_kind(idx, kinds.string);
                literal(code, idx);
            }
            "string" | "integer" | "float" | "string_content" => literal(code, idx),
            "not in" | "is not" => code.nodes[idx as usize].word = hash_of(code.kind_name(idx)),
            _ => {}
        }
    }
    for idx in 0..code.nodes.len() as u32 {
        bind(code, idx);
        if code.kind_name(idx) == "pattern_list" {
            code.set_kind(idx, kinds.pattern);
        }
    }
    expecting::name_errors(code);
    code.rehash();
}

/// Marks the names that a node binds to values, and the name of an argument, which is none.
fn bind(code: &mut Code<'_>, idx: u32) {
    let fields = code.fields();
    let children: Vec<u32> = match code.sort(idx) {
        NodeSort::Name | NodeSort::Literal => return,
        _ => code.children(idx).collect(),
    };
    match code.kind_name(idx) {
        "assignment" => {
            let (left, right) = (code.child(idx, fields.left), code.child(idx, fields.right));
            code.set_field(right, fields.value);
            if !declare(code, left) {
                code.set_sort(idx, NodeSort::Other);
            }
        }
        "for_statement" | "for_in_clause" => {
            let left = code.child(idx, fields.left);
            declare(code, left);
        }
        "as_pattern" | "aliased_import" => {
            if let &[value, alias] = children.as_slice() {
                code.set_field(Some(value), fields.value);
                declare(code, Some(alias));
            }
        }
        "except_clause" | "finally_clause" => {
            code.set_field(children.last().copied(), fields.body);
            if children.len() == 3 {
                declare(code, Some(children[1]));
            }
        }
        "parameters" if !code.is_whole(code.node(idx).parent) => {
            code.set_sort(idx, NodeSort::Parameter);
            for child in children {
                declare(code, Some(child));
            }
        }
        "keyword_argument" => {
            if let Some(name) = code.child(idx, fields.name) {
                code.set_field(Some(name), fields.key);
                code.set_sort(name, NodeSort::Other);
            }
        }
        _ => {}
    }
}

/// Tells whether a field is spelled as a class, and its object is not: `json.JSONDecodeError`.
fn is_class_of_module(code: &Code<'_>, idx: u32) -> bool {
    let fields = code.fields();
    let (object, field) = (
        code.child(idx, fields.object),
        code.child(idx, fields.field),
    );
    object.zip(field).is_some_and(|(object, field)| {
        let module = code.source(object);
        code.kind_name(object) == "identifier"
            && !is_type_name(module)
            && !matches!(module, "self" | "cls")
            && is_type_name(code.source(field))
    })
}

/// Kinds that stand for others that mean the same.
struct SynonymKinds {
    function: Option<NodeKind>,
    default: Option<NodeKind>,
    tuple: Option<NodeKind>,
    pattern: Option<NodeKind>,
    string: Option<NodeKind>,
}

impl SynonymKinds {
    fn of(code: &Code<'_>) -> Self {
        let kind = |name| code.words.grammar.kind(name);
        Self {
            function: kind("function_definition"),
            default: kind("default_parameter"),
            tuple: kind("tuple"),
            pattern: kind("tuple_pattern"),
            string: kind("string"),
        }
    }
}

/// Marks a target that is bound to a value; returns whether it is made of names.
fn declare(code: &mut Code<'_>, target: Option<u32>) -> bool {
    let Some(target) = target else {
        return false;
    };
    let name = code.fields().name;
    match code.kind_name(target) {
        "identifier" => {
            code.set_sort(target, NodeSort::Name);
            code.set_field(Some(target), name);
            true
        }
        "pattern_list"
        | "tuple_pattern"
        | "list_pattern"
        | "tuple"
        | "list_splat_pattern"
        | "dictionary_splat_pattern" => {
            code.set_sort(target, NodeSort::Declarator);
            for child in code.children(target).collect::<Vec<u32>>() {
                declare(code, Some(child));
            }
            true
        }
        _ => false,
    }
}

/// Marks the name of a call, or marks the call as one that makes an object, or whose callee has no name.
fn call(code: &mut Code<'_>, idx: u32) {
    let name = code.fields().name;
    let children: Vec<u32> = code.children(idx).collect();
    for child in &children {
        if code.node(*child).field == code.fields().field {
            code.set_field(Some(*child), name);
            return;
        }
    }
    let Some(&first) = children.first() else {
        return;
    };
    match code.sort(first) {
        NodeSort::Name if is_type_name(code.source(first)) => {
            code.set_sort(idx, NodeSort::New);
            code.set_field(Some(first), name);
        }
        NodeSort::Name => code.set_field(Some(first), name),
        NodeSort::FieldAccess => {
            code.set_sort(idx, NodeSort::New);
            code.set_sort(first, NodeSort::Type);
        }
        _ => code.set_sort(idx, NodeSort::Other),
    }
}

/// Names the two sides of a comparison; one of more sides has none.
fn comparison(code: &mut Code<'_>, idx: u32) {
    let children: Vec<u32> = code.children(idx).collect();
    if let &[left, operator, right] = children.as_slice() {
        let fields = code.fields();
        code.set_sort(idx, NodeSort::Binary);
        code.set_field(Some(left), fields.left);
        code.set_field(Some(operator), fields.operator);
        code.set_field(Some(right), fields.right);
    }
}

/// Sets the word of a literal to its value's.
fn literal(code: &mut Code<'_>, idx: u32) {
    let word = match code.kind_name(idx) {
        "integer" | "float" => literal::number(code.source(idx)),
        "string_content" => {
            let text = code.node(code.node(idx).parent).span.of(code.text);
            literal::content(text, code.source(idx))
        }
        _ => literal::string(code.source(idx)),
    };
    code.nodes[idx as usize].word = hash_of(&word);
}
