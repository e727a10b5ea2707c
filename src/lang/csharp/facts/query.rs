//! Lowering of queries: clauses in the order in which they are written.

use super::kind::Kind;
use super::lower::{BROKEN, CSharpLowering};
use super::{Clause, Expr, ExprId, Name};
use crate::ids::add;

impl CSharpLowering<'_> {
    pub fn query(&mut self, node: u32) -> Expr {
        let mut clauses = Vec::new();
        let mut is_into = false;
        for part in self.children(node) {
            match self.kind(part) {
                Kind::IntoWord => is_into = true,
                Kind::Identifier if is_into => {
                    is_into = false;
                    clauses.push(Clause::Into(self.word(part)));
                }
                kind => clauses.extend(self.clause(part, kind)),
            }
        }
        Expr::Query(add(&mut self.facts.queries, clauses))
    }

    fn clause(&mut self, node: u32, kind: Kind) -> Option<Clause> {
        Some(match kind {
            Kind::FromClause => {
                let ty = self.child(node, self.fields.r#type).map(|n| self.ty(n));
                let name = self.child(node, self.fields.name);
                let name = name.map_or(Name::NONE, |name| self.word(name));
                Clause::From(ty, name, self.last_expr(node))
            }
            Kind::LetClause => {
                let name = self.child_of(node, Kind::Identifier);
                let name = name.map_or(Name::NONE, |name| self.word(name));
                Clause::Let(name, self.last_expr(node))
            }
            Kind::WhereClause => Clause::Where(self.first_expr(node)),
            Kind::SelectClause => Clause::Select(self.first_expr(node)),
            Kind::OrderByClause => {
                let mut keys = Vec::new();
                for part in self.parts(node) {
                    keys.push(self.expr(part));
                }
                Clause::OrderBy(self.list(&keys))
            }
            Kind::GroupClause => {
                let mut values = self.expressions(node).into_iter();
                let element = values.next().unwrap_or(BROKEN);
                Clause::Group(element, values.next().unwrap_or(BROKEN))
            }
            Kind::JoinClause => self.join(node),
            _ => return None,
        })
    }

    fn expressions(&mut self, node: u32) -> Vec<ExprId> {
        let mut found = Vec::new();
        for part in self.parts(node) {
            found.push(self.expr(part));
        }
        found
    }

    fn last_expr(&mut self, node: u32) -> ExprId {
        let last = self.parts(node).last();
        last.map_or(BROKEN, |last| self.expr(last))
    }

    fn join(&mut self, node: u32) -> Clause {
        let mut name = Name::NONE;
        let mut into = Name::NONE;
        let mut values = Vec::new();
        for part in self.parts(node) {
            match self.kind(part) {
                Kind::JoinInto => {
                    let identifier = self.child_of(part, Kind::Identifier);
                    into = identifier.map_or(Name::NONE, |n| self.word(n));
                }
                Kind::Identifier if name.is_none() => name = self.word(part),
                _ if self.field_of(part) == self.fields.r#type => {}
                _ => values.push(self.expr(part)),
            }
        }
        let mut values = values.into_iter();
        let mut next = || values.next().unwrap_or(BROKEN);
        Clause::Join {
            name,
            source: next(),
            outer: next(),
            inner: next(),
            into,
        }
    }
}
