//! The grammars' names for the nodes that decide what runs.

use crate::model::Language;

/// The kinds of one language's nodes.
#[derive(Debug)]
pub struct ControlFlowKinds {
    pub language: Language,
    pub calls: &'static [&'static str],
    pub creations: &'static [&'static str],
    /// Functions without a name of their own.
    pub lambdas: &'static [&'static str],
    /// Functions with a name.
    pub functions: &'static [&'static str],
    pub classes: &'static [&'static str],
    /// Nodes whose children run one after the other.
    pub lists: &'static [&'static str],
    /// Statements after which nothing else in their list runs.
    pub ends: &'static [&'static str],
    pub ifs: &'static [&'static str],
    /// Other nodes whose children may run or not.
    pub choices: &'static [&'static str],
    pub throws: &'static [&'static str],
    pub tries: &'static [&'static str],
    pub catches: &'static [&'static str],
    pub arguments: &'static [&'static str],
    /// Nodes that bind a name to a value.
    pub bindings: &'static [&'static str],
}

impl ControlFlowKinds {
    pub fn of(language: Language) -> &'static Self {
        match language {
            Language::Java => &JAVA,
            Language::Python => &PYTHON,
            Language::Go => &GO,
            Language::JavaScript => &JAVASCRIPT,
            Language::CSharp => &CSHARP,
        }
    }

    pub fn is_function(&self, kind: &str) -> bool {
        self.lambdas.contains(&kind) || self.functions.contains(&kind)
    }
}

static JAVA: ControlFlowKinds = ControlFlowKinds {
    language: Language::Java,
    calls: &["method_invocation"],
    creations: &["object_creation_expression"],
    lambdas: &["lambda_expression"],
    functions: &[
        "method_declaration",
        "constructor_declaration",
        "compact_constructor_declaration",
    ],
    classes: &[
        "class_declaration",
        "record_declaration",
        "enum_declaration",
        "interface_declaration",
    ],
    lists: &[
        "block",
        "switch_block_statement_group",
        "constructor_body",
        "program",
    ],
    ends: &[
        "return_statement",
        "throw_statement",
        "break_statement",
        "continue_statement",
        "yield_statement",
    ],
    ifs: &["if_statement"],
    choices: &["switch_block", "ternary_expression"],
    throws: &["throw_statement"],
    tries: &["try_statement", "try_with_resources_statement"],
    catches: &["catch_clause"],
    arguments: &["argument_list"],
    bindings: &["variable_declarator", "assignment_expression"],
};

static PYTHON: ControlFlowKinds = ControlFlowKinds {
    language: Language::Python,
    calls: &["call"],
    creations: &[],
    lambdas: &["lambda"],
    functions: &["function_definition"],
    classes: &["class_definition"],
    lists: &["block", "module"],
    ends: &[
        "return_statement",
        "raise_statement",
        "break_statement",
        "continue_statement",
    ],
    ifs: &["if_statement", "elif_clause"],
    choices: &["match_statement", "conditional_expression"],
    throws: &["raise_statement"],
    tries: &["try_statement"],
    catches: &["except_clause", "except_group_clause"],
    arguments: &["argument_list"],
    bindings: &["assignment", "named_expression"],
};

static GO: ControlFlowKinds = ControlFlowKinds {
    language: Language::Go,
    calls: &["call_expression"],
    creations: &[],
    lambdas: &["func_literal"],
    functions: &["function_declaration", "method_declaration"],
    classes: &[],
    lists: &[
        "block",
        "statement_list",
        "expression_case",
        "default_case",
        "type_case",
    ],
    ends: &[
        "return_statement",
        "break_statement",
        "continue_statement",
        "goto_statement",
    ],
    ifs: &["if_statement"],
    choices: &[
        "expression_switch_statement",
        "type_switch_statement",
        "select_statement",
    ],
    throws: &[],
    tries: &[],
    catches: &[],
    arguments: &["argument_list"],
    bindings: &["short_var_declaration", "var_spec", "assignment_statement"],
};

static JAVASCRIPT: ControlFlowKinds = ControlFlowKinds {
    language: Language::JavaScript,
    calls: &["call_expression"],
    creations: &["new_expression"],
    lambdas: &[
        "arrow_function",
        "function_expression",
        "generator_function",
        "function",
    ],
    functions: &[
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
    ],
    classes: &["class_declaration", "class"],
    lists: &[
        "statement_block",
        "program",
        "switch_case",
        "switch_default",
    ],
    ends: &[
        "return_statement",
        "throw_statement",
        "break_statement",
        "continue_statement",
    ],
    ifs: &["if_statement"],
    choices: &["switch_statement", "ternary_expression"],
    throws: &["throw_statement"],
    tries: &["try_statement"],
    catches: &["catch_clause"],
    arguments: &["arguments"],
    bindings: &["variable_declarator", "assignment_expression"],
};

static CSHARP: ControlFlowKinds = ControlFlowKinds {
    language: Language::CSharp,
    calls: &["invocation_expression"],
    creations: &[
        "object_creation_expression",
        "implicit_object_creation_expression",
    ],
    lambdas: &["lambda_expression", "anonymous_method_expression"],
    functions: &[
        "method_declaration",
        "constructor_declaration",
        "local_function_statement",
    ],
    classes: &[
        "class_declaration",
        "struct_declaration",
        "record_declaration",
    ],
    lists: &["block", "switch_section", "compilation_unit"],
    ends: &[
        "return_statement",
        "throw_statement",
        "break_statement",
        "continue_statement",
        "goto_statement",
    ],
    ifs: &["if_statement"],
    choices: &[
        "switch_statement",
        "switch_expression",
        "conditional_expression",
    ],
    throws: &["throw_statement", "throw_expression"],
    tries: &["try_statement"],
    catches: &["catch_clause"],
    arguments: &["argument_list"],
    bindings: &["variable_declarator", "assignment_expression"],
};
