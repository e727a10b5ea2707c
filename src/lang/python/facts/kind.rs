//! The grammar's node kinds as a small enum, so that lowering compares numbers and never strings.

use std::sync::LazyLock;

use crate::model::Language;
use crate::syntax::tree::Grammar;
use crate::syntax::{fields, kind, kinds};

kinds! {
    AliasedImport = "aliased_import",
    ArgumentList = "argument_list",
    AsPattern = "as_pattern",
    AsPatternTarget = "as_pattern_target",
    Assert = "assert_statement",
    Assignment = "assignment",
    Attribute = "attribute",
    Augmented = "augmented_assignment",
    Await = "await",
    Binary = "binary_operator",
    Block = "block",
    Boolean = "boolean_operator",
    Call = "call",
    CaseClause = "case_clause",
    CasePattern = "case_pattern",
    ClassDefinition = "class_definition",
    Comment = "comment",
    Comparison = "comparison_operator",
    Concatenated = "concatenated_string",
    Conditional = "conditional_expression",
    ConstrainedType = "constrained_type",
    Decorated = "decorated_definition",
    Decorator = "decorator",
    DefaultParameter = "default_parameter",
    Delete = "delete_statement",
    Dictionary = "dictionary",
    DictionaryComprehension = "dictionary_comprehension",
    DictionarySplat = "dictionary_splat",
    DictionarySplatPattern = "dictionary_splat_pattern",
    DottedName = "dotted_name",
    Elif = "elif_clause",
    Ellipsis = "ellipsis",
    Else = "else_clause",
    Error = "ERROR",
    Except = "except_clause",
    ExceptGroup = "except_group_clause",
    Exec = "exec_statement",
    ExpressionList = "expression_list",
    ExpressionStatement = "expression_statement",
    False = "false",
    Finally = "finally_clause",
    Float = "float",
    For = "for_statement",
    ForIn = "for_in_clause",
    FunctionDefinition = "function_definition",
    FutureImport = "future_import_statement",
    Generator = "generator_expression",
    GenericType = "generic_type",
    Global = "global_statement",
    Identifier = "identifier",
    If = "if_statement",
    IfClause = "if_clause",
    Import = "import_statement",
    ImportFrom = "import_from_statement",
    ImportPrefix = "import_prefix",
    Integer = "integer",
    Interpolation = "interpolation",
    KeywordArgument = "keyword_argument",
    KeywordSeparator = "keyword_separator",
    Lambda = "lambda",
    LambdaParameters = "lambda_parameters",
    LineContinuation = "line_continuation",
    List = "list",
    ListComprehension = "list_comprehension",
    ListPattern = "list_pattern",
    ListSplat = "list_splat",
    ListSplatPattern = "list_splat_pattern",
    Match = "match_statement",
    MemberType = "member_type",
    Module = "module",
    Named = "named_expression",
    None = "none",
    Nonlocal = "nonlocal_statement",
    Not = "not_operator",
    Pair = "pair",
    Parameters = "parameters",
    Parenthesized = "parenthesized_expression",
    ParenthesizedListSplat = "parenthesized_list_splat",
    PatternList = "pattern_list",
    PositionalSeparator = "positional_separator",
    Print = "print_statement",
    Raise = "raise_statement",
    RelativeImport = "relative_import",
    Return = "return_statement",
    Set = "set",
    SetComprehension = "set_comprehension",
    Slice = "slice",
    SplatType = "splat_type",
    String = "string",
    StringContent = "string_content",
    Subscript = "subscript",
    True = "true",
    Try = "try_statement",
    Tuple = "tuple",
    TuplePattern = "tuple_pattern",
    Type = "type",
    TypeAlias = "type_alias_statement",
    TypeParameter = "type_parameter",
    TypedDefaultParameter = "typed_default_parameter",
    TypedParameter = "typed_parameter",
    Unary = "unary_operator",
    UnionType = "union_type",
    While = "while_statement",
    Wildcard = "wildcard_import",
    With = "with_statement",
    WithClause = "with_clause",
    WithItem = "with_item",
    Yield = "yield",
}

fields! {
    alias, arguments, attribute, body, condition, consequence, definition, function, left, module_name, name, object, operator,
    operators, parameters, return_type, right, subject, subscript, superclasses, r#type, value,
}

pub type PythonGrammar = kind::GrammarKinds<Kind, Fields>;

pub static WORDS_OF_GRAMMAR: LazyLock<PythonGrammar> =
    LazyLock::new(|| PythonGrammar::new(Grammar::of(Language::Python), KINDS, Fields::of));

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_the_grammars() {
        let grammar = Grammar::of(Language::Python);
        for (word, _) in KINDS {
            assert!(grammar.kind(word).is_some(), "{word}");
        }
    }
}
