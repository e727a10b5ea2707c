//! The declarations of the JDK and of common libraries, so that calls on their types can be typed.
//!
//! A table of public and protected signatures is embedded in the program (`jdk/table.bin`, made by hand from a JDK and
//! jars: `jdk/generate/README.md`). Its index is read on first use; a package is unpacked and a type decoded when
//! it is asked for, and kept. Not included: anything of the project itself, subtyping, and inference. The table says
//! nothing about names that it does not have.

mod read;

use std::sync::LazyLock;

use self::read::JdkTable;
use crate::java::prim::Prim;

static TABLE: LazyLock<JdkTable> = LazyLock::new(JdkTable::open);

/// The origin of signatures: the JDK, or a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SignatureSource {
    /// `jdk`, or the name of the artifact (`mockito-core`).
    pub name: &'static str,
    pub version: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibraryKind {
    Class,
    Interface,
    Enum,
    Record,
    Annotation,
}

/// Bits of the `flags` of types, fields and methods. A type without `PUBLIC` and `PROTECTED` cannot be named by other
/// packages; it is in the table because a visible type inherits from it.
pub mod flag {
    pub const PUBLIC: u16 = 1;
    pub const PROTECTED: u16 = 2;
    pub const STATIC: u16 = 8;
    pub const ABSTRACT: u16 = 16;
    pub const FINAL: u16 = 32;
    pub const DEFAULT: u16 = 64;
    pub const VARARGS: u16 = 128;
    pub const ENUM_CONSTANT: u16 = 256;
}

/// A class, interface, enum, record or annotation, with what it declares itself; nothing inherited.
///
/// `S` is the type of names: those of the table live as long as the program, those of class files as long as their
/// library.
#[derive(Debug)]
pub struct LibraryType<S = &'static str> {
    /// The full name in source code, with `.` before nested types: `java.util.Map.Entry`.
    pub name: S,
    pub package: S,
    pub kind: LibraryKind,
    pub flags: u16,
    /// Absent for a class file of the class path.
    pub source: Option<SignatureSource>,
    pub type_parameters: Vec<TypeParameter<S>>,
    /// The superclass of a class first, then the interfaces; only interfaces for an interface, none for `Object`.
    pub supertypes: Vec<SignatureType<S>>,
    /// Simple names of the visible types declared inside.
    pub member_types: Vec<S>,
    pub fields: Vec<LibraryField<S>>,
    /// Methods and constructors (named `<init>`), in the order of the class file.
    pub methods: Vec<LibraryMethod<S>>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct LibraryField<S = &'static str> {
    pub name: S,
    pub flags: u16,
    pub ty: SignatureType<S>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct LibraryMethod<S = &'static str> {
    pub name: S,
    pub flags: u16,
    pub type_parameters: Vec<TypeParameter<S>>,
    /// The last one of a method with [`flag::VARARGS`] is an array.
    pub parameters: Vec<SignatureType<S>>,
    pub return_type: SignatureType<S>,
}

#[derive(Debug, PartialEq, Eq)]
pub struct TypeParameter<S = &'static str> {
    pub name: S,
    /// Empty where the only bound is `Object`.
    pub bounds: Vec<SignatureType<S>>,
}

/// A type in a signature, of the table or of a class file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SignatureType<S = &'static str> {
    Void,
    Primitive(Prim),
    /// No arguments: not generic, or raw. The arguments of an enclosing class are not kept.
    Class {
        name: S,
        arguments: Vec<TypeArgument<S>>,
    },
    /// A type parameter of the method, its type, or an enclosing type.
    Variable(S),
    Array(Box<SignatureType<S>>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TypeArgument<S = &'static str> {
    /// The wildcard without bounds: `?`.
    Any,
    /// `? extends T`.
    Extends(SignatureType<S>),
    /// `? super T`.
    Super(SignatureType<S>),
    Exact(SignatureType<S>),
}

impl<S: AsRef<str>> LibraryType<S> {
    /// Returns the full name of the enclosing type; nothing for a top-level type.
    pub fn enclosing(&self) -> Option<&str> {
        let (outer, _) = self.name.as_ref().rsplit_once('.')?;
        (outer.len() > self.package.as_ref().len()).then_some(outer)
    }

    /// Tells whether an object of this type needs one of the enclosing type.
    pub fn is_inner(&self) -> bool {
        self.flags & flag::STATIC == 0 && self.enclosing().is_some()
    }
}

impl LibraryType {
    pub fn field(&self, name: &str) -> Option<&LibraryField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Iterates over the overloads of `name` (`<init>`: the constructors) that this type declares.
    pub fn methods_named(&self, name: &str) -> impl Iterator<Item = &LibraryMethod> {
        self.methods
            .iter()
            .filter(move |method| method.name == name)
    }
}

/// Finds the index of a type parameter by name.
pub fn position_of<S: AsRef<str>>(parameters: &[TypeParameter<S>], name: &str) -> Option<usize> {
    parameters
        .iter()
        .position(|parameter| parameter.name.as_ref() == name)
}

/// Finds the type of that full name (`java.util.Map.Entry`).
pub fn find(qualified: &str) -> Option<&'static LibraryType> {
    TABLE.find(qualified)
}

/// Counts the types of the table; their numbers begin at 0.
pub fn n_types() -> usize {
    TABLE.n_types()
}

/// Finds the number of the type of that full name.
pub fn number(qualified: &str) -> Option<u32> {
    TABLE.number(qualified)
}

/// Looks up the full name of a type by its number.
pub fn name(number: u32) -> &'static str {
    TABLE.name(number as usize)
}

/// Returns the type of that number, which is decoded at the first call.
pub fn numbered(number: u32) -> &'static LibraryType {
    TABLE.numbered(number as usize)
}

/// Iterates over the simple names of all nested types, with repetitions.
pub fn member_type_names() -> impl Iterator<Item = &'static str> {
    TABLE.member_type_names()
}

/// Iterates over the simple names of all types, methods and fields of the table, with repetitions, and `length`, which
/// arrays have.
pub fn simple_names() -> impl Iterator<Item = &'static str> {
    let of_type = |number: usize| {
        let ty = TABLE.numbered(number);
        let own = ty.name.rsplit('.').next().unwrap_or(ty.name);
        let methods = ty.methods.iter().map(|method| method.name);
        methods
            .chain(ty.fields.iter().map(|field| field.name))
            .chain([own])
    };
    (0..n_types()).flat_map(of_type).chain(["length"])
}

/// Tells whether every visible type of the package is in the table, so that a name it does not know does not exist in
/// the versions of [`sources`].
pub fn knows_package(package: &str) -> bool {
    TABLE.knows_package(package)
}

/// Iterates over the full names of the public top-level types of a package, sorted, as `import package.*` brings them;
/// empty for an unknown package.
pub fn types_in(package: &str) -> impl Iterator<Item = &'static str> {
    TABLE.types_in(package)
}

/// Lists the origins of the table, the JDK first.
pub fn sources() -> &'static [SignatureSource] {
    &TABLE.sources
}

#[cfg(test)]
mod tests;
