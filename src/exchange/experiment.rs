//! Files of experiments: models, what they are asked, and how their answers are judged.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
use toml::Spanned;

/// What is wrong, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Flaw {
    /// From 1.
    pub line: u32,
    /// A lower-case fragment.
    pub text: String,
}

/// A file, as it is written.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Experiment {
    pub name: Spanned<String>,
    /// Samples that are asked about, with `kind`.
    pub filter: Option<Spanned<String>>,
    pub kind: Option<Spanned<String>>,
    pub budget: Option<u32>,
    pub template: Option<Spanned<String>>,
    /// A file, in place of `kind`.
    pub prompts: Option<Spanned<String>>,
    #[serde(default)]
    pub metrics: Vec<Spanned<String>>,
    #[serde(default)]
    pub execute: bool,
    pub models: Vec<Spanned<BTreeMap<String, Value>>>,
}

/// A value of a model: as it would be typed behind its option.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum Value {
    Flag(bool),
    Count(i64),
    Number(f64),
    Text(String),
    Texts(Vec<String>),
}

impl Value {
    /// Returns its texts; a flag that is not set has none.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        match self {
            Self::Flag(_) => Vec::new(),
            Self::Count(count) => vec![count.to_string()],
            Self::Number(number) => vec![number.to_string()],
            Self::Text(text) => vec![text.clone()],
            Self::Texts(texts) => texts.clone(),
        }
    }
}

/// Returns the line of a byte, from 1.
#[must_use]
pub fn line_of(text: &str, span: &Range<usize>) -> u32 {
    let before = text.get(..span.start).unwrap_or(text);
    before.matches('\n').count() as u32 + 1
}

/// Reads a file.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn read_experiment(text: &str) -> Result<Experiment, Flaw> {
    toml::from_str(text).map_err(|error| Flaw {
        line: line_of(text, &error.span().unwrap_or(0..0)),
        text: error.message().replace('\n', ", "),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let check = |text: &str, line: u32, start: &str| {
            let flaw = read_experiment(text).expect_err("it is wrong");
            assert_eq!(flaw.line, line, "{flaw:?}");
            assert!(flaw.text.starts_with(start), "{flaw:?}");
        };
        check("name = \"a\"\nmodel = 1\n", 2, "unknown field `model`");
        check("name = 1\n", 1, "invalid type");
        check("name = \"a\"\n\n[[models\n", 3, "");
        let sound = "name = \"a\"\n[[models]]\nmodel = \"m\"\nn = 4\ntemperature = 0.5\n";
        let read = read_experiment(sound).expect("it is sound");
        let model = read.models[0].get_ref();
        assert_eq!(model["n"].texts(), ["4"]);
        assert_eq!(model["temperature"].texts(), ["0.5"]);
    }
}
