//! Files of experiments: models, their prompts, and how their answers are judged.

use std::collections::BTreeMap;
use std::ops::Range;

use serde::Deserialize;
pub use toml::Spanned;

/// A flaw, and its place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExperimentFlaw {
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
    /// The context around a question; several are conditions, as are several budgets and answers.
    pub context: Option<Spanned<OneOrMany>>,
    pub budget: Option<Spanned<OneOrMany>>,
    /// Forms of answers to problems.
    pub answer: Option<Spanned<OneOrMany>>,
    /// The counter of tokens.
    pub tokenizer: Option<Spanned<String>>,
    /// Prepared projects whose problems are asked about.
    #[serde(default)]
    pub project: Vec<Spanned<String>>,
    /// A file that `mutate` wrote, with the kind `half`.
    pub seeds: Option<Spanned<String>>,
    pub template: Option<Spanned<String>>,
    /// A file, in place of `kind`.
    pub prompts: Option<Spanned<String>>,
    #[serde(default)]
    pub metrics: Vec<Spanned<String>>,
    #[serde(default)]
    pub execute: bool,
    pub models: Vec<Spanned<BTreeMap<String, ExperimentValue>>>,
}

impl Experiment {
    /// Lists the contexts of questions, each by its word.
    #[must_use]
    pub fn contexts(&self) -> Vec<String> {
        texts(self.context.as_ref())
    }

    #[must_use]
    pub fn budgets(&self) -> Vec<String> {
        texts(self.budget.as_ref())
    }

    /// Lists the forms of answers.
    #[must_use]
    pub fn answers(&self) -> Vec<String> {
        texts(self.answer.as_ref())
    }
}

fn texts(several: Option<&Spanned<OneOrMany>>) -> Vec<String> {
    several.map_or_else(Vec::new, |spanned| spanned.get_ref().texts())
}

/// One value or a list: texts and whole numbers.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum OneOrMany {
    One(ExperimentWord),
    List(Vec<ExperimentWord>),
}

/// A text, or a number that is read as one.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum ExperimentWord {
    Count(u32),
    Text(String),
}

impl OneOrMany {
    /// Writes its values as they would be typed.
    #[must_use]
    pub fn texts(&self) -> Vec<String> {
        let words = match self {
            Self::One(word) => std::slice::from_ref(word),
            Self::List(words) => words,
        };
        let text = |word: &ExperimentWord| match word {
            ExperimentWord::Count(count) => count.to_string(),
            ExperimentWord::Text(text) => text.clone(),
        };
        words.iter().map(text).collect()
    }
}

/// A value of a model: as it would be typed behind its option.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged)]
pub enum ExperimentValue {
    Flag(bool),
    Count(i64),
    Number(f64),
    Text(String),
    Texts(Vec<String>),
}

impl ExperimentValue {
    /// Lists its texts; a flag that is not set has none.
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

/// Finds the line of a byte, from 1.
#[must_use]
pub fn line_of(text: &str, span: &Range<usize>) -> u32 {
    let before = text.get(..span.start).unwrap_or(text);
    before.matches('\n').count() as u32 + 1
}

/// Reads a file.
///
/// # Errors
/// The first thing that is wrong with it.
pub fn read_experiment(text: &str) -> Result<Experiment, ExperimentFlaw> {
    toml::from_str(text).map_err(|error| ExperimentFlaw {
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
