//! Lowering of patterns, and of the expressions that are made of them.

use super::kind::Kind;
use super::lower::{BROKEN, BROKEN_TYPE, CSharpLowering, NO_PATTERN, VAR};
use super::{Arm, Expr, Name, Pattern, PatternId, RecursivePattern, Subpattern, SwitchExpr};
use crate::ids::add;
use crate::run::Run;

impl CSharpLowering<'_> {
    pub fn pattern_or_none(&mut self, node: Option<u32>) -> PatternId {
        node.map_or(NO_PATTERN, |node| self.pattern(node))
    }

    pub fn pattern(&mut self, node: u32) -> PatternId {
        self.deeper(|lower| lower.pattern_inside(node))
            .unwrap_or(NO_PATTERN)
    }

    pub const fn is_pattern(kind: Kind) -> bool {
        matches!(
            kind,
            Kind::ConstantPattern
                | Kind::DeclarationPattern
                | Kind::Discard
                | Kind::RecursivePattern
                | Kind::VarPattern
                | Kind::NegatedPattern
                | Kind::ParenthesizedPattern
                | Kind::RelationalPattern
                | Kind::OrPattern
                | Kind::AndPattern
                | Kind::ListPattern
                | Kind::TypePattern
        )
    }

    fn pattern_inside(&mut self, node: u32) -> PatternId {
        let fields = self.fields;
        let pattern = match self.kind(node) {
            Kind::ConstantPattern => Pattern::Constant(self.first_expr(node)),
            Kind::TypePattern => Pattern::Type,
            Kind::DeclarationPattern => {
                let ty = self.field_ty(node, fields.r#type, BROKEN_TYPE);
                match self.child(node, fields.name) {
                    Some(name) => Pattern::Variable(
                        Some(ty).filter(|&type_ref| type_ref != VAR),
                        self.word(name),
                    ),
                    None => Pattern::Type,
                }
            }
            Kind::VarPattern => return self.designation(node),
            Kind::RecursivePattern => self.recursive(node),
            Kind::NegatedPattern => Pattern::Not(self.first_pattern(node)),
            Kind::ParenthesizedPattern => return self.first_pattern(node),
            Kind::OrPattern | Kind::AndPattern => {
                let left = self.child(node, fields.left);
                let left = self.pattern_or_none(left);
                let right = self.child(node, fields.right);
                Pattern::Either(left, self.pattern_or_none(right))
            }
            Kind::RelationalPattern => Pattern::Relational(self.first_expr(node)),
            Kind::ListPattern => {
                let mut parts = Vec::new();
                for part in self.parts(node) {
                    if Self::is_pattern(self.kind(part)) {
                        parts.push(self.pattern(part));
                    }
                }
                let name = self.child(node, fields.name);
                let name = name.map_or(Name::NONE, |name| self.word(name));
                Pattern::List(self.list(&parts), name)
            }
            Kind::Discard => Pattern::Discard,
            _ => Pattern::Constant(self.expr(node)),
        };
        self.add_pattern(pattern)
    }

    fn first_pattern(&mut self, node: u32) -> PatternId {
        let part = self.parts(node).next();
        self.pattern_or_none(part)
    }

    fn recursive(&mut self, node: u32) -> Pattern {
        let mut found = RecursivePattern {
            ty: None,
            parts: Run::default(),
            name: Name::NONE,
        };
        let mut subpatterns = Vec::new();
        for part in self.parts(node) {
            let field = self.field_of(part);
            if field == self.fields.r#type {
                found.ty = Some(self.ty(part));
            } else if field == self.fields.name {
                found.name = self.word(part);
            } else if matches!(
                self.kind(part),
                Kind::PositionalClause | Kind::PropertyClause
            ) {
                for n in self.parts(part) {
                    subpatterns.push(self.subpattern(n));
                }
            } else if Self::is_pattern(self.kind(part)) {
                let pattern = self.pattern(part);
                subpatterns.push(Subpattern {
                    path: None,
                    pattern,
                });
            }
        }
        found.parts = Run::add(&mut self.facts.subpatterns, subpatterns);
        Pattern::Recursive(add(&mut self.facts.recursives, found))
    }

    fn subpattern(&mut self, node: u32) -> Subpattern {
        let mut found = Subpattern {
            path: None,
            pattern: NO_PATTERN,
        };
        let has_path = self.has(node, Kind::Colon);
        for part in self.parts(node) {
            if has_path && found.path.is_none() {
                found.path = Some(self.expr(part));
            } else {
                found.pattern = self.pattern(part);
            }
        }
        found
    }

    /// Lowers names that are declared: one, or several in brackets.
    pub fn designation(&mut self, node: u32) -> PatternId {
        self.deeper(|lower| lower.designation_inside(node))
            .unwrap_or(NO_PATTERN)
    }

    fn designation_inside(&mut self, node: u32) -> PatternId {
        let is_list = |kind| matches!(kind, Kind::ParenthesizedDesignation | Kind::TuplePattern);
        let kind = self.kind(node);
        if kind == Kind::Identifier {
            let name = self.word(node);
            return self.add_pattern(Pattern::Variable(None, name));
        }
        if is_list(kind) {
            let mut parts = Vec::new();
            for part in self.parts(node) {
                parts.push(self.designation(part));
            }
            let parts = self.list(&parts);
            return self.add_pattern(Pattern::Names(parts));
        }
        let inner = self
            .parts(node)
            .find(|&part| self.kind(part) == Kind::Identifier || is_list(self.kind(part)));
        inner.map_or(NO_PATTERN, |inner| self.designation(inner))
    }

    pub fn switch_expr(&mut self, node: u32) -> Expr {
        let mut value = None;
        let mut arms = Vec::new();
        for part in self.children(node) {
            if self.kind(part) == Kind::SwitchArm {
                arms.push(self.arm(part));
            } else if value.is_none() && self.kind(part) != Kind::Comment {
                value = Some(self.expr(part));
            }
        }
        let arms = Run::add(&mut self.facts.arms, arms);
        Expr::Switch(add(
            &mut self.facts.switches,
            SwitchExpr {
                value: value.unwrap_or(BROKEN),
                arms,
            },
        ))
    }

    fn arm(&mut self, node: u32) -> Arm {
        let mut arm = Arm {
            pattern: NO_PATTERN,
            when: None,
            value: BROKEN,
        };
        let mut has_pattern = false;
        for part in self.children(node) {
            let is_part =
                self.tree.nodes[part as usize].is_named() || self.kind(part) == Kind::ThisWord;
            match self.kind(part) {
                Kind::Comment => {}
                Kind::WhenClause => arm.when = Some(self.first_expr(part)),
                _ if !is_part => {}
                _ if has_pattern => arm.value = self.expr(part),
                _ => {
                    arm.pattern = self.pattern(part);
                    has_pattern = true;
                }
            }
        }
        arm
    }
}
