//! One class file (JVMS chapter 4) as a library's type: its members that other packages can see, without code.

use std::sync::Arc;

use noak::AccessFlags;
use noak::error::DecodeError;
use noak::reader::attributes::{InnerClasses, Signature};
use noak::reader::cpool::{self, ConstantPool};
use noak::reader::{Attribute, Class, DecodeMany, Field, Method};
use rustc_hash::FxHashMap;

use super::signature::{self, SignatureWords};
use crate::syntax::java::jdk::{
    LibraryField, LibraryKind, LibraryMethod, LibraryType, SignatureType, TypeParameter, flag,
};

/// A class's type parameters and supertypes.
type Header = (Vec<TypeParameter<Arc<str>>>, Vec<SignatureType<Arc<str>>>);

type Attributes<'s> = DecodeMany<'s, Attribute<'s>, u16>;

/// The reason why a class file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(super) enum ClassFileError {
    #[error("not a class file: {0}")]
    Decode(#[from] DecodeError),
    #[error("declares `{0}`, not the class that its path names")]
    OtherName(String),
    #[error("a name is not valid UTF-8 text")]
    NotText,
    #[error("broken descriptor of `{0}`")]
    Descriptor(String),
}

/// The entry of the attribute `InnerClasses` about one class.
struct InnerClassEntry<'s> {
    outer: &'s str,
    name: &'s str,
    access: AccessFlags,
}

/// Reads a class file that lies at `path` (`p/Outer$Inner`).
///
/// Bridges, synthetic members, and members private to class or package are left out. A broken generic signature is
/// ignored, as the virtual machine ignores it: the descriptor gives the erased type.
pub(super) fn parse(bytes: &[u8], path: &str) -> Result<LibraryType<Arc<str>>, ClassFileError> {
    let class = Class::new(bytes)?;
    let mut reader = ClassFileReader {
        pool: class.pool(),
        words: SignatureWords::new(),
    };
    let this = reader.class_name(class.this_class())?;
    if this != path {
        return Err(ClassFileError::OtherName(this.chars().take(200).collect()));
    }
    let nested = reader.nested(&class)?;
    let access = nested
        .get(this)
        .map_or(class.access_flags(), |nested| nested.access);
    let is_interface = access.contains(AccessFlags::INTERFACE);
    let is_inner = nested
        .get(this)
        .is_some_and(|nested| !nested.access.contains(AccessFlags::STATIC));
    let is_record = match class.super_class() {
        Some(parent) => reader.class_name(parent)? == "java/lang/Record",
        None => false,
    };
    let (type_parameters, supertypes) = reader.header(&class)?;
    let mut member_types: Vec<&str> = nested
        .values()
        .filter(|class_entry| class_entry.outer == this && is_visible(class_entry.access))
        .map(|class_entry| class_entry.name)
        .collect();
    member_types.sort_unstable();
    let mut fields = Vec::new();
    for field in class.fields() {
        fields.extend(reader.field(&field?)?);
    }
    let mut methods = Vec::new();
    for method in class.methods() {
        methods.extend(reader.method(&method?, is_interface, is_inner)?);
    }
    let package = this.rsplit_once('/').map_or("", |(package, _)| package);
    Ok(LibraryType {
        name: qualified(this, &nested).into(),
        package: package.replace('/', ".").into(),
        kind: kind(access, is_record),
        flags: type_flags(access, nested.contains_key(this)),
        source: None,
        type_parameters,
        supertypes,
        member_types: member_types
            .into_iter()
            .map(|name| reader.words.word(name))
            .collect(),
        fields,
        methods,
    })
}

struct ClassFileReader<'s, 'p> {
    pool: &'p ConstantPool<'s>,
    words: SignatureWords<'s>,
}

impl<'s> ClassFileReader<'s, '_> {
    fn text(&self, index: cpool::Index<cpool::Utf8<'s>>) -> Result<&'s str, ClassFileError> {
        let text = self.pool.retrieve(index)?.to_str();
        text.ok_or(ClassFileError::NotText)
    }

    fn class_name(&self, index: cpool::Index<cpool::Class<'s>>) -> Result<&'s str, ClassFileError> {
        let text = self.pool.retrieve(index)?.name.to_str();
        text.ok_or(ClassFileError::NotText)
    }

    /// Reads the generic signature, if there is one that can be read.
    fn signature(&self, attributes: &Attributes<'s>) -> Option<&'s str> {
        let signature: Signature<'s> = attributes.find_attribute(self.pool).ok()??;
        self.text(signature.signature()).ok()
    }

    /// Collects the member classes that this class names, by binary name: its own, those around it, and others that it
    /// uses.
    fn nested(
        &self,
        class: &Class<'s>,
    ) -> Result<FxHashMap<&'s str, InnerClassEntry<'s>>, ClassFileError> {
        let mut found = FxHashMap::default();
        let Some(attribute) = class
            .attributes()
            .find_attribute::<InnerClasses<'_>>(self.pool)?
        else {
            return Ok(found);
        };
        for entry in attribute.classes() {
            let entry = entry?;
            // Local and anonymous classes have no outer class or no name.
            let (Some(outer), Some(name)) = (entry.outer_class(), entry.inner_name()) else {
                continue;
            };
            let inner = self.class_name(entry.inner_class())?;
            let outer = self.class_name(outer)?;
            let name = self.text(name)?;
            let is_named_so = inner
                .strip_prefix(outer)
                .and_then(|rest| rest.strip_prefix('$'))
                .is_some_and(|rest| rest == name);
            if is_named_so {
                found.insert(
                    inner,
                    InnerClassEntry {
                        outer,
                        name,
                        access: entry.inner_access_flags(),
                    },
                );
            }
        }
        Ok(found)
    }

    /// Reads the type parameters, and the supertypes with their arguments.
    fn header(&mut self, class: &Class<'s>) -> Result<Header, ClassFileError> {
        let is_interface = class.access_flags().contains(AccessFlags::INTERFACE);
        if let Some((parameters, mut supertypes)) = self
            .signature(&class.attributes())
            .and_then(|text| signature::class(text, &mut self.words))
            .filter(|(_, supertypes)| !supertypes.is_empty())
        {
            if is_interface {
                // In class files an interface extends `Object`.
                supertypes.remove(0);
            }
            return Ok((parameters, supertypes));
        }
        let mut supertypes = Vec::new();
        if let Some(parent) = class.super_class().filter(|_| !is_interface) {
            let parent = self.class_name(parent)?;
            supertypes.push(self.words.plain(parent));
        }
        for interface in class.interfaces() {
            let interface = self.class_name(interface?)?;
            supertypes.push(self.words.plain(interface));
        }
        Ok((Vec::new(), supertypes))
    }

    fn field(
        &mut self,
        field: &Field<'s>,
    ) -> Result<Option<LibraryField<Arc<str>>>, ClassFileError> {
        let access = field.access_flags();
        if !is_visible(access) {
            return Ok(None);
        }
        let name = self.text(field.name())?;
        let generic = self.signature(&field.attributes());
        let ty = match generic.and_then(|text| signature::field(text, &mut self.words)) {
            Some(ty) => ty,
            None => signature::field(self.text(field.descriptor())?, &mut self.words)
                .ok_or_else(|| ClassFileError::Descriptor(name.to_owned()))?,
        };
        let constant = if access.contains(AccessFlags::ENUM) {
            flag::ENUM_CONSTANT
        } else {
            0
        };
        Ok(Some(LibraryField {
            name: self.words.word(name),
            flags: member_flags(access) | constant,
            ty,
        }))
    }

    fn method(
        &mut self,
        method: &Method<'s>,
        is_interface: bool,
        is_inner: bool,
    ) -> Result<Option<LibraryMethod<Arc<str>>>, ClassFileError> {
        let access = method.access_flags();
        let name = self.text(method.name())?;
        if !is_visible(access) || name == "<clinit>" {
            return Ok(None);
        }
        let generic = self
            .signature(&method.attributes())
            .and_then(|text| signature::method(text, &mut self.words));
        let read = if let Some(read) = generic {
            read
        } else {
            let descriptor = self.text(method.descriptor())?;
            let mut read = signature::method(descriptor, &mut self.words)
                .ok_or_else(|| ClassFileError::Descriptor(name.to_owned()))?;
            // A constructor of an inner class gets the enclosing object first; generic signatures do not show it.
            if is_inner && name == "<init>" && !read.parameters.is_empty() {
                read.parameters.remove(0);
            }
            read
        };
        let is_abstract = access.contains(AccessFlags::ABSTRACT);
        let mut flags = member_flags(access);
        if is_abstract {
            flags |= flag::ABSTRACT;
        } else if is_interface && !access.contains(AccessFlags::STATIC) {
            flags |= flag::DEFAULT;
        }
        if access.contains(AccessFlags::VARARGS)
            && matches!(read.parameters.last(), Some(SignatureType::Array(_)))
        {
            flags |= flag::VARARGS;
        }
        Ok(Some(LibraryMethod {
            name: self.words.word(name),
            flags,
            type_parameters: read.type_parameters,
            parameters: read.parameters,
            return_type: read.return_type,
        }))
    }
}

/// Turns a binary name into the full name in source code; a dollar that is part of a class's own name stays.
fn qualified(binary: &str, nested: &FxHashMap<&str, InnerClassEntry<'_>>) -> String {
    let mut names = Vec::new();
    let mut at = binary;
    // The enclosing class has a shorter name, so this loop ends.
    while let Some(class) = nested.get(at) {
        names.push(class.name);
        at = class.outer;
    }
    let mut name = at.replace('/', ".");
    for inner in names.iter().rev() {
        name.push('.');
        name.push_str(inner);
    }
    name
}

fn kind(access: AccessFlags, is_record: bool) -> LibraryKind {
    if access.contains(AccessFlags::ANNOTATION) {
        LibraryKind::Annotation
    } else if access.contains(AccessFlags::INTERFACE) {
        LibraryKind::Interface
    } else if access.contains(AccessFlags::ENUM) {
        LibraryKind::Enum
    } else if is_record {
        LibraryKind::Record
    } else {
        LibraryKind::Class
    }
}

fn is_visible(access: AccessFlags) -> bool {
    access.intersects(AccessFlags::PUBLIC | AccessFlags::PROTECTED)
        && !access.contains(AccessFlags::SYNTHETIC)
}

fn type_flags(access: AccessFlags, is_member: bool) -> u16 {
    let mut flags = member_flags(access);
    if !is_member {
        flags &= !flag::STATIC;
    }
    if access.intersects(AccessFlags::ABSTRACT | AccessFlags::INTERFACE) {
        flags |= flag::ABSTRACT;
    }
    flags
}

fn member_flags(access: AccessFlags) -> u16 {
    [
        (AccessFlags::PUBLIC, flag::PUBLIC),
        (AccessFlags::PROTECTED, flag::PROTECTED),
        (AccessFlags::STATIC, flag::STATIC),
        (AccessFlags::FINAL, flag::FINAL),
    ]
    .into_iter()
    .filter(|(bit, _)| access.contains(*bit))
    .fold(0, |flags, (_, flag)| flags | flag)
}
