//! The facts of one Go file, as owned and compact values: declarations, and bodies as arenas of small nodes.
//!
//! Nothing here is resolved: names are text, as numbers of the file's own table, and code that may be a type or a value
//! stays an expression until resolution knows what the name declares. The syntax tree is gone when [`parse`] returns.
//! Reading never fails: code that does not parse is left out, or stands as [`Expr::Broken`].

mod declare;
mod expr;
mod head;
mod kind;
mod lower;
mod statement;
mod types;

pub use self::lower::parse;
use crate::ids::{ids, rows};
pub use crate::lines::LineTable;
use crate::model::Span;
pub use crate::names::{Name, Names};
use crate::run::Run;

ids! {
    /// An expression of a file.
    ExprId,
    /// A statement of a file.
    StmtId,
    /// A type as written in a file.
    TypeId,
    /// Parameters and results: an index into [`GoFacts::signatures`].
    SignatureId,
    /// An index into [`GoFacts::blocks`].
    BlockId,
}

/// A type as written. A name carries its offset in the file, because a type may be declared in a block.
#[derive(Clone, Copy, Debug)]
pub enum TypeSyntax {
    Broken,
    Name(Name, u32),
    /// `pkg.T`.
    Qualified(Name, Name),
    /// `T[A, B]`; the arguments as a run of [`GoFacts::type_lists`].
    Generic(TypeId, Run),
    Pointer(TypeId),
    /// Also of variadic parameters.
    Slice(TypeId),
    Array(TypeId),
    Map(TypeId, TypeId),
    Channel(TypeId),
    Function(SignatureId),
    /// A run of [`GoFacts::fields`].
    Struct(Run),
    /// An index into [`GoFacts::interfaces`].
    Interface(u32),
    /// `~T`.
    Tilde(TypeId),
    /// `A | B`; a run of [`GoFacts::type_lists`].
    Union(Run),
}

#[derive(Clone, Copy, Debug)]
pub struct Signature {
    /// Runs of [`GoFacts::params`].
    pub params: Run,
    pub results: Run,
}

#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub name: Option<Name>,
    pub ty: TypeId,
    pub is_variadic: bool,
}

impl Param {
    pub const fn unnamed(ty: TypeId) -> Self {
        Self {
            name: None,
            ty,
            is_variadic: false,
        }
    }
}

/// One type parameter of `[K comparable, V any]`.
#[derive(Clone, Copy, Debug)]
pub struct TypeParam {
    pub name: Name,
    pub constraint: TypeId,
}

#[derive(Clone, Copy, Debug)]
pub struct GoFieldDecl {
    pub name: Name,
    pub ty: TypeId,
    pub is_embedded: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct Interface {
    /// A run of [`GoFacts::interface_methods`].
    pub methods: Run,
    /// Embedded interfaces and unions: a run of [`GoFacts::type_lists`].
    pub embedded: Run,
}

/// A method that an interface asks for.
#[derive(Clone, Copy, Debug)]
pub struct InterfaceMethod {
    pub name: Name,
    pub name_span: Span,
    pub span: Span,
    pub signature: SignatureId,
    /// The type declaration and the function around it.
    pub in_type: Option<u32>,
    pub in_func: Option<u32>,
}

/// The operators, told apart by what they do to types.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `&x`.
    Address,
    /// `*x`.
    Deref,
    /// `<-x`.
    Receive,
    Not,
    /// `+x`, `-x`, `^x`.
    Sign,
    /// `x == y`, `x && y` …
    Compare,
    /// `x << y`, which has the type of its left side.
    Shift,
    Arithmetic,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    Int,
    Float,
    Imaginary,
    Rune,
    String,
    Bool,
    Nil,
}

#[derive(Clone, Copy, Debug)]
pub enum Expr {
    /// Does not parse, or is nested deeper than anything a person writes.
    Broken,
    Literal(Literal),
    /// A name, and the offset where it begins.
    Name(Name, u32),
    /// `operand.name`, with the offset of the name: a field, a method, or a declaration of a package.
    Selector(ExprId, Name, u32),
    /// An index into [`GoFacts::calls`].
    Call(u32),
    /// `x[i]`, `f[T]`, `T[A, B]`: a run of [`GoFacts::expr_lists`].
    Index(ExprId, Run),
    /// `x[a:b]`: a run of [`GoFacts::expr_lists`].
    Slice(ExprId, Run),
    /// `x.(T)`.
    Assert(ExprId, TypeId),
    Unary(Op, ExprId),
    Binary(Op, ExprId, ExprId),
    /// An index into [`GoFacts::composites`].
    Composite(u32),
    /// An index into [`GoFacts::literals`].
    Function(u32),
    /// A type that cannot be anything else: `[]byte`, `map[K]V`, `*pkg.T` …
    Type(TypeId),
}

#[derive(Clone, Copy, Debug)]
pub struct GoCallExpr {
    pub function: ExprId,
    /// A run of [`GoFacts::expr_lists`].
    pub args: Run,
    pub span: Span,
    /// `f(xs...)`.
    pub is_spread: bool,
}

/// `T{…}`; inside another literal, the type may be left out.
#[derive(Clone, Copy, Debug)]
pub struct Composite {
    pub ty: Option<ExprId>,
    /// A run of [`GoFacts::items`].
    pub items: Run,
}

#[derive(Clone, Copy, Debug)]
pub struct CompositeItem {
    pub key: Option<ExprId>,
    pub value: ExprId,
}

/// `func(…) { … }`.
#[derive(Clone, Copy, Debug)]
pub struct FunctionLiteral {
    pub signature: SignatureId,
    pub body: BlockId,
}

/// Statements between braces, or of one case.
#[derive(Clone, Copy, Debug)]
pub struct GoBlock {
    pub span: Span,
    /// A run of [`GoFacts::stmt_lists`].
    pub stmts: Run,
}

#[derive(Clone, Copy, Debug)]
pub enum Stmt {
    /// A statement without types and calls.
    Nothing,
    Block(BlockId),
    Expr(ExprId),
    /// `a, b := x`: runs of [`GoFacts::expr_lists`].
    Define(Run, Run),
    Assign(Run, Run),
    /// `var` and `const`: a run of [`GoFacts::values`].
    Values(Run),
    /// `go f()`, `defer f()`.
    Later(ExprId),
    Send(ExprId, ExprId),
    Return(Run),
    Labeled(StmtId),
    /// Indices into [`GoFacts::ifs`], [`GoFacts::fors`], [`GoFacts::ranges`] and [`GoFacts::switches`].
    If(u32),
    For(u32),
    Range(u32),
    Switch(u32),
}

#[derive(Clone, Copy, Debug)]
pub struct If {
    pub init: Option<StmtId>,
    pub condition: ExprId,
    pub then: BlockId,
    pub otherwise: Option<StmtId>,
}

#[derive(Clone, Copy, Debug)]
pub struct For {
    pub init: Option<StmtId>,
    pub condition: Option<ExprId>,
    pub update: Option<StmtId>,
    pub body: BlockId,
}

#[derive(Clone, Copy, Debug)]
pub struct Range {
    /// A run of [`GoFacts::expr_lists`].
    pub left: Run,
    pub is_define: bool,
    pub over: ExprId,
    pub body: BlockId,
}

/// `switch`, the type switch, and `select`.
#[derive(Clone, Copy, Debug)]
pub struct Switch {
    pub init: Option<StmtId>,
    pub value: Option<ExprId>,
    /// `switch alias := x.(type)`.
    pub alias: Option<Name>,
    /// A run of [`GoFacts::cases`].
    pub cases: Run,
}

#[derive(Clone, Copy, Debug)]
pub struct GoCaseClause {
    /// The compared values: a run of [`GoFacts::expr_lists`].
    pub values: Run,
    /// The types of a case in a type switch: a run of [`GoFacts::type_lists`].
    pub types: Run,
    /// The statement that sends or receives in a `select`.
    pub communication: Option<StmtId>,
    pub body: BlockId,
}

/// One `a, b T = x, y` of `var` or `const`.
#[derive(Clone, Copy, Debug)]
pub struct GoValueSpec {
    /// A run of [`GoFacts::value_names`].
    pub names: Run,
    pub ty: Option<TypeId>,
    /// A run of [`GoFacts::expr_lists`]; a constant without values repeats those of the one before.
    pub exprs: Run,
    pub is_const: bool,
    /// Whether the expressions are written here and not repeated from the constant before.
    pub is_written: bool,
}

#[derive(Clone, Debug)]
pub struct FuncDecl {
    pub name: Name,
    pub name_span: Span,
    pub span: Span,
    pub receiver: Option<Param>,
    /// A run of [`GoFacts::type_params`].
    pub type_params: Run,
    pub signature: SignatureId,
    pub body: Option<BlockId>,
    /// The header's bytes in [`GoFacts::headers`].
    pub header: Run,
}

#[derive(Clone, Debug)]
pub struct TypeDecl {
    pub name: Name,
    pub name_span: Span,
    pub type_params: Run,
    pub ty: TypeId,
    pub is_alias: bool,
    /// The function around a local type, and where the block around it ends.
    pub in_func: Option<u32>,
    pub scope_end: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportName {
    /// The name that the package gives itself.
    Own,
    Alias(Name),
    Dot,
    /// `_`: imported only for its initialisation.
    Blank,
}

#[derive(Clone, Copy, Debug)]
pub struct GoImport {
    pub path: Name,
    pub name: ImportName,
}

/// All facts of one file.
#[derive(Debug, Default)]
pub struct GoFacts {
    pub path: Box<str>,
    pub lines: LineTable,
    pub names: Names,
    pub package: Option<Name>,
    /// Whether the file is built on Linux, amd64 and with cgo.
    pub is_built: bool,
    /// `// Code generated … DO NOT EDIT.`
    pub is_generated: bool,
    pub imports: Vec<GoImport>,
    pub funcs: Vec<FuncDecl>,
    pub types: Vec<TypeDecl>,
    /// Indices into [`GoFacts::values`]: `var` and `const` at the top level.
    pub package_values: Vec<u32>,
    pub values: Vec<GoValueSpec>,
    pub value_names: Vec<(Name, Span)>,
    pub type_params: Vec<TypeParam>,
    pub signatures: Vec<Signature>,
    pub params: Vec<Param>,
    pub fields: Vec<GoFieldDecl>,
    pub interfaces: Vec<Interface>,
    pub interface_methods: Vec<InterfaceMethod>,
    pub type_syntax: Vec<TypeSyntax>,
    pub type_lists: Vec<TypeId>,
    pub exprs: Vec<Expr>,
    pub expr_lists: Vec<ExprId>,
    pub calls: Vec<GoCallExpr>,
    pub composites: Vec<Composite>,
    pub items: Vec<CompositeItem>,
    pub literals: Vec<FunctionLiteral>,
    pub stmts: Vec<Stmt>,
    pub stmt_spans: Vec<Span>,
    pub stmt_lists: Vec<StmtId>,
    pub blocks: Vec<GoBlock>,
    pub ifs: Vec<If>,
    pub fors: Vec<For>,
    pub ranges: Vec<Range>,
    pub switches: Vec<Switch>,
    pub cases: Vec<GoCaseClause>,
    pub headers: String,
}

impl GoFacts {
    rows! {
        copied expr(ExprId) -> Expr = exprs,
            stmt(StmtId) -> Stmt = stmts,
            type_syntax(TypeId) -> TypeSyntax = type_syntax,
            signature(SignatureId) -> Signature = signatures;
        lent block(BlockId) -> GoBlock = blocks;
    }

    pub fn name(&self, name: Name) -> &str {
        self.names.get(name)
    }

    pub fn exprs(&self, run: Run) -> &[ExprId] {
        &self.expr_lists[run.range()]
    }

    pub fn types(&self, run: Run) -> &[TypeId] {
        &self.type_lists[run.range()]
    }

    /// Lists the statements of a block.
    pub fn stmts_of(&self, id: BlockId) -> &[StmtId] {
        &self.stmt_lists[self.block(id).stmts.range()]
    }

    /// Lists the spans of a block's statements.
    pub fn spans_of(&self, id: BlockId) -> Vec<Span> {
        let stmts = self.stmts_of(id).iter();
        stmts.map(|stmt| self.stmt_spans[stmt.index()]).collect()
    }
}
