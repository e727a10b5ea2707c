//! Operators that types declare, and the results of built-in operators.

use super::CSharpWalker;
use super::argument::Argument;
use super::choose::{ApplicableCandidate, CSharpCandidate, CSharpOverloadChoice};
use crate::csharp::facts::{ExprId, MemberKind, Operator};
use crate::csharp::types::Ty;
use crate::model::{CallKind, Span};

impl CSharpWalker<'_> {
    pub(super) fn binary(
        &mut self,
        id: ExprId,
        operator: Operator,
        (left, right): (ExprId, ExprId),
        wanted: Option<&Ty>,
    ) -> Ty {
        let sign = self.facts.word(operator.sign).to_owned();
        let left_ty = self.expr(left, wanted.filter(|_| sign == "??"));
        let hint = (sign == "??").then(|| Self::without_null(&left_ty));
        let right_ty = self.expr(
            right,
            hint.as_ref()
                .or(Some(&left_ty))
                .filter(|ty| !ty.is_unknown()),
        );
        if let Some(left_ty) = hint {
            return if left_ty.is_unknown() || left_ty == Ty::Null {
                right_ty
            } else if matches!(right_ty, Ty::Unknown | Ty::Null) {
                left_ty
            } else {
                self.project.common(left_ty, right_ty)
            };
        }
        let place = self.place(id);
        // For `&&` and `||` types declare `&` and `|`; their `true` and `false` decide whether the second value is
        // evaluated.
        let declared = match &*sign {
            "&&" => "&",
            "||" => "|",
            sign => sign,
        };
        if let Some(ty) = self.operator_call(
            declared,
            operator.at,
            &[left_ty.clone(), right_ty.clone()],
            place,
        ) {
            return ty;
        }
        self.built_in(&sign, &left_ty, &right_ty)
    }

    fn without_null(ty: &Ty) -> Ty {
        match ty {
            Ty::Nullable(inner) => (**inner).clone(),
            ty => ty.clone(),
        }
    }

    fn built_in(&self, sign: &str, left: &Ty, right: &Ty) -> Ty {
        let known = &self.project.known_types;
        match sign {
            "==" | "!=" | "<" | ">" | "<=" | ">=" | "&&" | "||" => Ty::named(known.bool),
            _ if sign == "+" && (left.is(known.string) || right.is(known.string)) => {
                Ty::named(known.string)
            }
            "<<" | ">>" | ">>>" => left.clone(),
            _ => {
                let (a, b) = (Self::without_null(left), Self::without_null(right));
                let is_null = a != *left || b != *right;
                let number = |ty: &Ty| ty.id().and_then(|type_id| known.number(type_id));
                let ty = match (number(&a), number(&b)) {
                    (Some(x), Some(y)) => {
                        let wider = if x >= y { a } else { b };
                        let int = known.number(known.int);
                        if x.max(y) < int.unwrap_or_default() {
                            Ty::named(known.int)
                        } else {
                            wider
                        }
                    }
                    _ if a == b => a,
                    // Delegates combine with functions, and enums with their bits.
                    _ if a.is_unknown() || a == Ty::Null => b,
                    _ => a,
                };
                if is_null {
                    self.project.nullable(ty)
                } else {
                    ty
                }
            }
        }
    }

    pub(super) fn unary(&mut self, id: ExprId, operator: Operator, value: ExprId) -> Ty {
        let sign = self.facts.word(operator.sign).to_owned();
        let ty = self.expr(value, None);
        let place = self.place(id);
        if let Some(ty) = self.operator_call(&sign, operator.at, std::slice::from_ref(&ty), place) {
            return ty;
        }
        match &*sign {
            "!" => Ty::named(self.project.known_types.bool),
            "^" => Ty::named(self.project.known_types.index),
            "&" => Ty::Pointer(ty.into()),
            "*" => match ty {
                Ty::Pointer(inner) => (*inner).clone(),
                _ => Ty::Unknown,
            },
            _ => ty,
        }
    }

    /// Looks for a declared operator; records its call and returns the type of its result.
    pub(super) fn operator_call(
        &mut self,
        sign: &str,
        at: u32,
        operands: &[Ty],
        (id, span): (ExprId, Span),
    ) -> Option<Ty> {
        let name = self.project.symbols.find(sign)?;
        let mut owners = Vec::new();
        for ty in operands {
            let inner = Self::without_null(ty);
            let bounds = match inner {
                Ty::Var(var) => &self.project.var(var).bounds[..],
                _ => std::slice::from_ref(&inner),
            };
            for owner in bounds.iter().filter_map(Ty::id) {
                if !owners.iter().any(|pair: &(_, Ty)| pair.0 == owner) {
                    owners.push((owner, inner.clone()));
                }
            }
        }
        let mut candidates: Vec<CSharpCandidate> = Vec::new();
        for (owner, ty) in owners {
            for type_id in self.project.line(owner) {
                for member in self.project.own_members(type_id, name) {
                    let declared = self.project.member(member);
                    let is_operator = declared.kind == MemberKind::Operator
                        && declared.params.len() == operands.len()
                        && !candidates
                            .iter()
                            .any(|candidate| candidate.member == member);
                    if is_operator {
                        let bound = self.bound(&ty, declared);
                        candidates.push(CSharpCandidate { member, bound });
                    }
                }
            }
        }
        if candidates.is_empty() {
            return None;
        }
        let args: Vec<Argument> = operands.iter().cloned().map(Argument::of).collect();
        let one = self.fitting_operator(&candidates, &args)?;
        let member = self.project.member(one.member);
        if member.method.is_some() {
            let resolution = self.resolution(&[one.member]);
            let name_span = Span::new(at, at + sign.len() as u32);
            let name = (format!("op{sign}"), name_span);
            self.note(
                CallKind::Operator,
                name,
                (id, span, operands.len()),
                resolution,
            );
        }
        let member = self.project.member(one.member);
        Some(member.ty.with(&one.bound))
    }

    /// Chooses the operator that surely accepts the operands; possible ones do not count, because there is always the
    /// built-in one, too.
    fn fitting_operator(
        &mut self,
        candidates: &[CSharpCandidate],
        args: &[Argument],
    ) -> Option<ApplicableCandidate> {
        use crate::csharp::relation::Fit;
        let sure: Vec<CSharpCandidate> = candidates
            .iter()
            .filter(|candidate| {
                let member = self.project.member(candidate.member);
                member.params.iter().zip(args).all(|(param, arg)| {
                    let wanted = param.ty.with(&candidate.bound);
                    arg.ty().is_some_and(|ty| {
                        let ty = Self::without_null(ty);
                        self.project.fits(&ty, &wanted) == Fit::Yes
                    })
                })
            })
            .cloned()
            .collect();
        match self.choose(&sure, args, &[]) {
            CSharpOverloadChoice::One(one) => Some(*one),
            _ => None,
        }
    }
}
