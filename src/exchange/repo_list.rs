//! One line of a list of repositories (`mine --list repos.jsonl`): where it lies and what is known about it.
//!
//! Decides how a line looks, not which repositories are mined. Unknown fields are allowed: such lists come from
//! crawlers that know more than we ask for.

use serde::Deserialize;

use super::dataset::Scalar;

/// `{"path":"gson","url":"https://github.com/google/gson","stars":23000,"is_fork":false,"license":"Apache-2.0"}`.
#[derive(Clone, Debug, Deserialize)]
pub struct RepoLine {
    /// Where the repository lies; relative to the list's folder.
    pub path: String,
    #[serde(default)]
    pub url: Option<String>,
    #[serde(default)]
    pub name: Option<String>,
    #[serde(default)]
    pub stars: Option<u32>,
    #[serde(default)]
    pub is_fork: Option<bool>,
    #[serde(default, alias = "licence")]
    pub license: Option<String>,
    /// The host's number of the repository.
    #[serde(default)]
    pub repo_id: Option<Scalar>,
}

/// Returns the line's value, or what is wrong with it as a lower-case fragment.
pub fn parse_line(line: &str) -> Result<RepoLine, String> {
    serde_json::from_str(line).map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(line: &str, expected: Option<(&str, Option<u32>, Option<bool>)>) {
        let parsed = parse_line(line).ok();
        let seen = parsed
            .as_ref()
            .map(|it| (it.path.as_str(), it.stars, it.is_fork));
        assert_eq!(seen, expected, "{line}");
    }

    #[test]
    fn only_the_path_is_needed_and_unknown_fields_are_allowed() {
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
        check(r#"{"stars":3}"#, None);
        check(r#"{"path":"a","stars":-1}"#, None);
        check("gson", None);
    }
}
