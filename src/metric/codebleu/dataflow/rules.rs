//! The kinds of nodes that have a rule, by language (METRICS.md 3.2).

use std::sync::OnceLock;

use crate::model::Language;
use crate::syntax::tree::{Grammar, NodeField, NodeKind};

/// The effect of a node on the flows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    Define,
    Assign,
    /// Assigns each left part from the right part beside it.
    AssignEach,
    /// Computes all its variables from all.
    Increment,
    If,
    For,
    ForEach,
    /// Python's `for`.
    ForIn,
    While,
    /// No rule of its own, but children that are walked before the others.
    FirstThoseInFor,
}

/// The role of a child of an `if`.
#[derive(Clone, Copy, Debug, Default)]
pub struct IfChild {
    pub is_branch: bool,
    pub has_else: bool,
}

/// The role of a kind of node.
#[derive(Clone, Copy, Debug, Default)]
pub struct NodeRole {
    /// One token, with all nodes in it.
    pub is_literal: bool,
    pub is_comment: bool,
    pub is_identifier: bool,
    pub place: IfChild,
    pub rule: Option<Rule>,
}

/// The rules of a language in the words of its grammar.
pub struct Rules {
    roles: Vec<NodeRole>,
    pub name: NodeField,
    pub value: NodeField,
    pub left: NodeField,
    pub right: NodeField,
    pub each_name: NodeField,
    pub each_value: NodeField,
    pub body: NodeField,
    pub update: NodeField,
    pub marker: NodeKind,
    pub in_for: NodeKind,
    pub comma: NodeKind,
    pub block: NodeKind,
    /// A definition's name is its first child; its second is the value when there are two.
    pub defines_by_place: bool,
    /// After the first branch of an `if`, every child is one.
    pub stays_branching: bool,
    /// The state before an `if` is one of those after it, also when there is an `else`.
    pub adds_state_before: bool,
}

struct FlowRuleTable {
    rules: &'static [(&'static str, Rule)],
    marker: &'static str,
    each: (&'static str, &'static str),
    branches: &'static [&'static str],
}

const JAVA: FlowRuleTable = FlowRuleTable {
    rules: &[
        ("assignment_expression", Rule::Assign),
        ("variable_declarator", Rule::Define),
        ("update_expression", Rule::Increment),
        ("if_statement", Rule::If),
        ("for_statement", Rule::For),
        ("enhanced_for_statement", Rule::ForEach),
        ("while_statement", Rule::While),
    ],
    marker: "local_variable_declaration",
    each: ("name", "value"),
    branches: &["if_statement", "else"],
};

const PYTHON: FlowRuleTable = FlowRuleTable {
    rules: &[
        ("assignment", Rule::AssignEach),
        ("augmented_assignment", Rule::AssignEach),
        ("for_in_clause", Rule::AssignEach),
        ("default_parameter", Rule::Define),
        ("if_statement", Rule::If),
        ("for_statement", Rule::ForIn),
        ("while_statement", Rule::While),
    ],
    marker: "",
    each: ("", ""),
    branches: &["elif_clause", "else_clause"],
};

const GO: FlowRuleTable = FlowRuleTable {
    rules: &[
        ("assignment_statement", Rule::Assign),
        ("var_spec", Rule::Define),
        ("inc_statement", Rule::Increment),
        ("if_statement", Rule::If),
        ("for_statement", Rule::For),
    ],
    marker: "for_clause",
    each: ("", ""),
    branches: &["if_statement", "else"],
};

const JAVASCRIPT: FlowRuleTable = FlowRuleTable {
    rules: &[
        ("assignment_pattern", Rule::Assign),
        ("augmented_assignment_expression", Rule::Assign),
        ("variable_declarator", Rule::Define),
        ("update_expression", Rule::Increment),
        ("if_statement", Rule::If),
        ("for_statement", Rule::For),
        ("while_statement", Rule::While),
    ],
    marker: "variable_declaration",
    each: ("", ""),
    branches: &["if_statement", "else"],
};

const C_SHARP: FlowRuleTable = FlowRuleTable {
    rules: &[
        ("assignment_expression", Rule::Assign),
        ("variable_declarator", Rule::Define),
        ("postfix_unary_expression", Rule::Increment),
        ("if_statement", Rule::If),
        ("for_statement", Rule::For),
        ("for_each_statement", Rule::ForEach),
        ("while_statement", Rule::While),
    ],
    marker: "local_variable_declaration",
    each: ("left", "right"),
    branches: &["if_statement", "else"],
};

const LITERALS: &[&str] = &["string_literal", "string", "character_literal"];

/// No node has it.
const NO_KIND: NodeKind = NodeKind(u16::MAX);

impl Rules {
    /// Looks up the rules of a language; they are made once.
    pub fn of(language: Language) -> &'static Self {
        static RULES: [OnceLock<Rules>; Language::ALL.len()] =
            [const { OnceLock::new() }; Language::ALL.len()];
        RULES[language as usize].get_or_init(|| Self::new(language))
    }

    fn new(language: Language) -> Self {
        let table = match language {
            Language::Java => JAVA,
            Language::Python => PYTHON,
            Language::Go => GO,
            Language::JavaScript => JAVASCRIPT,
            Language::CSharp => C_SHARP,
        };
        let grammar = Grammar::of(language);
        let roles = (0..grammar.n_kinds() as u16)
            .map(|kind| role(&table, grammar.kind_name(NodeKind(kind))))
            .collect();
        let kind = |name: &str| grammar.kind(name).unwrap_or(NO_KIND);
        let is_python = language == Language::Python;
        Self {
            roles,
            name: grammar.field("name"),
            value: grammar.field("value"),
            left: grammar.field("left"),
            right: grammar.field("right"),
            each_name: grammar.field(table.each.0),
            each_value: grammar.field(table.each.1),
            body: grammar.field("body"),
            update: if language == Language::Go {
                grammar.field("update")
            } else {
                NodeField::NONE
            },
            marker: kind(table.marker),
            in_for: if is_python {
                kind("for_in_clause")
            } else {
                NO_KIND
            },
            comma: kind(","),
            block: kind("block"),
            defines_by_place: language == Language::CSharp,
            stays_branching: !is_python,
            adds_state_before: matches!(language, Language::Go | Language::JavaScript),
        }
    }

    /// Looks up the role of a kind of node.
    pub fn role(&self, kind: NodeKind) -> NodeRole {
        self.roles[usize::from(kind.0)]
    }
}

fn role(table: &FlowRuleTable, name: &str) -> NodeRole {
    NodeRole {
        is_literal: LITERALS.contains(&name),
        is_comment: name == "comment",
        is_identifier: name == "identifier",
        place: IfChild {
            is_branch: table.branches.contains(&name),
            has_else: name.contains("else"),
        },
        rule: table
            .rules
            .iter()
            .find(|rule| rule.0 == name)
            .map(|rule| rule.1),
    }
}
