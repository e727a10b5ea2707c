//! Resolves callees to the declarations that they mean.

use std::sync::Arc;

use super::{PythonFoundCall, PythonWalker};
use crate::model::{CallKind, CallMarks, MethodId, Resolution, Span, UnknownReason};
use crate::python::facts::{Expr, ExprId, ScopeKind};
use crate::python::project::BaseClass;
use crate::python::types::{ClassExactness, ScopeId, Ty};
use crate::symbols::Sym;

/// How many members of one name a call may be ambiguous among: more say nothing about it.
pub const BY_NAME_MAX: usize = 8;

/// How many overriding methods leave a call declared where the class of the receiver is known roughly.
const REPLACED_MAX: usize = 2;

/// The targets of all parts of a callee.
#[derive(Default)]
struct Targets {
    methods: Vec<MethodId>,
    /// The owner, `""` where nobody knows it.
    outside: Option<String>,
    unknown: Option<UnknownReason>,
    marks: CallMarks,
}

impl Targets {
    fn add(&mut self, method: MethodId) {
        if !self.methods.contains(&method) {
            self.methods.push(method);
        }
    }

    fn outside(&mut self, owner: Option<String>) {
        self.outside.get_or_insert(owner.unwrap_or_default());
    }

    fn resolution(mut self) -> (Resolution, CallMarks) {
        let is_certain = self.outside.is_none() && self.unknown.is_none();
        let resolution = match (self.methods.as_slice(), self.unknown, self.outside) {
            ([one], ..) if is_certain => Resolution::Declared(*one),
            ([], Some(reason), _) => Resolution::Unknown(reason),
            ([], None, Some(owner)) => Resolution::Outside((!owner.is_empty()).then_some(owner)),
            ([], None, None) => Resolution::Unknown(UnknownReason::ReceiverType),
            _ => {
                self.methods.sort_unstable();
                Resolution::Ambiguous(self.methods)
            }
        };
        (resolution, self.marks)
    }
}

impl PythonWalker<'_> {
    /// Notes a call at an expression's token.
    pub(super) fn note(
        &mut self,
        kind: CallKind,
        id: ExprId,
        (name, n_arguments): (String, u16),
        callee: &Ty,
    ) {
        let span = self.facts.span(id);
        let at = self.facts.token(id);
        let place = Span::new(at, at + self.token_len(id));
        self.push(kind, (span, place), (name, n_arguments), callee);
    }

    fn token_len(&self, id: ExprId) -> u32 {
        match self.facts.expr(id) {
            Expr::Name(name) | Expr::Attr { name, .. } => self.facts.word(name).len() as u32,
            _ => 1,
        }
    }

    /// Notes an operator at its sign.
    pub(super) fn note_at(
        &mut self,
        kind: CallKind,
        span: Span,
        (at, len): (u32, u32),
        callee: &Ty,
    ) {
        let place = Span::new(at, at + len);
        let name = self.operator_name(callee);
        self.push(kind, (span, place), (name, 1), callee);
    }

    fn operator_name(&self, callee: &Ty) -> String {
        let first = callee.parts().iter().find_map(|ty| match ty {
            Ty::Func(function) | Ty::Bound(function, _) => Some(*function),
            _ => None,
        });
        first.map_or_else(String::new, |scope_id| {
            self.project.word(self.project.name_of(scope_id)).to_owned()
        })
    }

    pub(super) fn push(
        &mut self,
        kind: CallKind,
        (span, name_span): (Span, Span),
        (name, n_arguments): (String, u16),
        callee: &Ty,
    ) {
        let (resolution, mut marks) = self.resolution(callee);
        if kind == CallKind::Reference {
            marks.add(CallMarks::HANDED_OVER);
        }
        let seen = if self.record.is_some() {
            self.show(callee)
        } else {
            String::new()
        };
        let depth = self.depth;
        if let Some(record) = &mut self.record {
            record.push(PythonFoundCall {
                kind,
                name,
                span,
                name_span,
                depth,
                n_arguments,
                marks,
                resolution,
                besides: seen,
            });
        }
    }

    /// Notes a function of the project that is handed over.
    pub(super) fn hand_over(&mut self, id: ExprId, ty: &Ty, kind: CallKind) {
        let is_function = |ty: &Ty| match ty {
            Ty::Func(function) | Ty::Bound(function, _) => self.project.method(*function).is_some(),
            _ => false,
        };
        let name = match self.facts.expr(id) {
            Expr::Name(name) | Expr::Attr { name, .. } => self.facts.word(name).to_owned(),
            _ => return,
        };
        if ty.parts().iter().all(is_function) {
            self.note(kind, id, (name, 0), ty);
        }
    }

    /// Finds the declarations that a call of a value means.
    pub(super) fn resolution(&self, callee: &Ty) -> (Resolution, CallMarks) {
        let mut targets = Targets::default();
        for part in callee.parts() {
            self.add_targets(part, &mut targets);
        }
        targets.resolution()
    }

    fn add_targets(&self, callee: &Ty, targets: &mut Targets) {
        match callee {
            Ty::Func(function) => self.add_function(*function, targets),
            Ty::Bound(function, receiver) => self.add_method(*function, receiver, targets),
            Ty::Wrapped(inner) => {
                targets.marks.add(CallMarks::WRAPPED);
                for part in inner.parts() {
                    self.add_targets(part, targets);
                }
            }
            Ty::Class(class, exact) => {
                self.add_constructor(*class, targets);
                if *exact != ClassExactness::Made {
                    self.add_constructors_below(*class, targets);
                }
            }
            Ty::Inst(class, _) => {
                let call = self.project.find("__call__");
                match call.and_then(|sym| self.ctx.function_member(*class, sym)) {
                    Some(function) => self.add_function(function, targets),
                    None => match self.ctx.outside_base(*class) {
                        Some(BaseClass::Lib(path)) => targets.outside(Some(path.to_string())),
                        _ => targets.unknown = Some(UnknownReason::MethodNotFound),
                    },
                }
            }
            Ty::Lib(path) => targets.outside(Some(owner_of(path).to_owned())),
            Ty::LibInst(path) => targets.outside(Some(path.to_string())),
            Ty::Iter(_) | Ty::Tuple(_) | Ty::Dict(_) | Ty::Str(_) | Ty::Globals(_) => {
                targets.outside(None);
            }
            Ty::Unknown(reason) => targets.unknown = Some(*reason),
            _ => targets.unknown = Some(UnknownReason::ReceiverType),
        }
    }

    /// Adds a method. Where the object's class is known roughly, that is the declared one if it does something itself
    /// and few classes override it, the only override of a stub, else all of them.
    fn add_method(&self, function: ScopeId, receiver: &Ty, targets: &mut Targets) {
        let others = match receiver {
            Ty::Inst(class, exact) | Ty::Class(class, exact) if *exact != ClassExactness::Made => {
                self.ctx.overrides(*class, function)
            }
            _ => [].into(),
        };
        let is_stub = self.ctx.is_stub(function);
        if !is_stub && others.len() <= REPLACED_MAX {
            return self.add_function(function, targets);
        }
        if let ([only], true) = (&*others, is_stub) {
            return self.add_function(*only, targets);
        }
        self.add_function(function, targets);
        for other in others.iter() {
            self.add_function(*other, targets);
        }
    }

    fn add_function(&self, function: ScopeId, targets: &mut Targets) {
        match self.project.method(function) {
            Some(method) => {
                if self.ctx.decorated(function).is_wrapped {
                    targets.marks.add(CallMarks::WRAPPED);
                }
                targets.add(method);
            }
            // A function inside another one is no declaration (LANGUAGES.md L13).
            None => targets.outside(None),
        }
    }

    /// Adds the constructors of the subclasses that a class may stand for.
    fn add_constructors_below(&self, class: ScopeId, targets: &mut Targets) {
        let Some(name) = self.project.find("__init__") else {
            return;
        };
        let below = self.ctx.subclasses(class);
        let own = below
            .iter()
            .filter(|scope_id| self.project.is_bound(**scope_id, name));
        for subclass in own.take(BY_NAME_MAX) {
            self.add_constructor(*subclass, targets);
        }
    }

    /// Finds the constructor of a class.
    pub fn constructor(&self, class: ScopeId) -> Option<MethodId> {
        let mut targets = Targets::default();
        self.add_constructor(class, &mut targets);
        targets.methods.first().copied()
    }

    /// Adds the class's own constructor, else the nearest one of a supertype in the project, else the library's.
    fn add_constructor(&self, class: ScopeId, targets: &mut Targets) {
        let order = self.ctx.order(class);
        for base in &*order {
            let BaseClass::Class(at) = base else { continue };
            for word in ["__init__", "__new__"] {
                if let Some(name) = self.project.find(word)
                    && self.project.is_bound(*at, name)
                    && let Some(Ty::Func(function)) = self.ctx.bound(*at, name)
                {
                    self.add_function(function, targets);
                    return;
                }
            }
            if let Some(made) = self.project.made_constructors.get(at) {
                targets.add(*made);
                return;
            }
        }
        let owner = match self.ctx.outside_base(class) {
            Some(BaseClass::Lib(path)) => path.to_string(),
            _ => "builtins.object".to_owned(),
        };
        targets.outside(Some(owner));
    }

    /// Makes the last call ambiguous among the few members of that name, if its receiver is unknown.
    pub(super) fn by_name(&mut self, name: Sym) {
        let Some(Some(found)) = self
            .record
            .as_mut()
            .map(|found_calls| found_calls.last_mut())
        else {
            return;
        };
        if !matches!(
            found.resolution,
            Resolution::Unknown(UnknownReason::ReceiverType | UnknownReason::ClassNotFound)
        ) {
            return;
        }
        let Some(members) = self.project.by_name.get(&name) else {
            return;
        };
        if members.len() <= BY_NAME_MAX {
            found.resolution = Resolution::Ambiguous(members.clone());
            found.marks.add(CallMarks::BY_NAME);
        }
    }

    /// Writes a type in words, for people.
    pub fn show(&self, ty: &Ty) -> String {
        match ty {
            Ty::Inst(class, _) => self.path(*class),
            Ty::Class(class, _) => format!("class {}", self.path(*class)),
            Ty::Func(function) | Ty::Bound(function, _) => self.path(*function),
            Ty::Wrapped(inner) => format!("wrapped {}", self.show(inner)),
            Ty::Module(file) => self.project.file(*file).module.to_string(),
            Ty::Lib(path) | Ty::LibInst(path) => path.to_string(),
            Ty::Union(parts) => {
                let parts: Vec<String> = parts.iter().map(|ty| self.show(ty)).collect();
                parts.join(" | ")
            }
            Ty::Unknown(reason) => reason.as_str().to_owned(),
            Ty::None => "None".to_owned(),
            _ => "a value".to_owned(),
        }
    }

    fn path(&self, scope: ScopeId) -> String {
        let mut parts = vec![self.project.word(self.project.name_of(scope))];
        let mut at = self.project.parent(scope);
        while self.project.kind(at) != ScopeKind::Module {
            parts.push(self.project.word(self.project.name_of(at)));
            at = self.project.parent(at);
        }
        parts.push(&self.project.file_of(scope).module);
        parts.reverse();
        parts.join(".")
    }
}

/// Cuts a library's name down to its owner: `unittest.mock` of `unittest.mock.Mock`.
fn owner_of(path: &Arc<str>) -> &str {
    path.rsplit_once('.').map_or(path, |(owner, _)| owner)
}
