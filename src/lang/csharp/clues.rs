//! The answers of the index, and the facts in a test's body beyond its calls: which call's value reaches which other
//! call through a variable, and the classes of the objects in fields.
//!
//! The walk follows names, not types, in one pass in source order: it gives clues, not proofs.

use rustc_hash::FxHashMap;

use super::facts::{
    Arg, Body, CSharpFacts, Expr, ExprId, MemberAccess, MemberDecl, MemberKind, Name, Pattern,
    Stmt, StmtId,
};
use super::project::{CSharpNameScope, CSharpProject};
use super::types::{CSharpMember, MemberId, TypeId};
use super::{resolve, testing};
use crate::index::{Clues, FieldClasses, Flow, Index, ResolutionStep};
use crate::methods::TestMark;
use crate::model::{Call, CallRole, Flag, Flags, Framework, MethodId, NestedBlock, Span, TestCase};

/// How deep expressions are followed; bounds the recursion on hostile sources.
const DEPTH_MAX: u32 = 100;

impl Index for CSharpProject {
    fn test_case(&self, test: MethodId) -> TestCase {
        let mark = TestMark::find(&self.tests, test, Framework::Unknown);
        let calls = resolve::calls(self, test);
        let (statements, blocks, is_generated) = body(self, test);
        let mut flags = Flags::default();
        flags.set(Flag::Parametrised, mark.is_parametrised);
        flags.set(Flag::Skipped, mark.is_skipped);
        flags.set(Flag::Generated, is_generated);
        TestCase {
            method: test,
            framework: mark.framework,
            kind: mark.kind,
            statements,
            assertions: testing::assertions(&calls),
            calls,
            fixtures: testing::fixtures(self, test),
            group: self.methods[test.0 as usize].simple_class().to_owned(),
            flags,
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
        Self::implementations(self, method)
    }

    fn clues(&self, test: &TestCase) -> Clues {
        let Some((_, member)) = self.member_of(test.method) else {
            return Clues::default();
        };
        let Some(decl) = self.member_decl(member) else {
            return Clues::default();
        };
        let facts = &self.file(member.file).facts;
        let mut walk = CSharpClueWalk {
            facts,
            calls: FxHashMap::default(),
            values: FxHashMap::default(),
            flows: Vec::new(),
            fields: Vec::new(),
        };
        for (at, expr) in resolve::flows_of(self, test.method).into_iter().enumerate() {
            walk.calls.entry(expr).or_insert(at as u32);
        }
        walk.calls.remove(&ExprId(0));
        walk.run(decl);
        let mut clues = Clues {
            flows: walk.flows,
            field_constructors: Vec::new(),
        };
        if !walk.fields.is_empty() {
            let made = made_fields(self, member.owner, &test.fixtures);
            let made = walk
                .fields
                .iter()
                .filter_map(|(name, call)| Some((*call, *made.get(facts.word(*name))?)));
            clues.field_constructors = made.collect();
        }
        clues.sorted()
    }

    fn dispatch(&self, maker: MethodId, name: &str, n_arguments: usize) -> Option<MethodId> {
        let (_, maker) = self.member_of(maker)?;
        let name = self.symbols.find(name)?;
        for owner in self.line(maker.owner) {
            let mut fitting = self
                .own_members(owner, name)
                .map(|member| self.member(member))
                .filter(|member| {
                    member.kind == MemberKind::Method && member.params.len() == n_arguments
                });
            if let Some(first) = fitting.next() {
                return match fitting.next() {
                    None => first.method,
                    Some(_) => None,
                };
            }
        }
        None
    }

    fn is_accessor(&self, method: MethodId) -> bool {
        let Some((_, member)) = self.member_of(method) else {
            return false;
        };
        let Some(decl) = self.member_decl(member) else {
            return false;
        };
        let facts = &self.file(member.file).facts;
        match decl.body {
            Body::Expr(value) => is_plain(facts, value),
            Body::Block(block) => match facts.stmt(block) {
                Stmt::Block(ids) if ids.len() == 1 => {
                    let stmt: Option<StmtId> = facts.ids(ids).next();
                    match stmt.map(|stmt_id| facts.stmt(stmt_id)) {
                        Some(Stmt::Return(Some(value)) | Stmt::Expr(value)) => {
                            is_plain(facts, value)
                        }
                        _ => false,
                    }
                }
                _ => false,
            },
            Body::None => false,
        }
    }

    fn is_inherited_by(&self, method: MethodId, class: (&str, &str)) -> bool {
        let Some((_, member)) = self.member_of(method) else {
            return false;
        };
        let below = (0..4).find_map(|arity| self.type_named(class.0, class.1, arity));
        below.is_some_and(|type_id| type_id != member.owner && self.is_below(type_id, member.owner))
    }
}

/// Returns a method's top-level statements, the bodies in it, and whether its file was written by a generator.
fn body(project: &CSharpProject, method: MethodId) -> (Vec<Span>, Vec<NestedBlock>, bool) {
    let Some((_, member)) = project.member_of(method) else {
        return (Vec::new(), Vec::new(), false);
    };
    let facts = &project.file(member.file).facts;
    let Some(decl) = project.member_decl(member) else {
        return (Vec::new(), Vec::new(), facts.is_generated);
    };
    let blocks = facts.blocks[decl.blocks.range()]
        .iter()
        .map(|block_decl| NestedBlock {
            span: block_decl.span,
            statements: facts.statements[block_decl.statements.range()].to_vec(),
            is_function: block_decl.is_function,
        })
        .collect();
    let statements = facts.statements[decl.statements.range()].to_vec();
    (statements, blocks, facts.is_generated)
}

/// Something that happens to variables.
enum VariableEvent {
    /// A call, which values of variables reach, and its number.
    Call(ExprId, u32),
    /// A variable is given a value.
    Given(Name, ExprId),
}

struct CSharpClueWalk<'f> {
    facts: &'f CSharpFacts,
    calls: FxHashMap<ExprId, u32>,
    /// The calls whose value a variable holds.
    values: FxHashMap<Name, Vec<u32>>,
    flows: Vec<Flow>,
    /// Receivers to which no statement of this body assigned a value: possibly fields.
    fields: Vec<(Name, u32)>,
}

impl CSharpClueWalk<'_> {
    fn run(&mut self, decl: &MemberDecl) {
        let mut events: Vec<(u32, u8, VariableEvent)> = Vec::new();
        for at in decl.exprs.range() {
            let id = ExprId(at as u32);
            let end = self.facts.span(id).end;
            if let Some(&call) = self.calls.get(&id) {
                events.push((end, 0, VariableEvent::Call(id, call)));
            }
            if let Expr::Assign(_, left, right) = self.facts.expr(id)
                && let Expr::Name(name, _) = self.facts.expr(left)
            {
                events.push((end, 1, VariableEvent::Given(name, right)));
            }
        }
        for local in &self.facts.locals[decl.locals.range()] {
            if let (Some(init), Pattern::Variable(_, name)) =
                (local.init, self.facts.pattern(local.target))
            {
                events.push((
                    self.facts.span(init).end,
                    1,
                    VariableEvent::Given(name, init),
                ));
            }
        }
        events.sort_by_key(|event| (event.0, event.1));
        for (_, _, event) in events {
            match event {
                VariableEvent::Given(name, value) => {
                    let mut sources = Vec::new();
                    self.sources(value, &mut sources, 0);
                    self.values.insert(name, sources);
                }
                VariableEvent::Call(id, call) => self.call(id, call),
            }
        }
    }

    fn call(&mut self, id: ExprId, call: u32) {
        let facts = self.facts;
        let (receiver, args): (Option<ExprId>, &[Arg]) = match facts.expr(id) {
            Expr::Call(function, args) => match facts.expr(function) {
                Expr::Member(MemberAccess { object, .. }) => (Some(object), facts.args(args)),
                _ => (None, facts.args(args)),
            },
            Expr::New { args, .. } | Expr::NewTarget(args, _) => (None, facts.args(args)),
            Expr::Index { object, args, .. } => (Some(object), facts.args(args)),
            Expr::Member(MemberAccess { object, .. }) => (Some(object), &[]),
            _ => (None, &[]),
        };
        if let Some(receiver) = receiver {
            self.reach(receiver, (call, CallRole::Receiver), 0);
            if let Expr::Name(name, _) = facts.expr(receiver)
                && !self.values.contains_key(&name)
            {
                self.fields.push((name, call));
            }
        }
        for arg in args {
            self.reach(arg.value, (call, CallRole::Argument), 0);
        }
    }

    /// Notes the calls whose values reach a call through the variables in an expression.
    fn reach(&mut self, id: ExprId, (to, role): (u32, CallRole), depth: u32) {
        if depth > DEPTH_MAX || self.calls.contains_key(&id) && depth > 0 {
            return;
        }
        if let Expr::Name(name, _) = self.facts.expr(id) {
            for &from in self.values.get(&name).map_or(&[][..], Vec::as_slice) {
                if from != to {
                    self.flows.push(Flow { from, to, role });
                }
            }
            return;
        }
        for part in parts(self.facts, id) {
            self.reach(part, (to, role), depth + 1);
        }
    }

    /// Collects the calls whose value an expression has, or is computed from.
    fn sources(&self, id: ExprId, sources: &mut Vec<u32>, depth: u32) {
        if depth > DEPTH_MAX || sources.len() > 64 {
            return;
        }
        if let Some(&call) = self.calls.get(&id) {
            sources.push(call);
            return;
        }
        if let Expr::Name(name, _) = self.facts.expr(id) {
            if let Some(known) = self.values.get(&name) {
                sources.extend(known);
            }
            return;
        }
        for part in parts(self.facts, id) {
            self.sources(part, sources, depth + 1);
        }
    }
}

/// Lists the parts of an expression, except those in calls and lambdas.
fn parts(facts: &CSharpFacts, id: ExprId) -> Vec<ExprId> {
    match facts.expr(id) {
        Expr::Member(MemberAccess { object, .. }) | Expr::Index { object, .. } => vec![object],
        Expr::Cast(_, operand)
        | Expr::As(operand, _)
        | Expr::Is(operand, _)
        | Expr::Await(operand)
        | Expr::Same(operand)
        | Expr::Spread(operand)
        | Expr::Prefix(_, operand)
        | Expr::Postfix(_, operand)
        | Expr::With(operand, _) => vec![operand],
        Expr::Binary(_, a, b) | Expr::Assign(_, a, b) | Expr::Conditional(_, a, b) => vec![a, b],
        Expr::Tuple(args) | Expr::NewAnonymous(args) => {
            facts.args(args).iter().map(|arg| arg.value).collect()
        }
        Expr::Collection(ids) | Expr::Initializer(ids) | Expr::Interpolated(ids) => {
            facts.ids(ids).collect()
        }
        Expr::NewArray { init, .. } => init.into_iter().collect(),
        Expr::NewImplicitArray(init, _) => vec![init],
        _ => Vec::new(),
    }
}

/// Returns, for the fields of the test's class that are only ever given objects of one project class, a constructor of
/// that class.
fn made_fields(
    project: &CSharpProject,
    owner: TypeId,
    fixtures: &[MethodId],
) -> FxHashMap<String, MethodId> {
    let mut held = FieldClasses::new();
    let own: Vec<MemberId> = project
        .line(owner)
        .filter(|&type_id| !project.ty(type_id).is_library)
        .flat_map(|type_id| project.ty(type_id).members.iter().map(|member| member.1))
        .collect();
    for &id in &own {
        let member = project.member(id);
        let Some(decl) = project.member_decl(member) else {
            continue;
        };
        if member.kind == MemberKind::Field
            && let Some(init) = decl.init
        {
            held.note(project.word(member.name), class_made(project, member, init));
        }
    }
    for fixture in fixtures {
        let Some((_, member)) = project.member_of(*fixture) else {
            continue;
        };
        let Some(decl) = project.member_decl(member) else {
            continue;
        };
        let facts = &project.file(member.file).facts;
        for at in decl.exprs.range() {
            let Expr::Assign(_, left, right) = facts.exprs[at] else {
                continue;
            };
            let name = match facts.expr(left) {
                Expr::Name(name, _) => name,
                Expr::Member(MemberAccess { object, name, .. })
                    if matches!(facts.expr(object), Expr::This) =>
                {
                    name
                }
                _ => continue,
            };
            held.note(facts.word(name), class_made(project, member, right));
        }
    }
    held.constructors(|class| a_constructor(project, class))
}

/// Finds the project's class when an expression is `new C(…)`.
fn class_made(project: &CSharpProject, holder: &CSharpMember, value: ExprId) -> Option<TypeId> {
    let file = project.file(holder.file);
    let ty = match file.facts.expr(value) {
        Expr::New { ty, .. } => {
            let decl = project.member_decl(holder)?;
            let part = file.facts.types[decl.owner as usize].scope;
            let scope = CSharpNameScope::new(holder.file, part, Some(holder.owner), &[]);
            project.resolve(ty, scope)
        }
        Expr::NewTarget(..) if holder.kind == MemberKind::Field => holder.ty.clone(),
        _ => return None,
    };
    ty.id().filter(|&type_id| !project.ty(type_id).is_library)
}

fn a_constructor(project: &CSharpProject, class: TypeId) -> Option<MethodId> {
    let mut made = project.constructors(class).into_iter();
    made.find_map(|member_id| project.member(member_id).method)
}

fn is_plain(facts: &CSharpFacts, value: ExprId) -> bool {
    match facts.expr(value) {
        Expr::Name(..) | Expr::Literal(_) => true,
        Expr::Member(MemberAccess { object, .. }) => matches!(facts.expr(object), Expr::This),
        Expr::Assign(_, left, right) => {
            is_field(facts, left) && matches!(facts.expr(right), Expr::Name(..))
        }
        _ => false,
    }
}

fn is_field(facts: &CSharpFacts, value: ExprId) -> bool {
    match facts.expr(value) {
        Expr::Name(..) => true,
        Expr::Member(MemberAccess { object, .. }) => matches!(facts.expr(object), Expr::This),
        _ => false,
    }
}
