//! Classes of known libraries in the same shape as the project's, made from the signature table when first asked for.
//!
//! They are shared by all projects of the process: a class's number is that of the table, with [`LIBRARY`] set.

use std::sync::{Arc, LazyLock, OnceLock};

use super::facts::{Prim, TypeKind};
use super::jdk::{
    self, LibraryKind, LibraryMethod, LibraryType, SignatureType, TypeArgument, TypeParameter,
};
use super::project::{Class, Field, Member};
use super::types::{ClassId, LIBRARY, Sym, Ty, VarId};

/// Bits of a type variable's number that count within its class.
const VAR_BITS: u32 = 16;

/// Stands where the project's number of a word would: library names are compared as text.
const NO_SYM: Sym = Sym(u32::MAX);

/// A library's class with its members, by name.
#[derive(Debug)]
pub struct LibraryClass {
    pub class: Class,
    pub methods: Vec<(&'static str, Member)>,
    fields: Vec<(&'static str, Field)>,
    /// The bounds of the variables of the class, then of its methods.
    bounds: Vec<Vec<Ty>>,
}

impl LibraryClass {
    pub fn methods_named(&self, name: &str) -> &[(&'static str, Member)] {
        let start = self.methods.partition_point(|(word, _)| *word < name);
        let len = self.methods[start..].partition_point(|(word, _)| *word == name);
        &self.methods[start..start + len]
    }

    pub fn field_named(&self, name: &str) -> Option<&Field> {
        self.fields
            .iter()
            .find(|(word, _)| *word == name)
            .map(|(_, field)| field)
    }
}

/// Classes that the language itself speaks of.
#[derive(Clone, Copy, Debug)]
pub struct Known {
    pub object: ClassId,
    pub string: ClassId,
    pub class: ClassId,
    pub iterable: ClassId,
    pub enumeration: ClassId,
    pub record: ClassId,
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

impl Known {
    fn new() -> Self {
        let class = |name: &str| find(name).expect("the table has the language's own classes");
        Self {
            object: class("java.lang.Object"),
            string: class("java.lang.String"),
            class: class("java.lang.Class"),
            iterable: class("java.lang.Iterable"),
            enumeration: class("java.lang.Enum"),
            record: class("java.lang.Record"),
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

    /// Returns the class that boxes a primitive.
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

    /// Returns the primitive that a class boxes.
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

/// Returns `java.lang.Object`.
pub fn object() -> Ty {
    Ty::class(known().object)
}

/// Returns the classes that the language itself speaks of.
pub fn known() -> &'static Known {
    static KNOWN: LazyLock<Known> = LazyLock::new(Known::new);
    &KNOWN
}

static SLOTS: LazyLock<Vec<OnceLock<Box<LibraryClass>>>> = LazyLock::new(|| {
    std::iter::repeat_with(OnceLock::new)
        .take(jdk::n_types())
        .collect()
});

/// Returns the class of a library's number.
pub fn class(id: ClassId) -> &'static LibraryClass {
    let number = id.0 & !LIBRARY;
    SLOTS[number as usize].get_or_init(|| Box::new(Reader::new(number).class()))
}

/// Returns the bounds of a library's type variable.
pub fn bounds(var: VarId) -> &'static [Ty] {
    let number = (var.0 & !LIBRARY) >> VAR_BITS;
    let at = var.0 & ((1 << VAR_BITS) - 1);
    &class(ClassId(number | LIBRARY)).bounds[at as usize]
}

/// Returns the class of that full name.
pub fn find(qualified: &str) -> Option<ClassId> {
    jdk::number(qualified).map(|number| ClassId(number | LIBRARY))
}

/// Returns the top-level class of that name in a package.
pub fn find_in(package: &str, name: &str) -> Option<ClassId> {
    if package.is_empty() {
        return None;
    }
    // What looks like a package may be a class: a project that is itself in the table has its own of that name.
    find(&format!("{package}.{name}"))
        .filter(|class| jdk::numbered(class.0 & !LIBRARY).package == package)
}

/// Returns whether libraries are known to have classes in that package.
pub fn is_package(path: &str) -> bool {
    jdk::types_in(path).next().is_some()
}

/// Returns the class's own member type of that name.
pub fn member_type(outer: ClassId, name: &str) -> Option<ClassId> {
    let outer = jdk::numbered(outer.0 & !LIBRARY);
    if !outer.member_types.contains(&name) {
        return None;
    }
    find(&format!("{}.{name}", outer.name))
}

/// Returns the names that some library class has as a member type, with repetitions.
pub fn member_type_names() -> impl Iterator<Item = &'static str> {
    jdk::member_type_names()
}

/// Turns one type of the table into a class.
struct Reader {
    number: u32,
    ty: &'static LibraryType,
    bounds: Vec<Vec<Ty>>,
}

impl Reader {
    fn new(number: u32) -> Self {
        Self {
            number,
            ty: jdk::numbered(number),
            bounds: Vec::new(),
        }
    }

    fn class(mut self) -> LibraryClass {
        let ty = self.ty;
        let own = &ty.type_parameters;
        self.add_bounds(own, &[]);
        let id = ClassId(self.number | LIBRARY);
        let supers: Vec<Ty> = ty
            .supertypes
            .iter()
            .map(|parent| self.ty(parent, &[], 0))
            .collect();
        let has_missing_super = supers.iter().any(|parent| match parent {
            Ty::Class(parent, _) => class(*parent).class.has_missing_super,
            _ => true,
        });
        let mut methods: Vec<(&'static str, Member)> = ty
            .methods
            .iter()
            .map(|method| (method.name, self.member(id, method)))
            .collect();
        methods.sort_by_key(|(name, _)| *name);
        let fields = ty
            .fields
            .iter()
            .map(|field| {
                let ty = self.ty(&field.ty, &[], 0);
                let flags = field.flags;
                (field.name, Field { ty, flags })
            })
            .collect();
        let first = self.first_var();
        let class = Class {
            name: NO_SYM,
            qualified: Arc::from(ty.name),
            kind: match ty.kind {
                LibraryKind::Class => TypeKind::Class,
                LibraryKind::Interface => TypeKind::Interface,
                LibraryKind::Enum => TypeKind::Enum,
                LibraryKind::Record => TypeKind::Record,
                LibraryKind::Annotation => TypeKind::Annotation,
            },
            flags: ty.flags,
            decl: None,
            outer: ty.enclosing().and_then(find),
            is_inner: ty.is_inner(),
            is_in_body: false,
            vars: first..first + own.len() as u32,
            supers,
            has_missing_super,
            methods: Vec::new(),
            fields: Vec::new(),
            types: Vec::new(),
            lineage: OnceLock::new(),
            function: OnceLock::new(),
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

    fn add_bounds(
        &mut self,
        params: &'static [TypeParameter],
        own: &'static [TypeParameter],
    ) -> u32 {
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

    fn member(&mut self, owner: ClassId, method: &'static LibraryMethod) -> Member {
        let own = &method.type_parameters;
        let at = self.bounds.len() as u32;
        let first = self.add_bounds(own, own);
        let params = method
            .parameters
            .iter()
            .map(|param| self.ty(param, own, at))
            .collect();
        let result = if method.name == "<init>" {
            let vars = self.first_var();
            let n = self.ty.type_parameters.len() as u32;
            let args = (n > 0).then(|| (vars..vars + n).map(|var| Ty::Var(VarId(var))).collect());
            Ty::Class(owner, args)
        } else {
            self.ty(&method.return_type, own, at)
        };
        Member {
            owner,
            name: NO_SYM,
            library_name: Some(method.name),
            id: None,
            flags: method.flags,
            vars: first..first + own.len() as u32,
            params,
            result,
            decl: None,
        }
    }

    /// Converts a type; `own` are the variables of the method it stands in, which begin at `at` within the class.
    fn ty(&self, ty: &SignatureType, own: &[TypeParameter], at: u32) -> Ty {
        match ty {
            SignatureType::Void => Ty::Void,
            SignatureType::Primitive(primitive) => Ty::Prim(*primitive),
            SignatureType::Array(element) => self.ty(element, own, at).array(),
            SignatureType::Variable(name) => self.var(name, own, at),
            SignatureType::Class { name, arguments } => {
                let Some(class) = find(name) else {
                    return Ty::Missing(Arc::from(*name));
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

    fn var(&self, name: &str, own: &[TypeParameter], at: u32) -> Ty {
        let find_in = |params: &[TypeParameter]| params.iter().position(|param| param.name == name);
        if let Some(index) = find_in(own) {
            return Ty::Var(VarId(self.first_var() + at + index as u32));
        }
        let mut number = self.number;
        let mut ty = self.ty;
        loop {
            if let Some(index) = find_in(&ty.type_parameters) {
                return Ty::Var(VarId((LIBRARY | number << VAR_BITS) + index as u32));
            }
            let Some(outer) = ty.enclosing().and_then(jdk::number) else {
                return Ty::Unknown;
            };
            number = outer;
            ty = jdk::numbered(outer);
        }
    }
}
