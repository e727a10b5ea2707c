//! The members that Lombok generates for annotated classes, by the rules of its documentation (version 1.18).
//!
//! A file that does not name Lombok costs nothing here. Generated members stand in the same tables as written ones,
//! with [`Origin::Generated`](crate::model::Origin::Generated) and the span of the annotated declaration: the field of
//! a getter, setter or wither, else the class (or the constructor or method under `@Builder`).
//!
//! Not read: `lombok.config`, `@Delegate`, `@FieldNameConstants`, `onMethod` and its like.

mod accessor;
mod builder;
mod mark;

use self::accessor::{Style, Verb, names};
use self::builder::Builder;
use self::mark::{Access, Mark, Marks};
use super::class::JavaField;
use super::facts::{FieldDecl, MethodKind, TypeDecl, TypeKind, flag};
use super::library;
use super::project::{JavaFile, JavaNameScope, JavaProject};
use super::types::{ClassId, Ty};
use crate::model::{FileId, Span};
use crate::run::Run;
use crate::symbols::Sym;
use crate::syntax::java::prim::Prim;

/// A member that Lombok makes.
#[derive(Clone, Debug)]
pub struct LombokMember {
    pub owner: ClassId,
    pub name: String,
    pub params: Vec<Ty>,
    pub result: Ty,
    pub flags: u16,
    pub vars: Run,
    /// The annotated declaration.
    pub span: Span,
    /// Where its name begins.
    pub name_start: u32,
}

/// The classes that Lombok generates in a project: those of builders.
#[derive(Debug, Default)]
pub struct Plan {
    builders: Vec<Builder>,
}

impl Plan {
    /// Declares the builders' classes, so that they can be named.
    pub fn declare(project: &mut JavaProject) -> Self {
        let builders = builder::declare(project);
        Self { builders }
    }

    /// Gives the builders' classes their supertypes and bounds, once those of written classes are known.
    pub fn link(&self, project: &mut JavaProject) {
        builder::link(&self.builders, project);
    }

    /// Lists the members that Lombok makes in a file.
    pub fn members(&self, project: &JavaProject, id: FileId) -> Vec<LombokMember> {
        let file = project.file(id);
        if !file.facts.notes.has_lombok {
            return Vec::new();
        }
        let mut made = Vec::new();
        for index in 0..file.facts.types.len() {
            LombokClass::new(project, id, index as u32).add_members(&mut made);
        }
        for builder in self.builders.iter().filter(|builder| builder.file == id) {
            builder.add_members(project, &mut made);
        }
        made
    }

    /// Lists the fields that Lombok makes in a file, each with its name and class.
    pub fn fields(&self, project: &JavaProject, id: FileId) -> Vec<(ClassId, String, JavaField)> {
        let file = project.file(id);
        if !file.facts.notes.has_lombok {
            return Vec::new();
        }
        let mut fields = Vec::new();
        for (index, decl) in file.facts.types.iter().enumerate() {
            let class = ClassId(file.first_class + index as u32);
            let marks = Marks::read(project, file, decl.annotations);
            let is_written = |name: &str| {
                file.facts.fields.iter().any(|field| {
                    field.owner as usize == index && file.facts.names.get(field.name) == name
                })
            };
            if let Some((logger, access)) = marks.logger()
                && access != Access::None
                && !is_written("log")
            {
                let ty = project
                    .find_qualified(logger, id)
                    .map_or_else(|| Ty::Missing(logger.into()), Ty::class);
                let flags = flag::PRIVATE | flag::STATIC | flag::FINAL;
                fields.push((class, "log".to_owned(), JavaField { ty, flags }));
            }
        }
        for builder in self.builders.iter().filter(|builder| builder.file == id) {
            fields.extend(builder.fields(project));
        }
        fields
    }
}

/// Tells whether everything in a written class is static by `@UtilityClass`.
pub fn is_utility(project: &JavaProject, file: &JavaFile, decl: &TypeDecl) -> bool {
    file.facts.notes.has_lombok
        && Marks::read(project, file, decl.annotations).has(Mark::UtilityClass)
}

/// Tells whether a local variable's type is `lombok.val` or `lombok.var`, so that it has the type of its value.
pub fn is_val(project: &JavaProject, file: &JavaFile, word: Sym) -> bool {
    let facts = &file.facts;
    let word: &str = project.word(word);
    facts.notes.has_lombok
        && matches!(word, "val" | "var")
        && facts.imports.iter().any(|import| {
            let path = facts.names.get(import.path);
            !import.is_static
                && if import.on_demand {
                    path == "lombok"
                } else {
                    let owner = path.strip_suffix(word).unwrap_or_default();
                    matches!(owner, "lombok." | "lombok.experimental.")
                }
        })
}

/// A field or a record's component.
struct Property<'p> {
    name: &'p str,
    ty: Ty,
    flags: u16,
    is_initialised: bool,
    marks: Marks<'p>,
    span: Span,
    name_start: u32,
}

impl Property<'_> {
    const fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }

    const fn is_boolean(&self) -> bool {
        matches!(self.ty, Ty::Prim(Prim::Boolean))
    }

    /// Tells whether a constructor of all properties takes it.
    const fn is_free(&self) -> bool {
        !(self.is(flag::STATIC) || (self.is(flag::FINAL) && self.is_initialised))
    }

    /// Tells whether a constructor of the required properties takes it.
    fn is_required(&self) -> bool {
        let is_wanted = self.is(flag::FINAL) || self.marks.has(Mark::NonNull);
        !self.is(flag::STATIC) && !self.is_initialised && is_wanted
    }
}

/// A written class, as Lombok sees it.
struct LombokClass<'p> {
    project: &'p JavaProject,
    id: FileId,
    file: &'p JavaFile,
    index: u32,
    decl: &'p TypeDecl,
    class: ClassId,
    marks: Marks<'p>,
    /// The annotations of the classes around, nearest first.
    around: Vec<Marks<'p>>,
}

impl<'p> LombokClass<'p> {
    fn new(project: &'p JavaProject, id: FileId, index: u32) -> Self {
        let file = project.file(id);
        let decl = &file.facts.types[index as usize];
        let mut around = Vec::new();
        let mut next = decl.parent;
        while let Some(outer) = next {
            let outer = &file.facts.types[outer as usize];
            around.push(Marks::read(project, file, outer.annotations));
            next = outer.parent;
        }
        Self {
            project,
            id,
            file,
            index,
            decl,
            class: ClassId(file.first_class + index),
            marks: Marks::read(project, file, decl.annotations),
            around,
        }
    }

    fn add_members(&self, made: &mut Vec<LombokMember>) {
        let properties = self.properties();
        for property in &properties {
            self.add_accessors(property, made);
        }
        if matches!(self.decl.kind, TypeKind::Class | TypeKind::Enum) {
            self.add_constructors(&properties, made);
            self.add_object_methods(made);
        }
    }

    fn properties(&self) -> Vec<Property<'p>> {
        let facts = &self.file.facts;
        let scope = JavaNameScope::of_class(self.id, self.class);
        let is_value = self.marks.has(Mark::Value);
        let makes_final = self
            .marks
            .get(Mark::FieldDefaults)
            .and_then(|defaults| defaults.switch("makeFinal"))
            .unwrap_or(is_value);
        let of_field = |field: &FieldDecl| {
            let marks = Marks::read(self.project, self.file, field.annotations);
            let is_final =
                makes_final && field.flags & flag::STATIC == 0 && !marks.has(Mark::NonFinal);
            Property {
                name: facts.names.get(field.name),
                ty: field
                    .ty
                    .map_or(Ty::Unknown, |ty| self.project.resolve(ty, scope)),
                flags: field.flags | if is_final { flag::FINAL } else { 0 },
                is_initialised: field.init.is_some() && !marks.has(Mark::Default),
                marks,
                span: field.span,
                name_start: field.name_start,
            }
        };
        let fields = facts.fields.iter().filter(|field| {
            field.owner == self.index
                && field.flags & flag::ENUM_CONSTANT == 0
                && !facts.names.get(field.name).starts_with('$')
        });
        let mut properties: Vec<Property<'p>> = fields.map(of_field).collect();
        let components = self.decl.components.range();
        if !components.is_empty() {
            // The fields of a record are its components; everything else in it is static.
            properties.clear();
        }
        for at in components {
            let component = facts.params[at];
            properties.push(Property {
                name: facts.names.get(component.name),
                ty: component
                    .ty
                    .map_or(Ty::Unknown, |ty| self.project.resolve(ty, scope)),
                flags: flag::PRIVATE | flag::FINAL,
                is_initialised: false,
                marks: Marks::read(self.project, self.file, facts.notes.of_param(at as u32)),
                span: self.decl.span,
                name_start: self.decl.name_span.start,
            });
        }
        properties
    }

    fn style(&self, property: &Property<'_>) -> Style {
        let mut around = vec![&property.marks, &self.marks];
        around.extend(&self.around);
        Style::read(&around)
    }

    /// Decides the access of an accessor that is asked for on the field, or on the class for instance fields.
    fn wanted(&self, property: &Property<'_>, mark: Mark, all: &[Mark]) -> Access {
        if let Some(annotation) = property.marks.get(mark) {
            return annotation.access("value");
        }
        if property.is(flag::STATIC) {
            return Access::None;
        }
        match self.marks.get(mark) {
            Some(annotation) => annotation.access("value"),
            None if all.iter().any(|&mark| self.marks.has(mark)) => Access::Public,
            None => Access::None,
        }
    }

    fn add_accessors(&self, property: &Property<'_>, made: &mut Vec<LombokMember>) {
        let style = self.style(property);
        let is_static = property.flags & flag::STATIC;
        let this = self.project.this_type(self.class);
        let is_record = self.decl.kind == TypeKind::Record;
        let getter = self.wanted(property, Mark::Getter, &[Mark::Data, Mark::Value]);
        let setter = self.wanted(property, Mark::Setter, &[Mark::Data]);
        let wither = self.wanted(property, Mark::With, &[]);
        let accessors = [
            (Verb::Get, getter, !is_record),
            (Verb::Set, setter, !property.is(flag::FINAL)),
            (Verb::With, wither, is_static == 0 && property.is_free()),
        ];
        for (verb, access, is_possible) in accessors {
            if access == Access::None || !is_possible {
                continue;
            }
            let Some(names) = names(&style, verb, property.name, property.is_boolean()) else {
                continue;
            };
            let params = match verb {
                Verb::Get => Vec::new(),
                Verb::Set | Verb::With => vec![property.ty.clone()],
            };
            if names.iter().any(|name| self.has_method(name, params.len())) {
                continue;
            }
            let result = match verb {
                Verb::Get => property.ty.clone(),
                Verb::Set if !style.is_chained || is_static != 0 => Ty::Void,
                Verb::Set | Verb::With => this.clone(),
            };
            made.push(LombokMember {
                owner: self.class,
                name: names.into_iter().next().expect("an accessor has a name"),
                params,
                result,
                flags: access_flag(access) | is_static,
                vars: Run::default(),
                span: property.span,
                name_start: property.name_start,
            });
        }
    }

    /// Tells whether a written method has that name, in any case, and takes `n_params` arguments.
    fn has_method(&self, name: &str, n_params: usize) -> bool {
        let facts = &self.file.facts;
        facts.methods.iter().any(|method| {
            let most = method.params.range().len();
            let is_varargs = method.flags & flag::VARARGS != 0;
            method.owner == self.index
                && method.kind == MethodKind::Method
                && facts.names.get(method.name).eq_ignore_ascii_case(name)
                && (most == n_params || (is_varargs && n_params + 1 >= most))
        })
    }

    fn generated_member(
        &self,
        name: &str,
        params: Vec<Ty>,
        result: Ty,
        flags: u16,
    ) -> LombokMember {
        LombokMember {
            owner: self.class,
            name: name.to_owned(),
            params,
            result,
            flags,
            vars: Run::default(),
            span: self.decl.span,
            name_start: self.decl.name_span.start,
        }
    }

    fn add_constructors(&self, properties: &[Property<'_>], made: &mut Vec<LombokMember>) {
        let facts = &self.file.facts;
        let marks = &self.marks;
        let types = |wanted: &dyn Fn(&Property<'_>) -> bool| -> Vec<Ty> {
            let taken = properties.iter().filter(|property| wanted(property));
            taken.map(|property| property.ty.clone()).collect()
        };
        let all = || types(&|property| property.is_free());
        let required = || types(&|property| property.is_required());
        let mut is_asked = false;
        let asked = [Mark::NoArgs, Mark::RequiredArgs, Mark::AllArgs];
        for annotation in asked.into_iter().filter_map(|mark| marks.get(mark)) {
            is_asked = true;
            let params = match annotation.mark {
                Mark::NoArgs => Vec::new(),
                Mark::RequiredArgs => required(),
                _ => all(),
            };
            let name = annotation.string("staticName");
            self.add_constructor(params, annotation.access("access"), name, made);
        }
        let is_written = facts
            .methods
            .iter()
            .any(|method| method.owner == self.index && method.kind == MethodKind::Constructor);
        // The constructor for `@SuperBuilder` takes the builder, and is made with it.
        if is_asked || is_written || marks.has(Mark::SuperBuilder) {
            return;
        }
        let data = marks.get(Mark::Data);
        let value = marks.get(Mark::Value);
        if marks.has(Mark::Builder) {
            self.add_constructor(all(), Access::Package, None, made);
        } else if let Some(value) = value {
            let name = value.string("staticConstructor");
            self.add_constructor(all(), Access::Public, name, made);
        } else if let Some(data) = data {
            let name = data.string("staticConstructor");
            self.add_constructor(required(), Access::Public, name, made);
        } else if marks.has(Mark::UtilityClass) {
            self.add_constructor(Vec::new(), Access::Private, None, made);
        }
    }

    /// Adds a constructor; with a static name it is private, and a method of that name calls it.
    fn add_constructor(
        &self,
        params: Vec<Ty>,
        access: Access,
        static_name: Option<&str>,
        made: &mut Vec<LombokMember>,
    ) {
        if access == Access::None {
            return;
        }
        let this = self.project.this_type(self.class);
        let static_name = static_name.filter(|name| !name.is_empty());
        let is_private = static_name.is_some() || self.decl.kind == TypeKind::Enum;
        if let Some(name) = static_name {
            let flags = access_flag(access) | flag::STATIC;
            made.push(self.generated_member(name, params.clone(), this.clone(), flags));
        }
        let access = if is_private { Access::Private } else { access };
        made.push(self.generated_member("<init>", params, this, access_flag(access)));
    }

    fn add_object_methods(&self, made: &mut Vec<LombokMember>) {
        let marks = &self.marks;
        let is_all = marks.has(Mark::Data) || marks.has(Mark::Value);
        if self.decl.kind != TypeKind::Class {
            return;
        }
        if (is_all || marks.has(Mark::ToString)) && !self.has_method("toString", 0) {
            let text = Ty::class(library::known().string);
            made.push(self.generated_member("toString", Vec::new(), text, flag::PUBLIC));
        }
        let is_written = self.has_method("equals", 1) || self.has_method("hashCode", 0);
        if (is_all || marks.has(Mark::EqualsAndHashCode)) && !is_written {
            let object = || vec![library::object()];
            let boolean = Ty::Prim(Prim::Boolean);
            let int = Ty::Prim(Prim::Int);
            made.push(self.generated_member("equals", object(), boolean.clone(), flag::PUBLIC));
            made.push(self.generated_member("hashCode", Vec::new(), int, flag::PUBLIC));
            let is_final = self.decl.flags & flag::FINAL != 0
                || (marks.has(Mark::Value) && !marks.has(Mark::NonFinal));
            let is_shut = is_final && self.decl.superclass.is_none();
            if !is_shut && !self.has_method("canEqual", 1) {
                made.push(self.generated_member("canEqual", object(), boolean, flag::PROTECTED));
            }
        }
    }
}

const fn access_flag(access: Access) -> u16 {
    match access {
        Access::Public => flag::PUBLIC,
        Access::Protected => flag::PROTECTED,
        Access::Private => flag::PRIVATE,
        Access::Package | Access::None => 0,
    }
}
