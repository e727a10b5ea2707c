//! The class path: classes of jars that the user names, each read from its class file on first use.
//!
//! Jars are passed as bytes. Only the names of their entries are read at first, so that a path of hundreds of jars
//! costs little; a class file is unpacked when its class is first asked for, and its declarations are kept. The first
//! jar that has a class wins. Unusable entries are [`Problem`]s, and everything else goes on.
//!
//! Left out: folders of class files, sources, and anything of `META-INF` (the variants of a class for later versions of
//! Java lie there).

mod file;
mod signature;
#[cfg(test)]
mod tests;

use std::io::Read;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use flate2::bufread::DeflateDecoder;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveEntryWayfinder, ZipSliceArchive};
use rayon::prelude::*;
use rustc_hash::{FxHashMap, FxHashSet};

use super::types::CLASSES_MAX;
use crate::model::{Problem, Reason};
use crate::syntax::java::jdk::{self, LibraryKind, LibraryType, SignatureType};

/// Sixteen mebibytes: more than any class that compilers write, and a bound on the cost of a zip bomb.
pub const CLASS_SIZE_BYTES_MAX: u64 = 16 * 1024 * 1024;

/// A jar as it lies on disk.
pub struct Jar {
    /// The name by which problems refer to it.
    pub name: String,
    pub bytes: Vec<u8>,
}

/// The classes of some jars.
#[derive(Default)]
pub struct ClassPath {
    jars: Vec<OpenJar>,
    classes: Vec<ClassFile>,
    /// Numbers by [`key`].
    numbers: FxHashMap<Arc<str>, u32>,
    /// Indices of the classes that replace one of the table, by its number there.
    instead: FxHashMap<u32, u32>,
    /// The number of classes in the table; numbers of other classes follow.
    n_table: u32,
    packages: FxHashSet<Box<str>>,
    member_type_names: Vec<Box<str>>,
    /// Found while jars were opened and classes read; unsorted.
    problems: Mutex<Vec<Problem>>,
}

struct OpenJar {
    name: String,
    archive: ZipSliceArchive<Vec<u8>>,
}

struct ClassFile {
    key: Arc<str>,
    package_len: u32,
    jar: u32,
    method: CompressionMethod,
    place: ZipArchiveEntryWayfinder,
    declared: OnceLock<Box<LibraryType<Arc<str>>>>,
}

/// A class file's place, before it has a number.
struct ClassFileEntry {
    key: String,
    package_len: u32,
    method: CompressionMethod,
    place: ZipArchiveEntryWayfinder,
    /// Its possible name as a member of another class.
    member_name: Option<Box<str>>,
}

impl std::fmt::Debug for ClassPath {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ClassPath")
            .field("n_jars", &self.jars.len())
            .field("n_classes", &self.classes.len())
            .finish_non_exhaustive()
    }
}

/// Makes the key under which a class is looked up: its binary or its full name with a dot for each `/` and `$`. In that
/// form both are the same, even for a class with dollars in its own name.
fn key(name: &str) -> String {
    name.replace(['/', '$'], ".")
}

impl ClassPath {
    /// Opens jars, in the order in which classes are looked for.
    pub fn open(jars: Vec<Jar>) -> Self {
        let opened: Vec<_> = jars.into_par_iter().map(open).collect();
        let mut path = Self {
            n_table: jdk::n_types() as u32,
            ..Self::default()
        };
        let mut problems = Vec::new();
        let mut member_type_names = FxHashSet::default();
        for opened in opened {
            problems.extend(opened.problem);
            let Some(jar) = opened.jar else { continue };
            let jar_idx = path.jars.len() as u32;
            for entry in opened.entries {
                if path.classes.len() + jdk::n_types() >= CLASSES_MAX {
                    problems.push(Problem {
                        path: jar.name.clone(),
                        line: None,
                        reason: Reason::TooLarge,
                        detail: format!("more than {CLASSES_MAX} classes on the class path"),
                    });
                    break;
                }
                path.add(jar_idx, entry, &mut member_type_names);
            }
            path.jars.push(jar);
        }
        path.replace_table();
        path.member_type_names = member_type_names.into_iter().collect();
        path.member_type_names.sort_unstable();
        path.problems = Mutex::new(problems);
        path
    }

    fn add(
        &mut self,
        jar: u32,
        entry: ClassFileEntry,
        member_type_names: &mut FxHashSet<Box<str>>,
    ) {
        if self.numbers.contains_key(entry.key.as_str()) {
            return;
        }
        let package = &entry.key[..entry.package_len as usize];
        if !self.packages.contains(package) {
            self.packages.insert(package.into());
        }
        member_type_names.extend(entry.member_name);
        let key: Arc<str> = entry.key.into();
        let number = self.n_table + self.classes.len() as u32;
        self.numbers.insert(Arc::clone(&key), number);
        self.classes.push(ClassFile {
            key,
            package_len: entry.package_len,
            jar,
            method: entry.method,
            place: entry.place,
            declared: OnceLock::new(),
        });
    }

    /// Gives each class that is also in the table the table's number.
    fn replace_table(&mut self) {
        if self.classes.is_empty() {
            return;
        }
        for number in 0..self.n_table {
            let name = jdk::name(number);
            if let Some(own) = self.number(name) {
                self.instead.insert(number, own - self.n_table);
                self.numbers.insert(key(name).into(), number);
            }
        }
    }

    /// Lists the jars and classes that could not be used so far, by path.
    pub fn problems(&self) -> Vec<Problem> {
        let problems = self.problems.lock();
        let mut problems = problems.unwrap_or_else(PoisonError::into_inner).clone();
        problems.sort_by(|a, b| (&a.path, a.reason).cmp(&(&b.path, b.reason)));
        problems
    }

    /// Counts the classes in all jars.
    pub fn n_classes(&self) -> usize {
        self.classes.len()
    }

    /// Looks up the library's number of a class by its full name.
    pub(super) fn number(&self, qualified: &str) -> Option<u32> {
        if self.classes.is_empty() {
            None
        } else if qualified.contains('$') {
            self.numbers.get(key(qualified).as_str()).copied()
        } else {
            self.numbers.get(qualified).copied()
        }
    }

    /// Reads the declaration of a class by the library's number; nothing for a class of the table.
    pub(super) fn declared(&self, number: u32) -> Option<&LibraryType<Arc<str>>> {
        let class = self.class(number)?;
        Some(class.declared.get_or_init(|| {
            Box::new(self.read(class).unwrap_or_else(|problem| {
                let problems = self.problems.lock();
                problems
                    .unwrap_or_else(PoisonError::into_inner)
                    .push(problem);
                class.unreadable()
            }))
        }))
    }

    /// Looks up the package of a class by the library's number; nothing for a class of the table.
    pub(super) fn package(&self, number: u32) -> Option<&str> {
        self.class(number).map(ClassFile::package)
    }

    /// Tells whether some class lies in that package.
    pub(super) fn has_package(&self, package: &str) -> bool {
        self.packages.contains(package)
    }

    /// Iterates over the names that some class may have as a member type.
    pub(super) fn member_type_names(&self) -> impl Iterator<Item = &str> {
        self.member_type_names.iter().map(AsRef::as_ref)
    }

    fn class(&self, number: u32) -> Option<&ClassFile> {
        let idx = match number.checked_sub(self.n_table) {
            Some(idx) if !self.classes.is_empty() => idx,
            _ => *self.instead.get(&number)?,
        };
        self.classes.get(idx as usize)
    }

    fn read(&self, class: &ClassFile) -> Result<LibraryType<Arc<str>>, Problem> {
        let jar = &self.jars[class.jar as usize];
        let problem = |path: &str, reason, detail| Problem {
            path: format!("{}!/{path}", jar.name),
            line: None,
            reason,
            detail,
        };
        let broken = |path: &str, error: &dyn std::error::Error| {
            problem(path, Reason::Syntax, error.to_string())
        };
        let entry = jar
            .archive
            .get_entry(class.place)
            .map_err(|error| broken(&class.key, &error))?;
        let path = entry.local_header().file_path();
        let path = String::from_utf8_lossy(path.as_bytes());
        if class.place.uncompressed_size_hint() > CLASS_SIZE_BYTES_MAX {
            let detail = format!("the limit is {CLASS_SIZE_BYTES_MAX} bytes");
            return Err(problem(&path, Reason::TooLarge, detail));
        }
        let mut bytes = Vec::with_capacity(class.place.uncompressed_size_hint() as usize);
        // The verifier knows the size that the jar claims, so that nothing larger comes through; the limit stops
        // an entry that claims too little before it is unpacked as a whole.
        let unpacked = if class.method == CompressionMethod::STORE {
            let reader = entry.verifying_reader(entry.data());
            reader
                .take(CLASS_SIZE_BYTES_MAX + 1)
                .read_to_end(&mut bytes)
        } else {
            let reader = entry.verifying_reader(DeflateDecoder::new(entry.data()));
            reader
                .take(CLASS_SIZE_BYTES_MAX + 1)
                .read_to_end(&mut bytes)
        };
        unpacked.map_err(|error| broken(&path, &error))?;
        let name = path.strip_suffix(".class").unwrap_or(&path);
        file::parse(&bytes, name).map_err(|error| broken(&path, &error))
    }
}

impl ClassFile {
    fn package(&self) -> &str {
        &self.key[..self.package_len as usize]
    }

    /// A class known by its name alone: any member may come from a supertype.
    fn unreadable(&self) -> LibraryType<Arc<str>> {
        LibraryType {
            name: Arc::clone(&self.key),
            package: self.package().into(),
            kind: LibraryKind::Class,
            flags: jdk::flag::PUBLIC | jdk::flag::STATIC,
            source: None,
            type_parameters: Vec::new(),
            supertypes: vec![SignatureType::Variable("?".into())],
            member_types: Vec::new(),
            fields: Vec::new(),
            methods: Vec::new(),
        }
    }
}

struct JarContents {
    jar: Option<OpenJar>,
    entries: Vec<ClassFileEntry>,
    problem: Option<Problem>,
}

/// Reads the names of a jar's entries.
fn open(jar: Jar) -> JarContents {
    let Jar { name, bytes } = jar;
    let problem = |detail| {
        Some(Problem {
            path: name.clone(),
            line: None,
            reason: Reason::Unreadable,
            detail,
        })
    };
    let archive = match ZipArchive::from_slice(bytes) {
        Ok(archive) => archive,
        Err(error) => {
            let problem = problem(format!("not a zip archive: {error}"));
            return JarContents {
                jar: None,
                entries: Vec::new(),
                problem,
            };
        }
    };
    let mut entries = Vec::new();
    let mut found = None;
    for record in archive.entries() {
        match record {
            Ok(record) => entries.extend(entry(&record)),
            Err(error) => found = problem(format!("a broken list of files: {error}")),
        }
    }
    JarContents {
        problem: found,
        entries,
        jar: Some(OpenJar { name, archive }),
    }
}

/// Parses the name of a package's class file; nothing for other files, for classes without a package, and for local
/// classes.
fn entry(record: &rawzip::ZipFileHeaderRecord<'_>) -> Option<ClassFileEntry> {
    let path = std::str::from_utf8(record.file_path().as_bytes()).ok()?;
    let binary = path.strip_suffix(".class")?;
    let (package, name) = binary.rsplit_once('/')?;
    let is_other = package.starts_with("META-INF")
        || name.ends_with("-info")
        || name.is_empty()
        || binary.contains(['.', '\\', ';', '['])
        || package.split('/').any(str::is_empty);
    // `Outer$1` and `Outer$1Name` cannot be named by anybody else.
    let is_local = name
        .split('$')
        .skip(1)
        .any(|part| part.starts_with(|first: char| first.is_ascii_digit()));
    if is_other || is_local {
        return None;
    }
    Some(ClassFileEntry {
        key: key(binary),
        package_len: package.len() as u32,
        method: record.compression_method(),
        place: record.wayfinder(),
        member_name: name.split_once('$').and_then(|(_, inner)| {
            let last = inner.rsplit('$').next()?;
            (!last.is_empty()).then(|| last.into())
        }),
    })
}
