//! Answers to questions of `clover`, and their evaluation.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::records::RecordError;

/// A line of answers: of anybody, or as `export --format answers` writes it.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
pub struct WireAnswer {
    /// The id of a prompt, or of a question.
    pub id: String,
    /// The answer as it came.
    pub prediction: Option<String>,
    /// The same in lines of `export --format answers`; null where the prompt was too long for the model.
    #[serde(default, deserialize_with = "present")]
    pub text: Option<Option<String>>,
    /// The name of the run that the answer belongs to; `model` is used where there is none.
    pub run: Option<String>,
    pub model: Option<String>,
    /// Where the id is a question's: tokens of the prompt, none for the problem alone.
    pub budget: Option<usize>,
    /// Where the id is a question's: `full`, `part`, `only`.
    pub answer: Option<String>,
}

impl WireAnswer {
    /// Reads the answer; nothing where there is none, because the prompt was too long.
    ///
    /// # Errors
    /// It has neither field.
    pub fn said(&mut self) -> Result<Option<String>, RecordError> {
        match (self.prediction.take(), self.text.take()) {
            (Some(said), _) => Ok(Some(said)),
            (None, Some(said)) => Ok(said),
            (None, None) => Err(RecordError::Neither("prediction", "text")),
        }
    }

    /// Reads the name of the answer's run, else of its model, if the line has one.
    pub fn model(&mut self) -> Option<String> {
        self.run.take().or_else(|| self.model.take())
    }
}

/// Reads a field that is there, so that null differs from an absent field.
#[expect(clippy::option_option, reason = "null is told from absence")]
fn present<'de, D: serde::Deserializer<'de>>(
    source: D,
) -> Result<Option<Option<String>>, D::Error> {
    Option::deserialize(source).map(Some)
}

/// The parts of a prompt's id: `QUESTION@BUDGET+FORM+HASH`, `po` for the problem alone.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AnswerId {
    pub instance: String,
    pub budget: Option<usize>,
    pub form: Option<String>,
}

impl AnswerId {
    /// Writes it with a hash of everything that shaped the prompt.
    #[must_use]
    pub fn text(&self, hash: &str) -> String {
        let budget = self
            .budget
            .map_or_else(|| "po".to_owned(), |budget| budget.to_string());
        let form = self
            .form
            .as_ref()
            .map_or_else(String::new, |form| format!("+{form}"));
        format!("{}@{budget}{form}+{hash}", self.instance)
    }

    /// Reads the id of a prompt; any other id is a question's.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let plain = || Self {
            instance: text.to_owned(),
            ..Self::default()
        };
        let Some((instance, rest)) = text.rsplit_once('@') else {
            return plain();
        };
        let mut parts = rest.split('+');
        let budget = match parts.next() {
            Some("po") => None,
            Some(digits) => match digits.parse() {
                Ok(n) => Some(n),
                Err(_) => return plain(),
            },
            None => return plain(),
        };
        let form = parts
            .next()
            .filter(|text| matches!(*text, "full" | "part" | "only"));
        Self {
            instance: instance.to_owned(),
            budget,
            form: form.map(str::to_owned),
        }
    }
}

/// The evaluation of one answer.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireEvaluated {
    pub id: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    pub task: String,
    pub budget: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    /// None where nothing of the answer could be run.
    pub outcome: Option<&'static str>,
    pub reason: Option<String>,
    pub message: Option<String>,
    /// It passes.
    pub executed: bool,
    /// It passes, and does what the task demands: RER for `cloze`.
    pub success: bool,
    /// In `cloze`: whether it is exactly the reference.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub exact: Option<bool>,
    /// In `cloze`: the code that it puts into the blank.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub said: Option<String>,
    /// In `block`: the statements that were wanted, and those of them that were reached.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub wanted: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reached: Option<usize>,
}

/// A share of all questions with the interval that holds 95 % of its bootstrap values.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct WireInterval {
    pub value: f64,
    pub low: f64,
    pub high: f64,
}

/// Answers to one task under one budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireShares {
    /// Null for the problem alone.
    pub budget: Option<usize>,
    /// Questions, and answers to them.
    pub n: usize,
    pub n_answers: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub em: Option<WireInterval>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub er: Option<WireInterval>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rer: Option<WireInterval>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub execution: Option<WireInterval>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<WireInterval>,
}

/// One model's answers to one task under all budgets.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireTaskReport {
    /// Null where the answers do not name one.
    pub model: Option<String>,
    /// The repository of these questions; none for those of all.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    pub task: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    pub budgets: Vec<WireShares>,
    /// The highest RER or success.
    pub best: f64,
    /// Best and worst budget less the problem alone, over questions that have answers under all; none without these.
    pub delta_max: Option<WireInterval>,
    pub delta_min: Option<WireInterval>,
    /// Questions that have answers under all budgets.
    pub n_common: usize,
}

/// How much better one model answers than another, over questions that both have answers to.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireModelDifference {
    pub task: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    pub budget: Option<usize>,
    pub model: Option<String>,
    pub baseline: Option<String>,
    /// Questions with answers of both.
    pub n: usize,
    /// RER of `cloze`, else success: of the model, then of the baseline.
    pub value: f64,
    pub baseline_value: f64,
    pub difference: WireInterval,
    /// How probable a difference as large is, of either sign, where names mean nothing.
    pub p: f64,
}

/// How many answers to clozes are exact and how many are right, of one model under one budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireGap {
    pub model: Option<String>,
    pub budget: Option<usize>,
    /// Characters of the references of this row; null in the row of all, and `to` where there is no end.
    pub from: Option<usize>,
    pub to: Option<usize>,
    /// Questions.
    pub n: usize,
    pub em: f64,
    pub rer: f64,
    /// Answers that are right and not the reference, with their mean lengths.
    pub n_inexact: usize,
    pub said_chars: Option<f64>,
    pub reference_chars: Option<f64>,
    /// How these are right: counts by way.
    pub ways: BTreeMap<&'static str, usize>,
}

/// How many answers of one model under one budget say nothing.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireGibberish {
    pub task: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub answer: Option<String>,
    pub model: Option<String>,
    pub budget: Option<usize>,
    pub n_answers: usize,
    pub share: f64,
    pub kinds: BTreeMap<&'static str, usize>,
}

/// The lead of answers of one form over another, over the questions that have both.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireFormDifference {
    pub task: &'static str,
    pub model: Option<String>,
    pub budget: Option<usize>,
    /// `execution` (ER of clozes), `success` (RER)
    pub measure: &'static str,
    pub baseline: &'static str,
    pub answer: &'static str,
    pub n: usize,
    pub baseline_value: f64,
    pub value: f64,
    pub difference: WireInterval,
    pub p: f64,
}

/// How many tokens prompts of a task have (the paper's Table 2).
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireTaskTokens {
    pub task: &'static str,
    /// Questions that the seed draws, and that it could draw.
    pub drawn: usize,
    pub available: usize,
    /// Forms of answers that there are prompts for.
    pub templates: usize,
    pub budgets: Vec<WireBudgetTokens>,
}

/// Prompts of a task under one budget.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct WireBudgetTokens {
    pub budget: Option<usize>,
    /// Prompts; questions that do not fit have none.
    pub n: u64,
    pub tokens: Option<f64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_that_is_null_is_told_from_none() {
        let read = |line: &str| {
            let mut line: WireAnswer = serde_json::from_str(line).expect("it is an answer");
            (line.said(), line.model())
        };
        let said = |text: &str| Ok(Some(text.to_owned()));
        let own = read(r#"{"id":"a","prediction":"x","run":"r","model":"m"}"#);
        assert_eq!(own, (said("x"), Some("r".to_owned())));
        let exported = read(r#"{"id":"a","text":"y","model":"m","parameters":{}}"#);
        assert_eq!(exported, (said("y"), Some("m".to_owned())));
        assert_eq!(read(r#"{"id":"a","text":null}"#), (Ok(None), None));
        assert!(read(r#"{"id":"a"}"#).0.is_err());
    }

    #[test]
    fn the_id_of_a_prompt_says_question_budget_and_form() {
        let check = |budget, form: Option<&str>, expected: &str| {
            let id = AnswerId {
                instance: "p/tests/t.py::test#cloze-1-left".to_owned(),
                budget,
                form: form.map(str::to_owned),
            };
            assert_eq!(id.text("0a"), expected);
            assert_eq!(AnswerId::of(expected), id);
        };
        check(None, None, "p/tests/t.py::test#cloze-1-left@po+0a");
        check(
            Some(16_000),
            Some("part"),
            "p/tests/t.py::test#cloze-1-left@16000+part+0a",
        );
        check(
            None,
            Some("only"),
            "p/tests/t.py::test#cloze-1-left@po+only+0a",
        );
    }

    #[test]
    fn what_is_no_id_of_a_prompt_is_a_question() {
        for text in ["p/tests/t.py::test#block", "p/a@b/t.py::test#block"] {
            assert_eq!(AnswerId::of(text).instance, text);
        }
    }
}
