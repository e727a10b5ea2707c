//! The facts of one Python file, as owned and compact values: scopes, and their bodies as arenas of small nodes.
//!
//! Nothing here is resolved: names are text (as numbers of the file's own table), annotations are expressions.
//! Everything later reads these arenas; the syntax tree is gone when [`parse`] returns. Reading never fails: code that
//! does not parse is left out, or stands as [`Expr::Broken`].

mod declare;
mod expr;
pub mod kind;
mod lower;
mod statement;
mod text;

pub use self::lower::parse;
use crate::ids::{ids, rows};
use crate::lines::LineTable;
use crate::model::Span;
pub use crate::names::{Name, Names};
use crate::run::Run;

ids! {
    from one:
    /// An expression of a file.
    ExprId,
    /// A statement of a file.
    StmtId,
}

/// Literals: only their kind matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Literal {
    None,
    Bool,
    Int,
    Float,
    Bytes,
    Str,
    Ellipsis,
}

/// The kinds of expressions that are lists of parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Display {
    Tuple,
    List,
    Set,
    /// Keys and values in turn; the [`Expr::Star`] of `**x` is both a key and its value.
    Dict,
    /// A string with holes.
    Format,
    /// `and`.
    Both,
    /// `or`.
    Choice,
    /// Operands of expressions that give no object of the project: `not x`, `a is b`, slices.
    Parts,
}

/// An expression. [`PythonFacts::spans`] says where it stands, and [`PythonFacts::tokens`] where its token does.
#[derive(Clone, Copy, Debug)]
pub enum Expr {
    /// Does not parse, or is nested deeper than anything a person writes.
    Broken,
    Literal(Literal),
    /// A string without holes.
    Str(Name),
    /// A whole number that fits into 32 bits.
    Int(i32),
    Name(Name),
    Attr {
        value: ExprId,
        name: Name,
    },
    Call {
        function: ExprId,
        args: Run,
    },
    Subscript {
        value: ExprId,
        index: ExprId,
    },
    /// Its elements, in [`PythonFacts::lists`].
    Display(Display, Run),
    Binary {
        op: Name,
        left: ExprId,
        right: ExprId,
    },
    Unary {
        op: Name,
        value: ExprId,
    },
    Cond {
        test: ExprId,
        then: ExprId,
        other: ExprId,
    },
    /// An index into [`PythonFacts::comprehensions`].
    Comprehension(u32),
    /// An index into [`PythonFacts::lambdas`].
    Lambda(u32),
    Await(ExprId),
    Yield(Option<ExprId>),
    YieldFrom(ExprId),
    /// `*x` and `**x`.
    Star(ExprId),
    Walrus {
        name: Name,
        value: ExprId,
    },
}

/// An argument of a call or a base of a class.
#[derive(Clone, Copy, Debug)]
pub struct Arg {
    pub name: Option<Name>,
    /// `*x` or `**x`.
    pub is_star: bool,
    pub value: ExprId,
}

/// `[value for target in iter if test …]`.
#[derive(Clone, Copy, Debug)]
pub struct Comprehension {
    pub value: ExprId,
    /// The pair's value in a dictionary comprehension, where `value` is the key.
    pub second: Option<ExprId>,
    /// In [`PythonFacts::clauses`].
    pub clauses: Run,
}

/// `for target in iter`, or `if iter` without a target.
#[derive(Clone, Copy, Debug)]
pub struct Clause {
    pub target: Option<ExprId>,
    pub iter: ExprId,
    /// The offset where the clause begins.
    pub at: u32,
}

#[derive(Clone, Copy, Debug)]
pub struct Lambda {
    pub params: Run,
    pub body: ExprId,
}

/// A statement. [`PythonFacts::stmt_spans`] says where it stands.
#[derive(Clone, Copy, Debug)]
pub enum Stmt {
    Expr(ExprId),
    /// Targets in [`PythonFacts::lists`].
    Assign {
        targets: Run,
        value: ExprId,
    },
    Annotated {
        target: ExprId,
        annotation: ExprId,
        value: Option<ExprId>,
    },
    Augmented {
        target: ExprId,
        value: ExprId,
    },
    Return(Option<ExprId>),
    /// In [`PythonFacts::branches`]; a last one without a test is `else`.
    If {
        branches: Run,
    },
    While {
        test: ExprId,
        body: Run,
        other: Run,
    },
    For {
        target: ExprId,
        iter: ExprId,
        body: Run,
        other: Run,
    },
    /// In [`PythonFacts::items`].
    With {
        items: Run,
        body: Run,
    },
    /// Handlers in [`PythonFacts::handlers`].
    Try {
        body: Run,
        handlers: Run,
        other: Run,
        last: Run,
    },
    /// Bodies of cases in [`PythonFacts::branches`].
    Match {
        subject: ExprId,
        branches: Run,
    },
    /// A function or class: an index into [`PythonFacts::scopes`].
    Define(u32),
    /// In [`PythonFacts::imports`].
    Import(Run),
    /// Test and message in [`PythonFacts::lists`].
    Assert(Run),
    /// `raise`: nothing after it runs.
    Raise(Run),
    /// `break`, `continue`.
    Leave,
    /// Expressions in [`PythonFacts::lists`].
    Other(Run),
}

#[derive(Clone, Copy, Debug)]
pub struct Branch {
    pub test: Option<ExprId>,
    pub body: Run,
}

#[derive(Clone, Copy, Debug)]
pub struct Handler {
    pub types: Option<ExprId>,
    pub name: Option<Name>,
    pub body: Run,
}

/// `value as target` of a `with`.
#[derive(Clone, Copy, Debug)]
pub struct WithItem {
    pub value: ExprId,
    pub target: Option<ExprId>,
}

/// One name that an import binds.
#[derive(Clone, Copy, Debug)]
pub struct PythonImport {
    /// The module as written, without leading dots.
    pub module: Name,
    /// How many dots lead.
    pub level: u16,
    /// `from module import name`; absent for `import module`.
    pub name: Option<Name>,
    /// The bound name: the alias, else the name, else the module's first part.
    pub bound: Name,
    pub is_aliased: bool,
    pub is_star: bool,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ScopeKind {
    #[default]
    Module,
    Class,
    Function,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParamKind {
    Plain,
    /// After `*`: given only by name.
    Named,
    Star,
    DoubleStar,
}

#[derive(Clone, Copy, Debug)]
pub struct Param {
    pub name: Name,
    pub kind: ParamKind,
    pub annotation: Option<ExprId>,
    pub default: Option<ExprId>,
}

/// Properties of a scope, as bits of [`PythonScope::flags`].
pub mod flag {
    pub const ASYNC: u8 = 1;
    pub const GENERATOR: u8 = 2;
    /// Stands in an `if`, `try` or loop.
    pub const CONDITIONAL: u8 = 4;
    /// Asks for names that it computes: `getattr`, `globals`, `__import__`.
    pub const DYNAMIC: u8 = 8;
}

/// A module, a class or a function.
#[derive(Clone, Copy, Debug, Default)]
pub struct PythonScope {
    pub kind: ScopeKind,
    pub flags: u8,
    pub name: Name,
    /// The module is its own parent.
    pub parent: u32,
    pub name_span: Span,
    /// From the first decorator to the end.
    pub span: Span,
    pub body_span: Option<Span>,
    /// In [`PythonFacts::lists`].
    pub decorators: Run,
    pub params: Run,
    pub returns: Option<ExprId>,
    /// Of a class, in [`PythonFacts::args`].
    pub bases: Run,
    /// In [`PythonFacts::blocks`].
    pub body: Run,
}

impl PythonScope {
    pub const fn is(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

/// The origin of a name's meaning in a scope.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BindingOrigin {
    /// An index into [`PythonFacts::scopes`].
    Define(u32),
    /// An index into [`PythonFacts::imports`].
    Import(u32),
    Assign,
    Param,
    /// A function, by its index in [`PythonFacts::scopes`], assigns the module's variable.
    Global(u32),
}

#[derive(Clone, Copy, Debug)]
pub struct Binding {
    pub scope: u32,
    pub name: Name,
    pub what: BindingOrigin,
    pub is_conditional: bool,
}

/// `self.name = …` in a method of a class, or `request.cls.name = …` in a fixture (then without a class).
#[derive(Clone, Copy, Debug)]
pub struct FieldAssign {
    pub class: Option<u32>,
    pub name: Name,
    /// The function that assigns.
    pub scope: u32,
}

/// All facts of one file.
#[derive(Debug, Default)]
pub struct PythonFacts {
    pub path: Box<str>,
    pub names: Names,
    pub lines: LineTable,
    pub exprs: Vec<Expr>,
    /// Of each expression: the whole, with its receiver.
    pub spans: Vec<Span>,
    /// Of each expression: where the token that names it begins (attribute, operator sign, bracket).
    pub tokens: Vec<u32>,
    pub stmts: Vec<Stmt>,
    pub stmt_spans: Vec<Span>,
    pub lists: Vec<ExprId>,
    pub blocks: Vec<StmtId>,
    pub args: Vec<Arg>,
    pub branches: Vec<Branch>,
    pub handlers: Vec<Handler>,
    pub items: Vec<WithItem>,
    pub clauses: Vec<Clause>,
    pub comprehensions: Vec<Comprehension>,
    pub lambdas: Vec<Lambda>,
    /// Where each lambda's body begins, and its index; in order.
    pub lambda_starts: Vec<(u32, u32)>,
    pub params: Vec<Param>,
    pub imports: Vec<PythonImport>,
    pub scopes: Vec<PythonScope>,
    /// By scope: its header, white space folded.
    pub headers: Vec<Box<str>>,
    /// By scope, then in source order.
    pub bindings: Vec<Binding>,
    /// By scope: its bindings.
    pub bindings_of: Vec<Run>,
    pub fields: Vec<FieldAssign>,
    /// The names that `from module import *` takes, where `__all__` lists them.
    pub exported: Option<Vec<Name>>,
    /// Whether the file was written by a program.
    pub is_generated: bool,
    /// Where `subTest` is called.
    pub sub_tests: Vec<Span>,
    /// Spans where the grammar saw an error, in order.
    pub errors: Vec<Span>,
}

impl PythonFacts {
    rows! {
        copied expr(ExprId) -> Expr = exprs,
            span(ExprId) -> Span = spans,
            stmt(StmtId) -> Stmt = stmts,
            stmt_span(StmtId) -> Span = stmt_spans;
    }

    pub fn token(&self, id: ExprId) -> u32 {
        self.tokens[id.index()]
    }

    pub fn list(&self, run: Run) -> &[ExprId] {
        &self.lists[run.range()]
    }

    pub fn block(&self, run: Run) -> &[StmtId] {
        &self.blocks[run.range()]
    }

    pub fn scope(&self, index: u32) -> &PythonScope {
        &self.scopes[index as usize]
    }

    pub fn word(&self, name: Name) -> &str {
        self.names.get(name)
    }

    /// Lists the values that a body's own statements assign to a name, in order; bodies inside do not count.
    pub fn given(&self, body: Run, name: &str) -> impl Iterator<Item = ExprId> {
        let is_it = move |target: &ExprId| {
            matches!(self.expr(*target), Expr::Name(target_name)
                if self.word(target_name) == name)
        };
        let body = self.block(body).iter();
        body.filter_map(move |id| match self.stmt(*id) {
            Stmt::Assign { targets, value } => {
                self.list(targets).iter().any(is_it).then_some(value)
            }
            _ => None,
        })
    }

    /// Lists the values that calls among decorators give to a keyword, in order.
    pub fn decorated(&self, decorators: Run, name: &str) -> impl Iterator<Item = ExprId> {
        let calls = self.list(decorators).iter();
        let calls = calls.filter_map(|id| match self.expr(*id) {
            Expr::Call { args, .. } => Some(&self.args[args.range()]),
            _ => None,
        });
        let is_it = move |arg: &&Arg| arg.name.is_some_and(|arg_name| self.word(arg_name) == name);
        calls.flatten().filter(is_it).map(|call| call.value)
    }

    /// Lists the bodies in a statement, in order.
    pub fn bodies(&self, stmt: Stmt) -> Vec<Run> {
        match stmt {
            Stmt::If { branches } | Stmt::Match { branches, .. } => {
                let branches = self.branches[branches.range()].iter();
                branches.map(|branch| branch.body).collect()
            }
            Stmt::While { body, other, .. } | Stmt::For { body, other, .. } => vec![body, other],
            Stmt::With { body, .. } => vec![body],
            Stmt::Try {
                body,
                handlers,
                other,
                last,
            } => {
                let handlers = self.handlers[handlers.range()]
                    .iter()
                    .map(|handler| handler.body);
                let before = std::iter::once(body).chain(handlers);
                before.chain([other, last]).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Reads an expression as a dotted name: `a.b.c`.
    pub fn dotted(&self, id: ExprId) -> Option<String> {
        let mut parts = Vec::new();
        let mut at = id;
        loop {
            match self.expr(at) {
                Expr::Attr { value, name } => {
                    parts.push(self.word(name));
                    at = value;
                }
                Expr::Name(name) => {
                    parts.push(self.word(name));
                    break;
                }
                _ => return None,
            }
            if parts.len() > 16 {
                return None;
            }
        }
        parts.reverse();
        Some(parts.join("."))
    }

    /// Reads the dotted name of a decorator, without the arguments that it is called with.
    pub fn decorator(&self, id: ExprId) -> Option<String> {
        match self.expr(id) {
            Expr::Call { function, .. } => self.dotted(function),
            _ => self.dotted(id),
        }
    }
}
