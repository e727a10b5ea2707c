//! The facts about the repositories of a list: from the list, the disk, and the index.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::exchange::benchmark::{ProposedRepo, leaked_name, parse_proposed};
use crate::exchange::records::{RecordError, line_text};
use crate::exchange::remote;
use crate::filter::{Day, Leaks, RepoProfile};
use crate::model::{Filter, Language, Problem, SampleKey};
use crate::store::{Extent, Store};
use crate::task::Monitor;
use crate::trial::trials;
use crate::{Error, TokenCounter};

#[derive(Clone)]
pub struct ProposeOptions {
    /// JSON lines, one for each repository.
    pub list: PathBuf,
    /// Lists of repositories that models were trained on.
    pub leaks: Vec<PathBuf>,
    pub counter: TokenCounter,
}

/// The facts about a list's repositories.
#[derive(Clone, Debug, PartialEq)]
pub struct Proposal {
    /// In the list's order; of several lines for one project the first.
    pub repos: Vec<RepoProfile>,
    /// Lines that could not be used.
    pub problems: Vec<Problem>,
    pub n_leaks: usize,
}

/// Gathers the facts: from the list, the disk, the mined rows, and the results of [`trials`].
///
/// # Errors
/// The store's, the disk's, and cancelling.
pub fn propose(
    store: &Store,
    monitor: &Monitor,
    options: &ProposeOptions,
) -> Result<Proposal, Error> {
    let mut problems = Vec::new();
    let mut leaks = Leaks::default();
    for path in &options.leaks {
        for (_, line) in lines(path, &mut problems)? {
            let Some(name) = leaked_name(&line) else {
                continue;
            };
            leaks.add(&remote::of_url(&name).unwrap_or(name));
        }
    }
    let mut mined = mined(store, monitor, &options.counter)?;
    let trials = trials(store, monitor)?;
    let folder = options.list.parent().unwrap_or(Path::new(""));
    let mut repos: Vec<RepoProfile> = Vec::new();
    for (number, line) in lines(&options.list, &mut problems)? {
        monitor.step()?;
        let read = parse_proposed(&line).map_err(ProposalFault::from);
        let read = read
            .and_then(|proposed_repo| Ok((known(&proposed_repo, folder, &leaks)?, proposed_repo)));
        let is_known = |name: &str| repos.iter().any(|repo| repo.name == name);
        let read = read.and_then(|(repo, proposed_repo)| match repo.name {
            name if is_known(&name) => Err(ProposalFault::Twice { name }),
            name => Ok((RepoProfile { name, ..repo }, proposed_repo)),
        });
        match read {
            Err(fault) => {
                let path = options.list.to_string_lossy();
                problems.push(Problem::bad_line(&path, number, &fault));
            }
            Ok((mut repo, proposed_repo)) => {
                let identity =
                    mined.identity(&repo.name, on_disk(&proposed_repo, folder).as_deref());
                repo.cases = mined.cases.remove(&identity);
                repo.trial = trials.get(&identity).copied();
                repo.is_java = mined
                    .languages
                    .get(&identity)
                    .map(|language| language.contains(&Language::Java));
                repos.push(repo);
            }
        }
    }
    Ok(Proposal {
        repos,
        problems,
        n_leaks: leaks.len(),
    })
}

/// Reads the lines of a file that are not blank, with their numbers; a line that is not UTF-8 is a problem.
fn lines(path: &Path, problems: &mut Vec<Problem>) -> Result<Vec<(u32, String)>, Error> {
    let bytes = fs::read(path).map_err(|source| Error::Io {
        path: path.to_owned(),
        source,
    })?;
    let mut lines = Vec::new();
    for (number, line) in (1..).zip(bytes.split(|byte| *byte == b'\n')) {
        match line_text(line) {
            Ok("") => {}
            Ok(line) => lines.push((number, line.to_owned())),
            Err(error) => {
                let path = path.to_string_lossy();
                problems.push(Problem::bad_line(&path, number, &error));
            }
        }
    }
    Ok(lines)
}

/// Why a line gives no repository.
#[derive(Debug, thiserror::Error)]
enum ProposalFault {
    #[error(transparent)]
    Record(#[from] RecordError),
    #[error("it has no `url`, no `name` and no `path`")]
    Nameless,
    #[error("`{text}` is not a day")]
    NoDay { text: String },
    #[error("`{name}` is listed twice")]
    Twice { name: String },
}

fn known(line: &ProposedRepo, folder: &Path, leaks: &Leaks) -> Result<RepoProfile, ProposalFault> {
    let on_disk = on_disk(line, folder);
    let is_there = line.path.as_ref().map(|_| on_disk.is_some());
    let of_path = || {
        let path = line.path.as_ref().map(Path::new)?;
        Some(path.file_name()?.to_string_lossy().into_owned())
    };
    let identity = line.url.as_deref().and_then(remote::of_url);
    let name = identity
        .or_else(|| line.name.clone().filter(|name| !name.trim().is_empty()))
        .or_else(of_path)
        .ok_or(ProposalFault::Nameless)?;
    let day = |text: &String| {
        let text = text.clone();
        Day::read(&text).ok_or(ProposalFault::NoDay { text })
    };
    let last_commit = line.last_commit.as_ref().map(day).transpose()?;
    Ok(RepoProfile {
        is_leaked: leaks.has(&name),
        exists: line.exists.or(is_there),
        size_bytes: line
            .size_bytes
            .or(line.size.map(|size| size.saturating_mul(1024))),
        has_root_pom: on_disk
            .map(|on_disk| on_disk.join("pom.xml").is_file())
            .or(line.has_root_pom),
        last_commit,
        name,
        ..RepoProfile::default()
    })
}

/// Finds the folder of a line's repository; nothing where it is not there.
fn on_disk(line: &ProposedRepo, folder: &Path) -> Option<PathBuf> {
    let path = folder.join(line.path.as_ref()?);
    path.is_dir().then_some(path)
}

/// The facts in the index.
#[derive(Default)]
struct MinedIndex {
    /// By project identity: the tests with a focal method, each with the tokens of both.
    cases: BTreeMap<String, Vec<(SampleKey, u64)>>,
    /// Likewise, the languages that it was mined in.
    languages: BTreeMap<String, BTreeSet<Language>>,
    /// The identity of the project that was mined in a folder.
    by_root: BTreeMap<PathBuf, String>,
}

impl MinedIndex {
    /// Finds the identity of a project in the index: by name, else by the folder that it was mined in.
    fn identity(&self, name: &str, path: Option<&Path>) -> String {
        if self.cases.contains_key(name) {
            return name.to_owned();
        }
        let root = path.and_then(|path| fs::canonicalize(path).ok());
        let mined = root.and_then(|root| self.by_root.get(&root));
        mined.cloned().unwrap_or_else(|| name.to_owned())
    }
}

fn mined(store: &Store, monitor: &Monitor, counter: &TokenCounter) -> Result<MinedIndex, Error> {
    let mut mined = MinedIndex::default();
    for row in store.repos()? {
        let key = row.repo.key();
        // A project whose folder is gone is known by its name.
        let root = store
            .mined_from(&key)?
            .and_then(|pair| fs::canonicalize(pair.0).ok());
        if let Some(root) = root {
            mined.by_root.insert(root, row.repo.identity.clone());
        }
        let languages = mined.languages.entry(row.repo.identity.clone());
        languages.or_default().insert(row.repo.language);
        mined.cases.insert(row.repo.identity, Vec::new());
    }
    let cases = &mut mined.cases;
    store.each_sample(&Filter::default(), Extent::Sample, |sample| {
        monitor.step()?;
        let Some(focal) = &sample.focal else {
            return Ok(());
        };
        let language = sample.repo.language;
        let n_tokens =
            counter.count(language, focal.source()) + counter.count(language, sample.test.source());
        if let Some(of_repo) = cases.get_mut(&sample.repo.identity) {
            of_repo.push((sample.row.key, n_tokens));
        }
        Ok::<(), Error>(())
    })?;
    Ok(mined)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Result<(&str, Option<bool>), &str>) {
        let folder = tempfile::tempdir().expect("a folder for the test");
        fs::create_dir(folder.path().join("here")).expect("the folder is writable");
        let mut leaks = Leaks::default();
        leaks.add("a/leaked");
        let line = parse_proposed(line).expect("it is a line");
        let found = known(&line, folder.path(), &leaks);
        let found = found.map(|repo_profile| (repo_profile.name, repo_profile.exists));
        let found = found.map_err(|fault| fault.to_string());
        let expected = expected
            .map(|expected| (expected.0.to_owned(), expected.1))
            .map_err(str::to_owned);
        assert_eq!(found, expected);
    }

    #[test]
    fn a_project_is_named_by_its_url_its_name_or_its_folder() {
        check(
            r#"{"url":"https://github.com/A/b.git","name":"x"}"#,
            Ok(("github.com/a/b", None)),
        );
        check(r#"{"name":"x","path":"here"}"#, Ok(("x", Some(true))));
        check(r#"{"path":"there"}"#, Ok(("there", Some(false))));
        check(
            r#"{"path":"there","exists":true}"#,
            Ok(("there", Some(true))),
        );
        check("{}", Err("it has no `url`, no `name` and no `path`"));
        check(
            r#"{"name":"x","last_commit":"soon"}"#,
            Err("`soon` is not a day"),
        );
    }
}
