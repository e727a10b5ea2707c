//! What the names of a text stand for: functions and classes that it declares, variables that hold one, and constants.

use rustc_hash::{FxHashMap, FxHashSet};
use tree_sitter::Node;

use super::call::SyntaxCall;
use super::shape::ControlFlowKinds;
use super::value::{ConstantValues, bare};
use super::{named, source};

/// Where a node stands.
#[derive(Clone, Copy, Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each holds of a place by itself, and none excludes another"
)]
struct NamePlace {
    /// In a function.
    is_inside: bool,
    /// Directly in a class, as its body is; with `is_member`, directly in such a body.
    is_of_class: bool,
    is_member: bool,
    /// Called, returned, or the receiver of a member, so that a function is used where it stands.
    is_used: bool,
}

impl NamePlace {
    /// Derives the place of a node's child.
    fn below(self, shape: &ControlFlowKinds, node: Node<'_>, idx: usize) -> Self {
        let kind = node.kind();
        let is_wrapper = matches!(
            kind,
            "parenthesized_expression" | "cast_expression" | "await_expression"
        );
        let is_called = shape.calls.contains(&kind) && idx == 0;
        let is_taken = matches!(
            kind,
            "return_statement"
                | "member_expression"
                | "member_access_expression"
                | "selector_expression"
                | "field_access"
                | "arrow_expression_clause"
        );
        Self {
            is_inside: self.is_inside || shape.is_function(kind),
            is_of_class: shape.classes.contains(&kind),
            is_member: matches!(kind, "class_body" | "declaration_list")
                || self.is_of_class
                || kind == "decorated_definition" && self.is_member,
            is_used: is_called || is_taken || is_wrapper && self.is_used,
        }
    }
}

/// The names of one text.
#[derive(Debug, Default)]
pub struct Names<'t> {
    /// Functions inside functions, classes, and functions and new objects that variables hold.
    bound: FxHashMap<&'t str, Vec<Node<'t>>>,
    /// Names of functions that are bound, by node.
    name_of: FxHashMap<usize, &'t str>,
    /// Nodes of functions that are bound to a member, or called, or returned.
    in_place: FxHashSet<usize>,
    called: FxHashSet<&'t str>,
    /// How often each identifier occurs.
    n_uses: FxHashMap<&'t str, u32>,
    /// The values of variables; nothing for one that is bound more than once.
    values: FxHashMap<&'t str, Option<Node<'t>>>,
}

impl<'t> Names<'t> {
    pub fn of(shape: &'static ControlFlowKinds, root: Node<'t>, text: &'t str) -> Self {
        let mut names = Self::default();
        let mut left = vec![(root, NamePlace::default())];
        while let Some((node, place)) = left.pop() {
            names.add(shape, (node, place), text);
            // To ask a node for its parent takes as long as it is deep.
            let children = named(node).into_iter().enumerate();
            left.extend(children.map(|(idx, child)| (child, place.below(shape, node, idx))));
        }
        names
    }

    fn add(
        &mut self,
        shape: &ControlFlowKinds,
        (node, place): (Node<'t>, NamePlace),
        text: &'t str,
    ) {
        let kind = node.kind();
        if matches!(kind, "identifier" | "type_identifier") {
            *self.n_uses.entry(source(node, text)).or_default() += 1;
        }
        if shape.calls.contains(&kind)
            && let Some(call) = SyntaxCall::of(shape, node, text)
        {
            self.called.insert(call.name);
        }
        let is_named = shape.functions.contains(&kind) || shape.classes.contains(&kind);
        if is_named
            && (place.is_inside || shape.classes.contains(&kind) || kind == "function_declaration")
            && !(shape.functions.contains(&kind) && place.is_member)
            && let Some(name) = node.child_by_field_name("name")
        {
            self.bound.entry(source(name, text)).or_default().push(node);
        }
        if shape.bindings.contains(&kind) {
            self.bind(shape, node, text);
        }
        if is_written(kind) {
            for target in named(node).into_iter().take(1).map(bare) {
                self.values.insert(source(target, text), None);
            }
        }
        if place.is_used && (shape.is_function(kind) || shape.creations.contains(&kind)) {
            self.in_place.insert(node.id());
        }
    }

    fn bind(&mut self, shape: &ControlFlowKinds, node: Node<'t>, text: &'t str) {
        let field = |name| node.child_by_field_name(name);
        let Some(target) = field("name").or_else(|| field("left")).map(bare) else {
            return;
        };
        let value = field("value").or_else(|| field("right")).map(bare);
        // C# has no field for it.
        let last = || {
            let all = named(node);
            (all.len() > 1).then(|| all.last().copied()).flatten()
        };
        let Some(value) = value.or_else(last) else {
            return;
        };
        let value = match value.kind() {
            "cast_expression" => value.child_by_field_name("value").unwrap_or(value),
            _ => value,
        };
        let name = source(target, text);
        let holds = shape.is_function(value.kind()) || shape.creations.contains(&value.kind());
        if holds && target.kind() == "identifier" {
            self.bound.entry(name).or_default().push(value);
            self.name_of.insert(value.id(), name);
        } else if holds {
            self.in_place.insert(value.id());
        }
        // A name that is bound twice is not a constant.
        let is_known = self.values.contains_key(name);
        let is_plain = node
            .child_by_field_name("operator")
            .is_none_or(|operator| matches!(source(operator, text), "=" | ":="));
        let known = (!is_known && is_plain).then_some(value);
        self.values.insert(name, known);
    }

    /// Collects the names that stand for one constant wherever they are read.
    pub fn constants(&self, values: &ConstantValues<'t>) -> FxHashSet<&'t str> {
        let scalar = |node: Node<'_>| {
            let kind = node.kind();
            ![
                "array",
                "list",
                "dict",
                "set",
                "object",
                "composite",
                "tuple",
                "initializer",
            ]
            .iter()
            .any(|text| kind.contains(text))
        };
        let constants = self.values.iter().filter_map(|(name, value)| {
            let value = (*value)?;
            (scalar(value) && values.is_constant(value)).then_some(*name)
        });
        constants.collect()
    }

    pub fn bound_to(&self, name: &str) -> Vec<Node<'t>> {
        self.bound.get(name).cloned().unwrap_or_default()
    }

    /// Tells whether a function is called, returned or kept in an object where it stands.
    pub fn is_used_in_place(&self, node: Node<'_>) -> bool {
        self.in_place.contains(&node.id())
    }

    /// Tells whether a variable holds a function.
    pub fn is_bound(&self, node: Node<'_>) -> bool {
        self.name_of.contains_key(&node.id())
    }

    /// Tells whether the variable that holds a function is named again.
    pub fn is_ever_named(&self, node: Node<'_>) -> bool {
        let name = self.name_of.get(&node.id());
        let n_uses = name.and_then(|name| self.n_uses.get(name));
        n_uses.is_some_and(|n_uses| *n_uses > 1)
    }

    pub fn is_called(&self, name: &str) -> bool {
        self.called.contains(name)
    }
}

/// Tells whether such a node changes the variable that its first child names.
fn is_written(kind: &str) -> bool {
    kind.contains("update_expression")
        || kind.contains("augmented_assignment")
        || kind.contains("postfix")
        || matches!(
            kind,
            "inc_statement"
                | "dec_statement"
                | "for_statement"
                | "for_in_clause"
                | "for_in_statement"
                | "enhanced_for_statement"
                | "foreach_statement"
                | "range_clause"
                | "prefix_unary_expression"
                | "unary_expression"
        )
}
