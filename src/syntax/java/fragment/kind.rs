//! The node kinds of the grammar that a verdict depends on, as numbers.

use std::sync::LazyLock;

use crate::kind::GrammarKinds;
use crate::model::Language;
use crate::{fields, kinds, tree};

kinds! {
    AnnotationBody = "annotation_type_body",
    AnnotationDeclaration = "annotation_type_declaration",
    Assignment = "assignment_expression",
    BinaryInt = "binary_integer_literal",
    Block = "block",
    Boolean = "boolean_type",
    BlockComment = "block_comment",
    CatchParameter = "catch_formal_parameter",
    CharLiteral = "character_literal",
    ClassBody = "class_body",
    ClassDeclaration = "class_declaration",
    ClassLiteral = "class_literal",
    CompactConstructor = "compact_constructor_declaration",
    ConstructorBody = "constructor_body",
    ConstructorDeclaration = "constructor_declaration",
    DecimalFloat = "decimal_floating_point_literal",
    DecimalInt = "decimal_integer_literal",
    Dimensions = "dimensions",
    Dot = ".",
    DoStatement = "do_statement",
    EnhancedFor = "enhanced_for_statement",
    EnumBody = "enum_body",
    EnumBodyDeclarations = "enum_body_declarations",
    EnumDeclaration = "enum_declaration",
    ExpressionStatement = "expression_statement",
    FieldDeclaration = "field_declaration",
    Floating = "floating_point_type",
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
    Instanceof = "instanceof_expression",
    Integral = "integral_type",
    InterfaceBody = "interface_body",
    InterfaceDeclaration = "interface_declaration",
    Labeled = "labeled_statement",
    Lambda = "lambda_expression",
    LineComment = "line_comment",
    LocalVariable = "local_variable_declaration",
    MethodDeclaration = "method_declaration",
    MethodInvocation = "method_invocation",
    MethodReference = "method_reference",
    Modifiers = "modifiers",
    Module = "module_declaration",
    ObjectCreation = "object_creation_expression",
    OctalInt = "octal_integer_literal",
    Package = "package_declaration",
    Permits = "permits",
    Pattern = "pattern",
    RecordDeclaration = "record_declaration",
    RecordPattern = "record_pattern",
    Resource = "resource",
    ScopedType = "scoped_type_identifier",
    SpreadParameter = "spread_parameter",
    StringLiteral = "string_literal",
    Switch = "switch_expression",
    SwitchGroup = "switch_block_statement_group",
    SwitchRule = "switch_rule",
    Template = "template_expression",
    TypeArguments = "type_arguments",
    TypeIdentifier = "type_identifier",
    Unary = "unary_expression",
    Underscore = "underscore_pattern",
    Update = "update_expression",
    VariableDeclarator = "variable_declarator",
    Void = "void_type",
    While = "while_statement",
    // Modifiers are nodes without a name.
    Public = "public",
    Protected = "protected",
    Private = "private",
    Abstract = "abstract",
    Static = "static",
    Final = "final",
    Strictfp = "strictfp",
    Default = "default",
    Synchronized = "synchronized",
    Native = "native",
    Transient = "transient",
    Volatile = "volatile",
    Sealed = "sealed",
    NonSealed = "non-sealed",
}

impl Kind {
    pub const fn is_comment(self) -> bool {
        matches!(self, Self::LineComment | Self::BlockComment)
    }

    /// Tells whether the construct came with a version after Java 17.
    pub const fn is_newer(self) -> bool {
        matches!(
            self,
            Self::Pattern | Self::Guard | Self::RecordPattern | Self::Underscore
        )
    }

    /// Tells whether an expression of this kind is a statement with a `;` behind it (JLS 14.8).
    pub const fn is_statement_expression(self) -> bool {
        matches!(
            self,
            Self::Assignment
                | Self::Update
                | Self::MethodInvocation
                | Self::ObjectCreation
                | Self::Switch
        )
    }

    /// Tells whether a node of this kind declares a type.
    pub const fn is_type_declaration(self) -> bool {
        matches!(
            self,
            Self::ClassDeclaration
                | Self::InterfaceDeclaration
                | Self::EnumDeclaration
                | Self::RecordDeclaration
                | Self::AnnotationDeclaration
        )
    }

    /// Tells whether this holds the members of a type.
    pub const fn is_type_body(self) -> bool {
        matches!(
            self,
            Self::ClassBody
                | Self::InterfaceBody
                | Self::EnumBodyDeclarations
                | Self::AnnotationBody
        )
    }
}

fields! { body, condition, name, r#type }

pub type FragmentGrammar = GrammarKinds<Kind, Fields>;

/// The grammar, read once.
pub static GRAMMAR: LazyLock<FragmentGrammar> =
    LazyLock::new(|| GrammarKinds::new(tree::Grammar::of(Language::Java), KINDS, Fields::of));
