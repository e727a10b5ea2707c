//! The facts of one Java file, as owned and compact values: declarations, and bodies as arenas of small nodes.
//!
//! Nothing here is resolved: types are syntax, names are text (as numbers of the file's own table). Everything later
//! reads these arenas; the syntax tree is gone when [`parse`] returns. Reading never fails: code that does not parse is
//! left out, or stands as [`Expr::Broken`] so that calls around it still say why they are unknown.

mod annotation;
mod body;
mod declare;
mod kind;

mod lower;
mod parts;
mod statement;
mod syntax;

pub use crate::ids::Ids;
use crate::ids::{ids, rows};
use crate::run::Run;

pub use self::annotation::AnnotationValues;
pub use self::lower::{parse, parse_only};
pub use crate::lines::LineTable;
use crate::model::Span;
pub use crate::names::{Name, Names};
use crate::syntax::java::prim::Prim;

ids! {
    from one:
    /// An expression of a file.
    ExprId,
    /// A statement of a file.
    StmtId,
    /// A type as written in a file.
    TypeId,
    /// A pattern of a file.
    PatternId,
}

ids! {
    /// A number of [`JavaFacts::sites`].
    SiteId,
}

/// A type as written.
#[derive(Clone, Copy, Debug)]
pub enum TypeSyntax {
    Broken,
    Void,
    Prim(Prim),
    /// `outer.name<args>`; a package before the first class is also a chain of outer names.
    Named {
        name: Name,
        args: Ids<TypeId>,
        outer: Option<TypeId>,
    },
    /// `outer.name<>`.
    Diamond {
        name: Name,
        outer: Option<TypeId>,
    },
    Array(TypeId),
    Wild,
    WildExtends(TypeId),
    WildSuper(TypeId),
    /// `A & B` of a cast.
    Intersection(Ids<TypeId>),
    /// `A | B` of a catch clause.
    Union(Ids<TypeId>),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Op {
    /// `+`, which may also join strings.
    Add,
    /// `-`, `*`, `/`, `%`.
    Arithmetic,
    /// `&`, `|`, `^`.
    Bits,
    /// `<<`, `>>`, `>>>`.
    Shift,
    /// Comparisons, `&&` and `||` apart.
    Compare,
    And,
    Or,
    Not,
    /// Unary `+`, `-`, `~`, and `++`, `--`.
    Sign,
}

#[derive(Clone, Copy, Debug)]
pub enum Expr {
    /// Does not parse.
    Broken,
    /// Nested deeper than anything a person writes.
    TooDeep,
    Literal(Literal),
    Name(Name),
    This,
    Super,
    /// `Outer.this`.
    OuterThis(ExprId),
    /// `object.name`: a field, or a member of a package or class.
    Field(ExprId, Name),
    /// A method call, object creation, constructor delegation or method reference.
    Site(SiteId),
    /// A number of [`JavaFacts::lambdas`].
    Lambda(u32),
    Index(ExprId, ExprId),
    /// The array's whole type; sizes and initialiser as parts.
    NewArray(TypeId, Ids<ExprId>),
    ArrayInit(Ids<ExprId>),
    Cast(TypeId, ExprId),
    Instanceof(ExprId, PatternId),
    Conditional(ExprId, ExprId, ExprId),
    Binary(Op, ExprId, ExprId),
    Unary(Op, ExprId),
    /// The value has the type of the left side.
    Assign(ExprId, ExprId),
    /// A number of [`JavaFacts::switches`].
    Switch(u32),
    ClassLiteral(TypeId),
    /// A string template; its processor.
    Template(ExprId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    Prim(Prim),
    String,
    Null,
}

#[derive(Clone, Copy, Debug)]
pub enum Stmt {
    /// `;`, `break`, `continue`.
    Nothing,
    Block(Ids<StmtId>),
    /// A run of [`JavaFacts::locals`].
    Local(Run),
    /// A number of [`JavaFacts::types`].
    LocalType(u32),
    Expr(ExprId),
    /// `return`, with its value.
    Return(Option<ExprId>),
    Yield(ExprId),
    Throw(ExprId),
    If(ExprId, StmtId, Option<StmtId>),
    While(ExprId, StmtId),
    DoWhile(StmtId, ExprId),
    /// A number of [`JavaFacts::fors`].
    For(u32),
    /// A number of [`JavaFacts::locals`] (its initialiser is the walked collection), and the body.
    ForEach(u32, StmtId),
    Labeled(StmtId),
    /// A number of [`JavaFacts::tries`].
    Try(u32),
    Synchronized(ExprId, StmtId),
    /// `assert a : b`.
    Assert(Ids<ExprId>),
}

#[derive(Clone, Copy, Debug)]
pub enum Pattern {
    /// `_`, or something that does not parse.
    Any,
    /// `T` or `T name`.
    Type(TypeId, Option<Name>),
    /// `T(…)`.
    Record(TypeId, Ids<PatternId>),
}

/// A local variable, a parameter, or a record's component. A missing type is to be inferred (a lambda's parameter).
#[derive(Clone, Copy, Debug)]
pub struct Variable {
    pub name: Name,
    pub ty: Option<TypeId>,
    pub init: Option<ExprId>,
}

#[derive(Clone, Copy, Debug)]
pub struct Lambda {
    /// A run of [`JavaFacts::locals`].
    pub params: Run,
    pub body: LambdaBody,
}

#[derive(Clone, Copy, Debug)]
pub enum LambdaBody {
    Expr(ExprId),
    Block(StmtId),
}

#[derive(Clone, Copy, Debug)]
pub struct Switch {
    pub value: ExprId,
    /// A run of [`JavaFacts::cases`].
    pub cases: Run,
}

#[derive(Clone, Copy, Debug)]
pub struct JavaSwitchCase {
    pub labels: Ids<ExprId>,
    pub patterns: Ids<PatternId>,
    pub guard: Option<ExprId>,
    pub body: Ids<StmtId>,
    /// `case … ->`: an expression statement is the value.
    pub is_arrow: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct For {
    pub init: Ids<StmtId>,
    pub condition: Option<ExprId>,
    pub update: Ids<ExprId>,
    pub body: StmtId,
}

#[derive(Clone, Copy, Debug)]
pub struct Try {
    /// `Stmt::Local` or `Stmt::Expr` each.
    pub resources: Ids<StmtId>,
    pub body: StmtId,
    /// A run of [`JavaFacts::catches`].
    pub catches: Run,
    pub finally: Option<StmtId>,
}

#[derive(Clone, Copy, Debug)]
pub struct Catch {
    pub variable: Variable,
    pub body: StmtId,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SiteKind {
    #[default]
    Call,
    New,
    /// `this(…)`.
    ThisCall,
    /// `super(…)`.
    SuperCall,
    /// An enum constant's call of its constructor.
    Constant,
    Reference,
    /// `Type::new`.
    NewReference,
}

/// A place where a method or a constructor is used.
#[derive(Clone, Copy, Debug, Default)]
pub struct Site {
    pub kind: SiteKind,
    /// Whether this site is in an argument (or body) of `parent`, not in its receiver.
    pub is_argument: bool,
    /// `Outer.super.name()`: the object is the class before `super`.
    pub is_outer_super: bool,
    pub is_broken: bool,
    /// Lambdas and class bodies around the site, counted from the file's top.
    pub depth: u16,
    pub parent: Option<SiteId>,
    pub name: Name,
    pub span: Span,
    pub name_span: Span,
    pub object: Option<ExprId>,
    /// The class of a `new`, or the type before `::`.
    pub ty: Option<TypeId>,
    pub type_args: Ids<TypeId>,
    pub args: Ids<ExprId>,
    /// The class body after a `new`, as a number of [`JavaFacts::types`] plus one.
    pub body: Option<std::num::NonZeroU32>,
}

impl Site {
    /// Returns the class body after a `new`, as a number of [`JavaFacts::types`].
    pub fn body_type(&self) -> Option<u32> {
        self.body.map(|n| n.get() - 1)
    }
}

/// Bits of [`TypeDecl::flags`], [`MethodDecl::flags`] and [`FieldDecl::flags`].
pub mod flag {
    pub const PUBLIC: u16 = 1;
    pub const PROTECTED: u16 = 2;
    pub const PRIVATE: u16 = 4;
    pub const STATIC: u16 = 8;
    pub const ABSTRACT: u16 = 16;
    pub const FINAL: u16 = 32;
    pub const DEFAULT: u16 = 64;
    pub const VARARGS: u16 = 128;
    pub const ENUM_CONSTANT: u16 = 256;
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TypeKind {
    #[default]
    Class,
    Interface,
    Enum,
    Record,
    Annotation,
    /// The body after `new T(…)` or after an enum's constant.
    Anonymous,
}

/// The outermost declaration around a body: the one that is walked to know the variables at a place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Root {
    Method(u32),
    Field(u32),
    Initializer(u32),
}

#[derive(Clone, Copy, Debug)]
pub struct TypeParam {
    pub name: Name,
    pub bounds: Ids<TypeId>,
}

#[derive(Clone, Debug, Default)]
pub struct TypeDecl {
    pub kind: TypeKind,
    /// Empty for an anonymous class.
    pub name: Name,
    pub flags: u16,
    pub annotations: Run,
    pub type_params: Run,
    /// A class's `extends`; the class or interface after `new` for an anonymous one.
    pub superclass: Option<TypeId>,
    /// `implements`, or an interface's `extends`.
    pub interfaces: Ids<TypeId>,
    /// A record's components, as a run of [`JavaFacts::params`].
    pub components: Run,
    /// The type whose body holds this one.
    pub parent: Option<u32>,
    /// For local and anonymous types: the innermost method around.
    pub method: Option<u32>,
    /// Whether it is local or anonymous, or lies in such a type.
    pub is_local: bool,
    /// Whether it is declared by a statement.
    pub is_statement: bool,
    pub span: Span,
    pub name_span: Span,
    /// For a local type: where the block around it ends.
    pub scope_end: u32,
    /// Class bodies and lambdas around the type's body, as in [`Site::depth`].
    pub depth: u16,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MethodKind {
    #[default]
    Method,
    Constructor,
    /// A record's constructor without a parameter list.
    Compact,
}

#[derive(Clone, Debug, Default)]
pub struct MethodDecl {
    pub owner: u32,
    pub kind: MethodKind,
    pub name: Name,
    pub flags: u16,
    pub annotations: Run,
    pub type_params: Run,
    /// A run of [`JavaFacts::params`].
    pub params: Run,
    /// Absent for constructors.
    pub result: Option<TypeId>,
    pub span: Span,
    pub name_span: Span,
    pub body_span: Option<Span>,
    pub body: Option<StmtId>,
    /// The body's statements, as a run of [`JavaFacts::statements`].
    pub statements: Run,
    /// Every site in the body, also in the classes in it.
    pub sites: Run,
    /// The header's bytes in [`JavaFacts::headers`].
    pub header: Run,
    /// For a method of a local or anonymous class: the outermost body.
    pub root: Option<Root>,
    pub depth: u16,
}

#[derive(Clone, Debug)]
pub struct FieldDecl {
    pub owner: u32,
    pub name: Name,
    pub flags: u16,
    pub annotations: Run,
    /// The whole declaration, which may declare several.
    pub span: Span,
    /// Where the name begins.
    pub name_start: u32,
    /// Absent for an enum's constant.
    pub ty: Option<TypeId>,
    pub init: Option<ExprId>,
    pub sites: Run,
}

#[derive(Clone, Debug)]
pub struct InitializerDecl {
    pub owner: u32,
    pub body: StmtId,
    pub sites: Run,
}

#[derive(Clone, Copy, Debug)]
pub struct JavaImport {
    /// The whole dotted name, without the star.
    pub path: Name,
    pub is_static: bool,
    pub on_demand: bool,
}

/// All facts of one file.
#[derive(Debug, Default)]
pub struct JavaFacts {
    pub path: Box<str>,
    pub names: Names,
    pub lines: LineTable,
    pub package: Option<Name>,
    pub imports: Vec<JavaImport>,
    pub types: Vec<TypeDecl>,
    pub methods: Vec<MethodDecl>,
    pub fields: Vec<FieldDecl>,
    pub initializers: Vec<InitializerDecl>,
    /// Whether its opening comments mark it as written by a program.
    pub is_generated: bool,
    /// Names of annotations, as written.
    pub annotations: Vec<Name>,
    pub notes: AnnotationValues,
    pub type_params: Vec<TypeParam>,
    pub params: Vec<Variable>,
    pub statements: Vec<Span>,
    pub headers: String,
    pub type_syntax: Vec<TypeSyntax>,
    pub exprs: Vec<Expr>,
    pub stmts: Vec<Stmt>,
    pub patterns: Vec<Pattern>,
    pub sites: Vec<Site>,
    pub locals: Vec<Variable>,
    pub lambdas: Vec<Lambda>,
    pub switches: Vec<Switch>,
    pub cases: Vec<JavaSwitchCase>,
    pub fors: Vec<For>,
    pub tries: Vec<Try>,
    pub catches: Vec<Catch>,
    pub lists: Vec<u32>,
}

impl JavaFacts {
    rows! {
        copied expr(ExprId) -> Expr = exprs,
            stmt(StmtId) -> Stmt = stmts,
            type_syntax(TypeId) -> TypeSyntax = type_syntax,
            pattern(PatternId) -> Pattern = patterns;
        lent site(SiteId) -> Site = sites;
    }

    /// Returns the ids of a list, in order.
    pub fn ids<T: From<u32>>(
        &self,
        ids: Ids<T>,
    ) -> impl DoubleEndedIterator<Item = T> + ExactSizeIterator {
        self.lists[ids.start as usize..(ids.start + ids.len) as usize]
            .iter()
            .map(|&id| T::from(id))
    }
}
