//! Lists the repositories to mine: the child folders of one (`--each`), or the lines of a list (`--list`).
//!
//! Decides which are left out as forks (ConTest 3.1); does not look into the folders.

use std::fs;
use std::path::{Path, PathBuf};

use super::SourceError;
use crate::exchange::records::{RecordError, line_text};
use crate::exchange::repo_list::{self, RepoLine};
use crate::model::{Problem, Reason};

/// The forks of a list that are taken.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Forks {
    /// Those with many stars.
    Starred,
    /// All forks: the caller decides.
    All,
}

/// One repository of a list, with what the list knows about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ListedRepo {
    /// As written; a relative path is joined to the list's folder.
    pub path: PathBuf,
    pub url: Option<String>,
    pub name: Option<String>,
    pub stars: Option<u32>,
    pub is_fork: Option<bool>,
    pub license: Option<String>,
    /// The host's number for it.
    pub host_id: Option<String>,
}

/// Lists the child folders that may be repositories, sorted by name; hidden ones are not, links to folders are.
pub fn repositories_in(folder: &Path) -> Result<Vec<PathBuf>, SourceError> {
    let failed = |source| SourceError::Read {
        path: folder.to_owned(),
        source,
    };
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let is_hidden = entry.file_name().as_encoded_bytes().starts_with(b".");
        if !is_hidden && entry.path().is_dir() {
            folders.push(entry.path());
        }
    }
    folders.sort_unstable();
    Ok(folders)
}

/// Reads a list of repositories, in its order; a line that cannot be used is a problem with its number.
///
/// Empty lines are skipped. With [`Forks::Starred`] forks are left out unless they have more than
/// [`repo_list::FORK_STARS_MAX`] stars; a fork whose stars are not known is left out too.
pub fn read_list(
    path: &Path,
    forks: Forks,
) -> Result<(Vec<ListedRepo>, Vec<Problem>), SourceError> {
    let bytes = fs::read(path).map_err(|source| SourceError::Read {
        path: path.to_owned(),
        source,
    })?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let mut listed = Vec::new();
    let mut problems = Vec::new();
    for (line, number) in bytes.split(|byte| *byte == b'\n').zip(1..) {
        match read_line(line, folder, forks) {
            Ok(None) => {}
            Ok(Some(listed_repo)) => listed.push(listed_repo),
            Err((reason, detail)) => problems.push(Problem {
                path: path.to_string_lossy().into(),
                line: Some(number),
                reason,
                detail,
            }),
        }
    }
    Ok((listed, problems))
}

fn read_line(
    line: &[u8],
    folder: &Path,
    forks: Forks,
) -> Result<Option<ListedRepo>, (Reason, String)> {
    let bad = |error: RecordError| (Reason::BadLine, error.to_string());
    let line = line_text(line).map_err(bad)?;
    if line.is_empty() {
        return Ok(None);
    }
    let line = repo_list::parse_line(line).map_err(bad)?;
    let path = line.path.as_ref();
    let path = path.ok_or_else(|| bad(RecordError::missing("path")))?;
    if path.trim().is_empty() {
        return Err(bad(RecordError::empty("path")));
    }
    if forks == Forks::Starred && line.is_poor_fork() {
        let stars = line
            .stars
            .map_or_else(|| "unknown".to_owned(), |stars| stars.to_string());
        return Err((Reason::Fork, format!("`{path}`, stars: {stars}")));
    }
    let path = folder.join(path);
    Ok(Some(ListedRepo::at(path, line)))
}

impl ListedRepo {
    /// Makes the repository at `path` with the facts of its line.
    #[must_use]
    pub fn at(path: PathBuf, line: RepoLine) -> Self {
        Self {
            path,
            url: line.url,
            name: line.name,
            stars: line.stars,
            is_fork: line.is_fork,
            license: line.license,
            host_id: (line.repo_id.map(|scalar| scalar.to_string()))
                .filter(|text| !text.is_empty()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &[u8], expected: &[&str], expected_problems: &[(u32, Reason)]) {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let path = folder.path().join("repos.jsonl");
        fs::write(&path, text).expect("the folder is writable");
        let (listed, problems) = read_list(&path, Forks::Starred).expect("the list is there");
        let paths: Vec<PathBuf> = listed
            .into_iter()
            .map(|listed_repo| listed_repo.path)
            .collect();
        let expected: Vec<PathBuf> = expected
            .iter()
            .map(|expected| folder.path().join(expected))
            .collect();
        assert_eq!(paths, expected);
        let problems: Vec<(u32, Reason)> = problems
            .into_iter()
            .map(|problem| {
                (
                    problem.line.expect("lists are read by line"),
                    problem.reason,
                )
            })
            .collect();
        assert_eq!(problems, expected_problems);
    }

    #[test]
    fn relative_paths_start_at_the_list_and_absolute_ones_stay() {
        check(
            b"{\"path\":\"b\"}\r\n\n{\"path\":\"sub/a\"}\n{\"path\":\"/srv/c\"}",
            &["b", "sub/a", "/srv/c"],
            &[],
        );
    }

    #[test]
    fn a_bad_line_is_a_problem_with_its_number_and_the_others_are_read() {
        check(
            b"\xef\xbb\xbf{\"path\":\"a\"}\nnonsense\n{\"url\":\"u\"}\n{\"path\":\"\xe9\"}\n{\"path\":\" \"}\n{\"path\":\"b\"}\n",
            &["a", "b"],
            &[
                (2, Reason::BadLine),
                (3, Reason::BadLine),
                (4, Reason::BadLine),
                (5, Reason::BadLine),
            ],
        );
    }

    #[test]
    fn a_fork_needs_more_than_twenty_stars() {
        check(
            br#"{"path":"few","is_fork":true,"stars":20}
{"path":"many","is_fork":true,"stars":21}
{"path":"unknown","is_fork":true}
{"path":"original","is_fork":false,"stars":0}"#,
            &["many", "original"],
            &[(1, Reason::Fork), (3, Reason::Fork)],
        );
    }

    #[test]
    fn a_list_that_is_not_there_is_an_error() {
        let missing = Path::new("no-such-folder/repos.jsonl");
        assert!(matches!(
            read_list(missing, Forks::All),
            Err(SourceError::Read { .. })
        ));
    }

    #[test]
    fn child_folders_are_sorted_and_files_and_hidden_folders_are_not_repositories() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        for name in ["b", "a", ".cache"] {
            fs::create_dir(folder.path().join(name)).expect("the folder is writable");
        }
        fs::write(folder.path().join("notes.txt"), "x").expect("the folder is writable");
        let found = repositories_in(folder.path()).expect("the folder is there");
        assert_eq!(found, [folder.path().join("a"), folder.path().join("b")]);
    }
}
