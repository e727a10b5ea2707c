//! The answers of the index, and the facts in a test's body beyond its calls: which call's value reaches which other
//! call through a variable, and the classes of the objects in fields.
//!
//! Follows names, not types, and one pass in source order: a clue, no proof.

use crate::run::Run;
use rustc_hash::FxHashMap;

use super::facts::{Display, Expr, ExprId, Name, PythonFacts, ScopeKind, Stmt, StmtId};
use super::project::{BaseClass, PythonProject};
use super::resolve::{self, BodyContext, Ctx, PythonWalker, State};
use super::spans;
use super::types::{ClassExactness, ScopeId, Ty};
use crate::index::{Clues, Flow, Index, ResolutionStep};
use crate::model::{Call, CallRole, Flag, Flags, Framework, MethodId, TestCase, TestKind};

/// How deep expressions are followed; bounds the recursion on hostile sources.
const DEPTH_MAX: u16 = 100;

/// How many calls a variable's value may be computed from: assignments that read the variable itself accumulate them.
const VALUES_MAX: usize = 64;

impl Index for PythonProject {
    fn test_case(&self, test: MethodId) -> TestCase {
        let at = self.tests.binary_search_by_key(&test, |test| test.0);
        let mark = at.ok().map(|at| self.tests[at].1);
        let scope = self.scope_of[test.0 as usize];
        let facts = &self.file_of(scope).facts;
        let body = self.scope(scope).body;
        let statements = facts
            .block(body)
            .iter()
            .map(|stmt_id| facts.stmt_span(*stmt_id));
        let (assertions, blocks) = spans::of_body(facts, body);
        let mut flags = Flags::default();
        flags.set(
            Flag::Parametrised,
            mark.is_some_and(|collected_test| collected_test.is_parametrised),
        );
        flags.set(
            Flag::Skipped,
            mark.is_some_and(|collected_test| collected_test.is_skipped),
        );
        flags.set(Flag::Generated, facts.is_generated);
        let state = State::default();
        let ctx = Ctx::new(self, &state);
        let class = mark.and_then(|collected_test| collected_test.class);
        TestCase {
            method: test,
            framework: mark.map_or(Framework::Unknown, |collected_test| {
                collected_test.framework
            }),
            kind: mark.map_or(TestKind::Test, |collected_test| collected_test.kind),
            statements: statements.collect(),
            calls: resolve::calls(self, test),
            fixtures: ctx.fixtures_of(scope, class),
            group: group(self, test),
            flags,
            assertions,
            blocks,
        }
    }

    fn calls(&self, method: MethodId) -> Vec<Call> {
        resolve::calls(self, method)
    }

    fn trace(&self, method: MethodId, call: u32) -> Vec<ResolutionStep> {
        resolve::trace(self, method, call)
    }

    fn implementations(&self, method: MethodId) -> Vec<MethodId> {
        let state = State::default();
        let ctx = Ctx::new(self, &state);
        let Some(scope) = self.scope_of.get(method.0 as usize).copied() else {
            return Vec::new();
        };
        let Some(class) = self.class_of(scope) else {
            return Vec::new();
        };
        let functions = ctx.overrides(class, scope);
        let mut found: Vec<MethodId> = functions
            .iter()
            .filter_map(|function| self.method(*function))
            .collect();
        found.sort_unstable();
        found
    }

    fn clues(&self, test: &TestCase) -> Clues {
        let Some(scope) = self.scope_of.get(test.method.0 as usize).copied() else {
            return Clues::default();
        };
        let facts = &self.file_of(scope).facts;
        let places = test.calls.iter().enumerate();
        let numbers = places.map(|(number, call)| (call.name_span.start, number as u32));
        let mut walk = PythonClueWalk {
            facts,
            numbers: numbers.collect(),
            values: FxHashMap::default(),
            flows: Vec::new(),
            fields: Vec::new(),
            depth: 0,
        };
        walk.block(self.scope(scope).body);
        Clues {
            flows: walk.flows,
            field_constructors: field_constructors(self, scope, &walk.fields),
        }
        .sorted()
    }

    fn dispatch(&self, maker: MethodId, name: &str, _n_arguments: usize) -> Option<MethodId> {
        let state = State::default();
        let ctx = Ctx::new(self, &state);
        let scope = *self.scope_of.get(maker.0 as usize)?;
        let class = match self.kind(scope) {
            ScopeKind::Class => scope,
            _ => self.class_of(scope)?,
        };
        let function = ctx.function_member(class, self.find(name)?)?;
        self.method(function)
    }

    fn is_accessor(&self, method: MethodId) -> bool {
        let Some(scope) = self.scope_of.get(method.0 as usize).copied() else {
            return false;
        };
        if self.class_of(scope).is_none() {
            return false;
        }
        let facts = &self.file_of(scope).facts;
        let is_text = |stmt_id: &StmtId| matches!(facts.stmt(*stmt_id), Stmt::Expr(value) if matches!(facts.expr(value), Expr::Str(_) | Expr::Literal(_)));
        let body = facts.block(self.scope(scope).body);
        let mut body = body.iter().filter(|stmt_id| !is_text(stmt_id));
        let (Some(only), None) = (body.next(), body.next()) else {
            return false;
        };
        let is_field = |id: ExprId| match facts.expr(id) {
            Expr::Attr { value, .. } => matches!(facts.expr(value), Expr::Name(_)),
            _ => false,
        };
        match facts.stmt(*only) {
            Stmt::Return(Some(value)) => is_field(value),
            Stmt::Assign { targets, value } => {
                facts.list(targets).iter().all(|expr_id| is_field(*expr_id))
                    && matches!(facts.expr(value), Expr::Name(_))
            }
            _ => false,
        }
    }

    fn is_inherited_by(&self, method: MethodId, class: (&str, &str)) -> bool {
        let state = State::default();
        let ctx = Ctx::new(self, &state);
        let Some(function) = self.scope_of.get(method.0 as usize).copied() else {
            return false;
        };
        let (Some(owner), Some(name)) = (self.class_of(function), self.find(class.1)) else {
            return false;
        };
        let Some(files) = self.modules.get(class.0) else {
            return false;
        };
        files.iter().any(|file| {
            let found = ctx.bound(self.module_scope(*file), name);
            let Some(Ty::Class(class, _)) = found else {
                return false;
            };
            class != owner
                && ctx.order(class).contains(&BaseClass::Class(owner))
                && ctx.function_member(class, self.name_of(function)) == Some(function)
        })
    }
}

/// Names the group of a test: the innermost class, else the file's stem without `test_` or `_test`.
fn group(project: &PythonProject, test: MethodId) -> String {
    let method = &project.methods[test.0 as usize];
    let class = method.simple_class();
    if !class.is_empty() {
        return class.to_owned();
    }
    let path = &*project.file(method.file).facts.path;
    let stem = path
        .rsplit('/')
        .next()
        .unwrap_or(path)
        .trim_end_matches(".py");
    let bare = ["test_", "tests_"]
        .iter()
        .find_map(|text| stem.strip_prefix(text));
    let bare = bare.or_else(|| {
        ["_test", "_tests"]
            .iter()
            .find_map(|text| stem.strip_suffix(text))
    });
    bare.unwrap_or(stem).to_owned()
}

/// Finds the constructors behind calls on fields that are only ever given objects of one class.
fn field_constructors(
    project: &PythonProject,
    test: ScopeId,
    fields: &[(ExprId, u32)],
) -> Vec<(u32, MethodId)> {
    let state = State::default();
    let ctx = Ctx::new(project, &state);
    let mut made = Vec::new();
    for (receiver, call) in fields {
        let Expr::Attr { name, .. } = project.file_of(test).facts.expr(*receiver) else {
            continue;
        };
        let Some(class) = project.class_of(test) else {
            continue;
        };
        let name = project.sym(test, name);
        let value = ctx.attr(&Ty::Inst(class, ClassExactness::Own), name);
        if let Ty::Inst(of, ClassExactness::Made) = value
            && let Some(maker) = maker(ctx, of)
        {
            made.push((*call, maker));
        }
    }
    made
}

/// Finds the constructor that an object of a class is made by.
fn maker(ctx: Ctx<'_>, class: ScopeId) -> Option<MethodId> {
    let walker = PythonWalker::new(ctx, class, &BodyContext::default());
    walker.constructor(class)
}

/// One pass over a body.
struct PythonClueWalk<'f> {
    facts: &'f PythonFacts,
    /// Indices of calls, by where their names begin.
    numbers: FxHashMap<u32, u32>,
    /// The calls whose value a variable holds.
    values: FxHashMap<Name, Vec<u32>>,
    flows: Vec<Flow>,
    /// Each `self.x` that is a receiver, with the index of the call.
    fields: Vec<(ExprId, u32)>,
    depth: u16,
}

impl PythonClueWalk<'_> {
    fn block(&mut self, block: Run) {
        for at in block.range() {
            self.stmt(self.facts.blocks[at]);
        }
    }

    fn stmt(&mut self, id: StmtId) {
        let stmt = self.facts.stmt(id);
        match stmt {
            Stmt::Expr(value) | Stmt::Augmented { value, .. } | Stmt::Return(Some(value)) => {
                self.expr(value);
            }
            Stmt::Assign { targets, value } => {
                self.expr(value);
                for at in targets.range() {
                    self.give(self.facts.lists[at], value);
                }
            }
            Stmt::Annotated {
                target,
                value: Some(value),
                ..
            } => {
                self.expr(value);
                self.give(target, value);
            }
            Stmt::If { branches } | Stmt::Match { branches, .. } => {
                for at in branches.range() {
                    let branch = self.facts.branches[at];
                    if let Some(test) = branch.test {
                        self.expr(test);
                    }
                    self.block(branch.body);
                }
                return;
            }
            Stmt::While { test, .. } => self.expr(test),
            Stmt::For { target, iter, .. } => {
                self.expr(iter);
                self.give(target, iter);
            }
            Stmt::With { items, .. } => {
                for at in items.range() {
                    let item = self.facts.items[at];
                    self.expr(item.value);
                    if let Some(target) = item.target {
                        self.give(target, item.value);
                    }
                }
            }
            Stmt::Define(local) => {
                let scope = *self.facts.scope(local);
                if scope.kind == ScopeKind::Function {
                    self.block(scope.body);
                }
            }
            Stmt::Assert(parts) | Stmt::Raise(parts) | Stmt::Other(parts) => {
                for at in parts.range() {
                    self.expr(self.facts.lists[at]);
                }
            }
            _ => {}
        }
        for body in self.facts.bodies(stmt) {
            self.block(body);
        }
    }

    fn give(&mut self, target: ExprId, value: ExprId) {
        match self.facts.expr(target) {
            Expr::Name(name) => {
                let mut sites = Vec::new();
                self.sites_of(value, &mut sites, 0);
                self.values.insert(name, sites);
            }
            Expr::Display(_, run) => {
                for at in run.range() {
                    self.give(self.facts.lists[at], value);
                }
            }
            _ => {}
        }
    }

    fn number_of(&self, call: ExprId) -> Option<u32> {
        match self.facts.expr(call) {
            Expr::Call { function, .. } => {
                let at = self.facts.token(function);
                self.numbers.get(&at).copied()
            }
            Expr::Attr { .. } | Expr::Subscript { .. } | Expr::Binary { .. } => {
                self.numbers.get(&self.facts.token(call)).copied()
            }
            _ => None,
        }
    }

    /// Collects the calls whose value an expression has, or is computed from.
    fn sites_of(&self, id: ExprId, sites: &mut Vec<u32>, depth: u16) {
        if depth > DEPTH_MAX || sites.len() > VALUES_MAX {
            return;
        }
        if let Some(number) = self.number_of(id) {
            sites.push(number);
            return;
        }
        let mut part = |id| self.sites_of(id, sites, depth + 1);
        match self.facts.expr(id) {
            Expr::Name(name) => sites.extend(self.values.get(&name).into_iter().flatten()),
            Expr::Attr { value, .. }
            | Expr::Subscript { value, .. }
            | Expr::Unary { value, .. }
            | Expr::Walrus { value, .. }
            | Expr::Await(value)
            | Expr::Star(value) => part(value),
            Expr::Binary { left, right, .. } => {
                part(left);
                part(right);
            }
            Expr::Cond { then, other, .. } => {
                part(then);
                part(other);
            }
            Expr::Display(display, run) if display != Display::Parts => {
                for at in run.range().take(VALUES_MAX) {
                    part(self.facts.lists[at]);
                }
            }
            // `len(x)`, `list(x)`: a function that is not known here still gives something computed from its arguments.
            Expr::Call { args, .. } => {
                for at in args.range().take(VALUES_MAX) {
                    part(self.facts.args[at].value);
                }
            }
            _ => {}
        }
    }

    /// Notes which values reach the calls in an expression.
    fn expr(&mut self, id: ExprId) {
        if self.depth > DEPTH_MAX {
            return;
        }
        self.depth += 1;
        self.inner(id);
        self.depth -= 1;
    }

    fn inner(&mut self, id: ExprId) {
        match self.facts.expr(id) {
            Expr::Call { function, args } => {
                let number = self.number_of(id);
                if let Expr::Attr { value, .. } = self.facts.expr(function) {
                    if let Some(to) = number {
                        self.flow(value, to, CallRole::Receiver);
                        if self.is_field(value) {
                            self.fields.push((value, to));
                        }
                    }
                    self.expr(value);
                }
                for at in args.range() {
                    let value = self.facts.args[at].value;
                    if let Some(to) = number {
                        self.flow(value, to, CallRole::Argument);
                    }
                    self.expr(value);
                }
            }
            Expr::Attr { value, .. } | Expr::Unary { value, .. } | Expr::Walrus { value, .. } => {
                self.expr(value);
            }
            Expr::Subscript { value, index } => {
                self.expr(value);
                self.expr(index);
            }
            Expr::Binary { left, right, .. } => {
                if let Some(to) = self.number_of(id) {
                    self.flow(left, to, CallRole::Receiver);
                    self.flow(right, to, CallRole::Argument);
                }
                self.expr(left);
                self.expr(right);
            }
            Expr::Cond { test, then, other } => {
                self.expr(test);
                self.expr(then);
                self.expr(other);
            }
            Expr::Display(_, run) => {
                for at in run.range() {
                    self.expr(self.facts.lists[at]);
                }
            }
            Expr::Comprehension(number) => {
                let comprehension = self.facts.comprehensions[number as usize];
                for at in comprehension.clauses.range() {
                    self.expr(self.facts.clauses[at].iter);
                }
                self.expr(comprehension.value);
            }
            Expr::Lambda(number) => self.expr(self.facts.lambdas[number as usize].body),
            Expr::Await(value)
            | Expr::Star(value)
            | Expr::YieldFrom(value)
            | Expr::Yield(Some(value)) => self.expr(value),
            _ => {}
        }
    }

    fn is_field(&self, id: ExprId) -> bool {
        match self.facts.expr(id) {
            Expr::Attr { value, .. } => {
                matches!(self.facts.expr(value), Expr::Name(name) if self.facts.word(name) == "self")
            }
            _ => false,
        }
    }

    /// Notes which variables of an argument or a receiver hold values of calls.
    fn flow(&mut self, value: ExprId, to: u32, role: CallRole) {
        let mut sites = Vec::new();
        match self.facts.expr(value) {
            // A call inside a call needs no flow: the calls themselves tell it.
            Expr::Call { .. } => return,
            _ => self.sites_of(value, &mut sites, 0),
        }
        for from in sites {
            if from != to {
                self.flows.push(Flow { from, to, role });
            }
        }
    }
}
