//! What the JDK and the common libraries declare, so that calls on their types can be typed.
//!
//! A table of public and protected signatures is embedded in the program (`jdk/table.bin`, made by hand from a JDK
//! and jars: `jdk/generate/README.md`). Its index is read on first use; a package is unpacked and a type decoded when
//! somebody asks for it, and kept. What is not here: anything of the project itself, subtyping, inference, and every
//! name that the table does not know, about which nothing is claimed.

mod read;

use std::sync::LazyLock;

use self::read::Table;
use crate::lang::java::facts::Prim;

static TABLE: LazyLock<Table> = LazyLock::new(Table::open);

/// Where signatures came from: the JDK, or a library.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Source {
    /// `jdk`, or the name of the artifact (`mockito-core`).
    pub name: &'static str,
    pub version: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LibraryKind {
    Class,
    Interface,
    Enum,
    Record,
    Annotation,
}

/// Bits of the `flags` of types, fields and methods. A type without `PUBLIC` and `PROTECTED` cannot be named by other
/// packages; it is here because a visible type inherits from it.
pub(crate) mod flag {
    pub(crate) const PUBLIC: u16 = 1;
    pub(crate) const PROTECTED: u16 = 2;
    pub(crate) const STATIC: u16 = 8;
    pub(crate) const ABSTRACT: u16 = 16;
    pub(crate) const FINAL: u16 = 32;
    pub(crate) const DEFAULT: u16 = 64;
    pub(crate) const VARARGS: u16 = 128;
    pub(crate) const ENUM_CONSTANT: u16 = 256;
}

/// A class, interface, enum, record or annotation, with what it declares itself; nothing inherited.
#[derive(Debug)]
pub(crate) struct LibraryType {
    /// As source code writes it in full, nested types with `.`: `java.util.Map.Entry`.
    pub name: &'static str,
    pub package: &'static str,
    pub kind: LibraryKind,
    pub flags: u16,
    pub source: Source,
    pub type_parameters: Vec<TypeParameter>,
    /// The superclass of a class first, then the interfaces; an interface names only interfaces, `Object` nothing.
    pub supertypes: Vec<SignatureType>,
    /// Simple names of the visible types declared inside.
    pub member_types: Vec<&'static str>,
    pub fields: Vec<LibraryField>,
    /// Methods and constructors (named `<init>`), in the order of the class file.
    pub methods: Vec<LibraryMethod>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LibraryField {
    pub name: &'static str,
    pub flags: u16,
    pub ty: SignatureType,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct LibraryMethod {
    pub name: &'static str,
    pub flags: u16,
    pub type_parameters: Vec<TypeParameter>,
    /// The last one of a method with [`flag::VARARGS`] is an array.
    pub parameters: Vec<SignatureType>,
    pub return_type: SignatureType,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct TypeParameter {
    pub name: &'static str,
    /// Empty if the only bound is `Object`.
    pub bounds: Vec<SignatureType>,
}

/// A type in a signature.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum SignatureType {
    Void,
    Primitive(Prim),
    /// No arguments: not generic, or raw. The arguments of an enclosing class are not kept.
    Class {
        name: &'static str,
        arguments: Vec<TypeArgument>,
    },
    /// A type parameter of the method, its type, or an enclosing type.
    Variable(&'static str),
    Array(Box<SignatureType>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum TypeArgument {
    /// `?`.
    Any,
    /// `? extends T`.
    Extends(SignatureType),
    /// `? super T`.
    Super(SignatureType),
    Exact(SignatureType),
}

impl LibraryType {
    /// Returns the full name of the type that this one is declared in.
    pub(crate) fn enclosing(&self) -> Option<&'static str> {
        let (outer, _) = self.name.rsplit_once('.')?;
        (outer.len() > self.package.len()).then_some(outer)
    }

    /// Returns whether an object of this type needs one of the enclosing type.
    pub(crate) fn is_inner(&self) -> bool {
        self.flags & flag::STATIC == 0 && self.enclosing().is_some()
    }

    pub(crate) fn field(&self, name: &str) -> Option<&LibraryField> {
        self.fields.iter().find(|field| field.name == name)
    }

    /// Returns the overloads of `name` (`<init>`: the constructors) that are declared here.
    pub(crate) fn methods_named(&self, name: &str) -> impl Iterator<Item = &LibraryMethod> {
        self.methods
            .iter()
            .filter(move |method| method.name == name)
    }
}

/// Returns the type of that full name (`java.util.Map.Entry`).
pub(crate) fn find(qualified: &str) -> Option<&'static LibraryType> {
    TABLE.find(qualified)
}

/// Returns how many types there are; they have numbers from 0 on.
pub(crate) fn n_types() -> usize {
    TABLE.n_types()
}

/// Returns the number of the type of that full name.
pub(crate) fn number(qualified: &str) -> Option<u32> {
    TABLE.number(qualified)
}

/// Returns the type of that number.
pub(crate) fn numbered(number: u32) -> &'static LibraryType {
    TABLE.numbered(number as usize)
}

/// Returns the simple names of all types that are declared in another one, with repetitions.
pub(crate) fn member_type_names() -> impl Iterator<Item = &'static str> {
    TABLE.member_type_names()
}

/// Returns whether every visible type of the package is in the table, so that a name it does not know does not exist
/// in the versions of [`sources`].
pub(crate) fn knows_package(package: &str) -> bool {
    TABLE.knows_package(package)
}

/// Returns the full names of the public top-level types of a package, sorted, which is what `import package.*` brings;
/// empty for an unknown package.
pub(crate) fn types_in(package: &str) -> impl Iterator<Item = &'static str> {
    TABLE.types_in(package)
}

/// Returns what the table was made from, the JDK first.
pub(crate) fn sources() -> &'static [Source] {
    &TABLE.sources
}

#[cfg(test)]
mod tests;
