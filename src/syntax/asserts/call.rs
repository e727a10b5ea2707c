//! Calls, in the words of all grammars, and the chains that are built on them.

use tree_sitter::Node;

use crate::model::Language;

use super::shape::ControlFlowKinds;
use super::{named, source};

/// A call, taken apart for the rules about assertions.
#[derive(Clone, Debug)]
pub struct SyntaxCall<'t> {
    pub name: &'t str,
    pub receiver: Option<Node<'t>>,
    pub arguments: Vec<Node<'t>>,
}

impl<'t> SyntaxCall<'t> {
    /// Takes a call apart; nothing where the callee has no name.
    pub fn of(shape: &ControlFlowKinds, node: Node<'t>, text: &'t str) -> Option<Self> {
        let (name, receiver) = if shape.language == Language::Java {
            let name = node.child_by_field_name("name")?;
            (name, node.child_by_field_name("object"))
        } else {
            parts(node.child_by_field_name("function")?)?
        };
        let name = source(name, text);
        Some(Self {
            // Type arguments are not part of the name.
            name: name.split('<').next().unwrap_or(name),
            receiver,
            arguments: arguments(node),
        })
    }
}

/// Finds the name and the receiver of a callee or of a member that is read.
fn parts(callee: Node<'_>) -> Option<(Node<'_>, Option<Node<'_>>)> {
    let field = |name| callee.child_by_field_name(name);
    match callee.kind() {
        "identifier" | "generic_name" | "type_identifier" => Some((callee, None)),
        "attribute" => Some((field("attribute")?, field("object"))),
        "selector_expression" => Some((field("field")?, field("operand"))),
        "member_expression" => Some((field("property")?, field("object"))),
        "member_access_expression" => Some((field("name")?, field("expression"))),
        "conditional_access_expression" => {
            let binding = named(callee).into_iter().next_back()?;
            Some((binding.child_by_field_name("name")?, field("condition")))
        }
        // The last two are `f[T](x)` in Go.
        "await_expression"
        | "parenthesized_expression"
        | "non_null_expression"
        | "type_instantiation_expression"
        | "index_expression" => parts(named(callee).into_iter().next()?),
        _ => None,
    }
}

/// Lists the arguments of a call.
pub fn arguments(node: Node<'_>) -> Vec<Node<'_>> {
    let list = node.child_by_field_name("arguments");
    let list = list.filter(|node| node.kind() != "template_string");
    let all = list.map_or_else(Vec::new, named);
    let all = all
        .into_iter()
        .filter(|node| !node.kind().contains("comment"));
    all.filter_map(|node| match node.kind() {
        "argument" => named(node).into_iter().next_back(),
        "keyword_argument" => node.child_by_field_name("value"),
        _ => Some(node),
    })
    .collect()
}

/// The members and calls that are chained to a value.
#[derive(Debug, Default)]
pub struct Chain<'t> {
    /// Names of members and of calls, in their order.
    pub names: Vec<&'t str>,
    /// The arguments of its calls.
    pub arguments: Vec<Node<'t>>,
    /// Each call of the chain, with its name.
    pub calls: Vec<(&'t str, Node<'t>)>,
}

impl<'t> Chain<'t> {
    /// Follows the members and calls on a node's value.
    pub fn on(shape: &ControlFlowKinds, node: Node<'t>, text: &'t str) -> Self {
        let mut chain = Self::default();
        let mut at = node;
        while let Some(parent) = at.parent() {
            let is_first = parent.named_child(0) == Some(at);
            if shape.calls.contains(&parent.kind()) && is_first {
                if let Some(call) = SyntaxCall::of(shape, parent, text) {
                    // Java has no node for the member.
                    if shape.language == Language::Java {
                        chain.names.push(call.name);
                    }
                    chain.calls.push((call.name, parent));
                    chain.arguments.extend(call.arguments);
                }
            } else if let Some((name, Some(receiver))) = parts(parent)
                && receiver == at
            {
                chain.names.push(source(name, text));
            } else if !matches!(
                parent.kind(),
                "await_expression" | "await" | "parenthesized_expression" | "non_null_expression"
            ) {
                break;
            }
            at = parent;
        }
        chain
    }
}
