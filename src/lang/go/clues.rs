//! The answers of the index: how values move through a test, which method runs behind an interface, which methods only
//! read or write a field.

use super::facts::{Expr, ExprId, Op, Stmt};
use super::project::{GoFuncPlace, GoMember, GoMemberLookup, GoProject, ImportedPackage};
use super::resolve;
use super::tests;
use super::types::{FuncId, NamedId, Ty};
use crate::index::{Clues, Flow, Index, ResolutionStep};
use crate::methods::TestMark;
use crate::model::{Call, CallRole, Flag, Flags, Framework, MethodId, TestCase};
use crate::symbols::Sym;

/// The most methods of one name that are looked at as implementations: each costs a comparison of types.
const IMPLEMENTATIONS_MAX: usize = 2_000;

/// The most interfaces that are looked at for one method, embedded ones included.
const EMBEDDED_MAX: usize = 200;

impl Index for GoProject {
    fn test_case(&self, test: MethodId) -> TestCase {
        let id = FuncId(test.0);
        let body = resolve::body(self, id);
        let mark = TestMark::find(&self.tests, test, Framework::Go);
        let file = self.file(self.func(id).file);
        let mut flags = Flags::default();
        flags.set(Flag::Parametrised, body.is_parametrised);
        flags.set(Flag::Skipped, mark.is_skipped);
        flags.set(Flag::Generated, file.facts.is_generated);
        let mut assertions = body.assertions;
        // A call of a helper that can fail the test asserts, arguments included.
        let helpers = body.calls.iter().filter(|call| {
            resolve::declared(call).is_some_and(|helper| tests::is_failing(self, helper))
        });
        assertions.extend(helpers.map(|call| call.span));
        assertions.sort_unstable();
        assertions.dedup();
        TestCase {
            method: test,
            framework: mark.framework,
            kind: mark.kind,
            statements: self.statements(id),
            calls: body.calls,
            fixtures: tests::fixtures(self, id),
            group: tests::group(self, id),
            flags,
            assertions,
            blocks: body.blocks,
        }
    }

    fn calls(&self, method: MethodId) -> Vec<Call> {
        resolve::body(self, FuncId(method.0)).calls
    }

    fn trace(&self, method: MethodId, call: u32) -> Vec<ResolutionStep> {
        resolve::trace(self, FuncId(method.0), call)
    }

    fn implementations(&self, method: MethodId) -> Vec<MethodId> {
        let id = FuncId(method.0);
        let Some(asked) = asked_with(self, id) else {
            return Vec::new();
        };
        let name = self.func(id).name;
        let mut found = Vec::new();
        for method in self.methods_named(name).iter().take(IMPLEMENTATIONS_MAX) {
            let Some((named, _)) = self.func(*method).receiver else {
                continue;
            };
            let ty = Ty::named(named);
            if asked
                .iter()
                .all(|name| method_of(self, &ty, *name).is_some())
            {
                found.push(MethodId(method.0));
            }
        }
        found
    }

    fn clues(&self, test: &TestCase) -> Clues {
        let body = resolve::body(self, FuncId(test.method.0));
        let mut clues = Clues {
            flows: body.flows,
            field_constructors: Vec::new(),
        };
        for Flow { from, to, role } in &clues.flows {
            let maker = body.calls.get(*from as usize).and_then(resolve::declared);
            if let (CallRole::Receiver, Some(maker)) = (role, maker)
                && made_by(self, maker).is_some()
            {
                clues.field_constructors.push((*to, MethodId(maker.0)));
            }
        }
        clues.field_constructors.sort_unstable();
        clues.field_constructors.dedup();
        // A receiver that may be one of several objects tells nothing.
        let groups = clues.field_constructors.chunk_by(|a, b| a.0 == b.0);
        clues.field_constructors = groups
            .filter(|group| group.len() == 1)
            .flatten()
            .copied()
            .collect();
        clues
    }

    fn dispatch(&self, maker: MethodId, name: &str, _n_arguments: usize) -> Option<MethodId> {
        let made = made_by(self, FuncId(maker.0))?;
        let id = method_of(self, &made, self.symbols.find(name)?)?;
        matches!(self.func(id).place, GoFuncPlace::Declared(_)).then_some(MethodId(id.0))
    }

    fn is_accessor(&self, method: MethodId) -> bool {
        let Some((file, decl)) = self.func_decl(FuncId(method.0)) else {
            return false;
        };
        let facts = &file.facts;
        let receiver = decl.receiver.as_ref().and_then(|param| param.name);
        let (Some(receiver), Some(body)) = (receiver, decl.body) else {
            return false;
        };
        let is_field = |mut id: ExprId| {
            if let Expr::Unary(Op::Address | Op::Deref, inner) = facts.expr(id) {
                id = inner;
            }
            match facts.expr(id) {
                Expr::Selector(operand, ..) => {
                    matches!(facts.expr(operand), Expr::Name(name, _) if name == receiver)
                }
                _ => false,
            }
        };
        let only = |run| match facts.exprs(run) {
            [only] => Some(*only),
            _ => None,
        };
        match facts.stmts_of(body) {
            [only_stmt] => match facts.stmt(*only_stmt) {
                Stmt::Return(values) => only(values).is_some_and(is_field),
                Stmt::Assign(left, right) => {
                    let is_plain = |id| matches!(facts.expr(id), Expr::Name(..) | Expr::Literal(_));
                    only(left).is_some_and(is_field) && only(right).is_some_and(is_plain)
                }
                _ => false,
            },
            _ => false,
        }
    }

    fn is_inherited_by(&self, method: MethodId, class: (&str, &str)) -> bool {
        let id = FuncId(method.0);
        let (path, name) = class;
        let Some(name) = self.symbols.find(name) else {
            return false;
        };
        let Some((receiver, _)) = self.func(id).receiver else {
            return false;
        };
        let Some(package) = self.package_at(path) else {
            return false;
        };
        let from = self.func(id).file;
        let ty = self.type_in_package(
            &ImportedPackage::Package(package),
            name,
            super::types::no_args(),
            from,
        );
        let Ty::Named(named, _) = ty else {
            return false;
        };
        named != receiver && tests::embedded(self, named).0.contains(&receiver)
    }
}

/// Finds the type of the object that a function makes: its first result, unless that is an interface.
fn made_by(project: &GoProject, maker: FuncId) -> Option<Ty> {
    let made = project.func(maker).signature.results.first()?;
    let is_concrete = matches!(made.pointee(), Ty::Named(..))
        && !matches!(project.underlying(made.pointee()), Ty::Interface(_));
    is_concrete.then(|| made.clone())
}

fn method_of(project: &GoProject, ty: &Ty, name: Sym) -> Option<FuncId> {
    match project.member(ty, name) {
        GoMemberLookup::One(GoMember::Method(id, _)) => Some(id),
        _ => None,
    }
}

/// Lists the names of all methods of the interface that asks for a method; nothing for a declared method.
fn asked_with(project: &GoProject, id: FuncId) -> Option<Vec<Sym>> {
    let (file, interface_method) = project.interface_method(id)?;
    let named = NamedId(file.first_type + interface_method.in_type?);
    let mut names = Vec::new();
    let mut left = vec![Ty::named(named)];
    let mut n_left = EMBEDDED_MAX;
    while let Some(ty) = left.pop() {
        n_left = n_left.checked_sub(1)?;
        if let Ty::Interface(interface) = project.underlying(&ty) {
            names.extend(interface.methods.iter().map(|(name, _)| *name));
            left.extend(interface.embedded.iter().cloned());
        }
    }
    names.sort_unstable();
    names.dedup();
    Some(names)
}
