//! Resolves the calls of a body: walks its statements in order, with the types of variables at each place.
//!
//! One walk serves two questions: what a body returns and assigns (its [`Summary`]), and what every call in it means.
//! Branches are walked one after the other and joined after them; loops are walked once.

mod annotation;
mod call;
mod context;
mod expr;
mod library;
mod library_results;
mod member;
mod name;
mod operator;
mod result;
mod statement;
mod target;

pub use self::context::{BodyContext, Ctx, State};
pub use self::member::is_set_up;

use rustc_hash::FxHashMap;

use super::facts::{ParamKind, PythonFacts, ScopeKind};
use super::project::{PythonFile, PythonProject, Summary};
use super::types::{ClassExactness, ScopeId, Ty, UNKNOWN};
use crate::calls;
use crate::index::ResolutionStep;
use crate::model::{Call, CallKind, CallMarks, FileId, MethodId, Span, UnknownReason};
use crate::symbols::Sym;

/// How deep functions in functions are followed: a bound for hostile sources.
const NESTED_MAX: u16 = 40;

/// A variable, or a member of a variable's value.
type VariableKey = (Sym, Option<Sym>);

/// A call as the walk finds it, with its callee in words for people.
pub type PythonFoundCall = calls::FoundCall<String>;

/// The state of a walk.
pub struct PythonWalker<'p> {
    ctx: Ctx<'p>,
    project: &'p PythonProject,
    file_id: FileId,
    file: &'p PythonFile,
    facts: &'p PythonFacts,
    scope: ScopeId,
    body_context: BodyContext,
    env: FxHashMap<VariableKey, Ty>,
    /// Former entries of `env`, to roll back to.
    log: Vec<(VariableKey, Option<Ty>)>,
    /// All types that each variable ever had; only in scopes that others may ask about.
    ever: Option<FxHashMap<Sym, Ty>>,
    returns: Option<Ty>,
    yields: Option<Ty>,
    fields: Vec<(Sym, Ty)>,
    class_fields: Vec<(Sym, Ty)>,
    receiver: Option<Sym>,
    /// Whether the body is being walked; otherwise single expressions of it are evaluated.
    is_walking: bool,
    /// The offset of the name at hand.
    at: u32,
    record: Option<Vec<PythonFoundCall>>,
    depth: u16,
}

impl<'p> PythonWalker<'p> {
    pub fn new(ctx: Ctx<'p>, scope: ScopeId, body_context: &BodyContext) -> Self {
        let project = ctx.project;
        let file_id = project.scope_files[scope.index()];
        let file = project.file(file_id);
        Self {
            ctx,
            project,
            file_id,
            file,
            facts: &file.facts,
            scope,
            body_context: body_context.clone(),
            env: FxHashMap::default(),
            log: Vec::new(),
            ever: None,
            returns: None,
            yields: None,
            fields: Vec::new(),
            class_fields: Vec::new(),
            receiver: None,
            is_walking: false,
            at: 0,
            record: None,
            depth: 0,
        }
    }

    fn sym(&self, name: super::facts::Name) -> Sym {
        self.file.syms[name.0 as usize]
    }

    /// Walks the body and summarises it.
    pub fn summary(mut self) -> Summary {
        if self.project.has_outside_readers[self.scope.index()] {
            self.ever = Some(FxHashMap::default());
        }
        self.body();
        let scope = *self.project.scope(self.scope);
        let mut vars: Vec<(Sym, Ty)> = self.ever.take().into_iter().flatten().collect();
        vars.sort_unstable_by_key(|var| var.0);
        let mut returns = self.returns.take();
        if let Some(annotation) = scope.returns {
            let written = self.annotation(annotation);
            let written = if self.yields.is_some() {
                // A generator's annotation tells what it yields, too.
                self.yields =
                    Some(self.narrower(self.yields.clone(), written.element().unwrap_or(UNKNOWN)));
                written
            } else {
                written
            };
            returns = Some(self.narrower(returns, written));
        }
        Summary {
            returns,
            yields: self.yields.take(),
            vars: vars.into(),
            fields: joined(std::mem::take(&mut self.fields)),
            class_fields: joined(std::mem::take(&mut self.class_fields)),
            is_tainted: false,
        }
    }

    /// Chooses between the type that a value has and its annotation: the annotation, unless it says nothing, or the
    /// value is an object of a class that derives from it or otherwise known better.
    fn narrower(&self, given: Option<Ty>, written: Ty) -> Ty {
        let Some(given) = given else { return written };
        if written.is_unknown() || matches!(written, Ty::None | Ty::Lib(_)) {
            return given;
        }
        if let (Ty::Inst(class, ClassExactness::AtLeast), Ty::Inst(made, _)) = (&written, &given)
            && self.ctx.derives(*made, *class)
        {
            return given;
        }
        match (&written, &given) {
            (
                Ty::LibInst(_),
                Ty::Inst(..) | Ty::Iter(_) | Ty::Tuple(_) | Ty::Dict(_) | Ty::Str(_),
            ) => given,
            (Ty::Class(class, ClassExactness::AtLeast), Ty::Class(made, _))
                if self.ctx.derives(*made, *class) =>
            {
                given
            }
            _ => written,
        }
    }

    fn body(&mut self) {
        self.is_walking = true;
        let scope = *self.project.scope(self.scope);
        if scope.kind == ScopeKind::Function {
            self.parameters();
        }
        self.block(scope.body);
    }

    // Parameters.

    fn parameters(&mut self) {
        let scope = *self.project.scope(self.scope);
        let class = self.project.class_of(self.scope);
        let decorated = self.ctx.decorated(self.scope);
        let is_method = class.is_some() && !decorated.is_static;
        let asks_fixtures = decorated.is_fixture || self.project.is_test(self.scope);
        for (number, at) in scope.params.range().enumerate() {
            let param = self.facts.params[at];
            let name = self.sym(param.name);
            let ty = if number == 0 && is_method && param.kind == ParamKind::Plain {
                self.receiver = Some(name);
                self.own(class, decorated.is_class)
            } else {
                self.parameter(number, asks_fixtures, name)
            };
            self.set(name, ty);
        }
    }

    fn own(&mut self, class: Option<ScopeId>, is_class: bool) -> Ty {
        let Some(class) = class else { return UNKNOWN };
        if let Some(Some(ty)) = self.body_context.params.first() {
            return ty.clone();
        }
        let word = self.project.word(self.project.name_of(self.scope));
        let is_class =
            is_class || matches!(word, "__new__" | "__init_subclass__" | "__class_getitem__");
        let is_set_up = matches!(word, "setUpClass" | "setup_class" | "setUpTestData");
        if is_class || is_set_up {
            Ty::Class(class, ClassExactness::Own)
        } else {
            Ty::Inst(class, ClassExactness::Own)
        }
    }

    fn parameter(&mut self, number: usize, asks_fixtures: bool, name: Sym) -> Ty {
        let at = self.project.scope(self.scope).params.start as usize + number;
        let param = self.facts.params[at];
        let written = param.annotation.map(|expr_id| self.annotation(expr_id));
        let wrap = |ty: Ty| match param.kind {
            ParamKind::Star => Ty::iter(ty),
            ParamKind::DoubleStar => Ty::dict(Ty::lib_inst("builtins.str"), ty),
            _ => ty,
        };
        if let Some(Some(given)) = self.body_context.params.get(number) {
            return match written {
                Some(written) => self.narrower(Some(given.clone()), written),
                None => given.clone(),
            };
        }
        if asks_fixtures && let Some(given) = self.requested(name) {
            return match written {
                Some(written) => self.narrower(Some(given), written),
                None => given,
            };
        }
        match written {
            Some(written) if !written.is_unknown() => wrap(written),
            _ if self.record.is_some() => UNKNOWN,
            _ => wrap(Ty::Param(number as u32)),
        }
    }

    /// Finds the type of a test's or fixture's parameter: `request`, a row's value, or a fixture's.
    fn requested(&mut self, name: Sym) -> Option<Ty> {
        let class = self
            .body_context
            .test_class
            .or_else(|| self.project.class_of(self.scope));
        if self.project.word(name) == "request" {
            return Some(Ty::Request(self.scope, self.body_context.test_class));
        }
        if let Some(ty) = self.row(name) {
            return Some(ty);
        }
        let not = self
            .ctx
            .decorated(self.scope)
            .is_fixture
            .then_some(self.scope);
        if let Some(fixture) = self.ctx.fixture(self.file_id, class, name, not) {
            return Some(self.ctx.fixture_ty(fixture, class));
        }
        library::fixture_of_pytest(self.project.word(name)).map(Ty::lib_inst)
    }

    // Variables.

    fn set(&mut self, name: Sym, ty: Ty) {
        if let Some(ever) = &mut self.ever {
            match ever.get_mut(&name) {
                Some(known) => *known = std::mem::replace(known, Ty::None).join(ty.clone()),
                None => {
                    ever.insert(name, ty.clone());
                }
            }
        }
        self.set_variable((name, None), ty);
    }

    fn set_variable(&mut self, key: VariableKey, ty: Ty) {
        let before = self.env.insert(key, ty);
        self.log.push((key, before));
    }

    /// Restores the variables as they were at `mark`, and returns the changes that this undoes.
    fn roll_back(&mut self, mark: usize) -> Vec<(VariableKey, Ty)> {
        let mut changed = Vec::new();
        let mut seen: rustc_hash::FxHashSet<VariableKey> = rustc_hash::FxHashSet::default();
        for (key, _) in &self.log[mark..] {
            if seen.insert(*key)
                && let Some(ty) = self.env.get(key)
            {
                changed.push((*key, ty.clone()));
            }
        }
        while self.log.len() > mark {
            match self.log.pop() {
                Some((key, Some(before))) => {
                    self.env.insert(key, before);
                }
                Some((key, None)) => {
                    self.env.remove(&key);
                }
                None => {}
            }
        }
        changed
    }

    /// Finds the type of a name at the place.
    fn name(&mut self, name: Sym) -> Ty {
        if let Some(ty) = self.env.get(&(name, None)) {
            return ty.clone();
        }
        let parent = self.project.parent(self.scope);
        match self.project.kind(self.scope) {
            // A class body runs from top to bottom.
            ScopeKind::Class if self.is_walking || !self.is_bound_before(name) => {
                self.ctx.around(parent, name)
            }
            ScopeKind::Function if !self.project.is_bound(self.scope, name) => {
                self.ctx.around(parent, name)
            }
            ScopeKind::Function if self.is_walking => Ty::Unknown(UnknownReason::ReceiverType),
            // Names that are bound further down count, too: functions are called later.
            ScopeKind::Module | ScopeKind::Class => self.ctx.outer(self.scope, name),
            ScopeKind::Function => {
                let held = self
                    .ctx
                    .looking(self.scope, name, || self.ctx.bound(self.scope, name));
                held.unwrap_or(Ty::Unknown(UnknownReason::ReceiverType))
            }
        }
    }

    /// Tells whether a class body binds a name above the place; only definitions are compared by place.
    fn is_bound_before(&self, name: Sym) -> bool {
        let mut bindings = self.project.bindings(self.scope, name);
        bindings.any(|binding| match binding.what {
            super::facts::BindingOrigin::Define(local) => {
                self.facts.scope(local).span.end <= self.at
            }
            _ => true,
        })
    }
}

fn joined(mut fields: Vec<(Sym, Ty)>) -> Box<[(Sym, Ty)]> {
    fields.sort_by_key(|field| field.0);
    let mut joined: Vec<(Sym, Ty)> = Vec::new();
    for (name, ty) in fields {
        match joined.last_mut() {
            Some((last, known)) if *last == name => {
                *known = std::mem::replace(known, Ty::None).join(ty);
            }
            _ => joined.push((name, ty)),
        }
    }
    joined.into()
}

/// Resolves every call in a method's body and in the functions inside it, in order of the name tokens.
pub fn calls(project: &PythonProject, method: MethodId) -> Vec<Call> {
    walked(project, method).map_or_else(Vec::new, |(scope, found)| collect(project, scope, found))
}

/// Walks a method, and returns its scope and the calls found, in order of the name tokens.
fn walked(project: &PythonProject, method: MethodId) -> Option<(ScopeId, Vec<PythonFoundCall>)> {
    let state = State::default();
    let ctx = Ctx::new(project, &state);
    let scope = *project.scope_of.get(method.0 as usize)?;
    if project.kind(scope) != ScopeKind::Function {
        return None;
    }
    let mut found = found(ctx, scope);
    found.sort_by_key(|found_call| {
        (
            found_call.name_span.start,
            found_call.kind == CallKind::Operator,
        )
    });
    Some((scope, found))
}

/// Walks a body, and the functions and classes inside it, and returns the calls found.
pub fn found(ctx: Ctx<'_>, scope: ScopeId) -> Vec<PythonFoundCall> {
    let mut found = Vec::new();
    let mut open = vec![(scope, 0)];
    while let Some((scope, depth)) = open.pop() {
        let mut walker = PythonWalker::new(ctx, scope, &BodyContext::default());
        walker.record = Some(Vec::new());
        walker.depth = depth;
        walker.body();
        found.extend(walker.record.take().unwrap_or_default());
        let file = ctx.project.file_of(scope);
        let local = scope.0 - file.first_scope;
        let below = &file.facts.scopes[local as usize + 1..];
        let end = ctx.project.scope(scope).span.end;
        for (at, inner) in below.iter().enumerate() {
            if inner.span.start >= end {
                break;
            }
            let is_class = inner.kind == ScopeKind::Class;
            if inner.parent == local && depth < NESTED_MAX {
                open.push((
                    ScopeId(scope.0 + 1 + at as u32),
                    depth + u16::from(!is_class),
                ));
            }
        }
    }
    found
}

fn collect(project: &PythonProject, scope: ScopeId, found: Vec<PythonFoundCall>) -> Vec<Call> {
    let facts = &project.file_of(scope).facts;
    let parents = calls::parents(&found, |_| (), holds);
    let body = project.scope(scope).body;
    let statements: Vec<Span> = facts
        .block(body)
        .iter()
        .map(|stmt_id| facts.stmt_span(*stmt_id))
        .collect();
    let calls = found.into_iter().zip(parents);
    let calls =
        calls.map(|(found_call, parent)| found_call.call(&facts.lines, &statements, parent));
    calls.collect()
}

/// Tells whether a call has another one in its receiver or in an argument.
fn holds(top: &PythonFoundCall, other: &PythonFoundCall) -> bool {
    let is_call = matches!(
        top.kind,
        CallKind::Method | CallKind::Constructor | CallKind::Delegation
    );
    is_call
        && top.span.end > other.span.start
        && top.span.contains(other.span)
        && top.span != other.span
}

/// Records the steps in which one call of a method was resolved.
pub fn trace(project: &PythonProject, method: MethodId, call: u32) -> Vec<ResolutionStep> {
    let found = walked(project, method).map_or_else(Vec::new, |(_, found)| found);
    let Some(found) = found.get(call as usize) else {
        return Vec::new();
    };
    let mut steps = vec![ResolutionStep::new("called", &*found.besides)];
    if found.marks.has(CallMarks::BY_NAME) {
        steps.push(ResolutionStep::new("by name", &*found.name));
    }
    if found.marks.has(CallMarks::WRAPPED) {
        steps.push(ResolutionStep::new("wrapped", &*found.name));
    }
    steps.extend(calls::outcome(
        &project.methods,
        &found.resolution,
        usize::MAX,
    ));
    steps
}
