//! Evaluates `new`.

use super::{Eval, maker_of};
use crate::javascript::facts::{Expr, ExprId, FnId, SiteId};
use crate::javascript::value::{InstanceOrigin, JavaScriptValue, ValueSet};
use crate::model::FileId;

impl Eval<'_> {
    /// Evaluates a call with `new`.
    pub fn made_by_new(&mut self, file: FileId, id: SiteId) -> ValueSet {
        let site = self.site(file, id);
        if let Some(same) = self.made_like_this(file, site.callee) {
            return same;
        }
        let callees = self.expr(file, site.callee);
        let callees = self.concrete(&callees);
        let mut values = ValueSet::open(callees.is_open);
        for &callee in &callees.list {
            match callee {
                JavaScriptValue::This(there, function) => {
                    values.push(JavaScriptValue::New(there, function));
                }
                JavaScriptValue::Outside(owner) | JavaScriptValue::Result(_, _, Some(owner)) => {
                    let word = self.project.word(owner);
                    match (word, site.args.first()) {
                        ("Proxy", Some(&target)) => values.add(&self.expr(file, target)),
                        ("Promise", _) => values.is_open = true,
                        _ => values.push(JavaScriptValue::Outside(owner)),
                    }
                }
                JavaScriptValue::Result(_, _, None) => {
                    for value in self.unwrapped(callee, 0).list {
                        values
                            .list
                            .extend(maker_of(value).map(JavaScriptValue::Instance));
                    }
                }
                JavaScriptValue::Fn(there, function) => {
                    // A constructor may return another object.
                    let returned = self.returned(there, function);
                    let is_other = |value: &JavaScriptValue| {
                        matches!(
                            value,
                            JavaScriptValue::Object(..)
                                | JavaScriptValue::Instance(_)
                                | JavaScriptValue::Made(..)
                        ) && *value
                            != JavaScriptValue::Instance(InstanceOrigin::Fn(there, function))
                    };
                    for value in returned.list.into_iter().filter(is_other) {
                        values.push(value);
                    }
                    values.push(JavaScriptValue::Instance(InstanceOrigin::Fn(
                        there, function,
                    )));
                }
                other => match maker_of(other) {
                    Some(maker) => values.push(JavaScriptValue::Instance(maker)),
                    None => values.is_open = true,
                },
            }
        }
        values
    }

    /// Evaluates `new this.constructor()`, which makes another instance of the class of `this`.
    fn made_like_this(&mut self, file: FileId, callee: ExprId) -> Option<ValueSet> {
        let facts = self.facts(file);
        let Expr::Member(object, name) = *facts.expr(callee) else {
            return None;
        };
        let Expr::This(function) = *facts.expr(object) else {
            return None;
        };
        if self.file(file).sym(name) != self.project.words.constructor {
            return None;
        }
        let this = self.this(file, function);
        matches!(this.list[..], [JavaScriptValue::This(..)]).then_some(this)
    }

    /// Lists the instances that `new this()` in a function may make.
    pub fn made_by_this(&mut self, file: FileId, function: FnId) -> Vec<JavaScriptValue> {
        let holders = self.holder_of_this(file, function).list;
        let makers = holders.iter().filter_map(|holder| maker_of(*holder));
        makers.map(JavaScriptValue::Instance).collect()
    }
}

/// Makes an instance of each of these classes.
pub fn made_by_each(classes: &ValueSet) -> ValueSet {
    let mut values = classes.beside();
    for &class in &classes.list {
        match class {
            JavaScriptValue::This(file, function) => {
                values.push(JavaScriptValue::New(file, function));
            }
            JavaScriptValue::Outside(_) => values.push(class),
            _ => match maker_of(class) {
                Some(maker) => values.push(JavaScriptValue::Instance(maker)),
                None => values.is_open = true,
            },
        }
    }
    values
}
