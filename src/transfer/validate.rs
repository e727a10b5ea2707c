//! The verb `validate`: checks files in our own formats, and the cards, descriptions and manifests beside them, by what
//! their readers expect. Nothing is changed.
//!
//! Decides which format a file has (by its name, or by its first line), and how files of one folder belong together.
//! Lines that an import reads are read by the import's own reader, so that a valid line here is taken there; formats
//! without a reader are checked by tables ([`shapes`]).

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;

use crate::task::{Cancelled, Monitor, Phase};

mod documents;
mod folder;
mod lines;
mod packed;
mod shapes;

#[cfg(test)]
mod tests;

use folder::FolderContents;

/// The most problems that are kept; all are counted.
const FLAWS_MAX: usize = 10_000;

/// A document that is read as a whole is not longer: it holds no data.
const DOCUMENT_BYTES_MAX: u64 = 256 << 20;

/// The flaw of a file, and its remedy.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FileFlaw {
    /// Below the folder that was asked for, with `/`; of a single file its name.
    pub path: String,
    /// From 1; of a Parquet file the row. Nothing where the whole file is meant.
    pub line: Option<u32>,
    /// Lower-case fragments.
    pub what: String,
    pub mend: String,
}

/// A file that was checked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedFile {
    pub path: String,
    /// The kind of file, such as `samples`.
    pub kind: &'static str,
    /// Lines or rows; nothing for a document.
    pub n_records: Option<u64>,
}

/// The result of checking files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Validation {
    pub files: Vec<CheckedFile>,
    /// Files in formats that are not ours; they were not checked.
    pub unknown: Vec<String>,
    pub n_flaws: u64,
    /// The first of them, at most 10,000, by file and line.
    pub flaws: Vec<FileFlaw>,
}

impl Validation {
    /// Tells whether something was checked and no flaw was found.
    #[must_use]
    pub const fn is_valid(&self) -> bool {
        self.n_flaws == 0 && !self.files.is_empty()
    }

    fn add(&mut self, flaw: FileFlaw) {
        self.n_flaws += 1;
        if self.flaws.len() < FLAWS_MAX {
            self.flaws.push(flaw);
        }
    }
}

#[derive(Debug, thiserror::Error)]
pub enum ValidateError {
    #[error("cannot read `{}`: {source}", path.display())]
    Read { path: PathBuf, source: io::Error },
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}

/// Checks a file, or all files below a folder; links to folders are not followed, and hidden ones are left out except
/// `.eval_results`.
///
/// # Errors
/// There is no such file or folder, or it cannot be read; cancelling. A file below the folder that cannot be read is a flaw.
pub fn validate(monitor: &Monitor, path: &Path) -> Result<Validation, ValidateError> {
    monitor.enter(Phase::Reading);
    let unreadable = |source| ValidateError::Read {
        path: path.to_owned(),
        source,
    };
    let (mut files, mut others) = (Vec::new(), Vec::new());
    let root = if fs::metadata(path).map_err(unreadable)?.is_dir() {
        walk(path, "", (&mut files, &mut others)).map_err(unreadable)?;
        path.to_owned()
    } else {
        File::open(path).map_err(unreadable)?;
        let name = path.file_name().unwrap_or_default();
        files.push(name.to_string_lossy().into_owned());
        path.parent().unwrap_or(Path::new("")).to_owned()
    };
    monitor
        .n_files_total
        .fetch_add(files.len() as u64, Ordering::Relaxed);
    let mut check = FileCheck {
        root: &root,
        monitor,
        path: String::new(),
        result: Validation {
            unknown: others,
            ..Validation::default()
        },
        known: FolderContents::default(),
    };
    for file in files {
        check.path = file;
        check.file()?;
        monitor.n_files.fetch_add(1, Ordering::Relaxed);
    }
    if path.is_dir() {
        folder::check(&mut check)?;
    }
    let mut result = check.result;
    result.flaws.sort();
    Ok(result)
}

/// Lists files, a folder's by name, and separately entries that are no files: to open a pipe would mean to wait.
fn walk(
    folder: &Path,
    below: &str,
    (files, others): (&mut Vec<String>, &mut Vec<String>),
) -> io::Result<()> {
    let mut entries = fs::read_dir(folder)?.collect::<Result<Vec<_>, _>>()?;
    entries.sort_by_key(fs::DirEntry::file_name);
    for entry in entries {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        if name.starts_with('.') && name != documents::RESULTS_FOLDER {
            continue;
        }
        let path = format!("{below}{name}");
        if entry.file_type()?.is_dir() {
            walk(
                &entry.path(),
                &format!("{path}/"),
                (&mut *files, &mut *others),
            )?;
        } else if fs::metadata(entry.path()).is_ok_and(|metadata| metadata.is_file()) {
            files.push(path);
        } else {
            others.push(path);
        }
    }
    Ok(())
}

/// A check that goes on.
struct FileCheck<'c> {
    root: &'c Path,
    monitor: &'c Monitor,
    /// The path of the file that is being checked.
    path: String,
    result: Validation,
    known: FolderContents,
}

impl FileCheck<'_> {
    /// Reports a flaw of the file in view.
    fn flaw(&mut self, line: impl Into<Option<u32>>, what: impl Into<String>, mend: &str) {
        let path = self.path.clone();
        self.result.add(FileFlaw {
            path,
            line: line.into(),
            what: what.into(),
            mend: mend.to_owned(),
        });
    }

    fn checked(&mut self, kind: &'static str, n_records: Option<u64>) {
        self.result.files.push(CheckedFile {
            path: self.path.clone(),
            kind,
            n_records,
        });
    }

    fn place(&self) -> PathBuf {
        self.root.join(&self.path)
    }

    /// Looks at one file, whichever it is.
    fn file(&mut self) -> Result<(), Cancelled> {
        self.monitor.step()?;
        let extension = Path::new(&self.path).extension();
        let extension = extension.map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        let checked = match extension.as_deref() {
            Some("jsonl") => lines::check(self),
            Some("parquet") => packed::check(self),
            extension => documents::check(self, extension),
        };
        match checked {
            Ok(()) => Ok(()),
            Err(ReadHalt::Cancelled(cancelled)) => Err(cancelled),
            Err(ReadHalt::Io(error)) => {
                self.checked("unreadable", None);
                let what = format!("cannot be read: {error}");
                self.flaw(None, what, "let it be read, or remove it");
                Ok(())
            }
        }
    }

    /// Reads the text of a document; nothing where that is a flaw already.
    fn text(&mut self) -> Result<Option<String>, ReadHalt> {
        let mut bytes = Vec::new();
        let file = File::open(self.place())?;
        let mut limited = BufReader::new(file).take(DOCUMENT_BYTES_MAX + 1);
        limited.read_to_end(&mut bytes)?;
        if bytes.len() as u64 > DOCUMENT_BYTES_MAX {
            let what = format!("longer than {} MiB", DOCUMENT_BYTES_MAX >> 20);
            self.flaw(None, what, "it holds no data, so keep it short");
            return Ok(None);
        }
        match String::from_utf8(bytes) {
            Ok(text) => Ok(Some(text)),
            Err(error) => {
                let at = error.utf8_error().valid_up_to();
                let before = String::from_utf8_lossy(&error.as_bytes()[..at]);
                let line = 1 + before.matches('\n').count();
                let line = u32::try_from(line).unwrap_or(u32::MAX);
                self.flaw(line, "not UTF-8", "write it in UTF-8");
                Ok(None)
            }
        }
    }
}

/// Why a file was not read to its end.
#[derive(Debug, thiserror::Error)]
enum ReadHalt {
    #[error(transparent)]
    Io(#[from] io::Error),
    #[error(transparent)]
    Cancelled(#[from] Cancelled),
}
