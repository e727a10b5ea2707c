//! Reads the embedded table; only this module and the generator know its layout.
//!
//! Numbers are LEB128. Each packed part is one zstd frame, so that a package is unpacked when it is first used:
//!
//! ```text
//! table      FORMAT, packed names, packed index, packed block of every package
//! packed     size, size when unpacked, bytes; of a block only the bytes, packed with the names as dictionary
//! names      of every package: text, n types, full names of the types        sorted by (binary) name
//! index      n sources, sources, n packages, packages
//! source     name, version                              texts
//! package    is complete, packed size of the block, its size when unpacked, types
//! type       kind, flags, source
//! block      n strings, texts (frequent ones first), records; a name below is the number of a string
//! record     size, type parameters, supertypes, member types, fields, methods     one per type; lists with length
//! parameter  name, n bounds, bounds
//! field      flags, name, signature
//! method     flags, name, type parameters, n parameters, signatures, signature of what is returned
//! signature  0 void · 1..=8 primitive · 9 array, signature · 10 variable, name · 11 class, name
//!            12 class, name, n arguments, arguments
//! argument   13 `?` · 14 `? extends`, signature · 15 `? super`, signature · signature
//! text       size in bytes, UTF-8
//! ```
//!
//! The table is part of the program, so malformed data is a mistake of the generator: reading panics, and a
//! test reads everything.

use std::ops::Range;
use std::sync::OnceLock;

use rustc_hash::FxHashMap;
use zstd::bulk::Decompressor;
use zstd::dict::DecoderDictionary;

use crate::java::jdk::{
    LibraryField, LibraryKind, LibraryMethod, LibraryType, SignatureSource, SignatureType,
    TypeArgument, TypeParameter, flag,
};
use crate::java::prim::Prim;

static TABLE_BYTES: &[u8] = include_bytes!("table.bin");

/// Raised with every change of the layout, here and in the generator.
const FORMAT: usize = 2;

/// The index over the table, and the packages and types that were used so far.
pub(super) struct JdkTable {
    pub(super) sources: Vec<SignatureSource>,
    packages: Vec<Package>,
    types: Vec<JdkTypeEntry>,
    package_by_name: FxHashMap<&'static str, usize>,
    type_by_name: FxHashMap<&'static str, usize>,
    dictionary: DecoderDictionary<'static>,
}

struct Package {
    name: &'static str,
    is_complete: bool,
    /// Numbers of [`JdkTable::types`].
    types: Range<usize>,
    packed: &'static [u8],
    size_bytes: usize,
    block: OnceLock<UnpackedPackage>,
}

/// An unpacked package.
struct UnpackedPackage {
    strings: Vec<&'static str>,
    records: Vec<&'static [u8]>,
}

struct JdkTypeEntry {
    name: &'static str,
    package_idx: usize,
    kind: LibraryKind,
    flags: u16,
    source_idx: u8,
    decoded: OnceLock<Box<LibraryType>>,
}

impl JdkTable {
    /// Unpacks names and index; packages stay packed.
    ///
    /// Unpacked parts are never freed: there is one table for as long as the program runs.
    pub(super) fn open() -> Self {
        let mut cursor = Cursor { bytes: TABLE_BYTES };
        let format = cursor.number();
        assert_eq!(format, FORMAT, "the table was made for another reader");
        let names = cursor.packed();
        let mut index = Cursor {
            bytes: cursor.packed(),
        };
        let dictionary = DecoderDictionary::copy(names);
        let mut names = Cursor { bytes: names };

        let sources: Vec<_> = (0..index.number())
            .map(|_| SignatureSource {
                name: index.text(),
                version: index.text(),
            })
            .collect();
        let mut packages = Vec::new();
        let mut types = Vec::new();
        for package_idx in 0..index.number() {
            let name = names.text();
            let n_types = names.number();
            let is_complete = index.number() != 0;
            let packed = cursor.take(index.number());
            let size_bytes = index.number();
            let start = types.len();
            types.extend((0..n_types).map(|_| JdkTypeEntry {
                name: names.text(),
                package_idx,
                kind: index.kind(),
                flags: index.flags(),
                source_idx: index.number() as u8,
                decoded: OnceLock::new(),
            }));
            packages.push(Package {
                name,
                is_complete,
                types: start..types.len(),
                packed,
                size_bytes,
                block: OnceLock::new(),
            });
        }
        let package_by_name = numbered(packages.iter().map(|package| package.name));
        let type_by_name = numbered(types.iter().map(|entry| entry.name));
        Self {
            sources,
            packages,
            types,
            package_by_name,
            type_by_name,
            dictionary,
        }
    }

    pub(super) fn find(&self, qualified: &str) -> Option<&LibraryType> {
        let type_idx = *self.type_by_name.get(qualified)?;
        Some(self.numbered(type_idx))
    }

    pub(super) fn n_types(&self) -> usize {
        self.types.len()
    }

    pub(super) fn number(&self, qualified: &str) -> Option<u32> {
        self.type_by_name.get(qualified).map(|&idx| idx as u32)
    }

    pub(super) fn name(&self, type_idx: usize) -> &'static str {
        self.types[type_idx].name
    }

    pub(super) fn member_type_names(&self) -> impl Iterator<Item = &'static str> {
        self.types.iter().filter_map(|entry| {
            let package = self.packages[entry.package_idx].name;
            let (outer, name) = entry.name.rsplit_once('.')?;
            (outer.len() > package.len()).then_some(name)
        })
    }

    pub(super) fn numbered(&self, type_idx: usize) -> &LibraryType {
        let entry = &self.types[type_idx];
        entry.decoded.get_or_init(|| {
            let package = &self.packages[entry.package_idx];
            let block = package.block.get_or_init(|| self.unpack(package));
            let bytes = block.records[type_idx - package.types.start];
            let mut reader = JdkRecordReader {
                cursor: Cursor { bytes },
                strings: &block.strings,
            };
            Box::new(reader.library_type(
                entry,
                package.name,
                self.sources[usize::from(entry.source_idx)],
            ))
        })
    }

    fn unpack(&self, package: &Package) -> UnpackedPackage {
        let bytes = Decompressor::with_prepared_dictionary(&self.dictionary)
            .and_then(|mut unpacker| unpacker.decompress(package.packed, package.size_bytes))
            .expect("packed by the generator");
        let mut cursor = Cursor {
            bytes: bytes.leak(),
        };
        UnpackedPackage {
            strings: (0..cursor.number()).map(|_| cursor.text()).collect(),
            records: package.types.clone().map(|_| cursor.sized()).collect(),
        }
    }

    pub(super) fn knows_package(&self, package: &str) -> bool {
        self.package(package)
            .is_some_and(|package| package.is_complete)
    }

    pub(super) fn types_in(&self, package: &str) -> impl Iterator<Item = &'static str> {
        let package = self.package(package);
        let types = package.map_or(&[][..], |package| &self.types[package.types.clone()]);
        let start = package.map_or(0, |package| package.name.len() + 1);
        types
            .iter()
            .filter(move |entry| {
                entry.flags & flag::PUBLIC != 0 && !entry.name[start..].contains('.')
            })
            .map(|entry| entry.name)
    }

    fn package(&self, name: &str) -> Option<&Package> {
        Some(&self.packages[*self.package_by_name.get(name)?])
    }

    #[cfg(test)]
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.types.iter().map(|entry| entry.name)
    }
}

fn numbered(names: impl Iterator<Item = &'static str>) -> FxHashMap<&'static str, usize> {
    names.enumerate().map(|(idx, name)| (name, idx)).collect()
}

/// The bytes that are left to read.
struct Cursor {
    bytes: &'static [u8],
}

impl Cursor {
    fn number(&mut self) -> usize {
        let mut number = 0;
        let mut shift = 0;
        while let Some((&byte, rest)) = self.bytes.split_first() {
            self.bytes = rest;
            number |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                return number;
            }
            shift += 7;
        }
        unreachable!("the table ends inside a number")
    }

    fn take(&mut self, size: usize) -> &'static [u8] {
        let (taken, rest) = self.bytes.split_at(size);
        self.bytes = rest;
        taken
    }

    fn sized(&mut self) -> &'static [u8] {
        let size = self.number();
        self.take(size)
    }

    fn text(&mut self) -> &'static str {
        std::str::from_utf8(self.sized()).expect("the generator writes UTF-8")
    }

    fn packed(&mut self) -> &'static [u8] {
        let size = self.number();
        let size_unpacked = self.number();
        zstd::bulk::decompress(self.take(size), size_unpacked)
            .expect("packed by the generator")
            .leak()
    }

    fn flags(&mut self) -> u16 {
        self.number() as u16
    }

    fn kind(&mut self) -> LibraryKind {
        match self.number() {
            0 => LibraryKind::Class,
            1 => LibraryKind::Interface,
            2 => LibraryKind::Enum,
            3 => LibraryKind::Record,
            4 => LibraryKind::Annotation,
            kind => unreachable!("no kind of type is {kind}"),
        }
    }
}

/// Reads a record, whose names are numbers of strings.
struct JdkRecordReader<'t> {
    cursor: Cursor,
    strings: &'t [&'static str],
}

impl JdkRecordReader<'_> {
    fn string(&mut self) -> &'static str {
        self.strings[self.cursor.number()]
    }

    /// Reads a length and as many elements.
    fn list<T>(&mut self, mut element: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let n = self.cursor.number();
        (0..n).map(|_| element(self)).collect()
    }

    fn library_type(
        &mut self,
        entry: &JdkTypeEntry,
        package: &'static str,
        source: SignatureSource,
    ) -> LibraryType {
        LibraryType {
            name: entry.name,
            package,
            kind: entry.kind,
            flags: entry.flags,
            source: Some(source),
            type_parameters: self.type_parameters(),
            supertypes: self.list(Self::signature),
            member_types: self.list(Self::string),
            fields: self.list(|reader| LibraryField {
                flags: reader.cursor.flags(),
                name: reader.string(),
                ty: reader.signature(),
            }),
            methods: self.list(|reader| LibraryMethod {
                flags: reader.cursor.flags(),
                name: reader.string(),
                type_parameters: reader.type_parameters(),
                parameters: reader.list(Self::signature),
                return_type: reader.signature(),
            }),
        }
    }

    fn type_parameters(&mut self) -> Vec<TypeParameter> {
        self.list(|reader| TypeParameter {
            name: reader.string(),
            bounds: reader.list(Self::signature),
        })
    }

    fn signature(&mut self) -> SignatureType {
        let tag = self.cursor.number();
        self.tagged(tag)
    }

    fn tagged(&mut self, tag: usize) -> SignatureType {
        let primitive = match tag {
            0 => return SignatureType::Void,
            1 => Prim::Boolean,
            2 => Prim::Byte,
            3 => Prim::Short,
            4 => Prim::Char,
            5 => Prim::Int,
            6 => Prim::Long,
            7 => Prim::Float,
            8 => Prim::Double,
            9 => return SignatureType::Array(Box::new(self.signature())),
            10 => return SignatureType::Variable(self.string()),
            11 => {
                return SignatureType::Class {
                    name: self.string(),
                    arguments: Vec::new(),
                };
            }
            12 => {
                return SignatureType::Class {
                    name: self.string(),
                    arguments: self.list(Self::argument),
                };
            }
            _ => unreachable!("no signature starts with {tag}"),
        };
        SignatureType::Primitive(primitive)
    }

    fn argument(&mut self) -> TypeArgument {
        match self.cursor.number() {
            13 => TypeArgument::Any,
            14 => TypeArgument::Extends(self.signature()),
            15 => TypeArgument::Super(self.signature()),
            tag => TypeArgument::Exact(self.tagged(tag)),
        }
    }
}
