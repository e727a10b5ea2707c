//! The classes and methods of `@Builder` and `@SuperBuilder`.
//!
//! A builder's class is declared before names are looked up, because code may name it or write a part of it. The one
//! for `@SuperBuilder` is `FooBuilder<C, B>` below the parent's builder; `Foo.builder()` gives the class that fixes
//! both, so that every call in a chain, also of an inherited method, gives that class again.

use crate::ids::add;
use crate::run::Run;
use std::sync::{Arc, OnceLock};

use super::accessor::{capital, singular};
use super::mark::{Annotation, Mark, Marks};
use super::{Access, LombokClass, LombokMember, access_flag};
use crate::java::class::{JavaClass, JavaField, TypeVar};
use crate::java::facts::{MethodKind, TypeKind, TypeSyntax, flag};
use crate::java::library;
use crate::java::project::{JavaNameScope, JavaProject};
use crate::java::types::{Args, ClassId, Subst, Ty, VarId};
use crate::model::{FileId, Span};
use crate::symbols::Sym;

/// A builder and its origin.
#[derive(Debug)]
pub struct Builder {
    pub file: FileId,
    /// The class around, which has `builder()`.
    owner: ClassId,
    owner_index: u32,
    /// The annotated constructor or method; absent for a class.
    method: Option<u32>,
    class: ClassId,
    /// The written part of the builder's class.
    written: Option<u32>,
    /// For `@SuperBuilder`: the class that `builder()` makes.
    own: Option<ClassId>,
    /// The type variables of the annotated declaration, and as many for `builder()` itself.
    vars: Run,
    method_vars: Run,
}

/// A value that a builder is given.
struct BuilderProperty<'p> {
    name: String,
    ty: Ty,
    marks: Marks<'p>,
}

/// A builder to be declared.
struct Draft {
    file: FileId,
    owner_index: u32,
    method: Option<u32>,
    name: String,
    is_super: bool,
    vars: Run,
}

/// Declares the builders' classes of all files.
pub fn declare(project: &mut JavaProject) -> Vec<Builder> {
    let mut drafts = Vec::new();
    for file in 0..project.files.len() {
        if project.files[file].facts.notes.has_lombok {
            find(project, FileId(file as u32), &mut drafts);
        }
    }
    drafts
        .into_iter()
        .map(|draft| draft.declare(project))
        .collect()
}

fn find(project: &JavaProject, id: FileId, drafts: &mut Vec<Draft>) {
    let file = project.file(id);
    let facts = &file.facts;
    let name_of = |annotation: &Annotation<'_>, product: &str| {
        annotation
            .string("builderClassName")
            .filter(|name| !name.is_empty())
            .map_or_else(
                || format!("{}Builder", capital(product)),
                |name| name.replace('*', product),
            )
    };
    for (index, decl) in facts.types.iter().enumerate() {
        let marks = Marks::read(project, file, decl.annotations);
        let is_super = marks.has(Mark::SuperBuilder);
        let Some(annotation) = marks.get(Mark::SuperBuilder).or(marks.get(Mark::Builder)) else {
            continue;
        };
        let class = project.class(ClassId(file.first_class + index as u32));
        drafts.push(Draft {
            file: id,
            owner_index: index as u32,
            method: None,
            name: name_of(&annotation, facts.names.get(decl.name)),
            is_super,
            vars: Run {
                start: class.vars.start,
                end: class.vars.end,
            },
        });
    }
    for (index, method) in facts.methods.iter().enumerate() {
        let marks = Marks::read(project, file, method.annotations);
        let Some(annotation) = marks.get(Mark::Builder) else {
            continue;
        };
        let class = project.class(ClassId(file.first_class + method.owner));
        let is_method = method.kind == MethodKind::Method;
        let product = match method.result.map(|ty| facts.type_syntax(ty)) {
            None => facts.names.get(facts.types[method.owner as usize].name),
            Some(TypeSyntax::Named { name, .. }) => facts.names.get(name),
            Some(TypeSyntax::Prim(prim)) => prim.as_str(),
            Some(_) => "void",
        };
        drafts.push(Draft {
            file: id,
            owner_index: method.owner,
            method: Some(index as u32),
            name: name_of(&annotation, product),
            is_super: false,
            vars: if is_method {
                file.method_vars[index]
            } else {
                Run {
                    start: class.vars.start,
                    end: class.vars.end,
                }
            },
        });
    }
}

impl Draft {
    fn declare(self, project: &mut JavaProject) -> Builder {
        let file = project.file(self.file);
        let first_class = file.first_class;
        let owner = ClassId(first_class + self.owner_index);
        let is_abstract = file.facts.types[self.owner_index as usize].flags & flag::ABSTRACT != 0;
        let name = project.symbols.intern(&self.name);
        let written = project.own_type(owner, name);
        let class = written.unwrap_or_else(|| {
            let more: &[&str] = if self.is_super { &["C", "B"] } else { &[] };
            let class = declare_class(project, owner, name, self.vars, more);
            add_type(project, owner, name, class);
            class
        });
        let own = self.is_super.then(|| {
            let name = project.symbols.intern(&format!("{}Impl", self.name));
            project.own_type(owner, name).unwrap_or_else(|| {
                let class = declare_class(project, owner, name, self.vars, &[]);
                if !is_abstract {
                    add_type(project, owner, name, class);
                }
                class
            })
        });
        let method_vars = copy_vars(project, self.vars);
        Builder {
            file: self.file,
            owner,
            owner_index: self.owner_index,
            method: self.method,
            class,
            written: written.map(|class| class.0 - first_class),
            own,
            vars: self.vars,
            method_vars,
        }
    }
}

fn declare_class(
    project: &mut JavaProject,
    owner: ClassId,
    name: Sym,
    vars: Run,
    more: &[&str],
) -> ClassId {
    let mut vars = copy_vars(project, vars);
    for word in more {
        let name = project.symbols.intern(word);
        let bounds = Vec::new();
        project.vars.push(TypeVar { name, bounds });
        vars.end += 1;
    }
    let qualified = format!("{}.{}", project.class(owner).qualified, project.word(name));
    add(
        &mut project.classes,
        JavaClass {
            outer: Some(owner),
            vars: vars.start..vars.end,
            ..JavaClass::new(
                name,
                qualified.into(),
                TypeKind::Class,
                flag::PUBLIC | flag::STATIC,
            )
        },
    )
}

fn copy_vars(project: &mut JavaProject, vars: Run) -> Run {
    let start = project.vars.len() as u32;
    for at in vars.range() {
        let name = project.vars[at].name;
        let bounds = Vec::new();
        project.vars.push(TypeVar { name, bounds });
    }
    Run::since(start, project.vars.len())
}

fn add_type(project: &mut JavaProject, owner: ClassId, name: Sym, class: ClassId) {
    project.name_member_type(name);
    let types = &mut project.classes[owner.0 as usize].types;
    types.push((name, class));
    types.sort_by_key(|&(name, id)| (name, id));
}

/// Gives the builders' classes their supertypes and the bounds of their variables.
pub fn link(builders: &[Builder], project: &mut JavaProject) {
    for builder in builders {
        let class_vars = project.class(builder.class).vars.clone();
        for copy in [class_vars.start, builder.method_vars.start] {
            builder.copy_bounds(project, copy);
        }
        if let Some(own) = builder.own {
            builder.link_super(project, own, builders);
        }
    }
    if builders.iter().all(|builder| builder.own.is_none()) {
        return;
    }
    for class in &mut project.classes {
        class.lineage = OnceLock::new();
    }
}

fn vars_of(vars: Run) -> impl Iterator<Item = Ty> {
    (vars.start..vars.end).map(|var| Ty::Var(VarId(var)))
}

fn args_of(args: Vec<Ty>) -> Args {
    (!args.is_empty()).then(|| args.into())
}

impl Builder {
    /// Maps the annotated declaration's variables to those that begin at `first`.
    fn seen_as(&self, first: u32) -> Subst {
        let n_vars = self.vars.end - self.vars.start;
        let mut subst = Subst::default();
        let values: Arc<[Ty]> = (first..first + n_vars)
            .map(|var| Ty::Var(VarId(var)))
            .collect();
        subst.bind(self.vars.start, values);
        subst
    }

    fn copy_bounds(&self, project: &mut JavaProject, first: u32) {
        let is_copied = self.written.is_none() || first == self.method_vars.start;
        let subst = self.seen_as(first);
        for (at, var) in self.vars.range().enumerate().filter(|_| is_copied) {
            let bounds = project.vars[var].bounds.iter();
            let bounds = bounds.map(|bound| subst.apply(bound)).collect();
            project.vars[first as usize + at].bounds = bounds;
        }
    }

    fn link_super(&self, project: &mut JavaProject, own: ClassId, builders: &[Self]) {
        let n_vars = (self.vars.end - self.vars.start) as usize;
        let this_of = |class: ClassId, first: u32| {
            let vars = Run {
                start: first,
                end: first + n_vars as u32,
            };
            Ty::Class(class, args_of(vars_of(vars).collect()))
        };
        let own_first = project.class(own).vars.start;
        let mut args: Vec<Ty> = (own_first..own_first + n_vars as u32)
            .map(|var| Ty::Var(VarId(var)))
            .collect();
        args.push(this_of(self.owner, own_first));
        args.push(this_of(own, own_first));
        let first = project.class(self.class).vars.start;
        let is_linked = self.written.is_some();
        if project.class(self.class).vars.len() == args.len() {
            project.classes[own.0 as usize].supers = vec![Ty::Class(self.class, args_of(args))];
        }
        if is_linked {
            return;
        }
        let last = first as usize + n_vars;
        project.vars[last].bounds = vec![this_of(self.owner, first)];
        project.vars[last + 1].bounds = vec![this_of(own, first)];
        let parent = project.class(self.owner).supers.iter().find_map(|parent| {
            let class = parent.class_id()?;
            let builder = builders
                .iter()
                .find(|builder| builder.owner == class && builder.own.is_some())?;
            Some((builder.class, parent.args().clone()))
        });
        let Some((parent, parent_args)) = parent else {
            return;
        };
        let subst = self.seen_as(first);
        let mut args: Vec<Ty> = parent_args
            .iter()
            .flat_map(|args| args.iter())
            .map(|arg| subst.apply(arg))
            .collect();
        args.extend([last as u32, last as u32 + 1].map(|var| Ty::Var(VarId(var))));
        let args = args_of(args).filter(|args| args.len() == project.class(parent).vars.len());
        project.classes[self.class.0 as usize].supers = vec![Ty::Class(parent, args)];
    }

    /// Lists the values that the builder is given, in order.
    fn parts<'p>(&self, project: &'p JavaProject) -> Vec<BuilderProperty<'p>> {
        let home = LombokClass::new(project, self.file, self.owner_index);
        let Some(method) = self.method else {
            return home
                .properties()
                .into_iter()
                .filter(super::Property::is_free)
                .filter_map(|property| {
                    let name = home.style(&property).base(property.name)?;
                    Some(BuilderProperty {
                        name,
                        ty: property.ty,
                        marks: property.marks,
                    })
                })
                .collect();
        };
        let file = project.file(self.file);
        let scope = self.scope();
        file.facts.methods[method as usize]
            .params
            .range()
            .map(|at| {
                let param = file.facts.params[at];
                let run = file.facts.notes.of_param(at as u32);
                BuilderProperty {
                    name: file.facts.names.get(param.name).to_owned(),
                    ty: param
                        .ty
                        .map_or(Ty::Unknown, |ty| project.resolve(ty, scope)),
                    marks: Marks::read(project, file, run),
                }
            })
            .collect()
    }

    const fn scope(&self) -> JavaNameScope<'static> {
        JavaNameScope {
            file: self.file,
            class: Some(self.owner),
            method: self.method,
            locals: &[],
        }
    }

    /// Lists the fields of the builder's class, which the written part of it may use.
    pub fn fields(&self, project: &JavaProject) -> Vec<(ClassId, String, JavaField)> {
        let subst = self.seen_as(project.class(self.class).vars.start);
        let flags = flag::PRIVATE;
        self.parts(project)
            .into_iter()
            .filter(|part| !part.marks.has(Mark::Singular) && !part.marks.has(Mark::Default))
            .map(|part| {
                let ty = subst.apply(&part.ty);
                (self.class, part.name, JavaField { ty, flags })
            })
            .collect()
    }

    pub fn add_members(&self, project: &JavaProject, made: &mut Vec<LombokMember>) {
        let file = project.file(self.file);
        let decl = &file.facts.types[self.owner_index as usize];
        let method = self.method.map(|at| &file.facts.methods[at as usize]);
        let (run, span, name_span) = method
            .map_or((decl.annotations, decl.span, decl.name_span), |method| {
                (method.annotations, method.span, method.name_span)
            });
        let marks = Marks::read(project, file, run);
        let Some(annotation) = marks.get(Mark::SuperBuilder).or(marks.get(Mark::Builder)) else {
            return;
        };
        let maker = BuilderMethodMaker {
            builder: self,
            project,
            annotation,
            span,
            name_start: name_span.start,
        };
        let is_instance = method.is_some_and(|method| {
            method.kind == MethodKind::Method && method.flags & flag::STATIC == 0
        });
        let is_abstract = decl.flags & flag::ABSTRACT != 0 && self.method.is_none();
        maker.add_entries(is_instance, self.own.is_some() && is_abstract, made);
        for part in self.parts(project) {
            maker.add_part(&part, made);
        }
        maker.add_ends(made);
    }
}

/// Makes the methods of one builder.
struct BuilderMethodMaker<'b> {
    builder: &'b Builder,
    project: &'b JavaProject,
    annotation: Annotation<'b>,
    span: Span,
    name_start: u32,
}

impl BuilderMethodMaker<'_> {
    fn generated_member(
        &self,
        owner: ClassId,
        name: &str,
        params: Vec<Ty>,
        result: Ty,
    ) -> LombokMember {
        LombokMember {
            owner,
            name: name.to_owned(),
            params,
            result,
            flags: self.access(),
            vars: Run::default(),
            span: self.span,
            name_start: self.name_start,
        }
    }

    /// Tells whether a class has a written method of that name.
    fn is_written(&self, index: u32, name: &str) -> bool {
        let facts = &self.project.file(self.builder.file).facts;
        facts.methods.iter().any(|method| {
            method.owner == index
                && method.kind == MethodKind::Method
                && facts.names.get(method.name) == name
        })
    }

    fn access(&self) -> u16 {
        access_flag(match self.annotation.access("access") {
            Access::None => Access::Public,
            access => access,
        })
    }

    /// Adds `builder()`, `toBuilder()` and the constructor that takes a builder.
    fn add_entries(&self, is_instance: bool, is_abstract: bool, made: &mut Vec<LombokMember>) {
        let builder = self.builder;
        let product = builder.own.unwrap_or(builder.class);
        let name = self.annotation.string("builderMethodName");
        let name = name.unwrap_or("builder");
        if !name.is_empty() && !is_abstract && !self.is_written(builder.owner_index, name) {
            let args = args_of(vars_of(builder.method_vars).collect());

            let result = Ty::Class(product, args);
            let mut entry = self.generated_member(builder.owner, name, Vec::new(), result);
            entry.flags |= if is_instance { 0 } else { flag::STATIC };
            entry.vars = builder.method_vars;
            made.push(entry);
        }
        let has_return = self.annotation.switch("toBuilder") == Some(true);
        if has_return && !is_abstract && !self.is_written(builder.owner_index, "toBuilder") {
            let args = args_of(vars_of(builder.vars).collect());
            let result = Ty::Class(product, args);
            made.push(self.generated_member(builder.owner, "toBuilder", Vec::new(), result));
        }
        if builder.own.is_some() {
            let wild = self.project.class(builder.class).vars.clone();
            let param = Ty::Class(builder.class, args_of(wild.map(|_| Ty::Wild).collect()));
            let this = self.project.this_type(builder.owner);
            made.push(LombokMember {
                flags: flag::PROTECTED,
                ..self.generated_member(builder.owner, "<init>", vec![param], this)
            });
        }
    }

    /// Returns the type of a call in a chain: the builder's, for `@SuperBuilder` its last variable.
    fn chained(&self) -> Ty {
        let vars = &self.project.class(self.builder.class).vars;
        if self.builder.own.is_some() && !vars.is_empty() {
            return Ty::Var(VarId(vars.end - 1));
        }
        self.project.this_type(self.builder.class)
    }

    fn add_setter(&self, name: &str, params: Vec<Ty>, made: &mut Vec<LombokMember>) {
        let prefix = self.annotation.string("setterPrefix").unwrap_or_default();
        let name = if prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{prefix}{}", capital(name))
        };
        self.add(&name, params, self.chained(), made);
    }

    /// Adds a method of the builder's class unless it is written there.
    fn add(&self, name: &str, params: Vec<Ty>, result: Ty, made: &mut Vec<LombokMember>) {
        let is_written = self
            .builder
            .written
            .is_some_and(|index| self.is_written(index, name));
        if !is_written {
            made.push(self.generated_member(self.builder.class, name, params, result));
        }
    }

    fn add_part(&self, part: &BuilderProperty<'_>, made: &mut Vec<LombokMember>) {
        let first = self.project.class(self.builder.class).vars.start;
        let ty = self.builder.seen_as(first).apply(&part.ty);
        let Some(annotation) = part.marks.get(Mark::Singular) else {
            return self.add_setter(&part.name, vec![ty], made);
        };
        let qualified = self.project.key_of(&ty);
        let simple = qualified.rsplit('.').next().unwrap_or_default();
        let is_guava = qualified.starts_with("com.google.");
        let given: Vec<Ty> = ty.args().iter().flat_map(|args| args.to_vec()).collect();
        let wild = |ty: &Ty| match ty {
            Ty::Unknown => Ty::Wild,
            ty => Ty::Extends(Arc::new(settled(ty))),
        };
        let (all, n_args) = match simple {
            _ if simple.ends_with("Table") => (qualified.as_str(), 3),
            _ if simple.ends_with("Map") => ("java.util.Map", 2),
            _ if is_guava => ("java.lang.Iterable", 1),
            _ => ("java.util.Collection", 1),
        };
        let given: Vec<Ty> = (0..n_args)
            .map(|at| given.get(at).cloned().unwrap_or(Ty::Unknown))
            .collect();
        let plural = match self.project.library.find(all) {
            Some(class) => Ty::Class(class, args_of(given.iter().map(wild).collect())),
            None => Ty::Missing(all.into()),
        };
        let one = annotation.string("value").filter(|one| !one.is_empty());
        if let Some(one) = one.map(str::to_owned).or_else(|| singular(&part.name)) {
            self.add_setter(&one, given.iter().map(settled).collect(), made);
        }
        self.add_setter(&part.name, vec![plural], made);
        let clear = format!("clear{}", capital(&part.name));
        self.add(&clear, Vec::new(), self.chained(), made);
    }

    /// Adds `build()`, `toString()`, for `@SuperBuilder` `self()`, and the builder's constructor.
    fn add_ends(&self, made: &mut Vec<LombokMember>) {
        let builder = self.builder;
        let vars = &self.project.class(builder.class).vars;
        let file = self.project.file(builder.file);
        let method = builder.method.map(|at| &file.facts.methods[at as usize]);
        let subst = builder.seen_as(vars.start);
        let product = if builder.own.is_some() && vars.len() > 1 {
            Ty::Var(VarId(vars.end - 2))
        } else if let Some(result) = method.and_then(|method| method.result) {
            subst.apply(&self.project.resolve(result, builder.scope()))
        } else {
            subst.apply(&self.project.this_type(builder.owner))
        };
        let build = self.annotation.string("buildMethodName").unwrap_or("build");
        self.add(build, Vec::new(), product, made);
        let text = Ty::class(library::known().string);
        self.add("toString", Vec::new(), text, made);
        if builder.own.is_some() {
            self.add("self", Vec::new(), self.chained(), made);
        }
        // A written part without a constructor has the compiler's.
        if builder.written.is_none() {
            let this = self.project.this_type(builder.class);
            made.push(LombokMember {
                flags: 0,
                ..self.generated_member(builder.class, "<init>", Vec::new(), this)
            });
        }
    }
}

/// Turns a type argument into the type that its values are known to have.
fn settled(ty: &Ty) -> Ty {
    match ty {
        Ty::Extends(bound) => (**bound).clone(),
        Ty::Wild | Ty::Super(_) | Ty::Unknown => library::object(),
        other => other.clone(),
    }
}
