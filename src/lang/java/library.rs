//! Classes outside the project in the same shape as the project's, made when first asked for: those of the class path,
//! else those of the built-in table.
//!
//! Without a class path there is one library, shared by all projects of the process. A class's number, with [`LIBRARY`]
//! set, is the table's wherever the table has a class of that name, so that a name means one class wherever it is used
//! or declared.

use std::sync::{Arc, LazyLock, OnceLock};

use rustc_hash::FxHashSet;

use super::class::{JavaClass, JavaField, JavaMember};
use super::classpath::ClassPath;
use super::facts::TypeKind;
use super::types::{ClassId, LIBRARY, Ty, VAR_BITS, VarId};
use crate::symbols::Sym;
use crate::syntax::java::jdk::{
    self, LibraryKind, LibraryMethod, LibraryType, SignatureType, TypeArgument, TypeParameter,
};
use crate::syntax::java::prim::Prim;

/// In place of the project's number of a word: library names are compared as text.
const NO_SYM: Sym = Sym(u32::MAX);

/// In place of the position of a method's variables where there are none.
const NO_VARS: u32 = u32::MAX;

/// The greatest number of supertypes of a class that are looked at; real classes have a few dozen.
const SUPERTYPES_MAX: usize = 1000;

/// The classes of a class path, beside those of the built-in table. They are read when they are asked for, once for all
/// projects that share them.
#[derive(Clone, Debug)]
pub struct Libraries(Arc<Library>);

impl Libraries {
    #[must_use]
    pub fn of(class_path: Arc<ClassPath>) -> Self {
        Self(Arc::new(Library::new(class_path)))
    }

    pub(super) fn library(&self) -> Arc<Library> {
        Arc::clone(&self.0)
    }
}

/// A library's class with its members, by name.
#[derive(Debug)]
pub struct LibraryClass {
    pub class: JavaClass,
    pub methods: Vec<(Arc<str>, JavaMember)>,
    fields: Vec<(Arc<str>, JavaField)>,
    /// The bounds of the variables of the class, then of its methods.
    bounds: Vec<Vec<Ty>>,
}

impl LibraryClass {
    pub fn methods_named(&self, name: &str) -> &[(Arc<str>, JavaMember)] {
        let start = self.methods.partition_point(|(word, _)| **word < *name);
        let len = self.methods[start..].partition_point(|(word, _)| **word == *name);
        &self.methods[start..start + len]
    }

    pub fn field_named(&self, name: &str) -> Option<&JavaField> {
        self.fields
            .iter()
            .find(|(word, _)| **word == *name)
            .map(|(_, field)| field)
    }
}

/// Classes that the language itself refers to.
#[derive(Clone, Copy, Debug)]
pub struct JavaKnownClasses {
    pub object: ClassId,
    pub string: ClassId,
    pub class: ClassId,
    pub iterable: ClassId,
    pub enumeration: ClassId,
    pub record: ClassId,
    pub annotation: ClassId,
    pub cloneable: ClassId,
    pub serializable: ClassId,
    pub boolean: ClassId,
    pub byte: ClassId,
    pub short: ClassId,
    pub character: ClassId,
    pub integer: ClassId,
    pub long: ClassId,
    pub float: ClassId,
    pub double: ClassId,
}

impl JavaKnownClasses {
    fn new() -> Self {
        let class = |name: &str| {
            let number = jdk::number(name).expect("the table has the language's own classes");
            ClassId(number | LIBRARY)
        };
        Self {
            object: class("java.lang.Object"),
            string: class("java.lang.String"),
            class: class("java.lang.Class"),
            iterable: class("java.lang.Iterable"),
            enumeration: class("java.lang.Enum"),
            record: class("java.lang.Record"),
            annotation: class("java.lang.annotation.Annotation"),
            cloneable: class("java.lang.Cloneable"),
            serializable: class("java.io.Serializable"),
            boolean: class("java.lang.Boolean"),
            byte: class("java.lang.Byte"),
            short: class("java.lang.Short"),
            character: class("java.lang.Character"),
            integer: class("java.lang.Integer"),
            long: class("java.lang.Long"),
            float: class("java.lang.Float"),
            double: class("java.lang.Double"),
        }
    }

    /// Finds the class that boxes a primitive.
    pub const fn boxed(&self, prim: Prim) -> ClassId {
        match prim {
            Prim::Boolean => self.boolean,
            Prim::Byte => self.byte,
            Prim::Short => self.short,
            Prim::Char => self.character,
            Prim::Int => self.integer,
            Prim::Long => self.long,
            Prim::Float => self.float,
            Prim::Double => self.double,
        }
    }

    /// Finds the primitive that a class boxes.
    pub fn unboxed(&self, class: ClassId) -> Option<Prim> {
        [
            Prim::Boolean,
            Prim::Byte,
            Prim::Short,
            Prim::Char,
            Prim::Int,
            Prim::Long,
            Prim::Float,
            Prim::Double,
        ]
        .into_iter()
        .find(|&prim| self.boxed(prim) == class)
    }
}

/// Makes the type `java.lang.Object`.
pub fn object() -> Ty {
    Ty::class(known().object)
}

/// Looks up the classes that the language itself names, once.
pub fn known() -> &'static JavaKnownClasses {
    static KNOWN: LazyLock<JavaKnownClasses> = LazyLock::new(JavaKnownClasses::new);
    &KNOWN
}

/// All classes outside the project.
#[derive(Debug)]
pub struct Library {
    class_path: Arc<ClassPath>,
    slots: Box<[OnceLock<Box<LibraryClass>>]>,
}

/// The declaration that a class is made from.
enum LibraryClassSource<'l> {
    Table(&'static LibraryType),
    File(&'l LibraryType<Arc<str>>),
}

impl Library {
    /// Returns the library without a class path, which all projects share.
    pub fn built_in() -> Arc<Self> {
        static BUILT_IN: LazyLock<Arc<Library>> =
            LazyLock::new(|| Arc::new(Library::new(Arc::default())));
        Arc::clone(&BUILT_IN)
    }

    /// Makes the library of a class path.
    pub fn new(class_path: Arc<ClassPath>) -> Self {
        let n_numbers = jdk::n_types() + class_path.n_classes();
        Self {
            class_path,
            slots: std::iter::repeat_with(OnceLock::new)
                .take(n_numbers)
                .collect(),
        }
    }

    /// Looks up a class by its library number.
    pub fn class(&self, id: ClassId) -> &LibraryClass {
        let number = id.0 & !LIBRARY;
        self.slots[number as usize].get_or_init(|| {
            Box::new(match self.declared(number) {
                LibraryClassSource::Table(ty) => LibraryClassReader::new(self, number, ty).class(),
                LibraryClassSource::File(ty) => LibraryClassReader::new(self, number, ty).class(),
            })
        })
    }

    /// Looks up the bounds of a library's type variable.
    pub fn bounds(&self, var: VarId) -> &[Ty] {
        let number = (var.0 & !LIBRARY) >> VAR_BITS;
        let at = var.0 & ((1 << VAR_BITS) - 1);
        &self.class(ClassId(number | LIBRARY)).bounds[at as usize]
    }

    /// Finds the class of that full name.
    pub fn find(&self, qualified: &str) -> Option<ClassId> {
        self.number(qualified)
            .map(|number| ClassId(number | LIBRARY))
    }

    /// Finds the top-level class of that name in a package; nothing in the unnamed one.
    pub fn find_in(&self, package: &str, name: &str) -> Option<ClassId> {
        if package.is_empty() {
            return None;
        }
        // The prefix may be a class of the table; a project that is itself in the table has its own class of that name.
        self.find(&format!("{package}.{name}"))
            .filter(|class| self.package(class.0 & !LIBRARY) == package)
    }

    /// Tells whether some library class lies in that package.
    pub fn is_package(&self, path: &str) -> bool {
        self.class_path.has_package(path) || jdk::types_in(path).next().is_some()
    }

    /// Finds the class's own member type by name.
    pub fn member_type(&self, outer: ClassId, name: &str) -> Option<ClassId> {
        let qualified = match self.declared(outer.0 & !LIBRARY) {
            LibraryClassSource::Table(ty) => nested(ty, name),
            LibraryClassSource::File(ty) => nested(ty, name),
        };
        self.find(&qualified?)
    }

    /// Iterates over the names that some library class may have as a member type, with repetitions.
    pub fn member_type_names(&self) -> impl Iterator<Item = &str> {
        let of_table = jdk::member_type_names().map(|name| -> &str { name });
        of_table.chain(self.class_path.member_type_names())
    }

    fn number(&self, qualified: &str) -> Option<u32> {
        self.class_path
            .number(qualified)
            .or_else(|| jdk::number(qualified))
    }

    fn declared(&self, number: u32) -> LibraryClassSource<'_> {
        match self.class_path.declared(number) {
            Some(ty) => LibraryClassSource::File(ty),
            None => LibraryClassSource::Table(jdk::numbered(number)),
        }
    }

    fn package(&self, number: u32) -> &str {
        self.class_path
            .package(number)
            .unwrap_or_else(|| jdk::numbered(number).package)
    }

    /// Finds the class that this one is declared in.
    fn enclosing(&self, number: u32) -> Option<u32> {
        match self.declared(number) {
            LibraryClassSource::Table(ty) => self.number(ty.enclosing()?),
            LibraryClassSource::File(ty) => self.number(ty.enclosing()?),
        }
    }

    /// Finds the position of a class's own type parameter.
    fn position_of(&self, number: u32, name: &str) -> Option<usize> {
        match self.declared(number) {
            LibraryClassSource::Table(ty) => jdk::position_of(&ty.type_parameters, name),
            LibraryClassSource::File(ty) => jdk::position_of(&ty.type_parameters, name),
        }
    }

    /// Lists the numbers of a class's direct supertypes; nothing for one that is not known.
    fn parents(&self, number: u32) -> Vec<Option<u32>> {
        match self.declared(number) {
            LibraryClassSource::Table(ty) => self.numbers(&ty.supertypes),
            LibraryClassSource::File(ty) => self.numbers(&ty.supertypes),
        }
    }

    fn numbers<S: AsRef<str>>(&self, types: &[SignatureType<S>]) -> Vec<Option<u32>> {
        types
            .iter()
            .map(|ty| match ty {
                SignatureType::Class { name, .. } => self.number(name.as_ref()),
                _ => None,
            })
            .collect()
    }

    /// Tells whether all supertypes of a class are known. No other class is made for that: two broken class files that
    /// extend each other would wait for each other.
    fn ancestry(&self, number: u32) -> Ancestry {
        let mut seen = FxHashSet::default();
        let mut next = vec![number];
        let mut is_missing = false;
        while let Some(class) = next.pop() {
            for parent in self.parents(class) {
                match parent {
                    Some(parent) if parent == number => return Ancestry::Cyclic,
                    Some(parent) if seen.len() < SUPERTYPES_MAX => {
                        if seen.insert(parent) {
                            next.push(parent);
                        }
                    }
                    _ => is_missing = true,
                }
            }
        }
        if is_missing {
            Ancestry::Missing
        } else {
            Ancestry::Known
        }
    }
}

fn nested<S: AsRef<str>>(outer: &LibraryType<S>, name: &str) -> Option<String> {
    outer
        .member_types
        .iter()
        .any(|member| member.as_ref() == name)
        .then(|| format!("{}.{name}", outer.name.as_ref()))
}

enum Ancestry {
    Known,
    /// Some supertype is in no known library.
    Missing,
    /// The class is its own supertype.
    Cyclic,
}

/// Turns one declared type into a class.
struct LibraryClassReader<'l, S> {
    library: &'l Library,
    number: u32,
    ty: &'l LibraryType<S>,
    bounds: Vec<Vec<Ty>>,
}

impl<'l, S: AsRef<str> + Clone + Into<Arc<str>>> LibraryClassReader<'l, S> {
    const fn new(library: &'l Library, number: u32, ty: &'l LibraryType<S>) -> Self {
        Self {
            library,
            number,
            ty,
            bounds: Vec::new(),
        }
    }

    fn class(mut self) -> LibraryClass {
        let ty = self.ty;
        let own = &ty.type_parameters;
        self.add_bounds(own, &[]);
        let id = ClassId(self.number | LIBRARY);
        let ancestry = self.library.ancestry(self.number);
        let supers: Vec<Ty> = match ancestry {
            Ancestry::Cyclic => vec![Ty::Unknown],
            _ => ty
                .supertypes
                .iter()
                .map(|parent| self.ty(parent, &[], 0))
                .collect(),
        };
        let mut methods: Vec<(Arc<str>, JavaMember)> = ty
            .methods
            .iter()
            .map(|method| (method.name.clone().into(), self.member(id, method)))
            .collect();
        methods.sort_by(|(a, _), (b, _)| a.cmp(b));
        let fields = ty
            .fields
            .iter()
            .map(|field| {
                let ty = self.ty(&field.ty, &[], 0);
                let flags = field.flags;
                (field.name.clone().into(), JavaField { ty, flags })
            })
            .collect();
        let first = self.first_var();
        let kind = match ty.kind {
            LibraryKind::Class => TypeKind::Class,
            LibraryKind::Interface => TypeKind::Interface,
            LibraryKind::Enum => TypeKind::Enum,
            LibraryKind::Record => TypeKind::Record,
            LibraryKind::Annotation => TypeKind::Annotation,
        };
        let class = JavaClass {
            outer: ty.enclosing().and_then(|outer| self.library.find(outer)),
            is_inner: ty.is_inner(),
            vars: first..first + own.len() as u32,
            supers,
            has_missing_super: !matches!(ancestry, Ancestry::Known),
            ..JavaClass::new(NO_SYM, ty.name.clone().into(), kind, ty.flags)
        };
        LibraryClass {
            class,
            methods,
            fields,
            bounds: self.bounds,
        }
    }

    const fn first_var(&self) -> u32 {
        LIBRARY | self.number << VAR_BITS
    }

    fn add_bounds(&mut self, params: &[TypeParameter<S>], own: &[TypeParameter<S>]) -> u32 {
        let first = self.bounds.len() as u32;
        for param in params {
            let bounds = param
                .bounds
                .iter()
                .map(|bound| self.ty(bound, own, first))
                .collect();
            self.bounds.push(bounds);
        }
        self.first_var() + first
    }

    fn member(&mut self, owner: ClassId, method: &LibraryMethod<S>) -> JavaMember {
        let own = &method.type_parameters[..];
        let at = self.bounds.len() as u32;
        // In a class with thousands of generic methods the types of the last ones stay unknown.
        let (declared, first) = if at as usize + own.len() <= 1 << VAR_BITS {
            (own, self.add_bounds(own, own))
        } else {
            (&own[..0], self.first_var())
        };
        let at = if declared.len() == own.len() {
            at
        } else {
            NO_VARS
        };
        let params = method
            .parameters
            .iter()
            .map(|param| self.ty(param, own, at))
            .collect();
        let result = if method.name.as_ref() == "<init>" {
            let vars = self.first_var();
            let n = self.ty.type_parameters.len() as u32;
            let args = (n > 0).then(|| (vars..vars + n).map(|var| Ty::Var(VarId(var))).collect());
            Ty::Class(owner, args)
        } else {
            self.ty(&method.return_type, own, at)
        };
        JavaMember {
            library_name: Some(method.name.clone().into()),
            flags: method.flags,
            vars: first..first + declared.len() as u32,
            ..JavaMember::new(owner, NO_SYM, params, result)
        }
    }

    /// Converts a type; `own` are the variables of the method it stands in, which begin at `at` within the class.
    fn ty(&self, ty: &SignatureType<S>, own: &[TypeParameter<S>], at: u32) -> Ty {
        match ty {
            SignatureType::Void => Ty::Void,
            SignatureType::Primitive(primitive) => Ty::Prim(*primitive),
            SignatureType::Array(element) => self.ty(element, own, at).array(),
            SignatureType::Variable(name) => self.var(name.as_ref(), own, at),
            SignatureType::Class { name, arguments } => {
                let Some(class) = self.library.find(name.as_ref()) else {
                    return Ty::Missing(name.clone().into());
                };
                if arguments.is_empty() {
                    return Ty::class(class);
                }
                let args = arguments
                    .iter()
                    .map(|argument| match argument {
                        TypeArgument::Any => Ty::Wild,
                        TypeArgument::Extends(bound) => {
                            Ty::Extends(Arc::new(self.ty(bound, own, at)))
                        }
                        TypeArgument::Super(bound) => Ty::Super(Arc::new(self.ty(bound, own, at))),
                        TypeArgument::Exact(ty) => self.ty(ty, own, at),
                    })
                    .collect();
                Ty::Class(class, Some(args))
            }
        }
    }

    fn var(&self, name: &str, own: &[TypeParameter<S>], at: u32) -> Ty {
        if let Some(index) = jdk::position_of(own, name) {
            return if at == NO_VARS {
                Ty::Unknown
            } else {
                Ty::Var(VarId(self.first_var() + at + index as u32))
            };
        }
        let mut number = self.number;
        loop {
            if let Some(index) = self.library.position_of(number, name) {
                return Ty::Var(VarId((LIBRARY | number << VAR_BITS) + index as u32));
            }
            let Some(outer) = self.library.enclosing(number) else {
                return Ty::Unknown;
            };
            number = outer;
        }
    }
}
