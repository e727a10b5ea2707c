//! `prompts` about problems of `clover`: questions that are there, and files of their projects.

use std::collections::BTreeMap;
use std::fs;

use crate::args::{self, Budget};
use crate::clover::{self, QuestionKind};
use crate::command::clover::tasks::drawn;
use crate::command::execute::cases::environment_in;
use crate::command::{output, site, tokens, workspace};
use crate::exchange::WireTask;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::counted;
use crate::prompts::{AnswerForm, BudgetCounter, ProblemOptions, PromptKind, problem_prompts};
use crate::runner::python::Environment;
use crate::table::visible;
use crate::{Context, progress};

/// Questions that are named one by one; the others are only counted.
const N_TOLD: usize = 10;

pub fn run(
    context: &mut Context<'_, '_>,
    arguments: &args::Prompts,
    kind: PromptKind,
    template: Option<String>,
) -> Result<(), Stop> {
    let usage = |message: String| Err(Failure::new(ExitCode::Usage, message).into());
    if !arguments.filter.is_empty() {
        return usage(format!(
            "prompts of the kind `{}` are about problems, which have no filters; `--project` chooses among them",
            kind.as_str()
        ));
    }
    let budget = match (arguments.budget, kind) {
        (None, _) => {
            return usage(format!(
                "prompts of the kind `{}` need `--budget`: `16k`, or `po` for the problem only",
                kind.as_str()
            ));
        }
        (Some(Budget::ProblemOnly), PromptKind::Block) => {
            return usage(
                "the files of its blocks belong to a prompt of the kind `block`: `--budget 64k`"
                    .to_owned(),
            );
        }
        (Some(_), PromptKind::Block) if !arguments.context.has_focal() => {
            return usage(
                "the files of its blocks belong to a prompt of the kind `block`".to_owned(),
            );
        }
        (Some(budget), _) => budget.tokens(),
    };
    let forms = AnswerForm::of_kind(kind);
    let answer = arguments
        .answer
        .or(forms.first().copied())
        .unwrap_or(AnswerForm::Full);
    if !forms.contains(&answer) {
        let forms: Vec<&str> = forms.iter().map(|form| form.as_str()).collect();
        return usage(format!(
            "answers to prompts of the kind `{}` are {}",
            kind.as_str(),
            forms.join(" or ")
        ));
    }
    let counter = tokens::counter(&arguments.tokenizer)?;
    let options = ProblemOptions {
        kind,
        budget,
        counter: &counter,
        template,
        answer,
        contexts: arguments.context,
        seed: arguments.seed,
    };
    let (environments, questions) = chosen(context, arguments, kind, &counter)?;
    let mut file = match &arguments.output {
        Some(path) => Some(output::create(path, arguments.force)?),
        None => None,
    };
    let read = |project: &str, file: &str| file_of(&environments, project, file);
    let report = progress::run(context, |context, monitor| {
        Ok(match &mut file {
            Some(file) => problem_prompts(&questions, &options, &read, monitor, file)?,
            None => problem_prompts(
                &questions,
                &options,
                &read,
                monitor,
                &mut *context.streams.out,
            )?,
        })
    })?;
    if let Some(file) = file {
        file.finish()?;
    }
    for id in report.too_long.iter().take(N_TOLD) {
        context.say(&format!("warning: does not fit: {}", visible(id)));
    }
    let by = match counter {
        BudgetCounter::Approximate => " by bytes / 3.6 (`--tokenizer` counts exactly)",
        BudgetCounter::Exact { .. } => "",
    };
    context.say(&format!(
        "{} prompts, {} tokens{by}, with {} of their projects; {} do not fit",
        report.n_written,
        report.n_tokens,
        counted(report.n_files, "file"),
        report.too_long.len()
    ));
    context.end(0)
}

/// The projects whose questions are drawn, and how.
pub struct ProblemSampling<'a> {
    /// All projects that have questions where none is named.
    pub projects: &'a [String],
    pub seed: u64,
    pub counter: &'a BudgetCounter,
}

type Questions = (BTreeMap<String, Environment>, Vec<WireTask>);

/// Chooses the kind of prompts that ask a question of a task.
pub const fn kind_of(task: QuestionKind) -> PromptKind {
    match task {
        QuestionKind::Cloze => PromptKind::Cloze,
        QuestionKind::Target => PromptKind::Target,
        QuestionKind::Block => PromptKind::Block,
    }
}

/// Reads the text of a file of a prepared project. A file that is no text is nothing to show.
pub fn file_of(
    environments: &BTreeMap<String, Environment>,
    project: &str,
    file: &str,
) -> Option<String> {
    let environment = environments.get(project)?;
    fs::read_to_string(environment.checkout.join(file)).ok()
}

/// Lists the questions that can be drawn, with marks on those of the seed.
pub fn questions(
    context: &mut Context<'_, '_>,
    sampling: &ProblemSampling<'_>,
    task: QuestionKind,
) -> Result<Questions, Stop> {
    let store = workspace::open(context)?;
    let cache = site::cache()?;
    let names = if sampling.projects.is_empty() {
        store.clover_projects()?
    } else {
        sampling.projects.to_vec()
    };
    let (mut environments, mut all) = (BTreeMap::new(), Vec::new());
    for name in names {
        let environment = environment_in(&cache, &name)?;
        let mut found = clover::stored(&store, &environment, task)?;
        drawn(&mut found, &environment, sampling.seed, sampling.counter)?;
        found.retain(|wire_task| wire_task.reason.is_none());
        all.extend(found);
        environments.insert(environment.name.clone(), environment);
    }
    Ok((environments, all))
}

/// Reads the questions of one kind from all requested projects.
fn chosen(
    context: &mut Context<'_, '_>,
    arguments: &args::Prompts,
    kind: PromptKind,
    counter: &BudgetCounter,
) -> Result<Questions, Stop> {
    let mut tasks = QuestionKind::ALL.iter().copied();
    let task = tasks
        .find(|task| kind_of(*task) == kind)
        .unwrap_or(QuestionKind::Cloze);
    let wanted = ProblemSampling {
        projects: &arguments.project,
        seed: arguments.seed,
        counter,
    };
    let (environments, mut all) = questions(context, &wanted, task)?;
    if !arguments.all {
        all.retain(|wire_task| wire_task.drawn);
    }
    if all.is_empty() {
        let message = format!("there are no questions of the kind `{}`", kind.as_str());
        let hint = format!(
            "`focalist paper clover tasks PROJECT --task {}` makes them",
            kind.as_str()
        );
        return Err(Failure::new(ExitCode::Problems, message)
            .with_hint(hint)
            .into());
    }
    Ok((environments, all))
}
