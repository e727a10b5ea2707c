//! Calls: callees, arguments and results.

use super::PythonWalker;
use super::result::TypedArgument;
use crate::model::{CallKind, Span};
use crate::python::facts::{Expr, ExprId};
use crate::python::types::{Ty, UNKNOWN};
use crate::run::Run;
use crate::symbols::Sym;

/// An argument with its type.
#[derive(Clone, Debug)]
pub struct Argument {
    pub name: Option<Sym>,
    pub is_star: bool,
    pub ty: Ty,
    pub id: ExprId,
}

impl PythonWalker<'_> {
    pub(super) fn call(
        &mut self,
        id: ExprId,
        (function, args): (ExprId, Run),
        (callee, receiver): (Ty, Option<Ty>),
    ) -> Ty {
        let arguments = self.arguments(args);
        if let Ty::Lib(path) = &callee {
            let path = path.clone();
            if let Some(given) = self.library_call(id, (function, &path), &arguments) {
                return given;
            }
        }
        if self.record.is_some() {
            self.note_call(id, function, (&callee, receiver.as_ref()), arguments.len());
        }
        if let (Some(receiver), Expr::Attr { name, .. }) = (&receiver, self.facts.expr(function)) {
            let word = self.facts.word(name);
            if let Some(given) = self.container_call(receiver, word, &arguments) {
                return given;
            }
        }
        self.call_result(&callee, &arguments)
    }

    fn arguments(&mut self, args: Run) -> Vec<Argument> {
        let mut arguments = Vec::with_capacity(args.len());
        for at in args.range() {
            let arg = self.facts.args[at];
            let ty = self.expr(arg.value);
            if self.record.is_some() && !arg.is_star {
                self.hand_over(arg.value, &ty, CallKind::Reference);
            }
            arguments.push(Argument {
                name: arg.name.map(|name| self.sym(name)),
                is_star: arg.is_star,
                ty,
                id: arg.value,
            });
        }
        arguments
    }

    fn note_call(
        &mut self,
        id: ExprId,
        function: ExprId,
        (callee, receiver): (&Ty, Option<&Ty>),
        n: usize,
    ) {
        let n = u16::try_from(n).unwrap_or(u16::MAX);
        let is_class = |ty: &Ty| matches!(ty, Ty::Class(..));
        let span = self.facts.span(id);
        match self.facts.expr(function) {
            Expr::Name(name) | Expr::Attr { name, .. } => {
                let at = self.facts.token(function);
                let word = self.facts.word(name);
                let place = Span::new(at, at + word.len() as u32);
                let (kind, shown) = if callee.parts().iter().all(is_class) {
                    (CallKind::Constructor, "<init>")
                } else if matches!(word, "__init__" | "__new__") {
                    (CallKind::Delegation, "<init>")
                } else {
                    (CallKind::Method, word)
                };
                self.push(kind, (span, place), (shown.to_owned(), n), callee);
                if let (Some(_), Expr::Attr { name, .. }) = (receiver, self.facts.expr(function)) {
                    self.by_name(self.sym(name));
                }
            }
            Expr::Call { args, .. } if self.is_getattr(function) => {
                // getattr(x, "name")(…): the name is in the string.
                let literal = self.facts.args[args.start as usize + 1].value;
                if let Expr::Str(name) = self.facts.expr(literal) {
                    let start = self.facts.span(literal).start + 1;
                    let word = self.facts.word(name).to_owned();
                    let place = Span::new(start, start + word.len() as u32);
                    self.push(CallKind::Method, (span, place), (word, n), callee);
                }
            }
            _ => {
                let is_declared = matches!(
                    self.resolution(callee).0,
                    crate::model::Resolution::Declared(_)
                );
                if is_declared {
                    let end = self.facts.span(function).end;
                    let place = Span::new(end, end + 1);
                    let word = self.show(callee);
                    let word = word.rsplit('.').next().unwrap_or_default().to_owned();
                    self.push(CallKind::Method, (span, place), (word, n), callee);
                }
            }
        }
    }

    fn is_getattr(&self, call: ExprId) -> bool {
        let Expr::Call { function, args } = self.facts.expr(call) else {
            return false;
        };
        matches!(self.facts.expr(function), Expr::Name(name) if self.facts.word(name) == "getattr")
            && args.len() >= 2
    }

    /// Notes a call of a library's function.
    pub(super) fn note_outside(&mut self, id: ExprId, function: ExprId, (path, n): (&str, usize)) {
        if self.record.is_some() {
            self.note_call(id, function, (&Ty::lib(path), None), n);
        }
    }

    /// Finds the type of the result of a call.
    pub(super) fn call_result(&mut self, callee: &Ty, arguments: &[Argument]) -> Ty {
        let given: Vec<TypedArgument> = arguments
            .iter()
            .map(|argument| (argument.name, argument.is_star, argument.ty.clone()))
            .collect();
        match callee {
            Ty::Func(function) => {
                let result = self.ctx.result(*function, None, &given);
                self.through_wrapper(*function, result, arguments)
            }
            Ty::Bound(function, receiver) => {
                let result = self.ctx.result(*function, Some(receiver), &given);
                self.through_wrapper(*function, result, arguments)
            }
            Ty::Class(class, exact) => self.ctx.instance_of(*class, *exact),
            Ty::Wrapped(inner) => self.call_result(inner, arguments),
            Ty::Callable(given) => (**given).clone(),
            Ty::Inst(class, _) => {
                let call = self.project.find("__call__");
                match call.and_then(|sym| self.ctx.function_member(*class, sym)) {
                    Some(function) => self.ctx.result(function, Some(callee), &given),
                    None => UNKNOWN,
                }
            }
            Ty::Lib(path) => library_value(path, arguments),
            Ty::Union(parts) => {
                let parts = parts.to_vec();
                Ty::join_all(parts.iter().map(|ty| self.call_result(ty, arguments)))
            }
            Ty::LibInst(_) | Ty::Unknown(_) => callee.clone(),
            _ => UNKNOWN,
        }
    }

    /// Sees through `f = wrap(g)`: where the wrapper gives a function of its own, `f` stands for `g` (LANGUAGES.md
    /// L14).
    fn through_wrapper(
        &self,
        wrapper: crate::python::types::ScopeId,
        result: Ty,
        arguments: &[Argument],
    ) -> Ty {
        let is_own = match &result {
            Ty::Func(inner) => self.project.method(*inner).is_none(),
            Ty::Unknown(_) => self.project.method(wrapper).is_some() && arguments.len() == 1,
            _ => false,
        };
        let mut wrapped = arguments.iter().filter(|argument| {
            matches!(&argument.ty, Ty::Func(f) | Ty::Bound(f, _) if self.project.method(*f).is_some())
        });
        match (is_own, wrapped.next(), wrapped.next()) {
            (true, Some(one), None) => Ty::Wrapped(std::sync::Arc::new(one.ty.clone())),
            _ => result,
        }
    }
}

/// Finds the type of a call of a library's function or class. A function that is handed a value of the project may give
/// it back: its result is unknown.
fn library_value(path: &std::sync::Arc<str>, arguments: &[Argument]) -> Ty {
    let is_framework = ["pytest", "unittest", "builtins", "mock"]
        .iter()
        .any(|text| path.split('.').next() == Some(text));
    let last = path.rsplit('.').next().unwrap_or(path);
    let is_class = last.starts_with(char::is_uppercase);
    if !is_framework && !is_class && arguments.iter().any(|argument| is_certain(&argument.ty)) {
        return UNKNOWN;
    }
    if is_class {
        return Ty::LibInst(path.clone());
    }
    Ty::lib_inst(path.rsplit_once('.').map_or(path, |pair| pair.0))
}

fn is_certain(ty: &Ty) -> bool {
    !ty.is_unknown() && !matches!(ty, Ty::Param(_)) && ty.is_projects()
}
