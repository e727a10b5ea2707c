//! The grammar's node kinds and fields as small enums, so that lowering compares numbers and never strings.

use std::sync::LazyLock;

use crate::model::Language;
use crate::syntax::kinds;
use crate::syntax::tree::{Field, Grammar, Tree};

kinds! {
    AccessorDeclaration = "accessor_declaration",
    AccessorList = "accessor_list",
    AliasQualifiedName = "alias_qualified_name",
    AndPattern = "and_pattern",
    AnonymousMethod = "anonymous_method_expression",
    AnonymousObject = "anonymous_object_creation_expression",
    Argument = "argument",
    ArgumentList = "argument_list",
    ArrayCreation = "array_creation_expression",
    ArrayRank = "array_rank_specifier",
    ArrayType = "array_type",
    Arrow = "arrow_expression_clause",
    As = "as_expression",
    Assignment = "assignment_expression",
    Attribute = "attribute",
    AttributeArgument = "attribute_argument",
    AttributeArgumentList = "attribute_argument_list",
    AttributeList = "attribute_list",
    Await = "await_expression",
    BaseList = "base_list",
    Binary = "binary_expression",
    Block = "block",
    BooleanLiteral = "boolean_literal",
    BracketedArguments = "bracketed_argument_list",
    Cast = "cast_expression",
    CatchClause = "catch_clause",
    CatchDeclaration = "catch_declaration",
    CatchFilter = "catch_filter_clause",
    CharacterLiteral = "character_literal",
    CheckedExpression = "checked_expression",
    CheckedStatement = "checked_statement",
    ClassDeclaration = "class_declaration",
    CollectionElement = "collection_element",
    CollectionExpression = "collection_expression",
    Comment = "comment",
    ConditionalAccess = "conditional_access_expression",
    ConditionalExpression = "conditional_expression",
    ConstantPattern = "constant_pattern",
    ConstructorConstraint = "constructor_constraint",
    ConstructorDeclaration = "constructor_declaration",
    ConstructorInitializer = "constructor_initializer",
    ConversionDeclaration = "conversion_operator_declaration",
    DeclarationExpression = "declaration_expression",
    DeclarationList = "declaration_list",
    DeclarationPattern = "declaration_pattern",
    DefaultExpression = "default_expression",
    DelegateDeclaration = "delegate_declaration",
    DestructorDeclaration = "destructor_declaration",
    Discard = "discard",
    DoStatement = "do_statement",
    ElementAccess = "element_access_expression",
    ElementBinding = "element_binding_expression",
    EnumDeclaration = "enum_declaration",
    EnumMember = "enum_member_declaration",
    EnumMembers = "enum_member_declaration_list",
    Error = "ERROR",
    EventDeclaration = "event_declaration",
    EventField = "event_field_declaration",
    ExplicitInterface = "explicit_interface_specifier",
    ExpressionElement = "expression_element",
    ExpressionStatement = "expression_statement",
    FieldDeclaration = "field_declaration",
    FileScopedNamespace = "file_scoped_namespace_declaration",
    FinallyClause = "finally_clause",
    FixedStatement = "fixed_statement",
    ForStatement = "for_statement",
    ForeachStatement = "foreach_statement",
    FromClause = "from_clause",
    FunctionPointer = "function_pointer_type",
    GenericName = "generic_name",
    GlobalStatement = "global_statement",
    GroupClause = "group_clause",
    Identifier = "identifier",
    IfStatement = "if_statement",
    ImplicitArray = "implicit_array_creation_expression",
    ImplicitObject = "implicit_object_creation_expression",
    ImplicitParameter = "implicit_parameter",
    ImplicitStackalloc = "implicit_stackalloc_expression",
    ImplicitType = "implicit_type",
    IndexerDeclaration = "indexer_declaration",
    Initializer = "initializer_expression",
    IntegerLiteral = "integer_literal",
    InterfaceDeclaration = "interface_declaration",
    InterpolatedString = "interpolated_string_expression",
    Interpolation = "interpolation",
    Invocation = "invocation_expression",
    Is = "is_expression",
    IsPattern = "is_pattern_expression",
    JoinClause = "join_clause",
    JoinInto = "join_into_clause",
    LabeledStatement = "labeled_statement",
    Lambda = "lambda_expression",
    LetClause = "let_clause",
    ListPattern = "list_pattern",
    LocalDeclaration = "local_declaration_statement",
    LocalFunction = "local_function_statement",
    LockStatement = "lock_statement",
    MemberAccess = "member_access_expression",
    MemberBinding = "member_binding_expression",
    MethodDeclaration = "method_declaration",
    Modifier = "modifier",
    NamespaceDeclaration = "namespace_declaration",
    NegatedPattern = "negated_pattern",
    NullLiteral = "null_literal",
    NullableType = "nullable_type",
    ObjectCreation = "object_creation_expression",
    OperatorDeclaration = "operator_declaration",
    OrPattern = "or_pattern",
    OrderByClause = "order_by_clause",
    Parameter = "parameter",
    Parameters = "parameter_list",
    BracketedParameters = "bracketed_parameter_list",
    ParenthesizedDesignation = "parenthesized_variable_designation",
    ParenthesizedExpression = "parenthesized_expression",
    ParenthesizedPattern = "parenthesized_pattern",
    PointerType = "pointer_type",
    PositionalClause = "positional_pattern_clause",
    Postfix = "postfix_unary_expression",
    PredefinedType = "predefined_type",
    Prefix = "prefix_unary_expression",
    PrimaryBase = "primary_constructor_base_type",
    PropertyClause = "property_pattern_clause",
    PropertyDeclaration = "property_declaration",
    QualifiedName = "qualified_name",
    Query = "query_expression",
    Range = "range_expression",
    RawString = "raw_string_literal",
    RealLiteral = "real_literal",
    RecordDeclaration = "record_declaration",
    RecursivePattern = "recursive_pattern",
    RefExpression = "ref_expression",
    RefType = "ref_type",
    RelationalPattern = "relational_pattern",
    ReturnStatement = "return_statement",
    ScopedType = "scoped_type",
    SelectClause = "select_clause",
    Sizeof = "sizeof_expression",
    Spread = "spread_element",
    Stackalloc = "stackalloc_expression",
    StringLiteral = "string_literal",
    StringEncoding = "string_literal_encoding",
    StructDeclaration = "struct_declaration",
    Subpattern = "subpattern",
    SwitchArm = "switch_expression_arm",
    SwitchBody = "switch_body",
    SwitchExpression = "switch_expression",
    SwitchSection = "switch_section",
    SwitchStatement = "switch_statement",
    ThrowExpression = "throw_expression",
    ThrowStatement = "throw_statement",
    TryStatement = "try_statement",
    TupleElement = "tuple_element",
    TupleExpression = "tuple_expression",
    TuplePattern = "tuple_pattern",
    TupleType = "tuple_type",
    TypeArguments = "type_argument_list",
    TypeConstraint = "type_parameter_constraint",
    TypeConstraints = "type_parameter_constraints_clause",
    TypeParameter = "type_parameter",
    TypeParameters = "type_parameter_list",
    TypePattern = "type_pattern",
    Typeof = "typeof_expression",
    UnsafeStatement = "unsafe_statement",
    UsingDirective = "using_directive",
    UsingStatement = "using_statement",
    VarPattern = "var_pattern",
    VariableDeclaration = "variable_declaration",
    VariableDeclarator = "variable_declarator",
    VerbatimString = "verbatim_string_literal",
    WhenClause = "when_clause",
    WhereClause = "where_clause",
    WhileStatement = "while_statement",
    With = "with_expression",
    WithInitializer = "with_initializer",
    YieldStatement = "yield_statement",
    // Words and signs.
    AwaitWord = "await",
    BaseWord = "base",
    BreakWord = "break",
    ClassWord = "class",
    Colon = ":",
    EqualSign = "=",
    ExplicitWord = "explicit",
    ImplicitWord = "implicit",
    InWord = "in",
    IntoWord = "into",
    OutWord = "out",
    Params = "params",
    RefWord = "ref",
    StaticWord = "static",
    StructWord = "struct",
    ThisWord = "this",
    GlobalWord = "global",
    UsingWord = "using",
    OperatorWord = "operator",
    OpenBracket = "[",
}

macro_rules! fields {
    ($($field:ident),* $(,)?) => {
        /// The names that the grammar has for children.
        #[derive(Clone, Copy, Debug)]
        pub struct Fields {
            $(pub $field: Field,)*
        }

        fn fields_of(grammar: &Grammar) -> Fields {
            Fields { $($field: grammar.field(stringify!($field).trim_start_matches("r#")),)* }
        }
    };
}

fields! {
    alias, alternative, arguments, body, condition, consequence, expression, function, left,
    name, operator, parameters, pattern, qualifier, rank, returns, right, subscript, r#type, value,
}

/// The grammar of C# in these words.
#[derive(Debug)]
pub struct Words {
    kinds: Vec<Kind>,
    pub fields: Fields,
}

impl Words {
    pub fn get() -> &'static Self {
        static WORDS: LazyLock<Words> = LazyLock::new(|| {
            let grammar = Grammar::of(Language::CSharp);
            let kinds = (0..grammar.n_kinds() as u16)
                .map(|it| kind_of(grammar.kind_name(crate::syntax::tree::Kind(it))))
                .collect();
            Words {
                kinds,
                fields: fields_of(grammar),
            }
        });
        &WORDS
    }

    pub fn kind(&self, tree: &Tree, idx: u32) -> Kind {
        self.kinds[usize::from(tree.nodes[idx as usize].kind.0)]
    }
}
