//! The answers of the index, and the facts in a test's body beyond its calls: which call's value reaches which other,
//! and which constructors made the objects.

use rustc_hash::FxHashMap;

use super::eval::{Eval, MemberDefinition};
use super::facts::{BindingId, Expr, ExprId, FnId, JavaScriptFacts, Owner, SiteId, SiteKind};
use super::project::{Decl, JavaScriptProject};
use super::resolve::{Resolver, function_of};
use super::value::{InstanceOrigin, JavaScriptValue, ValueSet};
use super::{resolve, suites};
use crate::index::{Clues, Flow, Index, ResolutionStep};
use crate::model::{Call, CallRole, FileId, MethodId, TestCase};

/// How deep expressions are followed.
const DEPTH_MAX: u32 = 40;
/// How many calls whose values reach one expression are collected.
const FLOWS_MAX: usize = 200;

impl Index for JavaScriptProject {
    fn test_case(&self, test: MethodId) -> TestCase {
        suites::test_case(self, test)
    }

    fn calls(&self, method: MethodId) -> Vec<Call> {
        resolve::calls(self, method)
    }

    fn trace(&self, method: MethodId, call: u32) -> Vec<ResolutionStep> {
        resolve::trace(self, method, call)
    }

    fn implementations(&self, method: MethodId) -> Vec<MethodId> {
        let Decl::Function(file, function) = self.decls[method.0 as usize] else {
            return Vec::new();
        };
        let script = self.file(file);
        let Owner::Class(class, false) = script.facts.function(function).owner else {
            return Vec::new();
        };
        let sym = script.sym(script.facts.function(function).name);
        let mut found = Vec::new();
        for (file, class) in self.below.all_below((file, class)) {
            let script_below = self.file(file);
            for member in &script_below.facts.class(class).members {
                if script_below.sym(member.name) == sym
                    && !member.is_static
                    && let Some(function) = member.function
                    && script_below.facts.function(function).body.is_some()
                {
                    found.extend(self.method_of(file, function));
                }
            }
        }
        found.sort_unstable();
        found
    }

    fn clues(&self, test: &TestCase) -> Clues {
        let Some((file, function)) = function_of(self, test.method) else {
            return Clues::default();
        };
        let facts = &self.file(file).facts;
        let calls = test.calls.iter().enumerate();
        let number: FxHashMap<(u32, u32), u32> = calls
            .map(|(n, call)| ((call.name_span.start, call.span.end), n as u32))
            .collect();
        let mut walk = JavaScriptClueWalk {
            facts,
            number: &number,
            eval: Eval::new(self),
            file,
            function,
            clues: Clues::default(),
            resolver: Resolver::new(self, file),
        };
        let sites = facts.function(function).sites;
        for at in sites.0..sites.1 {
            walk.site(SiteId(at));
        }
        walk.clues.sorted()
    }

    fn dispatch(&self, maker: MethodId, name: &str, _n_arguments: usize) -> Option<MethodId> {
        let maker = maker_of_constructor(self, maker)?;
        let sym = self.symbols.find(name)?;
        let mut eval = Eval::new(self);
        let values = eval.get(&ValueSet::one(JavaScriptValue::Instance(maker)), sym);
        match values.list[..] {
            [JavaScriptValue::Fn(file, function)] => self.method_of(file, function),
            _ => None,
        }
    }

    fn is_accessor(&self, method: MethodId) -> bool {
        let Decl::Function(file, function) = self.decls[method.0 as usize] else {
            return matches!(self.decls[method.0 as usize], Decl::Default(..));
        };
        let facts = &self.file(file).facts;
        let function_facts = facts.function(function);
        let is_own = |id: ExprId| match *facts.expr(id) {
            Expr::Member(object, _) => matches!(facts.expr(object), Expr::This(_)),
            Expr::This(_) | Expr::Primitive(_) | Expr::Text(_) | Expr::Nothing => true,
            _ => false,
        };
        let sets = || {
            let mut effects = facts
                .effects
                .iter()
                .filter(|effect| effect.function == function);
            let first = effects.next();
            effects.next().is_none()
                && first.is_some_and(|effect| {
                    matches!(facts.expr(effect.target), Expr::This(_))
                        && matches!(facts.expr(effect.value), Expr::Var(..))
                })
        };
        let has_calls = (function_facts.sites.0..function_facts.sites.1)
            .any(|at| !matches!(facts.sites[at as usize].kind, SiteKind::Read));
        match (function_facts.statements.len(), &function_facts.returns[..]) {
            _ if has_calls => false,
            (1, [value]) => is_own(*value),
            (1, []) => sets(),
            (2, [value]) => sets() && matches!(facts.expr(*value), Expr::This(_)),
            _ => false,
        }
    }

    fn is_inherited_by(&self, method: MethodId, class: (&str, &str)) -> bool {
        let Some((file, function)) = function_of(self, method) else {
            return false;
        };
        let sym = {
            let script = self.file(file);
            script.sym(script.facts.function(function).name)
        };
        let owner = self.file(file).facts.function(function).owner;
        let mut eval = Eval::new(self);
        for &here in self.by_stem.get(class.0).into_iter().flatten() {
            let script = self.file(here);
            for (at, declared) in script.facts.classes.iter().enumerate() {
                let id = super::facts::ClassId(at as u32);
                let is_own = here == file && matches!(owner, Owner::Class(own, _) if own == id);
                if script.facts.word(declared.path) != class.1 || is_own {
                    continue;
                }
                let found = eval.lookup_in(
                    JavaScriptValue::Instance(InstanceOrigin::Class(here, id)),
                    sym,
                    0,
                );
                return found.iter().any(
                    |definition| matches!(definition, MemberDefinition::Fn(there, other) if (*there, *other) == (file, function)),
                );
            }
        }
        false
    }
}

struct JavaScriptClueWalk<'w, 'p> {
    facts: &'p JavaScriptFacts,
    number: &'w FxHashMap<(u32, u32), u32>,
    eval: Eval<'p>,
    file: FileId,
    function: FnId,
    clues: Clues,
    resolver: Resolver<'p>,
}

impl JavaScriptClueWalk<'_, '_> {
    fn number_of(&self, id: SiteId) -> Option<u32> {
        let site = self.facts.site(id);
        let key = (site.name_span.start, site.span.end);
        self.number.get(&key).copied()
    }

    fn site(&mut self, id: SiteId) {
        let Some(to) = self.number_of(id) else { return };
        let site = self.facts.site(id);
        if matches!(site.kind, SiteKind::Handed) {
            return;
        }
        if let Expr::Member(object, _) | Expr::Index(object, _) = *self.facts.expr(site.callee) {
            self.reach(object, to, CallRole::Receiver, 0);
            self.note_constructor(object, to);
        }
        for &arg in site.args.iter().take(64) {
            self.reach(arg, to, CallRole::Argument, 0);
        }
    }

    /// Finds the last value that a variable was given before a use.
    fn given(&self, binding: BindingId, id: ExprId) -> Option<ExprId> {
        let at = self.facts.starts[id.index()];
        let writes = &self.facts.binding(binding).writes;
        let before = writes.partition_point(|write| write.at <= at);
        Some(writes.get(before.checked_sub(1)?)?.value)
    }

    /// Notes the calls whose values the variables of an expression hold.
    fn reach(&mut self, id: ExprId, to: u32, role: CallRole, depth: u32) {
        if depth > DEPTH_MAX {
            return;
        }
        match self.facts.expr(id) {
            Expr::Var(binding, _) => {
                if let Some(value) = self.given(*binding, id) {
                    let mut sites = Vec::new();
                    self.sites_of(value, &mut sites, 0);
                    for site in sites {
                        if let Some(from) = self.number_of(site)
                            && from != to
                        {
                            self.clues.flows.push(Flow { from, to, role });
                        }
                    }
                }
            }
            Expr::Member(inner, _)
            | Expr::Await(inner)
            | Expr::Cast(inner, _)
            | Expr::Spread(inner)
            | Expr::Element(inner)
            | Expr::Item(inner, _) => self.reach(*inner, to, role, depth + 1),
            Expr::Index(a, b) | Expr::Either(a, b) | Expr::Default(a, b) => {
                self.reach(*a, to, role, depth + 1);
                self.reach(*b, to, role, depth + 1);
            }
            Expr::Array(items) => {
                for item in items.iter().take(64) {
                    self.reach(*item, to, role, depth + 1);
                }
            }
            Expr::Object(object) => {
                for member in self.facts.object(*object).members.iter().take(64) {
                    if let Some(value) = member.value {
                        self.reach(value, to, role, depth + 1);
                    }
                }
            }
            _ => {}
        }
    }

    /// Collects the calls whose value an expression has, or is computed from.
    fn sites_of(&self, id: ExprId, sites: &mut Vec<SiteId>, depth: u32) {
        if depth > DEPTH_MAX || sites.len() > FLOWS_MAX {
            return;
        }
        match *self.facts.expr(id) {
            Expr::Call(site) => sites.push(site),
            Expr::Member(inner, _)
            | Expr::Await(inner)
            | Expr::Cast(inner, _)
            | Expr::Item(inner, _)
            | Expr::Element(inner)
            | Expr::Spread(inner) => self.sites_of(inner, sites, depth + 1),
            Expr::Either(a, b) | Expr::Default(a, b) | Expr::Index(a, b) => {
                self.sites_of(a, sites, depth + 1);
                self.sites_of(b, sites, depth + 1);
            }
            Expr::Var(binding, _) => {
                if let Some(value) = self.given(binding, id) {
                    self.sites_of(value, sites, depth + 8);
                }
            }
            _ => {}
        }
    }

    /// Notes a call on a variable from around the test, or on a member of `this`, that only ever holds instances of one
    /// class.
    fn note_constructor(&mut self, object: ExprId, to: u32) {
        let is_from_around = match *self.facts.expr(object) {
            Expr::Var(binding, _) => {
                let scope = self.facts.binding(binding).scope;
                let home = self.facts.scope(scope).span;
                let own = self.facts.function(self.function).span;
                home.start < own.start
            }
            Expr::Member(inner, _) => matches!(self.facts.expr(inner), Expr::This(_)),
            _ => false,
        };
        if !is_from_around {
            return;
        }
        self.eval.refresh();
        let values = self.eval.expr(self.file, object);
        if let ([JavaScriptValue::Instance(maker)], false) = (&values.list[..], values.is_open)
            && let Some(method) = self.resolver.constructor_of_maker(*maker)
        {
            self.clues.field_constructors.push((to, method));
        }
    }
}

/// Finds the maker of the instances that a constructor makes.
fn maker_of_constructor(project: &JavaScriptProject, maker: MethodId) -> Option<InstanceOrigin> {
    match *project.decls.get(maker.0 as usize)? {
        Decl::Function(file, function) => match project.file(file).facts.function(function).owner {
            Owner::Class(class, _) => Some(InstanceOrigin::Class(file, class)),
            _ => Some(InstanceOrigin::Fn(file, function)),
        },
        Decl::Default(file, class) => Some(InstanceOrigin::Class(file, class)),
        Decl::Case(..) => None,
    }
}
