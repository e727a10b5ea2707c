//! The facts of one JavaScript or TypeScript file, as owned values: expressions, scopes, functions, classes, calls.
//!
//! Nothing here is resolved beyond the file: a name knows the variable of the file that it means, and no more. Reading
//! never fails: code that does not parse is left out.

mod aliases;
mod calls;
mod classes;
mod expressions;
mod functions;
mod jsdoc;
mod kind;
mod lower;
mod modules;
mod node;
mod objects;
mod parse;
mod patterns;
mod repair;
mod statements;
mod suites;
mod types;

pub use self::parse::{parse, parse_only};
pub use self::suites::{CaseKind, SuiteCall};
use crate::ids::{ids, rows};
pub use crate::lines::LineTable;
use crate::model::Span;
pub use crate::names::{Name, Names};

ids! {
    /// An expression of a file.
    ExprId,
    /// A type as written in a file, or in a comment.
    TypeId,
    /// A scope of the file; 0 is the module's.
    ScopeId,
    /// A variable of the file.
    BindingId,
    /// A function of the file; 0 is the module itself.
    FnId,
    /// A class or an interface of the file.
    ClassId,
    /// An object literal, or something like one: an enum, a namespace.
    ObjId,
    /// A call, or something that may be one.
    SiteId,
    /// An import of the file.
    ImportId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Primitive {
    String,
    Number,
    Boolean,
    RegExp,
}

#[derive(Clone, Debug)]
pub enum Expr {
    /// An expression whose value is not followed, or that does not parse.
    Unknown,
    /// `undefined` or `null`.
    Nothing,
    Primitive(Primitive),
    /// A string whose value is known.
    Text(Name),
    /// A name that no scope of the file declares.
    Global(Name),
    /// A variable of the file, read in a scope.
    Var(BindingId, ScopeId),
    /// `this` and `super`, with the function that they belong to.
    This(FnId),
    Super(FnId),
    Member(ExprId, Name),
    Index(ExprId, ExprId),
    Call(SiteId),
    Function(FnId),
    Class(ClassId),
    Object(ObjId),
    Array(Box<[ExprId]>),
    /// One of two values: the branches of a condition, or the sides of `||`.
    Either(ExprId, ExprId),
    /// The value that a part of a pattern is given, and its default.
    Default(ExprId, ExprId),
    /// The awaited value.
    Await(ExprId),
    /// A value, and the type that the code says it has: `x as T`.
    Cast(ExprId, TypeId),
    Spread(ExprId),
    /// An element of the iterated collection.
    Element(ExprId),
    /// The n-th element of an array.
    Item(ExprId, u16),
    /// A parameter of a function, before any pattern.
    Param(FnId, u16),
    Import(ImportId),
    /// `import("…")`.
    DynamicImport(Name),
    /// An instance of the class that an expression stands for.
    Instance(ExprId),
}

/// A value that a variable was given, and where.
#[derive(Clone, Copy, Debug)]
pub struct VariableWrite {
    pub value: ExprId,
    /// Where the assignment ends.
    pub at: u32,
    pub scope: ScopeId,
    /// Whether the assignment may or may not happen when its scope runs: `a ||= b`.
    pub is_conditional: bool,
    /// Whether nothing is assigned: `x instanceof C` holds in the scope.
    pub is_narrowing: bool,
}

impl VariableWrite {
    /// Makes a plain assignment.
    pub const fn new(value: ExprId, at: u32, scope: ScopeId) -> Self {
        Self {
            value,
            at,
            scope,
            is_conditional: false,
            is_narrowing: false,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingKind {
    Var,
    Let,
    Const,
    Parameter,
    Function,
    Class,
    Import,
}

#[derive(Debug)]
pub struct Binding {
    pub name: Name,
    pub kind: BindingKind,
    pub scope: ScopeId,
    pub writes: Vec<VariableWrite>,
    /// The type it is declared with.
    pub ty: Option<TypeId>,
}

#[derive(Debug)]
pub struct JavaScriptScope {
    pub parent: Option<ScopeId>,
    pub function: FnId,
    pub span: Span,
}

/// The declaration that a name means as a type.
#[derive(Clone, Copy, Debug)]
pub enum TypeDecl {
    Class(ClassId),
    Alias(TypeId),
    /// A type parameter of something.
    Parameter,
    Import(ImportId),
}

#[derive(Debug)]
pub enum Type {
    Unknown,
    /// `void`, `null`, `undefined`, `never`.
    Nothing,
    Primitive(Primitive),
    /// `a.b.Name<…>`, seen from a scope.
    Named {
        path: Box<[Name]>,
        args: Box<[TypeId]>,
        scope: ScopeId,
    },
    Array(TypeId),
    Tuple(Box<[TypeId]>),
    Union(Box<[TypeId]>),
    Intersection(Box<[TypeId]>),
    /// `{ … }`: an interface without a name.
    Object(ClassId),
    /// `(…) => R`; the function has no body.
    Function(FnId),
    This,
    Typeof(ExprId),
    /// A literal type: `"name"`.
    Text(Name),
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemberKind {
    #[default]
    Method,
    Getter,
    Setter,
    Field,
    Constructor,
    /// `...other`.
    Spread,
}

/// A member of a class, an interface or an object literal.
#[derive(Clone, Copy, Debug, Default)]
pub struct JavaScriptMember {
    pub name: Name,
    pub kind: MemberKind,
    pub is_static: bool,
    /// Whether the name is computed, from more than a literal.
    pub is_computed: bool,
    /// The value of a field, or the expression behind a spread.
    pub value: Option<ExprId>,
    pub function: Option<FnId>,
    pub ty: Option<TypeId>,
    pub name_at: u32,
}

impl JavaScriptMember {
    /// Makes a field with a known name and place, and nothing else.
    pub fn at(name: Name, name_at: usize) -> Self {
        Self {
            name,
            kind: MemberKind::Field,
            name_at: name_at as u32,
            ..Self::default()
        }
    }
}

#[derive(Debug)]
pub struct JavaScriptClass {
    pub name: Name,
    pub span: Span,
    pub name_at: u32,
    pub is_interface: bool,
    pub heritage: Option<ExprId>,
    /// The implemented types, or those that an interface extends.
    pub supertypes: Vec<TypeId>,
    pub members: Vec<JavaScriptMember>,
    pub n_type_params: u16,
    /// The classes and holders around it, joined with dots, with its own name.
    pub path: Name,
    pub scope: ScopeId,
}

#[derive(Debug, Default)]
pub struct Object {
    pub members: Vec<JavaScriptMember>,
}

#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub name: Option<Name>,
    pub ty: Option<TypeId>,
    pub default: Option<ExprId>,
    pub is_rest: bool,
}

/// The object or class that a function's `this` means.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Owner {
    /// Nothing is known but the function itself.
    #[default]
    None,
    Class(ClassId, /** whether static */ bool),
    Object(ObjId),
    /// The function is assigned to a member of this.
    Holder(ExprId),
}

#[derive(Debug, Default)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each says another thing of how it is declared"
)]
pub struct Function {
    /// The name that it is declared under; empty for one that has none.
    pub name: Name,
    pub name_span: Span,
    /// The holders around it, joined with dots.
    pub path: Name,
    /// The whole declaration; of a function that a variable holds, the function itself.
    pub span: Span,
    pub body: Option<Span>,
    /// From the declaration's beginning to its body, or to its end where there is none.
    pub header: Span,
    pub scope: ScopeId,
    /// The function around it.
    pub parent: FnId,
    pub owner: Owner,
    pub kind: MemberKind,
    pub is_arrow: bool,
    pub is_async: bool,
    pub is_generator: bool,
    pub is_static: bool,
    /// Whether it is a declaration of the project and not a local function.
    pub is_declared: bool,
    /// Whether it was given to another function, whose result bears its name.
    pub is_wrapped: bool,
    pub params: Vec<Param>,
    pub returns: Vec<ExprId>,
    pub return_type: Option<TypeId>,
    /// How many type parameters it has.
    pub n_type_params: u16,
    /// The range of its sites, nested functions included.
    pub sites: (u32, u32),
    pub statements: Vec<Span>,
    /// How many functions lie around it.
    pub depth: u16,
    pub is_broken: bool,
    /// The call that makes it, where it is a name for the result of a factory: `isDate = tester("Date")`.
    pub made_by: Option<SiteId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SiteKind {
    Call,
    New,
    /// A function that is handed to a call, or rendered: an argument that is a name, `<Name …>`.
    Handed,
    /// A member that is read.
    Read,
}

/// A call, or something that may turn out to be one.
#[derive(Debug)]
pub struct Site {
    pub kind: SiteKind,
    pub callee: ExprId,
    pub args: Box<[ExprId]>,
    pub type_args: Box<[TypeId]>,
    pub span: Span,
    /// Empty for calls without a name: `f()()`.
    pub name: Name,
    pub name_span: Span,
    pub parent: Option<SiteId>,
    pub is_argument: bool,
    /// How many functions lie around it.
    pub depth: u16,
    pub is_broken: bool,
}

/// A key of an assigned member.
#[derive(Clone, Copy, Debug)]
pub enum MemberKey {
    Named(Name),
    Computed(ExprId),
}

/// `target.key = value`, wherever it stands.
#[derive(Clone, Copy, Debug)]
pub struct Effect {
    pub target: ExprId,
    pub key: MemberKey,
    pub value: ExprId,
    pub function: FnId,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImportedBinding {
    Default,
    Named(Name),
    Namespace,
    /// `import x = require("…")`.
    Whole,
}

#[derive(Clone, Copy, Debug)]
pub struct JavaScriptImport {
    pub from: Name,
    pub what: ImportedBinding,
}

#[derive(Clone, Copy, Debug)]
pub enum ExportedBinding {
    Value(ExprId),
    /// `export { a } from "…"`.
    From(ImportId),
    /// Only a type.
    Type(TypeDecl),
}

#[derive(Clone, Copy, Debug)]
pub struct Export {
    pub name: Name,
    pub what: ExportedBinding,
}

/// The facts of a file.
#[derive(Debug, Default)]
pub struct JavaScriptFacts {
    pub path: String,
    pub names: Names,
    pub lines: LineTable,
    pub exprs: Vec<Expr>,
    /// Where each expression begins.
    pub starts: Vec<u32>,
    pub types: Vec<Type>,
    pub scopes: Vec<JavaScriptScope>,
    pub bindings: Vec<Binding>,
    pub declared: rustc_hash::FxHashMap<(ScopeId, Name), BindingId>,
    pub type_names: rustc_hash::FxHashMap<(ScopeId, Name), TypeDecl>,
    pub functions: Vec<Function>,
    pub classes: Vec<JavaScriptClass>,
    pub objects: Vec<Object>,
    pub sites: Vec<Site>,
    pub effects: Vec<Effect>,
    pub imports: Vec<JavaScriptImport>,
    pub exports: Vec<Export>,
    /// `export * from "…"`.
    pub stars: Vec<Name>,
    pub cases: Vec<SuiteCall>,
    /// Indices of hooks in `cases`, by the index of their group.
    pub hooks: rustc_hash::FxHashMap<Option<u32>, Vec<u32>>,
    /// Chains that look like assertions as a whole.
    pub chains: Vec<Chain>,
    /// All bodies of functions and blocks, by position; a test's nested bodies are found among them.
    pub blocks: Vec<NestedBody>,
    /// Signatures of functions as written, by their number; only of those that are declared.
    pub signatures: rustc_hash::FxHashMap<FnId, Box<str>>,
    /// The text of a configuration of Jest or a bundler, which is read as text.
    pub config_text: Option<Box<str>>,
    pub is_module: bool,
    pub is_generated: bool,
}

/// A whole chain, such as `expect(x).to.be.true`.
#[derive(Clone, Copy, Debug)]
pub struct Chain {
    pub span: Span,
    pub value: ExprId,
}

/// The body of a function or a block, with its statements.
#[derive(Debug)]
pub struct NestedBody {
    pub span: Span,
    pub statements: Vec<Span>,
    pub is_function: bool,
}

impl JavaScriptFacts {
    rows! {
        lent expr(ExprId) -> Expr = exprs,
            ty(TypeId) -> Type = types,
            function(FnId) -> Function = functions,
            class(ClassId) -> JavaScriptClass = classes,
            object(ObjId) -> Object = objects,
            site(SiteId) -> Site = sites,
            binding(BindingId) -> Binding = bindings,
            scope(ScopeId) -> JavaScriptScope = scopes;
    }

    pub fn word(&self, name: Name) -> &str {
        self.names.get(name)
    }

    /// Tells whether `inner` is `outer` or lies in it.
    pub fn is_within(&self, inner: ScopeId, outer: ScopeId) -> bool {
        let outer = self.scope(outer).span;
        outer.contains(self.scope(inner).span)
    }
}
