//! Results of a model as the Hub of Hugging Face takes them: a file in `.eval_results` of the model's repository, the older
//! `model-index` in front of its card, and the `eval.yaml` with which a dataset becomes a benchmark.
//!
//! Texts are written as double-quoted scalars, which may hold anything.

use serde_json::Value;

/// How models are ranked on a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HubEvaluation {
    /// The framework that evaluates them, by its name on the Hub.
    pub framework: String,
    /// Identifiers of the tasks, one for each value.
    pub tasks: Vec<String>,
}

/// A value of a model on a task.
#[derive(Clone, Debug, PartialEq)]
pub struct HubResult {
    /// The task's identifier.
    pub task: String,
    /// The name of the metric for people.
    pub title: String,
    /// 0..=1.
    pub value: f64,
    /// The data that it was measured on.
    pub notes: String,
}

/// The values with the facts beside them.
#[derive(Clone, Debug)]
pub struct HubResults<'a> {
    /// The name of the dataset, such as `owner/name`.
    pub dataset: &'a str,
    /// The commit of the dataset's repository.
    pub revision: Option<&'a str>,
    /// A day.
    pub date: &'a str,
    /// The address where the results can be looked at, with its name.
    pub source: Option<(&'a str, Option<&'a str>)>,
    pub results: &'a [HubResult],
}

impl HubResults<'_> {
    /// Writes a file of `.eval_results`.
    #[must_use]
    pub fn yaml(&self) -> String {
        let mut text = String::new();
        for result in self.results {
            text.push_str(&format!(
                "- dataset:\n    id: {}\n    task_id: {}\n",
                quoted(self.dataset),
                quoted(&result.task)
            ));
            if let Some(revision) = self.revision {
                text.push_str(&format!("    revision: {}\n", quoted(revision)));
            }
            text.push_str(&format!(
                "  value: {}\n  date: {}\n",
                result.value,
                quoted(self.date)
            ));
            if let Some((url, name)) = self.source {
                text.push_str(&format!("  source:\n    url: {}\n", quoted(url)));
                if let Some(name) = name {
                    text.push_str(&format!("    name: {}\n", quoted(name)));
                }
            }
            text.push_str(&format!("  notes: {}\n", quoted(&result.notes)));
        }
        text
    }

    /// Writes front matter with a `model-index`, for the card of a model of this name.
    #[must_use]
    pub fn model_index(&self, model: &str) -> String {
        let name = self.dataset.rsplit('/').next().unwrap_or(self.dataset);
        let mut text = format!(
            "---\nmodel-index:\n- name: {}\n  results:\n  - task:\n      type: text-generation\n      name: Test generation\n    \
             dataset:\n      type: {}\n      name: {}\n",
            quoted(model),
            quoted(self.dataset),
            quoted(name)
        );
        if let Some(revision) = self.revision {
            text.push_str(&format!("      revision: {}\n", quoted(revision)));
        }
        text.push_str("    metrics:\n");
        for result in self.results {
            text.push_str(&format!(
                "    - type: {}\n      value: {}\n      name: {}\n",
                quoted(&result.task),
                result.value,
                quoted(&result.title)
            ));
        }
        if let Some((url, name)) = self.source {
            text.push_str(&format!(
                "    source:\n      url: {}\n      name: {}\n",
                quoted(url),
                quoted(name.unwrap_or(url))
            ));
        }
        text.push_str("---\n");
        text
    }
}

/// Makes the identifier of a metric's task: of the characters in a metric's own id, only letters, digits, `-` and `_`
/// are certain to be accepted everywhere.
#[must_use]
pub fn task_of(metric: &str) -> String {
    let sign = |c: char| match c {
        'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => c,
        _ => '_',
    };
    metric.chars().map(sign).collect()
}

/// Writes the `eval.yaml` of a dataset whose models are measured on this split.
#[must_use]
pub fn tasks_yaml(
    (name, description): (&str, &str),
    evaluated: &HubEvaluation,
    split: &str,
) -> String {
    let mut text = format!(
        "name: {}\ndescription: {}\nevaluation_framework: {}\ntasks:\n",
        quoted(name),
        quoted(description),
        quoted(&evaluated.framework)
    );
    for task in &evaluated.tasks {
        text.push_str(&format!(
            "- id: {}\n  config: default\n  split: {}\n",
            quoted(task),
            quoted(split)
        ));
    }
    text
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::placed::{ValueAtLine, yaml};

    fn results(results: &[HubResult]) -> HubResults<'_> {
        HubResults {
            dataset: "owner/unit-tests",
            revision: Some("5503434ddd753f426f4b38109466949a1217c2bb"),
            date: "2026-01-31",
            source: Some(("https://example.org/report.html", None)),
            results,
        }
    }

    #[test]
    fn whatever_a_text_holds_it_stays_the_text() {
        let notes = "run: \"a\" # {x}\n- y: ä";
        let all = [HubResult {
            task: task_of("codebleu:k4black"),
            title: "CodeBLEU".to_owned(),
            value: 0.5,
            notes: notes.to_owned(),
        }];
        let read = yaml(&results(&all).yaml(), 1).expect("it is YAML");
        let first = &read.elements()[0];
        let text =
            |at_line: Option<&ValueAtLine>| at_line.and_then(ValueAtLine::text).map(str::to_owned);
        assert_eq!(text(first.get("notes")).as_deref(), Some(notes));
        let dataset = first.get("dataset").expect("it is named");
        assert_eq!(
            text(dataset.get("task_id")).as_deref(),
            Some("codebleu_k4black")
        );
        let index = results(&all).model_index("my: model");
        let front = index.trim_start_matches("---\n").trim_end_matches("---\n");
        let read = yaml(front, 1).expect("it is YAML");
        let models = read.get("model-index").expect("it is there").elements();
        assert_eq!(text(models[0].get("name")).as_deref(), Some("my: model"));
    }
}
