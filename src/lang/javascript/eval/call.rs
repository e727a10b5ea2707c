//! Evaluates calls.

use super::construction::made_by_each;
use super::{Eval, maker_of};
use crate::javascript::facts::{Expr, ExprId, FnId, Name, SiteId, SiteKind};
use crate::javascript::project::runner;
use crate::javascript::value::{InstanceOrigin, JavaScriptValue, ValueSet};
use crate::model::{CallMarks, FileId};

/// Functions of libraries that return their first argument, or its like.
const RETURNS_FIRST_ARGUMENT: &[&str] = &[
    "freeze",
    "seal",
    "preventExtensions",
    "assign",
    "extend",
    "defaults",
    "merge",
    "defineProperty",
    "defineProperties",
    "setPrototypeOf",
    "mocked",
    "resolve",
    "all",
    "markRaw",
    "reactive",
    "cloneDeep",
    "clone",
    "mixin",
    "structuredClone",
    "toRaw",
    "readonly",
    "allSettled",
    "deepFreeze",
];

/// Functions that load a module by its name.
const LOADERS: &[&str] = &[
    "requireActual",
    "importActual",
    "requireMock",
    "importMock",
    "proxyquire",
    "rewire",
    "importFresh",
    "esmock",
    "requireUncached",
    "load",
    "noCallThru",
    "requireInject",
    "mockRequire",
    "reRequire",
    "freshRequire",
    "importModule",
];

impl Eval<'_> {
    pub fn call(&mut self, file: FileId, id: SiteId) -> ValueSet {
        match self.project.factory_functions.get(&(file, id)) {
            Some(&function) => ValueSet::one(JavaScriptValue::Fn(file, function)),
            None => self.called(file, id),
        }
    }

    /// Evaluates a call, even where its result bears a name and is a declaration of its own.
    pub fn called(&mut self, file: FileId, id: SiteId) -> ValueSet {
        let site = self.site(file, id);
        if site.kind == SiteKind::New {
            return self.made_by_new(file, id);
        }
        if let Some(values) = self.special(file, id) {
            return values;
        }
        let callees = self.expr(file, site.callee);
        self.returned_by(file, id, &callees)
    }

    /// Evaluates a call of these values.
    fn returned_by(&mut self, file: FileId, id: SiteId, callees: &ValueSet) -> ValueSet {
        let callees = self.concrete(callees);
        let mut values = ValueSet::open(callees.is_open);
        for &callee in &callees.list {
            match callee {
                JavaScriptValue::Fn(there, function) => {
                    values.add(&self.returned_by_function((there, function), (file, id)));
                }
                // A class that is called without `new`.
                JavaScriptValue::Class(..) | JavaScriptValue::Made(..) => {
                    values
                        .list
                        .extend(maker_of(callee).map(JavaScriptValue::Instance));
                }
                JavaScriptValue::Outside(owner) | JavaScriptValue::Runner(owner) => {
                    values.push(JavaScriptValue::Result(file, id, Some(owner)));
                }
                JavaScriptValue::Result(_, _, Some(owner)) => {
                    values.push(JavaScriptValue::Outside(owner));
                }
                JavaScriptValue::Result(..) => {
                    let inner = self.unwrapped(callee, 0);
                    for value in inner.list {
                        if let JavaScriptValue::Fn(there, function) = value {
                            values.add(&self.returned_by_function((there, function), (file, id)));
                        }
                    }
                    values.is_open |= values.list.is_empty();
                }
                JavaScriptValue::Instance(InstanceOrigin::Class(there, class)) => {
                    values.add(&self.called_interface(there, class, (file, id)));
                }
                _ => values.is_open = true,
            }
        }
        if callees.list.is_empty() {
            values.is_open = true;
        }
        values
    }

    /// Evaluates a call of one function; where it returns a closure and is given a function, the result wraps that.
    fn returned_by_function(&mut self, callee: (FileId, FnId), at: (FileId, SiteId)) -> ValueSet {
        let (file, id) = at;
        let returned = self.returned(callee.0, callee.1);
        let returned = self.substituted(&returned, callee, at);
        let args = &self.site(file, id).args;
        if self.is_closure_of(&returned, callee)
            && args
                .iter()
                .take(16)
                .any(|arg| self.holds_function(file, *arg, 0))
        {
            return ValueSet::one(JavaScriptValue::Result(file, id, None));
        }
        returned
    }

    /// Evaluates a call of an object whose interface has a call signature.
    fn called_interface(
        &mut self,
        there: FileId,
        class: crate::javascript::facts::ClassId,
        at: (FileId, SiteId),
    ) -> ValueSet {
        let empty = self.project.words.empty;
        for found in self.lookup_in(
            JavaScriptValue::Instance(InstanceOrigin::Class(there, class)),
            empty,
            0,
        ) {
            if let super::MemberDefinition::Fn(there, function) = found {
                let returned = self.returned(there, function);
                return self.substituted(&returned, (there, function), at);
            }
        }
        ValueSet::unknown()
    }

    /// Evaluates calls whose meaning is known by their name: `require`, `Object.create`, `f.bind`, methods of arrays;
    /// nothing for others.
    fn special(&mut self, file: FileId, id: SiteId) -> Option<ValueSet> {
        let facts = self.facts(file);
        let site = self.site(file, id);
        let first = site.args.first().copied();
        match *facts.expr(site.callee) {
            Expr::Global(name) => {
                let word = facts.word(name);
                let text = self.text(file, first?)?;
                (word == "require" || LOADERS.contains(&word))
                    .then(|| self.whole_module(file, text, false))
            }
            Expr::Super(_) => Some(ValueSet::one(JavaScriptValue::Nothing)),
            Expr::Var(..) => {
                let word = facts.word(site.name);
                if !LOADERS.contains(&word) {
                    return None;
                }
                let text = self.text(file, first?)?;
                Some(self.loaded(file, id, text))
            }
            Expr::Member(object, name) => {
                let word = facts.word(name);
                self.special_method(file, id, object, word)
            }
            _ => None,
        }
    }

    /// Evaluates the module that a function named like a loader loads. A function of the project may do anything else:
    /// one that visibly returns nothing of the project is taken to load a module of it.
    fn loaded(&mut self, file: FileId, id: SiteId, text: Name) -> ValueSet {
        let callees = self.expr(file, self.site(file, id).callee);
        let is_own = callees
            .list
            .iter()
            .any(|value| matches!(value, JavaScriptValue::Fn(..) | JavaScriptValue::Class(..)));
        if !is_own {
            return self.whole_module(file, text, false);
        }
        let returned = self.returned_by(file, id, &callees);
        let is_library = |value: &JavaScriptValue| {
            matches!(
                value,
                JavaScriptValue::Outside(_) | JavaScriptValue::Result(..)
            )
        };
        if !returned.holds_only_nothing() && !returned.list.iter().all(is_library) {
            return returned;
        }
        let module = self.whole_module(file, text, false);
        let is_project = |value: &JavaScriptValue| value.home().is_some();
        if module.list.iter().any(is_project) {
            module
        } else {
            returned
        }
    }

    fn text(&self, file: FileId, id: ExprId) -> Option<Name> {
        match *self.facts(file).expr(id) {
            Expr::Text(text) => Some(text),
            _ => None,
        }
    }

    fn special_method(
        &mut self,
        file: FileId,
        id: SiteId,
        object: ExprId,
        word: &str,
    ) -> Option<ValueSet> {
        let site = self.site(file, id);
        let first = site.args.first().copied();
        match word {
            "bind" => {
                let bound = self.expr(file, object);
                let is_function = |value: &JavaScriptValue| {
                    matches!(
                        value,
                        JavaScriptValue::Fn(..)
                            | JavaScriptValue::Class(..)
                            | JavaScriptValue::Result(..)
                    )
                };
                bound.list.iter().any(is_function).then_some(bound)
            }
            "call" | "apply" => {
                let callees = self.expr(file, object);
                let functions: Vec<_> = callees
                    .list
                    .iter()
                    .filter_map(|value| match *value {
                        JavaScriptValue::Fn(there, function) => Some((there, function)),
                        _ => None,
                    })
                    .collect();
                if functions.is_empty() {
                    return None;
                }
                let mut values = ValueSet::default();
                for (there, function) in functions {
                    values.add(&self.returned(there, function));
                }
                Some(values)
            }
            "requireActual" | "importActual" | "requireMock" | "importMock" => {
                let text = self.text(file, first?)?;
                Some(self.whole_module(file, text, word.starts_with("import")))
            }
            "then" | "catch" | "finally" => self.chained(file, id, object, word),
            _ => {
                let objects = self.expr(file, object);
                let objects = self.concrete(&objects);
                let is_list = objects.list.iter().any(JavaScriptValue::is_list);
                if is_list {
                    return self.of_list(file, id, &objects, word);
                }
                let is_outside =
                    |value: &JavaScriptValue| matches!(value, JavaScriptValue::Outside(_));
                if !objects.list.iter().all(is_outside) || objects.list.is_empty() {
                    return self.extended(file, id, &objects, word);
                }
                if word == "extend" && self.is_runner(&objects) {
                    return None;
                }
                if word == "create" {
                    return Some(ValueSet::one(JavaScriptValue::Made(file, id)));
                }
                if word == "from" || word == "of" {
                    let list = self.expr(file, first?);
                    return (!list.holds_only_nothing()
                        && self.project.word_of(&objects) == Some("Array"))
                    .then_some(list);
                }
                let first = first.filter(|_| RETURNS_FIRST_ARGUMENT.contains(&word))?;
                Some(self.expr(file, first))
            }
        }
    }

    /// Tells whether one of these is a runner's: `test.extend({…})` is a test, too.
    fn is_runner(&self, objects: &ValueSet) -> bool {
        objects.list.iter().any(|value| {
            matches!(*value, JavaScriptValue::Outside(owner)
                if runner(self.project.word(owner)).is_some())
        })
    }

    /// Evaluates `Base.extend({…})` to the class that it makes, where `Base` was found to be one.
    fn extended(
        &mut self,
        file: FileId,
        id: SiteId,
        objects: &ValueSet,
        word: &str,
    ) -> Option<ValueSet> {
        if word != "extend" || !self.project.extend_sites.contains(&(file, id)) {
            return None;
        }
        let _ = objects;
        Some(ValueSet::one(JavaScriptValue::Made(file, id)))
    }

    /// Evaluates methods of promises, which are seen through: `p.then(f)` is the result of `f`.
    fn chained(
        &mut self,
        file: FileId,
        id: SiteId,
        object: ExprId,
        word: &str,
    ) -> Option<ValueSet> {
        let objects = self.expr(file, object);
        let then = self.project.words.then;
        let has_own = self.lookup(&objects, then).iter().any(|definition| {
            matches!(
                definition,
                super::MemberDefinition::Fn(..) | super::MemberDefinition::Value(..)
            )
        });
        if has_own {
            return None;
        }
        if word != "then" {
            return Some(objects);
        }
        let callback = *self.site(file, id).args.first()?;
        let mut values = ValueSet::default();
        for value in self.expr(file, callback).list {
            if let JavaScriptValue::Fn(there, function) = value {
                values.add(&self.returned(there, function));
            }
        }
        if values.list.is_empty() {
            let owner = self.project.words.promise;
            return Some(ValueSet::one(JavaScriptValue::Outside(owner)));
        }
        Some(values)
    }

    fn of_list(
        &mut self,
        file: FileId,
        id: SiteId,
        list: &ValueSet,
        word: &str,
    ) -> Option<ValueSet> {
        match word {
            "filter" | "slice" | "concat" | "reverse" | "sort" | "splice" | "toSorted"
            | "toReversed" | "fill" => Some(list.clone()),
            "find" | "pop" | "shift" | "at" | "findLast" => Some(self.elements(list)),
            "map" | "flatMap" => {
                let callback = *self.site(file, id).args.first()?;
                let callbacks = self.expr(file, callback);
                let (&[JavaScriptValue::Fn(there, function)], false) =
                    (&callbacks.list[..], callbacks.is_open)
                else {
                    return None;
                };
                let each = ValueSet::one(JavaScriptValue::Each(there, function));
                Some(if word == "map" {
                    each
                } else {
                    self.flat(&each)
                })
            }
            "flat" => Some(self.flat(list)),
            _ => None,
        }
    }

    /// Flattens the lists in a list, and keeps its other elements.
    fn flat(&mut self, list: &ValueSet) -> ValueSet {
        let elements = self.elements(list);
        let elements = self.concrete(&elements);
        let (mut lists, others): (ValueSet, bool) = (elements.beside(), elements.list.is_empty());
        let mut has_others = others;
        for &value in &elements.list {
            if value.is_list() {
                lists.push(value);
            } else {
                has_others = true;
            }
        }
        if has_others {
            lists.add(list);
        }
        lists
    }

    /// Puts a call's receiver and arguments in the place of a function's `this` and parameters.
    pub fn substituted(
        &mut self,
        values: &ValueSet,
        callee: (FileId, FnId),
        at: (FileId, SiteId),
    ) -> ValueSet {
        let is_own = |value: &JavaScriptValue| match *value {
            JavaScriptValue::This(file, function)
            | JavaScriptValue::New(file, function)
            | JavaScriptValue::Param(file, function, _) => {
                (file, function) == callee || file == callee.0
            }
            _ => false,
        };
        if !values.list.iter().any(is_own) {
            return values.clone();
        }
        let (file, id) = at;
        let site = self.site(file, id);
        let mut found = values.beside();
        for &value in &values.list {
            match value {
                JavaScriptValue::This(..) | JavaScriptValue::New(..) => {
                    let receiver = self.receiver(file, site.callee);
                    if receiver.list.is_empty() {
                        found.push(value);
                    } else if let JavaScriptValue::This(..) = value {
                        found.add(&receiver);
                    } else {
                        found.add(&made_by_each(&receiver));
                    }
                }
                JavaScriptValue::Param(there, function, n) if (there, function) == callee => {
                    if let Some(&arg) = site.args.get(usize::from(n)) {
                        found.add(&self.expr(file, arg));
                    } else {
                        let function_facts = self.facts(there).function(function);
                        let default = function_facts
                            .params
                            .get(usize::from(n))
                            .and_then(|param| param.default);
                        match default {
                            Some(default) => found.add(&self.expr(there, default)),
                            None => found.push(JavaScriptValue::Nothing),
                        }
                    }
                }
                other => found.push(other),
            }
        }
        found
    }

    /// Evaluates `this` as a callee's function sees it; a function called on `super` sees the `this` around the call.
    fn receiver(&mut self, file: FileId, callee: ExprId) -> ValueSet {
        let facts = self.facts(file);
        let (Expr::Member(object, _) | Expr::Index(object, _)) = *facts.expr(callee) else {
            return ValueSet::default();
        };
        match *facts.expr(object) {
            Expr::Super(function) => self.this(file, function),
            _ => self.expr(file, object),
        }
    }

    /// Puts the objects that have a getter in the place of its `this`.
    pub fn with_this(values: &ValueSet, callee: (FileId, FnId), objects: &ValueSet) -> ValueSet {
        let mut found = values.beside();
        for &value in &values.list {
            match value {
                JavaScriptValue::This(file, function) if (file, function) == callee => {
                    found.add(objects);
                }
                JavaScriptValue::New(file, function) if (file, function) == callee => {
                    found.add(&made_by_each(objects));
                }
                other => found.push(other),
            }
        }
        found
    }

    /// Tells whether a function returns functions that stand in it, and so most likely wraps others.
    fn is_closure_of(&self, values: &ValueSet, (file, function): (FileId, FnId)) -> bool {
        let mut closures = values
            .list
            .iter()
            .filter(|value| **value != JavaScriptValue::Nothing)
            .peekable();
        closures.peek().is_some()
            && closures.any(|closure| match *closure {
                JavaScriptValue::Fn(there, inner) => {
                    let function_facts = self.facts(there).function(inner);
                    function_facts.body.is_some()
                        && (!function_facts.is_declared
                            || there == file && function_facts.parent == function)
                }
                JavaScriptValue::Result(_, _, None) => true,
                _ => false,
            })
    }

    fn holds_function(&mut self, file: FileId, id: ExprId, depth: u32) -> bool {
        match self.facts(file).expr(id) {
            Expr::Function(_) => true,
            Expr::Var(..) | Expr::Member(..) => {
                let values = self.expr(file, id);
                values.list.iter().any(JavaScriptValue::may_be_function)
            }
            Expr::Call(site) if depth < 4 => {
                let args = &self.site(file, *site).args;
                args.iter()
                    .take(16)
                    .any(|arg| self.holds_function(file, *arg, depth + 1))
            }
            _ => false,
        }
    }

    /// Finds the function that a call wraps: the function literal among its arguments, else the only one that is named
    /// there.
    pub fn unwrapped(&mut self, value: JavaScriptValue, depth: u32) -> ValueSet {
        let JavaScriptValue::Result(file, id, _) = value else {
            return ValueSet::one(value);
        };
        let site = self.site(file, id);
        if depth > 6 {
            return ValueSet::unknown();
        }
        let mut literals = ValueSet::default();
        let mut names = ValueSet::default();
        for &arg in site.args.iter().take(16) {
            match *self.facts(file).expr(arg) {
                Expr::Function(function) => literals.push(JavaScriptValue::Fn(file, function)),
                Expr::Call(inner) => {
                    let inner_value = JavaScriptValue::Result(file, inner, None);
                    let values = self.deeper(|eval| {
                        let value = eval.expr(file, arg);
                        // The inner call may give a declared function itself.
                        let mut found = ValueSet::default();
                        for value in value.list {
                            if let JavaScriptValue::Fn(there, function) = value
                                && eval.facts(there).function(function).is_declared
                            {
                                found.push(value);
                            }
                        }
                        if found.list.is_empty() {
                            eval.unwrapped(inner_value, depth + 1)
                        } else {
                            found
                        }
                    });
                    literals.add(&values.unwrap_or_default());
                }
                Expr::Var(..) | Expr::Member(..) => {
                    let values = self.expr(file, arg);
                    for value in values.list {
                        match value {
                            JavaScriptValue::Fn(..) | JavaScriptValue::Class(..) => {
                                names.push(value);
                            }
                            JavaScriptValue::Result(..) if depth < 6 => {
                                let inner = self.deeper(|eval| eval.unwrapped(value, depth + 1));
                                names.add(&inner.unwrap_or_default());
                            }
                            _ => {}
                        }
                    }
                }
                _ => {}
            }
        }
        literals.list.retain(|script_value| {
            matches!(
                script_value,
                JavaScriptValue::Fn(..) | JavaScriptValue::Class(..)
            )
        });
        let mut values = if literals.list.is_empty() {
            names
        } else {
            literals
        };
        values.list.retain(|script_value| {
            matches!(
                script_value,
                JavaScriptValue::Fn(..) | JavaScriptValue::Class(..)
            )
        });
        values.is_open = values.list.len() != 1;
        values.marks.add(CallMarks::WRAPPED);
        values
    }
}
