//! Finds the types of expressions.
//!
//! Chains are worked off in a loop, from their first part on: see how they are lowered.

use super::{Builtin, FuncUse, GoValue, GoWalker, Outside};
use crate::go::facts::{Expr, ExprId, Literal, Name, Op};
use crate::go::library;
use crate::go::project::{Decl, FuncValue, GoMember, GoMemberLookup, ImportedPackage};
use crate::go::types::{Basic, Signature, Subst, Ty, no_args};
use crate::model::{CallKind, CallMarks, CallRole, Resolution, Span, UnknownReason};
use crate::run::Run;
use crate::symbols::Sym;
use std::sync::Arc;

/// One part of a chain, kept until the part before it is typed.
#[derive(Clone, Copy)]
pub(super) struct Level {
    expr: ExprId,
    /// The call around it.
    parent: Option<(u32, CallRole)>,
    /// Its own record, for a call.
    record: Option<u32>,
}

impl<'p> GoWalker<'p> {
    /// Walks an expression and returns the type of its value.
    pub(super) fn expr(&mut self, id: ExprId) -> Ty {
        let value = self.value(id);
        self.ty_of(value, CallMarks::NONE)
    }

    /// Walks an argument; a function of the project that stands there is marked as handed over.
    pub(super) fn argument(&mut self, id: ExprId) -> Ty {
        let value = self.value(id);
        self.ty_of(value, CallMarks::HANDED_OVER)
    }

    /// Walks an expression that gives `n` values: a call, or one whose second value says whether there is a first.
    pub(super) fn several(&mut self, id: ExprId, n: usize) -> Vec<Ty> {
        let ty = self.expr(id);
        let mut all = match ty {
            Ty::Tuple(all) => all.to_vec(),
            Ty::Foreign(foreign) => vec![Ty::foreign(&foreign.path, ""); n],
            ty => vec![ty],
        };
        if all.len() == 1 && n == 2 && !matches!(self.facts.expr(id), Expr::Call(_)) {
            all.push(Ty::Basic(Basic::Bool));
        }
        all.resize(n, Ty::Unknown);
        all
    }

    /// Returns the type of a value; a function that is named without being called is recorded as a reference.
    pub(super) fn ty_of(&mut self, value: GoValue, marks: CallMarks) -> Ty {
        match value {
            GoValue::Ty(ty) => ty,
            GoValue::Func(func) => {
                let ty = Ty::Func(Arc::new(self.signature_of(&func)));
                self.reference(&func, marks);
                ty
            }
            GoValue::Outside(outside) => Ty::foreign(&outside.path, ""),
            GoValue::Type(_)
            | GoValue::Package(_)
            | GoValue::Several(_)
            | GoValue::Builtin(_)
            | GoValue::Lost(_) => Ty::Unknown,
        }
    }

    /// Reads a value as a type, where it names one.
    pub(super) fn type_of(&self, value: &GoValue) -> Ty {
        match value {
            GoValue::Type(ty) => ty.clone(),
            GoValue::Outside(outside) if outside.of.is_empty() => {
                Ty::Foreign(Arc::new(crate::go::types::Foreign {
                    path: Arc::clone(&outside.path),
                    name: Arc::clone(self.project.word(outside.name)),
                    args: Arc::clone(&outside.args),
                }))
            }
            _ => Ty::Unknown,
        }
    }

    pub(super) fn signature_of(&self, func: &FuncUse) -> Signature {
        let FuncValue {
            id,
            subst,
            args,
            receiver,
        } = &func.it;
        let declared = self.project.func(*id);
        let mut subst = subst.clone();
        let params = declared.params.iter().copied();
        subst.0.extend(params.zip(args.iter().cloned()));
        let mut signature = subst.signature(&declared.signature);
        if let Some(receiver) = receiver {
            signature.params.insert(0, receiver.clone());
        }
        signature
    }

    fn reference(&mut self, func: &FuncUse, marks: CallMarks) {
        if self.is_typing {
            return;
        }
        let name = func.name;
        let end = func.at + self.project.word(name).len() as u32;
        self.records.push(super::GoCallRecord {
            kind: CallKind::Reference,
            name,
            name_at: func.at,
            span: Span::new(func.start, end),
            parent: self.parent,
            depth: self.depth,
            n_arguments: 0,
            marks,
            resolution: Some(Resolution::Declared(crate::model::MethodId(func.it.id.0))),
        });
    }

    /// Walks an expression and returns what it denotes.
    pub(super) fn value(&mut self, id: ExprId) -> GoValue {
        let mark = self.levels.len();
        let around = self.parent;
        let mut at = id;
        loop {
            let mut level = Level {
                expr: at,
                parent: self.parent,
                record: None,
            };
            at = match self.facts.expr(at) {
                Expr::Selector(inner, ..)
                | Expr::Index(inner, _)
                | Expr::Slice(inner, _)
                | Expr::Assert(inner, _)
                | Expr::Binary(_, inner, _) => inner,
                Expr::Call(call) => {
                    let record = self.open(call);
                    level.record = Some(record);
                    self.parent = Some((record, CallRole::Receiver));
                    self.facts.calls[call as usize].function
                }
                _ => break,
            };
            self.levels.push(level);
        }
        let start = match self.facts.expr(at) {
            Expr::Name(_, start) => Some(start),
            _ => None,
        };
        let mut value = self.first(at);
        while self.levels.len() > mark {
            let Some(level) = self.levels.pop() else {
                break;
            };
            self.parent = level.parent;
            value = self.level(value, level, start);
        }
        self.parent = around;
        value
    }

    fn level(&mut self, value: GoValue, level: Level, start: Option<u32>) -> GoValue {
        match self.facts.expr(level.expr) {
            Expr::Selector(_, name, at) => self.selector(value, name, at, start),
            Expr::Index(_, args) => self.index(value, args),
            Expr::Slice(_, args) => {
                let ty = self.ty_of(value, CallMarks::NONE);
                self.all(args);
                GoValue::Ty(match self.project.value_underlying(ty.pointee()) {
                    Ty::Array(element) => Ty::Slice(element),
                    _ => ty,
                })
            }
            Expr::Assert(_, ty) => {
                self.ty_of(value, CallMarks::NONE);
                GoValue::Ty(self.project.resolve(ty, self.scope()))
            }
            Expr::Binary(op, _, right) => {
                let left = self.ty_of(value, CallMarks::NONE);
                let right = self.expr(right);
                GoValue::Ty(binary(op, left, right))
            }
            Expr::Call(call) => {
                let record = level.record.unwrap_or(0);
                self.call(value, call, record)
            }
            _ => value,
        }
    }

    /// Walks the first part of a chain.
    fn first(&mut self, id: ExprId) -> GoValue {
        match self.facts.expr(id) {
            Expr::Literal(literal) => GoValue::Ty(Ty::Basic(literal_type(literal))),
            Expr::Name(name, at) => self.name(name, at),
            Expr::Unary(op, inner) => self.unary(op, inner),
            Expr::Composite(at) => GoValue::Ty(self.composite(at, None)),
            Expr::Function(at) => GoValue::Ty(self.function_literal(at)),
            Expr::Type(ty) => GoValue::Type(self.project.resolve(ty, self.scope())),
            _ => GoValue::Lost(UnknownReason::BrokenSyntax),
        }
    }

    fn name(&mut self, name: Name, at: u32) -> GoValue {
        let sym = self.file.sym(name);
        if let Some(ty) = self.local(sym) {
            let ty = ty.clone();
            self.note_flow(sym);
            return GoValue::Ty(ty);
        }
        if let Some(local) = self.project.local_type(self.file_id, sym, at) {
            return GoValue::Type(self.project.type_of_decl(local));
        }
        if let Some((_, param)) = self.params.iter().find(|(param_sym, _)| *param_sym == sym) {
            return GoValue::Type(Ty::Param(*param));
        }
        if let Some(decl) = self.project.declared(self.file.package, sym, self.file_id) {
            return self.declared(decl, sym, at, at);
        }
        for dot in &self.file.dots {
            if let ImportedPackage::Package(package) = dot
                && let Some(decl) = self.project.declared(*package, sym, self.file_id)
            {
                return self.declared(decl, sym, at, at);
            }
        }
        if let Some(builtin) = Builtin::of(self.project.word(sym)) {
            return GoValue::Builtin(builtin);
        }
        let ty = self.project.type_of_name(name, at, no_args(), self.scope());
        if !ty.is_unknown() && !matches!(ty, Ty::Foreign(_)) {
            return GoValue::Type(ty);
        }
        if let Some(package) = self.project.imported(self.file_id, sym) {
            return GoValue::Package(package);
        }
        let libraries: Vec<&Arc<str>> = self
            .file
            .dots
            .iter()
            .filter_map(ImportedPackage::library)
            .collect();
        match library::of_dot_import(&libraries, self.project.word(sym)) {
            Some(path) => GoValue::Outside(Outside::declared(Arc::clone(path), sym)),
            None => GoValue::Lost(UnknownReason::ReceiverName),
        }
    }

    /// Returns the value that a declaration of a package denotes.
    fn declared(&mut self, decl: Decl, name: Sym, at: u32, start: u32) -> GoValue {
        let value = match decl {
            Decl::Func(id) => FuncValue {
                id,
                subst: Subst::default(),
                args: Vec::new(),
                receiver: None,
            },
            Decl::Type(id) => return GoValue::Type(self.project.type_of_decl(id)),
            Decl::Var(id) => {
                let ty = Self::var_type(self.project, id, &mut self.visiting);
                match self.project.var(id).alias.get() {
                    Some(Some(alias)) => alias.clone(),
                    _ => return GoValue::Ty(ty),
                }
            }
        };
        GoValue::Func(FuncUse {
            it: value,
            name,
            at,
            start,
        })
    }

    fn selector(&mut self, value: GoValue, name: Name, at: u32, start: Option<u32>) -> GoValue {
        let sym = self.file.sym(name);
        let start = start.unwrap_or(at);
        match value {
            GoValue::Package(ImportedPackage::Package(package)) => {
                match self.project.declared(package, sym, self.file_id) {
                    Some(decl) => self.declared(decl, sym, at, start),
                    None => GoValue::Lost(UnknownReason::MethodNotFound),
                }
            }
            GoValue::Package(ImportedPackage::Library(path)) => {
                GoValue::Outside(Outside::declared(path, sym))
            }
            GoValue::Type(ty) => self.member(&ty, sym, (at, start), true),
            // Where one name of a chain is not found, the next one has a receiver of unknown type.
            GoValue::Lost(reason) => {
                self.note_lost(at);
                match reason {
                    UnknownReason::MethodNotFound => GoValue::Lost(UnknownReason::ReceiverType),
                    reason => GoValue::Lost(reason),
                }
            }
            other => {
                let ty = self.ty_of(other, CallMarks::NONE);
                self.member(&ty, sym, (at, start), false)
            }
        }
    }

    /// Resolves a name on a type; `places` are where the name and the whole expression begin.
    fn member(&mut self, ty: &Ty, name: Sym, places: (u32, u32), is_of_type: bool) -> GoValue {
        self.note_receiver(places.0, ty);
        match self.project.member(ty, name) {
            GoMemberLookup::One(GoMember::Field(ty)) => GoValue::Ty(ty),
            GoMemberLookup::One(GoMember::Method(id, subst)) => GoValue::Func(FuncUse {
                it: FuncValue {
                    id,
                    subst,
                    args: Vec::new(),
                    receiver: is_of_type.then(|| ty.clone()),
                },
                name,
                at: places.0,
                start: places.1,
            }),
            GoMemberLookup::Several(all) => GoValue::Several(all),
            GoMemberLookup::Foreign(foreign) => GoValue::Outside(Outside {
                path: Arc::clone(&foreign.path),
                of: Arc::clone(&foreign.name),
                args: Arc::clone(&foreign.args),
                name,
            }),
            GoMemberLookup::Error => GoValue::Outside(Outside::declared("error".into(), name)),
            GoMemberLookup::Unknown => GoValue::Lost(UnknownReason::ReceiverType),
            GoMemberLookup::Nothing => GoValue::Lost(UnknownReason::MethodNotFound),
        }
    }

    /// Walks `x[i]`, or gives type arguments to a function or a type.
    fn index(&mut self, value: GoValue, args: Run) -> GoValue {
        match value {
            GoValue::Func(mut func) if !self.project.func(func.it.id).params.is_empty() => {
                func.it.args = self.types(args);
                GoValue::Func(func)
            }
            GoValue::Type(Ty::Named(id, _)) => {
                let args = self.types(args);
                GoValue::Type(Ty::Named(id, args.into()))
            }
            GoValue::Outside(outside) if outside.of.is_empty() => {
                let args = self.types(args);
                GoValue::Outside(Outside {
                    args: args.into(),
                    ..outside
                })
            }
            other => {
                let ty = self.ty_of(other, CallMarks::NONE);
                self.all(args);
                GoValue::Ty(self.element(&ty))
            }
        }
    }

    /// Finds the element type of a composite type.
    fn element(&self, ty: &Ty) -> Ty {
        match self.project.value_underlying(ty) {
            Ty::Slice(element) | Ty::Array(element) => (*element).clone(),
            Ty::Map(map) => map.1.clone(),
            Ty::Basic(Basic::String | Basic::UntypedString) => Ty::Basic(Basic::Byte),
            Ty::Pointer(inner) => match self.project.value_underlying(&inner) {
                Ty::Array(element) => (*element).clone(),
                _ => Ty::Unknown,
            },
            Ty::Foreign(foreign) => Ty::foreign(&foreign.path, ""),
            _ => Ty::Unknown,
        }
    }

    /// Walks expressions that are types.
    fn types(&mut self, run: Run) -> Vec<Ty> {
        let exprs: &'p [ExprId] = self.facts.exprs(run);
        exprs
            .iter()
            .map(|id| {
                let value = self.value(*id);
                self.type_of(&value)
            })
            .collect()
    }

    fn unary(&mut self, op: Op, inner: ExprId) -> GoValue {
        if op == Op::Address
            && let Expr::Composite(at) = self.facts.expr(inner)
        {
            return GoValue::Ty(self.composite(at, None).pointer());
        }
        let value = self.value(inner);
        if let (Op::Deref, GoValue::Type(_)) = (op, &value) {
            return GoValue::Type(self.type_of(&value).pointer());
        }
        // `*http.Request` may be a type in brackets or a library's variable: in both cases it stays the library's.
        let ty = self.ty_of(value, CallMarks::NONE);
        GoValue::Ty(match op {
            Op::Address => ty.pointer(),
            Op::Deref => match self.project.value_underlying(&ty) {
                Ty::Pointer(inner) => (*inner).clone(),
                Ty::Foreign(_) => ty,
                _ => Ty::Unknown,
            },
            Op::Receive => match self.project.value_underlying(&ty) {
                Ty::Channel(element) => (*element).clone(),
                Ty::Foreign(foreign) => Ty::foreign(&foreign.path, ""),
                _ => Ty::Unknown,
            },
            _ => ty,
        })
    }
}

fn literal_type(literal: Literal) -> Basic {
    match literal {
        Literal::Int => Basic::UntypedInt,
        Literal::Float => Basic::UntypedFloat,
        Literal::Imaginary => Basic::UntypedComplex,
        Literal::Rune => Basic::UntypedRune,
        Literal::String => Basic::UntypedString,
        Literal::Bool => Basic::UntypedBool,
        Literal::Nil => Basic::Nil,
    }
}

fn binary(op: Op, left: Ty, right: Ty) -> Ty {
    match op {
        Op::Compare => Ty::Basic(Basic::UntypedBool),
        Op::Shift => left,
        _ if left.is_untyped() && !right.is_untyped() => right,
        _ if left.is_unknown() => right,
        _ => left,
    }
}
