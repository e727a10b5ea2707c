//! The grammar's node kinds as a small enum, so that lowering compares numbers and never strings.

use std::sync::LazyLock;

use crate::model::Language;
use crate::syntax::tree::{Field, Grammar, Kind};

macro_rules! kinds {
    ($($name:ident = $word:literal),* $(,)?) => {
        /// What a node is; [`K::Other`] for what lowering does not ask for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum K {
            Other,
            $($name,)*
        }

        const WORDS: &[(K, &str)] = &[$((K::$name, $word)),*];
    };
}

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

/// Names that the grammar's nodes have for their children.
#[derive(Clone, Copy, Debug)]
pub struct Fields {
    pub alias: Field,
    pub arguments: Field,
    pub attribute: Field,
    pub body: Field,
    pub condition: Field,
    pub consequence: Field,
    pub definition: Field,
    pub function: Field,
    pub left: Field,
    pub module_name: Field,
    pub name: Field,
    pub object: Field,
    pub operator: Field,
    pub operators: Field,
    pub parameters: Field,
    pub return_type: Field,
    pub right: Field,
    pub subject: Field,
    pub subscript: Field,
    pub superclasses: Field,
    pub kind: Field,
    pub value: Field,
}

/// The grammar's numbers, read once.
pub struct Words {
    kinds: Vec<K>,
    pub fields: Fields,
}

impl Words {
    pub fn kind(&self, kind: Kind) -> K {
        self.kinds[usize::from(kind.0)]
    }
}

pub static WORDS_OF_GRAMMAR: LazyLock<Words> = LazyLock::new(|| {
    let grammar = Grammar::of(Language::Python);
    let mut kinds = vec![K::Other; grammar.n_kinds()];
    for (kind, word) in WORDS {
        // The keyword `lambda` and the node have one name, and so have others: both are meant.
        if let Some(number) = grammar.kind(word) {
            kinds[usize::from(number.0)] = *kind;
        }
    }
    let fields = Fields {
        alias: grammar.field("alias"),
        arguments: grammar.field("arguments"),
        attribute: grammar.field("attribute"),
        body: grammar.field("body"),
        condition: grammar.field("condition"),
        consequence: grammar.field("consequence"),
        definition: grammar.field("definition"),
        function: grammar.field("function"),
        left: grammar.field("left"),
        module_name: grammar.field("module_name"),
        name: grammar.field("name"),
        object: grammar.field("object"),
        operator: grammar.field("operator"),
        operators: grammar.field("operators"),
        parameters: grammar.field("parameters"),
        return_type: grammar.field("return_type"),
        right: grammar.field("right"),
        subject: grammar.field("subject"),
        subscript: grammar.field("subscript"),
        superclasses: grammar.field("superclasses"),
        kind: grammar.field("type"),
        value: grammar.field("value"),
    };
    Words { kinds, fields }
});

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_is_the_grammars() {
        let grammar = Grammar::of(Language::Python);
        for (_, word) in WORDS {
            assert!(grammar.kind(word).is_some(), "{word}");
        }
    }
}
