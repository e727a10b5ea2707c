//! What `new` makes.

use super::{Eval, maker_of};
use crate::javascript::facts::{Expr, ExprId, FnId, SiteId};
use crate::javascript::value::{Maker, Vals, Value};
use crate::model::FileId;

impl Eval<'_> {
    /// Evaluates a call with `new`.
    pub fn made_by_new(&mut self, file: FileId, id: SiteId) -> Vals {
        let site = self.site(file, id);
        if let Some(same) = self.made_like_this(file, site.callee) {
            return same;
        }
        let callees = self.expr(file, site.callee);
        let callees = self.concrete(&callees);
        let mut vals = Vals::open(callees.is_open);
        for &callee in &callees.list {
            match callee {
                Value::This(there, function) => vals.push(Value::New(there, function)),
                Value::Outside(owner) | Value::Result(_, _, Some(owner)) => {
                    let word = self.project.word(owner);
                    match (word, site.args.first()) {
                        ("Proxy", Some(&target)) => vals.add(&self.expr(file, target)),
                        ("Promise", _) => vals.is_open = true,
                        _ => vals.push(Value::Outside(owner)),
                    }
                }
                Value::Result(_, _, None) => {
                    for value in self.unwrapped(callee, 0).list {
                        vals.list.extend(maker_of(value).map(Value::Of));
                    }
                }
                Value::Fn(there, function) => {
                    // A constructor may return another object.
                    let returned = self.returned(there, function);
                    let is_other = |it: &Value| {
                        matches!(it, Value::Object(..) | Value::Of(_) | Value::Made(..))
                            && *it != Value::Of(Maker::Fn(there, function))
                    };
                    for value in returned.list.into_iter().filter(is_other) {
                        vals.push(value);
                    }
                    vals.push(Value::Of(Maker::Fn(there, function)));
                }
                other => match maker_of(other) {
                    Some(maker) => vals.push(Value::Of(maker)),
                    None => vals.is_open = true,
                },
            }
        }
        vals
    }

    /// `new this.constructor()` makes another instance of the class of `this`.
    fn made_like_this(&mut self, file: FileId, callee: ExprId) -> Option<Vals> {
        let facts = self.facts(file);
        let Expr::Member(object, name) = *facts.expr(callee) else {
            return None;
        };
        let Expr::This(function) = *facts.expr(object) else {
            return None;
        };
        if self.file(file).sym(name) != self.project.known.constructor {
            return None;
        }
        let this = self.this(file, function);
        matches!(this.list[..], [Value::This(..)]).then_some(this)
    }

    /// Lists the instances that `new this()` in a function may make.
    pub fn made_by_this(&mut self, file: FileId, function: FnId) -> Vec<Value> {
        let holders = self.holder_of_this(file, function).list;
        let makers = holders.iter().filter_map(|it| maker_of(*it));
        makers.map(Value::Of).collect()
    }
}

/// Makes an instance of each of these classes.
pub fn made_by_each(classes: &Vals) -> Vals {
    let mut vals = classes.beside();
    for &class in &classes.list {
        match class {
            Value::This(file, function) => vals.push(Value::New(file, function)),
            Value::Outside(_) => vals.push(class),
            _ => match maker_of(class) {
                Some(maker) => vals.push(Value::Of(maker)),
                None => vals.is_open = true,
            },
        }
    }
    vals
}
