//! Folders that foreign code could have changed, and how this process reads and writes below them.
//!
//! A path is a promise only as long as nobody can put a link where a folder was. So a [`Root`] is opened once, by its
//! real path, and kept as a descriptor; everything below it is reached from there, follows no link anywhere (`openat2`
//! with `RESOLVE_BENEATH` and `RESOLVE_NO_SYMLINKS`; component by component where the kernel or a container refuses
//! that), and new files are created exclusively. Only plain files are read, and a pipe does not make us wait.

use std::ffi::{OsStr, OsString};
use std::fs::{self, File, Metadata};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use rustix::fs::{AtFlags, Dir, FileType, Mode, OFlags, ResolveFlags, Stat};
use rustix::io::Errno;

mod names;

/// Rights of created files, before the user's mask.
const FILE: Mode = Mode::from_raw_mode(0o666);
const FOLDER: Mode = Mode::from_raw_mode(0o777);
/// The times that the kernel may report a rename meanwhile before we give up.
const N_TRIES: usize = 16;

/// A folder that is held open. Paths are relative to it, or absolute and below [`Root::path`].
#[derive(Clone, Debug)]
pub struct Root {
    path: PathBuf,
    folder: Arc<OwnedFd>,
    walk_kind: WalkKind,
}

/// The way in which a path is walked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum WalkKind {
    /// The kernel does it in one call.
    Kernel,
    /// We do it, a component at a time.
    Steps,
}

/// The kind of an entry, without following it if it is a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    File,
    Folder,
    Link,
    /// A pipe, a socket, a device.
    Other,
}

impl Root {
    /// Opens a folder by its real path: users keep caches behind links, and that is resolved here, once. The caller
    /// makes sure that no foreign code can write to any folder above it.
    ///
    /// # Errors
    /// The disk's.
    pub fn open(path: &Path) -> io::Result<Self> {
        let path = fs::canonicalize(path)?;
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let folder = rustix::fs::open(&path, flags, Mode::empty())?;
        let walk_kind = walk_kind(folder.as_fd());
        Ok(Self {
            path,
            folder: Arc::new(folder),
            walk_kind,
        })
    }

    /// Makes a folder with all above it where it is missing, and opens it; see [`Root::open`].
    ///
    /// # Errors
    /// The disk's.
    #[expect(
        clippy::disallowed_methods,
        reason = "what lies above a root is ours, and users link it to where they like"
    )]
    pub fn make(path: &Path) -> io::Result<Self> {
        fs::create_dir_all(path)?;
        Self::open(path)
    }

    /// Returns where it was when it was opened.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Opens a folder below it.
    ///
    /// # Errors
    /// The disk's; a link is none.
    pub fn folder(&self, path: impl AsRef<Path>) -> io::Result<Self> {
        let below = self.below(path.as_ref())?;
        Ok(Self {
            path: self.path.join(&below),
            folder: Arc::new(self.open_folder(&below)?),
            walk_kind: self.walk_kind,
        })
    }

    /// Opens a plain file for reading.
    ///
    /// # Errors
    /// The disk's; what is no plain file, or lies behind a link, cannot be read.
    pub fn open_file(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let below = self.below(path.as_ref())?;
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY;
        let file = File::from(self.walk(&below, flags | OFlags::CLOEXEC, Mode::empty())?);
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(not_plain(&below))
        }
    }

    /// Reads a plain file.
    ///
    /// # Errors
    /// As [`Root::open_file`], and where it holds more than `n_bytes_max`.
    pub fn read(&self, path: impl AsRef<Path>, n_bytes_max: u64) -> io::Result<Vec<u8>> {
        let mut bytes = Vec::new();
        let file = self.open_file(path)?;
        file.take(n_bytes_max.saturating_add(1))
            .read_to_end(&mut bytes)?;
        if bytes.len() as u64 > n_bytes_max {
            return Err(io::Error::from(io::ErrorKind::FileTooLarge));
        }
        Ok(bytes)
    }

    /// Reads a plain file as text; invalid UTF-8 becomes U+FFFD.
    ///
    /// # Errors
    /// As [`Root::read`].
    pub fn read_text(&self, path: impl AsRef<Path>, n_bytes_max: u64) -> io::Result<String> {
        let bytes = self.read(path, n_bytes_max)?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Creates a file that is not there yet, also not as a link.
    ///
    /// # Errors
    /// The disk's.
    pub fn create(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let (parent, name) = self.parent(path.as_ref())?;
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
        let file = rustix::fs::openat(&parent, &name, flags | OFlags::CLOEXEC, FILE)?;
        Ok(File::from(file))
    }

    /// Opens or makes a plain file for reading, and for writing behind its end, also beside other writers.
    ///
    /// # Errors
    /// As [`Root::open_file`].
    pub fn append(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let below = self.below(path.as_ref())?;
        let flags = OFlags::RDWR | OFlags::APPEND | OFlags::CREATE | OFlags::NOFOLLOW;
        let flags = flags | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = File::from(self.walk(&below, flags, FILE)?);
        if file.metadata()?.is_file() {
            Ok(file)
        } else {
            Err(not_plain(&below))
        }
    }

    /// Writes a file whole, in place of the one with its name: a new file is written beside it and renamed, so a link
    /// is replaced and never followed, and so is a file that has other names, too.
    ///
    /// # Errors
    /// The disk's.
    pub fn write(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> io::Result<()> {
        let (parent, name) = self.parent(path.as_ref())?;
        let (file, new) = create_beside(&parent)?;
        let written = write_whole(file, bytes.as_ref())
            .and_then(|()| Ok(rustix::fs::renameat(&parent, &new, &parent, &name)?));
        if written.is_err() {
            // It is ours, and of no use.
            let _ = rustix::fs::unlinkat(&parent, &new, AtFlags::empty());
        }
        written
    }

    /// Makes a folder that is not there yet.
    ///
    /// # Errors
    /// The disk's.
    pub fn create_folder(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let (parent, name) = self.parent(path.as_ref())?;
        Ok(rustix::fs::mkdirat(&parent, &name, FOLDER)?)
    }

    /// Makes a folder and those above it where they are missing.
    ///
    /// # Errors
    /// The disk's; a link in the way is one.
    pub fn create_folders(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let below = self.below(path.as_ref())?;
        let mut folder = self.folder.as_fd().try_clone_to_owned()?;
        for name in &below {
            match rustix::fs::mkdirat(&folder, name, FOLDER) {
                Ok(()) | Err(Errno::EXIST) => folder = step(folder.as_fd(), name)?,
                Err(error) => return Err(error.into()),
            }
        }
        Ok(())
    }

    /// Tells the kind of an entry; nothing where there is none.
    ///
    /// # Errors
    /// The disk's, but for what is missing.
    pub fn kind(&self, path: impl AsRef<Path>) -> io::Result<Option<EntryKind>> {
        match self.stat(path.as_ref()) {
            Ok(stat) => Ok(Some(EntryKind::of(&stat))),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Reads the file system's facts about an entry, about a link itself; nothing where nothing is, and where the way
    /// there leads through a link or a file.
    ///
    /// # Errors
    /// The disk's, but for what is missing.
    pub fn metadata(&self, path: impl AsRef<Path>) -> io::Result<Option<Metadata>> {
        let below = self.below(path.as_ref())?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match self.walk(&below, flags, Mode::empty()) {
            Ok(found) => File::from(found).metadata().map(Some),
            Err(error) => match Errno::from_io_error(&error) {
                Some(Errno::NOENT | Errno::NOTDIR | Errno::LOOP) => Ok(None),
                _ => Err(error),
            },
        }
    }

    /// Lists the entries of a folder with their kinds, by name.
    ///
    /// # Errors
    /// The disk's.
    pub fn entries(&self, path: impl AsRef<Path>) -> io::Result<Vec<(OsString, EntryKind)>> {
        let folder = self.open_folder(&self.below(path.as_ref())?)?;
        entries(folder.as_fd())
    }

    /// Removes a file or a link; nothing where there is none.
    ///
    /// # Errors
    /// The disk's.
    pub fn remove_file(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let (parent, name) = self.parent(path.as_ref())?;
        match rustix::fs::unlinkat(&parent, &name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => Ok(()),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes an entry with all in it, also where a program has taken away the right to; nothing where there is
    /// nothing. However deep it is, two folders are open at a time.
    ///
    /// # Errors
    /// The disk's.
    pub fn remove(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let (parent, name) = match self.parent(path.as_ref()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            other => other?,
        };
        match rustix::fs::statat(&parent, &name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(()),
            Err(error) => return Err(error.into()),
            Ok(stat) if EntryKind::of(&stat) != EntryKind::Folder => {
                return Ok(rustix::fs::unlinkat(&parent, &name, AtFlags::empty())?);
            }
            Ok(_) => {}
        }
        let top = step(parent.as_fd(), &name)?;
        empty(top.as_fd())?;
        Ok(rustix::fs::unlinkat(&parent, &name, AtFlags::REMOVEDIR)?)
    }

    /// Renames an entry, in place of the one with the new name.
    ///
    /// # Errors
    /// The disk's.
    pub fn rename(&self, from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
        let (from, from_name) = self.parent(from.as_ref())?;
        let (to, to_name) = self.parent(to.as_ref())?;
        Ok(rustix::fs::renameat(&from, &from_name, &to, &to_name)?)
    }

    /// Borrows the descriptor, by which this process and those that it starts reach the folder itself, even under a new
    /// name.
    #[must_use]
    pub fn descriptor(&self) -> BorrowedFd<'_> {
        self.folder.as_fd()
    }

    fn stat(&self, path: &Path) -> io::Result<Stat> {
        let below = self.below(path)?;
        if below.as_os_str().is_empty() {
            return Ok(rustix::fs::fstat(&self.folder)?);
        }
        let (parent, name) = self.parent(&below)?;
        Ok(rustix::fs::statat(
            &parent,
            &name,
            AtFlags::SYMLINK_NOFOLLOW,
        )?)
    }

    /// Opens the folder that holds an entry, and splits off the entry's name.
    fn parent(&self, path: &Path) -> io::Result<(OwnedFd, OsString)> {
        let below = self.below(path)?;
        let name = below.file_name().ok_or_else(|| leads_out(path))?;
        let above = below.parent().unwrap_or(Path::new(""));
        Ok((self.open_folder(above)?, name.to_owned()))
    }

    fn open_folder(&self, below: &Path) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        self.walk(below, flags, Mode::empty())
    }

    /// Returns a path relative to this, of names alone.
    fn below(&self, path: &Path) -> io::Result<PathBuf> {
        let below = if path.is_absolute() {
            path.strip_prefix(&self.path).map_err(|_| leads_out(path))?
        } else {
            path
        };
        let is_name = |part: Component<'_>| matches!(part, Component::Normal(name) if !name.as_bytes().contains(&0));
        let mut names = below
            .components()
            .filter(|component| *component != Component::CurDir);
        if names.clone().all(is_name) {
            return Ok(names.by_ref().collect());
        }
        Err(leads_out(path))
    }

    fn walk(&self, below: &Path, flags: OFlags, mode: Mode) -> io::Result<OwnedFd> {
        if below.as_os_str().is_empty() {
            return self.folder.as_fd().try_clone_to_owned();
        }
        match self.walk_kind {
            WalkKind::Kernel => by_kernel(self.folder.as_fd(), below, flags, mode),
            WalkKind::Steps => by_steps(self.folder.as_fd(), below, flags, mode),
        }
    }
}

impl EntryKind {
    fn of(stat: &Stat) -> Self {
        Self::of_type(FileType::from_raw_mode(stat.st_mode))
    }

    fn of_type(kind: FileType) -> Self {
        match kind {
            FileType::RegularFile => Self::File,
            FileType::Directory => Self::Folder,
            FileType::Symlink => Self::Link,
            _ => Self::Other,
        }
    }
}

/// Chooses how to walk paths: kernels before Linux 5.6 lack `openat2`, and filters of older containers refuse it.
fn walk_kind(folder: BorrowedFd<'_>) -> WalkKind {
    static WALK_KIND: OnceLock<WalkKind> = OnceLock::new();
    *WALK_KIND.get_or_init(|| {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        match by_kernel(folder, Path::new("."), flags, Mode::empty()) {
            Ok(_) => WalkKind::Kernel,
            Err(_) => WalkKind::Steps,
        }
    })
}

fn by_kernel(
    folder: BorrowedFd<'_>,
    below: &Path,
    flags: OFlags,
    mode: Mode,
) -> io::Result<OwnedFd> {
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_SYMLINKS | ResolveFlags::NO_MAGICLINKS;
    let mut n_tries = 0;
    loop {
        match rustix::fs::openat2(folder, below, flags, mode, resolve) {
            // Another process renames things while we look; a caller hears of it only where that goes on.
            Err(Errno::AGAIN | Errno::INTR) if n_tries < N_TRIES => n_tries += 1,
            other => return Ok(other?),
        }
    }
}

fn by_steps(
    folder: BorrowedFd<'_>,
    below: &Path,
    flags: OFlags,
    mode: Mode,
) -> io::Result<OwnedFd> {
    let mut held = folder.try_clone_to_owned()?;
    let mut names = below.iter().peekable();
    while let Some(name) = names.next() {
        if names.peek().is_none() {
            let flags = flags | OFlags::NOFOLLOW;
            return Ok(rustix::fs::openat(&held, name, flags, mode)?);
        }
        held = step(held.as_fd(), name)?;
    }
    Ok(held)
}

/// Opens a folder in a folder, and nothing that a link leads to.
fn step(folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder, name, flags, Mode::empty())?)
}

fn entries(folder: BorrowedFd<'_>) -> io::Result<Vec<(OsString, EntryKind)>> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
    let open = rustix::fs::openat(folder, ".", flags, Mode::empty())?;
    let mut found = Vec::new();
    for entry in Dir::new(open)? {
        let entry = entry?;
        let name = OsStr::from_bytes(entry.file_name().to_bytes());
        if name == "." || name == ".." {
            continue;
        }
        let kind = match entry.file_type() {
            // Some file systems do not say.
            FileType::Unknown => {
                match rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
                    Ok(stat) => EntryKind::of(&stat),
                    Err(Errno::NOENT) => continue,
                    Err(error) => return Err(error.into()),
                }
            }
            known => EntryKind::of_type(known),
        };
        found.push((name.to_owned(), kind));
    }
    found.sort_by(|a, b| a.0.cmp(&b.0));
    Ok(found)
}

/// Empties a folder. Folders in folders are brought to the top first: a program can nest them deeper than there are
/// descriptors, or stack.
fn empty(top: BorrowedFd<'_>) -> io::Result<()> {
    let mut n_moved: u64 = 0;
    open_up(top)?;
    loop {
        let folders: Vec<OsString> = clear(top)?;
        if folders.is_empty() {
            return Ok(());
        }
        for name in folders {
            let folder = step(top, &name)?;
            open_up(folder.as_fd())?;
            for inner in clear(folder.as_fd())? {
                open_up(step(folder.as_fd(), &inner)?.as_fd())?;
                loop {
                    n_moved += 1;
                    let new = format!("focalist-removes-{n_moved}");
                    match rustix::fs::renameat(&folder, &inner, top, &new) {
                        // Something else has that name.
                        Err(Errno::NOTEMPTY | Errno::EXIST | Errno::NOTDIR) => {}
                        other => break other?,
                    }
                }
            }
            rustix::fs::unlinkat(top, &name, AtFlags::REMOVEDIR)?;
        }
    }
}

/// Removes all entries that are no folders, and lists the folders.
fn clear(folder: BorrowedFd<'_>) -> io::Result<Vec<OsString>> {
    let mut folders = Vec::new();
    for (name, kind) in entries(folder)? {
        if kind == EntryKind::Folder {
            folders.push(name);
        } else {
            rustix::fs::unlinkat(folder, &name, AtFlags::empty())?;
        }
    }
    Ok(folders)
}

/// Gives its owner the right to look into a folder and to change it.
fn open_up(folder: BorrowedFd<'_>) -> io::Result<()> {
    let mode = Mode::from_raw_mode(rustix::fs::fstat(folder)?.st_mode);
    if mode.contains(Mode::RWXU) {
        return Ok(());
    }
    // A descriptor that only names a place cannot be changed itself; this is what it names, not what has its path now.
    let place = format!("/proc/self/fd/{}", folder.as_raw_fd());
    Ok(rustix::fs::chmod(place, Mode::RWXU)?)
}

/// Creates a file under a name that nobody has.
fn create_beside(parent: &OwnedFd) -> io::Result<(OwnedFd, String)> {
    static N_MADE: AtomicU64 = AtomicU64::new(0);
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW;
    loop {
        let n = N_MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!(".focalist-{}-{n}", std::process::id());
        match rustix::fs::openat(parent, &name, flags | OFlags::CLOEXEC, FILE) {
            Err(Errno::EXIST) => {}
            other => return Ok((other?, name)),
        }
    }
}

fn write_whole(file: OwnedFd, bytes: &[u8]) -> io::Result<()> {
    File::from(file).write_all(bytes)
}

fn leads_out(path: &Path) -> io::Error {
    let what = format!("`{}` is not below its folder", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

fn not_plain(path: &Path) -> io::Error {
    let what = format!("`{}` is not a plain file", path.display());
    io::Error::new(io::ErrorKind::InvalidInput, what)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};
    use std::sync::atomic::AtomicBool;
    use std::thread;

    use super::*;

    /// A root with a folder and a file, beside a secret; walked both ways.
    fn both(check: impl Fn(&Root, &Path)) {
        for walk_kind in [WalkKind::Kernel, WalkKind::Steps] {
            let folder = tempfile::tempdir().expect("a folder can be made");
            let inside = folder.path().join("inside");
            fs::create_dir_all(inside.join("a/b")).expect("it is made");
            fs::write(inside.join("a/b/file"), "plain").expect("it is written");
            let outside = folder.path().join("outside");
            fs::create_dir(&outside).expect("it is made");
            fs::write(outside.join("secret"), "key").expect("it is written");
            let root = Root::open(&inside).expect("it is opened");
            check(&Root { walk_kind, ..root }, &outside);
            let left = fs::read_to_string(outside.join("secret"));
            assert_eq!(left.expect("it is still there"), "key");
            let n_outside = fs::read_dir(&outside).expect("it is read").count();
            assert_eq!(n_outside, 1, "nothing was made outside");
        }
    }

    #[test]
    fn a_plain_file_is_read_by_both_kinds_of_paths() {
        both(|root, _| {
            let whole = root.path().join("a/b/file");
            assert_eq!(root.read("a/./b/file", 9).expect("it is read"), b"plain");
            assert_eq!(root.read(whole, 9).expect("it is read"), b"plain");
            let below = root.folder("a").expect("it is opened");
            assert_eq!(below.read_text("b/file", 9).expect("it is read"), "plain");
            let too_large = root.read("a/b/file", 4).expect_err("it is too large");
            assert_eq!(too_large.kind(), io::ErrorKind::FileTooLarge);
        });
    }

    #[test]
    fn no_link_is_followed_wherever_it_lies() {
        both(|root, outside| {
            let at = |text: &str| root.path().join(text);
            symlink(outside, at("folder")).expect("it is linked");
            symlink(outside.join("secret"), at("a/link")).expect("it is linked");
            symlink("b", at("a/within")).expect("it is linked");
            symlink(outside.join("new"), at("dangling")).expect("it is linked");
            for path in ["folder/secret", "a/link", "a/within/file", "dangling"] {
                assert!(root.read(path, 99).is_err(), "{path}");
            }
            assert!(root.write("folder/secret", "mine").is_err());
            assert!(root.append("a/link").is_err() && root.append("folder/new").is_err());
            assert!(root.append("dangling").is_err());
            assert!(root.create("folder/new").is_err());
            assert!(root.create("dangling").is_err());
            assert!(root.create_folders("folder/x/y").is_err());
            assert!(root.remove("folder/secret").is_err());
            assert!(root.rename("a/b/file", "folder/file").is_err());
            assert!(root.entries("folder").is_err());
            assert!(root.folder("a/within").is_err());
        });
    }

    #[test]
    fn a_link_has_metadata_of_its_own_and_nothing_behind_it_has_any() {
        both(|root, outside| {
            symlink(outside, root.path().join("link")).expect("it is linked");
            let seen = |path: &str| root.metadata(path).expect("it is asked for");
            assert!(seen("link").is_some_and(|link| link.is_symlink()));
            assert!(seen("a/b").is_some_and(|folder| folder.is_dir()));
            assert_eq!(seen("a/b/file").map(|file| file.len()), Some(5));
            for path in ["link/secret", "a/b/file/x", "missing", "missing/x"] {
                assert!(seen(path).is_none(), "{path}");
            }
            assert!(root.metadata("../outside").is_err());
        });
    }

    #[test]
    fn what_is_appended_goes_to_the_end_of_a_file_or_begins_one() {
        both(|root, _| {
            for (path, expected) in [("a/b/file", "plain!"), ("a/new", "!")] {
                let mut file = root.append(path).expect("it is opened");
                file.write_all(b"!").expect("it is written");
                assert_eq!(root.read_text(path, 9).expect("it is read"), expected);
            }
        });
    }

    #[test]
    fn what_leads_out_is_refused() {
        both(|root, outside| {
            for path in [
                "../outside/secret",
                "a/../../outside/secret",
                "",
                "/etc/passwd",
            ] {
                assert!(root.read(path, 99).is_err(), "{path}");
            }
            assert!(root.read(outside.join("secret"), 99).is_err());
            assert!(root.remove("").is_err());
        });
    }

    #[test]
    fn a_link_is_replaced_and_a_second_name_keeps_its_text() {
        both(|root, outside| {
            let at = |text: &str| root.path().join(text);
            symlink(outside.join("secret"), at("report")).expect("it is linked");
            fs::hard_link(at("a/b/file"), at("second")).expect("it is linked");
            root.write("report", "ours").expect("it is written");
            root.write("second", "ours").expect("it is written");
            assert_eq!(
                root.kind("report").expect("it is seen"),
                Some(EntryKind::File)
            );
            assert_eq!(root.read("a/b/file", 9).expect("it is read"), b"plain");
            assert_eq!(root.entries("").expect("they are read").len(), 3);
        });
    }

    #[test]
    fn a_pipe_is_not_waited_for() {
        both(|root, _| {
            let mode = Mode::from_raw_mode(0o600);
            let (kind, at) = (FileType::Fifo, root.path().join("pipe"));
            rustix::fs::mknodat(rustix::fs::CWD, at, kind, mode, 0).expect("it is made");
            assert!(root.read("pipe", 9).is_err());
        });
    }

    #[test]
    fn folders_without_end_and_without_rights_are_removed_and_links_are_not_followed() {
        both(|root, outside| {
            let deep = root.path().join("deep");
            fs::create_dir(&deep).expect("it is made");
            let mut held = Root::open(&deep).expect("it is opened");
            for _ in 0..3_000 {
                held.create_folder("d").expect("it is made");
                held.create("focalist-removes-7").expect("it is made");
                held = held.folder("d").expect("it is opened");
            }
            let closed = deep.join("closed/inner");
            fs::create_dir_all(&closed).expect("it is made");
            symlink(outside, closed.join("out")).expect("it is linked");
            for path in [&closed, &deep.join("closed")] {
                fs::set_permissions(path, fs::Permissions::from_mode(0o0)).expect("it is closed");
            }
            root.remove("deep").expect("it is removed");
            root.remove("deep").expect("nothing is there");
            root.remove("a/missing/x").expect("nothing is there");
            assert_eq!(root.kind("deep").expect("it is seen"), None);
        });
    }

    #[test]
    fn whoever_swaps_a_folder_for_a_link_meanwhile_gains_nothing() {
        both(|root, outside| {
            let is_over = AtomicBool::new(false);
            let inside = root.path();
            thread::scope(|scope| {
                scope.spawn(|| {
                    while !is_over.load(Ordering::Relaxed) {
                        // One of the two fails each time that it comes at the wrong moment.
                        let _ = fs::rename(inside.join("a"), inside.join("away"));
                        let _ = symlink(outside, inside.join("a"));
                        let _ = fs::remove_file(inside.join("a"));
                        let _ = fs::rename(inside.join("away"), inside.join("a"));
                    }
                });
                for _ in 0..2_000 {
                    if let Ok(text) = root.read("a/secret", 9) {
                        panic!("it was read: {text:?}");
                    }
                    // Where `a` is a folder at the moment, this is right.
                    let _ = root.write("a/new", "ours");
                    let _ = root.remove("a/new");
                    let _ = root.create_folders("a/x/y");
                }
                is_over.store(true, Ordering::Relaxed);
            });
        });
    }
}
