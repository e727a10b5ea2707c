//! Samples of a published dataset, as its lines and files say them: our own `--format jsonl`, and Methods2Test's JSON.
//!
//! Decides which fields must be there and which types they have; `transfer` makes rows of them. Unknown fields are
//! allowed: datasets know more than we keep. Fields of a format's contract are required, those that other programs may
//! not know are not.

use std::io;

use serde::de::{DeserializeOwned, IgnoredAny};
use serde::{Deserialize, Serialize};

use super::records::RecordError;

/// Parses the value of one line or one file.
///
/// # Errors
/// What is wrong with it.
pub fn parse<T: DeserializeOwned>(json: &[u8]) -> Result<T, RecordError> {
    Ok(serde_json::from_slice(json)?)
}

/// Parses the value that a reader holds.
///
/// # Errors
/// What is wrong with it.
pub fn parse_from<T: DeserializeOwned>(input: impl io::Read) -> Result<T, RecordError> {
    Ok(serde_json::from_reader(input)?)
}

/// Tells whether the bytes are one whole value of any kind.
#[must_use]
pub fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<IgnoredAny>(bytes).is_ok()
}

/// The fields that tell the project of a [`ReadSample`] and its language, to be read before the whole.
#[derive(Clone, Debug, Deserialize)]
pub struct ReadSampleHead {
    /// Absent in files that were written before there were several, and in other programs' files.
    pub language: Option<String>,
    pub repo: ReadRepo,
    #[serde(default)]
    pub test: ReadTestHead,
}

/// Where a test comes from, as far as that tells its language.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct ReadTestHead {
    #[serde(default)]
    pub file: String,
    #[serde(default)]
    pub framework: String,
}

/// A line of `--format jsonl`.
#[derive(Clone, Debug, Deserialize)]
pub struct ReadSample {
    /// 32 hexadecimal digits.
    pub key: String,
    #[serde(default)]
    pub split: ReadSplit,
    pub test: ReadTest,
    #[serde(default)]
    pub fixtures: Vec<ReadMethod>,
    pub setup: Option<String>,
    pub assertion: Option<String>,
    pub focal: Option<ReadMethod>,
    #[serde(rename = "match")]
    pub matched: ReadMatch,
    #[serde(default)]
    pub setup_context: Vec<ReadMethod>,
    #[serde(default)]
    pub focal_context: Vec<ReadMethod>,
    /// Absent in files of older versions.
    pub flags: Option<Vec<String>>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct ReadRepo {
    pub name: Option<String>,
    pub url: Option<String>,
    pub commit: Option<String>,
    pub license: Option<String>,
}

#[derive(Clone, Debug, Default, Deserialize)]
pub struct ReadSplit {
    pub random: Option<String>,
    pub project: Option<String>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ReadTest {
    pub file: String,
    pub class: String,
    pub method: String,
    pub signature: String,
    pub framework: String,
    pub start_line: u32,
    pub end_line: u32,
    pub source: String,
}

/// A focal, context or fixture method.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
pub struct ReadMethod {
    pub file: String,
    pub class: String,
    pub method: String,
    pub signature: String,
    pub parameters: Vec<String>,
    pub start_line: u32,
    pub end_line: u32,
    pub source: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ReadMatch {
    pub matcher: String,
    pub stage: Option<String>,
    pub weight: Option<f64>,
    #[serde(default)]
    pub candidates: Vec<ReadCandidate>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ReadCandidate {
    /// `pkg.C#m(int)`.
    pub key: String,
    pub score: f64,
    #[serde(default)]
    pub evidence: Vec<String>,
}

/// The fields that tell the project of a [`ReadMapping`], to be read before the whole.
#[derive(Clone, Debug, Deserialize)]
pub struct ReadMappingHead {
    pub repository: ReadRepository,
}

/// A mapping of Methods2Test: one file of theirs, or a line of our `--format methods2test`.
#[derive(Clone, Debug, Deserialize)]
pub struct ReadMapping {
    pub focal_class: ReadClass,
    pub focal_method: ReadFunction,
    pub test_class: ReadClass,
    pub test_case: ReadFunction,
    /// Ours alone, as is `key`.
    #[serde(default)]
    pub split: ReadSplit,
    pub key: Option<String>,
}

/// Their README and their files name some fields differently; both are read.
#[derive(Clone, Debug, Default, Deserialize)]
pub struct ReadRepository {
    pub repo_id: Option<Scalar>,
    pub url: Option<String>,
    pub language: Option<String>,
    pub is_fork: Option<Scalar>,
    pub fork: Option<Scalar>,
    pub stargazer_count: Option<Scalar>,
    pub stars: Option<Scalar>,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ReadClass {
    pub identifier: String,
    pub file: String,
}

#[derive(Clone, Debug, Deserialize)]
pub struct ReadFunction {
    pub identifier: String,
    /// In parentheses, as written.
    pub parameters: String,
    /// The whole declaration.
    pub body: String,
    pub full_signature: String,
    #[serde(default)]
    pub constructor: bool,
}

/// A value that one publisher writes as a number and another as a word.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(untagged)]
pub enum Scalar {
    Bool(bool),
    Number(u64),
    Text(String),
    #[serde(skip_serializing)]
    Other(IgnoredAny),
}

impl Scalar {
    /// Reads a number, also out of a text; nothing for any other value.
    #[must_use]
    pub fn number(&self) -> Option<u64> {
        match self {
            Self::Number(number) => Some(*number),
            Self::Text(text) => text.trim().parse().ok(),
            Self::Bool(_) | Self::Other(_) => None,
        }
    }

    /// Reads a truth value, also out of a word in any case; nothing for any other value.
    #[must_use]
    pub fn truth(&self) -> Option<bool> {
        match self {
            Self::Bool(truth) => Some(*truth),
            Self::Text(text) => text.trim().to_ascii_lowercase().parse().ok(),
            Self::Number(_) | Self::Other(_) => None,
        }
    }
}

impl std::fmt::Display for Scalar {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Bool(truth) => write!(f, "{truth}"),
            Self::Number(number) => write!(f, "{number}"),
            Self::Text(text) => f.write_str(text),
            Self::Other(_) => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(json: &str, expected: Result<(Option<u64>, Option<bool>), &str>) {
        let read = parse::<ReadMappingHead>(json.as_bytes());
        let seen = read.map_err(|error| error.to_string()).map(|mapping_head| {
            let repository = &mapping_head.repository;
            let fork = repository.is_fork.as_ref().or(repository.fork.as_ref());
            (
                repository.repo_id.as_ref().and_then(Scalar::number),
                fork.and_then(Scalar::truth),
            )
        });
        assert_eq!(seen, expected.map_err(str::to_owned), "{json}");
    }

    #[test]
    fn numbers_and_truths_are_read_as_either_publisher_writes_them() {
        check(
            r#"{"repository":{"repo_id":5,"url":"u","is_fork":false}}"#,
            Ok((Some(5), Some(false))),
        );
        check(
            r#"{"repository":{"repo_id":"5","fork":"False","created":"x"},"more":[1]}"#,
            Ok((Some(5), Some(false))),
        );
        check(
            r#"{"repository":{"repo_id":[5],"is_fork":null}}"#,
            Ok((None, None)),
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_column() {
        check("nonsense", Err("not json: expected ident at column 2"));
        check("{}", Err("missing field `repository` at column 2"));
        check(
            r#"{"repository":{"url":1}}"#,
            Err("invalid type: integer `1`, expected a string at column 22"),
        );
        check(
            r#"{"repository":{},"repository":{}}"#,
            Err("duplicate field `repository` at column 29"),
        );
    }
}
