//! Git's index: which paths it tracks, and how their files looked when it last saw them.
//!
//! Versions 2 to 4 are read, with both hashes, whole or split in two. Only those extensions are read without which the
//! entries would be wrong; notes of file-system monitors and caches of untracked files are not trusted.

use std::os::unix::fs::MetadataExt;

use crate::held::Root;

use crate::DamagedRepository;
use crate::bytes::Bytes;
use crate::hash::{HashKind, Id};

mod split;

/// A million files are about 100 MB.
const INDEX_BYTES_MAX: u64 = 1024 * 1024 * 1024;

const ASSUME_VALID: u16 = 0x8000;
const EXTENDED: u16 = 0x4000;
const NAME_LENGTH: u16 = 0x0fff;
const SKIP_WORKTREE: u16 = 0x4000;
const INTENT_TO_ADD: u16 = 0x2000;

/// Kinds of paths, in the index as in trees.
pub mod mode {
    pub const KIND: u32 = 0o170_000;
    pub const FILE: u32 = 0o100_000;
    pub const LINK: u32 = 0o120_000;
    /// The commit of a submodule.
    pub const COMMIT: u32 = 0o160_000;
    /// A folder: in trees, and in the index where all below it is left out of a sparse checkout.
    pub const FOLDER: u32 = 0o040_000;
    /// Set for files that can be run.
    pub const RUN: u32 = 0o100;
}

/// The entries of an index, sorted by path and stage.
#[derive(Debug, Default)]
pub struct GitIndex {
    pub entries: Vec<IndexEntry>,
    /// The tree that the entries would make, where git has noted it.
    pub tree: Option<Id>,
    /// When the index was written, in seconds since 1970; files changed then or later may differ from what git saw.
    pub written_at: i64,
}

/// A tracked path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexEntry {
    pub path: Vec<u8>,
    pub id: Id,
    /// See [`mode`].
    pub mode: u32,
    /// Zero, unless a merge left several entries of a path.
    pub stage: u8,
    pub stat: Stat,
    /// The user or a sparse checkout asks not to look at the file.
    pub is_skipped: bool,
    /// The path is announced (`git add -N`), its content is not in the index yet.
    pub is_intended: bool,
}

/// The file system's metadata of a file, cut to 32 bits each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Stat {
    pub changed_at: u32,
    pub modified_at: u32,
    pub inode: u32,
    pub user: u32,
    pub group: u32,
    pub size_bytes: u32,
}

impl GitIndex {
    /// Reads the index of a folder of git's; an empty one where there is none.
    pub(crate) fn read(folder: &Root, hash: HashKind) -> Result<Self, DamagedRepository> {
        let Some(metadata) = folder.metadata("index")? else {
            return Ok(Self::default());
        };
        let bytes = folder.read("index", INDEX_BYTES_MAX)?;
        let (content, _) = checked(&bytes, hash)?;
        let mut parsed = ParsedIndex::of(content, hash)?;
        if let Some(link) = parsed.link.take() {
            let base = folder.read(format!("sharedindex.{}", link.base), INDEX_BYTES_MAX)?;
            let (content, id) = checked(&base, hash)?;
            if id != link.base {
                return Err(DamagedRepository);
            }
            let base = ParsedIndex::of(content, hash)?;
            if base.link.is_some() {
                return Err(DamagedRepository);
            }
            parsed.entries = link.merge(base.entries, parsed.entries)?;
        }
        let mut index = parsed.finish()?;
        index.written_at = metadata.mtime();
        Ok(index)
    }
}

/// Splits the checksum off an index and checks it; git may be configured to leave it out, as zeros, which are not
/// checked.
fn checked(bytes: &[u8], hash: HashKind) -> Result<(&[u8], Id), DamagedRepository> {
    let n_content = bytes
        .len()
        .checked_sub(hash.n_bytes())
        .ok_or(DamagedRepository)?;
    let (content, checksum) = bytes.split_at(n_content);
    let checksum = Id::of(checksum).ok_or(DamagedRepository)?;
    if checksum.as_bytes().iter().any(|byte| *byte != 0) {
        let mut hasher = hash.plain();
        hasher.update(content);
        if hasher.finish() != checksum {
            return Err(DamagedRepository);
        }
    }
    Ok((content, checksum))
}

/// One file of an index, before a split one is whole.
#[derive(Debug)]
struct ParsedIndex {
    entries: Vec<IndexEntry>,
    tree: Option<Id>,
    link: Option<split::Link>,
}

impl ParsedIndex {
    fn of(content: &[u8], hash: HashKind) -> Result<Self, DamagedRepository> {
        let mut bytes = Bytes(content);
        if bytes.take(4)? != b"DIRC" {
            return Err(DamagedRepository);
        }
        let version = bytes.u32()?;
        if !(2..=4).contains(&version) {
            return Err(DamagedRepository);
        }
        let n_entries = bytes.u32()? as usize;
        // The number may be damaged, too, so it reserves no more memory than the file could fill.
        let n_at_most = bytes.0.len() / (40 + hash.n_bytes() + 2);
        let mut parsed = Self {
            entries: Vec::with_capacity(n_entries.min(n_at_most)),
            tree: None,
            link: None,
        };
        let mut path = Vec::new();
        for _ in 0..n_entries {
            parsed
                .entries
                .push(entry(&mut bytes, (version, hash), &mut path)?);
        }
        while !bytes.0.is_empty() {
            let name = bytes.take(4)?;
            let n_bytes = bytes.u32()? as usize;
            let data = bytes.take(n_bytes)?;
            match name {
                b"TREE" => parsed.tree = root_tree(data, hash)?,
                b"link" => parsed.link = split::Link::parse(data, hash)?,
                // Entries may stand for whole folders, which their modes say, too.
                b"sdir" => {}
                // An extension whose name begins with a small letter must be understood.
                _ if name[0].is_ascii_uppercase() => {}
                _ => return Err(DamagedRepository),
            }
        }
        Ok(parsed)
    }

    fn finish(self) -> Result<GitIndex, DamagedRepository> {
        let is_sorted = self
            .entries
            .is_sorted_by(|a, b| (&a.path, a.stage) < (&b.path, b.stage));
        let has_names = self.entries.iter().all(|entry| !entry.path.is_empty());
        if !is_sorted || !has_names {
            return Err(DamagedRepository);
        }
        Ok(GitIndex {
            entries: self.entries,
            tree: self.tree,
            written_at: 0,
        })
    }
}

/// Reads an entry; `previous` is the path of the entry before it, and becomes the path of this one.
fn entry(
    bytes: &mut Bytes<'_>,
    (version, hash): (u32, HashKind),
    previous: &mut Vec<u8>,
) -> Result<IndexEntry, DamagedRepository> {
    let n_before = bytes.0.len();
    let changed_at = bytes.u32()?;
    bytes.u32()?;
    let modified_at = bytes.u32()?;
    bytes.u32()?;
    bytes.u32()?;
    let inode = bytes.u32()?;
    let mode = bytes.u32()?;
    let stat = Stat {
        changed_at,
        modified_at,
        inode,
        user: bytes.u32()?,
        group: bytes.u32()?,
        size_bytes: bytes.u32()?,
    };
    let id = Id::of(bytes.take(hash.n_bytes())?).ok_or(DamagedRepository)?;
    let flags = bytes.u16()?;
    let more = match flags & EXTENDED {
        0 => 0,
        _ if version == 2 => return Err(DamagedRepository),
        _ => bytes.u16()?,
    };
    if version == 4 {
        let n_dropped = usize::try_from(bytes.distance()?).map_err(|_| DamagedRepository)?;
        let n_kept = previous
            .len()
            .checked_sub(n_dropped)
            .ok_or(DamagedRepository)?;
        previous.truncate(n_kept);
        previous.extend_from_slice(bytes.until(0)?);
    } else {
        // The flags hold the length as far as it fits; longer ones end where the first zero is.
        let n_bytes = match flags & NAME_LENGTH {
            NAME_LENGTH => bytes
                .0
                .iter()
                .position(|byte| *byte == 0)
                .ok_or(DamagedRepository)?,
            n_bytes => usize::from(n_bytes),
        };
        previous.clear();
        previous.extend_from_slice(bytes.take(n_bytes)?);
        // One to eight zeros fill an entry up to a multiple of eight bytes.
        let n_read = n_before - bytes.0.len();
        bytes.take(8 - n_read % 8)?;
    }
    if previous.contains(&0) {
        return Err(DamagedRepository);
    }
    Ok(IndexEntry {
        path: previous.clone(),
        id,
        mode,
        stage: (flags >> 12 & 3) as u8,
        stat,
        is_skipped: flags & ASSUME_VALID != 0 || more & SKIP_WORKTREE != 0,
        is_intended: more & INTENT_TO_ADD != 0,
    })
}

/// Reads the tree of the whole index in git's cache of trees, which begins with it.
fn root_tree(data: &[u8], hash: HashKind) -> Result<Option<Id>, DamagedRepository> {
    let mut bytes = Bytes(data);
    if bytes.0.is_empty() {
        return Ok(None);
    }
    bytes.until(0)?;
    let is_outdated = bytes.until(b' ')?.starts_with(b"-");
    bytes.until(b'\n')?;
    if is_outdated {
        return Ok(None);
    }
    Id::of(bytes.take(hash.n_bytes())?)
        .map(Some)
        .ok_or(DamagedRepository)
}

#[cfg(test)]
mod tests;
