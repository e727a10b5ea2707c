//! Lists of repositories that may become a benchmark, and the decision on each, as JSON lines.

use serde::{Deserialize, Serialize};

use crate::model::{Language, LanguageFunnel, SampleKey};
use crate::outcomes::WireExecutionFunnel;

use super::dataset::parse;
use super::records::RecordError;

/// The facts about a repository; all of it may be missing, and fields that we do not know are allowed.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct ProposedRepo {
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default, alias = "html_url", alias = "clone_url")]
    pub url: Option<String>,
    /// Where it lies; relative to the list's folder.
    #[serde(default)]
    pub path: Option<String>,
    /// Whether the host still has it.
    #[serde(default)]
    pub exists: Option<bool>,
    /// In KiB, as GitHub's API counts.
    #[serde(default)]
    pub size: Option<u64>,
    #[serde(default)]
    pub size_bytes: Option<u64>,
    /// The day of the last commit on the main branch: `2024-05-31`, with any text after it.
    #[serde(default, alias = "pushed_at")]
    pub last_commit: Option<String>,
    #[serde(default)]
    pub has_root_pom: Option<bool>,
}

/// Parses a line.
///
/// # Errors
/// What is wrong with it.
pub fn parse_proposed(line: &str) -> Result<ProposedRepo, RecordError> {
    parse(line.as_bytes())
}

/// Reads the project in a line of a list of leaked repositories: a URL, a name, or an object with one of them.
#[must_use]
pub fn leaked_name(line: &str) -> Option<String> {
    let line = line.trim();
    if line.is_empty() {
        return None;
    }
    if line.starts_with('{') {
        let parsed = parse_proposed(line).ok()?;
        return parsed.url.or(parsed.name);
    }
    Some(line.to_owned())
}

/// Parses a repository that [`WireProposed`] keeps, with its cases; nothing for one that it does not.
///
/// # Errors
/// What is wrong with the line.
pub fn parse_kept(line: &str) -> Result<Option<(String, Vec<SampleKey>)>, RecordError> {
    #[derive(Deserialize)]
    struct BenchmarkRepoLine {
        repo: String,
        kept: bool,
        cases: Vec<String>,
    }
    let line: BenchmarkRepoLine = parse(line.as_bytes())?;
    let keys = line.cases.iter().enumerate().map(|(idx, text)| {
        SampleKey::parse(text).ok_or_else(|| RecordError::not_hex(format!("cases[{idx}]")))
    });
    let cases = keys.collect::<Result<_, _>>()?;
    Ok(line.kept.then_some((line.repo, cases)))
}

/// The split that a user gave a project, or one sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ReadSplit {
    /// The project, and the split's name.
    Project(String, String),
    Sample(SampleKey, String),
}

/// The longest name of a split, in letters.
const SPLIT_NAME_MAX: usize = 64;

/// Tells whether a split may be called so: it becomes the name of files, and stands in cards.
#[must_use]
pub fn is_split_name(name: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "_.-".contains(letter);
    name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.len() <= SPLIT_NAME_MAX
        && name.chars().all(is_letter)
}

/// Parses a line of a file of splits: `{"repo":"google/guava","split":"test"}`, as `benchmark split --json` prints it,
/// or `{"sample":KEY,"split":"test"}`.
///
/// # Errors
/// What is wrong with it.
pub fn parse_split(line: &str) -> Result<ReadSplit, RecordError> {
    #[derive(Deserialize)]
    struct Line {
        #[serde(default, alias = "project")]
        repo: Option<String>,
        #[serde(default, alias = "key")]
        sample: Option<String>,
        split: String,
    }
    let line: Line = parse(line.as_bytes())?;
    let split = match line.split {
        name if is_split_name(&name) => name,
        _ => return Err(RecordError::SplitName),
    };
    match (line.sample, line.repo) {
        (Some(key), _) => {
            let key = SampleKey::parse(&key).ok_or_else(|| RecordError::not_hex("sample"))?;
            Ok(ReadSplit::Sample(key, split))
        }
        (None, Some(repo)) => Ok(ReadSplit::Project(repo, split)),
        (None, None) => Err(RecordError::Neither("repo", "sample")),
    }
}

/// The decision on one repository.
#[derive(Debug, Serialize)]
pub struct WireProposed {
    pub repo: String,
    pub kept: bool,
    /// The step that it fell at.
    pub reason: Option<&'static str>,
    pub detail: Option<String>,
    /// Steps that nothing was known for; it passed them.
    pub unknown: Vec<&'static str>,
    pub n_cases: Option<u64>,
    /// The samples that are its cases, drawn where there are too many; only where it is kept.
    pub cases: Vec<String>,
}

/// The split of a repository.
#[derive(Debug, Serialize)]
pub struct WireRepoSplit {
    pub repo: String,
    pub split: &'static str,
    pub n_cases: u64,
    /// The language of most of its cases, where it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
}

/// The split of a case of a benchmark, as `export --splits` takes it.
#[derive(Debug, Serialize)]
pub struct WireCaseSplit<'a> {
    pub sample: String,
    pub split: &'static str,
    pub repo: &'a str,
}

/// How a split is filled.
#[derive(Debug, Serialize)]
pub struct WireSplit {
    /// `split`, or `project split` where the index has no benchmark.
    pub about: &'static str,
    pub split: &'static str,
    pub n_repos: u64,
    pub n_cases: u64,
}

/// How some numbers are spread.
#[derive(Debug, Serialize)]
pub struct WireSpread {
    pub about: &'static str,
    pub mean: f64,
    pub max: f64,
    pub min: f64,
    pub p25: f64,
    pub p50: f64,
    pub p75: f64,
    pub total: f64,
}

/// One number about a benchmark as a whole.
#[derive(Debug, Serialize)]
pub struct WireFact<'a> {
    pub about: &'a str,
    pub value: f64,
    pub share: Option<f64>,
}

/// A repository of a benchmark.
#[derive(Debug, Serialize)]
pub struct WireRepoFacts<'a> {
    pub repo: &'a str,
    pub tests: u64,
    pub focal_methods: u64,
    pub framework: Option<&'a str>,
    /// The version that its pom asks for.
    pub java: Option<u32>,
    /// The number of its focal methods in Java; the following fields are about them, too.
    pub focal_methods_java: u64,
    pub getters: u64,
    pub setters: u64,
    pub cyclomatic: Option<f64>,
}

/// A focal method of a benchmark.
#[derive(Debug, Serialize)]
pub struct WireMethodFacts<'a> {
    pub repo: &'a str,
    pub file: &'a str,
    pub method: &'a str,
    pub tests: u64,
    pub tokens: u64,
    /// In Java, as are those that follow.
    pub cyclomatic: Option<u32>,
    pub is_getter: Option<bool>,
    pub is_setter: Option<bool>,
}

/// How far the true tests of a benchmark came when they were executed: all of them, then those of each language where there
/// are several.
#[derive(Debug, Serialize)]
pub struct WireTruth {
    pub about: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub language: Option<&'static str>,
    pub n_samples: u64,
    /// Tests that were not run, without a known reason.
    pub not_run: u64,
    #[serde(flatten)]
    pub funnel: WireExecutionFunnel,
}

impl From<&LanguageFunnel> for WireTruth {
    fn from(of: &LanguageFunnel) -> Self {
        Self {
            about: "true tests",
            language: of.language.map(Language::as_str),
            n_samples: of.n_samples,
            not_run: of.n_not_run(),
            funnel: (&of.funnel).into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proposed_repository_is_read_as_crawlers_write_it() {
        let line = r#"{"html_url":"https://github.com/a/b","size":12,"pushed_at":"2024-01-02T03:04:05Z","x":[]}"#;
        let repo = parse_proposed(line).expect("it is a line");
        assert_eq!(repo.url.as_deref(), Some("https://github.com/a/b"));
        assert_eq!(repo.size, Some(12));
        assert_eq!(repo.last_commit.as_deref(), Some("2024-01-02T03:04:05Z"));
        assert!(parse_proposed(r#"{"size":-1}"#).is_err());
    }

    #[test]
    fn a_line_of_splits_is_about_a_project_or_a_sample() {
        let project = ReadSplit::Project("a/b".to_owned(), "test".to_owned());
        assert_eq!(
            parse_split(r#"{"repo":"a/b","split":"test","n_cases":3}"#),
            Ok(project.clone())
        );
        assert_eq!(
            parse_split(r#"{"project":"a/b","split":"test"}"#),
            Ok(project)
        );
        let key = "00112233445566778899aabbccddeeff";
        let sample = parse_split(&format!(r#"{{"sample":"{key}","split":"train"}}"#));
        assert!(matches!(sample, Ok(ReadSplit::Sample(_, split)) if split == "train"));
        let own = parse_split(r#"{"repo":"a","split":"dev-2"}"#);
        assert_eq!(
            own,
            Ok(ReadSplit::Project("a".to_owned(), "dev-2".to_owned()))
        );
        for line in [
            r#"{"split":"test"}"#,
            r#"{"repo":"a","split":"../dev"}"#,
            r#"{"repo":"a","split":""}"#,
            r#"{"repo":"a","split":"a\nb"}"#,
            "a,b",
        ] {
            assert!(parse_split(line).is_err(), "{line}");
        }
    }

    #[test]
    fn leaked_repositories_are_names_urls_or_objects() {
        assert_eq!(leaked_name(" a/b "), Some("a/b".to_owned()));
        assert_eq!(leaked_name(r#"{"name":"a/b"}"#), Some("a/b".to_owned()));
        assert_eq!(leaked_name(r#"{"stars":1}"#), None);
        assert_eq!(leaked_name("  "), None);
    }
}
