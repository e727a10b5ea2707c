//! Operators and protocols of known classes: `a == b`, `x[i]`, `in`, `for`, `with`.

use super::PythonWalker;
use crate::model::CallKind;
use crate::python::facts::{Expr, ExprId, Name};
use crate::python::types::{Ty, UNKNOWN};

/// Names the method that an operator runs on its left side, and the one on its right side.
fn methods_of(op: &str) -> Option<(&'static str, &'static str)> {
    Some(match op {
        "+" => ("__add__", "__radd__"),
        "-" => ("__sub__", "__rsub__"),
        "*" => ("__mul__", "__rmul__"),
        "/" => ("__truediv__", "__rtruediv__"),
        "//" => ("__floordiv__", "__rfloordiv__"),
        "%" => ("__mod__", "__rmod__"),
        "**" => ("__pow__", "__rpow__"),
        "@" => ("__matmul__", "__rmatmul__"),
        "&" => ("__and__", "__rand__"),
        "|" => ("__or__", "__ror__"),
        "^" => ("__xor__", "__rxor__"),
        "<<" => ("__lshift__", "__rlshift__"),
        ">>" => ("__rshift__", "__rrshift__"),
        "==" => ("__eq__", "__eq__"),
        "!=" => ("__ne__", "__ne__"),
        "<" => ("__lt__", "__gt__"),
        "<=" => ("__le__", "__ge__"),
        ">" => ("__gt__", "__lt__"),
        ">=" => ("__ge__", "__le__"),
        _ => return None,
    })
}

fn is_comparison(op: &str) -> bool {
    matches!(op, "==" | "!=" | "<" | "<=" | ">" | ">=")
}

impl PythonWalker<'_> {
    pub(super) fn binary(&mut self, id: ExprId, (op, right): (Name, ExprId), left: &Ty) -> Ty {
        let sign = self.facts.word(op);
        let other = self.expr(right);
        let token = (self.facts.token(id), sign.len() as u32);
        if let "in" | "not in" | "not" = sign {
            let _ = self
                .operator(id, token, (&other, "__contains__"))
                .or_else(|| self.operator(id, token, (&other, "__iter__")));
            return Ty::lib_inst("builtins.bool");
        }
        let Some((name, reflected)) = methods_of(sign) else {
            return Ty::lib_inst("builtins.bool");
        };
        let given = self
            .operator(id, token, (left, name))
            .or_else(|| {
                (sign == "!=")
                    .then(|| self.operator(id, token, (left, "__eq__")))
                    .flatten()
            })
            .or_else(|| self.operator(id, token, (&other, reflected)));
        if is_comparison(sign) {
            return Ty::lib_inst("builtins.bool");
        }
        given.unwrap_or_else(|| computed(left, &other, sign))
    }

    pub(super) fn unary(&mut self, id: ExprId, op: Name, value: Ty) -> Ty {
        let name = match self.facts.word(op) {
            "-" => "__neg__",
            "+" => "__pos__",
            "~" => "__invert__",
            _ => return Ty::lib_inst("builtins.bool"),
        };
        let token = (self.facts.span(id).start, 1);
        let given = self.operator(id, token, (&value, name));
        given.unwrap_or(match value {
            Ty::LibInst(_) => value,
            _ => UNKNOWN,
        })
    }

    /// Notes that an operator runs a method of a known class; returns the type of its result, and nothing where no
    /// class of the project has the method.
    pub(super) fn operator(
        &mut self,
        id: ExprId,
        (at, len): (u32, u32),
        (value, name): (&Ty, &str),
    ) -> Option<Ty> {
        let name = self.project.find(name)?;
        let parts = value.parts();
        let mut callee = Ty::None;
        for part in parts {
            let Ty::Inst(class, _) = part else {
                return None;
            };
            let (_, held) = self.ctx.class_member(*class, name)?;
            callee = callee.join(self.ctx.bind(held, part));
        }
        if matches!(callee, Ty::None | Ty::Unknown(_)) {
            return None;
        }
        if self.record.is_some() {
            let span = self.facts.span(id);
            self.note_at(CallKind::Operator, span, (at, len), &callee);
        }
        Some(self.call_result(&callee, &[]))
    }

    pub(super) fn subscript(&mut self, id: ExprId, index: ExprId, value: Ty) -> Ty {
        let at = self.expr(index);
        let number = match self.facts.expr(index) {
            Expr::Int(number) => Some(number),
            Expr::Unary { value, .. } => match self.facts.expr(value) {
                Expr::Int(number) => Some(-number),
                _ => None,
            },
            _ => None,
        };
        if let Some(given) = self.operator(id, (self.facts.token(id), 1), (&value, "__getitem__")) {
            return given;
        }
        let is_slice = matches!(
            self.facts.expr(index),
            Expr::Display(crate::python::facts::Display::Parts, _)
        );
        match &value {
            // `List[int]` is a class, too.
            Ty::Class(class, exact) => self.class_subscript(*class, *exact),
            Ty::Str(text) => self.sliced(text, index),
            Ty::Dict(dict) => dict.1.clone(),
            Ty::Tuple(parts) if !is_slice => {
                let at = number.and_then(|number| place_of(number, parts.len()));
                match at {
                    Some(at) => parts.get(at).cloned().unwrap_or(UNKNOWN),
                    None => value.element().unwrap_or(UNKNOWN),
                }
            }
            Ty::Tuple(_) => Ty::iter(value.element().unwrap_or(UNKNOWN)),
            Ty::Iter(_) if is_slice => value,
            Ty::Iter(element) => (**element).clone(),
            Ty::Lib(_) | Ty::LibInst(_) => value,
            Ty::Globals(file) => self.global_of(*file, &at),
            Ty::Union(parts) if !is_slice => {
                let elements = parts.iter().map(|ty| ty.element().unwrap_or(UNKNOWN));
                Ty::join_all(elements)
            }
            _ => UNKNOWN,
        }
    }

    fn class_subscript(
        &self,
        class: crate::python::types::ScopeId,
        exact: crate::python::types::ClassExactness,
    ) -> Ty {
        if self.ctx.is_enum(class) {
            return Ty::Inst(class, exact);
        }
        Ty::Class(class, exact)
    }

    /// Finds the type of `globals()["name"]`.
    pub(super) fn global_of(&self, file: crate::model::FileId, name: &Ty) -> Ty {
        let Ty::Str(name) = name else { return UNKNOWN };
        let found = self
            .project
            .find(name)
            .and_then(|sym| self.ctx.global(file, sym));
        found.unwrap_or(UNKNOWN)
    }

    /// Slices a known string, as in `"TestLocale"[4:]`; the result is any string where the bounds are not known.
    fn sliced(&self, text: &str, index: ExprId) -> Ty {
        let known = || {
            let Expr::Display(crate::python::facts::Display::Parts, run) = self.facts.expr(index)
            else {
                return None;
            };
            let span = self.facts.span(index);
            let [bound] = self.facts.list(run) else {
                return None;
            };
            let Expr::Int(bound_value) = self.facts.expr(*bound) else {
                return None;
            };
            let at = usize::try_from(bound_value).ok()?;
            // `[4:]` or `[:4]`: the bound's place tells its side of the colon.
            let is_start = self.facts.span(*bound).start == span.start;
            if is_start {
                text.get(at..)
            } else {
                text.get(..at)
            }
        };
        known().map_or_else(|| Ty::lib_inst("builtins.str"), |text| Ty::Str(text.into()))
    }

    // Protocols.

    /// Evaluates the iterated expression, and returns its element type.
    pub(super) fn iterated(&mut self, iter: ExprId, at: u32) -> Ty {
        let ty = self.expr(iter);
        self.elements(&ty, at, iter)
    }

    pub(super) fn elements(&mut self, ty: &Ty, at: u32, id: ExprId) -> Ty {
        if let Some(element) = ty.element() {
            return element;
        }
        for name in ["__iter__", "__aiter__", "__getitem__"] {
            let Some(given) = self.operator(id, (at, 3), (ty, name)) else {
                continue;
            };
            if name == "__getitem__" {
                return given;
            }
            if let Some(element) = given.element() {
                return element;
            }
            let next = if name == "__iter__" {
                "__next__"
            } else {
                "__anext__"
            };
            return self.given_by(&given, next);
        }
        match ty {
            Ty::LibInst(_) => ty.clone(),
            Ty::Class(class, exact) if self.ctx.is_enum(*class) => Ty::Inst(*class, *exact),
            _ => UNKNOWN,
        }
    }

    /// Finds the type of a method's result without arguments, awaited if need be; notes no call.
    pub(super) fn given_by(&mut self, value: &Ty, name: &str) -> Ty {
        let record = self.record.take();
        let found = self.project.find(name).map_or(UNKNOWN, |name| {
            let callee = self.ctx.attr(value, name);
            self.call_result(&callee, &[])
        });
        self.record = record;
        match found {
            Ty::Await(value) => (*value).clone(),
            other => other,
        }
    }

    /// Finds the type of `x` in `with value as x`.
    pub(super) fn entered(&mut self, ty: &Ty, at: u32, id: ExprId) -> Ty {
        match ty {
            Ty::Context(value) | Ty::Await(value) | Ty::Iter(value) => (**value).clone(),
            Ty::LibInst(_) => ty.clone(),
            Ty::Union(parts) => {
                let parts = parts.to_vec();
                Ty::join_all(parts.iter().map(|ty| self.entered(ty, at, id)))
            }
            Ty::Inst(class, _) => {
                for name in ["__enter__", "__aenter__"] {
                    if let Some(given) = self.operator(id, (at, 4), (ty, name)) {
                        return match given {
                            Ty::Await(value) => (*value).clone(),
                            other => other,
                        };
                    }
                }
                // Nearly all classes of libraries enter themselves.
                match self.ctx.outside_base(*class) {
                    Some(_) => ty.clone(),
                    None => UNKNOWN,
                }
            }
            _ => UNKNOWN,
        }
    }

    /// Notes which method `f"{x}"` runs: `__format__`, `__str__` or `__repr__`.
    pub(super) fn shown(&mut self, ty: &Ty, id: ExprId) {
        let at = (self.facts.span(id).start.saturating_sub(1), 1);
        for name in ["__format__", "__str__", "__repr__"] {
            if self.operator(id, at, (ty, name)).is_some() {
                return;
            }
        }
    }
}

/// Turns an index into a place among `len`; negative ones count from the end.
fn place_of(index: i32, len: usize) -> Option<usize> {
    let distance = usize::try_from(index.unsigned_abs()).ok()?;
    if index < 0 {
        len.checked_sub(distance)
    } else {
        Some(distance)
    }
}

/// Finds the type of an operator's result where no class of the project declares the operator.
fn computed(left: &Ty, right: &Ty, sign: &str) -> Ty {
    match (left, right) {
        (Ty::Str(a), Ty::Str(b)) if sign == "+" => Ty::Str(format!("{a}{b}").into()),
        (Ty::Str(_), _) => Ty::lib_inst("builtins.str"),
        (Ty::LibInst(_), Ty::LibInst(_) | Ty::Str(_)) => left.clone(),
        (Ty::Iter(_), Ty::Iter(_)) => left.clone().join(right.clone()),
        (Ty::Iter(_) | Ty::Tuple(_), _) if sign == "*" => left.clone(),
        (Ty::Tuple(_), Ty::Tuple(_)) => {
            let join = left.element().zip(right.element()).map(|(a, b)| a.join(b));
            join.map_or(UNKNOWN, Ty::iter)
        }
        (Ty::Class(..) | Ty::Lib(_) | Ty::None, Ty::Class(..) | Ty::Lib(_) | Ty::None)
            if sign == "|" =>
        {
            left.clone().join(right.clone())
        }
        _ => UNKNOWN,
    }
}
