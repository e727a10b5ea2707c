//! The rows of the index: classes, their fields and methods, type variables, and the marks of tests.
//!
//! These are plain rows, filled in and queried by [`project`](super::project), [`library`](super::library) and
//! [`junit`](super::junit).

use std::ops::Range;
use std::sync::{Arc, OnceLock};

use super::facts::TypeKind;
use super::types::{ClassId, MemberId, Ty};
use crate::model::{FileId, MethodId};
use crate::symbols::Sym;

/// A class of the project or of a known library.
#[derive(Debug)]
pub struct JavaClass {
    pub name: Sym,
    /// `pkg.Outer.Inner`; anonymous and local classes `pkg.Outer$1`, `pkg.Outer$1Name`.
    pub qualified: Arc<str>,
    pub kind: TypeKind,
    pub flags: u16,
    /// The file and the number of the declaration in it; absent for a library's class.
    pub decl: Option<(FileId, u32)>,
    pub outer: Option<ClassId>,
    /// Whether instances of it have an instance of `outer` around them, or a method's variables.
    pub is_inner: bool,
    /// Whether it is local or anonymous: named with a number, and not a member of the class around it.
    pub is_in_body: bool,
    pub vars: Range<u32>,
    /// The superclass first (if one is written), then the interfaces.
    pub supers: Vec<Ty>,
    /// Whether some supertype, at any distance, is in no file and no known library.
    pub has_missing_super: bool,
    /// By name, then in source order.
    pub methods: Vec<(Sym, MemberId)>,
    pub fields: Vec<(Sym, JavaField)>,
    pub types: Vec<(Sym, ClassId)>,
    /// The class and its supertypes, once they were asked for.
    pub lineage: OnceLock<Box<[ClassId]>>,
    /// The one abstract method of a functional interface: its owner, and its place among the owner's methods.
    pub function: OnceLock<Option<(ClassId, usize)>>,
}

impl JavaClass {
    /// Makes a class with no known members yet.
    pub fn new(name: Sym, qualified: Arc<str>, kind: TypeKind, flags: u16) -> Self {
        Self {
            name,
            qualified,
            kind,
            flags,
            decl: None,
            outer: None,
            is_inner: false,
            is_in_body: false,
            vars: 0..0,
            supers: Vec::new(),
            has_missing_super: false,
            methods: Vec::new(),
            fields: Vec::new(),
            types: Vec::new(),
            lineage: OnceLock::new(),
            function: OnceLock::new(),
        }
    }

    pub fn is_interface(&self) -> bool {
        matches!(self.kind, TypeKind::Interface | TypeKind::Annotation)
    }
}

#[derive(Clone, Debug)]
pub struct JavaField {
    pub ty: Ty,
    pub flags: u16,
}

#[derive(Debug)]
pub struct TypeVar {
    pub name: Sym,
    pub bounds: Vec<Ty>,
}

/// A method or constructor as resolution sees it.
#[derive(Debug)]
pub struct JavaMember {
    pub owner: ClassId,
    /// The project's number of its name; the name of a library's method is in `library_name`.
    pub name: Sym,
    pub library_name: Option<Arc<str>>,
    /// Absent for a library's.
    pub id: Option<MethodId>,
    pub flags: u16,
    pub vars: Range<u32>,
    pub params: Box<[Ty]>,
    /// The class itself for a constructor.
    pub result: Ty,
    /// The declaration in its file; absent for the compiler's and for libraries.
    pub decl: Option<u32>,
}

impl JavaMember {
    /// Makes a method that is not written in the project, without flags and type variables.
    pub const fn new(owner: ClassId, name: Sym, params: Box<[Ty]>, result: Ty) -> Self {
        Self {
            owner,
            name,
            library_name: None,
            id: None,
            flags: 0,
            vars: 0..0,
            params,
            result,
            decl: None,
        }
    }

    pub const fn is(&self, flag: u16) -> bool {
        self.flags & flag != 0
    }
}
