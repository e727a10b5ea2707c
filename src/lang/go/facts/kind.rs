//! The grammar's node kinds as a small enum, so that lowering compares numbers and never strings.

use std::sync::LazyLock;

use crate::model::Language;
use crate::syntax::kind::GrammarKinds;
use crate::syntax::{fields, kinds, tree};

kinds! {
    ArgumentList = "argument_list",
    ArrayType = "array_type",
    Assignment = "assignment_statement",
    Binary = "binary_expression",
    Block = "block",
    Call = "call_expression",
    ChannelType = "channel_type",
    Comment = "comment",
    CommunicationCase = "communication_case",
    Composite = "composite_literal",
    Const = "const_declaration",
    ConstSpec = "const_spec",
    Dec = "dec_statement",
    DefaultCase = "default_case",
    Defer = "defer_statement",
    Dot = "dot",
    BlankIdentifier = "blank_identifier",
    Error = "ERROR",
    ExprCase = "expression_case",
    ExprList = "expression_list",
    ExprStatement = "expression_statement",
    ExprSwitch = "expression_switch_statement",
    False = "false",
    FieldDeclaration = "field_declaration",
    FieldDeclarationList = "field_declaration_list",
    FieldIdentifier = "field_identifier",
    Float = "float_literal",
    For = "for_statement",
    ForClause = "for_clause",
    FuncLiteral = "func_literal",
    Function = "function_declaration",
    FunctionType = "function_type",
    GenericType = "generic_type",
    Go = "go_statement",
    Identifier = "identifier",
    If = "if_statement",
    Imaginary = "imaginary_literal",
    ImplicitArrayType = "implicit_length_array_type",
    Import = "import_declaration",
    ImportSpec = "import_spec",
    ImportSpecList = "import_spec_list",
    Inc = "inc_statement",
    Index = "index_expression",
    Int = "int_literal",
    InterfaceType = "interface_type",
    Iota = "iota",
    KeyedElement = "keyed_element",
    Labeled = "labeled_statement",
    LabelName = "label_name",
    LiteralElement = "literal_element",
    LiteralValue = "literal_value",
    MapType = "map_type",
    Method = "method_declaration",
    MethodElem = "method_elem",
    NegatedType = "negated_type",
    Nil = "nil",
    Package = "package_clause",
    PackageIdentifier = "package_identifier",
    ParameterDeclaration = "parameter_declaration",
    ParameterList = "parameter_list",
    Parenthesized = "parenthesized_expression",
    ParenthesizedType = "parenthesized_type",
    PointerType = "pointer_type",
    QualifiedType = "qualified_type",
    RangeClause = "range_clause",
    RawString = "raw_string_literal",
    Receive = "receive_statement",
    Return = "return_statement",
    Rune = "rune_literal",
    Select = "select_statement",
    Selector = "selector_expression",
    Send = "send_statement",
    ShortVar = "short_var_declaration",
    SliceExpr = "slice_expression",
    SliceType = "slice_type",
    String = "interpreted_string_literal",
    StructType = "struct_type",
    True = "true",
    TypeAlias = "type_alias",
    TypeArguments = "type_arguments",
    TypeAssertion = "type_assertion_expression",
    TypeCase = "type_case",
    TypeConstraint = "type_constraint",
    TypeConversion = "type_conversion_expression",
    TypeDeclaration = "type_declaration",
    TypeElem = "type_elem",
    TypeIdentifier = "type_identifier",
    TypeInstantiation = "type_instantiation_expression",
    TypeParameter = "type_parameter_declaration",
    TypeParameterList = "type_parameter_list",
    TypeSpec = "type_spec",
    TypeSwitch = "type_switch_statement",
    Unary = "unary_expression",
    Var = "var_declaration",
    VarSpec = "var_spec",
    VarSpecList = "var_spec_list",
    VariadicArgument = "variadic_argument",
    VariadicParameter = "variadic_parameter_declaration",
    // Signs that tell alternatives apart.
    SignAmp = "&",
    SignArrow = "<-",
    SignBang = "!",
    SignDefine = ":=",
    SignStar = "*",
    SignComma = ",",
    SignShiftLeft = "<<",
    SignShiftRight = ">>",
    SignEqual = "==",
    SignUnequal = "!=",
    SignLess = "<",
    SignLessEqual = "<=",
    SignMore = ">",
    SignMoreEqual = ">=",
    SignAnd = "&&",
    SignOr = "||",
    SignPipe = "|",
    SignSpread = "...",
}

impl Kind {
    /// Tells whether nodes of this kind are types as the grammar sees them.
    pub const fn is_type(self) -> bool {
        matches!(
            self,
            Self::ArrayType
                | Self::ChannelType
                | Self::FunctionType
                | Self::GenericType
                | Self::ImplicitArrayType
                | Self::InterfaceType
                | Self::MapType
                | Self::NegatedType
                | Self::ParenthesizedType
                | Self::PointerType
                | Self::QualifiedType
                | Self::SliceType
                | Self::StructType
                | Self::TypeIdentifier
        )
    }
}

fields! {
    alias, alternative, channel, condition, consequence, element, initializer, key, left, name, parameters, receiver,
    result, right, r#type, update, value,
}

pub type GoGrammar = GrammarKinds<Kind, Fields>;

/// The grammar, read once.
pub static GRAMMAR: LazyLock<GoGrammar> =
    LazyLock::new(|| GrammarKinds::new(tree::Grammar::of(Language::Go), KINDS, Fields::of));
