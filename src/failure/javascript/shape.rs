//! The tree of JavaScript in the words of the comparison: names of calls, declarations, tests, and values of literals.

use crate::code::{Code, NodeSort, hash_of};
use crate::syntax::tree::Tree;

/// Functions that declare a test.
const TESTS: &[&str] = &["it", "test", "specify", "fit", "xit", "xtest"];

/// The nodes between the statement that declares a test and the test's body.
struct TestDeclarationNodes {
    call: u32,
    arguments: u32,
    function: u32,
    body: u32,
}

/// Finds the test that is all of a text: `it("…", () => { … })`.
fn declared(tree: &Tree, text: &str) -> Option<TestDeclarationNodes> {
    let kind = |idx: u32| tree.grammar.kind_name(tree.nodes[idx as usize].kind);
    let statement = 1;
    let is_only = tree.nodes.get(1)?.subtree_end as usize == tree.nodes.len();
    if !is_only || kind(statement) != "expression_statement" {
        return None;
    }
    let call = tree.children(statement).next()?;
    if kind(call) != "call_expression" {
        return None;
    }
    let function = tree.children(call).next()?;
    let name = tree.nodes[function as usize].span.of(text);
    if !TESTS.contains(&name.split(['.', '(']).next().unwrap_or(name)) {
        return None;
    }
    let arguments = tree.children(call).last()?;
    let is_function = |idx: &u32| matches!(kind(*idx), "arrow_function" | "function_expression");
    let function = tree.children(arguments).filter(is_function).last()?;
    let body = tree.children(function).last()?;
    (kind(arguments) == "arguments" && kind(body) == "statement_block").then_some(
        TestDeclarationNodes {
            call,
            arguments,
            function,
            body,
        },
    )
}

/// Tells whether a node is the body of the only test of a text.
pub fn is_body(tree: &Tree, idx: u32, text: &str) -> bool {
    declared(tree, text).is_some_and(|declaration_nodes| idx == declaration_nodes.body)
}

/// Tells whether a node is one between the statement that declares the only test of a text and the test's body.
pub fn is_test(tree: &Tree, idx: u32, text: &str) -> bool {
    declared(tree, text).is_some_and(|declaration_nodes| {
        idx == declaration_nodes.call
            || idx == declaration_nodes.arguments
            || idx == declaration_nodes.function
    })
}

/// Sets the sorts, fields and words of all nodes that the comparison goes by.
pub fn refine(code: &mut Code<'_>) {
    let arrow = code.words.grammar.kind("arrow_function");
    for idx in 0..code.nodes.len() as u32 {
        match code.kind_name(idx) {
            "call_expression" => name_call(code, idx),
            "new_expression" => constructed(code, idx),
            "string" | "template_string" if code.node(idx).end == idx + 1 => {
                code.set_sort(idx, NodeSort::Literal);
                let word = hash_of(&text(code.source(idx)));
                code.nodes[idx as usize].word = word;
            }
            "function_expression" => code.set_kind(idx, arrow),
            "expression_statement" => tested(code, idx),
            "variable_declarator"
            | "formal_parameters"
            | "for_in_statement"
            | "catch_clause"
            | "arrow_function" => bind(code, idx),
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

fn constructed(code: &mut Code<'_>, idx: u32) {
    let class = code.children(idx).next();
    if let Some(class) = class.filter(|class| code.sort(*class) == NodeSort::Name) {
        code.set_sort(class, NodeSort::TypeName);
    } else if let Some(class) = class.filter(|class| code.sort(*class) == NodeSort::FieldAccess) {
        code.set_sort(class, NodeSort::Type);
    }
}

/// Makes the statement a method whose call, arguments and function were left out.
fn tested(code: &mut Code<'_>, idx: u32) {
    let fields = code.fields();
    let Some(body) = code.child(idx, fields.body) else {
        return;
    };
    code.set_sort(idx, NodeSort::Method);
    let title = code
        .children(idx)
        .find(|child| *child < body && code.sort(*child) != NodeSort::Name);
    let is_title = title.is_some_and(|title| code.kind_name(title).contains("string"));
    code.set_field(title.filter(|_| is_title), fields.name);
}

/// Marks the names that a node binds to values.
fn bind(code: &mut Code<'_>, idx: u32) {
    let fields = code.fields();
    let targets: Vec<u32> = match code.kind_name(idx) {
        "variable_declarator" => code.child(idx, fields.name).into_iter().collect(),
        "for_in_statement" => code.child(idx, fields.left).into_iter().collect(),
        "formal_parameters" => code.children(idx).collect(),
        "catch_clause" => {
            let all: Vec<u32> = code.children(idx).collect();
            all.into_iter()
                .filter(|n| code.sort(*n) == NodeSort::Name)
                .collect()
        }
        _ => {
            // `a => a + 1` has its parameter without a list.
            let first = code.children(idx).next();
            let name = first.filter(|first| code.sort(*first) == NodeSort::Name);
            code.set_field(name, fields.parameters);
            return;
        }
    };
    for target in targets {
        if code.sort(target) == NodeSort::Name {
            code.set_field(Some(target), fields.name);
        } else if code.kind_name(target).ends_with("_pattern") {
            code.set_sort(target, NodeSort::Declarator);
            let names: Vec<u32> = code.children(target).collect();
            for name in names {
                if code.sort(name) == NodeSort::Name {
                    code.set_field(Some(name), fields.name);
                }
            }
        }
    }
}

/// Reads the value of a text, or the text where it has escapes other than those of quotes.
fn text(source: &str) -> String {
    let mut inner = source.chars();
    inner.next();
    inner.next_back();
    let inner = inner.as_str();
    let mut value = String::from("s");
    let mut letters = inner.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' => match letters.clone().next() {
                Some(quote @ ('"' | '\'' | '`')) => {
                    letters.next();
                    value.push(quote);
                }
                Some('\\') => {
                    letters.next();
                    value.push_str("\\\\");
                }
                _ => value.push('\\'),
            },
            '\n' => value.push_str("\\n"),
            letter => value.push(letter),
        }
    }
    value
}
