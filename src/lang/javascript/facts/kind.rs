//! The grammars' node kinds as a small enum, and the fields as numbers, for JavaScript, TypeScript and TSX alike.

use std::sync::LazyLock;

use crate::model::Language;
use crate::syntax::kind::GrammarKinds;
use crate::syntax::{kinds, tree};

kinds! {
    AbstractClass = "abstract_class_declaration",
    AbstractMethod = "abstract_method_signature",
    Accessibility = "accessibility_modifier",
    Alias = "type_alias_declaration",
    Ambient = "ambient_declaration",
    Arguments = "arguments",
    Array = "array",
    ArrayPattern = "array_pattern",
    ArrayType = "array_type",
    Arrow = "arrow_function",
    As = "as_expression",
    Assignment = "assignment_expression",
    AssignmentPattern = "assignment_pattern",
    Augmented = "augmented_assignment_expression",
    Await = "await_expression",
    Binary = "binary_expression",
    Block = "statement_block",
    Call = "call_expression",
    CallSignature = "call_signature",
    CatchClause = "catch_clause",
    Class = "class",
    ClassBody = "class_body",
    ClassDeclaration = "class_declaration",
    ClassHeritage = "class_heritage",
    Comment = "comment",
    Computed = "computed_property_name",
    ConditionalType = "conditional_type",
    Constraint = "constraint",
    ConstructSignature = "construct_signature",
    Constructor = "constructor_type",
    Decorator = "decorator",
    Enum = "enum_declaration",
    EnumAssignment = "enum_assignment",
    Error = "ERROR",
    ExportClause = "export_clause",
    ExportSpecifier = "export_specifier",
    ExportStatement = "export_statement",
    ExpressionStatement = "expression_statement",
    ExtendsClause = "extends_clause",
    ExtendsType = "extends_type_clause",
    False = "false",
    Field = "field_definition",
    ForIn = "for_in_statement",
    Function = "function_declaration",
    For = "for_statement",
    FunctionExpression = "function_expression",
    FunctionSignature = "function_signature",
    FunctionType = "function_type",
    Generator = "generator_function_declaration",
    GeneratorExpression = "generator_function",
    GenericType = "generic_type",
    HashBang = "hash_bang_line",
    Identifier = "identifier",
    If = "if_statement",
    Implements = "implements_clause",
    ImportClause = "import_clause",
    ImportRequire = "import_require_clause",
    ImportSpecifier = "import_specifier",
    ImportStatement = "import_statement",
    ImportWord = "import",
    Instantiation = "instantiation_expression",
    Interface = "interface_declaration",
    InternalModule = "internal_module",
    IntersectionType = "intersection_type",
    JsxAttribute = "jsx_attribute",
    JsxElement = "jsx_element",
    JsxExpression = "jsx_expression",
    JsxOpening = "jsx_opening_element",
    JsxSelfClosing = "jsx_self_closing_element",
    LexicalDeclaration = "lexical_declaration",
    LiteralType = "literal_type",
    Member = "member_expression",
    MethodDefinition = "method_definition",
    MethodSignature = "method_signature",
    Module = "module",
    NamedImports = "named_imports",
    NamespaceExport = "namespace_export",
    NamespaceImport = "namespace_import",
    NestedIdentifier = "nested_identifier",
    NestedTypeIdentifier = "nested_type_identifier",
    New = "new_expression",
    NonNull = "non_null_expression",
    Null = "null",
    Number = "number",
    Object = "object",
    ObjectAssignmentPattern = "object_assignment_pattern",
    ObjectPattern = "object_pattern",
    ObjectType = "object_type",
    OptionalParameter = "optional_parameter",
    Pair = "pair",
    PairPattern = "pair_pattern",
    Parenthesized = "parenthesized_expression",
    ParenthesizedType = "parenthesized_type",
    PredefinedType = "predefined_type",
    PrivateProperty = "private_property_identifier",
    Program = "program",
    PropertyIdentifier = "property_identifier",
    PropertySignature = "property_signature",
    PublicField = "public_field_definition",
    ReadonlyType = "readonly_type",
    Regex = "regex",
    RequiredParameter = "required_parameter",
    RestPattern = "rest_pattern",
    Return = "return_statement",
    Satisfies = "satisfies_expression",
    Sequence = "sequence_expression",
    Shorthand = "shorthand_property_identifier",
    ShorthandPattern = "shorthand_property_identifier_pattern",
    Spread = "spread_element",
    StaticBlock = "class_static_block",
    String = "string",
    Subscript = "subscript_expression",
    Super = "super",
    SwitchBody = "switch_body",
    Template = "template_string",
    TemplateSubstitution = "template_substitution",
    Ternary = "ternary_expression",
    This = "this",
    ThisType = "this_type",
    True = "true",
    TupleType = "tuple_type",
    TypeAnnotation = "type_annotation",
    TypeArguments = "type_arguments",
    TypeIdentifier = "type_identifier",
    TypeParameter = "type_parameter",
    TypeParameters = "type_parameters",
    TypeQuery = "type_query",
    Unary = "unary_expression",
    Undefined = "undefined",
    UnionType = "union_type",
    Update = "update_expression",
    VariableDeclaration = "variable_declaration",
    VariableDeclarator = "variable_declarator",
    While = "while_statement",
    Yield = "yield_expression",
    // Words and signs that tell alternatives apart.
    WordInstanceof = "instanceof",
    WordAsync = "async",
    WordConst = "const",
    WordDefault = "default",
    WordExport = "export",
    WordGet = "get",
    WordLet = "let",
    WordOf = "of",
    WordSet = "set",
    WordStatic = "static",
    WordType = "type",
    WordTypeof = "typeof",
    WordVar = "var",
    SignAnd = "&&",
    SignAndAssign = "&&=",
    SignAssign = "=",
    SignStar = "*",
    SignOr = "||",
    SignOrAssign = "||=",
    SignNullish = "??",
    SignNullishAssign = "??=",
}

impl Kind {
    /// Tells whether nodes of this kind are expressions that make a function.
    pub const fn is_function(self) -> bool {
        matches!(
            self,
            Self::Arrow | Self::FunctionExpression | Self::GeneratorExpression
        )
    }

    pub const fn is_class(self) -> bool {
        matches!(
            self,
            Self::Class | Self::ClassDeclaration | Self::AbstractClass
        )
    }
}

macro_rules! fields {
    ($($name:ident),* $(,)?) => {
        /// The fields that are asked about; all others are `Other`.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[expect(non_camel_case_types, reason = "the names of the grammar")]
        pub enum Field {
            $($name,)*
            Other,
        }

        fn field_of(name: &str) -> Field {
            match name {
                $(stringify!($name) => Field::$name,)*
                _ => Field::Other,
            }
        }
    };
}

fields! {
    alias, alternative, argument, arguments, body, condition, consequence, constructor, declaration, decorator, function,
    handler, finalizer, index, initializer, increment, kind, left, module, name, object, operator, parameter, parameters,
    pattern, property, return_type, right, source, type_arguments, type_parameters, value, key, member, attribute,
    open_tag, constraint, close_tag,
}

/// The fields of one grammar by number.
pub struct Fields {
    of: Vec<Field>,
    /// The field `type`, whose name is a keyword of Rust.
    type_field: tree::NodeField,
}

impl Fields {
    fn of(tree: &tree::Grammar) -> Self {
        let fields = (0..tree.n_fields() as u16).map(tree::NodeField);
        Self {
            of: fields
                .map(|field| field_of(tree.field_name(field)))
                .collect(),
            type_field: tree.field("type"),
        }
    }

    /// Returns the field and whether it is `type`.
    pub fn get(&self, field: tree::NodeField) -> (Field, bool) {
        let is_type = field != tree::NodeField::NONE && field == self.type_field;
        (self.of[usize::from(field.0)], is_type)
    }
}

pub type JavaScriptGrammar = GrammarKinds<Kind, Fields>;

fn grammar(tree: &'static tree::Grammar) -> JavaScriptGrammar {
    GrammarKinds::new(tree, KINDS, Fields::of)
}

/// The three grammars.
pub static JAVASCRIPT: LazyLock<JavaScriptGrammar> =
    LazyLock::new(|| grammar(tree::Grammar::of(Language::JavaScript)));
pub static TYPESCRIPT: LazyLock<JavaScriptGrammar> =
    LazyLock::new(|| grammar(tree::Grammar::typescript(false)));
pub static TSX: LazyLock<JavaScriptGrammar> =
    LazyLock::new(|| grammar(tree::Grammar::typescript(true)));
