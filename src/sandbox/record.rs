//! The programs that this process starts are recorded under a token, so that the next process finds those that it could
//! not clear away.
//!
//! A folder `TOKEN` and beside it a file `TOKEN.lock` that is locked for as long as the process lives. The kernel gives
//! the lock back however that ends, so a file that is not locked belongs to a dead process. The token is on the command
//! line of all that was started, where the program that runs inside cannot change it.

use std::fs::{self, File};
use std::io::{self, Read};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use rustix::process::{Pid, Signal, kill_process};

use super::{Root, tree};

/// How often a token is drawn again because another process took its file for a dead one's, and how often processes are
/// looked for and killed again.
const N_TRIES: usize = 16;

/// The folder of this process; it goes when this is dropped.
#[derive(Debug)]
pub struct ProcessRecord {
    pub token: String,
    pub folder: PathBuf,
    lock: PathBuf,
    /// Held until the end.
    _file: File,
}

impl ProcessRecord {
    /// Creates a folder below `folder` that no other user may enter.
    pub fn take(folder: &Path) -> io::Result<Self> {
        let root = Root::make(folder)?;
        for _ in 0..N_TRIES {
            let token = token()?;
            let lock = folder.join(format!("{token}.lock"));
            let file = root.create(format!("{token}.lock"))?;
            file.lock()?;
            // Another process that swept between the two calls has removed it.
            let is_still_there =
                fs::metadata(&lock).is_ok_and(|metadata| is_same(&metadata, &file));
            if !is_still_there {
                continue;
            }
            let folder = folder.join(&token);
            // A program that runs as root may make programs there that run as root (setuid); no other user may reach
            // them.
            fs::DirBuilder::new().mode(0o700).create(&folder)?;
            return Ok(Self {
                token,
                folder,
                lock,
                _file: file,
            });
        }
        Err(io::Error::other("other programs remove its files"))
    }
}

impl Drop for ProcessRecord {
    fn drop(&mut self) {
        // The next process removes a folder that stays.
        if remove(&self.folder).is_ok() {
            let _ = fs::remove_file(&self.lock);
        }
    }
}

fn is_same(metadata: &fs::Metadata, file: &File) -> bool {
    let of = |metadata: &fs::Metadata| (metadata.dev(), metadata.ino());
    file.metadata()
        .is_ok_and(|file_metadata| of(&file_metadata) == of(metadata))
}

#[expect(
    clippy::disallowed_methods,
    reason = "it is the kernel's, and no folder of anybody"
)]
fn token() -> io::Result<String> {
    let mut bytes = [0; 16];
    File::open("/dev/urandom")?.read_exact(&mut bytes)?;
    Ok(format!("{:032x}", u128::from_ne_bytes(bytes)))
}

/// Ends what dead processes have left behind and removes their folders; returns how many there were.
pub fn sweep(folder: &Path) -> usize {
    let Ok(root) = Root::open(folder) else {
        return 0;
    };
    let entries = root.entries("").unwrap_or_default();
    let names = entries.into_iter().map(|entry| PathBuf::from(entry.0));
    let locks = names.filter(|name| {
        name.extension()
            .is_some_and(|extension| extension == "lock")
    });
    locks.filter(|lock| sweep_one(&root, lock)).count()
}

fn sweep_one(root: &Root, lock: &Path) -> bool {
    let token = lock.file_stem().and_then(|stem| stem.to_str());
    // A shorter word might be on the command line of any program.
    let is_token =
        |text: &&str| text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    let (Some(token), Ok(file)) = (token.filter(is_token), root.open_file(lock)) else {
        return false;
    };
    if file.try_lock().is_err() {
        return false;
    }
    kill_all(token);
    // A folder that cannot be removed is tried again the next time.
    let is_gone = root.remove(token).is_ok();
    is_gone && root.remove_file(lock).is_ok()
}

/// Kills all processes that hold a token, and those they have started meanwhile.
pub fn kill_all(token: &str) {
    for _ in 0..N_TRIES {
        let left = tree::holding(token);
        if left.is_empty() {
            return;
        }
        for pid in left.iter().filter_map(|n| Pid::from_raw(n.cast_signed())) {
            // It may have ended by itself.
            let _ = kill_process(pid, Signal::KILL);
        }
    }
}

/// Removes a folder and all in it, even where a program has taken away the right to; does nothing where there is none.
/// The folders above it are ours, so they are trusted.
pub fn remove(folder: &Path) -> io::Result<()> {
    let (Some(above), Some(name)) = (folder.parent(), folder.file_name()) else {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    };
    match Root::open(above) {
        Ok(root) => root.remove(name),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}
