//! The facts of one C# file, as owned and compact values: declarations, and bodies as arenas of small nodes.
//!
//! Nothing here is resolved: types are syntax, names are text (as numbers of the file's own table). Everything later
//! reads these arenas; the syntax tree is gone when [`parse`] returns. Reading never fails: code that does not parse is
//! left out, or stands as [`Expr::Broken`].

mod declare;
mod expr;
mod extension;
mod header;
mod kind;
mod lower;
mod member;
mod node;
mod pattern;
mod query;
mod statement;

pub use crate::ids::Ids;
use crate::ids::{ids, rows};
use crate::run::Run;

pub use self::lower::{parse, parse_library};
pub use self::node::*;
use crate::lines::LineTable;
use crate::model::Span;
pub use crate::names::{Name, Names};

ids! {
    /// An expression of a file.
    ExprId,
    /// A statement of a file.
    StmtId,
    /// A type as written in a file.
    TypeRef,
    /// A pattern of a file.
    PatternId,
}

/// A type as it is written.
#[derive(Clone, Copy, Debug)]
pub enum TypeSyntax {
    Broken,
    /// `var`, or the type that a lambda's parameter leaves out.
    Var,
    /// `int`, `string`, `void`.
    Predefined(Name),
    Named {
        /// The type or namespace before the dot.
        outer: Option<TypeRef>,
        name: Name,
        args: Ids<TypeRef>,
        /// Whether `global::` stands before it.
        is_global: bool,
    },
    Array(TypeRef, u8),
    Nullable(TypeRef),
    Pointer(TypeRef),
    /// Elements are [`CSharpFacts::elements`].
    Tuple(Run),
}

/// One element of a tuple type.
#[derive(Clone, Copy, Debug)]
pub struct TupleElement {
    pub name: Name,
    pub ty: TypeRef,
}

/// A namespace's part in a file; the first is the file itself.
#[derive(Clone, Debug, Default)]
pub struct ScopeDecl {
    pub parent: Option<u32>,
    /// The full name; empty for the file.
    pub namespace: Name,
    pub usings: Vec<Using>,
}

#[derive(Clone, Copy, Debug)]
pub struct Using {
    pub kind: UsingKind,
    pub is_global: bool,
    pub ty: TypeRef,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UsingKind {
    Namespace,
    Static,
    Alias(Name),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TypeKind {
    #[default]
    Class,
    Struct,
    Record,
    RecordStruct,
    Interface,
    Enum,
    Delegate,
}

impl TypeKind {
    pub const fn is_value(self) -> bool {
        matches!(self, Self::Struct | Self::RecordStruct | Self::Enum)
    }

    pub const fn is_record(self) -> bool {
        matches!(self, Self::Record | Self::RecordStruct)
    }
}

/// Bits of a declaration.
pub mod flag {
    pub const PUBLIC: u32 = 1;
    pub const PRIVATE: u32 = 1 << 1;
    pub const PROTECTED: u32 = 1 << 2;
    pub const INTERNAL: u32 = 1 << 3;
    pub const STATIC: u32 = 1 << 4;
    pub const ABSTRACT: u32 = 1 << 5;
    pub const VIRTUAL: u32 = 1 << 6;
    pub const OVERRIDE: u32 = 1 << 7;
    pub const SEALED: u32 = 1 << 8;
    pub const PARTIAL: u32 = 1 << 9;
    pub const ASYNC: u32 = 1 << 10;
    pub const NEW: u32 = 1 << 11;
    pub const READONLY: u32 = 1 << 12;
    /// `this` before the first parameter.
    pub const EXTENSION: u32 = 1 << 13;
    /// A property or indexer whose `get` has a body.
    pub const GETTER_BODY: u32 = 1 << 14;
    /// A property or indexer with at least one accessor that has a body.
    pub const ACCESSOR_BODY: u32 = 1 << 15;
    /// The last parameter takes any number of arguments.
    pub const PARAMS: u32 = 1 << 16;
    pub const CONST: u32 = 1 << 17;
    pub const FILE: u32 = 1 << 18;
    /// A type with a list of parameters behind its name.
    pub const PRIMARY: u32 = 1 << 19;
}

/// A type parameter.
#[derive(Clone, Copy, Debug)]
pub struct TypeVar {
    pub name: Name,
    pub bounds: Ids<TypeRef>,
    /// Whether it is constrained to `struct`, `unmanaged` or an enum.
    pub is_value: bool,
}

#[derive(Clone, Debug, Default)]
pub struct TypeDecl {
    pub kind: TypeKind,
    pub name: Name,
    pub name_span: Span,
    pub scope: u32,
    pub outer: Option<u32>,
    pub flags: u32,
    /// Of [`CSharpFacts::vars`].
    pub vars: Run,
    pub bases: Ids<TypeRef>,
    /// Arguments for the base class's constructor.
    pub base_args: Option<(Run, Span)>,
    /// Those of a delegate or a primary constructor, of [`CSharpFacts::params`].
    pub params: Run,
    /// The return type of a delegate.
    pub result: Option<TypeRef>,
    pub attributes: Run,
}

/// The way in which a parameter or an argument is passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum ParameterPassing {
    #[default]
    Value,
    Ref,
    Out,
    In,
}

#[derive(Clone, Copy, Debug)]
pub struct ParamDecl {
    pub name: Name,
    pub ty: TypeRef,
    /// The type as written, with the modifiers before it except `this`.
    pub text: Name,
    pub passing: ParameterPassing,
    pub is_optional: bool,
    pub is_params: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemberKind {
    #[default]
    Method,
    Constructor,
    Destructor,
    Property,
    Indexer,
    Operator,
    /// A conversion that is applied where the type is wanted.
    Implicit,
    Explicit,
    Field,
    Event,
    EnumMember,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Body {
    #[default]
    None,
    Block(StmtId),
    Expr(ExprId),
}

#[derive(Clone, Debug, Default)]
pub struct MemberDecl {
    pub kind: MemberKind,
    /// The simple name; `+` of an operator.
    pub name: Name,
    pub name_span: Span,
    pub span: Span,
    pub owner: u32,
    pub flags: u32,
    pub vars: Run,
    pub params: Run,
    /// Absent for constructors and enum members.
    pub ty: Option<TypeRef>,
    /// The interface of an explicit implementation, and its text.
    pub explicit: Option<(TypeRef, Name)>,
    pub attributes: Run,
    pub body: Body,
    /// The body of `set`, `init`, `remove`.
    pub setter: Body,
    pub body_span: Option<Span>,
    /// The first value of a field or a property.
    pub init: Option<ExprId>,
    /// `: this(…)` or `: base(…)`.
    pub delegation: Option<Delegation>,
    /// The body's top-level statements, of [`CSharpFacts::statements`].
    pub statements: Run,
    /// Bodies in the body, of [`CSharpFacts::blocks`].
    pub blocks: Run,
    /// Expressions and variables of the body.
    pub exprs: Run,
    pub locals: Run,
    /// Functions in the body.
    pub functions: Run,
    pub signature: Name,
}

#[derive(Clone, Copy, Debug)]
pub struct Delegation {
    pub is_base: bool,
    pub args: Run,
    pub word: Span,
    pub span: Span,
}

/// A body inside a body, in the order of the text.
#[derive(Clone, Copy, Debug)]
pub struct BlockDecl {
    pub span: Span,
    pub statements: Run,
    pub is_function: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct AttributeDecl {
    pub ty: TypeRef,
    /// Of [`CSharpFacts::args`].
    pub args: Run,
    /// The first argument as written.
    pub text: Name,
}

#[derive(Debug, Default)]
pub struct CSharpFacts {
    pub path: Box<str>,
    pub names: Names,
    pub lines: LineTable,
    pub is_generated: bool,
    pub scopes: Vec<ScopeDecl>,
    pub types: Vec<TypeDecl>,
    pub members: Vec<MemberDecl>,
    pub params: Vec<ParamDecl>,
    pub vars: Vec<TypeVar>,
    pub attributes: Vec<AttributeDecl>,
    pub args: Vec<Arg>,
    pub exprs: Vec<Expr>,
    pub spans: Vec<Span>,
    pub stmts: Vec<Stmt>,
    pub stmt_spans: Vec<Span>,
    pub patterns: Vec<Pattern>,
    pub recursives: Vec<RecursivePattern>,
    pub subpatterns: Vec<Subpattern>,
    pub type_refs: Vec<TypeSyntax>,
    pub elements: Vec<TupleElement>,
    pub lists: Vec<u32>,
    pub lambdas: Vec<Lambda>,
    pub switches: Vec<SwitchExpr>,
    pub arms: Vec<Arm>,
    pub queries: Vec<Vec<Clause>>,
    pub locals: Vec<LocalDecl>,
    pub functions: Vec<Function>,
    pub fors: Vec<For>,
    pub foreachs: Vec<ForEach>,
    pub tries: Vec<Try>,
    pub catches: Vec<Catch>,
    pub sections: Vec<SwitchSection>,
    pub statements: Vec<Span>,
    pub blocks: Vec<BlockDecl>,
}

impl CSharpFacts {
    rows! {
        copied expr(ExprId) -> Expr = exprs,
            span(ExprId) -> Span = spans,
            stmt(StmtId) -> Stmt = stmts,
            pattern(PatternId) -> Pattern = patterns,
            type_syntax(TypeRef) -> TypeSyntax = type_refs;
    }

    pub fn ids<T: From<u32>>(&self, ids: Ids<T>) -> impl ExactSizeIterator<Item = T> + '_ {
        let start = ids.start as usize;
        self.lists[start..start + ids.len()]
            .iter()
            .map(|&id| T::from(id))
    }

    pub fn args(&self, run: Run) -> &[Arg] {
        &self.args[run.range()]
    }

    pub fn word(&self, name: Name) -> &str {
        self.names.get(name)
    }
}
