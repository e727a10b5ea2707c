//! The immutable index over all files: classes, members, names, and the questions asked about them.
//!
//! Classes of known libraries have the same form as the project's, so that resolution handles one kind of class.
//! The index is built in [`mod@build`]; nothing here parses or types a body.

mod build;
mod member;
mod name;

use crate::hierarchy::Hierarchy;
use crate::run::Run;
use std::sync::atomic::AtomicU32;
use std::sync::{Arc, OnceLock};

use rustc_hash::{FxHashMap, FxHashSet};

pub use self::build::build;
pub use self::name::{FileType, JavaNameScope};
use super::class::{JavaClass, JavaField, JavaMember, TypeVar};
use super::facts::{JavaFacts, MethodDecl, TypeDecl, TypeKind, flag};
use super::library::{self, Library};
use super::types::{Args, ClassId, MemberId, Subst, Ty, VarId};
use super::walks::WalkCache;
use crate::methods::TestMark;
use crate::model::{FileId, FileRole, Method, MethodId};
use crate::places::{n_shared, nearest};
use crate::symbols::{Sym, Symbols, named};

/// The greatest number of supertypes that are followed; it also makes cyclic inheritance harmless.
const SUPERTYPES_MAX: usize = 200;

/// One file of the project.
#[derive(Debug)]
pub struct JavaFile {
    pub facts: JavaFacts,
    /// The project's number of each word of the file.
    pub syms: Vec<Sym>,
    pub package: Sym,
    /// The class of the file's first type; the others follow.
    pub first_class: u32,
    /// The type variables of each of the file's methods.
    pub method_vars: Vec<Run>,
    pub singles: Vec<(Sym, FileType)>,
    /// Packages and classes imported on demand; classes of this project and of libraries come resolved.
    pub demands: Vec<OnDemandImport>,
    pub static_singles: Vec<(Sym, FileType)>,
    pub static_demands: Vec<FileType>,
    /// The meaning of each word as a type at the top of the file, once it was asked for.
    pub cache: Vec<AtomicU32>,
    /// The contents of each body, once they were asked for.
    bodies: OnceLock<Bodies>,
}

/// The declarations of a file by the type around them: searching all of them for each of thousands of local classes
/// takes seconds.
#[derive(Debug, Default)]
struct Bodies {
    /// By type, in source order.
    of: Vec<Body>,
    /// Named local classes by name, in source order.
    locals: FxHashMap<Sym, Vec<u32>>,
}

/// The contents of one type's body: numbers in the tables of its file.
#[derive(Debug, Default)]
pub struct Body {
    pub fields: Vec<u32>,
    pub initializers: Vec<u32>,
    /// Types that are neither statements nor anonymous.
    pub types: Vec<u32>,
}

impl JavaFile {
    /// Looks up the contents of a type's body.
    pub fn body(&self, index: u32) -> &Body {
        &self.bodies().of[index as usize]
    }

    /// Finds the local classes of a name, in source order.
    fn local_classes(&self, name: Sym) -> &[u32] {
        self.bodies().locals.get(&name).map_or(&[], Vec::as_slice)
    }

    fn bodies(&self) -> &Bodies {
        self.bodies.get_or_init(|| {
            let facts = &self.facts;
            let mut bodies = Bodies::default();
            bodies.of.resize_with(facts.types.len(), Body::default);
            for (at, field) in facts.fields.iter().enumerate() {
                bodies.of[field.owner as usize].fields.push(at as u32);
            }
            for (at, initializer) in facts.initializers.iter().enumerate() {
                let body = &mut bodies.of[initializer.owner as usize];
                body.initializers.push(at as u32);
            }
            for (at, decl) in facts.types.iter().enumerate() {
                if decl.kind == TypeKind::Anonymous {
                    continue;
                }
                if decl.is_local {
                    let name = self.syms[decl.name.0 as usize];
                    bodies.locals.entry(name).or_default().push(at as u32);
                }
                if let Some(parent) = decl.parent.filter(|_| !decl.is_statement) {
                    bodies.of[parent as usize].types.push(at as u32);
                }
            }
            bodies
        })
    }
}

#[derive(Debug)]
pub enum OnDemandImport {
    Package(Sym, Arc<str>),
    Class(ClassId),
}

#[derive(Debug)]
pub struct JavaProject {
    pub library: Arc<Library>,
    pub files: Vec<JavaFile>,
    pub symbols: Symbols,
    pub words: JavaSymbols,
    pub classes: Vec<JavaClass>,
    pub vars: Vec<TypeVar>,
    pub members: Vec<JavaMember>,
    /// The project's methods, shared with the project that callers see.
    pub methods: Arc<[Method]>,
    pub roles: Vec<FileRole>,
    pub tests: Vec<(MethodId, TestMark)>,
    /// Top-level classes by package and name, in order of file.
    packages: FxHashMap<(Sym, Sym), Vec<ClassId>>,
    /// Packages of the project, and the packages above them.
    package_names: FxHashSet<Box<str>>,
    /// Names that some class has as a member type.
    member_type_names: Vec<bool>,
    /// The direct subclasses and implementors of each class.
    pub subclasses: Hierarchy<ClassId>,
    /// Filled while calls are resolved.
    pub(super) walks: WalkCache,
    /// The fixtures that each class declares, once they were asked for.
    pub fixtures: OnceLock<FxHashMap<ClassId, Vec<MethodId>>>,
}

/// The numbers of words that resolution refers to.
#[derive(Clone, Copy, Debug)]
pub struct JavaSymbols {
    pub init: Sym,
    pub var: Sym,
    pub length: Sym,
    pub values: Sym,
    pub value_of: Sym,
    pub java_lang: Sym,
    pub empty: Sym,
}

impl JavaProject {
    pub fn class(&self, id: ClassId) -> &JavaClass {
        if id.is_library() {
            &self.library.class(id).class
        } else {
            &self.classes[id.0 as usize]
        }
    }

    /// Looks up a member of the project.
    pub fn member(&self, id: MemberId) -> &JavaMember {
        &self.members[id.0 as usize]
    }

    pub fn bounds(&self, id: VarId) -> &[Ty] {
        if id.is_library() {
            self.library.bounds(id)
        } else {
            &self.vars[id.0 as usize].bounds
        }
    }

    fn var_name(&self, id: VarId) -> Option<Sym> {
        (!id.is_library()).then(|| self.vars[id.0 as usize].name)
    }

    pub fn file(&self, id: FileId) -> &JavaFile {
        &self.files[id.0 as usize]
    }

    pub fn word(&self, sym: Sym) -> &str {
        self.symbols.get(sym)
    }

    /// Looks up the declaration of a project's class.
    pub fn type_decl(&self, id: ClassId) -> Option<(&JavaFile, &TypeDecl)> {
        let (file, index) = self.class(id).decl?;
        let file = self.file(file);
        Some((file, &file.facts.types[index as usize]))
    }

    /// Looks up the declaration of a project's member, with its file.
    pub fn method_decl(&self, id: MemberId) -> Option<(FileId, &MethodDecl)> {
        let member = self.member(id);
        let (file, _) = self.class(member.owner).decl?;
        let decl = &self.file(file).facts.methods[member.decl? as usize];
        Some((file, decl))
    }

    /// Finds the class's own methods of that name.
    pub fn methods_named(&self, class: ClassId, name: Sym) -> impl Iterator<Item = &JavaMember> {
        let (own, known) = if class.is_library() {
            let word = self.word(name);
            (&[][..], self.library.class(class).methods_named(word))
        } else {
            (named(&self.class(class).methods, name), &[][..])
        };
        own.iter()
            .map(|&(_, id)| self.member(id))
            .chain(known.iter().map(|(_, member)| member))
    }

    /// Iterates over all methods and constructors of the class itself.
    pub fn all_methods(&self, class: ClassId) -> impl Iterator<Item = &JavaMember> {
        let known = if class.is_library() {
            self.library.class(class).methods.as_slice()
        } else {
            &[]
        };
        self.class(class)
            .methods
            .iter()
            .map(|&(_, id)| self.member(id))
            .chain(known.iter().map(|(_, member)| member))
    }

    /// Looks up a method's name.
    pub fn member_name<'a>(&'a self, member: &'a JavaMember) -> &'a str {
        member
            .library_name
            .as_deref()
            .unwrap_or_else(|| self.word(member.name))
    }

    /// Finds the class's own field by name.
    pub fn field_named(&self, class: ClassId, name: Sym) -> Option<&JavaField> {
        if class.is_library() {
            return self.library.class(class).field_named(self.word(name));
        }
        named(&self.class(class).fields, name)
            .first()
            .map(|(_, field)| field)
    }

    /// Makes the type of `this`: the class with its own variables as arguments, then those of the classes around it.
    pub fn this_type(&self, class: ClassId) -> Ty {
        let n_params = self.n_params(class);
        let mut args = Vec::with_capacity(n_params);
        let mut next = Some(class);
        while let Some(class) = next
            && args.len() < n_params
        {
            args.extend(
                self.class(class)
                    .vars
                    .clone()
                    .map(|var| Ty::Var(VarId(var))),
            );
            next = self.class(class).outer;
        }
        Ty::Class(class, (n_params > 0).then(|| args.into()))
    }

    /// Makes the class's type with unknown arguments; not the raw class.
    pub fn open_type(&self, class: ClassId) -> Ty {
        let n_params = self.n_params(class);
        let args = (n_params > 0).then(|| vec![Ty::Unknown; n_params].into());
        Ty::Class(class, args)
    }

    /// Counts the type arguments of a class: its own, then those of the classes around an inner class.
    pub fn n_params(&self, class: ClassId) -> usize {
        let mut n_params = self.class(class).vars.len();
        let mut next = self.generic_outer(class);
        while let Some(outer) = next {
            n_params += self.class(outer).vars.len();
            next = self.generic_outer(outer);
        }
        n_params
    }

    /// Finds the class around an inner class. A local class sees the variables around it as they are.
    pub fn generic_outer(&self, class: ClassId) -> Option<ClassId> {
        let class = self.class(class);
        class.outer.filter(|_| class.is_inner && !class.is_in_body)
    }

    /// Binds a class's variables to these arguments, those of a raw class to their erasures.
    pub fn bindings(&self, class: ClassId, args: &Args) -> Subst {
        let mut subst = Subst::default();
        let mut given = args.as_deref();
        let mut next = Some(class);
        while let Some(class) = next {
            let vars = self.class(class).vars.clone();
            let values = match given {
                Some(args) if args.len() >= vars.len() => {
                    let (own, outer) = args.split_at(vars.len());
                    given = Some(outer);
                    own.into()
                }
                Some(_) => vars.clone().map(|_| Ty::Unknown).collect(),
                None => vars
                    .clone()
                    .map(|var| erased(&self.erased_var(VarId(var))))
                    .collect(),
            };
            subst.bind(vars.start, values);
            // The arguments of an outer class may not have been kept.
            given = Some(given.unwrap_or_default());
            next = self.generic_outer(class);
        }
        subst
    }

    /// Lists the class and all its supertypes: superclasses with `Object`, nearest first, then interfaces. Methods are
    /// searched in this order, also from an interface: the `equals` of `Object` comes before the `equals` of an
    /// interface further up.
    pub fn ancestors(&self, class: ClassId) -> &[ClassId] {
        let lineage = &self.class(class).lineage;
        lineage.get_or_init(|| self.find_ancestors(class))
    }

    fn find_ancestors(&self, class: ClassId) -> Box<[ClassId]> {
        let mut found = vec![class];
        let mut last = class;
        while let Some(parent) = self.superclass(last)
            && found.len() < SUPERTYPES_MAX
            && !found.contains(&parent)
        {
            found.push(parent);
            last = parent;
        }
        let object = library::known().object;
        if !found.contains(&object) {
            found.push(object);
        }
        let mut at = 0;
        while at < found.len() && found.len() < SUPERTYPES_MAX {
            for parent in self.class(found[at]).supers.iter().filter_map(Ty::class_id) {
                if found.len() < SUPERTYPES_MAX && !found.contains(&parent) {
                    found.push(parent);
                }
            }
            at += 1;
        }
        found.into()
    }

    fn superclass(&self, class: ClassId) -> Option<ClassId> {
        self.class(class)
            .supers
            .iter()
            .filter_map(Ty::class_id)
            .find(|&parent| !self.class(parent).is_interface())
            .filter(|_| !self.class(class).is_interface())
    }

    /// Tells whether `class` is `ancestor` or below it.
    pub fn is_below(&self, class: ClassId, ancestor: ClassId) -> bool {
        class == ancestor
            || ancestor == library::known().object
            || self.ancestors(class).contains(&ancestor)
    }

    /// Finds the project's first top-level class of that name in that package.
    pub fn top_level(&self, package: &str, name: &str) -> Option<ClassId> {
        let key = (self.symbols.find(package)?, self.symbols.find(name)?);
        self.packages.get(&key)?.first().copied()
    }

    /// Finds the class's own member type of that name.
    pub fn own_type(&self, class: ClassId, name: Sym) -> Option<ClassId> {
        if class.is_library() {
            return self.library.member_type(class, self.word(name));
        }
        named(&self.class(class).types, name)
            .first()
            .map(|&(_, id)| id)
    }

    /// Finds the member type of that name, also an inherited one.
    pub fn member_type(&self, class: ClassId, name: Sym) -> Option<ClassId> {
        if !self
            .member_type_names
            .get(name.0 as usize)
            .is_some_and(|&is| is)
        {
            return None;
        }
        self.own_type(class, name).or_else(|| {
            self.ancestors(class)
                .iter()
                .find_map(|&ancestor| self.own_type(ancestor, name))
        })
    }

    /// Chooses the candidate that a file means: the nearest by folders, then main before test, then the first.
    fn nearest(&self, candidates: &[ClassId], from: FileId) -> Option<ClassId> {
        let here = &self.file(from).facts.path;
        nearest(candidates, |id| {
            let there = self
                .class(id)
                .decl
                .map(|(file, _)| &self.file(file).facts.path);
            let is_test = there.is_some_and(|there| there.split('/').any(|part| part == "test"));
            (there.map_or(0, |there| n_shared(here, there)), !is_test)
        })
    }
}

impl JavaProject {
    /// Finds the project's methods with a body that override or implement this one, in some thousand subclasses at
    /// most; none for constructors, static and private methods.
    pub fn implementations(&self, method: MethodId) -> Vec<MethodId> {
        let id = MemberId(method.0);
        let base = self.member(id);
        if base.name == self.words.init || base.is(flag::STATIC | flag::PRIVATE) {
            return Vec::new();
        }
        let mut found = Vec::new();
        for class in self.subclasses.all_below(base.owner) {
            for member in self.methods_named(class, base.name) {
                let has_body = member
                    .id
                    .and_then(|id| self.method_decl(MemberId(id.0)))
                    .is_some_and(|(_, decl)| decl.body.is_some());
                if has_body && self.overrides(member, base) {
                    found.extend(member.id);
                }
            }
        }
        found.sort_unstable();
        found
    }

    /// Tells whether a method below `base` takes the same parameters, as far as types are known.
    fn overrides(&self, member: &JavaMember, base: &JavaMember) -> bool {
        if member.params.len() != base.params.len() {
            return false;
        }
        // The way up is long for the last of thousands of subclasses, and only variables need it.
        let needs_subst = base.params.iter().any(Ty::has_var);
        let subst = if needs_subst {
            self.seen_from(member.owner, base.owner)
        } else {
            Some(Subst::default())
        };
        member.params.iter().zip(&base.params).all(|(own, theirs)| {
            let theirs = subst.as_ref().map_or(Ty::Unknown, |s| s.apply(theirs));
            theirs.is_unknown()
                || matches!(theirs, Ty::Var(_))
                || matches!(own, Ty::Var(_))
                || self.same_erasure(own, &theirs)
        })
    }

    /// Binds an ancestor's variables as a class below it fixes them.
    pub fn seen_from(&self, class: ClassId, ancestor: ClassId) -> Option<Subst> {
        let ty = self.as_ancestor(&self.this_type(class), ancestor)?;
        Some(self.bindings(ancestor, ty.args()))
    }

    /// Views a class type as its ancestor, with the ancestor's arguments.
    pub fn as_ancestor(&self, ty: &Ty, ancestor: ClassId) -> Option<Ty> {
        let Ty::Class(class, args) = ty else {
            return None;
        };
        self.climb(*class, args, ancestor, &mut Vec::new())
    }

    /// Goes up from a class to an ancestor; `seen` are the classes already visited.
    fn climb(
        &self,
        class: ClassId,
        args: &Args,
        ancestor: ClassId,
        seen: &mut Vec<ClassId>,
    ) -> Option<Ty> {
        if class == ancestor {
            return Some(Ty::Class(class, args.clone()));
        }
        // A class leads to the ancestor or not, however it is reached; only a circle reaches a class twice.
        if seen.len() >= SUPERTYPES_MAX || seen.contains(&class) {
            return None;
        }
        seen.push(class);
        let supers = &self.class(class).supers;
        if supers.is_empty() {
            return None;
        }
        let subst = self.bindings(class, args);
        // The supertypes of a raw type are raw (JLS 4.8).
        let is_raw = args.is_none() && !self.class(class).vars.is_empty();
        supers.iter().find_map(|parent| match parent {
            Ty::Class(id, parent_args) => {
                if *id != ancestor && !self.is_below(*id, ancestor) {
                    return None;
                }
                let args = parent_args
                    .as_ref()
                    .filter(|_| !is_raw)
                    .map(|args| args.iter().map(|arg| subst.apply(arg)).collect());
                self.climb(*id, &args, ancestor, seen)
            }
            _ => None,
        })
    }
}

/// Erases a type: removes type arguments (JLS 4.6). Variables stay, because their bounds are not known here.
pub fn erased(ty: &Ty) -> Ty {
    match ty {
        Ty::Class(class, _) => Ty::class(*class),
        Ty::Array(element) => erased(element).array(),
        Ty::Both(parts) => parts.first().map_or(Ty::Unknown, erased),
        other => other.clone(),
    }
}
