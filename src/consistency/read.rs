//! Texts to mutate, out of files, folders and JSON lines.
//!
//! Decides which files of a folder are read: sources by their names, none in hidden folders or those that tools fill. What
//! a line or a file that cannot be used is, is said as a problem.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use crate::Error;
use crate::exchange::records::{Layout, Record, each_record};
use crate::model::{Filter, Language, Problem, Reason};
use crate::store::{Extent, Store, StoredSample};
use crate::syntax::{dialect, language_of};
use crate::task::Monitor;

/// One text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// Given by whoever wrote the line; files have none.
    pub id: Option<String>,
    pub language: Language,
    /// The file, as it was found, or the list that the text stood in.
    pub path: String,
    pub source: Source,
    /// Only the functions that have one of these lines, from 1; all where nobody says.
    pub lines: Option<Vec<u32>>,
}

/// Where a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Source {
    /// To be read when it is needed.
    File(PathBuf),
    Here(String),
}

impl Source {
    /// Returns the text, or why there is none.
    pub fn text(&self, path: &str) -> Result<String, Problem> {
        let problem = |reason, detail| Problem {
            path: path.to_owned(),
            line: None,
            reason,
            detail,
        };
        match self {
            Self::Here(text) => Ok(text.clone()),
            Self::File(file) => {
                let bytes = fs::read(file)
                    .map_err(|error| problem(Reason::Unreadable, error.to_string()))?;
                if bytes.contains(&0) {
                    return Err(problem(Reason::Binary, String::new()));
                }
                String::from_utf8(bytes).map_err(|error| {
                    let at = error.utf8_error().valid_up_to() + 1;
                    problem(Reason::NotUtf8, format!("at byte {at}"))
                })
            }
        }
    }
}

/// Finds the texts under some paths, in the order of the paths and in a folder by name.
///
/// # Errors
/// A path that is not there, a file whose language nobody knows, a disk that fails.
pub fn texts(
    paths: &[PathBuf],
    language: Option<Language>,
    problems: &mut Vec<Problem>,
) -> Result<Vec<Text>, Error> {
    let mut texts = Vec::new();
    for path in paths {
        let kind = fs::metadata(path).map_err(|error| unreadable(path, error))?;
        let shown = shown(path);
        if kind.is_dir() {
            folder(path, language, &mut texts, problems)?;
        } else if matches!(extension(&shown), "jsonl" | "ndjson" | "json") {
            lines(path, language, &mut texts, problems)?;
        } else {
            let known = language_of(&shown).or(language);
            let Some(known) = known else {
                return Err(Error::UnknownLanguage { path: shown });
            };
            texts.push(Text {
                id: None,
                language: known,
                path: shown,
                source: Source::File(path.clone()),
                lines: None,
            });
        }
    }
    Ok(texts)
}

/// Finds the focal methods of the samples that a filter lets through: their files, by project and path.
///
/// # Errors
/// Those of the index, and when it was cancelled.
pub fn focal_methods(
    store: &Store,
    monitor: &Monitor,
    filter: &Filter,
    language: Option<Language>,
) -> Result<Vec<Text>, Error> {
    let mut files: BTreeMap<(String, Language), (Arc<str>, BTreeSet<u32>)> = BTreeMap::new();
    store.each_sample(filter, Extent::Sample, |sample: StoredSample| {
        monitor.step()?;
        let Some(focal) = sample.focal else {
            return Ok(());
        };
        let of = sample.repo.language;
        if language.is_none_or(|it| it == of) && !focal.text.is_empty() {
            let path = format!("{}/{}", sample.repo.name, focal.path);
            let (_, lines) = files
                .entry((path, of))
                .or_insert_with(|| (focal.text.clone(), BTreeSet::new()));
            lines.insert(focal.name_line);
        }
        Ok::<_, Error>(())
    })?;
    let texts = files
        .into_iter()
        .map(|((path, language), (text, lines))| Text {
            id: None,
            language,
            path,
            source: Source::Here(text.to_string()),
            lines: Some(lines.into_iter().collect()),
        });
    Ok(texts.collect())
}

fn extension(path: &str) -> &str {
    path.rsplit('.').next().unwrap_or_default()
}

fn shown(path: &Path) -> String {
    path.to_string_lossy().replace('\\', "/")
}

fn unreadable(path: &Path, error: std::io::Error) -> Error {
    Error::Unreadable {
        path: shown(path),
        error,
    }
}

/// Walks a folder by name; links are not followed.
fn folder(
    path: &Path,
    language: Option<Language>,
    texts: &mut Vec<Text>,
    problems: &mut Vec<Problem>,
) -> Result<(), Error> {
    let mut entries = Vec::new();
    for entry in fs::read_dir(path).map_err(|error| unreadable(path, error))? {
        let entry = entry.map_err(|error| unreadable(path, error))?;
        let kind = entry.file_type().map_err(|error| unreadable(path, error))?;
        entries.push((entry.path(), kind));
    }
    entries.sort_by(|a, b| a.0.cmp(&b.0));
    for (path, kind) in entries {
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if kind.is_dir() {
            let is_skipped = name.starts_with('.')
                || Language::ALL
                    .iter()
                    .filter(|it| language.is_none_or(|wanted| wanted == **it))
                    .any(|it| dialect(*it).files.is_skipped(&name));
            if !is_skipped && let Err(error) = folder(&path, language, texts, problems) {
                problems.push(Problem {
                    path: shown(&path),
                    line: None,
                    reason: Reason::Unreadable,
                    detail: error.to_string(),
                });
            }
        } else if kind.is_file()
            && let Some(known) = language_of(&name)
            && language.is_none_or(|it| it == known)
        {
            texts.push(Text {
                id: None,
                language: known,
                path: shown(&path),
                source: Source::File(path.clone()),
                lines: None,
            });
        }
    }
    Ok(())
}

fn lines(
    path: &Path,
    language: Option<Language>,
    texts: &mut Vec<Text>,
    problems: &mut Vec<Problem>,
) -> Result<(), Error> {
    let file = File::open(path).map_err(|error| unreadable(path, error))?;
    let list = shown(path);
    let each = |record: Record| -> Result<(), std::io::Error> {
        let line = record.line;
        match text_of(record, language) {
            Ok((id, language, source)) => texts.push(Text {
                id: Some(id),
                language,
                path: list.clone(),
                source: Source::Here(source),
                lines: None,
            }),
            Err(detail) => problems.push(Problem {
                path: list.clone(),
                line: Some(line),
                reason: Reason::BadLine,
                detail,
            }),
        }
        Ok(())
    };
    each_record(&mut BufReader::new(file), Layout::Json, each)
        .map_err(|error| unreadable(path, error))
}

/// Reads `{"id","language","source"}`.
fn text_of(record: Record, wanted: Option<Language>) -> Result<(String, Language, String), String> {
    let fields = record.fields?;
    let field = |name: &str| fields.get(name).and_then(|it| it.as_str());
    let id = match fields.get("id") {
        Some(id) => id.as_str().map_or_else(|| id.to_string(), str::to_owned),
        None => return Err("no `id`".to_owned()),
    };
    let source = field("source").ok_or("no text in `source`")?;
    let language = match field("language") {
        Some(word) => {
            let all = Language::ALL.iter().copied();
            let word = word.to_lowercase();
            all.clone()
                .find(|it| it.as_str() == word || dialect(*it).fences.contains(&word.as_str()))
                .ok_or_else(|| format!("unknown language `{word}`"))?
        }
        None => wanted.ok_or("no `language`")?,
    };
    if wanted.is_some_and(|it| it != language) {
        return Err(format!("its language is {}", dialect(language).name));
    }
    Ok((id, language, source.to_owned()))
}
