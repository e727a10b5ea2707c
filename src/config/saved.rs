//! Filters that a workspace keeps under a name: `name = "filter text"` in `.focalist/filters.toml`.
//!
//! They travel with the workspace, so that all who work in it mean the same by `@name`. People may write the file by
//! hand: saving changes the one entry, and every comment and the order of the others stay. Does not know what a filter
//! may say; that is `browse`'s. Where two users save at the same moment, the later file stands, whole.

use std::collections::BTreeMap;
use std::io;
use std::ops::Range;
use std::path::{Path, PathBuf};

use toml::de::{DeTable, DeValue};

use super::parse::{TextPlaces, not_toml};
use super::{ConfigProblem, PROBLEMS_MAX, SIZE_BYTES_MAX, file};

/// The name of the file in the workspace's folder.
pub const FILE_NAME: &str = "filters.toml";
/// The most characters of a name.
pub const NAME_CHARS_MAX: usize = 64;

const HEAD: &str = "\
# Filters that everybody who works here can use as `@name`. `focalist filters` lists them; comments stay.
";

/// The saved filters of a workspace.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedFilters {
    /// By name: letters, digits, `-` and `_`. No text is empty.
    filters: BTreeMap<String, String>,
    /// The flaws of the file, by place; everything else counts.
    pub problems: Vec<ConfigProblem>,
}

/// Why a filter could not be saved, or taken out.
#[derive(Debug, thiserror::Error)]
pub enum SavedError {
    #[error("`{0}` cannot name a filter: letters, digits, `-` and `_`, at most {NAME_CHARS_MAX}")]
    Name(String),
    #[error("there is nothing to save as `@{0}`")]
    Empty(String),
    #[error("no filter is saved as `@{0}`")]
    Unknown(String),
    /// The file is no TOML, so that changing it could lose something.
    #[error("{0}")]
    Broken(ConfigProblem),
    #[error("the saved filters would be longer than {SIZE_BYTES_MAX} bytes")]
    TooLong,
    #[error("cannot use `{path}`: {source}")]
    Io { path: PathBuf, source: io::Error },
}

/// Tells whether a filter can be saved under this name.
#[must_use]
pub fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= NAME_CHARS_MAX
        && name
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_')
}

impl SavedFilters {
    /// Loads the filters of the workspace `.focalist`; none where nothing is saved. What cannot be read or used is
    /// among the problems.
    #[must_use]
    pub fn load(folder: &Path) -> Self {
        let path = folder.join(FILE_NAME);
        let name = path.display().to_string();
        match file::read(&path) {
            Ok(text) => Self::of(&name, &text.unwrap_or_default()),
            Err(error) => Self {
                filters: BTreeMap::new(),
                problems: vec![ConfigProblem {
                    place: TextPlaces::new(&name, "").at(0),
                    text: format!("cannot be read: {error}"),
                }],
            },
        }
    }

    /// Reads the filters in a text that was read from `path`.
    #[must_use]
    pub fn of(path: &str, text: &str) -> Self {
        let mut saved = Self::default();
        let places = TextPlaces::new(path, text);
        let (table, errors) = DeTable::parse_recoverable(text);
        let mut problem = |span: Range<usize>, text: String| {
            let place = places.at(span.start);
            saved.problems.push(ConfigProblem { place, text });
        };
        // What a parser makes of a broken text is a guess; in a sound one every entry counts by itself.
        if let Some(error) = errors.first() {
            problem(error.span().unwrap_or(0..0), not_toml(error));
            return saved;
        }
        for (key, value) in table.get_ref() {
            let name = key.get_ref().as_ref();
            match value.get_ref() {
                _ if !is_name(name) => problem(
                    key.span(),
                    format!("`{name}` cannot name a filter: letters, digits, `-` and `_`"),
                ),
                DeValue::String(text) if !text.trim().is_empty() => {
                    let text = text.trim().to_owned();
                    saved.filters.insert(name.to_owned(), text);
                }
                _ => problem(value.span(), format!("`{name}` takes a filter in quotes")),
            }
        }
        saved.problems.sort();
        saved.problems.truncate(PROBLEMS_MAX);
        saved
    }

    /// Returns the text that is saved under a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&str> {
        self.filters.get(name).map(String::as_str)
    }

    /// Looks up a name as it is kept here, with its text.
    #[must_use]
    pub fn entry(&self, name: &str) -> Option<(&str, &str)> {
        let (name, text) = self.filters.get_key_value(name)?;
        Some((name, text))
    }

    /// Iterates over names and texts, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &str)> {
        self.filters
            .iter()
            .map(|(name, text)| (name.as_str(), text.as_str()))
    }

    /// Iterates over all names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.filters.keys().map(String::as_str)
    }

    /// Adds a filter, or another text under its name: what [`save`] would make of the file.
    #[must_use]
    pub fn with(mut self, name: &str, text: &str) -> Self {
        self.filters.insert(name.to_owned(), text.trim().to_owned());
        self
    }
}

/// Saves a filter in the workspace `.focalist`, in place of the one with its name. The folder must exist. Does not look
/// at the filter: the caller has read it with [`SavedFilters::with`] (`browse::read_filter`), so that no circle comes
/// into the file.
///
/// # Errors
/// See [`SavedError`]; the file is as it was then.
pub fn save(folder: &Path, name: &str, text: &str) -> Result<(), SavedError> {
    let text = text.trim();
    if !is_name(name) {
        return Err(SavedError::Name(name.to_owned()));
    }
    if text.is_empty() {
        return Err(SavedError::Empty(name.to_owned()));
    }
    change(folder, |path, before| {
        let entry = format!("{name} = {}", file::quoted(text));
        let after = match entry_of(path, before, name)? {
            Some(span) => splice(before, span, &entry),
            None => append(before, &entry),
        };
        Ok(after)
    })
}

/// Takes a filter out of the workspace `.focalist`, with the comment on its line.
///
/// # Errors
/// See [`SavedError`]; the file is as it was then.
pub fn remove(folder: &Path, name: &str) -> Result<(), SavedError> {
    change(folder, |path, before| {
        let span = entry_of(path, before, name)?;
        let span = span.ok_or_else(|| SavedError::Unknown(name.to_owned()))?;
        let end = before[span.end..]
            .find('\n')
            .map_or(before.len(), |at| span.end + at + 1);
        Ok(splice(before, span.start..end, ""))
    })
}

fn change(
    folder: &Path,
    edit: impl FnOnce(&str, &str) -> Result<String, SavedError>,
) -> Result<(), SavedError> {
    let path = folder.join(FILE_NAME);
    let failed = |source| SavedError::Io {
        path: path.clone(),
        source,
    };
    let before = file::read(&path).map_err(failed)?.unwrap_or_default();
    let after = edit(&path.display().to_string(), &before)?;
    if after.len() > SIZE_BYTES_MAX {
        return Err(SavedError::TooLong);
    }
    file::replace(&path, &after).map_err(failed)
}

/// Finds the bytes of an entry, from its key to the end of its value.
fn entry_of(path: &str, text: &str, name: &str) -> Result<Option<Range<usize>>, SavedError> {
    let (table, errors) = DeTable::parse_recoverable(text);
    if let Some(error) = errors.first() {
        let place = TextPlaces::new(path, text).at(error.span().unwrap_or(0..0).start);
        let text = not_toml(error);
        return Err(SavedError::Broken(ConfigProblem { place, text }));
    }
    let entry = table
        .get_ref()
        .iter()
        .find(|(key, _)| key.get_ref().as_ref() == name);
    // A table of that name has its own lines, which are not ours to change.
    match entry {
        Some((key, value)) if matches!(value.get_ref(), DeValue::Table(_)) => {
            Err(SavedError::Broken(ConfigProblem {
                place: TextPlaces::new(path, text).at(key.span().start),
                text: format!("`{name}` is a table, not a filter in quotes"),
            }))
        }
        Some((key, value)) => Ok(Some(key.span().start..value.span().end)),
        None => Ok(None),
    }
}

fn splice(text: &str, span: Range<usize>, entry: &str) -> String {
    format!("{}{entry}{}", &text[..span.start], &text[span.end..])
}

/// Puts an entry at the end, but before tables: what follows one belongs to it.
fn append(text: &str, entry: &str) -> String {
    if text.trim().is_empty() {
        return format!("{HEAD}{entry}\n");
    }
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        if line.trim_start().starts_with('[') {
            return splice(text, at..at, &format!("{entry}\n"));
        }
        at += line.len();
    }
    let end = if text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}{entry}\n")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// A folder with a file of saved filters.
    fn folder(text: &str) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("tests may make folders");
        fs::write(folder.path().join(FILE_NAME), text).expect("the file is written");
        folder
    }

    fn text_of(folder: &tempfile::TempDir) -> String {
        fs::read_to_string(folder.path().join(FILE_NAME)).expect("the file reads")
    }

    fn check_saved(before: &str, name: &str, text: &str, expected: &str) {
        let folder = folder(before);
        save(folder.path(), name, text).expect("it is saved");
        assert_eq!(text_of(&folder), expected);
        let saved = SavedFilters::load(folder.path());
        assert_eq!(saved.get(name), Some(text.trim()), "{saved:?}");
    }

    #[test]
    fn a_filter_is_saved_and_what_people_wrote_stays() {
        check_saved(
            "",
            "new",
            "status:tie",
            &format!("{HEAD}new = \"status:tie\"\n"),
        );
        check_saved(
            "# ours\na = \"x\" # why\n\n# and\nb = '''\ny'''",
            "c",
            "text:\"a \\\" b\"",
            "# ours\na = \"x\" # why\n\n# and\nb = '''\ny'''\nc = \"text:\\\"a \\\\\\\" b\\\"\"\n",
        );
        check_saved(
            "# ours\n\"a\" = '''\nx''' # why\nb = \"y\"\n",
            "a",
            " z ",
            "# ours\na = \"z\" # why\nb = \"y\"\n",
        );
        check_saved(
            "a = \"x\"\n[later]\nb = 1\n",
            "c",
            "y",
            "a = \"x\"\nc = \"y\"\n[later]\nb = 1\n",
        );
    }

    #[test]
    fn a_filter_is_taken_out_with_its_line_only() {
        let folder = folder("# ours\na = \"x\" # why\n# of b\nb = \"y\"");
        remove(folder.path(), "a").expect("it is there");
        assert_eq!(text_of(&folder), "# ours\n# of b\nb = \"y\"");
        remove(folder.path(), "b").expect("it is there");
        assert_eq!(text_of(&folder), "# ours\n# of b\n");
        let error = remove(folder.path(), "b").expect_err("it is gone");
        assert!(matches!(error, SavedError::Unknown(name) if name == "b"));
    }

    #[test]
    fn what_cannot_be_used_is_told_with_its_place_and_the_rest_counts() {
        let saved = SavedFilters::of("f", "a = \"x\"\nb = 1\n\"c d\" = \"y\"\ne = \" \"\n");
        assert_eq!(saved.iter().collect::<Vec<_>>(), [("a", "x")]);
        let told: Vec<String> = saved.problems.iter().map(ToString::to_string).collect();
        assert_eq!(
            told,
            [
                "f:2:5: `b` takes a filter in quotes",
                "f:3:1: `c d` cannot name a filter: letters, digits, `-` and `_`",
                "f:4:5: `e` takes a filter in quotes",
            ]
        );
    }

    #[test]
    fn a_file_that_is_no_toml_is_never_changed() {
        let before = "a = \"x\nb = \"y\"\n";
        let folder = folder(before);
        assert_eq!(SavedFilters::load(folder.path()).problems.len(), 1);
        for result in [save(folder.path(), "c", "z"), remove(folder.path(), "b")] {
            assert!(matches!(result, Err(SavedError::Broken(_))), "{result:?}");
        }
        assert_eq!(text_of(&folder), before);
    }

    #[test]
    fn names_that_could_not_be_typed_and_empty_filters_are_refused() {
        let folder = tempfile::tempdir().expect("tests may make folders");
        for name in ["", "a b", "a.b", "é", "@a", &"a".repeat(65)] {
            let result = save(folder.path(), name, "x");
            assert!(matches!(result, Err(SavedError::Name(_))), "{name}");
        }
        let result = save(folder.path(), "a", "  ");
        assert!(matches!(result, Err(SavedError::Empty(_))));
        assert!(!folder.path().join(FILE_NAME).exists());
    }
}
