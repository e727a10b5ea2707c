//! Methods and fields of the project's classes: written ones, and those that the compiler adds.

use crate::run::Run;
use rayon::prelude::*;

use super::{FileType, JavaField, JavaMember, JavaNameScope, JavaProject};
use crate::java::facts::{MethodKind, TypeKind, Variable, flag};
use crate::java::library;
use crate::java::lombok::{self, LombokMember, Plan};
use crate::java::types::{ClassId, MemberId, Ty, VarId};
use crate::methods;
use crate::model::{self, FileId, Method, MethodId, Origin, Span, Visibility};
use crate::symbols::Sym;
use crate::syntax::java::dialect::package_length;

/// A method to be added, in the order of its place.
struct Draft {
    at: Span,
    kind: JavaMemberOrigin,
}

enum JavaMemberOrigin {
    Written(u32),
    DefaultConstructor(ClassId),
    RecordConstructor(ClassId),
    Accessor(ClassId, u32),
    Values(ClassId),
    ValueOf(ClassId),
    Lombok(Box<LombokMember>, Sym),
}

/// Adds the members of every file, in order of file and position, and returns their declarations.
pub fn add_members(project: &mut JavaProject, lombok: &Plan) -> Vec<Method> {
    let files = 0..project.files.len() as u32;
    let fields: Vec<_> = files
        .clone()
        .into_par_iter()
        .map(|file| project.fields_of(FileId(file)))
        .collect();
    // Words get their numbers in order of file, whichever thread is faster.
    let mut made = Vec::with_capacity(fields.len());
    for (file, fields) in files.clone().zip(fields) {
        for (class, name, field) in fields {
            project.classes[class.0 as usize].fields.push((name, field));
        }
        made.push(project.made_by_lombok(FileId(file), lombok));
    }
    let members: Vec<_> = files
        .into_par_iter()
        .zip(made)
        .map(|(file, made)| project.members_of(FileId(file), made))
        .collect();
    let mut methods = Vec::new();
    for members in members {
        for (mut member, method) in members {
            member.id = Some(MethodId(project.members.len() as u32));
            let number = MemberId(project.members.len() as u32);
            let class = &mut project.classes[member.owner.0 as usize];
            class.methods.push((member.name, number));
            project.members.push(member);
            methods.push(method);
        }
    }
    for class in &mut project.classes {
        class.methods.sort_by_key(|&(name, id)| (name, id));
        class.fields.sort_by_key(|(name, _)| *name);
    }
    methods
}

impl JavaProject {
    /// Adds the fields that Lombok generates in a file, and returns the methods that it generates.
    fn made_by_lombok(&mut self, id: FileId, lombok: &Plan) -> Vec<(LombokMember, Sym)> {
        for (class, name, field) in lombok.fields(self, id) {
            let name = self.symbols.intern(&name);
            let fields = &mut self.classes[class.0 as usize].fields;
            // Written fields stay before generated ones.
            fields.push((name, field));
        }
        lombok
            .members(self, id)
            .into_iter()
            .map(|made| {
                let name = self.symbols.intern(&made.name);
                (made, name)
            })
            .collect()
    }

    /// Lists the methods of a file by position; `made` is Lombok's part.
    fn members_of(&self, id: FileId, made: Vec<(LombokMember, Sym)>) -> Vec<(JavaMember, Method)> {
        let mut drafts = self.drafts(id, made);
        drafts.sort_by_key(|draft| draft.at.start);
        drafts
            .iter()
            .map(|draft| self.member_of(id, draft))
            .collect()
    }

    /// Lists the written fields of a file's classes, and the fields of records' components.
    fn fields_of(&self, id: FileId) -> Vec<(ClassId, Sym, JavaField)> {
        let file = self.file(id);
        let first_class = file.first_class;
        let mut fields: Vec<(ClassId, Sym, JavaField)> =
            Vec::with_capacity(file.facts.fields.len());
        for decl in &file.facts.fields {
            let class = ClassId(first_class + decl.owner);
            let ty = match decl.ty {
                Some(ty) => self.resolve(ty, JavaNameScope::of_class(id, class)),
                None => Ty::class(class),
            };
            let in_interface = self.class(class).is_interface();
            let flags = decl.flags
                | if in_interface {
                    flag::STATIC | flag::PUBLIC
                } else {
                    0
                };
            fields.push((
                class,
                file.syms[decl.name.0 as usize],
                JavaField { ty, flags },
            ));
        }
        for (index, decl) in file.facts.types.iter().enumerate() {
            let class = ClassId(first_class + index as u32);
            for component in &file.facts.params[decl.components.range()] {
                let ty = self.component_type(id, class, component);
                let flags = flag::PRIVATE | flag::FINAL;
                fields.push((
                    class,
                    file.syms[component.name.0 as usize],
                    JavaField { ty, flags },
                ));
            }
        }
        fields
    }

    fn component_type(&self, file: FileId, class: ClassId, component: &Variable) -> Ty {
        component.ty.map_or(Ty::Unknown, |ty| {
            self.resolve(ty, JavaNameScope::of_class(file, class))
        })
    }

    fn drafts(&self, id: FileId, made: Vec<(LombokMember, Sym)>) -> Vec<Draft> {
        let file = self.file(id);
        let facts = &file.facts;
        let mut drafts: Vec<Draft> = Vec::with_capacity(facts.methods.len() + facts.types.len());
        let mut has_constructor = vec![false; facts.types.len()];
        for (index, method) in facts.methods.iter().enumerate() {
            let owner = &facts.types[method.owner as usize];
            let is_canonical = method.kind == MethodKind::Compact
                || (method.kind == MethodKind::Constructor
                    && (owner.kind != TypeKind::Record || self.is_canonical(id, index)));
            has_constructor[method.owner as usize] |= is_canonical;
            drafts.push(Draft {
                at: method.span,
                kind: JavaMemberOrigin::Written(index as u32),
            });
        }
        for (made, name) in made {
            if name == self.words.init
                && let Some(has) =
                    has_constructor.get_mut((made.owner.0 - file.first_class) as usize)
            {
                *has = true;
            }
            drafts.push(Draft {
                at: Span::new(made.name_start, made.name_start),
                kind: JavaMemberOrigin::Lombok(Box::new(made), name),
            });
        }
        for (index, decl) in facts.types.iter().enumerate() {
            let class = ClassId(file.first_class + index as u32);
            let mut add = |kind| {
                drafts.push(Draft {
                    at: decl.name_span,
                    kind,
                });
            };
            match decl.kind {
                TypeKind::Class if !has_constructor[index] => {
                    add(JavaMemberOrigin::DefaultConstructor(class));
                }
                TypeKind::Enum => {
                    if !has_constructor[index] {
                        add(JavaMemberOrigin::DefaultConstructor(class));
                    }
                    add(JavaMemberOrigin::Values(class));
                    add(JavaMemberOrigin::ValueOf(class));
                }
                TypeKind::Record => {
                    if !has_constructor[index] {
                        add(JavaMemberOrigin::RecordConstructor(class));
                    }
                    for at in decl.components.range() {
                        let name = facts.params[at].name;
                        let is_written = facts.methods.iter().any(|method| {
                            method.owner as usize == index
                                && method.name == name
                                && method.params.range().is_empty()
                        });
                        if !is_written {
                            add(JavaMemberOrigin::Accessor(class, at as u32));
                        }
                    }
                }
                _ => {}
            }
        }
        drafts
    }

    /// Tells whether a record's constructor takes exactly the components.
    fn is_canonical(&self, id: FileId, method: usize) -> bool {
        let facts = &self.file(id).facts;
        let method = &facts.methods[method];
        let components = facts.types[method.owner as usize].components;
        let class = ClassId(self.file(id).first_class + method.owner);
        let types = |run: Run| {
            facts.params[run.range()]
                .iter()
                .map(|param| self.key_of(&self.component_type(id, class, param)))
                .collect::<Vec<_>>()
        };
        types(method.params) == types(components)
    }

    fn member_of(&self, id: FileId, draft: &Draft) -> (JavaMember, Method) {
        match draft.kind {
            JavaMemberOrigin::Lombok(ref made, name) => self.made_member(id, made, name),
            JavaMemberOrigin::Written(index) => self.written(id, index),
            JavaMemberOrigin::DefaultConstructor(class) => {
                self.generated_member(class, self.words.init, Vec::new(), self.this_type(class))
            }
            JavaMemberOrigin::RecordConstructor(class) => {
                let file = self.file(id);
                let (_, decl) = self.type_decl(class).expect("a record has a declaration");
                let params = file.facts.params[decl.components.range()]
                    .iter()
                    .map(|component| self.component_type(id, class, component))
                    .collect();
                self.generated_member(class, self.words.init, params, self.this_type(class))
            }
            JavaMemberOrigin::Accessor(class, at) => {
                let file = self.file(id);
                let component = file.facts.params[at as usize];
                let result = self.component_type(id, class, &component);
                let name = file.syms[component.name.0 as usize];
                self.generated_member(class, name, Vec::new(), result)
            }
            JavaMemberOrigin::Values(class) => {
                let result = Ty::class(class).array();
                self.generated_member(class, self.words.values, Vec::new(), result)
            }
            JavaMemberOrigin::ValueOf(class) => {
                let text = Ty::class(library::known().string);
                let result = Ty::class(class);
                self.generated_member(class, self.words.value_of, vec![text], result)
            }
        }
    }

    fn generated_member(
        &self,
        class: ClassId,
        name: Sym,
        params: Vec<Ty>,
        result: Ty,
    ) -> (JavaMember, Method) {
        let (file, decl) = self
            .type_decl(class)
            .expect("only declared classes get members");
        let (id, _) = self.class(class).decl.expect("it has a declaration");
        let is_static = name == self.words.values || name == self.words.value_of;
        let is_varargs = name == self.words.init && decl.flags & flag::VARARGS != 0;
        let mut flags = decl.flags & (flag::PUBLIC | flag::PROTECTED | flag::PRIVATE);
        if name != self.words.init {
            flags = flag::PUBLIC;
        } else if decl.kind == TypeKind::Enum {
            flags = flag::PRIVATE;
        }
        flags |= if is_static { flag::STATIC } else { 0 };
        flags |= if is_varargs { flag::VARARGS } else { 0 };
        let keys: Vec<String> = params.iter().map(|param| self.key_of(param)).collect();
        let method = Method {
            n_package: package_length(&self.class(class).qualified),
            class: self.class(class).qualified.to_string(),
            name: self.word(name).to_owned(),
            signature: format!("{}({})", self.word(name), keys.join(", ")),
            parameters: keys,
            kind: model::MethodKind::of_name(self.word(name)),
            visibility: visibility(flags),
            is_static,
            origin: Origin::Compiler,
            ..methods::at(id, &file.facts.lines, decl.name_span, decl.name_span.start)
        };
        let member = JavaMember {
            flags,
            ..JavaMember::new(class, name, params.into(), result)
        };
        (member, method)
    }

    fn made_member(&self, id: FileId, made: &LombokMember, name: Sym) -> (JavaMember, Method) {
        let lines = &self.file(id).facts.lines;
        let parameters: Vec<String> = made.params.iter().map(|ty| self.key_of(ty)).collect();
        let method = Method {
            n_package: package_length(&self.class(made.owner).qualified),
            class: self.class(made.owner).qualified.to_string(),
            name: made.name.clone(),
            signature: format!("{}({})", made.name, parameters.join(", ")),
            parameters,
            kind: model::MethodKind::of_name(&made.name),
            visibility: visibility(made.flags),
            is_static: made.flags & flag::STATIC != 0,
            origin: Origin::Generated,
            ..methods::at(id, lines, made.span, made.name_start)
        };
        let params = made.params.clone().into();
        let member = JavaMember {
            flags: made.flags,
            vars: made.vars.start..made.vars.end,
            ..JavaMember::new(made.owner, name, params, made.result.clone())
        };
        (member, method)
    }

    fn written(&self, id: FileId, index: u32) -> (JavaMember, Method) {
        let file = self.file(id);
        let facts = &file.facts;
        let decl = &facts.methods[index as usize];
        let class = ClassId(file.first_class + decl.owner);
        let owner = &facts.types[decl.owner as usize];
        let scope = JavaNameScope {
            file: id,
            class: Some(class),
            method: Some(index),
            locals: &[],
        };
        let mut flags = decl.flags;
        let run = if decl.kind == MethodKind::Compact {
            flags |= owner.flags & flag::VARARGS;
            owner.components
        } else {
            decl.params
        };
        let params: Box<[Ty]> = facts.params[run.range()]
            .iter()
            .map(|param| param.ty.map_or(Ty::Unknown, |ty| self.resolve(ty, scope)))
            .collect();
        let is_method = decl.kind == MethodKind::Method;
        if matches!(owner.kind, TypeKind::Interface | TypeKind::Annotation) {
            if flags & flag::PRIVATE == 0 {
                flags |= flag::PUBLIC;
            }
            if decl.body.is_none() {
                flags |= flag::ABSTRACT;
            }
        }
        if is_method && lombok::is_utility(self, file, owner) {
            flags |= flag::STATIC;
        }
        if owner.kind == TypeKind::Enum && !is_method {
            flags |= flag::PRIVATE;
        }
        let (name, result) = if is_method {
            let result = decl
                .result
                .map_or(Ty::Unknown, |ty| self.resolve(ty, scope));
            (file.syms[decl.name.0 as usize], result)
        } else {
            (self.words.init, self.this_type(class))
        };
        let vars = file.method_vars[index as usize];
        let method = Method {
            n_package: package_length(&self.class(class).qualified),
            class: self.class(class).qualified.to_string(),
            name: self.word(name).to_owned(),
            parameters: params.iter().map(|param| self.key_of(param)).collect(),
            kind: model::MethodKind::of_name(self.word(name)),
            signature: facts.headers[decl.header.range()].to_owned(),
            body: decl.body_span,
            visibility: visibility(flags),
            is_static: flags & flag::STATIC != 0,
            ..methods::at(id, &facts.lines, decl.span, decl.name_span.start)
        };
        let member = JavaMember {
            flags,
            vars: vars.start..vars.end,
            decl: Some(index),
            ..JavaMember::new(class, name, params, result)
        };
        (member, method)
    }

    /// Writes a type as keys do: erased, fully qualified.
    pub fn key_of(&self, ty: &Ty) -> String {
        match ty {
            Ty::Class(id, _) => self.class(*id).qualified.to_string(),
            Ty::Missing(name) => name.to_string(),
            Ty::Prim(prim) => prim.as_str().to_owned(),
            Ty::Array(element) => format!("{}[]", self.key_of(element)),
            Ty::Var(var) => self.key_of(&self.erased_var(*var)),
            Ty::Both(parts) => parts
                .first()
                .map_or_else(|| OBJECT.to_owned(), |part| self.key_of(part)),
            Ty::Void => "void".to_owned(),
            Ty::Extends(bound) => self.key_of(bound),
            Ty::Unknown | Ty::Null | Ty::Wild | Ty::Super(_) => OBJECT.to_owned(),
        }
    }

    /// Finds the bounds of a type variable; where its first bound is a variable, that variable's.
    pub fn upper_bounds(&self, mut var: VarId) -> &[Ty] {
        for _ in 0..BOUNDS_MAX {
            match self.bounds(var) {
                [Ty::Var(next), ..] => var = *next,
                bounds => return bounds,
            }
        }
        &[]
    }

    /// Finds the first bound of a type variable that is not a variable, else `Object`; its arguments stay.
    pub fn erased_var(&self, mut var: VarId) -> Ty {
        for _ in 0..BOUNDS_MAX {
            match self.bounds(var).first() {
                Some(Ty::Var(next)) => var = *next,
                Some(bound) => return bound.clone(),
                None => break,
            }
        }
        library::object()
    }

    /// Writes the dotted name of a type found by [`JavaProject::file_type`].
    pub fn name_of(&self, found: &FileType) -> String {
        match found {
            FileType::Class(class) => self.class(*class).qualified.to_string(),
            FileType::Missing(name) => name.to_string(),
        }
    }
}

/// The greatest number of variables that are followed: a cycle of bounds does not compile, but may be written.
const BOUNDS_MAX: usize = 16;

const OBJECT: &str = "java.lang.Object";

const fn visibility(flags: u16) -> Visibility {
    if flags & flag::PUBLIC != 0 {
        Visibility::Public
    } else if flags & flag::PROTECTED != 0 {
        Visibility::Protected
    } else if flags & flag::PRIVATE != 0 {
        Visibility::Private
    } else {
        Visibility::Package
    }
}
