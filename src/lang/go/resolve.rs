//! Resolves the calls of a body: walks its statements in order, with the variables in scope.
//!
//! Every expression is typed once; the record of a call is completed when its target is known. Conversions and built-in
//! functions look like calls and are none: calls inside them belong to the call around them.

mod call;
mod collect;
mod composite;
mod expr;
mod statement;
mod trace;

use crate::run::Run;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

pub use self::collect::{body, declared};
pub use self::statement::FAILING_METHODS;
pub use self::trace::trace;
use super::facts::{BlockId, ExprId, GoFacts, Param, SignatureId};
use super::project::{FuncValue, GoFile, GoFuncPlace, GoNameScope, GoProject, VarId};
use super::types::{Args, FuncId, ParamId, Ty, no_args};
use crate::model::{
    CallKind, CallMarks, CallRole, FileId, NestedBlock, Resolution, Span, UnknownReason,
};
use crate::symbols::Sym;

/// How many package variables are followed whose values depend on each other.
const VISITING_MAX: usize = 24;

/// Infers the types of all package variables, in order, so that none depends on which is asked for first.
pub fn type_variables(project: &GoProject) {
    for at in 0..project.vars.len() as u32 {
        GoWalker::var_type(project, VarId(at), &mut Vec::new());
    }
}

/// The meaning of an expression.
#[derive(Clone, Debug)]
enum GoValue {
    Ty(Ty),
    Type(Ty),
    Package(super::project::ImportedPackage),
    Func(FuncUse),
    /// From another module: a function, a type or a variable of a package, or a member of a value.
    Outside(Outside),
    /// Several methods at the same depth of embedding.
    Several(Vec<FuncId>),
    Builtin(Builtin),
    /// A name whose meaning is not known, and why.
    Lost(UnknownReason),
}

#[derive(Clone, Debug)]
struct Outside {
    path: Arc<str>,
    /// The type whose member it is; empty for a declaration of the package.
    of: Arc<str>,
    args: Args,
    name: Sym,
}

impl Outside {
    /// Makes the value of a package's declaration.
    fn declared(path: Arc<str>, name: Sym) -> Self {
        Self {
            path,
            of: "".into(),
            args: no_args(),
            name,
        }
    }

    fn owner(&self) -> String {
        if self.of.is_empty() {
            self.path.to_string()
        } else {
            format!("{}.{}", self.path, self.of)
        }
    }
}

/// A function or method that is named at a place.
#[derive(Clone, Debug)]
struct FuncUse {
    it: FuncValue,
    /// The name there: an alias has its own.
    name: Sym,
    /// Where the name token and the whole expression begin.
    at: u32,
    start: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Builtin {
    Append,
    Int,
    Make,
    MinMax,
    New,
    Recover,
    Float,
    Complex,
    Nothing,
}

impl Builtin {
    fn of(name: &str) -> Option<Self> {
        Some(match name {
            "append" => Self::Append,
            "cap" | "copy" | "len" => Self::Int,
            "make" => Self::Make,
            "min" | "max" => Self::MinMax,
            "new" => Self::New,
            "recover" => Self::Recover,
            "real" | "imag" => Self::Float,
            "complex" => Self::Complex,
            "clear" | "close" | "delete" | "panic" | "print" | "println" => Self::Nothing,
            _ => return None,
        })
    }
}

/// The record of a call while its body is walked.
#[derive(Clone, Debug)]
struct GoCallRecord {
    kind: CallKind,
    name: Sym,
    name_at: u32,
    span: Span,
    parent: Option<(u32, CallRole)>,
    depth: u16,
    n_arguments: u16,
    marks: CallMarks,
    /// Absent where it turned out to be no call.
    resolution: Option<Resolution>,
}

/// The state of the walk.
pub(super) struct GoWalker<'p> {
    project: &'p GoProject,
    file_id: FileId,
    file: &'p GoFile,
    facts: &'p GoFacts,
    /// Type parameters in sight.
    params: &'p [(Sym, ParamId)],
    vars: FxHashMap<Sym, Vec<(Ty, u32)>>,
    /// Names in the order of their declaration, and where each scope begins in it.
    declared: Vec<Sym>,
    scopes: Vec<u32>,
    records: Vec<GoCallRecord>,
    /// The call around the place.
    parent: Option<(u32, CallRole)>,
    /// The call that was resolved last.
    last: Option<u32>,
    /// Function literals around the place.
    depth: u16,
    /// Whether only types are wanted: then bodies and values of literals are not walked.
    is_typing: bool,
    visiting: Vec<VarId>,
    /// The parts of chains that wait to be typed.
    levels: Vec<expr::Level>,
    /// Bodies inside the body, and statements that assert.
    blocks: Vec<NestedBlock>,
    assertions: Vec<Span>,
    /// Statements around the place whose own block may fail the test, and whether it does.
    frames: Vec<bool>,
    /// Local variables that hold a table written as a literal.
    tables: FxHashSet<Sym>,
    is_parametrised: bool,
    /// The call whose value each variable holds, and the calls that such values went into.
    holds: FxHashMap<Sym, u32>,
    flows: Vec<(u32, u32, CallRole)>,
    trace: Option<crate::calls::Trace>,
}

impl<'p> GoWalker<'p> {
    fn new(project: &'p GoProject, file_id: FileId) -> Self {
        let file = project.file(file_id);
        Self {
            project,
            file_id,
            file,
            facts: &file.facts,
            params: &[],
            vars: FxHashMap::default(),
            declared: Vec::new(),
            scopes: vec![0],
            records: Vec::new(),
            parent: None,
            last: None,
            depth: 0,
            is_typing: false,
            visiting: Vec::new(),
            levels: Vec::new(),
            blocks: Vec::new(),
            assertions: Vec::new(),
            frames: Vec::new(),
            tables: FxHashSet::default(),
            is_parametrised: false,
            holds: FxHashMap::default(),
            flows: Vec::new(),
            trace: None,
        }
    }

    /// Walks the body of a function.
    fn function(&mut self, id: FuncId) {
        let func = self.project.func(id);
        let GoFuncPlace::Declared(at) = func.place else {
            return;
        };
        let decl = &self.facts.funcs[at as usize];
        let Some(body) = decl.body else { return };
        self.params = &func.scope;
        if let (Some(receiver), Some(ty)) = (&decl.receiver, self.project.receiver_type(id))
            && let Some(name) = receiver.name
        {
            self.declare(self.file.sym(name), ty);
        }
        self.declare_params(
            decl.signature,
            &func.signature.params,
            &func.signature.results,
        );
        self.statements(body, None);
    }

    fn declare_params(&mut self, id: SignatureId, params: &[Ty], results: &[Ty]) {
        let signature = self.facts.signature(id);
        let mut declare = |run: Run, types: &[Ty]| {
            let all: &'p [Param] = &self.facts.params[run.range()];
            for (param, ty) in all.iter().zip(types) {
                if let Some(name) = param.name {
                    self.declare(self.file.sym(name), ty.clone());
                }
            }
        };
        declare(signature.params, params);
        declare(signature.results, results);
    }

    fn scope(&self) -> GoNameScope<'p> {
        GoNameScope::new(self.file_id, self.params)
    }

    fn declare(&mut self, name: Sym, ty: Ty) {
        if name == self.project.words.blank {
            return;
        }
        let at = self.declared.len() as u32;
        self.declared.push(name);
        self.vars.entry(name).or_default().push((ty, at));
    }

    fn local(&self, name: Sym) -> Option<&Ty> {
        self.vars.get(&name)?.last().map(|(ty, _)| ty)
    }

    /// Tells whether a variable is declared in the innermost scope.
    fn is_here(&self, name: Sym) -> bool {
        let start = self.scopes.last().copied().unwrap_or(0);
        self.vars
            .get(&name)
            .and_then(|all| all.last())
            .is_some_and(|(_, at)| *at >= start)
    }

    /// Runs `f` in a scope of its own.
    fn scoped(&mut self, f: impl FnOnce(&mut Self)) {
        self.scopes.push(self.declared.len() as u32);
        f(self);
        let start = self.scopes.pop().unwrap_or(0) as usize;
        for name in self.declared.drain(start..) {
            if let Some(all) = self.vars.get_mut(&name) {
                all.pop();
            }
        }
    }

    /// Runs `f` with another call around the place.
    fn under<R>(&mut self, parent: Option<(u32, CallRole)>, f: impl FnOnce(&mut Self) -> R) -> R {
        let around = std::mem::replace(&mut self.parent, parent);
        let result = f(self);
        self.parent = around;
        result
    }

    /// Records a body inside the body.
    fn note_block(&mut self, id: BlockId, is_function: bool) {
        if !self.is_typing {
            self.blocks.push(NestedBlock {
                span: self.facts.block(id).span,
                statements: self.facts.spans_of(id),
                is_function,
            });
        }
    }

    /// Infers the type of a package variable.
    fn var_type(project: &GoProject, id: VarId, visiting: &mut Vec<VarId>) -> Ty {
        let var = project.var(id);
        if let Some(ty) = var.ty.get() {
            return ty.clone();
        }
        if visiting.len() >= VISITING_MAX || visiting.contains(&id) {
            return Ty::Unknown;
        }
        let mut walker = GoWalker::new(project, var.file);
        walker.is_typing = true;
        visiting.push(id);
        walker.visiting = std::mem::take(visiting);
        let values = *project.values_of(id);
        let alias = walker.alias(&values, var.at as usize);
        let ty = walker.value_type(&values, var.at as usize);
        *visiting = std::mem::take(&mut walker.visiting);
        visiting.pop();
        // Another thread may have been faster, with the same answer.
        var.alias.get_or_init(|| alias);
        var.ty.get_or_init(|| ty).clone()
    }

    /// Finds the function that a variable stands for: its declaration gives it one, and nothing else is assigned to its
    /// name anywhere.
    fn alias(&mut self, values: &super::facts::GoValueSpec, at: usize) -> Option<FuncValue> {
        let exprs = self.facts.exprs(values.exprs);
        let name = self.facts.value_names.get(values.names.range())?.get(at)?.0;
        if exprs.len() != values.names.len() || self.project.assigned.contains(&self.file.sym(name))
        {
            return None;
        }
        match self.value(*exprs.get(at)?) {
            GoValue::Func(func) => Some(func.it),
            _ => None,
        }
    }

    /// Infers the type of one of the names of a `var` or `const`.
    fn value_type(&mut self, values: &super::facts::GoValueSpec, at: usize) -> Ty {
        if let Some(ty) = values.ty {
            return self.project.resolve(ty, self.scope());
        }
        let exprs: &'p [ExprId] = self.facts.exprs(values.exprs);
        let ty = match exprs {
            [only] if values.names.len() > 1 => {
                let all = self.several(*only, values.names.len());
                all.into_iter().nth(at).unwrap_or(Ty::Unknown)
            }
            all => all
                .get(at)
                .map_or(Ty::Unknown, |expr_id| self.expr(*expr_id)),
        };
        if values.is_const { ty } else { ty.typed() }
    }
}

impl GoProject {
    /// Returns the receiver's type, as the method's body sees it.
    pub fn receiver_type(&self, id: FuncId) -> Option<Ty> {
        let func = self.func(id);
        let (named, is_pointer) = func.receiver?;
        let params = self.named(named).params.iter();
        let ty = Ty::Named(named, params.map(|(_, id)| Ty::Param(*id)).collect());
        Some(if is_pointer { ty.pointer() } else { ty })
    }
}
