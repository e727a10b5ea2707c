//! The class path of a run: the jars that it names, their bytes, and a fingerprint that distinguishes class paths.
//!
//! A path that the user typed must be there; files in a folder and entries of a jar may be of no use: that is a
//! problem, and everything else goes on. Class files are read in `lang`.

use std::fs::{self, File};
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rayon::prelude::*;

use super::sources::SourceError;
use crate::lang::Outside;
use crate::lang::java::Libraries;
use crate::lang::java::classpath::{ClassPath, Jar};
use crate::model::{Problem, Reason};
use crate::task::{Cancelled, Monitor};

/// One gibibyte; the largest jars that people compile with have a tenth of that.
const JAR_SIZE_BYTES_MAX: u64 = 1024 * 1024 * 1024;

/// A class path that was read.
pub struct LoadedClassPath {
    /// The value with which a project is built, so that the classes of the path are known.
    pub outside: Outside,
    class_path: Option<Arc<ClassPath>>,
    /// Name and hash of every jar, in order.
    jars: Vec<String>,
    problems: Vec<Problem>,
}

impl LoadedClassPath {
    /// Makes the part of a stamp for the class path: names and hashes, no folders. Empty without a class path.
    pub fn fingerprint(&self) -> String {
        if self.jars.is_empty() {
            String::new()
        } else {
            format!(" classpath={}", self.jars.join(","))
        }
    }

    /// Lists the jars and classes that could not be used so far. A class is read on its first use, so the list is
    /// complete only when the work is done.
    pub fn problems(&self) -> Vec<Problem> {
        let found = self
            .class_path
            .iter()
            .flat_map(|class_path| class_path.problems());
        self.problems.iter().cloned().chain(found).collect()
    }
}

/// Reads the jars that `paths` name: a file is a jar, a folder (also written `folder/*`) stands for all jars in it.
///
/// # Errors
/// A path that does not exist or cannot be read, and cancelling.
pub fn load(paths: &[PathBuf], monitor: &Monitor) -> Result<LoadedClassPath, SourceError> {
    if paths.is_empty() {
        return Ok(LoadedClassPath {
            outside: Outside::default(),
            class_path: None,
            jars: Vec::new(),
            problems: Vec::new(),
        });
    }
    let mut problems = Vec::new();
    let mut files = Vec::new();
    for path in paths {
        let found = jars_at(path).map_err(|source| SourceError::Read {
            path: path.clone(),
            source,
        })?;
        if found.is_empty() {
            problems.push(problem(path, Reason::Empty, "no jars".to_owned()));
        }
        files.extend(found);
    }
    let read = files
        .par_iter()
        .map(|path| {
            monitor.step()?;
            Ok(read(path))
        })
        .collect::<Result<Vec<_>, Cancelled>>()?;
    let mut jars = Vec::new();
    let mut names = Vec::new();
    for read in read {
        match read {
            Ok((name, jar)) => {
                names.push(name);
                jars.push(jar);
            }
            Err(problem) => problems.push(problem),
        }
    }
    let class_path = Arc::new(ClassPath::open(jars));
    Ok(LoadedClassPath {
        outside: Outside {
            java: Some(Libraries::of(Arc::clone(&class_path))),
            ..Outside::default()
        },
        class_path: Some(class_path),
        jars: names,
        problems,
    })
}

/// Returns the jars that one path names, a folder's sorted by name.
fn jars_at(path: &Path) -> io::Result<Vec<PathBuf>> {
    let folder = match path.file_name() {
        Some(name) if name == "*" => path.parent().unwrap_or(path),
        _ => path,
    };
    let folder = if folder.as_os_str().is_empty() {
        Path::new(".")
    } else {
        folder
    };
    if !fs::metadata(folder)?.is_dir() {
        File::open(folder)?;
        return Ok(vec![folder.to_path_buf()]);
    }
    let mut jars = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        let is_jar = path
            .extension()
            .is_some_and(|extension| extension.eq_ignore_ascii_case("jar"));
        if is_jar && path.is_file() {
            jars.push(path);
        }
    }
    jars.sort();
    Ok(jars)
}

/// Reads one jar; also returns its name and hash.
fn read(path: &Path) -> Result<(String, Jar), Problem> {
    let unreadable = |error: io::Error| problem(path, Reason::Unreadable, error.to_string());
    let file = File::open(path).map_err(unreadable)?;
    let mut bytes = Vec::new();
    file.take(JAR_SIZE_BYTES_MAX + 1)
        .read_to_end(&mut bytes)
        .map_err(unreadable)?;
    if bytes.len() as u64 > JAR_SIZE_BYTES_MAX {
        let detail = format!("the limit is {JAR_SIZE_BYTES_MAX} bytes");
        return Err(problem(path, Reason::TooLarge, detail));
    }
    let file_name = path.file_name().unwrap_or(path.as_os_str());
    let hash = blake3::hash(&bytes).to_hex();
    let name = format!("{}@{}", file_name.to_string_lossy(), &hash[..16]);
    let jar = Jar {
        name: path.display().to_string(),
        bytes,
    };
    Ok((name, jar))
}

fn problem(path: &Path, reason: Reason, detail: String) -> Problem {
    Problem {
        path: path.display().to_string(),
        line: None,
        reason,
        detail,
    }
}
