//! Describes functions: their receivers, their signatures, and the methods that callers see.

use super::{Func, GoFile, GoFuncPlace, GoNameScope, GoProject, Name};
use crate::go::facts::{FuncDecl, GoFacts, Param, TypeId, TypeSyntax};
use crate::go::types::{FuncId, NamedId, ParamId, Signature, Ty, no_args};
use crate::methods;
use crate::model::{Method, Visibility};
use crate::symbols::Sym;

/// The type that a method is declared on.
pub struct Receiver {
    pub of: NamedId,
    pub is_pointer: bool,
    /// The type's parameters, under the names that the receiver gives them.
    pub params: Vec<(Sym, ParamId)>,
}

/// Finds the type that a method is declared on.
pub fn receiver(project: &GoProject, func: &Func, decl: u32) -> Option<Receiver> {
    let file = project.file(func.file);
    let decl: &FuncDecl = &file.facts.funcs[decl as usize];
    let (name, names, is_pointer) = receiver_type(&file.facts, decl.receiver.as_ref()?)?;
    let scope = GoNameScope::new(func.file, &[]);
    let Ty::Named(id, _) = project.type_of_name(name, decl.span.start, no_args(), scope) else {
        return None;
    };
    let given = names.iter().map(|name| file.sym(*name));
    let params = project.named(id).params.iter().map(|(_, id)| *id);
    Some(Receiver {
        of: id,
        is_pointer,
        params: given.zip(params).collect(),
    })
}

/// Takes `*T[K, V]` apart.
fn receiver_type(facts: &GoFacts, receiver: &Param) -> Option<(Name, Vec<Name>, bool)> {
    let name_of = |ty: TypeId| match facts.type_syntax(ty) {
        TypeSyntax::Name(name, _) => Some(name),
        _ => None,
    };
    let mut ty = receiver.ty;
    let mut is_pointer = false;
    if let TypeSyntax::Pointer(inner) = facts.type_syntax(ty) {
        is_pointer = true;
        ty = inner;
    }
    let TypeSyntax::Generic(base, args) = facts.type_syntax(ty) else {
        return Some((name_of(ty)?, Vec::new(), is_pointer));
    };
    let names = facts.types(args).iter().filter_map(|ty| name_of(*ty));
    Some((name_of(base)?, names.collect(), is_pointer))
}

/// Resolves the types of a function's parameters and results.
pub fn signature(project: &GoProject, func: &Func) -> Signature {
    let file = project.file(func.file);
    let (id, params) = match func.place {
        GoFuncPlace::Declared(at) => (file.facts.funcs[at as usize].signature, &func.scope),
        GoFuncPlace::InterfaceMethod(at) => {
            let interface_method = &file.facts.interface_methods[at as usize];
            let params = match (interface_method.in_type, interface_method.in_func) {
                (_, Some(at)) if (at as usize) < file.funcs.len() => {
                    &project.func(file.funcs[at as usize]).scope
                }
                (Some(at), _) if (at as usize) < file.facts.types.len() => {
                    &project.named(NamedId(file.first_type + at)).params
                }
                _ => &func.scope,
            };
            (interface_method.signature, params)
        }
    };
    project.signature(id, GoNameScope::new(func.file, params))
}

/// Makes the method that callers see; those of the same key are numbered later.
pub fn method(project: &GoProject, id: FuncId) -> Method {
    let func = project.func(id);
    let file = project.file(func.file);
    let facts = &file.facts;
    let (span, name_span, body, signature) = match func.place {
        GoFuncPlace::Declared(at) => {
            let decl = &facts.funcs[at as usize];
            let body = decl.body.map(|block_id| facts.block(block_id).span);
            let header = &facts.headers[decl.header.range()];
            (decl.span, decl.name_span, body, header.to_owned())
        }
        GoFuncPlace::InterfaceMethod(at) => {
            let interface_method = &facts.interface_methods[at as usize];
            let name = facts.name(interface_method.name).to_owned();
            (
                interface_method.span,
                interface_method.name_span,
                None,
                name,
            )
        }
    };
    let package = project.package(file.package);
    let class = class_of(project, func, file);
    let name = project.word(func.name);
    Method {
        n_package: package.path.len() as u32,
        class: match class {
            Some(class) => format!("{}.{class}", package.path),
            None => package.path.to_string(),
        },
        name: name.to_string(),
        signature,
        body,
        visibility: if name.starts_with(char::is_uppercase) {
            Visibility::Public
        } else {
            Visibility::Package
        },
        is_static: func.receiver.is_none() && matches!(func.place, GoFuncPlace::Declared(_)),
        role: project.roles[func.file.0 as usize],
        ..methods::at(func.file, &facts.lines, span, name_span.start)
    }
}

/// Returns the name of the type that a method belongs to: its receiver's as written, or the interface's.
fn class_of(project: &GoProject, func: &Func, file: &GoFile) -> Option<String> {
    let name = match func.place {
        GoFuncPlace::Declared(at) => {
            let receiver = file.facts.funcs[at as usize].receiver.as_ref()?;
            receiver_type(&file.facts, receiver)?.0
        }
        GoFuncPlace::InterfaceMethod(at) => {
            let in_type = file.facts.interface_methods[at as usize].in_type? as usize;
            file.facts.types.get(in_type)?.name
        }
    };
    Some(project.word(file.sym(name)).to_string())
}
