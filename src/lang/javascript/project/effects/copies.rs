//! Finds objects that take the members of others: by `Object.assign` and its kin, by inheritance through prototypes.

use super::{EffectWalk, HELD_MAX};
use crate::javascript::eval::{made_by, maker_of};
use crate::javascript::facts::{Expr, ExprId, SiteId};
use crate::javascript::value::{InstanceOrigin, JavaScriptValue};

/// Tells whether calls of that name may take the members of others.
pub fn is_copying(word: &str) -> bool {
    word == "create" || is_inheritance(word) || is_copy(word)
}

fn is_inheritance(word: &str) -> bool {
    matches!(
        word,
        "inherits" | "inherit" | "__extends" | "_inheritsLoose" | "_inherits"
    )
}

fn is_copy(word: &str) -> bool {
    matches!(
        word,
        "assign"
            | "extend"
            | "mixin"
            | "mixins"
            | "merge"
            | "defaults"
            | "setPrototypeOf"
            | "augment"
            | "include"
            | "implement"
            | "copyProperties"
            | "mergeDescriptors"
            | "mixIn"
            | "assignIn"
            | "mixinProperties"
            | "applyMixins"
            | "_extend"
            | "__assign"
            | "use"
    )
}

impl EffectWalk<'_, '_> {
    /// Notes `Object.assign(a, b)`, `extend(a, b)`, `inherits(A, B)`, `Object.setPrototypeOf(a, b)`,
    /// `Base.extend({…})`.
    pub fn copied(&mut self, id: SiteId) {
        let facts = self.eval.facts(self.file);
        let site = facts.site(id);
        let word = facts.word(site.name);
        let (is_inheritance, is_copy) = (is_inheritance(word), is_copy(word));
        if word == "create" {
            self.created(id);
            return;
        }
        if !is_inheritance && !is_copy {
            return;
        }
        let is_setter = word == "setPrototypeOf";
        let [first, rest @ ..] = &site.args[..] else {
            return;
        };
        if rest.is_empty() || is_copy && word == "extend" && self.is_extended(id, *first) {
            self.extended(id);
            return;
        }
        let targets = self.eval.expr(self.file, *first);
        let targets = self.holders(&targets, false);
        for &other in rest.iter().take(16) {
            let others = self.eval.expr(self.file, other);
            let mut others = self.eval.concrete(&others);
            // Options are not copied: `mixin(app, proto, false)`.
            others.list.retain(|value| {
                !matches!(
                    value,
                    JavaScriptValue::Primitive(_)
                        | JavaScriptValue::Text(_)
                        | JavaScriptValue::Nothing
                )
            });
            let literal = match *facts.expr(other) {
                Expr::Object(object) => Some(object),
                _ => None,
            };
            for &target in &targets {
                for &parent in &others.list {
                    if is_inheritance || is_setter && maker_of(target).is_some() {
                        let makers = (maker_of(target), maker_of(parent));
                        if let (Some(child), Some(parent)) = makers {
                            self.tables.parent(
                                JavaScriptValue::Proto(child),
                                JavaScriptValue::Instance(parent),
                            );
                        }
                    }
                    self.tables.parent(target, parent);
                }
                if let Some(object) = literal {
                    let holder = match target {
                        JavaScriptValue::Proto(maker) => JavaScriptValue::Instance(maker),
                        other => other,
                    };
                    let all = self
                        .tables
                        .literal_holders
                        .entry((self.file, object))
                        .or_default();
                    if all.len() < HELD_MAX && !all.contains(&holder) {
                        all.push(holder);
                    }
                }
            }
        }
    }

    /// Notes `Object.create(prototype)`.
    fn created(&mut self, id: SiteId) {
        let site = self.eval.site(self.file, id);
        let Some(&first) = site.args.first() else {
            return;
        };
        let is_object = self
            .eval
            .expr(self.file, site.callee)
            .list
            .iter()
            .any(|value| matches!(value, JavaScriptValue::Outside(_)));
        if !is_object {
            return;
        }
        for parent in self.eval.expr(self.file, first).list {
            self.tables
                .parent(JavaScriptValue::Made(self.file, id), parent);
        }
    }

    /// Tells whether a call has the form `X.extend({…})`, which makes a class where `X` is one.
    fn is_extended(&self, id: SiteId, first: ExprId) -> bool {
        let facts = self.eval.facts(self.file);
        let site = facts.site(id);
        matches!(facts.expr(site.callee), Expr::Member(..))
            && matches!(facts.expr(first), Expr::Object(_))
    }

    fn extended(&mut self, id: SiteId) {
        let facts = self.eval.facts(self.file);
        let site = facts.site(id);
        let Expr::Member(object, name) = *facts.expr(site.callee) else {
            return;
        };
        if facts.word(name) != "extend" {
            return;
        }
        let bases = self.eval.expr(self.file, object);
        let makers: Vec<_> = bases
            .list
            .iter()
            .filter_map(|script_value| maker_of(*script_value))
            .collect();
        if makers.is_empty() {
            return;
        }
        let made = JavaScriptValue::Made(self.file, id);
        let maker = InstanceOrigin::Made(self.file, id);
        self.tables.extend_sites.insert((self.file, id));
        for base in makers {
            self.tables.parent(
                JavaScriptValue::Proto(maker),
                JavaScriptValue::Instance(base),
            );
            self.tables.parent(made, made_by(base));
        }
        for (at, &arg) in site.args.iter().enumerate().take(2) {
            for parent in self.eval.expr(self.file, arg).list {
                match at {
                    0 => self.tables.parent(JavaScriptValue::Proto(maker), parent),
                    _ => self.tables.parent(made, parent),
                }
            }
            if let (0, Expr::Object(object)) = (at, facts.expr(arg)) {
                let all = self
                    .tables
                    .literal_holders
                    .entry((self.file, *object))
                    .or_default();
                all.push(JavaScriptValue::Instance(maker));
            }
        }
    }
}
