//! The nodes of bodies: expressions, patterns, statements.

use super::{Body, ExprId, Ids, Name, ParameterPassing, PatternId, StmtId, TypeRef};
use crate::model::Span;
use crate::run::Run;

/// An argument of a call, or an element of a construct that is written like one.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    pub name: Name,
    pub passing: ParameterPassing,
    pub value: ExprId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    Null,
    Bool,
    Char,
    /// An integer that fits `int`, with its value.
    Int(i32),
    Uint,
    Long,
    Ulong,
    Float,
    Double,
    Decimal,
    String,
    Utf8,
}

/// An expression; its span is in `CSharpFacts::spans`.
#[derive(Clone, Copy, Debug)]
pub enum Expr {
    Broken,
    Literal(Literal),
    This,
    Base,
    Name(Name, Ids<TypeRef>),
    /// A name that can only be a type, as `int` or `global::A`.
    Type(TypeRef),
    /// `object.name`, and `object?.name`.
    Member(MemberAccess),
    Call(ExprId, Run),
    Index {
        object: ExprId,
        args: Run,
        at: u32,
        is_conditional: bool,
    },
    New {
        ty: TypeRef,
        args: Run,
        init: Option<ExprId>,
        at: Span,
    },
    /// `new(…)`.
    NewTarget(Run, Option<ExprId>),
    NewArray {
        ty: TypeRef,
        sizes: Ids<ExprId>,
        init: Option<ExprId>,
    },
    /// `new[] { … }`, with its rank.
    NewImplicitArray(ExprId, u8),
    NewAnonymous(Run),
    /// `{ a = 1, b }` behind `new`.
    Initializer(Ids<ExprId>),
    Collection(Ids<ExprId>),
    Spread(ExprId),
    Assign(Operator, ExprId, ExprId),
    Binary(Operator, ExprId, ExprId),
    Prefix(Operator, ExprId),
    Postfix(Operator, ExprId),
    Cast(TypeRef, ExprId),
    As(ExprId, TypeRef),
    Is(ExprId, PatternId),
    Conditional(ExprId, ExprId, ExprId),
    /// Of `CSharpFacts::lambdas`.
    Lambda(u32),
    Await(ExprId),
    Throw(ExprId),
    /// An expression with the same value as its part: `checked(x)`, `ref x`, `x!`.
    Same(ExprId),
    /// `(a, b)`, of `CSharpFacts::args`.
    Tuple(Run),
    Default(Option<TypeRef>),
    Typeof,
    Sizeof,
    Interpolated(Ids<ExprId>),
    With(ExprId, Run),
    Switch(u32),
    Range(Option<ExprId>, Option<ExprId>),
    Query(u32),
    /// `out var x`, `var (a, b)`.
    Declaration(TypeRef, PatternId),
}

/// The object before a dot, and the name behind it.
#[derive(Clone, Copy, Debug)]
pub struct MemberAccess {
    pub object: ExprId,
    pub name: Name,
    pub args: Ids<TypeRef>,
    pub at: u32,
    pub is_conditional: bool,
}

/// An operator with its sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Operator {
    pub sign: Name,
    pub at: u32,
}

#[derive(Clone, Copy, Debug)]
pub enum Pattern {
    Discard,
    Constant(ExprId),
    /// A type alone, which declares nothing.
    Type,
    /// A name that holds the matched value, and the type that it must have.
    Variable(Option<TypeRef>, Name),
    /// `(a, b)` of names.
    Names(Ids<PatternId>),
    Recursive(u32),
    Not(PatternId),
    Either(PatternId, PatternId),
    Relational(ExprId),
    List(Ids<PatternId>, Name),
}

#[derive(Clone, Copy, Debug)]
pub struct RecursivePattern {
    pub ty: Option<TypeRef>,
    /// Of `CSharpFacts::subpatterns`.
    pub parts: Run,
    pub name: Name,
}

#[derive(Clone, Copy, Debug)]
pub struct Subpattern {
    /// `A.B` of `{ A.B: 1 }`; absent for a positional one.
    pub path: Option<ExprId>,
    pub pattern: PatternId,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct Lambda {
    /// Of `CSharpFacts::params`; a type that is left out is `TypeSyntax::Var`.
    pub params: Run,
    /// Whether it has a list of parameters at all: `delegate { }` has none.
    pub has_params: bool,
    pub is_async: bool,
    pub result: Option<TypeRef>,
    pub body: Body,
}

#[derive(Clone, Copy, Debug)]
pub struct SwitchExpr {
    pub value: ExprId,
    /// Of `CSharpFacts::arms`.
    pub arms: Run,
}

#[derive(Clone, Copy, Debug)]
pub struct Arm {
    pub pattern: PatternId,
    pub when: Option<ExprId>,
    pub value: ExprId,
}

/// One clause of a query, in the order in which they are written.
#[derive(Clone, Copy, Debug)]
pub enum Clause {
    From(Option<TypeRef>, Name, ExprId),
    Join {
        name: Name,
        source: ExprId,
        outer: ExprId,
        inner: ExprId,
        into: Name,
    },
    Let(Name, ExprId),
    Where(ExprId),
    OrderBy(Ids<ExprId>),
    Select(ExprId),
    Group(ExprId, ExprId),
    Into(Name),
}

/// A variable that a statement declares.
#[derive(Clone, Copy, Debug)]
pub struct LocalDecl {
    pub ty: TypeRef,
    /// A name, or names in brackets.
    pub target: PatternId,
    pub init: Option<ExprId>,
}

#[derive(Clone, Copy, Debug)]
pub enum Stmt {
    Nothing,
    Block(Ids<StmtId>),
    Expr(ExprId),
    /// Of `CSharpFacts::locals`; the place of `using`.
    Local(Run, Option<UsingAt>),
    /// Of `CSharpFacts::functions`.
    Function(u32),
    If(ExprId, StmtId, Option<StmtId>),
    While(ExprId, StmtId),
    Do(StmtId, ExprId),
    /// Of `CSharpFacts::fors`.
    For(u32),
    /// Of `CSharpFacts::foreachs`.
    ForEach(u32),
    Return(Option<ExprId>),
    /// Also `yield return`.
    Yield(ExprId),
    Throw(Option<ExprId>),
    /// Of `CSharpFacts::tries`.
    Try(u32),
    /// A resource that is declared, or is an expression, and the body.
    Using(UsingAt, UsingHead, StmtId),
    Lock(ExprId, StmtId),
    /// Sections of `CSharpFacts::sections`.
    Switch(ExprId, Run),
}

/// The word `using`, at the end of whose block `Dispose` is called.
#[derive(Clone, Copy, Debug)]
pub struct UsingAt {
    pub at: u32,
    pub is_async: bool,
}

#[derive(Clone, Copy, Debug)]
pub enum UsingHead {
    Locals(Run),
    Expr(ExprId),
}

#[derive(Clone, Copy, Debug)]
pub struct For {
    pub init: Ids<StmtId>,
    pub condition: Option<ExprId>,
    pub update: Ids<ExprId>,
    pub body: StmtId,
}

#[derive(Clone, Copy, Debug)]
pub struct ForEach {
    pub ty: TypeRef,
    pub target: PatternId,
    pub right: ExprId,
    pub body: StmtId,
}

#[derive(Clone, Copy, Debug)]
pub struct Try {
    pub body: StmtId,
    /// Of `CSharpFacts::catches`.
    pub catches: Run,
    pub finally: Option<StmtId>,
}

#[derive(Clone, Copy, Debug)]
pub struct Catch {
    pub ty: Option<TypeRef>,
    pub name: Name,
    pub filter: Option<ExprId>,
    pub body: StmtId,
}

#[derive(Clone, Copy, Debug)]
pub struct SwitchSection {
    pub patterns: Ids<PatternId>,
    pub whens: Ids<ExprId>,
    pub body: Ids<StmtId>,
}

/// A function in a body.
#[derive(Clone, Copy, Debug)]
pub struct Function {
    pub name: Name,
    pub vars: Run,
    pub params: Run,
    pub result: TypeRef,
    pub is_async: bool,
    pub body: Body,
}
