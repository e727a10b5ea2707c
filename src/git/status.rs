//! Compares the tracked files with the commit: first its tree against the index, then the index against the disk.
//!
//! The answer is that of `git status --untracked-files=no`, with two differences. No program is started that attributes
//! or settings name, so a file that a filter would change counts as changed. And in submodules only tracked files
//! count, regardless of their `ignore` setting.

use std::fs::Metadata;
use std::io::{self, Read};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use crate::held::Root;

use crate::attributes::AttributeFinder;
use crate::bytes::Bytes;
use crate::config::GitConfig;
use crate::convert::{Endings, stored};
use crate::hash::{HashKind, Id};
use crate::index::{GitIndex, IndexEntry, Stat, mode};
use crate::objects::{ObjectKind, Objects};
use crate::{DamagedRepository, Repository};

/// Larger files are hashed piece by piece and never converted: texts are not that large.
const CONVERTED_BYTES_MAX: u64 = 64 * 1024 * 1024;
/// The deepest nesting of folders: a path of Linux has at most 4,096 bytes, so 2,048 folders.
const DEPTH_MAX: usize = 2_048;

/// Compares a commit's tree with the index, in step: both are sorted in the same way.
pub struct Trees<'a> {
    objects: &'a Objects,
    hash: HashKind,
    entries: &'a [IndexEntry],
    /// The number of entries that the tree has matched so far.
    n_seen: usize,
}

impl<'a> Trees<'a> {
    pub fn new(objects: &'a Objects, hash: HashKind, entries: &'a [IndexEntry]) -> Self {
        Self {
            objects,
            hash,
            entries,
            n_seen: 0,
        }
    }

    /// Tells whether the index has exactly the files of a tree.
    pub fn are_equal(mut self, tree: Id) -> Result<bool, DamagedRepository> {
        Ok(self.folder(tree, b"", 0)? && self.n_seen == self.entries.len())
    }

    fn folder(&mut self, tree: Id, above: &[u8], depth: usize) -> Result<bool, DamagedRepository> {
        if depth > DEPTH_MAX {
            return Err(DamagedRepository);
        }
        let object = self.objects.read(tree)?;
        if object.kind != ObjectKind::Tree {
            return Err(DamagedRepository);
        }
        let mut bytes = Bytes(&object.content);
        while !bytes.0.is_empty() {
            let mode = bytes.until(b' ')?;
            let mode = std::str::from_utf8(mode).map_err(|_| DamagedRepository)?;
            let mode = u32::from_str_radix(mode, 8).map_err(|_| DamagedRepository)?;
            let name = bytes.until(0)?;
            let id = Id::of(bytes.take(self.hash.n_bytes())?).ok_or(DamagedRepository)?;
            let path = [above, name].concat();
            let is_same = if mode & mode::KIND == mode::FOLDER {
                self.below(id, path, depth)?
            } else {
                self.next_is(&path, mode, id)
            };
            if !is_same {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn below(
        &mut self,
        id: Id,
        mut path: Vec<u8>,
        depth: usize,
    ) -> Result<bool, DamagedRepository> {
        if id == self.hash.id_of("tree", b"") {
            return Ok(true);
        }
        path.push(b'/');
        if self.next_is(&path, mode::FOLDER, id) {
            return Ok(true);
        }
        // A folder is opened only where the index has it, too, so a tree that was made to have no end is left at once.
        let next = self.entries.get(self.n_seen);
        let is_there = next.is_some_and(|entry| entry.path.starts_with(&path));
        let n_before = self.n_seen;
        Ok(is_there && self.folder(id, &path, depth + 1)? && self.n_seen > n_before)
    }

    /// Tells whether the next entry is this one, and skips it if so. Old trees have modes that are no longer written,
    /// so only the kind and the run bit of files are compared.
    fn next_is(&mut self, path: &[u8], mode: u32, id: Id) -> bool {
        let canonical = |mode: u32| match mode & mode::KIND {
            mode::FILE => mode & (mode::KIND | mode::RUN),
            kind => kind,
        };
        let is_same = self.entries.get(self.n_seen).is_some_and(|entry| {
            entry.path == path && entry.id == id && canonical(entry.mode) == canonical(mode)
        });
        self.n_seen += usize::from(is_same);
        is_same
    }
}

/// Compares the index with the files on disk.
#[derive(Debug)]
pub struct Worktree<'a> {
    root: &'a Root,
    hash: HashKind,
    written_at: i64,
    attributes: AttributeFinder<'a>,
    endings: Endings,
    /// Whether the file system has run bits, has links, and keeps the time of the last change of a file's state.
    has_modes: bool,
    has_links: bool,
    has_change_times: bool,
    /// The number of repositories that this one is nested in as a submodule.
    depth: usize,
}

impl<'a> Worktree<'a> {
    pub fn new(repository: &'a Repository, index: &GitIndex, info: Option<&Root>) -> Self {
        let config: &GitConfig = &repository.config;
        let is_set = |name: &str| config.is_set("core", name).unwrap_or(true);
        Self {
            root: &repository.worktree,
            hash: repository.hash,
            written_at: index.written_at,
            attributes: AttributeFinder::new(&repository.worktree, info),
            endings: Endings::of(config),
            has_modes: is_set("filemode"),
            has_links: is_set("symlinks"),
            has_change_times: is_set("trustctime"),
            depth: repository.depth,
        }
    }

    /// Tells whether a file differs. A file that differs outweighs all that cannot be read, so that the answer does not
    /// depend on which is found first.
    pub fn differs(&self, entries: &[IndexEntry]) -> Result<bool, DamagedRepository> {
        let is_damaged = AtomicBool::new(false);
        let differs = entries.par_iter().any(|entry| {
            self.entry_differs(entry)
                .unwrap_or_else(|DamagedRepository| {
                    is_damaged.store(true, Ordering::Relaxed);
                    false
                })
        });
        if !differs && is_damaged.into_inner() {
            return Err(DamagedRepository);
        }
        Ok(differs)
    }

    fn entry_differs(&self, entry: &IndexEntry) -> Result<bool, DamagedRepository> {
        if entry.stage != 0 || entry.is_intended {
            return Ok(true);
        }
        if entry.is_skipped || entry.mode & mode::KIND == mode::FOLDER {
            return Ok(false);
        }
        let path = Path::new(std::ffi::OsStr::from_bytes(&entry.path));
        let Some(metadata) = self.root.metadata(path)? else {
            return Ok(true);
        };
        match entry.mode & mode::KIND {
            mode::COMMIT if metadata.is_dir() => self.submodule_differs(path, entry.id),
            mode::LINK if metadata.is_symlink() => {
                let target = self.root.read_link(path)?;
                let target = target.as_os_str().as_bytes();
                Ok(self.hash.id_of("blob", target) != entry.id)
            }
            // Without links, a file holds the target as its text.
            mode::LINK if metadata.is_file() && !self.has_links => {
                self.file_differs(path, entry, &metadata)
            }
            mode::FILE if metadata.is_file() => {
                let can_run = metadata.mode() & mode::RUN != 0;
                if self.has_modes && can_run != (entry.mode & mode::RUN != 0) {
                    return Ok(true);
                }
                self.file_differs(path, entry, &metadata)
            }
            _ => Ok(true),
        }
    }

    fn file_differs(
        &self,
        path: &Path,
        entry: &IndexEntry,
        metadata: &Metadata,
    ) -> Result<bool, DamagedRepository> {
        let size_bytes = metadata.len();
        let is_empty_blob = entry.id == self.hash.id_of("blob", b"");
        // Git sets the size to zero where it means that the content must be looked at.
        let is_size_known = entry.stat.size_bytes != 0 || is_empty_blob;
        if is_size_known && entry.stat.size_bytes != size_bytes as u32 {
            return Ok(true);
        }
        if is_size_known && self.is_untouched(&entry.stat, metadata) {
            return Ok(false);
        }
        let mut file = match self.root.open_file(path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(true),
            Err(error) => return Err(error.into()),
        };
        if size_bytes > CONVERTED_BYTES_MAX {
            return Ok(self.stream(&mut file, size_bytes)? != entry.id);
        }
        let mut content = Vec::with_capacity(size_bytes as usize + 1);
        file.take(CONVERTED_BYTES_MAX + 1)
            .read_to_end(&mut content)?;
        let is_same = self.hash.id_of("blob", &content) == entry.id;
        if is_same && !content.contains(&b'\r') {
            return Ok(false);
        }
        let attributes = self.attributes.of(&entry.path);
        let stored = stored(&content, &attributes, self.endings);
        if is_same && stored.may_be_kept {
            return Ok(false);
        }
        Ok(self.hash.id_of("blob", &stored.content) != entry.id)
    }

    /// Tells whether the file looks as it did when git last read it, and was not so young then that it may have changed
    /// within the same second.
    fn is_untouched(&self, stat: &Stat, metadata: &Metadata) -> bool {
        let is_at = |seconds: i64, noted: u32| seconds & 0xffff_ffff == i64::from(noted);
        is_at(metadata.mtime(), stat.modified_at)
            && metadata.mtime() < self.written_at
            && (!self.has_change_times || is_at(metadata.ctime(), stat.changed_at))
            && metadata.ino() as u32 == stat.inode
            && metadata.uid() == stat.user
            && metadata.gid() == stat.group
    }

    fn stream(&self, file: &mut impl Read, size_bytes: u64) -> Result<Id, DamagedRepository> {
        let mut hasher = self.hash.hasher("blob", size_bytes);
        let mut buffer = vec![0; 1024 * 1024];
        loop {
            match file.read(&mut buffer) {
                Ok(0) => return Ok(hasher.finish()),
                Ok(n_read) => hasher.update(&buffer[..n_read]),
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error.into()),
            }
        }
    }

    /// Compares a submodule's commit with the tracked one, and its files with that commit; a submodule that is not
    /// checked out does not differ.
    fn submodule_differs(&self, path: &Path, commit: Id) -> Result<bool, DamagedRepository> {
        let folder = self.root.folder(path)?;
        let opened = Repository::open_below(folder.path(), self.depth + 1);
        let Some(submodule) = opened.map_err(|_| DamagedRepository)? else {
            return Ok(false);
        };
        match submodule.head().map_err(|_| DamagedRepository)? {
            None => Ok(false),
            Some(head) if head != commit => Ok(true),
            Some(_) => {
                let index = submodule.index().map_err(|_| DamagedRepository)?;
                submodule.is_dirty(&index).map_err(|_| DamagedRepository)
            }
        }
    }
}
