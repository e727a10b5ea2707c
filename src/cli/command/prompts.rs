//! The command `prompts`.

use std::fs::{self, File};
use std::io::BufReader;
use std::path::Path;

use crate::args::{self, Budget};
use crate::command::mining::tell_problems;
use crate::command::{inspect, output, tokens, workspace};
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{agreeing, counted};
use crate::prompts::{
    BudgetCounter, Contexts, HalfOptions, PromptError, PromptKind, PromptOptions, PromptReport,
    Template, half_prompts, prompts,
};
use crate::table::visible;
use crate::transfer::built_in_prompts;
use crate::{Context, progress};

pub mod problems;

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Prompts) -> Result<(), Stop> {
    if let Some(kind) = arguments.show_template {
        return show(context, kind);
    }
    let Some(kind) = arguments.kind else {
        return Err(Failure::new(ExitCode::Usage, "prompts need a kind: `--kind test`").into());
    };
    if arguments.system.is_some() && !kind.is_of_samples() {
        let message = format!("prompts of the kind `{}` take no `--system`", kind.as_str());
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("`focalist generate --system` sends it with every prompt")
            .into());
    }
    match (kind, &arguments.seeds) {
        (PromptKind::Half, _) if arguments.context != Contexts::All => {
            let message = "a prompt of the kind `half` has no code around it";
            return Err(Failure::new(ExitCode::Usage, message).into());
        }
        (PromptKind::Half, Some(seeds)) => return halves(context, arguments, seeds),
        (PromptKind::Half, None) => {
            let message = "prompts of the kind `half` need variants of functions";
            return Err(Failure::new(ExitCode::Usage, message)
                .with_hint("`--seeds FILE` names a file of `focalist mutate`")
                .into());
        }
        (_, Some(_)) => {
            let message = "only prompts of the kind `half` are built from a file";
            return Err(Failure::new(ExitCode::Usage, message).into());
        }
        (_, None) => {}
    }
    if kind.is_of_samples() && arguments.answer.is_some() {
        let message = format!(
            "prompts of the kind `{}` have one form of answers",
            kind.as_str()
        );
        return Err(Failure::new(ExitCode::Usage, message).into());
    }
    let template = match &arguments.template {
        Some(path) => Some(template_of(kind, path)?),
        None => None,
    };
    if kind.is_of_problems() {
        return problems::run(context, arguments, kind, template);
    }
    if arguments.budget == Some(Budget::ProblemOnly) {
        let message = format!(
            "prompts of the kind `{}` are not about problems",
            kind.as_str()
        );
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("`po` is for the kinds `cloze` and `target`")
            .into());
    }
    let options = PromptOptions {
        kind,
        filter: inspect::filter(context, &arguments.filter)?,
        scope: inspect::scope(arguments.all),
        contexts: arguments.context,
        budget: arguments.budget.and_then(Budget::tokens).or(kind.budget()),
        counter: tokens::counter(&arguments.tokenizer)?,
        template,
        system: arguments.system.clone(),
    };
    let store = workspace::open(context)?;
    let mut file = match &arguments.output {
        Some(path) => Some(output::create(path, arguments.force)?),
        None => None,
    };
    let report = progress::run(context, |context, monitor| {
        Ok(match &mut file {
            Some(file) => prompts(&store, monitor, &options, file)?,
            None => prompts(&store, monitor, &options, &mut *context.streams.out)?,
        })
    })?;
    if report.n_written == 0 && report.n_other_language > 0 {
        let message = format!(
            "only samples in Java have prompts of the kind `{}`",
            kind.as_str()
        );
        return Err(Failure::new(ExitCode::Problems, message).into());
    }
    if let Some(file) = file {
        file.finish()?;
    }
    tell(context, &report, &options.counter);
    context.end(report.problems.len())
}

/// Reports how many prompts were written, and which samples were left out.
fn tell(context: &mut Context<'_, '_>, report: &PromptReport, counter: &BudgetCounter) {
    tell_problems(context, &report.problems, "focalist prompts");
    if report.n_other_language > 0 {
        context.say(&format!(
            "warning: {} in other languages than Java left out",
            counted(report.n_other_language, "sample")
        ));
    }
    if report.n_equal > 0 {
        context.say(&format!(
            "{} {} the prompt of another test of the same method",
            counted(report.n_equal, "test"),
            agreeing(report.n_equal, "has", "have")
        ));
    }
    let by = match counter {
        BudgetCounter::Approximate => " by bytes / 3.6 (`--tokenizer` counts exactly)",
        BudgetCounter::Exact { .. } => "",
    };
    context.say(&format!(
        "{}, {}{by}; {} {} not whole, {} of them cut at the end; {}",
        counted(report.n_written, "prompt"),
        counted(report.n_tokens, "token"),
        report.n_truncated,
        agreeing(report.n_truncated, "is", "are"),
        report.n_cut,
        counted(report.problems.len() as u64, "problem")
    ));
}

fn halves(
    context: &mut Context<'_, '_>,
    arguments: &args::Prompts,
    seeds: &Path,
) -> Result<(), Stop> {
    let shown = visible(&seeds.to_string_lossy());
    let input = File::open(seeds).map_err(Failure::unreadable(seeds))?;
    let mut input = BufReader::new(input);
    let options = HalfOptions {
        budget: arguments.budget.and_then(Budget::tokens),
        counter: tokens::counter(&arguments.tokenizer)?,
    };
    let mut file = match &arguments.output {
        Some(path) => Some(output::create(path, arguments.force)?),
        None => None,
    };
    let report = progress::run(context, |context, monitor| {
        let out: &mut dyn std::io::Write = match &mut file {
            Some(file) => file,
            None => &mut *context.streams.out,
        };
        Ok(half_prompts(&mut input, &shown, monitor, &options, out)?)
    })?;
    if let Some(file) = file {
        file.finish()?;
    }
    tell_problems(context, &report.problems, "focalist prompts");
    context.say(&format!(
        "{}, {}; {}",
        counted(report.n_written, "prompt"),
        counted(report.n_tokens, "token"),
        counted(report.problems.len() as u64, "problem")
    ));
    context.end(report.problems.len())
}

/// Reads the named template: a file, or one of the sets of templates that are built in.
pub fn template_of(kind: PromptKind, path: &Path) -> Result<String, Stop> {
    let name = path.to_str().filter(|_| kind == PromptKind::Mera);
    match name.and_then(built_in_prompts) {
        Some(source) => Ok(source),
        None => read(path),
    }
}

fn read(path: &Path) -> Result<String, Stop> {
    Ok(fs::read_to_string(path).map_err(Failure::unreadable(path))?)
}

/// Prints the built-in template; what it can ask for goes to stderr, so that the output is a template.
fn show(context: &mut Context<'_, '_>, kind: PromptKind) -> Result<(), Stop> {
    if let Some(template) = Template::built_in(kind) {
        write!(context.streams.out, "{template}")?;
    }
    if kind.variables().is_empty() {
        let message = format!("prompts of the kind `{}` have no template", kind.as_str());
        return Err(Failure::new(ExitCode::Usage, message).into());
    }
    context.say(&format!("variables: {}", kind.variables().join(", ")));
    Ok(())
}

impl From<PromptError> for Stop {
    fn from(error: PromptError) -> Self {
        let message = visible(&error.to_string());
        match error {
            PromptError::Store(error) => error.into(),
            PromptError::Io(error) => error.into(),
            PromptError::Cancelled(cancelled) => cancelled.into(),
            PromptError::Template(_) => {
                Failure::new(ExitCode::Input, format!("template: {message}"))
                    .with_hint("`focalist prompts --show-template KIND` lists all of them")
                    .into()
            }
            PromptError::NoTemplate(_) => Failure::new(ExitCode::Usage, message)
                .with_hint("`--template FILE` names one")
                .into(),
            PromptError::NotOfSamples(_) => Failure::new(ExitCode::Usage, message)
                .with_hint("`focalist prompts` writes them to a file, and `--prompts FILE` takes them from there")
                .into(),
            PromptError::HiddenFile => Failure::new(ExitCode::Usage, message)
                .with_hint("`--answer part` asks for the test function")
                .into(),
            PromptError::TakesNoTemplate(_) => Failure::new(ExitCode::Usage, message).into(),
        }
    }
}
