//! Finds the values that expressions may stand for, as far as that can be told without running them.
//!
//! An evaluator answers one question and those that come up on the way; it keeps the answers. Questions go round in
//! circles in any program (`a` is the result of `f`, which returns `a`): the second time nothing is known. So answers
//! depend on the first question, and evaluators are never shared.

mod call;
mod construction;
mod member;
mod memory;
mod module;
mod parameter;
mod returned;
mod ty;
mod variable;

use std::collections::hash_map::Entry;

use rustc_hash::FxHashSet;

pub use self::member::{MemberDefinition, made_by};
use self::memory::Memory;
use super::facts::{
    Expr, ExprId, FnId, JavaScriptFacts, JavaScriptMember, MemberKind, ObjId, Owner, SiteId,
};
use super::project::{JavaScriptFile, JavaScriptProject};
use super::value::{InstanceOrigin, JavaScriptValue, ValueSet};
use crate::model::{FileId, FileRole};
use crate::symbols::Sym;

/// How deep one question may lead to others; the stack of a thread must hold it.
const DEPTH_MAX: u32 = 70;

/// How many steps one question may take: values multiply from step to step.
const STEPS_MAX: u32 = 60_000;

/// Methods of arrays whose second argument is the `this` of the first.
const TAKES_THIS: &[&str] = &[
    "forEach",
    "map",
    "filter",
    "some",
    "every",
    "find",
    "findIndex",
    "findLast",
    "flatMap",
];

/// Answers one question.
pub struct Eval<'p> {
    pub project: &'p JavaScriptProject,
    memory: Memory,
    active_params: FxHashSet<(FileId, FnId, u16)>,
    depth: u32,
    steps: u32,
}

impl Drop for Eval<'_> {
    fn drop(&mut self) {
        std::mem::take(&mut self.memory).give_back();
    }
}

impl<'p> Eval<'p> {
    pub fn new(project: &'p JavaScriptProject) -> Self {
        Self {
            project,
            memory: Memory::empty(),
            active_params: FxHashSet::default(),
            depth: 0,
            steps: 0,
        }
    }

    /// Begins a new question; the answers so far stay.
    pub fn refresh(&mut self) {
        self.steps = 0;
    }

    pub fn file(&self, id: FileId) -> &'p JavaScriptFile {
        self.project.file(id)
    }

    pub fn facts(&self, id: FileId) -> &'p JavaScriptFacts {
        &self.project.file(id).facts
    }

    /// Goes one question deeper; nothing where that is too deep.
    fn deeper<T>(&mut self, ask: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.steps += 1;
        if self.depth >= DEPTH_MAX || self.steps > STEPS_MAX {
            return None;
        }
        self.depth += 1;
        let answer = ask(self);
        self.depth -= 1;
        Some(answer)
    }

    /// Finds the values that an expression may stand for.
    pub fn expr(&mut self, file: FileId, id: ExprId) -> ValueSet {
        let place = self.memory.answers.len();
        match self.memory.places.entry((file, id)) {
            Entry::Occupied(asked) => {
                let answer = self.memory.answers[*asked.get() as usize].as_ref();
                return answer.map_or_else(ValueSet::unknown, ValueSet::clone);
            }
            Entry::Vacant(asked) => asked.insert(place as u32),
        };
        self.memory.answers.push(None);
        if let Some(values) = self.deeper(|eval| eval.expr_here(file, id)) {
            self.memory.answers[place] = Some(values.clone());
            values
        } else {
            self.memory.places.remove(&(file, id));
            ValueSet::unknown()
        }
    }

    fn expr_here(&mut self, file: FileId, id: ExprId) -> ValueSet {
        let facts = self.facts(file);
        let words = &self.project.words;
        match *facts.expr(id) {
            Expr::Unknown | Expr::Spread(_) => ValueSet::unknown(),
            Expr::Nothing => ValueSet::one(JavaScriptValue::Nothing),
            Expr::Primitive(primitive) => {
                ValueSet::one(JavaScriptValue::Primitive(primitive.into()))
            }
            Expr::Text(name) => ValueSet::one(JavaScriptValue::Text(self.file(file).sym(name))),
            Expr::Global(name) => {
                let sym = self.file(file).sym(name);
                match sym {
                    _ if sym == words.exports => ValueSet::one(JavaScriptValue::Module(file)),
                    _ => {
                        let own = self.own_global(file, sym);
                        own.unwrap_or_else(|| ValueSet::one(JavaScriptValue::Outside(sym)))
                    }
                }
            }
            Expr::Import(import) => self.import(file, import),
            Expr::DynamicImport(from) => self.whole_module(file, from, true),
            Expr::Var(binding, scope) => {
                let at = facts.starts[id.index()];
                self.variable(file, binding, scope, at)
            }
            Expr::Function(function) => ValueSet::one(JavaScriptValue::Fn(file, function)),
            Expr::Class(class) => ValueSet::one(JavaScriptValue::Class(file, class)),
            Expr::Object(object) => ValueSet::one(JavaScriptValue::Object(file, object)),
            Expr::Array(_) => ValueSet::one(JavaScriptValue::Array(file, id)),
            Expr::Either(a, b) => {
                let mut values = self.expr(file, a);
                values.add(&self.expr(file, b));
                // `typeof require == "function" ? require("..") : window._`
                let is_window = |script_value: &JavaScriptValue| {
                    matches!(*script_value, JavaScriptValue::Outside(owner)
                        if matches!(self.project.word(owner), "window" | "self" | "global" | "globalThis" | "root"))
                };
                if !values.list.iter().all(is_window) {
                    values.list.retain(|script_value| !is_window(script_value));
                }
                values.without_nothing()
            }
            Expr::Default(part, other) => self.or_default(file, part, other),
            Expr::Await(inner) => self.expr(file, inner),
            Expr::Cast(inner, ty) => {
                let typed_values = self.ty(file, ty);
                if typed_values.holds_only_nothing() || typed_values.list.iter().all(is_vague) {
                    self.expr(file, inner)
                } else {
                    typed_values
                }
            }
            Expr::Element(inner) => {
                let list = self.expr(file, inner);
                self.elements(&list)
            }
            Expr::Item(inner, n) => {
                let list = self.expr(file, inner);
                self.item(&list, usize::from(n))
            }
            Expr::Param(function, n) => self.param(file, function, n),
            Expr::This(function) => self.this(file, function),
            Expr::Super(function) => self.super_of(file, function),
            Expr::Member(object, name) => {
                let sym = self.file(file).sym(name);
                self.member_expr(file, object, sym)
            }
            Expr::Index(object, index) => self.index(file, object, index),
            Expr::Call(site) => self.call(file, site),
            Expr::Instance(class) => {
                let classes = self.expr(file, class);
                let mut values = ValueSet::default();
                for value in classes.list {
                    match (maker_of(value), value) {
                        (Some(maker), _) => values.push(JavaScriptValue::Instance(maker)),
                        (None, JavaScriptValue::Outside(_)) => values.push(value),
                        _ => {}
                    }
                }
                values
            }
        }
    }

    /// Evaluates a part of a pattern: its value, its default, or both where the literal that it is taken from is not in
    /// sight.
    fn or_default(&mut self, file: FileId, part: ExprId, other: ExprId) -> ValueSet {
        let mut values = self.expr(file, part);
        match self.is_given(file, part) {
            Some(true) if !values.is_open && !values.holds_only_nothing() => values,
            Some(is_given) if !is_given || !values.is_open => self.expr(file, other),
            _ => {
                values.add(&self.expr(file, other));
                values.without_nothing()
            }
        }
    }

    /// Tells whether a literal has a part; nothing where that is not certain.
    fn is_given(&mut self, file: FileId, part: ExprId) -> Option<bool> {
        let (Expr::Member(whole, _) | Expr::Item(whole, _)) = *self.facts(file).expr(part) else {
            return None;
        };
        let whole = self.expr(file, whole);
        let (&[holder], false) = (&whole.list[..], whole.is_open) else {
            return None;
        };
        match (holder, self.facts(file).expr(part)) {
            (JavaScriptValue::Object(there, object), &Expr::Member(_, name)) => {
                let sym = self.file(file).sym(name);
                let members = &self.facts(there).object(object).members;
                let is_plain = |script_member: &JavaScriptMember| {
                    script_member.kind != MemberKind::Spread && !script_member.is_computed
                };
                let found = self.lookup_in(holder, sym, 0);
                if let [MemberDefinition::Known(JavaScriptValue::Outside(_))] = found[..] {
                    // The spread value is a library's.
                    return None;
                }
                let is_given = !found.is_empty();
                (is_given || members.iter().all(is_plain)).then_some(is_given)
            }
            (JavaScriptValue::Array(there, id), &Expr::Item(_, n)) => {
                match self.facts(there).expr(id) {
                    Expr::Array(items) if !self.has_spread(there, items) => {
                        Some(usize::from(n) < items.len())
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Evaluates a global name that the project gives to something of its main code; only tests see it so.
    fn own_global(&mut self, file: FileId, sym: Sym) -> Option<ValueSet> {
        let project = self.project;
        let &(there, value) = project.globals.get(&sym)?;
        if project.role(file) != Some(FileRole::Test) {
            return None;
        }
        let values = self.expr(there, value);
        let is_own = |script_value: &JavaScriptValue| {
            script_value
                .home()
                .and_then(|file_id| project.role(file_id))
                == Some(FileRole::Main)
        };
        (!values.list.is_empty() && values.list.iter().all(is_own)).then_some(values)
    }

    fn member_expr(&mut self, file: FileId, object: ExprId, sym: Sym) -> ValueSet {
        let words = &self.project.words;
        if let Expr::Global(name) = *self.facts(file).expr(object)
            && self.file(file).sym(name) == words.module
            && sym == words.exports
        {
            return self.exports_of(file);
        }
        let objects = self.expr(file, object);
        self.get(&objects, sym)
    }

    fn index(&mut self, file: FileId, object: ExprId, index: ExprId) -> ValueSet {
        let objects = self.expr(file, object);
        let keys = self.expr(file, index);
        let keys = self.concrete(&keys);
        let mut values = ValueSet::default();
        let mut n_texts = 0;
        for key in &keys.list {
            if let JavaScriptValue::Text(sym) = *key {
                n_texts += 1;
                values.add(&self.get(&objects, sym));
            }
        }
        if n_texts > 0 {
            values.is_open |= keys.is_open && n_texts == 0;
            return values;
        }
        let elements = self.elements(&objects);
        if !elements.holds_only_nothing() {
            return elements;
        }
        let mut values = ValueSet::unknown();
        for value in &objects.list {
            if let JavaScriptValue::Outside(_) = value {
                values = ValueSet::one(*value);
            }
        }
        values
    }

    /// Evaluates `this` in a function.
    pub fn this(&mut self, file: FileId, function: FnId) -> ValueSet {
        let function = self.own_this(file, function);
        if function == FnId(0) {
            return ValueSet::one(JavaScriptValue::Module(file));
        }
        if self.file(file).runs.contains_key(&function) {
            return ValueSet::one(JavaScriptValue::Context(file));
        }
        if let Some(given) = self.this_argument(file, function) {
            return self.expr(file, given);
        }
        ValueSet::one(JavaScriptValue::This(file, function))
    }

    /// Finds the expression that a call hands to its callback as `this`: `list.forEach(function () {…}, this)`.
    fn this_argument(&self, file: FileId, function: FnId) -> Option<ExprId> {
        let &(site, nth) = self.file(file).handed.get(&function)?;
        let site = self.facts(file).site(site);
        let (0, &[_, this]) = (nth, &site.args[..]) else {
            return None;
        };
        let is_member = matches!(self.facts(file).expr(site.callee), Expr::Member(..));
        let word = self.facts(file).word(site.name);
        (is_member && TAKES_THIS.contains(&word)).then_some(this)
    }

    /// Finds the function whose `this` an arrow function sees.
    fn own_this(&self, file: FileId, function: FnId) -> FnId {
        let facts = self.facts(file);
        let mut function = function;
        for _ in 0..200 {
            let function_facts = facts.function(function);
            if !function_facts.is_arrow || function == FnId(0) {
                break;
            }
            if let Owner::Class(..) = function_facts.owner {
                // A field's arrow sees the instance.
                break;
            }
            function = function_facts.parent;
        }
        function
    }

    /// Finds the objects that hold the members of a function's `this`.
    pub fn holder_of_this(&mut self, file: FileId, function: FnId) -> ValueSet {
        match self.facts(file).function(function).owner {
            Owner::Class(class, true) => ValueSet::one(JavaScriptValue::Class(file, class)),
            Owner::Class(class, false) => ValueSet::one(JavaScriptValue::Instance(
                InstanceOrigin::Class(file, class),
            )),
            Owner::Object(object) => {
                let mut values = ValueSet::one(JavaScriptValue::Object(file, object));
                // Methods of `X.extend({…})` and of `Object.assign(X.prototype, {…})` see the instance.
                if let Some(holders) = self.project.parents_of_literal(file, object) {
                    values.list.extend_from_slice(holders);
                }
                values
            }
            Owner::Holder(target) => {
                let held = self.expr(file, target);
                let mut values = ValueSet::default();
                for value in held.list {
                    values.push(match value {
                        JavaScriptValue::Proto(maker) => JavaScriptValue::Instance(maker),
                        other => other,
                    });
                }
                values.push(JavaScriptValue::Instance(InstanceOrigin::Fn(
                    file, function,
                )));
                values
            }
            Owner::None => ValueSet::one(JavaScriptValue::Instance(InstanceOrigin::Fn(
                file, function,
            ))),
        }
    }

    fn super_of(&mut self, file: FileId, function: FnId) -> ValueSet {
        let facts = self.facts(file);
        let mut at = self.own_this(file, function);
        for _ in 0..50 {
            match facts.function(at).owner {
                Owner::Class(class, is_static) => {
                    let Some(heritage) = facts.class(class).heritage else {
                        return ValueSet::unknown();
                    };
                    let bases = self.expr(file, heritage);
                    let is_constructor = facts.function(at).kind == MemberKind::Constructor;
                    let mut values = ValueSet::open(bases.is_open);
                    for base in bases.list {
                        values.push(match maker_of(base) {
                            Some(maker) if !is_static && !is_constructor => {
                                JavaScriptValue::Instance(maker)
                            }
                            _ => base,
                        });
                    }
                    return values;
                }
                Owner::Object(object) => return self.prototype_of(file, object),
                _ if at == FnId(0) => return ValueSet::unknown(),
                _ => at = facts.function(at).parent,
            }
        }
        ValueSet::unknown()
    }

    /// Evaluates the prototype of an object literal: its `__proto__`, else the prototypes that it was given elsewhere.
    fn prototype_of(&mut self, file: FileId, object: ObjId) -> ValueSet {
        let script = self.file(file);
        let proto = self.project.words.proto;
        let mut members = script.facts.object(object).members.iter();
        let own = members.find(|member| {
            member.kind == MemberKind::Field && self.file(file).sym(member.name) == proto
        });
        if let Some(value) = own.and_then(|script_member| script_member.value) {
            return self.expr(file, value);
        }
        let project = self.project;
        let parents = project.parents.get(&JavaScriptValue::Object(file, object));
        ValueSet {
            list: parents.map_or_else(Default::default, |parent| parent.iter().copied().collect()),
            is_open: parents.is_none(),
            ..ValueSet::default()
        }
    }

    /// Evaluates the elements of arrays.
    pub fn elements(&mut self, list: &ValueSet) -> ValueSet {
        let mut values = ValueSet::default();
        let concrete = self.concrete(list);
        for value in &concrete.list {
            match *value {
                JavaScriptValue::Array(file, id) => {
                    let Expr::Array(items) = self.facts(file).expr(id) else {
                        continue;
                    };
                    for item in items.iter().take(64) {
                        values.add(&match *self.facts(file).expr(*item) {
                            Expr::Spread(inner) => {
                                let inner = self.expr(file, inner);
                                self.deeper(|eval| eval.elements(&inner))
                                    .unwrap_or_default()
                            }
                            _ => self.expr(file, *item),
                        });
                    }
                }
                JavaScriptValue::Each(file, function) => values.add(&self.returned(file, function)),
                JavaScriptValue::List(file, ty) => values.add(&self.ty(file, ty)),
                _ => {}
            }
        }
        if values.list.is_empty() {
            return ValueSet::unknown();
        }
        values
    }

    /// Finds the single library value that an array holds: `[...value]`.
    fn library_in(&mut self, array: JavaScriptValue) -> Option<JavaScriptValue> {
        let JavaScriptValue::Array(file, id) = array else {
            return None;
        };
        let Expr::Array(items) = self.facts(file).expr(id) else {
            return None;
        };
        let &[only] = &items[..] else { return None };
        let Expr::Spread(inner) = *self.facts(file).expr(only) else {
            return None;
        };
        match self.expr(file, inner).list[..] {
            [value @ (JavaScriptValue::Outside(_) | JavaScriptValue::Result(_, _, Some(_)))] => {
                Some(value)
            }
            _ => None,
        }
    }

    fn has_spread(&self, file: FileId, items: &[ExprId]) -> bool {
        let facts = self.facts(file);
        items
            .iter()
            .any(|expr_id| matches!(facts.expr(*expr_id), Expr::Spread(_)))
    }

    /// Evaluates the n-th element of arrays, or all elements of an array in which a spread hides the place.
    fn item(&mut self, list: &ValueSet, n: usize) -> ValueSet {
        let mut values = ValueSet::default();
        let concrete = self.concrete(list);
        for value in &concrete.list {
            if let JavaScriptValue::Array(file, id) = *value
                && let Expr::Array(items) = self.facts(file).expr(id)
                && let Some(item) = items.get(n)
                && !self.has_spread(file, &items[..=n])
            {
                values.add(&self.expr(file, *item));
            } else if let Some(whole) = self.library_in(*value) {
                values.push(whole);
            } else if let JavaScriptValue::Outside(_) | JavaScriptValue::Result(_, _, Some(_)) =
                value
            {
                values.push(*value);
            } else {
                values.add(&self.elements(&ValueSet::one(*value)));
            }
        }
        if values.list.is_empty() {
            return ValueSet::unknown();
        }
        values
    }

    /// Looks up a call site of a file.
    pub fn site(&self, file: FileId, site: SiteId) -> &'p super::facts::Site {
        self.facts(file).site(site)
    }
}

/// Turns a value into the maker of the instances that `new` gives.
pub const fn maker_of(value: JavaScriptValue) -> Option<InstanceOrigin> {
    match value {
        JavaScriptValue::Class(file, class) => Some(InstanceOrigin::Class(file, class)),
        JavaScriptValue::Fn(file, function) => Some(InstanceOrigin::Fn(file, function)),
        JavaScriptValue::Made(file, site) => Some(InstanceOrigin::Made(file, site)),
        _ => None,
    }
}

/// Tells whether a type's value says less than the expression that has the type.
const fn is_vague(value: &JavaScriptValue) -> bool {
    matches!(
        value,
        JavaScriptValue::Nothing | JavaScriptValue::Outside(_)
    )
}
