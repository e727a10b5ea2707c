//! Turns the values that a callee may stand for into a resolution.

use super::Resolver;
use crate::javascript::facts::{Expr, FnId, Name, SiteId};
use crate::javascript::project::JavaScriptProject;
use crate::javascript::value::{InstanceOrigin, JavaScriptValue, PrimitiveValue, ValueSet};
use crate::model::{CallMarks, FileId, MethodId, Resolution, UnknownReason};
use crate::symbols::Sym;

/// How many members of one name are worth listing (L12).
const BY_NAME_MAX: usize = 8;

/// Methods that every object has.
const UNIVERSAL: &[&str] = &[
    "toString",
    "hasOwnProperty",
    "valueOf",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "call",
    "apply",
    "bind",
];

/// Members of a runner's object, such as `t`, that do not assert.
const NO_ASSERTIONS: &[&str] = &[
    "plan",
    "end",
    "teardown",
    "afterEach",
    "beforeEach",
    "comment",
    "log",
    "timeout",
    "test",
    "skip",
    "todo",
    "context",
    "before",
    "after",
    "async",
    "step",
    "setTimeout",
    "diagnostic",
    "mock",
    "signal",
    "runOnly",
    "expect",
    "autoend",
    "tearDown",
    "bailout",
    "only",
    "describe",
    "it",
    "options",
];

impl Resolver<'_> {
    /// Resolves a call by its callee.
    pub fn callee(&mut self, id: SiteId) -> (Resolution, CallMarks) {
        let values = self.callee_vals(id);
        let (resolution, marks) = self.callables(&values);
        match resolution {
            Resolution::Unknown(_) => self.unresolved(id, resolution),
            Resolution::Outside(Some(owner)) => {
                if let Some(called) = self.called_through(id, &values) {
                    return called;
                }
                let name = self.facts().word(self.facts().site(id).name);
                let outside = Resolution::Outside(Some(owner_of(&owner, name)));
                if self.is_lacking(id) {
                    return self.by_name(id, outside);
                }
                (outside, marks)
            }
            other => (other, marks),
        }
    }

    /// Tells whether a receiver may be an object of the project that has no such member in sight.
    fn is_lacking(&mut self, id: SiteId) -> bool {
        let facts = self.facts();
        let site = facts.site(id);
        let Expr::Member(object, _) = *facts.expr(site.callee) else {
            return false;
        };
        let sym = self.project.file(self.file).sym(site.name);
        let receiver = self.eval.expr(self.file, object);
        let receiver = self.eval.concrete(&receiver);
        receiver.list.iter().any(|value| {
            matches!(
                value,
                JavaScriptValue::Instance(_) | JavaScriptValue::Made(..)
            ) && self.eval.lookup(&ValueSet::one(*value), sym).is_empty()
        })
    }

    /// Resolves `f.call(…)` and `f.apply(…)` to `f`, where that is the project's.
    fn called_through(&mut self, id: SiteId, values: &ValueSet) -> Option<(Resolution, CallMarks)> {
        let function = JavaScriptValue::Outside(self.project.words.function);
        let facts = self.facts();
        let Expr::Member(object, name) = *facts.expr(facts.site(id).callee) else {
            return None;
        };
        if !matches!(facts.word(name), "call" | "apply") || !values.list.contains(&function) {
            return None;
        }
        let functions = self.eval.expr(self.file, object);
        let functions = self.eval.concrete(&functions);
        let found = self.callables(&functions);
        matches!(found.0, Resolution::Declared(_) | Resolution::Ambiguous(_)).then_some(found)
    }

    /// Resolves a callee by its name alone, or tells why nothing is known.
    fn unresolved(&mut self, id: SiteId, resolution: Resolution) -> (Resolution, CallMarks) {
        let facts = self.facts();
        let site = facts.site(id);
        let (Expr::Member(object, _) | Expr::Index(object, _)) = *facts.expr(site.callee) else {
            return (resolution, CallMarks::NONE);
        };
        let word = facts.word(site.name);
        let receiver = self.eval.expr(self.file, object);
        let receiver = self.eval.concrete(&receiver);
        if let (Expr::Member(_, name), "call" | "apply", true) =
            (facts.expr(object), word, receiver.holds_only_nothing())
        {
            return self.by_the_name(*name, resolution);
        }
        let is_known = !receiver.is_open
            && !receiver.holds_only_nothing()
            && !receiver.list.iter().any(|value| {
                matches!(
                    value,
                    JavaScriptValue::Param(..)
                        | JavaScriptValue::This(..)
                        | JavaScriptValue::New(..)
                        | JavaScriptValue::Result(_, _, None)
                        | JavaScriptValue::Context(_)
                )
            });
        if is_known && UNIVERSAL.contains(&word) {
            let owner = self.project.word(self.project.words.object).to_owned();
            return (Resolution::Outside(Some(owner)), CallMarks::NONE);
        }
        if is_known && matches!(word, "then" | "catch" | "finally") {
            let owner = self.project.word(self.project.words.promise).to_owned();
            return (Resolution::Outside(Some(owner)), CallMarks::NONE);
        }
        if is_known {
            let is_plain = receiver
                .list
                .iter()
                .all(|value| matches!(value, JavaScriptValue::Object(..)));
            // An object literal may be given members that are not seen.
            if !is_plain {
                // A plugin may give a class a member in a way that is not seen.
                let not_found = Resolution::Unknown(UnknownReason::MethodNotFound);
                return self.by_name(id, not_found);
            }
        }
        self.by_name(id, Resolution::Unknown(UnknownReason::ReceiverType))
    }

    /// Resolves a call to the members of main code that bear the callee's name, where they are few.
    fn by_name(&self, id: SiteId, otherwise: Resolution) -> (Resolution, CallMarks) {
        self.by_the_name(self.facts().site(id).name, otherwise)
    }

    fn by_the_name(&self, name: Name, otherwise: Resolution) -> (Resolution, CallMarks) {
        let word = self.facts().word(name);
        let sym = self.project.file(self.file).sym(name);
        let named = self.project.by_name.get(&sym);
        match named {
            Some(methods) if methods.len() <= BY_NAME_MAX && !UNIVERSAL.contains(&word) => {
                (Resolution::Ambiguous(methods.clone()), CallMarks::BY_NAME)
            }
            _ => (otherwise, CallMarks::NONE),
        }
    }

    /// Resolves a call of the values to the declarations that run.
    pub fn callables(&mut self, values: &ValueSet) -> (Resolution, CallMarks) {
        let mut found = Callables {
            is_open: values.is_open,
            marks: values.marks,
            ..Callables::default()
        };
        for &value in &values.list {
            self.callable(value, &mut found);
        }
        found.resolution(self)
    }

    fn callable(&mut self, value: JavaScriptValue, found: &mut Callables) {
        match value {
            JavaScriptValue::Fn(file, function) => found.function(self.project, file, function),
            JavaScriptValue::Class(..) => match self.constructor_of(value) {
                Some(method) => found.push(method),
                _ => found.is_open = true,
            },
            JavaScriptValue::Result(_, _, owner) => {
                let inner = self.eval.unwrapped(value, 0);
                let before = found.methods.len();
                for &inner_value in &inner.list {
                    if !matches!(inner_value, JavaScriptValue::Result(..)) {
                        self.callable(inner_value, found);
                    }
                }
                if found.methods.len() > before {
                    found.marks.add(CallMarks::WRAPPED);
                    found.is_open |= inner.is_open && inner.list.len() > 1;
                } else {
                    match owner {
                        Some(owner) => found.outside = found.outside.or(Some(owner)),
                        None => found.is_local = true,
                    }
                }
            }
            JavaScriptValue::Outside(owner) | JavaScriptValue::Runner(owner) => {
                found.outside = found.outside.or(Some(owner));
            }
            JavaScriptValue::Text(_)
            | JavaScriptValue::Primitive(PrimitiveValue::String)
            | JavaScriptValue::Nothing => {}
            _ => found.is_open = true,
        }
    }

    /// Resolves `new C()`, `super()` and classes that are called.
    pub fn constructor(&mut self, values: &ValueSet) -> (Resolution, CallMarks) {
        let values = self.eval.concrete(values);
        let mut found = Callables {
            is_open: values.is_open,
            ..Callables::default()
        };
        for &value in &values.list {
            let values = match value {
                JavaScriptValue::This(file, function) => {
                    self.eval.holder_of_this(file, function).list
                }
                JavaScriptValue::Result(..) => {
                    let inner = self.eval.unwrapped(value, 0);
                    if inner.list.is_empty() {
                        ValueSet::one(value).list
                    } else {
                        found.marks.add(CallMarks::WRAPPED);
                        inner.list
                    }
                }
                other => ValueSet::one(other).list,
            };
            for value in values {
                match value {
                    JavaScriptValue::Outside(owner)
                    | JavaScriptValue::Result(_, _, Some(owner)) => {
                        found.outside = found.outside.or(Some(owner));
                    }
                    JavaScriptValue::Fn(file, function) => {
                        found.function(self.project, file, function);
                    }
                    JavaScriptValue::Class(..) | JavaScriptValue::Made(..) => {
                        match self.constructor_of(value) {
                            Some(method) => found.push(method),
                            None => match self.library_base(value) {
                                Some(owner) => found.outside = found.outside.or(Some(owner)),
                                None => found.is_open = true,
                            },
                        }
                    }
                    JavaScriptValue::Nothing => {}
                    _ => found.is_open = true,
                }
            }
        }
        found.resolution(self)
    }

    /// Finds the owner of the library class that a class extends, directly or through other classes.
    fn library_base(&mut self, class: JavaScriptValue) -> Option<Sym> {
        let mut value = class;
        for _ in 0..32 {
            match value {
                JavaScriptValue::Class(file, class) => {
                    let heritage = self.project.file(file).facts.class(class).heritage?;
                    let bases = self.eval.expr(file, heritage);
                    let (&[base], false) = (&bases.list[..], bases.is_open) else {
                        return None;
                    };
                    value = base;
                }
                JavaScriptValue::Outside(owner) => return Some(owner),
                _ => return None,
            }
        }
        None
    }

    /// Finds the constructor of a class, or of the nearest base that has one (L24).
    fn constructor_of(&mut self, class: JavaScriptValue) -> Option<MethodId> {
        let mut value = class;
        for _ in 0..32 {
            match value {
                JavaScriptValue::Class(file, class) => {
                    let facts = &self.project.file(file).facts;
                    let class_facts = facts.class(class);
                    let own = class_facts
                        .members
                        .iter()
                        .filter(|member| {
                            member.kind == crate::javascript::facts::MemberKind::Constructor
                        })
                        .filter_map(|member| member.function);
                    // Of overloads the one with a body.
                    let own = own.max_by_key(|fn_id| facts.function(*fn_id).body.is_some());
                    if let Some(own) = own {
                        return self.project.method_of(file, own);
                    }
                    if let Some(&made) = self.project.file(file).constructors.get(&class) {
                        return Some(made);
                    }
                    let heritage = class_facts.heritage?;
                    let bases = self.eval.expr(file, heritage);
                    value = *bases.list.first()?;
                }
                JavaScriptValue::Fn(file, function) => {
                    return self.project.method_of(file, function);
                }
                JavaScriptValue::Made(file, site) => {
                    let maker = InstanceOrigin::Made(file, site);
                    let parents = self.project.parents.get(&JavaScriptValue::Proto(maker));
                    let parents = parents.map_or(&[][..], Vec::as_slice);
                    let constructor = self.project.words.constructor;
                    let own = self.eval.get(
                        &ValueSet {
                            list: parents
                                .iter()
                                .copied()
                                .filter(|parent| matches!(parent, JavaScriptValue::Object(..)))
                                .collect(),
                            ..ValueSet::default()
                        },
                        constructor,
                    );
                    if let Some(JavaScriptValue::Fn(file, function)) = own.list.first() {
                        return self.project.method_of(*file, *function);
                    }
                    value = parents.iter().find_map(|parent| match parent {
                        JavaScriptValue::Instance(maker) => {
                            Some(crate::javascript::eval::made_by(*maker))
                        }
                        _ => None,
                    })?;
                }
                _ => return None,
            }
        }
        None
    }

    /// Finds the constructor that makes instances of a maker.
    pub fn constructor_of_maker(&mut self, maker: InstanceOrigin) -> Option<MethodId> {
        self.constructor_of(crate::javascript::eval::made_by(maker))
    }
}

/// Names the owner of a library's function, so that assertions can be told from the rest.
fn owner_of(owner: &str, name: &str) -> String {
    if let Some(runner) = owner.strip_suffix(".assert")
        && NO_ASSERTIONS.contains(&name)
    {
        return runner.to_owned();
    }
    if matches!(owner, "supertest" | "chai-http" | "supertest-session") && name == "expect" {
        return "supertest.expect".to_owned();
    }
    match owner {
        // Promises are seen through, and the values that they hold have none of these.
        "Array" | "String" | "Number" | "Boolean" | "RegExp"
            if matches!(name, "then" | "catch" | "finally") =>
        {
            "Promise".to_owned()
        }
        // Vitest's `vi` has the members of `jest`, name by name.
        "vi" => "jest".to_owned(),
        _ => owner.to_owned(),
    }
}

#[derive(Default)]
struct Callables {
    methods: Vec<MethodId>,
    outside: Option<Sym>,
    is_local: bool,
    is_open: bool,
    marks: CallMarks,
}

impl Callables {
    fn push(&mut self, method: MethodId) {
        if !self.methods.contains(&method) {
            self.methods.push(method);
        }
    }

    fn function(&mut self, project: &JavaScriptProject, file: FileId, function: FnId) {
        match project.method_of(file, function) {
            Some(method) => self.push(method),
            None => self.is_local = true,
        }
    }

    fn resolution(mut self, resolver: &Resolver<'_>) -> (Resolution, CallMarks) {
        self.methods.sort_unstable();
        let is_certain = !self.is_open && !self.is_local && self.outside.is_none();
        let resolution = match (&self.methods[..], self.outside) {
            (&[one], _) if is_certain => Resolution::Declared(one),
            ([], Some(owner)) => Resolution::Outside(Some(resolver.project.word(owner).to_owned())),
            ([], None) => Resolution::Unknown(UnknownReason::ReceiverType),
            _ => Resolution::Ambiguous(self.methods),
        };
        (resolution, self.marks)
    }
}
