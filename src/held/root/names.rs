//! Names below a root that lead elsewhere or are second ones: links are read and made, and never followed.

use std::fs::File;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};

use rustix::fs::AtFlags;

use super::Root;

impl Root {
    /// Reads the target of a link.
    ///
    /// # Errors
    /// The disk's; what is no link has no such text.
    pub fn read_link(&self, path: impl AsRef<Path>) -> io::Result<PathBuf> {
        let (parent, name) = self.parent(path.as_ref())?;
        let text = rustix::fs::readlinkat(&parent, &name, Vec::new())?;
        Ok(PathBuf::from(std::ffi::OsString::from_vec(
            text.into_bytes(),
        )))
    }

    /// Makes a link with a text; nothing has its name yet.
    ///
    /// # Errors
    /// The disk's.
    pub fn symlink(&self, text: &Path, path: impl AsRef<Path>) -> io::Result<()> {
        let (parent, name) = self.parent(path.as_ref())?;
        Ok(rustix::fs::symlinkat(text, &parent, &name)?)
    }

    /// Gives a file of this root another name below another one, which nothing has yet.
    ///
    /// # Errors
    /// The disk's; two disks have no file in common.
    pub fn link(
        &self,
        path: impl AsRef<Path>,
        other: &Self,
        new: impl AsRef<Path>,
    ) -> io::Result<()> {
        let (from, from_name) = self.parent(path.as_ref())?;
        let (to, to_name) = other.parent(new.as_ref())?;
        // Without `SYMLINK_FOLLOW` a link would itself get the second name.
        Ok(rustix::fs::linkat(
            &from,
            &from_name,
            &to,
            &to_name,
            AtFlags::empty(),
        )?)
    }

    /// Takes a lock that others respect, and waits for it. It is held for as long as the file is open.
    ///
    /// # Errors
    /// The disk's.
    pub fn lock(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let path = path.as_ref();
        let file = match self.create(path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => self.open_file(path)?,
            other => other?,
        };
        file.lock()?;
        Ok(file)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;

    use super::*;

    #[test]
    fn a_second_name_is_given_to_what_is_there_and_to_nothing_behind_a_link() {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let place = |name: &str| folder.path().join(name);
        fs::create_dir_all(place("a")).expect("it is made");
        fs::create_dir_all(place("b")).expect("it is made");
        fs::write(place("secret"), "key").expect("it is written");
        fs::write(place("a/file"), "plain").expect("it is written");
        symlink(place("secret"), place("a/link")).expect("it is linked");
        symlink(folder.path(), place("a/out")).expect("it is linked");
        let (a, b) = (
            Root::open(&place("a")).expect("it is opened"),
            Root::open(&place("b")).expect("it is opened"),
        );
        a.link("file", &b, "file").expect("it is linked");
        assert_eq!(b.read("file", 9).expect("it is read"), b"plain");
        a.link("link", &b, "link").expect("the link is linked");
        assert!(b.read("link", 9).is_err(), "it is still a link");
        assert!(a.link("out/secret", &b, "secret").is_err());
        assert!(b.link("file", &a, "out/new").is_err());
        assert_eq!(a.read_link("link").expect("it is a link"), place("secret"));
        assert!(a.symlink(Path::new("x"), "out/new").is_err());
        assert!(a.lock("link").is_err(), "a lock is no link");
        drop(a.lock("lock").expect("it is taken"));
        drop(a.lock("lock").expect("it is taken again"));
        assert!(!place("new").exists());
    }
}
