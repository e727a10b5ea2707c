//! Arguments before and after a method is chosen.

use super::{CSharpValue, CSharpWalker, LocalFunction, MethodGroup};
use crate::csharp::facts::{
    Arg, CSharpFacts, Expr, ExprId, Literal, ParameterPassing, Pattern, TypeKind, TypeSyntax,
};
use crate::csharp::relation::Fit;
use crate::csharp::types::{Bindings, Param, Ty};
use crate::run::Run;
use crate::symbols::Sym;

/// An argument as far as it is known without the method that takes it.
#[derive(Clone, Debug)]
pub(super) struct Argument {
    pub name: Sym,
    pub passing: ParameterPassing,
    /// Absent for the object that an extension method is called on.
    pub expr: Option<ExprId>,
    pub kind: CSharpArgumentKind,
}

#[derive(Clone, Debug)]
pub(super) enum CSharpArgumentKind {
    Ty(Ty),
    /// A number of type `int` that fits any integer that can hold it; its value, where it is known.
    Constant(Ty, Option<i64>),
    Lambda(u32),
    Group(MethodGroup),
    Default,
    New,
    Collection(Vec<Ty>),
    Out(Ty),
    /// A string with holes, which may be passed to a handler.
    Text,
    /// An expression whose type depends on the wanted type.
    Other,
    Throw,
}

impl Argument {
    pub(super) fn of(ty: Ty) -> Self {
        Self {
            name: Sym::NONE,
            passing: ParameterPassing::Value,
            expr: None,
            kind: CSharpArgumentKind::Ty(ty),
        }
    }

    /// Returns the type, if it does not depend on the wanted type.
    pub(super) fn ty(&self) -> Option<&Ty> {
        match &self.kind {
            CSharpArgumentKind::Ty(ty) | CSharpArgumentKind::Constant(ty, _) => Some(ty),
            CSharpArgumentKind::Out(ty) if !ty.is_unknown() => Some(ty),
            _ => None,
        }
    }

    pub(super) const fn is_unknown(&self) -> bool {
        matches!(
            &self.kind,
            CSharpArgumentKind::Ty(Ty::Unknown) | CSharpArgumentKind::Other
        )
    }
}

impl CSharpWalker<'_> {
    pub(super) fn arguments(&mut self, run: Run) -> Vec<Argument> {
        let facts = self.facts;
        facts
            .args(run)
            .iter()
            .map(|arg| self.argument(*arg))
            .collect()
    }

    fn argument(&mut self, arg: Arg) -> Argument {
        Argument {
            name: self.sym(arg.name),
            passing: arg.passing,
            expr: Some(arg.value),
            kind: self.argument_kind(arg.value),
        }
    }

    pub(super) fn argument_kind(&mut self, id: ExprId) -> CSharpArgumentKind {
        if let Some(value) = constant(self.facts, id) {
            return CSharpArgumentKind::Constant(
                Ty::named(self.project.known_types.int),
                Some(value),
            );
        }
        match self.facts.expr(id) {
            Expr::Lambda(lambda) => CSharpArgumentKind::Lambda(lambda),
            Expr::Default(None) | Expr::Literal(Literal::Null) => CSharpArgumentKind::Default,
            Expr::NewTarget(..) => CSharpArgumentKind::New,
            Expr::Throw(_) => CSharpArgumentKind::Throw,
            Expr::Collection(elements) => {
                let elements: Vec<ExprId> = self.facts.ids(elements).collect();
                let types = elements.iter().map(|&element| self.element_type(element));
                CSharpArgumentKind::Collection(types.collect())
            }
            Expr::Declaration(ty, pattern) => {
                let is_var = matches!(self.facts.type_syntax(ty), TypeSyntax::Var);
                let ty = if is_var {
                    Ty::Unknown
                } else {
                    self.resolve(ty)
                };
                let Pattern::Variable(..) = self.facts.pattern(pattern) else {
                    return CSharpArgumentKind::Other;
                };
                CSharpArgumentKind::Out(ty)
            }
            Expr::Interpolated(parts) if !parts.is_empty() => {
                self.expr(id, None);
                CSharpArgumentKind::Text
            }
            Expr::Conditional(_, a, b) if self.are_open(&[a, b]) => CSharpArgumentKind::Other,
            Expr::Switch(at) if self.has_open_arm(at) => CSharpArgumentKind::Other,
            Expr::Name(..) | Expr::Member(_) => match self.value(id, false) {
                CSharpValue::Group(group) if !group.members.is_empty() => {
                    CSharpArgumentKind::Group(group)
                }
                CSharpValue::Group(group) => self.maybe_extension(group),
                CSharpValue::Function(at) => CSharpArgumentKind::Ty(self.function_type(at)),
                value => match (Self::type_of(value), self.constant.take()) {
                    (ty, Some((read, value)))
                        if read == id && ty.is(self.project.known_types.int) =>
                    {
                        CSharpArgumentKind::Constant(ty, value)
                    }
                    (ty, _) => CSharpArgumentKind::Ty(ty),
                },
            },
            _ => CSharpArgumentKind::Ty(self.expr(id, None)),
        }
    }

    /// Treats `x.Extension` as a function that is passed if an extension method has that name; else its type is
    /// unknown.
    fn maybe_extension(&self, group: MethodGroup) -> CSharpArgumentKind {
        let is_extension = group.has_object
            && !group.receiver.is_unknown()
            && !self.project.extensions(group.name).is_empty();
        if is_extension {
            CSharpArgumentKind::Group(group)
        } else {
            CSharpArgumentKind::Ty(Ty::Unknown)
        }
    }

    /// Types an element without recording the calls in it: they are recorded once the wanted type is known.
    fn element_type(&mut self, id: ExprId) -> Ty {
        if self.is_open(id) || !self.may_probe() {
            return Ty::Unknown;
        }
        match self.facts.expr(id) {
            Expr::Spread(inner) => {
                let ty = self.probe(|walker| walker.expr(inner, None));
                self.project.element(&ty)
            }
            _ => self.probe(|walker| walker.expr(id, None)),
        }
    }

    /// Tells whether an expression has a type only together with a wanted type.
    pub(super) fn is_open(&self, id: ExprId) -> bool {
        match self.facts.expr(id) {
            Expr::Lambda(_)
            | Expr::Default(None)
            | Expr::NewTarget(..)
            | Expr::Collection(_)
            | Expr::Throw(_) => true,
            Expr::Conditional(_, a, b) => self.are_open(&[a, b]),
            Expr::Switch(at) => self.has_open_arm(at),
            _ => false,
        }
    }

    /// Tells whether branches have no common type without a wanted one; a branch that throws takes the type of the
    /// others.
    fn are_open(&self, branches: &[ExprId]) -> bool {
        let throws = |expr_id: &ExprId| matches!(self.facts.expr(*expr_id), Expr::Throw(_));
        branches.iter().all(throws)
            || branches
                .iter()
                .any(|branch| !throws(branch) && self.is_open(*branch))
    }

    fn has_open_arm(&self, at: u32) -> bool {
        let arms = &self.facts.arms[self.facts.switches[at as usize].arms.range()];
        let values: Vec<ExprId> = arms.iter().map(|arm| arm.value).collect();
        self.are_open(&values)
    }

    /// Walks the arguments that were postponed until the method was chosen; `wanted` has the parameter types, by
    /// argument.
    pub(super) fn finish(&mut self, args: &[Argument], wanted: &[Ty]) {
        for (at, arg) in args.iter().enumerate() {
            let wanted = wanted.get(at);
            let Some(expr) = arg.expr else { continue };
            match &arg.kind {
                CSharpArgumentKind::Ty(_)
                | CSharpArgumentKind::Constant(..)
                | CSharpArgumentKind::Default
                | CSharpArgumentKind::Text => {}
                CSharpArgumentKind::Lambda(lambda) => {
                    if !self.lambdas.contains_key(lambda) {
                        self.lambda_for(*lambda, wanted);
                    }
                }
                CSharpArgumentKind::Group(group) => self.reference(expr, group, wanted),
                CSharpArgumentKind::Out(ty) => {
                    let known = wanted.filter(|_| ty.is_unknown()).unwrap_or(ty).clone();
                    self.out(expr, known);
                }
                CSharpArgumentKind::New
                | CSharpArgumentKind::Collection(_)
                | CSharpArgumentKind::Other
                | CSharpArgumentKind::Throw => {
                    self.expr(expr, wanted);
                }
            }
        }
    }

    fn out(&mut self, expr: ExprId, ty: Ty) {
        if let Expr::Declaration(_, pattern) = self.facts.expr(expr)
            && let Pattern::Variable(_, name) = self.facts.pattern(pattern)
        {
            self.declare(name, ty);
        }
    }

    /// Passes arguments to a function whose parameters are known.
    pub(super) fn give(&mut self, run: Run, params: &[Param]) {
        let args = self.arguments(run);
        let wanted = types_for(&args, params);
        self.finish(&args, &wanted);
    }

    /// Passes arguments to a function of the body; returns the type of its result.
    pub(super) fn call_function(
        &mut self,
        run: Run,
        function: &LocalFunction,
        type_args: &[Ty],
    ) -> Ty {
        let args = self.arguments(run);
        let declared = types_for(&args, &function.params);
        let mut bound = Bindings::default();
        if type_args.is_empty() {
            self.infer(&function.vars, &declared, &args, (&mut bound, true));
        } else {
            bound = Bindings::of(&function.vars, type_args);
        }
        let wanted: Vec<Ty> = declared.iter().map(|ty| ty.with(&bound)).collect();
        self.finish(&args, &wanted);
        function.result.with(&bound)
    }

    /// Tells whether a parameter of that type accepts an argument.
    pub(super) fn arg_fits(
        &mut self,
        arg: &Argument,
        wanted: &Ty,
        passing: ParameterPassing,
        is_sole: bool,
    ) -> Fit {
        if matches!(arg.kind, CSharpArgumentKind::Text) {
            let string = Ty::named(self.project.known_types.string);
            let formattable = Ty::named(self.project.known_types.formattable);
            return if self.is_handler(wanted) {
                Fit::Yes
            } else {
                self.project
                    .fits(&string, wanted)
                    .max(self.project.fits(&formattable, wanted))
            };
        }
        let is_passed = match (arg.passing, passing) {
            (ParameterPassing::Value, ParameterPassing::In)
            | (
                ParameterPassing::In | ParameterPassing::Ref,
                ParameterPassing::In | ParameterPassing::Ref,
            ) => true,
            // An extension method may take its object by reference.
            (ParameterPassing::Value, ParameterPassing::Ref) => arg.expr.is_none(),
            (a, b) => a == b,
        };
        if !is_passed {
            return Fit::No;
        }
        match &arg.kind {
            CSharpArgumentKind::Ty(ty)
                if matches!(passing, ParameterPassing::Ref | ParameterPassing::Out)
                    && arg.expr.is_some() =>
            {
                if ty == wanted {
                    Fit::Yes
                } else if ty.has_unknown() || wanted.has_unknown() || wanted.has_var() {
                    Fit::Maybe
                } else {
                    self.project.fits(ty, wanted).min(Fit::Maybe)
                }
            }
            CSharpArgumentKind::Ty(ty) => self.project.fits(ty, wanted),
            CSharpArgumentKind::Constant(ty, value) => match self.project.fits(ty, wanted) {
                Fit::No => self.constant_fits(*value, wanted),
                fit => fit,
            },
            CSharpArgumentKind::Lambda(lambda) => self.lambda_fits(*lambda, wanted, is_sole),
            CSharpArgumentKind::Group(group) => self.group_fits(group, wanted),
            CSharpArgumentKind::Default => match self.facts.expr(arg.expr.unwrap_or(ExprId(0))) {
                Expr::Literal(_) => self.project.fits(&Ty::Null, wanted),
                _ => Fit::Yes,
            },
            CSharpArgumentKind::New => self.new_fits(wanted),
            CSharpArgumentKind::Collection(elements) => self.collection_fits(elements, wanted),
            CSharpArgumentKind::Out(ty) => {
                if ty.is_unknown() || ty == wanted {
                    Fit::Yes
                } else if ty.has_unknown() || wanted.has_unknown() || wanted.has_var() {
                    Fit::Maybe
                } else {
                    Fit::No
                }
            }
            CSharpArgumentKind::Other | CSharpArgumentKind::Text => Fit::Maybe,
            CSharpArgumentKind::Throw => Fit::Yes,
        }
    }

    /// Tells whether a constant of type `int` becomes a smaller or an unsigned integer, or, as zero, an enum.
    fn constant_fits(&self, value: Option<i64>, wanted: &Ty) -> Fit {
        let inner = match wanted {
            Ty::Nullable(inner) => inner,
            wanted => wanted,
        };
        let Some(id) = inner.id() else {
            return Fit::No;
        };
        if self.project.ty(id).kind == TypeKind::Enum {
            return Fit::from(value == Some(0));
        }
        match (self.project.known_types.holds(id), value) {
            (None, _) => Fit::No,
            (Some(range), Some(value)) => Fit::from(range.contains(&value)),
            (Some(_), None) => Fit::Maybe,
        }
    }

    /// Tells whether a type takes a string's parts and holes one by one.
    pub(super) fn is_handler(&self, ty: &Ty) -> bool {
        let name = match ty {
            Ty::Named(id, _) => self.project.ty(*id).name,
            Ty::Missing(name) => *name,
            _ => return false,
        };
        self.project
            .word(name)
            .ends_with("InterpolatedStringHandler")
    }

    fn new_fits(&self, wanted: &Ty) -> Fit {
        match wanted {
            Ty::Named(id, _) => Fit::from(!matches!(
                self.project.ty(*id).kind,
                TypeKind::Interface | TypeKind::Enum | TypeKind::Delegate
            )),
            Ty::Nullable(inner) => self.new_fits(inner),
            Ty::Array(..) | Ty::Tuple(_) => Fit::No,
            _ => Fit::Maybe,
        }
    }

    fn collection_fits(&self, elements: &[Ty], wanted: &Ty) -> Fit {
        match wanted {
            Ty::Named(id, _)
                if *id == self.project.known_types.string
                    || *id == self.project.known_types.object =>
            {
                Fit::No
            }
            Ty::Array(..) | Ty::Named(..) => {
                let element = self.project.element(wanted);
                if element.is_unknown() {
                    return Fit::No.max(if wanted.has_unknown() {
                        Fit::Maybe
                    } else {
                        Fit::No
                    });
                }
                let fits = elements.iter().map(|ty| self.project.fits(ty, &element));
                fits.min().unwrap_or(Fit::Yes)
            }
            Ty::Unknown | Ty::Missing(_) | Ty::Var(_) => Fit::Maybe,
            _ => Fit::No,
        }
    }
}

/// Lists the types of the parameters that arguments are for, by argument.
fn types_for(args: &[Argument], params: &[Param]) -> Vec<Ty> {
    let of = |(at, arg): (usize, &Argument)| {
        let named = params
            .iter()
            .find(|param| !arg.name.is_none() && param.name == arg.name);
        let param = named.or_else(|| params.get(at)).or_else(|| params.last());
        param.map_or(Ty::Unknown, |param| param.ty.clone())
    };
    args.iter().enumerate().map(of).collect()
}

/// Reads the value of a literal of type `int`, with or without a minus.
pub(super) fn constant(facts: &CSharpFacts, id: ExprId) -> Option<i64> {
    match facts.expr(id) {
        Expr::Literal(Literal::Int(value)) => Some(i64::from(value)),
        Expr::Prefix(operator, inner) if facts.word(operator.sign) == "-" => {
            match facts.expr(inner) {
                Expr::Literal(Literal::Int(value)) => Some(-i64::from(value)),
                _ => None,
            }
        }
        _ => None,
    }
}
