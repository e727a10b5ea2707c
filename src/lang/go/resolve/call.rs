//! Resolves calls: their targets, and the types of their results.

use std::sync::Arc;

use super::{Builtin, FuncUse, GoCallRecord, GoValue, GoWalker, Outside};
use crate::go::facts::{Expr, ExprId, GoCallExpr, Name};
use crate::go::infer;
use crate::go::library;
use crate::go::types::{Basic, Foreign, Ty, no_args};
use crate::ids::add;
use crate::model::{CallKind, CallMarks, CallRole, MethodId, Resolution, Span, UnknownReason};

/// The most members of a call's name in main code that still make it ambiguous, not unknown, where the receiver's type
/// is unknown.
const BY_NAME_MAX: usize = 8;

impl<'p> GoWalker<'p> {
    /// Opens the record of a call, before its target is known: calls in its receiver name it as their parent.
    pub(super) fn open(&mut self, call: u32) -> u32 {
        let call = self.facts.calls[call as usize];
        let (name, name_at) = match self.called_name(call.function) {
            Some((name, at)) => (self.file.sym(name), at),
            None => (self.project.words.blank, call.span.start),
        };
        add(
            &mut self.records,
            GoCallRecord {
                kind: CallKind::Method,
                name,
                name_at,
                span: call.span,
                parent: self.parent,
                depth: self.depth,
                n_arguments: call.args.len() as u16,
                marks: CallMarks::NONE,
                resolution: None,
            },
        )
    }

    /// Finds the name token of a called function.
    fn called_name(&self, function: ExprId) -> Option<(Name, u32)> {
        match self.facts.expr(function) {
            Expr::Name(name, at) | Expr::Selector(_, name, at) => Some((name, at)),
            Expr::Index(inner, _) => match self.facts.expr(inner) {
                Expr::Name(name, at) | Expr::Selector(_, name, at) => Some((name, at)),
                _ => None,
            },
            _ => None,
        }
    }

    fn resolved(&mut self, record: u32, resolution: Resolution) {
        self.last = Some(record);
        if self.is_typing {
            return;
        }
        let is_named = {
            let call = &self.records[record as usize];
            call.name != self.project.words.blank
        };
        if is_named {
            self.records[record as usize].resolution = Some(resolution);
        }
    }

    /// Finishes a call: its function is known, its arguments are walked here.
    pub(super) fn call(&mut self, function: GoValue, call: u32, record: u32) -> GoValue {
        let call = self.facts.calls[call as usize];
        let around = self.parent;
        let value = match function {
            GoValue::Type(ty) => {
                self.args(&call);
                GoValue::Ty(ty)
            }
            GoValue::Builtin(builtin) => GoValue::Ty(self.builtin(builtin, &call)),
            GoValue::Func(func) => self.under(Some((record, CallRole::Argument)), |walker| {
                walker.call_of(&func, &call, record)
            }),
            GoValue::Outside(outside) => self.call_outside(&outside, &call, record),
            GoValue::Ty(ty) => self.under(Some((record, CallRole::Argument)), |walker| {
                walker.call_of_value(&ty, &call, record)
            }),
            GoValue::Several(all) => {
                self.args_of(&call, record);
                let all = all.iter().map(|id| MethodId(id.0)).collect();
                self.resolved(record, Resolution::Ambiguous(all));
                GoValue::Ty(Ty::Unknown)
            }
            GoValue::Package(_) => {
                self.args_of(&call, record);
                self.resolved(record, Resolution::Unknown(UnknownReason::MethodNotFound));
                GoValue::Ty(Ty::Unknown)
            }
            GoValue::Lost(reason) => {
                self.args_of(&call, record);
                self.call_lost(reason, &call, record);
                GoValue::Ty(Ty::Unknown)
            }
        };
        self.parent = around;
        value
    }

    fn call_of(&mut self, func: &FuncUse, call: &GoCallExpr, record: u32) -> GoValue {
        let project = self.project;
        let func = &func.it;
        let declared = project.func(func.id);
        self.note_declared(record, func.id);
        let is_generic = !declared.params.is_empty();
        let args = if is_generic || !self.is_typing {
            self.args(call)
        } else {
            Vec::new()
        };
        self.resolved(record, Resolution::Declared(MethodId(func.id.0)));
        // Most functions are not generic, and their results are as they are declared.
        let results = if !is_generic && func.subst.0.is_empty() {
            Ty::of_results(&declared.signature.results)
        } else {
            let mut subst = func.subst.clone();
            if is_generic {
                let signature = func.subst.signature(&declared.signature);
                subst.0.extend(infer::arguments(
                    project,
                    &declared.params,
                    &func.args,
                    &signature,
                    &args,
                ));
            }
            Ty::of_results(&subst.signature(&declared.signature).results)
        };
        GoValue::Ty(results)
    }

    fn call_of_value(&mut self, ty: &Ty, call: &GoCallExpr, record: u32) -> GoValue {
        self.args(call);
        let result = match self.project.value_underlying(ty) {
            // `table[i]()` names nothing.
            Ty::Func(signature) if matches!(self.facts.expr(call.function), Expr::Index(..)) => {
                Ty::of_results(&signature.results)
            }
            Ty::Func(signature) => {
                self.resolved(record, Resolution::Unknown(UnknownReason::MethodNotFound));
                Ty::of_results(&signature.results)
            }
            Ty::Foreign(foreign) => {
                let owner = owner_of(&foreign);
                self.resolved(record, Resolution::Outside(Some(owner)));
                Ty::foreign(&foreign.path, "")
            }
            _ => {
                self.resolved(record, Resolution::Unknown(UnknownReason::ReceiverType));
                Ty::Unknown
            }
        };
        GoValue::Ty(result)
    }

    fn call_outside(&mut self, outside: &Outside, call: &GoCallExpr, record: u32) -> GoValue {
        let name = self.project.word(outside.name);
        if outside.of.is_empty() && library::is_type(&outside.path, name) {
            self.args(call);
            return GoValue::Ty(self.type_of(&GoValue::Outside(outside.clone())));
        }
        let args = self.args_of(call, record);
        let owner = library::owner_of_test(&outside.path, &outside.of, name);
        let owner = owner.map_or_else(|| outside.owner(), str::to_owned);
        self.resolved(record, Resolution::Outside(Some(owner)));
        self.is_parametrised |= &**name == "Run"
            && !outside.of.is_empty()
            && library::is_test(&outside.path, &outside.of);
        let made = args.first().map(|ty| self.project.value_underlying(ty));
        let result = library::result(&outside.path, &outside.of, name, &outside.args, &args)
            .or_else(|| library::sequence_result(&outside.path, name, &made?));
        GoValue::Ty(result.unwrap_or_else(|| Ty::foreign(&outside.path, "")))
    }

    fn call_lost(&mut self, reason: UnknownReason, call: &GoCallExpr, record: u32) {
        let name = self.records[record as usize].name;
        let is_member = matches!(self.facts.expr(call.function), Expr::Selector(..));
        let members = self.project.methods_named(name);
        let is_by_name = reason == UnknownReason::ReceiverType
            && is_member
            && (1..=BY_NAME_MAX).contains(&members.len());
        if is_by_name {
            let all = members.iter().map(|id| MethodId(id.0)).collect();
            self.resolved(record, Resolution::Ambiguous(all));
            self.records[record as usize].marks.add(CallMarks::BY_NAME);
        } else {
            self.resolved(record, Resolution::Unknown(reason));
        }
    }

    fn args_of(&mut self, call: &GoCallExpr, record: u32) -> Vec<Ty> {
        self.under(Some((record, CallRole::Argument)), |walker| {
            walker.args(call)
        })
    }

    /// Walks the arguments and returns their types; several results of one call are several arguments.
    fn args(&mut self, call: &GoCallExpr) -> Vec<Ty> {
        let exprs: &'p [ExprId] = self.facts.exprs(call.args);
        let mut types: Vec<Ty> = exprs.iter().map(|id| self.argument(*id)).collect();
        if let [Ty::Tuple(all)] = types.as_slice() {
            types = all.to_vec();
        }
        if call.is_spread
            && let Some(last) = types.last_mut()
        {
            // A variadic parameter is compared by its element type, too.
            *last = match self.project.value_underlying(last) {
                Ty::Slice(element) | Ty::Array(element) => (*element).clone(),
                other => other,
            };
        }
        types
    }

    fn builtin(&mut self, builtin: Builtin, call: &GoCallExpr) -> Ty {
        let exprs: &'p [ExprId] = self.facts.exprs(call.args);
        if let (Builtin::New | Builtin::Make, Some(first)) = (builtin, exprs.first()) {
            let value = self.value(*first);
            let is_value = matches!(value, GoValue::Ty(_) | GoValue::Func(_));
            let ty = if is_value {
                self.ty_of(value, CallMarks::NONE).typed()
            } else {
                self.type_of(&value)
            };
            for rest in &exprs[1..] {
                self.expr(*rest);
            }
            return if builtin == Builtin::New {
                ty.pointer()
            } else {
                ty
            };
        }
        let args = self.args(call);
        match builtin {
            Builtin::Append => args.into_iter().next().unwrap_or(Ty::Unknown),
            Builtin::Int => Ty::Basic(Basic::Int),
            Builtin::MinMax => {
                let typed = args.iter().find(|ty| !ty.is_untyped());
                typed.or(args.first()).cloned().unwrap_or(Ty::Unknown)
            }
            Builtin::Float => Ty::Basic(Basic::Float),
            Builtin::Complex => Ty::Basic(Basic::Complex),
            Builtin::Recover => Ty::any(),
            Builtin::New | Builtin::Make => Ty::Unknown,
            Builtin::Nothing => Ty::Tuple(no_args()),
        }
    }

    /// Returns the span of a record's name token.
    pub(super) fn name_span(&self, record: &GoCallRecord) -> Span {
        let len = self.project.word(record.name).len() as u32;
        Span::new(record.name_at, record.name_at + len)
    }
}

/// Writes the owner of a library value's members: `path.Type`, or the path where the type is unknown.
pub(super) fn owner_of(foreign: &Arc<Foreign>) -> String {
    if foreign.name.is_empty() {
        foreign.path.to_string()
    } else {
        format!("{}.{}", foreign.path, foreign.name)
    }
}
