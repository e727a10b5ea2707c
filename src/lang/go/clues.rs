//! What is asked for evidence: how values move through a test, which method runs behind an interface, and what a method
//! no more than reads or writes.

use super::facts::{Expr, ExprId, Op, Stmt};
use super::project::{Found, Imported, Member, Place, Project};
use super::resolve;
use super::tests;
use super::types::{FuncId, NamedId, Ty};
use crate::index::{Clues, Flow};
use crate::model::{CallRole, MethodId, TestCase};
use crate::symbols::Sym;

/// Methods of one name that are looked at as implementations.
const IMPLEMENTATIONS_MAX: usize = 2_000;

/// Interfaces in interfaces that are looked at.
const EMBEDDED_MAX: usize = 200;

/// Returns how values move through a test's body.
pub fn clues(project: &Project, test: &TestCase) -> Clues {
    let body = resolve::body(project, FuncId(test.method.0));
    let mut clues = Clues {
        flows: body.flows,
        made: Vec::new(),
    };
    for Flow { from, to, role } in &clues.flows {
        let maker = body.calls.get(*from as usize).and_then(resolve::declared);
        if let (CallRole::Receiver, Some(maker)) = (role, maker)
            && made_by(project, maker).is_some()
        {
            clues.made.push((*to, MethodId(maker.0)));
        }
    }
    clues.made.sort_unstable();
    clues.made.dedup();
    // What may be one of several objects tells nothing.
    let groups = clues.made.chunk_by(|a, b| a.0 == b.0);
    clues.made = groups
        .filter(|it| it.len() == 1)
        .flatten()
        .copied()
        .collect();
    clues
}

/// Returns the type of the object that a function makes: its first result, unless that is an interface.
fn made_by(project: &Project, maker: FuncId) -> Option<Ty> {
    let made = project.func(maker).signature.results.first()?;
    let is_concrete = matches!(made.pointee(), Ty::Named(..))
        && !matches!(project.underlying(made.pointee()), Ty::Interface(_));
    is_concrete.then(|| made.clone())
}

/// Returns the method that an object runs which `maker` made.
pub fn dispatch(project: &Project, maker: FuncId, name: &str) -> Option<MethodId> {
    let made = made_by(project, maker)?;
    let id = method_of(project, &made, project.symbols.find(name)?)?;
    matches!(project.func(id).place, Place::Declared(_)).then_some(MethodId(id.0))
}

fn method_of(project: &Project, ty: &Ty, name: Sym) -> Option<FuncId> {
    match project.member(ty, name) {
        Found::One(Member::Method(id, _)) => Some(id),
        _ => None,
    }
}

/// Returns the methods of types that have all that an interface asks for.
pub fn implementations(project: &Project, id: FuncId) -> Vec<MethodId> {
    let Some(asked) = asked_with(project, id) else {
        return Vec::new();
    };
    let name = project.func(id).name;
    let mut found = Vec::new();
    for method in project.methods_named(name).iter().take(IMPLEMENTATIONS_MAX) {
        let Some((named, _)) = project.func(*method).receiver else {
            continue;
        };
        let ty = Ty::named(named);
        if asked
            .iter()
            .all(|name| method_of(project, &ty, *name).is_some())
        {
            found.push(MethodId(method.0));
        }
    }
    found
}

/// Returns the names of all methods of the interface that asks for one.
fn asked_with(project: &Project, id: FuncId) -> Option<Vec<Sym>> {
    let (file, element) = project.element(id)?;
    let named = NamedId(file.first_type + element.in_type?);
    let mut names = Vec::new();
    let mut left = vec![Ty::named(named)];
    let mut n_left = EMBEDDED_MAX;
    while let Some(ty) = left.pop() {
        n_left = n_left.checked_sub(1)?;
        if let Ty::Interface(it) = project.underlying(&ty) {
            names.extend(it.methods.iter().map(|(name, _)| *name));
            left.extend(it.embedded.iter().cloned());
        }
    }
    names.sort_unstable();
    names.dedup();
    Some(names)
}

/// Returns whether a method's body does no more than reading or writing a field of its receiver.
pub fn is_accessor(project: &Project, id: FuncId) -> bool {
    let Some((file, decl)) = project.func_decl(id) else {
        return false;
    };
    let facts = &file.facts;
    let receiver = decl.receiver.as_ref().and_then(|it| it.name);
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

/// Returns whether a type (import path, name) has a method from a type that it embeds.
pub fn is_inherited_by(project: &Project, id: FuncId, class: (&str, &str)) -> bool {
    let (path, name) = class;
    let Some(name) = project.symbols.find(name) else {
        return false;
    };
    let Some((receiver, _)) = project.func(id).receiver else {
        return false;
    };
    let Some(package) = project.package_at(path) else {
        return false;
    };
    let from = project.func(id).file;
    let ty = project.type_in_package(
        &Imported::Package(package),
        name,
        super::types::no_args(),
        from,
    );
    let Ty::Named(named, _) = ty else {
        return false;
    };
    named != receiver && tests::embedded(project, named).0.contains(&receiver)
}
