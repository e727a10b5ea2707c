//! Evaluates the results of functions, in terms of their `this` and their parameters.

use std::collections::hash_map::Entry;

use super::Eval;
use crate::javascript::facts::{FnId, Function, MemberKind, Name, Type, TypeDecl};
use crate::javascript::value::{InstanceOrigin, JavaScriptValue, ValueSet};
use crate::model::FileId;

/// How many returned values of a function are looked at: as many as a set of values holds.
const RETURNS_MAX: usize = 24;

impl Eval<'_> {
    /// Evaluates a function's result in terms of its `this` and its parameters.
    pub fn returned(&mut self, file: FileId, function: FnId) -> ValueSet {
        match self.memory.returns.entry((file, function)) {
            Entry::Occupied(asked) => return asked.get().clone().unwrap_or_else(ValueSet::unknown),
            Entry::Vacant(place) => {
                place.insert(None);
            }
        }
        let values = self.deeper(|eval| eval.returned_here(file, function));
        let values = values.unwrap_or_else(ValueSet::unknown);
        self.memory
            .returns
            .insert((file, function), Some(values.clone()));
        values
    }

    fn returned_here(&mut self, file: FileId, function: FnId) -> ValueSet {
        let facts = self.facts(file);
        let function_facts = facts.function(function);
        if let Some(site) = function_facts.made_by {
            let mut values = ValueSet::default();
            for value in self.called(file, site).list {
                if let JavaScriptValue::Fn(there, inner) = value {
                    values.add(&self.returned(there, inner));
                }
            }
            return values;
        }
        if let Some(ty) = function_facts.return_type {
            if let Type::This = facts.ty(ty) {
                return ValueSet::one(JavaScriptValue::This(file, function));
            }
            if let Some(same) = self.same_as_parameter(file, function, ty) {
                return same;
            }
            let typed_values = self.ty(file, ty);
            // The returned values say more than a type of a library.
            if !typed_values.list.is_empty() && !typed_values.is_vague() {
                return self
                    .returned_function(file, function_facts, &typed_values)
                    .unwrap_or(typed_values);
            }
            if function_facts.returns.is_empty() {
                return if typed_values.list.is_empty() {
                    ValueSet::unknown()
                } else {
                    typed_values
                };
            }
        }
        if function_facts.kind == MemberKind::Constructor || function_facts.is_generator {
            return ValueSet::unknown();
        }
        if function_facts.returns.is_empty() {
            return ValueSet::one(JavaScriptValue::Nothing);
        }
        self.returned_values(file, function_facts)
    }

    fn returned_values(&mut self, file: FileId, function: &Function) -> ValueSet {
        let mut values = ValueSet::default();
        for value in function.returns.iter().take(RETURNS_MAX) {
            values.add(&self.expr(file, *value));
        }
        values.without_nothing()
    }

    /// Finds the returned function, where an interface tells only that the result can be called.
    fn returned_function(
        &mut self,
        file: FileId,
        function: &Function,
        typed_values: &ValueSet,
    ) -> Option<ValueSet> {
        let empty = self.project.words.empty;
        let [JavaScriptValue::Instance(InstanceOrigin::Class(there, class))] =
            typed_values.list[..]
        else {
            return None;
        };
        if !self.facts(there).class(class).is_interface
            || function.returns.is_empty()
            || self.lookup_in(typed_values.list[0], empty, 0).is_empty()
        {
            return None;
        }
        let values = self.returned_values(file, function);
        let is_function = |value: &JavaScriptValue| matches!(value, JavaScriptValue::Fn(..));
        (!values.is_open && !values.list.is_empty() && values.list.iter().all(is_function))
            .then_some(values)
    }

    /// Finds the parameter that a function returns by its type: `function f<T>(x: T): T`.
    fn same_as_parameter(
        &self,
        file: FileId,
        function: FnId,
        ty: crate::javascript::facts::TypeId,
    ) -> Option<ValueSet> {
        let facts = self.facts(file);
        let name_of = |ty| match facts.ty(ty) {
            Type::Named { path, args, scope } if args.is_empty() => match path[..] {
                [name] => Some((name, *scope)),
                _ => None,
            },
            _ => None,
        };
        let is_seen_through = |path: &[Name]| match *path {
            [name] => matches!(
                facts.word(name),
                "Promise" | "Readonly" | "Awaited" | "NonNullable"
            ),
            _ => false,
        };
        let inner = match facts.ty(ty) {
            Type::Named { path, args, .. } if args.len() == 1 && is_seen_through(path) => args[0],
            _ => ty,
        };
        let (name, _) = name_of(inner)?;
        let function_facts = facts.function(function);
        let decl = facts.type_names.get(&(function_facts.scope, name))?;
        if !matches!(decl, TypeDecl::Parameter) {
            return None;
        }
        let n = function_facts.params.iter().position(|param| {
            param
                .ty
                .and_then(name_of)
                .is_some_and(|pair| pair.0 == name)
        })?;
        Some(ValueSet::one(JavaScriptValue::Param(
            file, function, n as u16,
        )))
    }
}
