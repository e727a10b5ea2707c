//! The records of MERA's `UnitTests`: a prompt, what fills it, the test that is wanted, and where it is from.
//!
//! Decides the names and the order of fields, and how code stands in fences. `transfer` chooses the samples, and the
//! parts of their files.

mod card;
mod parquet;
mod prompts;

pub use card::{CardSplit, mera_card};
pub use parquet::{ParquetFile, ParquetWriter};
pub use prompts::{
    MeraPrompt, MeraPromptError, MeraPrompts, N_PROMPTS, PLACEHOLDERS, mera_template,
};

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Licences under which sources may be passed on.
pub const LICENSES: [&str; 9] = [
    "MIT",
    "Apache-2.0",
    "Unlicense",
    "MPL-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "EPL-1.0",
    "EPL-2.0",
    "0BSD",
];

/// One record. A model sees the instruction with its placeholders filled in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeraRecord {
    pub instruction: MeraInstruction,
    pub inputs: MeraInputs,
    /// The test, without a fence.
    pub outputs: String,
    pub meta: MeraMeta,
}

/// A prompt with `{placeholders}`, or its number among the templates beside the records.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum MeraInstruction {
    Text(String),
    Number(u32),
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeraInputs {
    pub focal_func: String,
    pub focal_func_context: String,
    pub test_func_type: String,
    pub test_func_context: String,
    /// `python`, `java`, `csharp`, `js` or `go`.
    pub language: String,
    pub focal_file_path: String,
    pub test_file_path: String,
    #[serde(default)]
    pub test_framework: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeraMeta {
    pub id: i32,
    pub repo_id: String,
    /// `function` or `method`.
    pub focal_func_type: String,
}

/// The origin of a record: a line of `ids.jsonl`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MeraOrigin {
    pub id: i32,
    /// The sample's key.
    pub key: String,
    pub language: String,
    pub repo: String,
    pub commit: Option<String>,
    pub license: Option<String>,
    pub test: String,
    pub focal: String,
    pub split: String,
}

/// A file of the layout `mera`.
#[derive(Debug, Serialize, Deserialize)]
pub struct MeraFile {
    pub access: MeraAccess,
    pub data: Vec<MeraRecord>,
}

/// The access to a file of the layout `mera`.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct MeraAccess {
    pub private: bool,
}

/// The file beside an export: its options, how many samples each step left, and the written splits.
#[derive(Debug, Serialize)]
pub struct MeraManifest {
    pub focalist: &'static str,
    pub format: &'static str,
    pub options: MeraOptions,
    /// In order; each step with the samples that it left.
    pub funnel: Vec<MeraStep>,
    /// Samples of repositories whose licence, stars or origin are unknown; they were let through.
    pub unknown_license: u64,
    pub unknown_stars: u64,
    pub unknown_fork: u64,
    pub splits: Vec<MeraSplit>,
    /// BLAKE3 of `prompts.toml`.
    pub prompts: String,
    /// BLAKE3 of the records' keys, in order.
    pub content: String,
}

#[derive(Debug, Serialize)]
pub struct MeraOptions {
    pub languages: Vec<&'static str>,
    pub matcher: &'static str,
    pub split: Option<&'static str>,
    pub filter: String,
    pub seed: u64,
    pub max_per_repo: u64,
    /// How many tasks of each language were wanted, where a benchmark was drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub quotas: Option<BTreeMap<&'static str, u64>>,
    pub any_license: bool,
    pub layout: &'static str,
}

#[derive(Debug, Serialize)]
pub struct MeraStep {
    pub step: &'static str,
    pub left: u64,
}

#[derive(Debug, Serialize)]
pub struct MeraSplit {
    pub split: String,
    pub language: String,
    pub records: u64,
}

/// Puts code into a fence, as records hold it, without white space at its end.
#[must_use]
pub fn fenced(language: &str, code: &str) -> String {
    format!("```{language}\n{}\n```", code.trim_end())
}

/// Returns the content of a fence; a text without one is returned as it is.
#[must_use]
pub fn unfenced(text: &str) -> &str {
    let inside = text
        .strip_prefix("```")
        .and_then(|rest| Some(rest.split_once('\n')?.1));
    match inside {
        Some("```") => "",
        Some(inside) => inside.strip_suffix("\n```").unwrap_or(text),
        None => text,
    }
}

/// The runners that MERA knows, by their names in a `package.json`.
const RUNNERS: [&str; 5] = ["mocha", "jest", "jasmine", "qunit", "nightwatch"];

/// The lists of dependencies in a `package.json`.
const DEPENDENCIES: [&str; 4] = [
    "dependencies",
    "devDependencies",
    "peerDependencies",
    "optionalDependencies",
];

/// Finds the first of the five runners that MERA knows among all dependencies of a `package.json`; nothing for one that
/// names none, or cannot be read.
#[must_use]
pub fn runner_of_package(text: &str) -> Option<&'static str> {
    let package: Value = serde_json::from_str(text).ok()?;
    let lists = DEPENDENCIES.map(|text| package.get(text).and_then(Value::as_object));
    let names = |runner: &&&str| {
        let mut lists = lists.iter().flatten();
        lists.any(|list| list.contains_key(**runner))
    };
    RUNNERS.iter().find(names).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_come_in_the_order_of_the_dataset() {
        let record = MeraRecord {
            instruction: MeraInstruction::Text("{focal_func}".to_owned()),
            inputs: MeraInputs {
                language: "go".to_owned(),
                ..MeraInputs::default()
            },
            outputs: "func TestA(t *testing.T) {}".to_owned(),
            meta: MeraMeta {
                id: 7,
                repo_id: "12".to_owned(),
                focal_func_type: "function".to_owned(),
            },
        };
        let written = serde_json::to_string(&record).expect("it is plain data");
        assert_eq!(
            written,
            r#"{"instruction":"{focal_func}","inputs":{"focal_func":"","focal_func_context":"","test_func_type":"","test_func_context":"","language":"go","focal_file_path":"","test_file_path":"","test_framework":""},"outputs":"func TestA(t *testing.T) {}","meta":{"id":7,"repo_id":"12","focal_func_type":"function"}}"#
        );
        let read: MeraRecord = serde_json::from_str(&written).expect("it is one of ours");
        assert_eq!(read, record);
        let numbered = written.replace(r#""{focal_func}""#, "3");
        let read: MeraRecord = serde_json::from_str(&numbered).expect("a number will do");
        assert_eq!(read.instruction, MeraInstruction::Number(3));
    }

    #[test]
    fn a_fence_comes_off_as_it_was_put_on() {
        for code in ["a\n  b", "", "```\nx\n```", "a ``` b"] {
            assert_eq!(unfenced(&fenced("go", code)), code, "{code}");
        }
        assert_eq!(fenced("js", "a \n\n"), "```js\na\n```");
        for text in ["a", "```", "```js", "```js\na", ""] {
            assert_eq!(unfenced(text), text);
        }
    }

    #[test]
    fn the_first_of_five_runners_is_the_framework() {
        let check = |package: &str, expected: Option<&str>| {
            assert_eq!(runner_of_package(package), expected, "{package}");
        };
        check(
            r#"{"dependencies":{"jest":"1"},"devDependencies":{"mocha":"2"}}"#,
            Some("mocha"),
        );
        check(
            r#"{"devDependencies":{"vitest":"1","qunit":"2"}}"#,
            Some("qunit"),
        );
        check(r#"{"devDependencies":{"jest-cli":"1"}}"#, None);
        check(r#"{"devDependencies":["jest"]}"#, None);
        check("not json", None);
    }
}
