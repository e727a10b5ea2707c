//! Conditions of an experiment: contexts, budgets and forms of answers. Every combination is put to each model.
//!
//! Of samples every combination is a run. Of problems of `clover` budgets and forms stay in one run: the id of a prompt
//! says them, and how well a model uses a longer context is told within a run.

use std::path::{Path, PathBuf};

use crate::args::budget;
use crate::exchange::experiment::{Experiment, Spanned};
use crate::prompts::{AnswerForm, Contexts, PromptKind};

/// The subject of a kind of prompts, which decides the command that judges the answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PromptSubject {
    /// Samples of the index, or a file: `eval` and `execute`.
    Samples,
    /// Problems of `clover`: `clover eval`.
    Problems,
    /// Halves of functions: `consistency`.
    Halves,
}

impl PromptSubject {
    pub fn of(experiment: &Experiment) -> Self {
        match kind(experiment) {
            Some(PromptKind::Half) => Self::Halves,
            Some(kind) if kind.is_of_problems() => Self::Problems,
            _ => Self::Samples,
        }
    }
}

/// Looks up the kind of prompts, if the experiment names a known one.
pub fn kind(experiment: &Experiment) -> Option<PromptKind> {
    let name = experiment.kind.as_ref()?.get_ref();
    PromptKind::ALL
        .iter()
        .copied()
        .find(|prompt_kind| prompt_kind.as_str() == name)
}

/// The conditions of one run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExperimentCondition {
    /// The names and values that tell it from the others, in order; nothing where there is one alone.
    pub values: Vec<(&'static str, String)>,
    pub context: Option<String>,
    /// For samples one or none; for problems all.
    pub budgets: Vec<String>,
    /// For problems only.
    pub answers: Vec<String>,
}

impl ExperimentCondition {
    /// Writes the ending of a run's name: `-none-4k`.
    pub fn suffix(&self) -> String {
        let values = self
            .values
            .iter()
            .flat_map(|(_, text)| ["-", text.as_str()]);
        values.collect()
    }

    /// Combines each budget with each form of answers, for prompts about problems.
    pub fn crossed(&self) -> Vec<(&str, Option<&str>)> {
        let budgets = self.budgets.iter().map(String::as_str);
        let crossed = budgets.flat_map(|budget| {
            let forms: Vec<Option<&str>> = if self.answers.is_empty() {
                vec![None]
            } else {
                self.answers
                    .iter()
                    .map(|answer| Some(answer.as_str()))
                    .collect()
            };
            forms.into_iter().map(move |form| (budget, form))
        });
        crossed.collect()
    }

    /// Names the file of prompts for one budget and form, in this folder.
    pub fn file(&self, folder: &Path, (budget, form): (&str, Option<&str>)) -> PathBuf {
        let context = self.context.as_deref().unwrap_or("all");
        let form = form.map_or_else(String::new, |form| format!("-{form}"));
        folder.join(format!("{context}-{budget}{form}.jsonl"))
    }
}

/// Lists every combination of conditions that makes a run of its own, in the order of the file's lists.
pub fn conditions(experiment: &Experiment) -> Vec<ExperimentCondition> {
    let contexts = experiment.contexts();
    let budgets = experiment.budgets();
    let is_pooled = PromptSubject::of(experiment) == PromptSubject::Problems;
    let some = |all: &[String]| -> Vec<Option<String>> {
        match all {
            [] => vec![None],
            _ => all.iter().cloned().map(Some).collect(),
        }
    };
    let apart = if is_pooled {
        Vec::new()
    } else {
        budgets.clone()
    };
    let mut found = Vec::new();
    for context in some(&contexts) {
        for budget in some(&apart) {
            let told = |name, all: &[String], value: &Option<String>| {
                let value = value.clone().filter(|_| all.len() > 1)?;
                Some((name, value))
            };
            let values = [
                told("context", &contexts, &context),
                told("budget", &apart, &budget),
            ];
            found.push(ExperimentCondition {
                values: values.into_iter().flatten().collect(),
                context: context.clone(),
                budgets: if is_pooled {
                    budgets.clone()
                } else {
                    budget.into_iter().collect()
                },
                answers: experiment.answers(),
            });
        }
    }
    found
}

/// Finds the problems of the conditions, each with its place.
pub fn flaws(experiment: &Experiment) -> Vec<(std::ops::Range<usize>, String)> {
    let mut flaws = Vec::new();
    let about = PromptSubject::of(experiment);
    let kind = kind(experiment);
    for (several, name) in [
        (&experiment.context, "context"),
        (&experiment.budget, "budget"),
        (&experiment.answer, "answer"),
    ] {
        let Some(several) = several else { continue };
        let texts = several.get_ref().texts();
        let mut add = |text: String| flaws.push((several.span(), text));
        if texts.is_empty() {
            add(format!("`{name}` has no value"));
        }
        if experiment.prompts.is_some() {
            add(format!("`{name}` goes with `kind`"));
        }
        for (idx, text) in texts.iter().enumerate() {
            if texts[..idx].contains(text) {
                add(format!("`{text}` is there twice"));
            }
            if let Err(why) = check(name, text, kind) {
                add(why);
            }
        }
    }
    let span = experiment.kind.as_ref().map_or(0..0, Spanned::span);
    if about == PromptSubject::Problems && experiment.budget.is_none() {
        let text = "questions about problems need `budget`: [\"po\", \"16k\"]".to_owned();
        flaws.push((span.clone(), text));
    }
    match (&experiment.seeds, about) {
        (None, PromptSubject::Halves) => {
            let text = "the kind `half` needs `seeds`: a file of `focalist mutate`".to_owned();
            flaws.push((span, text));
        }
        (Some(seeds), PromptSubject::Samples | PromptSubject::Problems) => {
            flaws.push((seeds.span(), "`seeds` goes with the kind `half`".to_owned()));
        }
        _ => {}
    }
    if about != PromptSubject::Samples {
        for metric in &experiment.metrics {
            flaws.push((metric.span(), "`metrics` are about samples".to_owned()));
        }
        if let Some(filter) = &experiment.filter {
            flaws.push((filter.span(), "`filter` is about samples".to_owned()));
        }
    }
    if about != PromptSubject::Problems && !experiment.project.is_empty() {
        let span = experiment.project[0].span();
        flaws.push((
            span,
            "`project` goes with questions about problems".to_owned(),
        ));
    }
    flaws
}

/// Checks one value of a condition.
fn check(name: &str, text: &str, kind: Option<PromptKind>) -> Result<(), String> {
    match name {
        "context" => match Contexts::named(text) {
            None => {
                let known: Vec<&str> = Contexts::NAMES.iter().map(|pair| pair.0).collect();
                Err(format!("no context `{text}`; known: {}", known.join(", ")))
            }
            Some(_) if kind == Some(PromptKind::Half) => {
                Err("a prompt of the kind `half` has no code around it".to_owned())
            }
            Some(_) => Ok(()),
        },
        "budget" => match budget(text) {
            Err(why) => Err(format!("`{text}` is not a budget: {why}")),
            Ok(prompt_budget)
                if prompt_budget.tokens().is_none()
                    && !matches!(kind, Some(PromptKind::Cloze | PromptKind::Target)) =>
            {
                Err("`po` is for the kinds `cloze` and `target`".to_owned())
            }
            Ok(_) => Ok(()),
        },
        _ => {
            let forms = kind.map_or(&[] as &[AnswerForm], AnswerForm::of_kind);
            let known: Vec<&str> = forms.iter().map(|form| form.as_str()).collect();
            match known.as_slice() {
                [] => Err("answers to this kind have one form".to_owned()),
                known if known.contains(&text) => Ok(()),
                known => Err(format!("no form `{text}`; known: {}", known.join(", "))),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::exchange::experiment::read_experiment;

    fn read(text: &str) -> Experiment {
        let text = format!("name = \"x\"\n{text}\n[[models]]\nmodel = \"m\"\n");
        read_experiment(&text).expect("it can be read")
    }

    #[test]
    fn samples_have_a_run_for_each_combination_and_problems_keep_budgets_together() {
        let suffixes = |text: &str| -> Vec<String> {
            let found = conditions(&read(text));
            found.iter().map(ExperimentCondition::suffix).collect()
        };
        assert_eq!(suffixes("kind = \"test\""), [""]);
        assert_eq!(
            suffixes("kind = \"test\"\nbudget = 850\ncontext = \"none\""),
            [""]
        );
        assert_eq!(
            suffixes("kind = \"test\"\nbudget = [850, \"4k\"]\ncontext = [\"all\", \"none\"]"),
            ["-all-850", "-all-4k", "-none-850", "-none-4k"]
        );
        let clover = "kind = \"cloze\"\nbudget = [\"po\", \"4k\"]\nanswer = [\"filled\", \"only\"]";
        assert_eq!(suffixes(clover), [""]);
        assert_eq!(
            conditions(&read(clover))[0].crossed(),
            [
                ("po", Some("filled")),
                ("po", Some("only")),
                ("4k", Some("filled")),
                ("4k", Some("only"))
            ]
        );
    }

    #[test]
    fn wrong_conditions_are_told() {
        let check = |text: &str, expected: &[&str]| {
            let found: Vec<String> = flaws(&read(text)).into_iter().map(|flaw| flaw.1).collect();
            let starts = found
                .iter()
                .zip(expected)
                .all(|(text, start)| text.starts_with(start));
            assert!(starts && found.len() == expected.len(), "{found:?}");
        };
        check(
            "kind = \"test\"\ncontext = \"some\"",
            &["no context `some`"],
        );
        check("kind = \"test\"\nbudget = \"po\"", &["`po` is for"]);
        check(
            "kind = \"test\"\nanswer = \"part\"",
            &["answers to this kind"],
        );
        check("kind = \"cloze\"", &["questions about problems need"]);
        check(
            "kind = \"cloze\"\nbudget = \"po\"\nanswer = \"full\"",
            &["no form `full`"],
        );
        check("kind = \"half\"", &["the kind `half` needs"]);
        check("kind = \"test\"\nbudget = [1, 1]", &["`1` is there twice"]);
        check(
            "kind = \"test\"\nproject = [\"p\"]",
            &["`project` goes with"],
        );
        check(
            "kind = \"block\"\nbudget = \"64k\"\nfilter = \"x\"",
            &["`filter` is about"],
        );
    }
}
