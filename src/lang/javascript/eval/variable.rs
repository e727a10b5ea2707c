//! Evaluates variables where they are read (L15).

use smallvec::SmallVec;

use super::Eval;
use crate::javascript::facts::{
    BindingId, BindingKind, Expr, ExprId, FnId, ScopeId, VariableWrite,
};
use crate::javascript::value::{InstanceOrigin, JavaScriptValue, ValueSet};
use crate::model::FileId;

/// How many assignments to one variable are looked at: each asks a question of its own.
const WRITES_MAX: usize = 40;

impl Eval<'_> {
    pub fn variable(&mut self, file: FileId, id: BindingId, scope: ScopeId, at: u32) -> ValueSet {
        let facts = self.facts(file);
        let binding = facts.binding(id);
        if let Some(narrowed) = self.narrowed(file, id, scope, at) {
            let values = self.expr(file, narrowed);
            if !values.holds_only_nothing() {
                return values;
            }
        }
        if let [write] = &binding.writes[..]
            && let Expr::Function(function) = *facts.expr(write.value)
        {
            // The function itself says more than the type of its declaration.
            return ValueSet::one(JavaScriptValue::Fn(file, function));
        }
        if let Some(ty) = binding.ty {
            let typed_values = self.ty(file, ty);
            if !typed_values.is_vague() {
                return self
                    .implementation(file, id, &typed_values)
                    .unwrap_or(typed_values);
            }
        }
        let writes = self.writes(file, id, scope, at);
        if writes.is_empty() {
            return match binding.kind {
                BindingKind::Parameter => ValueSet::unknown(),
                _ => ValueSet::one(JavaScriptValue::Nothing),
            };
        }
        let mut values = ValueSet::default();
        for write in writes {
            values.add(&self.expr(file, write));
        }
        values.without_nothing()
    }

    /// Finds the only functions that a variable is ever given, where its type just describes how they are called:
    /// `const produce: Produce = immer.produce`.
    fn implementation(
        &mut self,
        file: FileId,
        id: BindingId,
        typed_values: &ValueSet,
    ) -> Option<ValueSet> {
        let [write] = &self.facts(file).binding(id).writes[..] else {
            return None;
        };
        let says_how = !typed_values.list.is_empty()
            && typed_values
                .list
                .iter()
                .all(|script_value| self.is_signature(*script_value));
        if write.is_narrowing || !says_how {
            return None;
        }
        let given = self.expr(file, write.value);
        let has_body = |script_value: &JavaScriptValue| {
            matches!(*script_value, JavaScriptValue::Fn(there, function)
                if self.facts(there).function(function).body.is_some())
        };
        (!given.list.is_empty() && given.list.iter().all(has_body)).then_some(given)
    }

    /// Tells whether a type's value is a call signature and nothing else: `(n: number) => void`, or an interface
    /// without a name in it.
    fn is_signature(&self, typed_values: JavaScriptValue) -> bool {
        match typed_values {
            JavaScriptValue::Fn(file, function) => {
                self.facts(file).function(function).body.is_none()
            }
            JavaScriptValue::Instance(InstanceOrigin::Class(file, class)) => {
                let class_facts = self.facts(file).class(class);
                let empty = self.project.words.empty;
                let mut members = class_facts.members.iter();
                class_facts.is_interface
                    && class_facts.supertypes.is_empty()
                    && !class_facts.members.is_empty()
                    && members.all(|member| self.file(file).sym(member.name) == empty)
            }
            _ => false,
        }
    }

    /// Finds the value that an `instanceof` around a place gives to a variable; nothing where an assignment is nearer.
    fn narrowed(&self, file: FileId, id: BindingId, scope: ScopeId, at: u32) -> Option<ExprId> {
        let facts = self.facts(file);
        let all = &facts.binding(id).writes;
        let before = all.partition_point(|variable_write| variable_write.at <= at);
        let first = before.saturating_sub(WRITES_MAX);
        let mut near = all[first..before].iter().rev();
        let found = near.find(|variable_write| facts.is_within(scope, variable_write.scope))?;
        found.is_narrowing.then_some(found.value)
    }

    /// Lists the values that a variable may have at a place: the last in straight line and those in branches since,
    /// else all.
    fn writes(
        &self,
        file: FileId,
        id: BindingId,
        scope: ScopeId,
        at: u32,
    ) -> SmallVec<[ExprId; 4]> {
        let facts = self.facts(file);
        let binding = facts.binding(id);
        let all = &binding.writes;
        if let [one] = all[..] {
            return (!one.is_narrowing)
                .then_some(one.value)
                .into_iter()
                .collect();
        }
        let before = all.partition_point(|variable_write| variable_write.at <= at);
        let first = before.saturating_sub(WRITES_MAX);
        let function = facts.scope(scope).function;
        let home = facts.scope(binding.scope).function;
        let is_above = |write: &VariableWrite| {
            !write.is_conditional && !write.is_narrowing && facts.is_within(scope, write.scope)
        };
        let last = (first..before).rev().find(|&n| is_above(&all[n]));
        let function_of = |write: &VariableWrite| facts.scope(write.scope).function;
        if let Some(last) = last {
            // Assignments in functions that run at another time count, unless the last one was made in this run.
            let is_this_run = function_of(&all[last]) == function && function != FnId(0)
                || function_of(&all[last]) != home;
            let all_above = all
                .iter()
                .all(|variable_write| self.is_around(file, function, function_of(variable_write)));
            if is_this_run || all_above {
                let since = all[last + 1..before]
                    .iter()
                    .filter(|variable_write| !variable_write.is_narrowing)
                    .filter(|variable_write| {
                        self.is_around(file, function, function_of(variable_write))
                    });
                let values = std::iter::once(&all[last]).chain(since);
                return values.map(|variable_write| variable_write.value).collect();
            }
        }
        let all = all
            .iter()
            .filter(|variable_write| !variable_write.is_narrowing);
        all.take(WRITES_MAX)
            .map(|variable_write| variable_write.value)
            .collect()
    }

    /// Tells whether `inner` is `outer` or stands in it.
    fn is_around(&self, file: FileId, inner: FnId, outer: FnId) -> bool {
        let facts = self.facts(file);
        let mut at = inner;
        for _ in 0..200 {
            if at == outer {
                return true;
            }
            if at == FnId(0) {
                return false;
            }
            at = facts.function(at).parent;
        }
        false
    }
}

impl ValueSet {
    /// Tells whether the values of a type are too vague to go by: all are a library's, `undefined` or `null`.
    pub fn is_vague(&self) -> bool {
        self.list.iter().all(|value| {
            matches!(
                value,
                JavaScriptValue::Nothing | JavaScriptValue::Outside(_)
            )
        })
    }
}
