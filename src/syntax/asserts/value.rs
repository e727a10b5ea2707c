//! Values that the code under test cannot change: constants, and a value compared with itself.

use rustc_hash::FxHashSet;
use tree_sitter::Node;

use super::{IdleReason, named, source};

/// Deeper expressions are not looked into: they are taken for values that may change.
const DEPTH_MAX: u32 = 64;

/// Conditions that are nested deeper are not looked into.
const CONDITION_DEPTH_MAX: u32 = 16;

/// Leaves that name something.
const NAMES: &[&str] = &[
    "identifier",
    "field_identifier",
    "property_identifier",
    "private_property_identifier",
    "shorthand_property_identifier",
    "package_identifier",
    "this",
    "this_expression",
    "super",
    "base_expression",
];

/// Matchers that say that two values are equal: `is(x)`, `Is.EqualTo(x)`, `Equal(x)`.
const EQUAL_TO: &[&str] = &[
    "is",
    "equalTo",
    "isEqualTo",
    "sameInstance",
    "EqualTo",
    "SameAs",
    "Equal",
    "BeIdenticalTo",
    "BeEquivalentTo",
    "equal_to",
    "same_instance",
    "eq",
    "Eq",
];

/// Tells which expressions have a value that the code under test cannot change.
pub struct ConstantValues<'t> {
    pub text: &'t str,
    /// Names that stand for one constant wherever they are read.
    pub constants: FxHashSet<&'t str>,
}

impl ConstantValues<'_> {
    /// Tells whether every part of an expression is a constant.
    pub fn is_constant(&self, node: Node<'_>) -> bool {
        self.constant(node, 0)
    }

    fn constant(&self, node: Node<'_>, depth: u32) -> bool {
        let kind = node.kind();
        if depth > DEPTH_MAX
            || kind.contains("lambda")
            || kind.contains("call")
            || kind.contains("invocation")
            || kind.contains("creation") && !kind.contains("array")
            || kind.contains("function")
            || kind == "func_literal"
            || kind == "new_expression"
            || kind == "method_reference"
        {
            return false;
        }
        let children = named(node);
        if children.is_empty() {
            return !NAMES.contains(&kind) || self.constants.contains(source(node, self.text));
        }
        let name = (kind == "keyword_argument")
            .then(|| node.child_by_field_name("name"))
            .flatten();
        children
            .into_iter()
            .filter(|child| Some(*child) != name && !child.kind().contains("comment"))
            .all(|child| self.constant(child, depth + 1))
    }

    /// Tells whether a node does nothing but read: twice the same text is twice the same value.
    fn is_read(node: Node<'_>, depth: u32) -> bool {
        let kind = node.kind();
        let does = kind.contains("call")
            || kind.contains("invocation")
            || kind.contains("creation")
            || kind.contains("update")
            || kind.contains("assignment")
            || kind.contains("await")
            || kind == "new_expression"
            || kind == "receive"
            || kind == "unary_expression" && node.child(0).is_some_and(|node| node.kind() == "<-")
            || kind.contains("postfix")
            || kind == "prefix_unary_expression" && node.byte_range().len() > 2 && {
                let first = node.child(0).map_or("", |node| node.kind());
                matches!(first, "++" | "--")
            };
        !does
            && depth <= DEPTH_MAX
            && named(node)
                .into_iter()
                .all(|node| Self::is_read(node, depth + 1))
    }

    /// Tells whether two expressions have the same value independently of the code under test.
    pub fn is_same(&self, a: Node<'_>, b: Node<'_>) -> bool {
        let plain = |node| {
            let mut text = source(node, self.text).to_owned();
            text.retain(|c| !c.is_whitespace());
            text
        };
        plain(a) == plain(b) && Self::is_read(a, 0)
    }

    /// Tells why a condition always has the same value; nothing where it may change.
    pub fn fixed(&self, node: Node<'_>) -> Option<IdleReason> {
        self.fixed_at(node, 0)
    }

    fn fixed_at(&self, node: Node<'_>, depth: u32) -> Option<IdleReason> {
        let node = bare(node);
        if depth > CONDITION_DEPTH_MAX {
            return None;
        }
        if self.is_constant(node) {
            return Some(IdleReason::Constant);
        }
        let kind = node.kind();
        // In Python a pair is true: `assert (x, "message")`.
        if kind == "tuple" && node.named_child_count() > 0 {
            return Some(IdleReason::Constant);
        }
        if is_not(node) {
            let inner = named(node).into_iter().next_back()?;
            return self.fixed_at(inner, depth + 1);
        }
        let (left, operator, right) = binary(node, self.text)?;
        if COMPARING.contains(&operator) {
            return self.is_same(left, right).then_some(IdleReason::Itself);
        }
        let sides = [left, right].map(|node| self.fixed_at(node, depth + 1));
        match operator {
            // One side that always holds is enough.
            "||" | "or" => {
                let mut all = [left, right].into_iter().zip(sides);
                let held = all.find(|(side, _)| self.holds(*side) == Some(true));
                held.and_then(|held| held.1).or(sides[0].and(sides[1]))
            }
            "&&" | "and" => sides[0].and(sides[1]),
            _ => None,
        }
    }

    /// Evaluates a condition that always has the same value; nothing where that is not known.
    pub fn holds(&self, node: Node<'_>) -> Option<bool> {
        self.holds_at(node, 0)
    }

    fn holds_at(&self, node: Node<'_>, depth: u32) -> Option<bool> {
        let node = bare(node);
        if depth > CONDITION_DEPTH_MAX {
            return None;
        }
        match source(node, self.text) {
            "true" | "True" | "1" => return Some(true),
            "false" | "False" | "0" | "None" | "null" => return Some(false),
            _ => {}
        }
        if is_not(node) {
            let inner = named(node).into_iter().next_back()?;
            return self.holds_at(inner, depth + 1).map(|does_hold| !does_hold);
        }
        let (left, operator, right) = binary(node, self.text)?;
        let are_constant = self.is_constant(left) && self.is_constant(right);
        let is_same = source(left, self.text) == source(right, self.text);
        match operator {
            "&&" | "and" => {
                let sides = [left, right].map(|node| self.holds_at(node, depth + 1));
                sides.contains(&Some(false)).then_some(false)
            }
            "==" | "===" | "is" | "<=" | ">=" if self.is_same(left, right) => Some(true),
            "!=" | "!==" | "<" | ">" | "is not" if self.is_same(left, right) => Some(false),
            "==" | "===" if are_constant && !is_same => Some(false),
            _ => None,
        }
    }

    /// Tells why an assertion over these values cannot fail, or always does; nothing where neither is known.
    pub fn over(&self, values: &[Node<'_>]) -> Option<IdleReason> {
        let values: Vec<Node<'_>> = values.iter().map(|node| self.meant(*node)).collect();
        if values.is_empty() {
            return None;
        }
        let fixed: Vec<Option<IdleReason>> = values.iter().map(|node| self.fixed(*node)).collect();
        if fixed.iter().all(Option::is_some) {
            let is_itself = fixed.contains(&Some(IdleReason::Itself));
            return Some(if is_itself {
                IdleReason::Itself
            } else {
                IdleReason::Constant
            });
        }
        let open: Vec<Node<'_>> = values
            .iter()
            .filter(|node| !self.is_constant(**node))
            .copied()
            .collect();
        let are_same = open
            .windows(2)
            .all(|window| self.is_same(window[0], window[1]));
        (open.len() > 1 && are_same).then_some(IdleReason::Itself)
    }

    /// Tells whether an assertion of this name over these values always fails, as `assertTrue(false)` does.
    pub fn never_holds(&self, name: &str, values: &[Node<'_>]) -> bool {
        let name = name.to_ascii_lowercase();
        let wanted = match (name.ends_with("true"), name.ends_with("false")) {
            (true, _) => false,
            (_, true) => true,
            _ => return false,
        };
        values
            .iter()
            .any(|value| self.holds(*value) == Some(wanted))
    }

    /// Unwraps the value that a matcher of equality compares with; other expressions stay.
    fn meant<'n>(&self, node: Node<'n>) -> Node<'n> {
        let mut node = bare(node);
        // `is(equalTo(x))`
        for _ in 0..2 {
            let callee = node
                .child_by_field_name("name")
                .or_else(|| node.child_by_field_name("function"));
            let name = callee.map_or("", |node| source(node, self.text));
            let name = name.rsplit('.').next().unwrap_or_default();
            let given = super::call::arguments(node);
            match given.as_slice() {
                [one] if EQUAL_TO.contains(&name) => node = bare(*one),
                _ => break,
            }
        }
        node
    }
}

const COMPARING: &[&str] = &[
    "==", "!=", "===", "!==", "<", ">", "<=", ">=", "is", "is not",
];

fn is_not(node: Node<'_>) -> bool {
    node.kind() == "not_operator"
        || matches!(node.kind(), "unary_expression" | "prefix_unary_expression")
            && node.child(0).is_some_and(|node| node.kind() == "!")
}

/// Strips the brackets around an expression.
pub fn bare(mut node: Node<'_>) -> Node<'_> {
    while matches!(
        node.kind(),
        "parenthesized_expression" | "condition" | "expression_list"
    ) && node.named_child_count() == 1
    {
        let Some(inner) = node.named_child(0) else {
            break;
        };
        node = inner;
    }
    node
}

/// Splits a binary operation into its sides and its sign.
fn binary<'n, 't>(node: Node<'n>, text: &'t str) -> Option<(Node<'n>, &'t str, Node<'n>)> {
    if node.kind() == "comparison_operator" {
        let sides = named(node);
        let [left, right] = sides.as_slice() else {
            return None;
        };
        let between = text.get(left.end_byte()..right.start_byte())?;
        return Some((*left, between.trim(), *right));
    }
    let left = node.child_by_field_name("left")?;
    let right = node.child_by_field_name("right")?;
    let operator = node.child_by_field_name("operator")?;
    Some((left, source(operator, text), right))
}
