//! Locks between processes, each on a separate file beside the locked one.

use std::fs::{File, TryLockError};
use std::io;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use rustix::fs::OFlags;

use super::error::{StoreError, StoreFailure};

/// A lock, not taken at first; it is released when this is dropped.
#[derive(Debug)]
pub(super) struct LockFile(File);

impl LockFile {
    /// Opens the lock file that stands for the file at `path`, and creates it where it is missing.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        File::options()
            .create(true)
            .truncate(false)
            .write(true)
            // A link may have come with somebody else's folder, and point anywhere.
            .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
            .open(path.with_extension("lock"))
            .map(Self)
            .map_err(|error| StoreFailure::Io(error).at(path))
    }

    /// Waits for the lock.
    pub(super) fn lock(&self) -> io::Result<()> {
        self.0.lock()
    }

    /// Takes the lock, or returns that another process has it.
    pub(super) fn try_lock(&self) -> Result<(), TryLockError> {
        self.0.try_lock()
    }
}

impl Drop for LockFile {
    /// A child that is just being started shares the open file until its own program begins, so that closing it here is
    /// not enough.
    fn drop(&mut self) {
        let _ = self.0.unlock();
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_lock_is_no_link() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let elsewhere = folder.path().join("elsewhere");
        symlink(&elsewhere, folder.path().join("index.lock")).expect("it is linked");
        LockFile::open(&folder.path().join("index.db")).expect_err("it is a link");
        assert!(fs::symlink_metadata(elsewhere).is_err());
    }

    #[test]
    fn a_lock_is_free_again_while_a_child_still_has_its_file() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        let path = folder.path().join("index.db");
        let lock = LockFile::open(&path).expect("the lock opens");
        lock.lock().expect("the lock is free");
        let of_child = lock.0.try_clone().expect("it can be shared");
        let other = LockFile::open(&path).expect("the lock opens");
        assert!(other.try_lock().is_err());
        drop(lock);
        other.try_lock().expect("the lock is free");
        drop(of_child);
    }
}
