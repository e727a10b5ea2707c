//! One line of a list of repositories (`mine --list repos.jsonl`): its place and the facts about it.
//!
//! Decides how a line looks, not which repositories are mined. Unknown fields are allowed: such lists come from
//! crawlers that know more than we ask for.

use serde::{Deserialize, Serialize};

use super::dataset::{Scalar, parse};
use super::records::RecordError;

/// `{"path":"gson","url":"https://github.com/google/gson","stars":23000,"is_fork":false,"license":"Apache-2.0"}`.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct RepoLine {
    /// Where the repository lies; relative to the list's folder. A fetched one needs none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stars: Option<u32>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub is_fork: Option<bool>,
    #[serde(default, alias = "licence", skip_serializing_if = "Option::is_none")]
    pub license: Option<String>,
    /// The host's number of the repository.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub repo_id: Option<Scalar>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_bytes: Option<u64>,
    /// In KiB, as hosts count; where there is no `size_bytes`.
    #[serde(default, skip_serializing)]
    pub size: Option<u64>,
}

/// A fork with more stars than this is a project of its own (`ConTest` 3.1).
pub const FORK_STARS_MAX: u32 = 20;

impl RepoLine {
    /// Returns the size in bytes, where it is known.
    #[must_use]
    pub fn bytes(&self) -> Option<u64> {
        let of_host = || self.size.map(|size| size.saturating_mul(1024));
        self.size_bytes.or_else(of_host)
    }

    /// Tells whether it is a fork with few stars, or one of unknown stars.
    #[must_use]
    pub fn is_poor_fork(&self) -> bool {
        self.is_fork == Some(true) && self.stars.unwrap_or(0) <= FORK_STARS_MAX
    }

    /// Chooses the name that people know it by: its path, else its URL.
    #[must_use]
    pub fn shown(&self) -> &str {
        let name = self.path.as_deref().or(self.url.as_deref());
        name.unwrap_or_default()
    }
}

/// Parses a line.
///
/// # Errors
/// What is wrong with it.
pub fn parse_line(line: &str) -> Result<RepoLine, RecordError> {
    parse(line.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<(&str, Option<u32>, Option<bool>)>) {
        let parsed = parse_line(line).ok();
        let seen = parsed
            .as_ref()
            .map(|repo_line| (repo_line.shown(), repo_line.stars, repo_line.is_fork));
        assert_eq!(seen, expected, "{line}");
    }

    #[test]
    fn nothing_but_a_place_is_needed_and_unknown_fields_are_allowed() {
        check(r#"{"path":"a"}"#, Some(("a", None, None)));
        check(
            r#"{"path":"a","stars":3,"is_fork":true,"topics":["x"]}"#,
            Some(("a", Some(3), Some(true))),
        );
        check(
            r#"{"path":"a","stars":null,"is_fork":null}"#,
            Some(("a", None, None)),
        );
    }

    #[test]
    fn a_line_of_another_form_is_refused() {
        check(r#"{"path":"a","stars":-1}"#, None);
        check("gson", None);
        check(r#"{"path":3}"#, None);
    }
}
