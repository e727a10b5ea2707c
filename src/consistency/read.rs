//! Texts to mutate, out of files, folders and JSON lines.
//!
//! Decides which files of a folder are read: source files by their names, none in hidden folders or in folders that
//! tools fill; and which field of a line is what, in the files of known corpora. A line or a file that cannot be used
//! is a problem.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::io::BufReader;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::ConsistencyError;
use crate::exchange::records::{Fields, Record, RecordError, RecordLayout, each_record, text_at};
use crate::fault::LineFault;
use crate::model::{Filter, Language, Problem, Reason};
use crate::seeds;
use crate::store::{Extent, Store, StoredSample};
use crate::syntax::{dialect, language_of};
use crate::task::Monitor;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// The line's own name, else a hash of its path and text; files have none.
    pub id: Option<String>,
    pub language: Language,
    /// The path of the file as it was found or as the line names it, else the path of the list that the text stood in.
    pub path: String,
    /// Whether `path` is where the text is from: several lines with one path are parts of one file.
    pub has_path: bool,
    /// The data set that the line names.
    pub dataset: Option<String>,
    pub source: TextSource,
    /// Only functions with one of these lines, counted from 1, are meant; `None` means all.
    pub lines: Option<Vec<u32>>,
}

/// Where a text is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TextSource {
    /// A file, read when it is needed.
    File(PathBuf),
    Here(String),
}

impl TextSource {
    /// Reads the text, or explains why there is none.
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

/// Texts that were found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TextList {
    pub list: Vec<Text>,
    /// Lines without an id, which are named by their texts.
    pub n_unnamed: u64,
}

/// Finds the texts under some paths, in the order of the paths and in a folder by name.
///
/// # Errors
/// A path that is not there, a file of an unknown language, a disk that fails.
pub fn texts(
    paths: &[PathBuf],
    language: Option<Language>,
    problems: &mut Vec<Problem>,
) -> Result<TextList, ConsistencyError> {
    let mut found = TextList::default();
    for path in paths {
        let kind = fs::metadata(path).map_err(|error| unreadable(path, error))?;
        let shown = shown(path);
        if kind.is_dir() {
            folder(path, language, &mut found.list, problems)?;
        } else if matches!(extension(&shown), "jsonl" | "ndjson" | "json") {
            lines(path, language, &mut found, problems)?;
        } else {
            let known = language_of(&shown).or(language);
            let Some(known) = known else {
                return Err(ConsistencyError::UnknownLanguage { path: shown });
            };
            found.list.push(of_file(path.clone(), shown, known));
        }
    }
    Ok(found)
}

/// Describes the text of a file that is read later.
fn of_file(file: PathBuf, path: String, language: Language) -> Text {
    Text {
        id: None,
        language,
        path,
        has_path: true,
        dataset: None,
        source: TextSource::File(file),
        lines: None,
    }
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
) -> Result<Vec<Text>, ConsistencyError> {
    let mut files: BTreeMap<(String, Language), (Arc<str>, BTreeSet<u32>)> = BTreeMap::new();
    store.each_sample(filter, Extent::Sample, |sample: StoredSample| {
        monitor.step()?;
        let Some(focal) = sample.focal else {
            return Ok(());
        };
        let of = sample.repo.language;
        if language.is_none_or(|language| language == of) && !focal.text.is_empty() {
            let path = format!("{}/{}", sample.repo.name, focal.path);
            let (_, lines) = files
                .entry((path, of))
                .or_insert_with(|| (focal.text.clone(), BTreeSet::new()));
            lines.insert(focal.name_line);
        }
        Ok::<_, ConsistencyError>(())
    })?;
    let texts = files
        .into_iter()
        .map(|((path, language), (text, lines))| Text {
            id: None,
            language,
            path,
            has_path: true,
            dataset: None,
            source: TextSource::Here(text.to_string()),
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

fn unreadable(path: &Path, error: std::io::Error) -> ConsistencyError {
    ConsistencyError::Unreadable {
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
) -> Result<(), ConsistencyError> {
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
                    .filter(|candidate| language.is_none_or(|wanted| wanted == **candidate))
                    .any(|language| dialect(*language).files.is_skipped(&name));
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
            && language.is_none_or(|language| language == known)
        {
            let shown = shown(&path);
            texts.push(of_file(path, shown, known));
        }
    }
    Ok(())
}

fn lines(
    path: &Path,
    language: Option<Language>,
    found: &mut TextList,
    problems: &mut Vec<Problem>,
) -> Result<(), ConsistencyError> {
    let file = File::open(path).map_err(|error| unreadable(path, error))?;
    let list = shown(path);
    let mut names: FxHashSet<String> = FxHashSet::default();
    let each = |record: Record| -> Result<(), std::io::Error> {
        let number = record.line;
        let fields = record.fields.map_err(LineFault::from);
        match fields.and_then(|field| line_of(&field, language)) {
            Ok(line) => {
                let id = line.id.unwrap_or_else(|| {
                    found.n_unnamed += 1;
                    let name = named(line.path.as_deref().unwrap_or_default(), &line.source);
                    // The same text again gets its line number behind the name.
                    if names.insert(name.clone()) {
                        name
                    } else {
                        format!("{name}-{number}")
                    }
                });
                found.list.push(Text {
                    id: Some(id),
                    language: line.language,
                    has_path: line.path.is_some(),
                    path: line.path.unwrap_or_else(|| list.clone()),
                    dataset: line.dataset,
                    source: TextSource::Here(line.source),
                    lines: None,
                });
            }
            Err(fault) => problems.push(Problem::bad_line(&list, number, &fault)),
        }
        Ok(())
    };
    each_record(&mut BufReader::new(file), RecordLayout::Json, each)
        .map_err(|error| unreadable(path, error))
}

/// Makes a name for a text without one.
fn named(path: &str, source: &str) -> String {
    let mut hasher = blake3::Hasher::new();
    hasher.update(path.as_bytes());
    hasher.update(&[0]);
    hasher.update(source.as_bytes());
    hasher.finalize().to_hex()[..16].to_owned()
}

/// The fields of a line that are used.
#[derive(Debug, PartialEq, Eq)]
struct TextRecord {
    id: Option<String>,
    language: Language,
    path: Option<String>,
    dataset: Option<String>,
    source: String,
}

/// The fields with the text of a function: our own name first, then those of `CodeSearchNet` as it was published and as
/// `datasets` has it, then those of collections of solutions.
const SOURCES: [&str; 7] = [
    "source",
    "original_string",
    "whole_func_string",
    "func_code_string",
    "code",
    "solution",
    "completion",
];

/// The fields with the path of its file.
const PATHS: [&str; 2] = ["path", "func_path_in_repository"];

/// The fields with its name.
const IDS: [&str; 2] = ["id", "task_id"];

/// Reads a line of one of the corpora. A text may also stand in a field named after the wanted language, and inside a
/// fenced code block.
fn line_of(fields: &Fields, wanted: Option<Language>) -> Result<TextRecord, LineFault> {
    let field = |name: &str| fields.get(name).and_then(|field| field.as_str());
    let first = |names: &[&str]| names.iter().find_map(|name| field(name)).map(str::to_owned);
    let id = IDS.iter().find_map(|text| fields.get(*text));
    let id = id.filter(|value| !value.is_null());
    let own = wanted.and_then(|language| field(language.as_str()));
    let source = own.or_else(|| SOURCES.iter().find_map(|text| field(text)));
    let source = source.map_or_else(|| text_at(fields, "source"), Ok)?;
    let language = match field("language") {
        Some(word) => seeds::language(&word.to_lowercase())?,
        None => wanted.ok_or_else(|| RecordError::missing_in(fields, "language"))?,
    };
    if wanted.is_some_and(|wanted| wanted != language) {
        return Err(LineFault::OtherLanguage { language });
    }
    Ok(TextRecord {
        id: id.map(|value| {
            value
                .as_str()
                .map_or_else(|| value.to_string(), str::to_owned)
        }),
        language,
        path: first(&PATHS),
        dataset: first(&["dataset"]),
        source: unfenced(source).to_owned(),
    })
}

/// Takes the content of a text that is one code block; any other text stays unchanged.
fn unfenced(text: &str) -> &str {
    let inside = text.trim().strip_prefix("```").and_then(|rest| {
        let (_, code) = rest.split_once('\n')?;
        let code = code.strip_suffix("```")?;
        (!code.contains("```")).then_some(code)
    });
    inside.unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    fn check(lines: &[&str], language: Option<Language>) -> (TextList, Vec<String>) {
        let folder = tempfile::tempdir().expect("a folder can be made");
        let path = folder.path().join("corpus.jsonl");
        fs::write(&path, lines.join("\n")).expect("a file can be written");
        let mut problems = Vec::new();
        let found = texts(&[path], language, &mut problems).expect("it can be read");
        let problems = problems.into_iter().map(|problem| problem.detail);
        (found, problems.collect())
    }

    #[test]
    fn a_line_without_an_id_is_named_by_its_text_and_counted() {
        let line = r#"{"language":"python","source":"def f(a):\n    return a\n"}"#;
        let other = r#"{"language":"python","source":"def g(a):\n    return a\n"}"#;
        let (found, problems) = check(&[line, other, line], None);
        assert!(problems.is_empty(), "{problems:?}");
        assert_eq!(found.n_unnamed, 3);
        let ids: Vec<&str> = found
            .list
            .iter()
            .filter_map(|text| text.id.as_deref())
            .collect();
        assert_eq!(ids[0].len(), 16, "{ids:?}");
        assert_ne!(ids[0], ids[1]);
        assert_eq!(ids[2], format!("{}-3", ids[0]));
        let (again, _) = check(&[other, line], None);
        assert_eq!(
            again.list[1].id.as_deref(),
            Some(ids[0]),
            "whatever the order"
        );
    }

    #[test]
    fn corpora_have_other_names_for_a_text_and_its_path() {
        let published = r#"{"repo":"a/b","path":"b/c.py","func_name":"f","original_string":"def f():\n  pass","language":"python","code":"x"}"#;
        let packed = r#"{"repository_name":"a/b","func_path_in_repository":"b/d.py","whole_func_string":"def g():\n  pass","language":"python"}"#;
        let solved = r#"{"id":7,"title":"two sum","java":"class X {}","python":"```python\ndef h():\n  pass\n```","dataset":"leetcode"}"#;
        let (found, problems) = check(&[published, packed, solved], Some(Language::Python));
        assert!(problems.is_empty(), "{problems:?}");
        let told: Vec<_> = found
            .list
            .iter()
            .map(|text| {
                (
                    text.path.as_str(),
                    text.has_path,
                    text.source.text("").expect("it is here"),
                )
            })
            .collect();
        assert_eq!(told[0], ("b/c.py", true, "def f():\n  pass".to_owned()));
        assert_eq!(told[1], ("b/d.py", true, "def g():\n  pass".to_owned()));
        assert_eq!(
            (told[2].1, told[2].2.as_str()),
            (false, "def h():\n  pass\n")
        );
        assert_eq!(found.list[2].id.as_deref(), Some("7"));
        assert_eq!(found.list[2].dataset.as_deref(), Some("leetcode"));
        assert_eq!(found.n_unnamed, 2);
    }

    #[test]
    fn a_line_without_a_text_or_of_another_language_is_a_problem() {
        let (found, problems) = check(
            &[
                r#"{"id":"a","language":"python"}"#,
                r#"{"id":"b","language":"java","source":"class A {}"}"#,
            ],
            Some(Language::Python),
        );
        assert!(found.list.is_empty());
        assert_eq!(
            problems,
            [
                "no field `source` beside `id` `language`",
                "its language is Java"
            ]
        );
    }
}
