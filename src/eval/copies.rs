//! Copies of imported files. Everything else in an index can be made anew from sources, but the files of predictions
//! may be gone, or were a pipe: so each run's files are kept unchanged in a folder of the workspace.
//!
//! A copy is whole or not there: it lies in a folder `NAME.part` until the run is in the index.

use std::fs::{self, File};
use std::io::{self, BufRead, BufWriter, Read, Write};
use std::path::{Path, PathBuf};

use crate::store::Store;

/// The folder in the workspace.
const FOLDER: &str = "imported";
/// File systems take some more.
const NAME_BYTES_MAX: usize = 200;

/// The copies of one run while it is imported.
pub struct FileCopies {
    place: PathBuf,
    part: PathBuf,
    n_files: usize,
    last: Option<PathBuf>,
}

impl FileCopies {
    /// # Errors
    /// The disk's.
    pub fn begin(store: &Store, run: &str) -> io::Result<Self> {
        let place = place(store, run);
        let mut name = place.file_name().unwrap_or_default().to_owned();
        name.push(".part");
        let part = place.with_file_name(name);
        remove(&part)?;
        fs::create_dir_all(&part)?;
        let n_files = 0;
        Ok(Self {
            place,
            part,
            n_files,
            last: None,
        })
    }

    /// Wraps the input, and copies everything that is read of it.
    ///
    /// # Errors
    /// The disk's.
    pub fn of<'i>(
        &mut self,
        name: &str,
        input: &'i mut dyn BufRead,
    ) -> io::Result<CopyingReader<'i>> {
        let name = Path::new(name).file_name().unwrap_or_default();
        let name = format!("{}-{}", self.n_files, escaped(&name.to_string_lossy()));
        self.n_files += 1;
        let place = self.last.insert(self.part.join(name));
        Ok(CopyingReader {
            input,
            copy: BufWriter::new(File::create(place)?),
            failure: None,
        })
    }

    /// Opens the copy that was made last, which must be finished.
    ///
    /// # Errors
    /// The disk's.
    pub fn last(&self) -> io::Result<File> {
        File::open(self.last.as_deref().unwrap_or(&self.part))
    }

    /// Keeps them, in place of those that an earlier run of the name had.
    ///
    /// # Errors
    /// The disk's.
    pub fn keep(self) -> io::Result<()> {
        remove(&self.place)?;
        fs::rename(&self.part, &self.place)
    }
}

impl Drop for FileCopies {
    fn drop(&mut self) {
        // A part that is left is removed by the next import of the name.
        let _left = remove(&self.part);
    }
}

/// Removes the copies of a run.
///
/// # Errors
/// The disk's.
pub fn forget(store: &Store, run: &str) -> io::Result<()> {
    remove(&place(store, run))
}

fn place(store: &Store, run: &str) -> PathBuf {
    let folder = store.path().parent().unwrap_or(Path::new("."));
    folder.join(FOLDER).join(escaped(run))
}

fn remove(folder: &Path) -> io::Result<()> {
    match fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

/// Escapes a name to one that every file system keeps apart.
fn escaped(name: &str) -> String {
    let mut escaped = String::new();
    for byte in name.bytes() {
        let is_plain = byte.is_ascii_alphanumeric() || b"-_".contains(&byte);
        // A point in front would hide it, and two of them lead elsewhere.
        if is_plain || (byte == b'.' && !escaped.is_empty()) {
            escaped.push(char::from(byte));
        } else {
            escaped.push_str(&format!("%{byte:02X}"));
        }
        if escaped.len() >= NAME_BYTES_MAX {
            break;
        }
    }
    escaped
}

/// An input whose bytes are copied as they are read.
pub struct CopyingReader<'i> {
    input: &'i mut dyn BufRead,
    copy: BufWriter<File>,
    /// Returned by the next read: `consume` cannot.
    failure: Option<io::Error>,
}

impl CopyingReader<'_> {
    /// # Errors
    /// The disk's.
    pub fn finish(mut self) -> io::Result<()> {
        match self.failure.take() {
            Some(error) => Err(error),
            None => self.copy.flush(),
        }
    }
}

impl BufRead for CopyingReader<'_> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        match self.failure.take() {
            Some(error) => Err(error),
            None => self.input.fill_buf(),
        }
    }

    fn consume(&mut self, n: usize) {
        if n == 0 {
            return;
        }
        // What is consumed is in the buffer, so nothing is read here.
        let copied = self
            .input
            .fill_buf()
            .and_then(|bytes| self.copy.write_all(&bytes[..n.min(bytes.len())]));
        if let Err(error) = copied {
            self.failure.get_or_insert(error);
        }
        self.input.consume(n);
    }
}

impl Read for CopyingReader<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let bytes = self.fill_buf()?;
        let n = bytes.len().min(buffer.len());
        buffer[..n].copy_from_slice(&bytes[..n]);
        self.consume(n);
        Ok(n)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_their_folder() {
        let check = |name: &str, expected: &str| assert_eq!(escaped(name), expected);
        check("steady-1.jsonl", "steady-1.jsonl");
        check("../a b", "%2E.%2Fa%20b");
        check("", "");
        assert!(escaped(&"ü".repeat(500)).len() < 255);
    }
}
