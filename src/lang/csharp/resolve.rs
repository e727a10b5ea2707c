//! From a body to its resolved calls: walks statements in order, with the variables in scope.
//!
//! The callee is recorded when receiver and arguments are known. A lambda's body is walked with the types that the
//! chosen method's delegate has; where several methods could be meant, it is walked for each of them first, and the
//! records in between are dropped.

mod argument;
mod call;
mod choose;
mod collect;
mod creation;
mod expr;
mod infer;
mod lambda;
mod name;
mod operator;
mod pattern;
mod query;
mod statement;
mod trace;

use rustc_hash::FxHashMap;

pub use self::collect::{calls, flows_of};
pub use self::trace::trace;
use super::facts::{Body, CSharpFacts, ExprId, Name, TypeRef};
use super::project::{CSharpFile, CSharpNameScope, CSharpProject};
use super::types::{MemberId, Param, Ty, TypeId, VarId};
use crate::calls;
use crate::symbols::Sym;

/// How deep expressions and statements are followed; bounds the recursion on hostile sources.
const DEPTH_MAX: u32 = 130;

/// How many bodies of lambdas are walked only to see whether they fit, in one method: overloads multiply the walks.
const PROBES_MAX: u32 = 4_000;

/// How deep such walks are nested: each level multiplies them by the candidates.
const PROBED_MAX: u32 = 3;

/// A call that was found, with its expression.
type CSharpFoundCall = calls::FoundCall<ExprId>;

/// The meaning of an expression.
#[derive(Clone, Debug)]
enum CSharpValue {
    Ty(Ty),
    Type(Ty),
    Namespace(Sym),
    Group(MethodGroup),
    /// A function of the body.
    Function(usize),
    /// A name without a known meaning.
    Nothing,
}

/// Methods of one name, before one is chosen.
#[derive(Clone, Debug)]
struct MethodGroup {
    name: Sym,
    members: Vec<MemberId>,
    /// The type that they are called on; for static methods the type that is named.
    receiver: Ty,
    /// Whether there is an object that extension methods may take.
    has_object: bool,
    side: ReceiverKind,
    args: Vec<Ty>,
    at: u32,
}

/// The methods of a group that the expression before their name allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum ReceiverKind {
    /// There is none, or it is a name that is both a type and a value.
    #[default]
    Any,
    Static,
    Instance,
}

/// A function declared in the body.
#[derive(Clone, Debug)]
struct LocalFunction {
    name: Sym,
    vars: Vec<VarId>,
    params: Vec<Param>,
    result: Ty,
}

/// The type that a body's `return` is expected to give, and the type that it has given so far.
#[derive(Default)]
struct CSharpReturnTarget {
    expected: Option<Ty>,
    common_type: Option<Ty>,
}

/// The state of the walk.
struct CSharpWalker<'p> {
    project: &'p CSharpProject,
    file: &'p CSharpFile,
    facts: &'p CSharpFacts,
    file_id: u32,
    scope: u32,
    ty: TypeId,
    vars: Vec<VarId>,
    locals: Vec<(Sym, Ty)>,
    functions: Vec<LocalFunction>,
    returning: Vec<CSharpReturnTarget>,
    found: Vec<CSharpFoundCall>,
    depth: u32,
    /// The number of functions around the place.
    n_around: u16,
    n_probes: u32,
    n_probed: u32,
    /// The value at the bottom of a chain that was walked already.
    ready: Option<(ExprId, CSharpValue)>,
    /// Results of the lambdas that were walked while a method was chosen.
    lambdas: FxHashMap<u32, Ty>,
    /// Namespaces in scope for extension methods.
    namespaces: Vec<Vec<Sym>>,
    /// The constant that was read last, with its value where that is written.
    constant: Option<(ExprId, Option<i64>)>,
    /// The expression that is being written to.
    written: Option<ExprId>,
    /// The steps to record for one call.
    trace: Option<calls::Trace>,
}

impl<'p> CSharpWalker<'p> {
    fn new(project: &'p CSharpProject, member: MemberId) -> Option<Self> {
        let member = project.member(member);
        let file = project.file(member.file);
        let scope = match project.member_decl(member) {
            Some(decl) => file.facts.types[decl.owner as usize].scope,
            None => project.primary_decl(member)?.scope,
        };
        let mut walker = Self {
            project,
            file,
            facts: &file.facts,
            file_id: member.file,
            scope,
            ty: member.owner,
            vars: member.vars.clone(),
            locals: Vec::new(),
            functions: Vec::new(),
            returning: Vec::new(),
            found: Vec::new(),
            depth: 0,
            n_around: 0,
            n_probes: 0,
            n_probed: 0,
            ready: None,
            lambdas: FxHashMap::default(),
            namespaces: Vec::new(),
            constant: None,
            written: None,
            trace: None,
        };
        walker.namespaces = project.namespaces_in(walker.names());
        Some(walker)
    }

    /// Walks everything that a member runs.
    fn member(&mut self, id: MemberId) {
        let member = self.project.member(id);
        for param in &*member.params {
            self.locals.push((param.name, param.ty.clone()));
        }
        let Some(decl) = self.project.member_decl(member) else {
            self.primary(member);
            return;
        };
        let is_async = member.is(super::facts::flag::ASYNC);
        let wanted = self.value_of(&member.ty, is_async);
        if let Some(delegation) = decl.delegation {
            self.delegation(member, delegation);
        }
        self.body(decl.body, wanted);
        if decl.setter != Body::None {
            if let Some(value) = self.project.symbols.find("value") {
                self.locals.push((value, member.ty.clone()));
            }
            self.body(decl.setter, None);
        }
    }

    /// Finds the type of the expression behind `return`, for a declared result; nothing for `void`.
    fn value_of(&self, result: &Ty, is_async: bool) -> Option<Ty> {
        let ty = if is_async {
            self.project.task_value(result).unwrap_or_default()
        } else {
            result.clone()
        };
        (ty != Ty::Void).then_some(ty)
    }

    /// Walks a body; returns the type of its value.
    fn body(&mut self, body: Body, expected: Option<Ty>) -> Ty {
        let n_locals = self.locals.len();
        let n_functions = self.functions.len();
        let ty = match body {
            Body::None => Ty::Void,
            Body::Expr(value) => self.expr(value, expected.as_ref()),
            Body::Block(block) => {
                self.returning.push(CSharpReturnTarget {
                    expected,
                    common_type: None,
                });
                self.stmt(block);
                let seen = self
                    .returning
                    .pop()
                    .and_then(|return_target| return_target.common_type);
                seen.unwrap_or(Ty::Void)
            }
        };
        self.locals.truncate(n_locals);
        self.functions.truncate(n_functions);
        ty
    }

    fn sym(&self, name: Name) -> Sym {
        self.file.syms[name.0 as usize]
    }

    fn names(&self) -> CSharpNameScope<'_> {
        CSharpNameScope::new(self.file_id, self.scope, Some(self.ty), &self.vars)
    }

    fn resolve(&self, ty: TypeRef) -> Ty {
        self.project.resolve(ty, self.names())
    }

    fn declare(&mut self, name: Name, ty: Ty) {
        if !name.is_none() {
            let name = self.sym(name);
            self.locals.push((name, ty));
        }
    }

    /// Runs `f` one level deeper; the default where the source is nested too deep.
    fn deeper<T: Default>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        if self.depth >= DEPTH_MAX {
            return T::default();
        }
        self.depth += 1;
        let result = f(self);
        self.depth -= 1;
        result
    }

    /// Runs `f` and drops the calls and variables that it recorded.
    fn probe<T>(&mut self, f: impl FnOnce(&mut Self) -> T) -> T {
        let n_found = self.found.len();
        let n_locals = self.locals.len();
        let trace = self.trace.take();
        let lambdas = std::mem::take(&mut self.lambdas);
        self.n_probes += 1;
        self.n_probed += 1;
        let result = f(self);
        self.n_probed -= 1;
        self.lambdas = lambdas;
        self.trace = trace;
        self.found.truncate(n_found);
        self.locals.truncate(n_locals);
        result
    }

    fn may_probe(&self) -> bool {
        self.n_probes < PROBES_MAX && self.n_probed < PROBED_MAX
    }
}
