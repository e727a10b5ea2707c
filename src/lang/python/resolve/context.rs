//! The state that walks share: the project, and the findings of one question.
//!
//! A question that comes back to itself, or goes too deep, gets no answer there; an answer with such a gap is kept for
//! that question only, or marked as tainted. So answers never depend on what was asked before.

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use rustc_hash::FxHashMap;

use super::PythonWalker;
use crate::model::FileId;
use crate::python::facts::{BindingOrigin, Expr, ExprId, ScopeKind};
use crate::python::project::{BaseClass, DecoratorFlags, PythonProject, Summary};
use crate::python::types::{ClassExactness, ScopeId, Ty, UNKNOWN};
use crate::symbols::Sym;

/// How many bodies may be walked inside each other: each takes stack.
const PENDING_MAX: usize = 10;

/// How many names may lead to each other: each takes stack.
const NAMES_MAX: usize = 40;

/// How many bodies a question may walk again with their arguments: calls in calls multiply the walks.
const WALKS_MAX: u32 = 60;

/// How many it may walk while a project is built, where every body asks.
const WALKS_STORING_MAX: u32 = 3;

/// How many functions of a property's name are looked at for its setter.
const SETTERS_MAX: usize = 20;

/// Overriding functions, by class and function.
type Overrides = FxHashMap<(ScopeId, ScopeId), Rc<[ScopeId]>>;

/// Questions underway, and findings for this question alone.
#[derive(Default)]
pub struct State {
    pub pending: RefCell<Vec<ScopeId>>,
    pub orders: RefCell<Vec<ScopeId>>,
    names: RefCell<Vec<(ScopeId, Sym)>>,
    /// Nesting of expressions over all walks.
    pub depth: Cell<u32>,
    is_tainted: Cell<bool>,
    n_walks: Cell<u32>,
    /// Functions of subclasses that override one, by class and function.
    pub overrides: RefCell<Overrides>,
    is_storing: bool,
    /// Whether an order of classes was cut short.
    pub is_order_cut: Cell<bool>,
    /// Bodies walked for this question, by their contexts.
    walked: RefCell<FxHashMap<(ScopeId, String), Rc<Summary>>>,
}

impl State {
    /// Makes a state whose walks are stored in the project; only for building it, by one thread and in order.
    pub fn storing() -> Self {
        Self {
            is_storing: true,
            ..Self::default()
        }
    }

    /// Resets the state for the next question.
    pub fn begin(&self) {
        self.n_walks.set(0);
        self.walked.borrow_mut().clear();
        self.is_tainted.set(false);
    }

    pub fn taint(&self) {
        self.is_tainted.set(true);
    }
}

#[derive(Clone, Copy)]
pub struct Ctx<'p> {
    pub project: &'p PythonProject,
    pub state: &'p State,
}

impl<'p> Ctx<'p> {
    pub const fn new(project: &'p PythonProject, state: &'p State) -> Self {
        Self { project, state }
    }
}

/// Types that a body is walked with, from outside it.
#[derive(Clone, Debug, Default)]
pub struct BodyContext {
    /// Types of parameters, by their number.
    pub params: Vec<Option<Ty>>,
    /// The class whose test a fixture is for.
    pub test_class: Option<ScopeId>,
}

impl Ctx<'_> {
    /// Reads the summary of a scope's body; while that is being walked, an earlier summary if there is one.
    pub fn summary<T>(self, scope: ScopeId, read: impl FnOnce(&Summary) -> T) -> Option<T> {
        if let Some(summary) = self.project.summaries[scope.index()].get() {
            if summary.is_tainted {
                self.state.taint();
            }
            return Some(read(summary));
        }
        if let Some(summary) = self.walk(scope, &BodyContext::default()) {
            return Some(read(&summary));
        }
        self.project.earlier[scope.index()].as_ref().map(read)
    }

    fn is_pending(self, scope: ScopeId) -> bool {
        self.state.pending.borrow().contains(&scope)
    }

    /// Walks a scope in a context; nothing when it is being walked already, too many are, or the question has no walks
    /// left.
    pub fn walk(self, scope: ScopeId, given: &BodyContext) -> Option<Rc<Summary>> {
        let key = (scope, key_of(given));
        let is_plain = key.1.is_empty();
        if let Some(summary) = self.state.walked.borrow().get(&key) {
            return Some(Rc::clone(summary));
        }
        if self.state.pending.borrow().len() >= PENDING_MAX || self.is_pending(scope) {
            self.state.taint();
            return None;
        }
        if !is_plain {
            let n_walks = self.state.n_walks.get();
            let most = if self.state.is_storing {
                WALKS_STORING_MAX
            } else {
                WALKS_MAX
            };
            if n_walks >= most {
                return None;
            }
            self.state.n_walks.set(n_walks + 1);
        }
        self.state.pending.borrow_mut().push(scope);
        let before = self.state.is_tainted.replace(false);
        let mut summary = PythonWalker::new(self, scope, given).summary();
        summary.is_tainted = self.state.is_tainted.get();
        self.state.is_tainted.set(before || summary.is_tainted);
        self.state.pending.borrow_mut().pop();
        let summary = Rc::new(summary);
        if is_plain && self.state.is_storing {
            let _ = self.project.summaries[scope.index()].set((*summary).clone());
        } else {
            let mut walked = self.state.walked.borrow_mut();
            walked.insert(key, Rc::clone(&summary));
        }
        Some(summary)
    }

    /// Runs `f` unless the same name of the same scope is being looked up, or too many names are.
    pub fn looking<T>(self, scope: ScopeId, name: Sym, f: impl FnOnce() -> Option<T>) -> Option<T> {
        {
            let mut names = self.state.names.borrow_mut();
            if names.len() >= NAMES_MAX || names.contains(&(scope, name)) {
                self.state.taint();
                return None;
            }
            names.push((scope, name));
        }
        let value = f();
        self.state.names.borrow_mut().pop();
        value
    }

    pub fn is_word(self, sym: Sym, word: &str) -> bool {
        self.project.word(sym) == word
    }

    /// Finds the type of an expression in a scope, with names as they mean anywhere in it.
    pub fn static_ty(self, scope: ScopeId, expr: ExprId) -> Ty {
        PythonWalker::new(self, scope, &BodyContext::default()).expr(expr)
    }

    pub fn scope_of(self, file: FileId, local: u32) -> ScopeId {
        ScopeId(self.project.file(file).first_scope + local)
    }

    // Functions and their decorators.

    pub fn decorated(self, function: ScopeId) -> DecoratorFlags {
        let known = &self.project.decorated[function.index()];
        if let Some(known) = known.get() {
            return known.clone();
        }
        let is_plain = self.project.scope(function).decorators.is_empty();
        let decorated = if is_plain {
            DecoratorFlags::default()
        } else {
            self.read_decorators(function)
        };
        // All are asked for while the project is built, in order: losing a second answer changes nothing.
        let _ = known.set(decorated.clone());
        decorated
    }

    fn read_decorators(self, function: ScopeId) -> DecoratorFlags {
        let scope = *self.project.scope(function);
        let facts = &self.project.file_of(function).facts;
        let mut decorated = DecoratorFlags::default();
        for id in facts.list(scope.decorators).iter().rev() {
            let Some(name) = facts.decorator(*id) else {
                continue;
            };
            let last = name.rsplit('.').next().unwrap_or(&name);
            match last {
                "staticmethod" => decorated.is_static = true,
                "classmethod" => decorated.is_class = true,
                "setter" | "deleter" if name.contains('.') => decorated.is_setter = true,
                "overload" => decorated.is_overload = true,
                "contextmanager" | "asynccontextmanager" => decorated.is_context = true,
                "fixture" | "yield_fixture" => decorated.is_fixture = true,
                "abstractmethod" => decorated.is_abstract = true,
                "coroutine" | "inlineCallbacks" => decorated.is_coroutine = true,
                "abstractproperty" | "property" | "cached_property" => decorated.is_property = true,
                _ if last.ends_with("property") => decorated.is_property = true,
                _ => self.read_wrapper(function, *id, &mut decorated),
            }
        }
        decorated
    }

    /// Reads a decorator that may be the project's own.
    fn read_wrapper(self, function: ScopeId, id: ExprId, decorated: &mut DecoratorFlags) {
        let facts = &self.project.file_of(function).facts;
        let (callee, is_called) = match facts.expr(id) {
            Expr::Call { function, .. } => (function, true),
            _ => (id, false),
        };
        // A decorator is looked up around the function, not under the function's own name.
        let Some(ty) = self.looking(function, self.project.name_of(function), || {
            Some(self.static_ty(self.project.parent(function), callee))
        }) else {
            return;
        };
        let made = match &ty {
            Ty::Func(wrapper) | Ty::Bound(wrapper, _)
                if self.project.kind(self.project.parent(*wrapper)) != ScopeKind::Function =>
            {
                decorated.is_wrapped = true;
                self.summary(*wrapper, |summary| summary.returns.clone())
                    .flatten()
            }
            Ty::Class(class, _) => {
                decorated.is_wrapped = true;
                if let Some(get) = self.project.find("__get__")
                    && self.class_member(*class, get).is_some()
                {
                    decorated.is_property = true;
                    return;
                }
                Some(Ty::Inst(*class, ClassExactness::Made))
            }
            _ => return,
        };
        let Some(made) = made else { return };
        // A decorator with arguments returns the function that is called with the decorated one.
        let inner = |part: &Ty| match part {
            Ty::Func(decorator) => self
                .summary(*decorator, |summary| summary.returns.clone())
                .flatten(),
            Ty::Callable(given) => Some((**given).clone()),
            _ => None,
        };
        let made: Vec<Ty> = if is_called {
            let made = made.parts().iter().filter_map(inner);
            made.flat_map(|ty| ty.parts().to_vec()).collect()
        } else {
            made.parts().to_vec()
        };
        let objects = made.into_iter().filter(|part| matches!(part, Ty::Inst(..)));
        let object = Ty::join_all(objects);
        if let Ty::Inst(..) = object {
            decorated.becomes = Some(self.replaced(object, None, &[], 0));
        }
    }

    /// Finds the setter that runs when an object's property is assigned.
    pub fn setter(self, class: ScopeId, name: Sym) -> Option<ScopeId> {
        let order = self.order(class);
        let owner = order.iter().find_map(|base| match base {
            BaseClass::Class(at) if self.project.is_bound(*at, name) => Some(*at),
            _ => None,
        })?;
        let file = self.project.file_of(owner);
        let is_setter = |scope_id: &ScopeId| {
            let decorators = file.facts.list(self.project.scope(*scope_id).decorators);
            let mut words = decorators
                .iter()
                .filter_map(|decorator| file.facts.decorator(*decorator));
            words.any(|word| word.ends_with(".setter"))
        };
        let defined = self.project.bindings(owner, name).rev();
        let defined = defined.filter_map(|binding| match binding.what {
            BindingOrigin::Define(local) => Some(ScopeId(file.first_scope + local)),
            _ => None,
        });
        defined.take(SETTERS_MAX).find(is_setter)
    }

    /// Finds the type of a function's name: the object that a decorator makes of it, else the function.
    pub fn function_ty(self, function: ScopeId) -> Ty {
        let decorated = self.decorated(function);
        decorated.becomes.unwrap_or(Ty::Func(function))
    }

    /// Finds the type of a function's result from its summary; the parameters are not replaced yet.
    pub fn returned(self, function: ScopeId, summary: &Summary) -> Ty {
        let scope = self.project.scope(function);
        let decorated = self.decorated(function);
        if decorated.is_coroutine {
            return Ty::awaited(summary.returns.clone().unwrap_or(UNKNOWN));
        }
        if scope.is(crate::python::facts::flag::GENERATOR) {
            let element = summary.yields.clone().unwrap_or(UNKNOWN);
            return if decorated.is_context {
                Ty::context(element)
            } else {
                Ty::iter(element)
            };
        }
        let value = summary.returns.clone().unwrap_or(Ty::None);
        if decorated.is_context {
            return Ty::context(value.element().unwrap_or(UNKNOWN));
        }
        if scope.is(crate::python::facts::flag::ASYNC) {
            return Ty::awaited(value);
        }
        value
    }
}

fn key_of(given: &BodyContext) -> String {
    if given.params.is_empty() && given.test_class.is_none() {
        return String::new();
    }
    format!("{given:?}")
}
