//! Queries: the variable that stands for an element in each clause.

use super::CSharpWalker;
use crate::csharp::facts::{Clause, Name};
use crate::csharp::types::Ty;

impl CSharpWalker<'_> {
    pub(super) fn query(&mut self, at: u32) -> Ty {
        let facts = self.facts;
        let n_locals = self.locals.len();
        let mut given = Ty::Unknown;
        self.n_around += 1;
        for clause in &facts.queries[at as usize] {
            match *clause {
                Clause::From(ty, name, source) => {
                    let source = self.expr(source, None);
                    let element = match ty {
                        Some(ty) => self.resolve(ty),
                        None => self.project.element(&source),
                    };
                    self.declare(name, element);
                }
                Clause::Join {
                    name,
                    source,
                    outer,
                    inner,
                    into,
                } => {
                    let source = self.expr(source, None);
                    self.expr(outer, None);
                    let element = self.project.element(&source);
                    self.declare(name, element.clone());
                    self.expr(inner, None);
                    let all = self.sequence(element);
                    self.declare(into, all);
                }
                Clause::Let(name, value) => {
                    let ty = self.expr(value, None);
                    self.declare(name, ty);
                }
                Clause::Where(condition) => {
                    self.expr(condition, None);
                }
                Clause::OrderBy(keys) => {
                    for key in facts.ids(keys) {
                        self.expr(key, None);
                    }
                }
                Clause::Select(value) => given = self.expr(value, None),
                Clause::Group(element, key) => {
                    let element = self.expr(element, None);
                    let key = self.expr(key, None);
                    given = match self.project.type_named("System.Linq", "IGrouping", 2) {
                        Some(id) => Ty::Named(id, [key, element].into()),
                        None => Ty::Unknown,
                    };
                }
                Clause::Into(name) => self.into(name, &given),
            }
        }
        self.n_around -= 1;
        self.locals.truncate(n_locals);
        self.sequence(given)
    }

    fn into(&mut self, name: Name, given: &Ty) {
        self.declare(name, given.clone());
    }

    fn sequence(&self, element: Ty) -> Ty {
        Ty::Named(self.project.known_types.enumerable_of, [element].into())
    }
}
