//! Finds the types that annotations mean.

use super::PythonWalker;
use crate::python::facts::{Display, Expr, ExprId, Literal};
use crate::python::types::{ClassExactness, Ty, UNKNOWN};

impl PythonWalker<'_> {
    /// Finds the type that an annotation gives to a variable; calls in the annotation are not noted.
    pub(super) fn annotation(&mut self, id: ExprId) -> Ty {
        let record = self.record.take();
        let ty = self.written(id, 0);
        self.record = record;
        ty
    }

    fn written(&mut self, id: ExprId, depth: u32) -> Ty {
        if depth > 8 {
            return UNKNOWN;
        }
        match self.facts.expr(id) {
            Expr::Literal(Literal::None) => Ty::None,
            Expr::Name(_) | Expr::Attr { .. } => {
                let ty = self.static_name(id);
                self.held_by(&ty)
            }
            Expr::Binary { left, right, .. } => {
                let left = self.written(left, depth + 1);
                left.join(self.written(right, depth + 1))
            }
            Expr::Subscript { value, index } => self.generic(value, index, depth),
            Expr::Str(name) => {
                let path = self.facts.word(name).to_owned();
                self.named(&path)
            }
            _ => UNKNOWN,
        }
    }

    /// Finds the type of a name in an annotation: the meaning from outside a function, unless a variable holds a class.
    fn static_name(&mut self, id: ExprId) -> Ty {
        match self.facts.expr(id) {
            Expr::Name(name) => {
                let name = self.sym(name);
                let parent = self.project.parent(self.scope);
                let scope = match self.project.kind(self.scope) {
                    crate::python::facts::ScopeKind::Function => parent,
                    _ => self.scope,
                };
                match self.env.get(&(name, None)) {
                    Some(known @ (Ty::Class(..) | Ty::Lib(_))) => known.clone(),
                    _ => self.ctx.outer(scope, name),
                }
            }
            Expr::Attr { value, name } => {
                let value = self.static_name(value);
                let name = self.sym(name);
                self.ctx.attr(&value, name)
            }
            _ => UNKNOWN,
        }
    }

    /// Finds the type that a dotted name in a string annotation means.
    pub(super) fn named(&self, path: &str) -> Ty {
        let mut parts = path.trim().split('.');
        let first = parts.next().and_then(|part| self.project.find(part));
        let Some(first) = first else { return UNKNOWN };
        let mut ty = self
            .ctx
            .outer(self.project.module_scope(self.file_id), first);
        for part in parts {
            match self.project.find(part) {
                Some(name) => ty = self.ctx.attr(&ty, name),
                None => return UNKNOWN,
            }
        }
        self.held_by(&ty)
    }

    /// Turns the class that an annotation names into the type of its objects.
    fn held_by(&self, class: &Ty) -> Ty {
        match class {
            Ty::Class(class, _) => Ty::Inst(*class, ClassExactness::AtLeast),
            // A type variable stands for its bound; where the class at hand derives from that, for the object at hand.
            Ty::Inst(class, _) => match self.project.class_of(self.scope) {
                Some(own) if self.ctx.derives(own, *class) => Ty::Inst(own, ClassExactness::Own),
                _ => Ty::Inst(*class, ClassExactness::AtLeast),
            },
            Ty::Lib(path) => match path.rsplit('.').next().unwrap_or(path) {
                "Self" => match self.project.class_of(self.scope) {
                    Some(class) => Ty::Inst(class, ClassExactness::Own),
                    None => UNKNOWN,
                },
                "None" | "NoReturn" | "Never" => Ty::None,
                "Any" | "object" | "Union" | "Optional" | "TypeVar" | "AnyStr" | "Callable" => {
                    UNKNOWN
                }
                "list" | "List" | "set" | "Set" | "Sequence" | "Iterable" | "Iterator"
                | "tuple" | "Tuple" => Ty::iter(UNKNOWN),
                "dict" | "Dict" | "Mapping" => Ty::dict(UNKNOWN, UNKNOWN),
                _ => Ty::LibInst(path.clone()),
            },
            Ty::Union(parts) => Ty::join_all(parts.iter().map(|ty| self.held_by(ty))),
            Ty::None => Ty::None,
            _ => UNKNOWN,
        }
    }

    fn generic(&mut self, value: ExprId, index: ExprId, depth: u32) -> Ty {
        let head = self.static_name(value);
        let parts: Vec<ExprId> = match self.facts.expr(index) {
            Expr::Display(Display::Tuple, run) => self.facts.list(run).to_vec(),
            _ => vec![index],
        };
        let Ty::Lib(path) = &head else {
            return self.held_by(&head);
        };
        let last = path.rsplit('.').next().unwrap_or(path).to_owned();
        let part = |walker: &mut Self, at: usize| match parts.get(at) {
            Some(expr_id) => walker.written(*expr_id, depth + 1),
            None => UNKNOWN,
        };
        match last.as_str() {
            "Optional" | "Annotated" | "ClassVar" | "Final" | "Required" | "NotRequired"
            | "InitVar" | "ReadOnly" | "TypeGuard" => part(self, 0),
            "Union" => Ty::join_all(
                parts
                    .iter()
                    .map(|expr_id| self.written(*expr_id, depth + 1)),
            ),
            "Type" | "type" => match part(self, 0) {
                Ty::Inst(class, exact) => Ty::Class(class, exact),
                Ty::LibInst(path) => Ty::Lib(path),
                _ => UNKNOWN,
            },
            "Tuple" | "tuple" => {
                let is_open = parts.get(1).is_some_and(|expr_id| {
                    matches!(self.facts.expr(*expr_id), Expr::Literal(Literal::Ellipsis))
                });
                if is_open || parts.len() == 1 {
                    return Ty::iter(part(self, 0));
                }
                Ty::tuple(
                    parts
                        .iter()
                        .map(|expr_id| self.written(*expr_id, depth + 1))
                        .collect(),
                )
            }
            "Dict" | "dict" | "Mapping" | "MutableMapping" | "DefaultDict" | "defaultdict"
            | "OrderedDict" | "ChainMap" => {
                let key = part(self, 0);
                Ty::dict(key, part(self, 1))
            }
            "Awaitable" => Ty::awaited(part(self, 0)),
            "Coroutine" => part(self, 2),
            "ContextManager"
            | "AbstractContextManager"
            | "AsyncContextManager"
            | "AbstractAsyncContextManager" => Ty::context(part(self, 0)),
            "List" | "list" | "Set" | "set" | "FrozenSet" | "frozenset" | "Sequence"
            | "MutableSequence" | "Iterable" | "Iterator" | "Generator" | "AsyncIterator"
            | "AsyncIterable" | "AsyncGenerator" | "Collection" | "Container" | "AbstractSet"
            | "MutableSet" | "Deque" | "deque" | "KeysView" | "ValuesView" | "Reversible" => {
                Ty::iter(part(self, 0))
            }
            "Callable" => Ty::callable(part(self, 1)),
            "Literal" => UNKNOWN,
            _ => Ty::LibInst(path.clone()),
        }
    }
}
