//! Lowering of patterns: names that are taken out of a value, in declarations, parameters and assignments.

use super::kind::{Field, Kind};
use super::lower::{ChildNode, JavaScriptLowering, PendingAssignment, in_field};
use super::{BindingKind, Effect, Expr, ExprId, MemberKey, Name, ScopeId, VariableWrite};

impl<'t> JavaScriptLowering<'t> {
    /// Finds the scope that a declaration of this kind declares in.
    pub fn scope_of(&self, kind: BindingKind) -> ScopeId {
        match kind {
            BindingKind::Var => self.function_scope(),
            _ => self.scope,
        }
    }

    /// Declares the names of a pattern that has no value yet.
    pub fn declare_pattern(&mut self, pattern: ChildNode<'t>, kind: BindingKind) {
        if pattern.kind == Kind::Identifier {
            let name = self.word(pattern.node);
            let scope = self.scope_of(kind);
            self.declare(scope, name, kind);
        }
    }

    /// Gives the names of a pattern their parts of a value; `kind` is absent in assignments to names that exist.
    pub fn pattern(&mut self, pattern: ChildNode<'t>, value: ExprId, kind: Option<BindingKind>) {
        self.nested(|lower| lower.pattern_here(pattern, value, kind));
    }

    fn pattern_here(&mut self, pattern: ChildNode<'t>, value: ExprId, kind: Option<BindingKind>) {
        let node = pattern.node;
        match pattern.kind {
            Kind::Identifier | Kind::ShorthandPattern | Kind::Undefined => {
                let name = self.word(node);
                self.give_name(name, value, node.end_byte() as u32, kind);
            }
            // The grammar reads a pattern that is assigned to as the literal that it looks like.
            Kind::ObjectPattern | Kind::Object => self.object_pattern(pattern, value, kind),
            Kind::ArrayPattern => {
                for (at, kid) in self.placed(node) {
                    let item = match kid.kind {
                        Kind::RestPattern => self.rest(value, at, kid),
                        _ => self.expr_at(Expr::Item(value, at as u16), kid.node),
                    };
                    self.pattern(kid, item, kind);
                }
            }
            Kind::RestPattern | Kind::Spread | Kind::Parenthesized | Kind::NonNull => {
                for kid in self.kids(node) {
                    self.pattern(kid, value, kind);
                }
            }
            Kind::AssignmentPattern | Kind::ObjectAssignmentPattern | Kind::Assignment => {
                let kids = self.kids(node);
                let left = in_field(&kids, Field::left);
                let right = in_field(&kids, Field::right);
                let other = right.map_or(ExprId(0), |child_node| self.expr(child_node));
                let value = match (left, value) {
                    (Some(shorthand), value) if shorthand.kind == Kind::ShorthandPattern => {
                        let name = self.word(shorthand.node);
                        self.expr_at(Expr::Member(value, name), shorthand.node)
                    }
                    (_, value) => value,
                };
                let either = self.expr_at(Expr::Default(value, other), node);
                if let Some(left) = left {
                    self.pattern(left, either, kind);
                }
            }
            Kind::Member | Kind::Subscript if kind.is_none() => self.assign_member(pattern, value),
            _ => {}
        }
    }

    /// Lowers the rest of an array pattern to an array of the value's elements at unknown places.
    fn rest(&mut self, value: ExprId, at: usize, kid: ChildNode<'t>) -> ExprId {
        if at == 0 {
            return value;
        }
        let elements = self.expr_at(Expr::Spread(value), kid.node);
        self.expr_at(Expr::Array([elements].into()), kid.node)
    }

    fn object_pattern(&mut self, pattern: ChildNode<'t>, value: ExprId, kind: Option<BindingKind>) {
        for kid in self.kids(pattern.node) {
            match kid.kind {
                Kind::ShorthandPattern | Kind::Shorthand => {
                    let name = self.word(kid.node);
                    let part = self.expr_at(Expr::Member(value, name), kid.node);
                    self.give_name(name, part, kid.node.end_byte() as u32, kind);
                }
                Kind::PairPattern | Kind::Pair => {
                    let kids = self.kids(kid.node);
                    let key = in_field(&kids, Field::key);
                    let part = match key.and_then(|child_node| self.key(child_node)) {
                        Some(MemberKey::Named(name)) => {
                            self.expr_at(Expr::Member(value, name), kid.node)
                        }
                        Some(MemberKey::Computed(index)) => {
                            self.expr_at(Expr::Index(value, index), kid.node)
                        }
                        None => ExprId(0),
                    };
                    if let Some(child_node) = in_field(&kids, Field::value) {
                        if let (Expr::Member(_, word), Kind::Identifier, Some(_)) =
                            (self.facts.expr(part), child_node.kind, kind)
                        {
                            let (local, word) = (self.slice(child_node.node), *word);
                            let local = self.intern(local);
                            self.rename(local, word);
                        }
                        self.pattern(child_node, part, kind);
                    }
                }
                Kind::ObjectAssignmentPattern | Kind::RestPattern | Kind::Spread => {
                    self.pattern(kid, value, kind);
                }
                _ => {}
            }
        }
    }

    fn give_name(&mut self, name: Name, value: ExprId, at: u32, kind: Option<BindingKind>) {
        if let Some(kind) = kind {
            let scope = self.scope_of(kind);
            let binding = self.declare(scope, name, kind);
            self.give(binding, value, at);
        } else {
            let write = VariableWrite::new(value, at, self.scope);
            self.assigned.push(PendingAssignment { name, write });
        }
    }

    /// Notes `target.name = value` and `target[key] = value`.
    fn assign_member(&mut self, left: ChildNode<'t>, value: ExprId) {
        if let Some((target, key)) = self.target(left) {
            self.facts.effects.push(Effect {
                target,
                key,
                value,
                function: self.function,
            });
        }
    }

    /// Lowers the object and the key of a member that is assigned to.
    pub fn target(&mut self, left: ChildNode<'t>) -> Option<(ExprId, MemberKey)> {
        let kids = self.kids(left.node);
        let object = in_field(&kids, Field::object)?;
        let target = self.expr(object);
        let property = kids
            .iter()
            .find(|kid| matches!(kid.field, Field::property | Field::index))
            .copied()?;
        let key = match left.kind {
            Kind::Member => MemberKey::Named(self.word(property.node)),
            _ => self.computed_key(property),
        };
        Some((target, key))
    }

    /// Reads a computed key: a literal is a name, anything else an expression.
    pub fn computed_key(&mut self, kid: ChildNode<'t>) -> MemberKey {
        if let Some(text) = self.literal(kid) {
            return MemberKey::Named(text);
        }
        MemberKey::Computed(self.expr(kid))
    }

    /// Reads the key of a property: a name, a literal, or an expression.
    pub fn key(&mut self, kid: ChildNode<'t>) -> Option<MemberKey> {
        Some(match kid.kind {
            Kind::PropertyIdentifier
            | Kind::PrivateProperty
            | Kind::Identifier
            | Kind::TypeIdentifier
            | Kind::Number => MemberKey::Named(self.word(kid.node)),
            Kind::String => MemberKey::Named(self.literal(kid)?),
            Kind::Computed => {
                let inner = self.kids(kid.node).into_iter().next()?;
                self.computed_key(inner)
            }
            _ => return None,
        })
    }
}
