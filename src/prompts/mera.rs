//! Prompts of the kind `mera`: what MERA's `UnitTests` asks, each out of one of twenty templates.
//!
//! `transfer` chooses the samples and the templates; this decides which parts of a prompt that is too long are left
//! out.

use std::io::Write;

use crate::exchange::mera::{MeraInputs, MeraPrompts, fenced, mera_template};
use crate::store::Store;
use crate::task::Monitor;
use crate::template::TemplateError;
use crate::transfer::{
    ExportError, MeraExport, MeraLayout, PAIRS_PER_REPO_MAX, PROMPTS, PromptFile, mera_questions,
};
use crate::{Contexts, Maker, PromptError, PromptLimit, PromptReport, Text};

/// Writes a prompt for each sample that would be a record and is no example.
pub fn prompts(
    maker: &Maker<'_>,
    (store, monitor): (&Store, &Monitor),
    out: &mut dyn Write,
) -> Result<PromptReport, PromptError> {
    let options = maker.options;
    let source = options.template.as_deref().unwrap_or(PROMPTS[0].1);
    let prompts = MeraPrompts::parse(source).map_err(|error| TemplateError::Syntax {
        line: error.line.unwrap_or(1),
        detail: error.detail,
    })?;
    let asked = MeraExport {
        languages: Vec::new(),
        matcher: None,
        part: None,
        filter: options.filter.clone(),
        filter_text: String::new(),
        prompts: PromptFile {
            prompts,
            source: source.to_owned(),
        },
        seed: None,
        max_per_repo: PAIRS_PER_REPO_MAX,
        quotas: None,
        splits: None,
        any_license: false,
        layout: MeraLayout::Jsonl,
    };
    let mut report = PromptReport::default();
    let limit = options.limit();
    mera_questions(store, monitor, &asked, |sample, template, inputs| {
        let text = text(template, shown(inputs, options.contexts), &limit);
        Ok(maker.write(sample, (&text, &[]), &mut report, out)?)
    })?;
    out.flush()?;
    Ok(report)
}

/// Empties the files in the inputs that are not shown.
fn shown(mut inputs: MeraInputs, contexts: Contexts) -> MeraInputs {
    if !contexts.has_focal() {
        inputs.focal_func_context = fenced(&inputs.language, "");
    }
    if !contexts.has_test() {
        inputs.test_func_context = fenced("", "");
    }
    inputs
}

/// Writes the prompt. One that is too long loses both files before its end.
fn text(template: &str, mut inputs: MeraInputs, limit: &PromptLimit<'_>) -> Text {
    let mut truncated = Vec::new();
    for step in ["focal_file", "test_file"] {
        let text = mera_template(template, &inputs);
        if limit.fits(&text) {
            return Text { text, truncated };
        }
        let (part, fence) = match step {
            "focal_file" => (&mut inputs.focal_func_context, inputs.language.as_str()),
            _ => (&mut inputs.test_func_context, ""),
        };
        let nothing = fenced(fence, "");
        if *part != nothing {
            *part = nothing;
            truncated.push(step);
        }
    }
    limit.cut(mera_template(template, &inputs), truncated)
}

impl From<ExportError> for PromptError {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Store(error) => error.into(),
            ExportError::Io(error) => error.into(),
            ExportError::Cancelled(cancelled) => cancelled.into(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BudgetCounter;

    #[test]
    fn of_a_long_prompt_the_files_go_before_the_question() {
        let template = "{focal_func} {focal_func_context} {test_func_context} Write it.";
        let inputs = MeraInputs {
            focal_func: "F".to_owned(),
            focal_func_context: fenced("go", &"f".repeat(36)),
            test_func_context: fenced("", &"t".repeat(36)),
            language: "go".to_owned(),
            ..MeraInputs::default()
        };
        let check = |budget: usize, expected: &str, truncated: &[&str]| {
            let limit = PromptLimit {
                budget,
                counter: &BudgetCounter::Approximate,
            };
            let made = text(template, inputs.clone(), &limit);
            assert_eq!(
                (made.text.as_str(), &*made.truncated),
                (expected, truncated)
            );
        };
        let (focal, test) = (&inputs.focal_func_context, &inputs.test_func_context);
        check(99, &format!("F {focal} {test} Write it."), &[]);
        check(
            22,
            &format!("F ```go\n\n``` {test} Write it."),
            &["focal_file"],
        );
        let both = ["focal_file", "test_file"];
        check(9, "F ```go\n\n``` ```\n\n``` Write it.", &both);
        check(1, "F `", &["focal_file", "test_file", "cut"]);
    }
}
