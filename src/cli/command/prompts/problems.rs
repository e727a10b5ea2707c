//! `prompts` about problems of `clover`: questions that are there, and files of their projects.

use std::collections::BTreeMap;
use std::fs;

use crate::args::{self, Budget};
use crate::clover::{self, Task};
use crate::command::clover::tasks::drawn;
use crate::command::execute::cases::environment_in;
use crate::command::{output, site, tokens, workspace};
use crate::exchange::WireTask;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::counted;
use crate::prompts::{Counter, Kind, ProblemOptions, problem_prompts};
use crate::runner::python::Environment;
use crate::table::visible;
use crate::{Context, progress};

/// How many questions are named one by one.
const N_TOLD: usize = 10;

pub fn run(
    context: &mut Context<'_, '_>,
    asked: &args::Prompts,
    kind: Kind,
    template: Option<String>,
) -> Result<(), Stop> {
    let usage = |message: String| Err(Failure::new(ExitCode::Usage, message).into());
    if !asked.filter.is_empty() {
        return usage(format!(
            "prompts of the kind `{}` are about problems, which have no filters; `--project` chooses among them",
            kind.as_str()
        ));
    }
    let budget = match (asked.budget, kind) {
        (None, _) => {
            return usage(format!(
                "prompts of the kind `{}` need `--budget`: `16k`, or `po` for the problem only",
                kind.as_str()
            ));
        }
        (Some(Budget::ProblemOnly), Kind::Block) => {
            return usage(
                "the files of its blocks belong to a prompt of the kind `block`: `--budget 64k`"
                    .to_owned(),
            );
        }
        (Some(it), _) => it.tokens(),
    };
    let counter = tokens::counter(&asked.tokenizer)?;
    let options = ProblemOptions {
        kind,
        budget,
        counter: &counter,
        template,
        answer: asked.answer,
        seed: asked.seed,
    };
    let (environments, questions) = questions(context, asked, kind, &counter)?;
    let mut file = match &asked.output {
        Some(path) => Some(output::create(path, asked.force)?),
        None => None,
    };
    let read = |project: &str, file: &str| {
        let environment = environments.get(project)?;
        // A file that is no text is nothing to show.
        fs::read_to_string(environment.checkout.join(file)).ok()
    };
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
        Counter::Approximate => " by bytes / 3.6 (`--tokenizer` counts exactly)",
        Counter::Exact { .. } => "",
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

/// Returns the questions that the seed draws, of all projects that were asked for.
fn questions(
    context: &mut Context<'_, '_>,
    asked: &args::Prompts,
    kind: Kind,
    counter: &Counter,
) -> Result<(BTreeMap<String, Environment>, Vec<WireTask>), Stop> {
    let task = match kind {
        Kind::Target => Task::Target,
        Kind::Block => Task::Block,
        Kind::Cloze
        | Kind::Assertion
        | Kind::Test
        | Kind::Mera
        | Kind::Template
        | Kind::Encoded
        | Kind::Half => Task::Cloze,
    };
    let store = workspace::open(context)?;
    let cache = site::cache()?;
    let names = if asked.project.is_empty() {
        store.clover_projects()?
    } else {
        asked.project.clone()
    };
    let (mut environments, mut all) = (BTreeMap::new(), Vec::new());
    for name in names {
        let environment = environment_in(&cache, &name)?;
        let mut found = clover::stored(&store, &environment, task)?;
        drawn(&mut found, &environment, asked.seed, counter)?;
        if !asked.all {
            found.retain(|it| it.drawn);
        }
        found.retain(|it| it.reason.is_none());
        all.extend(found);
        environments.insert(environment.name.clone(), environment);
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
