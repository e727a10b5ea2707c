//! The name of a lone declaration, without the file around it.

use tree_sitter::Node;

use crate::model::Language;

use super::{named_children, parse};

/// Nodes that are looked at before the search for a name is given up: names stand near the top.
const NODES_MAX: usize = 200;

/// Finds the name of the first function or method in a piece of source, or for a test of JavaScript the title of the
/// first call with one; nothing where there is none.
#[must_use]
pub fn declared_name(language: Language, source: &str) -> Option<String> {
    // Methods of some languages parse in classes only.
    let wrapped = format!("class A {{\n{source}\n}}");
    let texts = [source, &wrapped];
    texts
        .into_iter()
        .find_map(|text| first_name(language, text))
}

fn first_name(language: Language, text: &str) -> Option<String> {
    let tree = parse(language, "", text)?;
    let mut waiting = std::collections::VecDeque::from([tree.root_node()]);
    for _ in 0..NODES_MAX {
        let node = waiting.pop_front()?;
        if let Some(name) = name_of(node)
            && let Some(name) = text.get(name.byte_range())
        {
            let name = name.trim_matches(['\'', '"', '`']);
            return (!name.is_empty()).then(|| name.to_owned());
        }
        waiting.extend(named_children(node));
    }
    None
}

fn name_of(node: Node<'_>) -> Option<Node<'_>> {
    match node.kind() {
        "function_definition"
        | "function_declaration"
        | "generator_function_declaration"
        | "method_declaration"
        | "method_definition"
        | "constructor_declaration"
        | "property_declaration"
        | "local_function_statement" => node.child_by_field_name("name"),
        "variable_declarator" => {
            let value = node.child_by_field_name("value")?;
            let is_function = matches!(
                value.kind(),
                "function_expression" | "arrow_function" | "generator_function"
            );
            node.child_by_field_name("name").filter(|_| is_function)
        }
        "assignment_expression" => {
            let left = node.child_by_field_name("left")?;
            left.child_by_field_name("property").or(Some(left))
        }
        "call_expression" => {
            let arguments = node.child_by_field_name("arguments")?;
            let first = arguments.named_child(0)?;
            matches!(first.kind(), "string" | "template_string").then_some(first)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_declaration_is_called_what_it_says() {
        let check = |language, source: &str, expected: Option<&str>| {
            let found = declared_name(language, source);
            assert_eq!(found.as_deref(), expected, "{source}");
        };
        check(Language::Python, "@x\nasync def a(b): pass", Some("a"));
        check(Language::Go, "func (s *S) A() {}", Some("A"));
        check(Language::Java, "@Test void a() { b(); }", Some("a"));
        check(Language::CSharp, "[Fact] public void A() { }", Some("A"));
        check(
            Language::JavaScript,
            "it('adds one', () => {})",
            Some("adds one"),
        );
        check(Language::JavaScript, "const a = (b) => c", Some("a"));
        check(
            Language::JavaScript,
            "A.prototype.b = function () {}",
            Some("b"),
        );
        check(Language::JavaScript, "a(b) { return b; }", Some("a"));
        check(Language::Go, "}{", None);
    }
}
