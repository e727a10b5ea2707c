//! Git's objects: commits and trees by their names, loose or packed, also in the folders of other repositories that a
//! clone borrows from.

use std::collections::HashMap;
use std::ffi::OsStr;
use std::fs::File;
use std::io::{BufReader, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use flate2::bufread::ZlibDecoder;

use crate::held::Root;

use crate::DamagedRepository;
use crate::bytes::Bytes;
use crate::hash::{HashKind, Id};

mod pack;

use pack::{Content, Pack};

/// Commits and trees are far smaller; a larger object is neither, or was made to fill the memory.
const OBJECT_BYTES_MAX: u64 = 128 * 1024 * 1024;
/// The most bytes of objects that are kept in memory because others are written as differences to them.
const KEPT_BYTES_MAX: usize = 32 * 1024 * 1024;
/// The maximum length of a chain of folders that borrow from each other, as in git.
const N_BORROWED_MAX: usize = 5;
/// The file is a list of a few paths; a larger one was made to fill the memory.
const ALTERNATES_BYTES_MAX: u64 = 1024 * 1024;
/// The longest chain of differences that git writes is 4,095.
const N_DELTAS_MAX: usize = 4_096;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ObjectKind {
    Commit,
    Tree,
    Blob,
    Tag,
}

/// An object without its header.
#[derive(Clone, Debug)]
pub struct Object {
    pub kind: ObjectKind,
    pub content: Arc<[u8]>,
}

/// The folders with a repository's objects.
#[derive(Debug)]
pub struct Objects {
    hash: HashKind,
    folders: Vec<Root>,
    packs: Vec<Pack>,
    /// Objects by pack and offset. Neighbouring trees are often differences to the same one.
    cache: Mutex<ObjectCache>,
}

#[derive(Debug, Default)]
struct ObjectCache {
    objects: HashMap<(usize, u64), Object>,
    n_bytes: usize,
}

impl Objects {
    /// Opens a folder of objects and those that it borrows from.
    pub fn open(folder: Root, hash: HashKind) -> Result<Self, DamagedRepository> {
        let mut folders = Vec::new();
        borrow(folder, 0, &mut folders)?;
        let mut packs = Vec::new();
        for folder in &folders {
            let Ok(folder) = folder.folder("pack") else {
                // The repository has no packs.
                continue;
            };
            for (name, _) in folder.entries("")? {
                let Some(name) = name.to_str() else { continue };
                // A pack that cannot be opened is only missed where its objects are asked for.
                let stem = name.strip_suffix(".idx");
                packs.extend(stem.and_then(|stem| Pack::open(&folder, stem, hash).ok()));
            }
        }
        Ok(Self {
            hash,
            folders,
            packs,
            cache: Mutex::default(),
        })
    }

    /// Reads an object.
    ///
    /// # Errors
    /// Where it is not there, or cannot be read.
    pub fn read(&self, id: Id) -> Result<Object, DamagedRepository> {
        for (pack, number) in self.packs.iter().zip(0..) {
            if let Some(offset) = pack.find(id)? {
                return self.packed(number, offset);
            }
        }
        let digits = id.to_string();
        let path = format!("{}/{}", &digits[..2], &digits[2..]);
        let file = self
            .folders
            .iter()
            .find_map(|folder| folder.open_file(&path).ok());
        loose(file.ok_or(DamagedRepository)?)
    }

    /// Reads the name of a commit's tree.
    pub fn tree_of(&self, commit: Id) -> Result<Id, DamagedRepository> {
        let Object {
            kind: ObjectKind::Commit,
            content,
        } = self.read(commit)?
        else {
            return Err(DamagedRepository);
        };
        let line = content.strip_prefix(b"tree ").ok_or(DamagedRepository)?;
        let digits = line
            .get(..self.hash.n_bytes() * 2)
            .ok_or(DamagedRepository)?;
        Id::parse(digits, self.hash).ok_or(DamagedRepository)
    }

    /// Reads an object of a pack: first the whole object at the end of its chain of differences, to which these are
    /// then applied, the last one first.
    fn packed(&self, pack: usize, offset: u64) -> Result<Object, DamagedRepository> {
        let mut at = (pack, offset);
        let mut deltas = Vec::new();
        let mut n_bytes = 0;
        let mut object = loop {
            if let Some(object) = self.lock_cache().objects.get(&at) {
                break object.clone();
            }
            match self.packs[at.0].read(at.1)? {
                Content::Whole(object) => {
                    self.keep(at, &object);
                    break object;
                }
                Content::Delta { base, delta } => {
                    n_bytes += delta.len() as u64;
                    deltas.push((at, delta));
                    if deltas.len() > N_DELTAS_MAX || n_bytes > OBJECT_BYTES_MAX {
                        return Err(DamagedRepository);
                    }
                    at = self.base(at, &base)?;
                }
            }
        };
        while let Some((at, delta)) = deltas.pop() {
            object.content = pack::apply(&object.content, &delta)?.into();
            self.keep(at, &object);
        }
        Ok(object)
    }

    fn base(
        &self,
        (pack, offset): (usize, u64),
        base: &pack::Base,
    ) -> Result<(usize, u64), DamagedRepository> {
        match base {
            pack::Base::Before(distance) => {
                let at = offset.checked_sub(*distance).ok_or(DamagedRepository)?;
                // A difference to itself would never end.
                if at == offset {
                    return Err(DamagedRepository);
                }
                Ok((pack, at))
            }
            pack::Base::Named(id) => {
                let at = self.packs[pack].find(*id)?.ok_or(DamagedRepository)?;
                Ok((pack, at))
            }
        }
    }

    fn keep(&self, at: (usize, u64), object: &Object) {
        let mut kept = self.lock_cache();
        if kept.n_bytes + object.content.len() > KEPT_BYTES_MAX {
            *kept = ObjectCache::default();
        }
        kept.n_bytes += object.content.len();
        kept.objects.insert(at, object.clone());
    }

    fn lock_cache(&self) -> std::sync::MutexGuard<'_, ObjectCache> {
        // A thread that panicked has not left half an object.
        self.cache.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Adds a folder of objects and those that it names in `info/alternates`.
fn borrow(folder: Root, depth: usize, folders: &mut Vec<Root>) -> Result<(), DamagedRepository> {
    if folders.iter().any(|known| known.path() == folder.path()) {
        return Ok(());
    }
    let path = folder.path().to_owned();
    let others = match folder.read("info/alternates", ALTERNATES_BYTES_MAX) {
        Ok(others) => others,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
        Err(error) => return Err(error.into()),
    };
    folders.push(folder);
    if depth == N_BORROWED_MAX {
        return Ok(());
    }
    let lines = others.split(|byte| *byte == b'\n');
    for line in lines.filter(|line| !line.is_empty() && !line.starts_with(b"#")) {
        // A folder that is gone is only missed where its objects are asked for.
        if let Ok(other) = Root::open(&path.join(Path::new(OsStr::from_bytes(line)))) {
            borrow(other, depth + 1, folders)?;
        }
    }
    Ok(())
}

/// Reads an object that has a separate file.
fn loose(file: File) -> Result<Object, DamagedRepository> {
    let mut inflated = Vec::new();
    let n_bytes_max = OBJECT_BYTES_MAX + 64;
    ZlibDecoder::new(BufReader::new(file))
        .take(n_bytes_max + 1)
        .read_to_end(&mut inflated)?;
    if inflated.len() as u64 > n_bytes_max {
        return Err(DamagedRepository);
    }
    let mut bytes = Bytes(&inflated);
    let kind = match bytes.until(b' ')? {
        b"commit" => ObjectKind::Commit,
        b"tree" => ObjectKind::Tree,
        b"blob" => ObjectKind::Blob,
        b"tag" => ObjectKind::Tag,
        _ => return Err(DamagedRepository),
    };
    let n_bytes = bytes.until(0)?;
    if n_bytes != bytes.0.len().to_string().as_bytes() {
        return Err(DamagedRepository);
    }
    Ok(Object {
        kind,
        content: bytes.0.into(),
    })
}
