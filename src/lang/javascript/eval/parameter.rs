//! Evaluates parameters, by their types and by the arguments of calls in sight.

use super::Eval;
use crate::javascript::facts::{CaseKind, Expr, FnId, Owner, SiteId, Type, TypeId};
use crate::javascript::value::{JavaScriptValue, ValueSet};
use crate::model::FileId;

impl Eval<'_> {
    /// Evaluates a parameter by its type; without one it stands for itself.
    pub fn param(&mut self, file: FileId, function: FnId, n: u16) -> ValueSet {
        let facts = self.facts(file);
        let Some(param) = facts.function(function).params.get(usize::from(n)) else {
            return ValueSet::unknown();
        };
        if let Some(ty) = param.ty {
            let typed_values = self.ty(file, ty);
            if !typed_values.list.is_empty() && !typed_values.is_vague() {
                return match (param.is_rest, facts.ty(ty)) {
                    // `@param {...T} a`
                    (true, Type::Named { .. }) => ValueSet::one(JavaScriptValue::List(file, ty)),
                    _ => typed_values,
                };
            }
            if typed_values.is_vague()
                && !typed_values.list.is_empty()
                && !typed_values.holds_only_nothing()
            {
                let asked = ValueSet::one(JavaScriptValue::Param(file, function, n));
                let mut values = asked;
                values.add(&typed_values);
                return values;
            }
        }
        if param.is_rest {
            return ValueSet::one(JavaScriptValue::List(file, TypeId(0)));
        }
        if let Some(&(kind, Some(owner))) = self.file(file).runs.get(&function)
            && n == 0
            && kind != CaseKind::Group
        {
            return ValueSet::one(JavaScriptValue::Runner(owner));
        }
        ValueSet::one(JavaScriptValue::Param(file, function, n))
    }

    /// Replaces parameters by their arguments, where these are in sight.
    pub fn concrete(&mut self, values: &ValueSet) -> ValueSet {
        if !values
            .list
            .iter()
            .any(|value| matches!(value, JavaScriptValue::Param(..)))
        {
            return values.clone();
        }
        let mut concrete = values.beside();
        for &value in &values.list {
            match value {
                JavaScriptValue::Param(file, function, n) => {
                    if self.active_params.insert((file, function, n)) {
                        let given = self.deeper(|eval| eval.given(file, function, n));
                        self.active_params.remove(&(file, function, n));
                        concrete.add(&given.unwrap_or_else(ValueSet::unknown));
                    } else {
                        concrete.is_open = true;
                    }
                }
                other => concrete.push(other),
            }
        }
        concrete
    }

    fn given(&mut self, file: FileId, function: FnId, n: u16) -> ValueSet {
        let script = self.file(file);
        let facts = &script.facts;
        let mut values = ValueSet::default();
        if let Some(&site) = script.called_here.get(&function) {
            // `(function (root, factory) {…})(this, function () {…})`.
            if let Some(given) = facts.site(site).args.get(usize::from(n)) {
                values.add(&self.expr(file, *given));
            }
        } else if let Some(&(site, nth)) = script.handed.get(&function) {
            values.add(&self.given_by_call(file, site, nth, n));
        } else if let Some(binding) = script.held_by.get(&function) {
            let calls = script.calls_of.get(binding).map_or(&[][..], Vec::as_slice);
            for &site in calls {
                let args = &facts.site(site).args;
                let given = args.get(usize::from(n)).copied();
                match given.map(|expr_id| facts.expr(expr_id)) {
                    Some(Expr::Spread(_)) | None => {}
                    Some(_) => {
                        let given = self.expr(file, given.unwrap_or_default());
                        let given = self.concrete(&given);
                        values.add(&given);
                    }
                }
            }
        }
        let default = facts
            .function(function)
            .params
            .get(usize::from(n))
            .and_then(|param| param.default);
        if let Some(default) = default
            && values.holds_only_nothing()
        {
            values.add(&self.expr(file, default));
        }
        if values.list.is_empty() {
            return ValueSet::unknown();
        }
        values
            .list
            .retain(|value| !matches!(value, JavaScriptValue::Param(..)));
        if values.list.is_empty() {
            values.is_open = true;
        }
        values.without_nothing()
    }

    /// Evaluates the value that a call hands to the n-th parameter of the function that is its `nth` argument.
    fn given_by_call(&mut self, file: FileId, site: SiteId, nth: u16, n: u16) -> ValueSet {
        let facts = self.facts(file);
        let call = facts.site(site);
        match *facts.expr(call.callee) {
            Expr::Function(_) => ValueSet::unknown(),
            Expr::Member(object, name) => {
                let receiver = self.expr(file, object);
                let word = facts.word(name);
                self.given_by_method((file, site), &receiver, word, (nth, n))
            }
            // `it.each(table)("…", (a, b) => …)`.
            Expr::Call(inner) => {
                let table = facts.site(inner);
                let word = facts.word(table.name);
                let is_each = matches!(word, "each" | "for");
                match (is_each, table.args.first()) {
                    (true, Some(&rows)) => {
                        let rows = self.expr(file, rows);
                        let row = self.elements(&rows);
                        // `each` spreads a row that is a list, `for` hands it over whole.
                        let is_spread =
                            word == "each" && row.list.iter().any(JavaScriptValue::is_list);
                        match is_spread {
                            true => self.item(&row, usize::from(n)),
                            false if n == 0 => row,
                            false => ValueSet::unknown(),
                        }
                    }
                    _ => self.given_by_function(file, site, (nth, n)),
                }
            }
            _ => self.given_by_function(file, site, (nth, n)),
        }
    }

    fn given_by_method(
        &mut self,
        (file, site): (FileId, SiteId),
        receiver: &ValueSet,
        word: &str,
        (nth, n): (u16, u16),
    ) -> ValueSet {
        let concrete = self.concrete(receiver);
        if matches!(word, "then" | "tap") && n == 0 && !concrete.holds_only_nothing() {
            return concrete;
        }
        let is_list = concrete.list.iter().any(JavaScriptValue::is_list);
        if is_list {
            return match (word, n) {
                ("reduce" | "reduceRight", 1) | ("sort", 0 | 1) => self.elements(&concrete),
                ("reduce" | "reduceRight", _) => ValueSet::unknown(),
                (_, 0) => self.elements(&concrete),
                _ => ValueSet::unknown(),
            };
        }
        // `each(["a", "b"], function (name) {…})` of a library.
        let args = &self.facts(file).site(site).args;
        if matches!(word, "each" | "forEach" | "forEachRight" | "map") && nth == 1 && n == 0 {
            let list = self.expr(file, args[0]);
            let elements = self.elements(&list);
            if !elements.holds_only_nothing() {
                return elements;
            }
        }
        self.given_by_function(file, site, (nth, n))
    }

    /// Evaluates the value that a function of the project hands to a callback, by the type of its parameter.
    fn given_by_function(&mut self, file: FileId, site: SiteId, (nth, n): (u16, u16)) -> ValueSet {
        let facts = self.facts(file);
        let call = facts.site(site);
        if let Expr::Var(..) | Expr::Global(_) = facts.expr(call.callee)
            && matches!(facts.word(call.name), "each" | "forEach")
            && nth == 1
            && n == 0
        {
            let list = self.expr(file, call.args[0]);
            return self.elements(&list);
        }
        let callees = self.expr(file, call.callee);
        let mut values = ValueSet::default();
        for value in callees.list {
            let JavaScriptValue::Fn(there, function) = value else {
                continue;
            };
            let function_facts = self.facts(there).function(function);
            if let Owner::None = function_facts.owner
                && function_facts.params.is_empty()
            {
                continue;
            }
            let Some(ty) = function_facts
                .params
                .get(usize::from(nth))
                .and_then(|param| param.ty)
            else {
                continue;
            };
            for callback in self.ty(there, ty).list {
                if let JavaScriptValue::Fn(there, callback) = callback {
                    let given = self.param(there, callback, n);
                    if !given
                        .list
                        .iter()
                        .any(|script_value| matches!(script_value, JavaScriptValue::Param(..)))
                    {
                        values.add(&given);
                    }
                }
            }
        }
        if values.list.is_empty() {
            return ValueSet::unknown();
        }
        values
    }
}
