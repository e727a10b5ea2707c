//! The project's methods: which declarations count as such, their numbers, and how callers see them.

use super::{CSharpNameScope, CSharpProject};
use crate::csharp::facts::{CSharpFacts, MemberDecl, MemberKind, TypeKind, flag};
use crate::csharp::types::{CSharpMember, MemberId, Type, TypeId};
use crate::ids::add;
use crate::methods;
use crate::model::{FileId, Method, MethodId, MethodKind, Origin, Span, Visibility};

/// Adds the constructors that the compiler makes: from the parameter list behind a type's name, and those without
/// parameters.
pub fn add_constructors(project: &mut CSharpProject) {
    for ty in &mut project.types {
        ty.members.sort();
    }
    for id in 0..project.types.len() as u32 {
        let id = TypeId(id);
        let ty = project.ty(id);
        let is_made = matches!(
            ty.kind,
            TypeKind::Class | TypeKind::Struct | TypeKind::Record | TypeKind::RecordStruct
        );
        if !is_made || ty.flags & flag::STATIC != 0 {
            continue;
        }
        let primary = project
            .type_decls(id)
            .find(|(_, decl)| decl.flags & flag::PRIMARY != 0)
            .map(|(file, decl)| (file, decl.scope, decl.params));
        let is_written = !project.constructors(id).is_empty();
        let (file, _) = project.ty(id).parts[0];
        let (file, params) = match primary {
            Some((file, scope, params)) => {
                let scope = CSharpNameScope::new(file, scope, Some(id), &[]);
                (file, project.params(params, scope))
            }
            None if is_written && (!ty.kind.is_value() || has_plain(project, id)) => continue,
            None => (file, [].into()),
        };
        let flags = if project.ty(id).flags & flag::ABSTRACT != 0 {
            flag::PROTECTED
        } else {
            flag::PUBLIC
        };
        let member = CSharpMember {
            owner: id,
            name: project.known_types.init,
            kind: MemberKind::Constructor,
            flags,
            vars: Vec::new(),
            params,
            ty: crate::csharp::types::Ty::Void,
            explicit: None,
            file,
            decl: None,
            method: None,
        };
        let member = add(&mut project.members, member);
        let init = project.known_types.init;
        project.types[id.0 as usize].members.push((init, member));
        if primary.is_some() {
            add_captured(project, id, member);
        }
    }
}

/// Tells whether a constructor without parameters is written.
fn has_plain(project: &CSharpProject, id: TypeId) -> bool {
    let constructors = project.constructors(id);
    constructors
        .iter()
        .any(|&constructor| project.member(constructor).params.is_empty())
}

/// Adds the members that a parameter list behind a type's name makes: properties of a record, otherwise private fields.
fn add_captured(project: &mut CSharpProject, id: TypeId, constructor: MemberId) {
    let constructor = project.member(constructor).clone();
    let is_record = project.ty(id).kind.is_record();
    for param in &*constructor.params {
        if is_record && project.value_member(id, param.name).is_some() {
            continue;
        }
        let member = add(
            &mut project.members,
            CSharpMember {
                name: param.name,
                kind: if is_record {
                    MemberKind::Property
                } else {
                    MemberKind::Field
                },
                flags: if is_record {
                    flag::PUBLIC
                } else {
                    flag::PRIVATE
                },
                params: [].into(),
                ty: param.ty.clone(),
                ..constructor.clone()
            },
        );
        let ty = &mut project.types[id.0 as usize];
        ty.members.push((param.name, member));
    }
}

/// Numbers the methods of the sources in order of file and position.
pub fn number(project: &mut CSharpProject) {
    let mut places: Vec<(u32, u32, MemberId)> = Vec::new();
    for (at, member) in project.members.iter().enumerate() {
        if project.file(member.file).is_library {
            continue;
        }
        let start = match project.member_decl(member) {
            Some(decl) if is_method(decl) => decl.span.start,
            None if member.kind == MemberKind::Constructor => project.type_span(member).start,
            _ => continue,
        };
        places.push((member.file, start, MemberId(at as u32)));
    }
    places.sort_unstable();
    let made = places.iter().map(|place| project.method_for(place.2));
    let mut all: Vec<Method> = made.collect();
    methods::number(&mut all);
    for (number, &(_, _, id)) in places.iter().enumerate() {
        project.members[id.0 as usize].method = Some(MethodId(number as u32));
    }
    project.method_members = places.into_iter().map(|place| place.2).collect();
    project.methods = all.into();
}

/// Tells whether a declaration can be called.
fn is_method(decl: &MemberDecl) -> bool {
    match decl.kind {
        MemberKind::Method | MemberKind::Operator | MemberKind::Implicit | MemberKind::Explicit => {
            true
        }
        MemberKind::Constructor => decl.flags & flag::STATIC == 0,
        MemberKind::Property | MemberKind::Indexer => decl.flags & flag::ACCESSOR_BODY != 0,
        _ => false,
    }
}

impl CSharpProject {
    fn type_span(&self, member: &CSharpMember) -> Span {
        let mut decls = self.type_decls(member.owner);
        decls
            .find(|(file, decl)| *file == member.file && (decl.flags & flag::PRIMARY != 0))
            .or_else(|| self.type_decls(member.owner).next())
            .map_or(Span::default(), |decl| decl.1.name_span)
    }

    fn method_for(&self, id: MemberId) -> Method {
        let member = self.member(id);
        let owner = self.ty(member.owner);
        let facts = &self.file(member.file).facts;
        match self.member_decl(member) {
            Some(decl) => written(owner, facts, member, decl),
            None => self.made(owner, facts, member),
        }
    }

    fn made(&self, owner: &Type, facts: &CSharpFacts, member: &CSharpMember) -> Method {
        let span = self.type_span(member);
        let decl = self
            .type_decls(member.owner)
            .find(|(_, decl)| decl.flags & flag::PRIMARY != 0);
        let parameters: Vec<String> = match decl {
            Some((file, decl)) => texts(&self.file(file).facts, decl.params),
            None => Vec::new(),
        };
        Method {
            class: owner.qualified.to_string(),
            n_package: owner.n_package,
            name: "<init>".to_owned(),
            signature: format!("{}({})", self.word(owner.name), parameters.join(", ")),
            parameters,
            kind: MethodKind::Constructor,
            end_line: facts.lines.line(span.start),
            origin: Origin::Compiler,
            ..methods::at(FileId(member.file), &facts.lines, span, span.start)
        }
    }
}

fn texts(facts: &CSharpFacts, run: crate::run::Run) -> Vec<String> {
    facts.params[run.range()]
        .iter()
        .map(|param_decl| facts.word(param_decl.text).to_owned())
        .collect()
}

fn written(owner: &Type, facts: &CSharpFacts, member: &CSharpMember, decl: &MemberDecl) -> Method {
    let name = facts.word(decl.name);
    let mut name = match decl.kind {
        MemberKind::Constructor => "<init>".to_owned(),
        MemberKind::Operator => format!("op{name}"),
        MemberKind::Implicit => "op_implicit".to_owned(),
        MemberKind::Explicit => "op_explicit".to_owned(),
        _ => name.to_owned(),
    };
    if let Some((_, interface)) = decl.explicit {
        name = format!("{}.{name}", facts.word(interface));
    }
    Method {
        class: owner.qualified.to_string(),
        n_package: owner.n_package,
        name,
        parameters: texts(facts, decl.params),
        kind: match decl.kind {
            MemberKind::Constructor => MethodKind::Constructor,
            MemberKind::Property => MethodKind::Property,
            MemberKind::Method => MethodKind::Method,
            _ => MethodKind::Operator,
        },
        signature: facts.word(decl.signature).to_owned(),
        body: decl.body_span,
        visibility: visibility(member.flags, decl),
        is_static: member.is(flag::STATIC),
        ..methods::at(
            FileId(member.file),
            &facts.lines,
            decl.span,
            decl.name_span.start,
        )
    }
}

fn visibility(flags: u32, decl: &MemberDecl) -> Visibility {
    if flags & flag::PUBLIC != 0 || decl.explicit.is_some() {
        Visibility::Public
    } else if flags & flag::PROTECTED != 0 {
        Visibility::Protected
    } else if flags & flag::INTERNAL != 0 {
        Visibility::Package
    } else {
        Visibility::Private
    }
}
