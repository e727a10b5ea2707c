//! Types of expressions; calls have modules of their own.

use std::sync::Arc;

use super::member::settle;
use super::{ExpectedType, JavaWalker};
use crate::java::facts::{Expr, ExprId, Literal, Name, Op, SiteId, SiteKind, TypeId};
use crate::java::library::known;
use crate::java::project::FileType;
use crate::java::relation::promoted;
use crate::java::types::Ty;
use crate::syntax::java::prim::Prim;

/// The meaning of an expression: `a.b` may be a value, a class or a package.
#[derive(Clone, Debug)]
pub enum JavaValue {
    Ty(Ty),
    /// A class named as such, before a static member.
    Class(Ty),
    /// `super`: methods are looked up in the supertypes.
    Super(Ty),
    /// A dotted name that is not a class (yet).
    Package(String),
    /// A name that is declared nowhere.
    Nothing,
}

impl JavaValue {
    fn into_type(self) -> Ty {
        match self {
            Self::Ty(ty) | Self::Super(ty) => ty,
            Self::Class(_) | Self::Package(_) | Self::Nothing => Ty::Unknown,
        }
    }
}

impl JavaWalker<'_> {
    /// Types an expression, and resolves the calls in it.
    pub(super) fn expr(&mut self, id: ExprId, expect: ExpectedType<'_>) -> Ty {
        self.value(id, expect).into_type()
    }

    /// Finds the meaning of an expression. Left spines are walked in a loop, as they were read.
    pub(super) fn value(&mut self, id: ExprId, expect: ExpectedType<'_>) -> JavaValue {
        let mut spine = Vec::new();
        let mut at = id;
        while let Some(left) = self.left_of(at) {
            spine.push(at);
            at = left;
        }
        let is_base_alone = spine.is_empty();
        let mut value = self.atom(
            at,
            if is_base_alone {
                expect
            } else {
                ExpectedType::Member
            },
        );
        while let Some(at) = spine.pop() {
            let expect = if spine.is_empty() {
                expect
            } else {
                ExpectedType::Member
            };
            value = self.step(at, value, expect);
        }
        value
    }

    fn left_of(&self, id: ExprId) -> Option<ExprId> {
        match self.facts.expr(id) {
            Expr::Field(left, _)
            | Expr::Index(left, _)
            | Expr::Binary(_, left, _)
            | Expr::OuterThis(left) => Some(left),
            Expr::Site(site) => {
                let site = self.facts.site(site);
                if site.kind == SiteKind::Call {
                    site.object
                } else {
                    None
                }
            }
            _ => None,
        }
    }

    fn step(&mut self, id: ExprId, left: JavaValue, expect: ExpectedType<'_>) -> JavaValue {
        match self.facts.expr(id) {
            Expr::Field(_, name) => self.field_access(left, name),
            Expr::OuterThis(_) => JavaValue::Ty(match left {
                JavaValue::Class(Ty::Class(class, _)) => self.project.this_type(class),
                _ => Ty::Unknown,
            }),
            Expr::Index(_, index) => {
                self.expr(index, ExpectedType::Nothing);
                match left.into_type() {
                    Ty::Array(element) => JavaValue::Ty((*element).clone()),
                    _ => JavaValue::Ty(Ty::Unknown),
                }
            }
            Expr::Binary(op, _, right) => {
                let right = self.expr(right, ExpectedType::Member);
                JavaValue::Ty(self.binary(op, &left.into_type(), &right))
            }
            Expr::Site(site) => JavaValue::Ty(self.call(site, Some(left), expect)),
            _ => JavaValue::Ty(Ty::Unknown),
        }
    }

    fn field_access(&self, left: JavaValue, name: Name) -> JavaValue {
        let sym = self.sym(name);
        let project = self.project;
        match left {
            JavaValue::Ty(ty) | JavaValue::Super(ty) => JavaValue::Ty(
                self.field_of(&ty, sym)
                    .map_or(Ty::Unknown, |ty| settle(&ty)),
            ),
            JavaValue::Class(ty) => {
                if let Some(field) = self.field_of(&ty, sym) {
                    return JavaValue::Ty(field);
                }
                match &ty {
                    Ty::Class(class, _) => match project.member_type(*class, sym) {
                        Some(member) => JavaValue::Class(Ty::class(member)),
                        None => JavaValue::Ty(Ty::Unknown),
                    },
                    Ty::Missing(outer) => {
                        // `Outer.Inner.call()` and `Outer.FIELD.call()` differ by convention only.
                        let word = project.word(sym);
                        let is_class = word.starts_with(char::is_uppercase)
                            && word.contains(char::is_lowercase);
                        if is_class {
                            JavaValue::Class(Ty::Missing(format!("{outer}.{word}").into()))
                        } else {
                            JavaValue::Ty(Ty::Unknown)
                        }
                    }
                    _ => JavaValue::Ty(Ty::Unknown),
                }
            }
            JavaValue::Package(path) => {
                let path = format!("{path}.{}", project.word(sym));
                match project.find_qualified(&path, self.file_id) {
                    Some(class) => JavaValue::Class(Ty::class(class)),
                    None => package_or_missing(path, project.word(sym)),
                }
            }
            JavaValue::Nothing => JavaValue::Nothing,
        }
    }

    fn atom(&mut self, id: ExprId, expect: ExpectedType<'_>) -> JavaValue {
        let ty = match self.facts.expr(id) {
            Expr::Literal(literal) => match literal {
                Literal::Prim(prim) => Ty::Prim(prim),
                Literal::String => Ty::class(known().string),
                Literal::Null => Ty::Null,
            },
            Expr::Name(name) => return self.name(name),
            Expr::This => self.this(),
            Expr::Super => return JavaValue::Super(self.this()),
            Expr::Site(site) => self.site(site, expect),
            Expr::Lambda(index) => {
                self.lambda_for(index, expect);
                match expect {
                    ExpectedType::Type(ty) => ty.clone(),
                    _ => Ty::Unknown,
                }
            }
            Expr::NewArray(ty, parts) => {
                let ty = self.resolve(ty);
                for part in self.facts.ids(parts) {
                    self.expr(part, ExpectedType::Type(&ty));
                }
                ty
            }
            Expr::ArrayInit(parts) => {
                let element = match expect {
                    ExpectedType::Type(Ty::Array(element)) => Some(Arc::clone(element)),
                    _ => None,
                };
                for part in self.facts.ids(parts) {
                    self.expr(
                        part,
                        element
                            .as_deref()
                            .map_or(ExpectedType::Nothing, ExpectedType::Type),
                    );
                }
                match expect {
                    ExpectedType::Type(ty) => ty.clone(),
                    _ => Ty::Unknown,
                }
            }
            Expr::Cast(ty, value) => self.cast(ty, value),
            Expr::Instanceof(value, pattern) => {
                let value = self.expr(value, ExpectedType::Member);
                self.bind(pattern, &value);
                Ty::Prim(Prim::Boolean)
            }
            Expr::Conditional(condition, yes, no) => {
                self.expr(condition, ExpectedType::Nothing);
                let yes = self.expr(yes, expect);
                let no = self.expr(no, expect);
                self.conditional(&yes, &no)
            }
            Expr::Unary(op, value) => self.unary(op, value),
            Expr::Assign(left, right) => {
                let left = self.expr(left, ExpectedType::Nothing);
                self.expr(right, ExpectedType::Type(&left));
                left
            }
            Expr::Switch(index) => self.switch(index, expect),
            Expr::ClassLiteral(ty) => {
                let ty = match self.resolve(ty) {
                    Ty::Prim(prim) => Ty::class(known().boxed(prim)),
                    other => other,
                };
                let arg = if ty == Ty::Void { Ty::Unknown } else { ty };
                Ty::Class(known().class, Some([arg].into_iter().collect()))
            }
            Expr::Template(processor) => {
                self.expr(processor, ExpectedType::Nothing);
                Ty::Unknown
            }
            Expr::Broken
            | Expr::TooDeep
            | Expr::Field(..)
            | Expr::OuterThis(..)
            | Expr::Index(..)
            | Expr::Binary(..) => Ty::Unknown,
        };
        JavaValue::Ty(ty)
    }

    /// Resolves a site that is not a left spine.
    fn site(&mut self, id: SiteId, expect: ExpectedType<'_>) -> Ty {
        match self.facts.site(id).kind {
            SiteKind::Call => self.call(id, None, expect),
            SiteKind::New => self.creation(id, expect),
            SiteKind::ThisCall | SiteKind::SuperCall | SiteKind::Constant => {
                self.delegation(id);
                Ty::Void
            }
            SiteKind::Reference | SiteKind::NewReference => {
                let wanted = match expect {
                    ExpectedType::Type(ty) => Some(ty),
                    _ => None,
                };
                self.reference(id, wanted);
                wanted.cloned().unwrap_or(Ty::Unknown)
            }
        }
    }

    pub(super) fn this(&self) -> Ty {
        self.frames
            .last()
            .map_or(Ty::Unknown, |frame| self.project.this_type(frame.class))
    }

    /// Resolves a simple name: a variable before a class before a package (JLS 6.4.2).
    fn name(&self, name: Name) -> JavaValue {
        let sym = self.sym(name);
        if let Some(ty) = self.variable(sym) {
            return JavaValue::Ty(ty);
        }
        match self.project.find_class(sym, self.scope()) {
            Some(FileType::Class(class)) => return JavaValue::Class(Ty::class(class)),
            Some(FileType::Missing(path)) => return JavaValue::Class(Ty::Missing(path)),
            None => {}
        }
        let word = self.project.word(sym);
        if self.project.is_package(word) || word.chars().all(|c| c.is_lowercase() || c == '_') {
            return JavaValue::Package(word.to_owned());
        }
        if word.starts_with(char::is_uppercase) && word.contains(char::is_lowercase) {
            return JavaValue::Class(Ty::Missing(word.into()));
        }
        JavaValue::Nothing
    }

    fn cast(&mut self, ty: TypeId, value: ExprId) -> Ty {
        let ty = self.resolve(ty);
        let wanted = match &ty {
            Ty::Both(parts) => parts.first().cloned().unwrap_or(Ty::Unknown),
            other => other.clone(),
        };
        self.expr(value, ExpectedType::Type(&wanted));
        ty
    }

    fn unary(&mut self, op: Op, value: ExprId) -> Ty {
        let ty = self.expr(value, ExpectedType::Member);
        match op {
            Op::Not => Ty::Prim(Prim::Boolean),
            _ => match self.project.unboxed(&ty) {
                Some(prim) => Ty::Prim(match prim {
                    Prim::Byte | Prim::Short | Prim::Char => {
                        // `-b` is an int, but `b++` keeps its type; the difference rarely matters later.
                        Prim::Int
                    }
                    prim => prim,
                }),
                None => Ty::Unknown,
            },
        }
    }

    fn conditional(&self, yes: &Ty, no: &Ty) -> Ty {
        if let (Some(a), Some(b)) = (self.project.unboxed(yes), self.project.unboxed(no))
            && (matches!(yes, Ty::Prim(_)) || matches!(no, Ty::Prim(_)) || a != b)
        {
            return Ty::Prim(if a == b { a } else { promoted(a, b) });
        }
        let boxed = |ty: &Ty| match ty {
            Ty::Prim(prim) => Ty::class(known().boxed(*prim)),
            other => other.clone(),
        };
        if yes == no {
            return yes.clone();
        }
        self.project.common(&boxed(yes), &boxed(no))
    }

    fn binary(&self, op: Op, left: &Ty, right: &Ty) -> Ty {
        let is_string = |ty: &Ty| ty.class_id() == Some(known().string);
        match op {
            Op::Compare | Op::And | Op::Or | Op::Not => Ty::Prim(Prim::Boolean),
            Op::Add if is_string(left) || is_string(right) => Ty::class(known().string),
            Op::Shift => match self.project.unboxed(left) {
                Some(Prim::Long) => Ty::Prim(Prim::Long),
                Some(_) => Ty::Prim(Prim::Int),
                None => Ty::Unknown,
            },
            _ => match (self.project.unboxed(left), self.project.unboxed(right)) {
                (Some(a), Some(b)) => Ty::Prim(promoted(a, b)),
                _ => Ty::Unknown,
            },
        }
    }
}

/// Treats a dotted name without a known class as a class of some library if `last` has a capital, else as a package.
fn package_or_missing(path: String, last: &str) -> JavaValue {
    if last.starts_with(char::is_uppercase) {
        JavaValue::Class(Ty::Missing(path.into()))
    } else {
        JavaValue::Package(path)
    }
}
