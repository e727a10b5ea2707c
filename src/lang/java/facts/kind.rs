//! The grammar's node kinds as a small enum, so that lowering compares numbers and never strings.

use std::sync::LazyLock;

use crate::model::Language;
use crate::syntax::kind::GrammarKinds;
use crate::syntax::{fields, kinds, tree};

kinds! {
    AnnotatedType = "annotated_type",
    Annotation = "annotation",
    AnnotationArguments = "annotation_argument_list",
    AnnotationElement = "annotation_type_element_declaration",
    AnnotationPair = "element_value_pair",
    AnnotationTypeBody = "annotation_type_body",
    AnnotationTypeDeclaration = "annotation_type_declaration",
    ArgumentList = "argument_list",
    ArrayAccess = "array_access",
    ArrayCreation = "array_creation_expression",
    ArrayInitializer = "array_initializer",
    ArrayType = "array_type",
    AssertStatement = "assert_statement",
    Assignment = "assignment_expression",
    Asterisk = "asterisk",
    Binary = "binary_expression",
    BinaryInt = "binary_integer_literal",
    Block = "block",
    BlockComment = "block_comment",
    BooleanType = "boolean_type",
    Break = "break_statement",
    Cast = "cast_expression",
    CatchClause = "catch_clause",
    CatchParameter = "catch_formal_parameter",
    CatchType = "catch_type",
    CharLiteral = "character_literal",
    ClassBody = "class_body",
    ClassDeclaration = "class_declaration",
    ClassLiteral = "class_literal",
    CompactConstructor = "compact_constructor_declaration",
    ConstantDeclaration = "constant_declaration",
    ConstructorBody = "constructor_body",
    ConstructorDeclaration = "constructor_declaration",
    Continue = "continue_statement",
    DecimalFloat = "decimal_floating_point_literal",
    DecimalInt = "decimal_integer_literal",
    Dimensions = "dimensions",
    DimensionsExpr = "dimensions_expr",
    DoStatement = "do_statement",
    EnhancedFor = "enhanced_for_statement",
    EnumBody = "enum_body",
    EnumBodyDeclarations = "enum_body_declarations",
    EnumConstant = "enum_constant",
    EnumDeclaration = "enum_declaration",
    Error = "ERROR",
    ExplicitConstructor = "explicit_constructor_invocation",
    ExpressionStatement = "expression_statement",
    ExtendsInterfaces = "extends_interfaces",
    False = "false",
    FieldAccess = "field_access",
    FieldDeclaration = "field_declaration",
    FinallyClause = "finally_clause",
    FloatingType = "floating_point_type",
    For = "for_statement",
    FormalParameter = "formal_parameter",
    FormalParameters = "formal_parameters",
    GenericType = "generic_type",
    Guard = "guard",
    HexFloat = "hex_floating_point_literal",
    HexInt = "hex_integer_literal",
    Identifier = "identifier",
    If = "if_statement",
    Import = "import_declaration",
    InferredParameters = "inferred_parameters",
    Instanceof = "instanceof_expression",
    IntegralType = "integral_type",
    InterfaceBody = "interface_body",
    InterfaceDeclaration = "interface_declaration",
    Labeled = "labeled_statement",
    Lambda = "lambda_expression",
    LineComment = "line_comment",
    LocalVariable = "local_variable_declaration",
    MarkerAnnotation = "marker_annotation",
    MethodDeclaration = "method_declaration",
    MethodInvocation = "method_invocation",
    MethodReference = "method_reference",
    Modifiers = "modifiers",
    Null = "null_literal",
    ObjectCreation = "object_creation_expression",
    OctalInt = "octal_integer_literal",
    Package = "package_declaration",
    Parenthesized = "parenthesized_expression",
    Pattern = "pattern",
    Permits = "permits",
    RecordDeclaration = "record_declaration",
    RecordPattern = "record_pattern",
    RecordPatternBody = "record_pattern_body",
    RecordPatternComponent = "record_pattern_component",
    Resource = "resource",
    ResourceSpecification = "resource_specification",
    Return = "return_statement",
    ScopedIdentifier = "scoped_identifier",
    ScopedType = "scoped_type_identifier",
    SpreadParameter = "spread_parameter",
    StaticInitializer = "static_initializer",
    StringLiteral = "string_literal",
    Super = "super",
    SuperInterfaces = "super_interfaces",
    Superclass = "superclass",
    SwitchBlock = "switch_block",
    SwitchExpression = "switch_expression",
    SwitchGroup = "switch_block_statement_group",
    SwitchLabel = "switch_label",
    SwitchRule = "switch_rule",
    Synchronized = "synchronized_statement",
    Template = "template_expression",
    Ternary = "ternary_expression",
    This = "this",
    Throw = "throw_statement",
    Throws = "throws",
    True = "true",
    Try = "try_statement",
    TryWithResources = "try_with_resources_statement",
    TypeArguments = "type_arguments",
    TypeBound = "type_bound",
    TypeIdentifier = "type_identifier",
    TypeList = "type_list",
    TypeParameter = "type_parameter",
    TypeParameters = "type_parameters",
    TypePattern = "type_pattern",
    Unary = "unary_expression",
    Underscore = "underscore_pattern",
    Update = "update_expression",
    VariableDeclarator = "variable_declarator",
    VoidType = "void_type",
    While = "while_statement",
    Wildcard = "wildcard",
    Yield = "yield_statement",
    // Words and signs that distinguish alternatives.
    WordAbstract = "abstract",
    WordDefault = "default",
    WordExtends = "extends",
    WordFinal = "final",
    WordNew = "new",
    WordPrivate = "private",
    WordProtected = "protected",
    WordPublic = "public",
    WordStatic = "static",
    SignArrow = "->",
    SignSemicolon = ";",
    SignOpenBrace = "{",
}

impl Kind {
    /// Tells whether nodes of this kind are layout.
    pub const fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment)
    }

    /// Tells whether nodes of this kind are types as the grammar sees them.
    pub const fn is_type(self) -> bool {
        matches!(
            self,
            Self::TypeIdentifier
                | Self::ScopedType
                | Self::GenericType
                | Self::ArrayType
                | Self::IntegralType
                | Self::FloatingType
                | Self::BooleanType
                | Self::VoidType
                | Self::AnnotatedType
        )
    }
}

fields! { object, value, body, condition, init, update }

pub type JavaGrammar = GrammarKinds<Kind, Fields>;

/// The grammar, read once.
pub static GRAMMAR: LazyLock<JavaGrammar> =
    LazyLock::new(|| GrammarKinds::new(tree::Grammar::of(Language::Java), KINDS, Fields::of));
