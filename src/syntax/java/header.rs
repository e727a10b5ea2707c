//! Facts of a class file about the class itself: its name, what it extends, and whether there can be objects of it.

use noak::AccessFlags;
use noak::error::DecodeError;
use noak::reader::Class;
use noak::reader::attributes::EnclosingMethod;
use noak::reader::cpool;

/// A class without its declarations, except the names of its methods. Names are in the form of the Java virtual
/// machine: `p/Outer$Inner`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Header {
    pub name: String,
    /// None for `java/lang/Object` and modules.
    pub super_class: Option<String>,
    pub interfaces: Vec<String>,
    /// Neither abstract nor an interface.
    pub is_concrete: bool,
    /// Declared in a method, with a name or without.
    pub is_local: bool,
    /// In order of the file; a name may occur more than once.
    pub methods: Vec<String>,
}

impl Header {
    /// Reads a class file; nothing where it is none.
    #[must_use]
    pub fn read(bytes: &[u8]) -> Option<Self> {
        read(bytes).ok()
    }
}

fn read(bytes: &[u8]) -> Result<Header, DecodeError> {
    let class = Class::new(bytes)?;
    let pool = class.pool();
    let class_name = |idx: cpool::Index<cpool::Class<'_>>| -> Result<String, DecodeError> {
        let name = pool.retrieve(idx)?.name.to_str();
        Ok(name.unwrap_or_default().to_owned())
    };
    let super_class = class.super_class().map(class_name).transpose()?;
    let mut interfaces = Vec::new();
    for interface in class.interfaces() {
        interfaces.push(class_name(interface?)?);
    }
    let mut methods = Vec::new();
    for method in class.methods() {
        let name = pool.retrieve(method?.name())?;
        methods.push(name.to_str().unwrap_or_default().to_owned());
    }
    let enclosing: Option<EnclosingMethod<'_>> = class.attributes().find_attribute(pool)?;
    let access = class.access_flags();
    Ok(Header {
        name: class_name(class.this_class())?,
        super_class,
        interfaces,
        is_concrete: !access.intersects(AccessFlags::ABSTRACT | AccessFlags::INTERFACE),
        is_local: enclosing.is_some(),
        methods,
    })
}
