//! The answers of the index, and the facts in a test's body beyond its calls: which call's value reaches which other
//! call through a variable, and the classes of the objects in fields.
//!
//! The walk follows names, not types, in one pass in source order: it gives clues, not proofs.

use rustc_hash::FxHashMap;

use super::facts::{
    Expr, ExprId, FieldDecl, Ids, JavaFacts, LambdaBody, Name, SiteId, SiteKind, Stmt, StmtId,
};
use super::junit;
use super::project::{JavaNameScope, JavaProject};
use super::resolve::{self, Numbering};
use super::types::{ClassId, MemberId};
use crate::index::{Clues, FieldClasses, Flow, Index, ResolutionStep};
use crate::methods::TestMark;
use crate::model::{Call, CallRole, Framework, MethodId, Span, TestCase};

/// How deep statements and expressions are followed; bounds the recursion on hostile sources.
const DEPTH_MAX: u16 = 200;

impl Index for JavaProject {
    fn test_case(&self, test: MethodId) -> TestCase {
        let declaration = &self.methods[test.0 as usize];
        let mark = TestMark::find(&self.tests, test, Framework::JUnit4);
        let statements = self
            .method_decl(MemberId(test.0))
            .map(|(file, decl)| &self.file(file).facts.statements[decl.statements.range()]);
        TestCase {
            method: test,
            framework: mark.framework,
            kind: mark.kind,
            statements: statements.map_or_else(Vec::new, <[Span]>::to_vec),
            calls: resolve::calls(self, test),
            fixtures: junit::fixtures(self, test),
            group: declaration.simple_class().to_owned(),
            flags: junit::flags(self, test, mark),
            assertions: Vec::new(),
            blocks: Vec::new(),
        }
    }

    fn calls(&self, method: MethodId) -> Vec<Call> {
        resolve::calls(self, method)
    }

    fn trace(&self, method: MethodId, call: u32) -> Vec<ResolutionStep> {
        resolve::trace(self, method, call)
    }

    fn implementations(&self, method: MethodId) -> Vec<MethodId> {
        Self::implementations(self, method)
    }

    fn clues(&self, test: &TestCase) -> Clues {
        let Some((file, decl)) = self.method_decl(MemberId(test.method.0)) else {
            return Clues::default();
        };
        let Some(body) = decl.body else {
            return Clues::default();
        };
        let file = self.file(file);
        let mut walk = JavaClueWalk::new(&file.facts);
        walk.stmt(body);
        let numbering = Numbering::of(&file.facts, decl);
        let mut clues = Clues::default();
        for (from, to, role) in &walk.flows {
            if let (Some(from), Some(to)) = (numbering.get(*from), numbering.get(*to)) {
                clues.flows.push(Flow {
                    from,
                    to,
                    role: *role,
                });
            }
        }
        if !walk.fields.is_empty() {
            let made = made_fields(self, test.method, &test.fixtures);
            clues.field_constructors = walk
                .fields
                .iter()
                .filter_map(|(name, site)| {
                    Some((
                        numbering.get(*site)?,
                        *made.get(file.facts.names.get(*name))?,
                    ))
                })
                .collect();
        }
        clues.sorted()
    }

    fn dispatch(&self, maker: MethodId, name: &str, n_arguments: usize) -> Option<MethodId> {
        let class = self.member(MemberId(maker.0)).owner;
        let sym = self.symbols.find(name)?;
        self.ancestors(class).iter().find_map(|&ancestor| {
            let mut fitting = self
                .methods_named(ancestor, sym)
                .filter(|member| member.params.len() == n_arguments);
            let first = fitting.next()?;
            Some(first.id.filter(|_| fitting.next().is_none()))
        })?
    }

    fn is_accessor(&self, method: MethodId) -> bool {
        let Some((file, decl)) = self.method_decl(MemberId(method.0)) else {
            return true; // made by the compiler or a generator
        };
        let facts = &self.file(file).facts;
        let Some(body) = decl.body else { return false };
        let Stmt::Block(ids) = facts.stmt(body) else {
            return false;
        };
        let stmts: Vec<Stmt> = facts.ids(ids).map(|id| facts.stmt(id)).collect();
        let is_this = |id: ExprId| matches!(facts.expr(id), Expr::This);
        let is_field = |id: ExprId| match facts.expr(id) {
            Expr::Name(_) => true,
            Expr::Field(object, _) => is_this(object),
            _ => false,
        };
        let sets = |id: ExprId| match facts.expr(id) {
            Expr::Assign(target, value) => {
                is_field(target) && matches!(facts.expr(value), Expr::Name(_))
            }
            _ => false,
        };
        match stmts[..] {
            [Stmt::Return(Some(value))] => {
                is_field(value) || is_this(value) || matches!(facts.expr(value), Expr::Literal(_))
            }
            [Stmt::Expr(value)] => sets(value),
            [Stmt::Expr(value), Stmt::Return(Some(result))] => sets(value) && is_this(result),
            _ => false,
        }
    }

    fn is_inherited_by(&self, method: MethodId, class: (&str, &str)) -> bool {
        let owner = self.member(MemberId(method.0)).owner;
        self.top_level(class.0, class.1)
            .is_some_and(|class| class != owner && self.is_below(class, owner))
    }
}

/// Returns, for the fields of the test's class that are only ever given objects of one project class, a constructor of
/// that class.
fn made_fields(
    project: &JavaProject,
    test: MethodId,
    fixtures: &[MethodId],
) -> FxHashMap<String, MethodId> {
    let mut held = FieldClasses::new();
    let owner = project.member(MemberId(test.0)).owner;
    if let Some((file_id, index)) = project.class(owner).decl {
        let facts = &project.file(file_id).facts;
        for field in facts.fields.iter().filter(|field| field.owner == index) {
            let Some(init) = field.init else { continue };
            held.note(
                facts.names.get(field.name),
                class_made(project, owner, facts, init),
            );
        }
    }
    for fixture in fixtures {
        let Some((file_id, decl)) = project.method_decl(MemberId(fixture.0)) else {
            continue;
        };
        let Some(body) = decl.body else { continue };
        let facts = &project.file(file_id).facts;
        let holder = project.member(MemberId(fixture.0)).owner;
        let mut walk = JavaClueWalk::new(facts);
        walk.stmt(body);
        for (name, value) in walk.assigned {
            if is_field(&facts.fields, decl.owner, name) {
                held.note(
                    facts.names.get(name),
                    class_made(project, holder, facts, value),
                );
            }
        }
    }
    held.constructors(|class| a_constructor(project, class))
}

fn is_field(fields: &[FieldDecl], owner: u32, name: Name) -> bool {
    fields
        .iter()
        .any(|field| field.owner == owner && field.name == name)
}

/// Finds the project's class when an expression is `new C(…)`.
fn class_made(
    project: &JavaProject,
    holder: ClassId,
    facts: &JavaFacts,
    value: ExprId,
) -> Option<ClassId> {
    let site = match facts.expr(value) {
        Expr::Site(site) => facts.site(site),
        Expr::Cast(_, inner) => return class_made(project, holder, facts, inner),
        _ => return None,
    };
    let (SiteKind::New, None, Some(ty)) = (site.kind, site.body, site.ty) else {
        return None;
    };
    let (file, _) = project.class(holder).decl?;
    let scope = JavaNameScope::of_class(file, holder);
    let class = project.resolve(ty, scope).class_id()?;
    (!class.is_library()).then_some(class)
}

fn a_constructor(project: &JavaProject, class: ClassId) -> Option<MethodId> {
    project
        .methods_named(class, project.words.init)
        .find_map(|member| member.id)
}

/// One pass over a body.
struct JavaClueWalk<'f> {
    facts: &'f JavaFacts,
    /// The sites whose value a variable holds.
    values: FxHashMap<Name, Vec<SiteId>>,
    /// Variables with the values that they were given, in order.
    assigned: Vec<(Name, ExprId)>,
    flows: Vec<(SiteId, SiteId, CallRole)>,
    /// Receivers to which no statement of this body assigned a value: possibly fields.
    fields: Vec<(Name, SiteId)>,
    depth: u16,
}

impl<'f> JavaClueWalk<'f> {
    fn new(facts: &'f JavaFacts) -> Self {
        Self {
            facts,
            values: FxHashMap::default(),
            assigned: Vec::new(),
            flows: Vec::new(),
            fields: Vec::new(),
            depth: 0,
        }
    }

    fn give(&mut self, name: Name, value: ExprId) {
        let mut sites = Vec::new();
        self.sites_of(value, &mut sites, 0);
        self.values.insert(name, sites);
        self.assigned.push((name, value));
    }

    /// Collects the sites whose value an expression has, or is computed from.
    fn sites_of(&self, id: ExprId, sites: &mut Vec<SiteId>, depth: u16) {
        if depth > DEPTH_MAX {
            return;
        }
        let mut part = |id| self.sites_of(id, sites, depth + 1);
        match self.facts.expr(id) {
            Expr::Cast(_, value)
            | Expr::Assign(_, value)
            | Expr::Unary(_, value)
            | Expr::Index(value, _)
            | Expr::Instanceof(value, _) => part(value),
            Expr::Conditional(_, a, b) | Expr::Binary(_, a, b) => {
                part(a);
                part(b);
            }
            Expr::NewArray(_, parts) | Expr::ArrayInit(parts) => {
                self.facts.ids(parts).for_each(part);
            }
            Expr::Site(site) => sites.push(site),
            expr => {
                if let Some(known) = self.variable(expr).and_then(|name| self.values.get(&name)) {
                    sites.extend(known);
                }
            }
        }
    }

    /// Reads an expression as the name of a variable: `x` or `this.x`.
    fn variable(&self, expr: Expr) -> Option<Name> {
        match expr {
            Expr::Name(name) => Some(name),
            Expr::Field(object, name) if matches!(self.facts.expr(object), Expr::This) => {
                Some(name)
            }
            _ => None,
        }
    }

    fn stmts(&mut self, ids: Ids<StmtId>) {
        for id in self.facts.ids(ids) {
            self.stmt(id);
        }
    }

    fn stmt(&mut self, id: StmtId) {
        if self.depth > DEPTH_MAX {
            return;
        }
        self.depth += 1;
        self.stmt_inside(id);
        self.depth -= 1;
    }

    fn stmt_inside(&mut self, id: StmtId) {
        match self.facts.stmt(id) {
            Stmt::Nothing | Stmt::LocalType(_) | Stmt::Return(None) => {}
            Stmt::Block(ids) => self.stmts(ids),
            Stmt::Local(run) => {
                for local in &self.facts.locals[run.range()] {
                    let Some(init) = local.init else { continue };
                    self.expr(init, None);
                    self.give(local.name, init);
                }
            }
            Stmt::Expr(value)
            | Stmt::Return(Some(value))
            | Stmt::Yield(value)
            | Stmt::Throw(value) => {
                self.expr(value, None);
            }
            Stmt::If(condition, then, other) => {
                self.expr(condition, None);
                self.stmt(then);
                if let Some(other) = other {
                    self.stmt(other);
                }
            }
            Stmt::While(condition, body) | Stmt::DoWhile(body, condition) => {
                self.expr(condition, None);
                self.stmt(body);
            }
            Stmt::For(index) => {
                let for_loop = self.facts.fors[index as usize];
                self.stmts(for_loop.init);
                if let Some(condition) = for_loop.condition {
                    self.expr(condition, None);
                }
                self.stmt(for_loop.body);
                self.exprs(for_loop.update, None);
            }
            Stmt::ForEach(index, body) => {
                let local = self.facts.locals[index as usize];
                if let Some(init) = local.init {
                    self.expr(init, None);
                    self.give(local.name, init);
                }
                self.stmt(body);
            }
            Stmt::Labeled(body) => self.stmt(body),
            Stmt::Try(index) => {
                let statement = self.facts.tries[index as usize];
                self.stmts(statement.resources);
                self.stmt(statement.body);
                for catch in &self.facts.catches[statement.catches.range()] {
                    self.stmt(catch.body);
                }
                if let Some(finally) = statement.finally {
                    self.stmt(finally);
                }
            }
            Stmt::Synchronized(lock, body) => {
                self.expr(lock, None);
                self.stmt(body);
            }
            Stmt::Assert(parts) => self.exprs(parts, None),
        }
    }

    fn exprs(&mut self, ids: Ids<ExprId>, into: Option<(SiteId, CallRole)>) {
        for id in self.facts.ids(ids) {
            self.expr(id, into);
        }
    }

    /// Walks an expression that is a part of the call `into`.
    fn expr(&mut self, id: ExprId, into: Option<(SiteId, CallRole)>) {
        if self.depth > DEPTH_MAX {
            return;
        }
        self.depth += 1;
        self.expr_inside(id, into);
        self.depth -= 1;
    }

    fn expr_inside(&mut self, id: ExprId, into: Option<(SiteId, CallRole)>) {
        let expr = self.facts.expr(id);
        if let Some(name) = self.variable(expr) {
            self.read(name, into);
            return;
        }
        match expr {
            Expr::Assign(target, value) => {
                self.expr(value, into);
                match self.variable(self.facts.expr(target)) {
                    Some(name) => self.give(name, value),
                    None => self.expr(target, None),
                }
            }
            Expr::Site(id) => {
                let site = *self.facts.site(id);
                if let Some(object) = site.object {
                    self.expr(object, Some((id, CallRole::Receiver)));
                }
                self.exprs(site.args, Some((id, CallRole::Argument)));
            }
            Expr::Lambda(index) => match self.facts.lambdas[index as usize].body {
                LambdaBody::Expr(body) => self.expr(body, into),
                LambdaBody::Block(body) => self.stmt(body),
            },
            Expr::Switch(index) => {
                let switch = self.facts.switches[index as usize];
                self.expr(switch.value, into);
                for case in &self.facts.cases[switch.cases.range()] {
                    self.stmts(case.body);
                }
            }
            Expr::Field(part, _)
            | Expr::Cast(_, part)
            | Expr::Instanceof(part, _)
            | Expr::Unary(_, part)
            | Expr::OuterThis(part)
            | Expr::Template(part) => self.expr(part, into),
            Expr::Index(a, b) | Expr::Binary(_, a, b) => {
                self.expr(a, into);
                self.expr(b, into);
            }
            Expr::Conditional(a, b, c) => {
                self.expr(a, into);
                self.expr(b, into);
                self.expr(c, into);
            }
            Expr::NewArray(_, parts) | Expr::ArrayInit(parts) => self.exprs(parts, into),
            Expr::Broken
            | Expr::TooDeep
            | Expr::Literal(_)
            | Expr::Name(_)
            | Expr::This
            | Expr::Super
            | Expr::ClassLiteral(_) => {}
        }
    }

    /// Notes that a variable is read as a part of the call `into`.
    fn read(&mut self, name: Name, into: Option<(SiteId, CallRole)>) {
        let Some((to, role)) = into else { return };
        match self.values.get(&name) {
            Some(sites) => self
                .flows
                .extend(sites.iter().map(|&from| (from, to, role))),
            None if role == CallRole::Receiver => self.fields.push((name, to)),
            None => {}
        }
    }
}
