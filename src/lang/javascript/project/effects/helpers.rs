//! Functions that assign to members of their arguments, and the effects of calling them.

use super::{
    AssignedValue, EffectAssignment, EffectPart, EffectWalk, HELD_MAX, HelperEffect,
    MemberAssignment,
};
use crate::javascript::facts::{Expr, ExprId, FnId, MemberKey, SiteId};
use crate::javascript::value::JavaScriptValue;
use crate::model::FileId;

impl EffectWalk<'_, '_> {
    /// Reads an assignment as an effect on its function's arguments or `this`; nothing for a plain `this.name = value`.
    pub fn helper(&mut self, assignment: EffectAssignment) -> Option<(FnId, HelperEffect)> {
        self.eval.refresh();
        let (target, function) = self.part_of(assignment.target)?;
        let key = match assignment.key {
            MemberKey::Named(name) => EffectPart::Name(self.eval.file(self.file).sym(name)),
            MemberKey::Computed(key) => match self.part_of(key) {
                Some((part @ EffectPart::Argument(..), there)) if there == function => part,
                _ => EffectPart::Computed,
            },
        };
        let value = match self.part_of(assignment.value) {
            Some((part @ EffectPart::Argument(..), there)) if there == function => part,
            _ => EffectPart::Value(assignment.value),
        };
        let is_plain = matches!(
            (target, key, value),
            (
                EffectPart::This(_),
                EffectPart::Name(_),
                EffectPart::Value(_)
            )
        );
        (!is_plain).then_some((
            function,
            HelperEffect {
                target,
                key,
                value,
                is_getter: assignment.is_getter,
            },
        ))
    }

    /// Tells which parameter of which function an expression is; `this` belongs to the function around it.
    fn part_of(&self, id: ExprId) -> Option<(EffectPart, FnId)> {
        let facts = self.eval.facts(self.file);
        let words = self.eval.project.words;
        let (id, is_prototype) = match *facts.expr(id) {
            Expr::Member(object, name)
                if self.eval.file(self.file).sym(name) == words.prototype =>
            {
                (object, true)
            }
            _ => (id, false),
        };
        match *facts.expr(id) {
            Expr::This(function) => Some((EffectPart::This(is_prototype), function)),
            Expr::Var(binding, _) => {
                let binding = facts.binding(binding);
                let [write] = binding.writes[..] else {
                    return None;
                };
                match *facts.expr(write.value) {
                    Expr::Param(function, n) => {
                        Some((EffectPart::Argument(n, is_prototype), function))
                    }
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Applies the effects of a helper to a call of it.
    pub fn helped(&mut self, id: SiteId) {
        if self.helpers.is_empty() {
            return;
        }
        let facts = self.eval.facts(self.file);
        let site = facts.site(id);
        if site.args.is_empty() || !self.may_help(site.callee) {
            return;
        }
        for callee in self.eval.expr(self.file, site.callee).list {
            let JavaScriptValue::Fn(there, function) = callee else {
                continue;
            };
            let Some(helpers) = self.helpers.get(&(there, function)) else {
                continue;
            };
            for helper in helpers {
                self.help(id, there, *helper);
            }
        }
    }

    /// Tells whether a callee may be a helper: only one with a name may.
    fn may_help(&self, callee: ExprId) -> bool {
        matches!(
            self.eval.facts(self.file).expr(callee),
            Expr::Var(..) | Expr::Member(..)
        )
    }

    fn help(&mut self, id: SiteId, there: FileId, helper: HelperEffect) {
        let facts = self.eval.facts(self.file);
        let site = facts.site(id);
        let arg = |n: u16| site.args.get(usize::from(n)).copied();
        let (target, is_prototype) = match helper.target {
            EffectPart::Argument(n, is_prototype) => (arg(n), is_prototype),
            EffectPart::This(is_prototype) => match *facts.expr(site.callee) {
                Expr::Member(object, _) => (Some(object), is_prototype),
                _ => return,
            },
            _ => return,
        };
        let Some(target) = target else { return };
        let value = match helper.value {
            EffectPart::Argument(n, _) => match arg(n) {
                Some(value) => (self.file, value),
                None => return,
            },
            EffectPart::Value(value) => (there, value),
            _ => return,
        };
        let held = match (helper.is_getter, self.eval.facts(value.0).expr(value.1)) {
            (true, Expr::Function(function)) => AssignedValue::Getter(*function),
            _ => AssignedValue::Expr(value.1),
        };
        let held = MemberAssignment {
            file: value.0,
            value: held,
        };
        let targets = self.eval.expr(self.file, target);
        match helper.key {
            EffectPart::Name(sym) => self.put_into(&targets, sym, held, is_prototype),
            EffectPart::Argument(n, _) => {
                let Some(key) = arg(n) else { return };
                let keys = self.eval.expr(self.file, key);
                for key in self.eval.concrete(&keys).list {
                    if let JavaScriptValue::Text(sym) = key {
                        self.put_into(&targets, sym, held, is_prototype);
                    }
                }
            }
            _ => {
                if self.is_function(held) {
                    for target in self.holders(&targets, is_prototype) {
                        let all = self.tables.computed_members.entry(target).or_default();
                        if all.len() < HELD_MAX && !all.contains(&held) {
                            all.push(held);
                        }
                    }
                }
            }
        }
    }
}
