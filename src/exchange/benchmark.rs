//! Lists of repositories that may become a benchmark, and what became of each, as JSON lines.

use serde::{Deserialize, Serialize};

use crate::outcomes::WireExecutionFunnel;

/// What is known of a repository; all of it may be missing, and fields that we do not know are allowed.
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
    /// Of the last commit on the main branch: `2024-05-31`, whatever follows.
    #[serde(default, alias = "pushed_at")]
    pub last_commit: Option<String>,
    #[serde(default)]
    pub has_root_pom: Option<bool>,
}

/// Returns the line's value, or what is wrong with it as a lower-case fragment.
pub fn parse_proposed(line: &str) -> Result<ProposedRepo, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

/// Returns the project that a line of a list of leaked repositories names: a URL, a name, or an object with one of them.
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

/// Returns a repository that [`WireProposed`] keeps, with its number of cases; nothing for one that it does not.
pub fn parse_kept(line: &str) -> Result<Option<(String, u64)>, String> {
    #[derive(Deserialize)]
    struct Line {
        repo: String,
        kept: bool,
        cases: Vec<String>,
    }
    let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
    Ok(line.kept.then_some((line.repo, line.cases.len() as u64)))
}

/// What became of one repository.
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

/// Which split a repository is in.
#[derive(Debug, Serialize)]
pub struct WireRepoSplit {
    pub repo: String,
    pub split: &'static str,
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

/// How far the true tests of a benchmark came when they were executed.
#[derive(Debug, Serialize)]
pub struct WireTruth {
    pub about: &'static str,
    #[serde(flatten)]
    pub funnel: WireExecutionFunnel,
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
    fn leaked_repositories_are_names_urls_or_objects() {
        assert_eq!(leaked_name(" a/b "), Some("a/b".to_owned()));
        assert_eq!(leaked_name(r#"{"name":"a/b"}"#), Some("a/b".to_owned()));
        assert_eq!(leaked_name(r#"{"stars":1}"#), None);
        assert_eq!(leaked_name("  "), None);
    }
}
