//! The commands that one would type for a run of an experiment, and for the table of all.

use std::fs;
use std::path::{Path, PathBuf};

use super::conditions::PromptSubject;
use super::{ExperimentFile, ExperimentModel, ExperimentRun, OPTIONS};
use crate::args::{TableName, budget};
use crate::exchange::experiment::{Experiment, ExperimentValue, Spanned};
use crate::failure::{ExitCode, Failure, Stop};

/// Finds the folder for the prompts and answers of an experiment; makes it where files are needed.
pub fn folder(workspace: &Path, read: &ExperimentFile) -> Result<PathBuf, Stop> {
    let name = read.experiment.name.get_ref();
    let safe = |sign: char| if sign.is_alphanumeric() { sign } else { '-' };
    let folder = workspace
        .join("experiments")
        .join(name.chars().map(safe).collect::<String>());
    if PromptSubject::of(&read.experiment) != PromptSubject::Samples {
        fs::create_dir_all(&folder).map_err(|error| {
            let message = format!("cannot make `{}`: {error}", folder.display());
            Failure::new(ExitCode::Input, message)
        })?;
    }
    Ok(folder)
}

/// Lists the steps of a run, each as the words of a command.
pub fn steps(read: &ExperimentFile, run: &ExperimentRun, folder: &Path) -> Vec<Vec<String>> {
    match PromptSubject::of(&read.experiment) {
        PromptSubject::Samples => of_samples(read, run),
        PromptSubject::Problems => of_problems(&read.experiment, run, folder),
        PromptSubject::Halves => of_halves(&read.experiment, run, folder),
    }
}

fn of_samples(read: &ExperimentFile, run: &ExperimentRun) -> Vec<Vec<String>> {
    let experiment = &read.experiment;
    let mut asking = asking(run);
    let mut option = |name: &str, value: Option<String>| {
        asking.extend(value.map(|value| format!("--{name}={value}")));
    };
    for (name, value) in [
        ("prompts", &experiment.prompts),
        ("kind", &experiment.kind),
        ("template", &experiment.template),
        ("tokenizer", &experiment.tokenizer),
    ] {
        option(
            name,
            value.as_ref().map(|spanned| spanned.get_ref().clone()),
        );
    }
    option("context", run.condition.context.clone());
    let n_tokens = run
        .condition
        .budgets
        .first()
        .and_then(|text| budget(text).ok()?.tokens());
    option("budget", n_tokens.map(|n_tokens| n_tokens.to_string()));
    if let Some(filter) = &experiment.filter {
        asking.push("--".to_owned());
        asking.push(filter.get_ref().clone());
    }
    let name = &run.name;
    let mut eval = vec!["eval".to_owned(), format!("--run={name}")];
    if !experiment.metrics.is_empty() {
        let ids: Vec<&str> = read.metrics.iter().map(|metric| metric.id).collect();
        eval.push(format!("--metrics={}", ids.join(",")));
    }
    let mut steps = vec![asking, eval];
    if experiment.execute {
        steps.push(vec!["execute".to_owned(), "--".to_owned(), name.clone()]);
    }
    steps
}

/// Prompts of each budget and form are a file; all of them are asked in one run, which is then judged.
fn of_problems(experiment: &Experiment, run: &ExperimentRun, folder: &Path) -> Vec<Vec<String>> {
    let mut steps = Vec::new();
    for crossing in run.condition.crossed() {
        let file = run.condition.file(folder, crossing);
        let mut prompts = prompting(experiment, &file);
        prompts.push(format!("--budget={}", crossing.0));
        prompts.extend(crossing.1.map(|text| format!("--answer={text}")));
        let context = run.condition.context.as_ref();
        prompts.extend(context.map(|context| format!("--context={context}")));
        let projects = experiment.project.iter();
        prompts.extend(projects.map(|project| format!("--project={}", project.get_ref())));
        steps.push(prompts);
        let mut asking = asking(run);
        asking.push(format!("--prompts={}", file.display()));
        steps.push(asking);
    }
    steps.push(words(&[
        "paper",
        "clover",
        "eval",
        &format!("--run={}", run.name),
    ]));
    steps
}

fn of_halves(experiment: &Experiment, run: &ExperimentRun, folder: &Path) -> Vec<Vec<String>> {
    let seeds = experiment.seeds.as_ref().map_or("", |seed| seed.get_ref());
    let budget = run.condition.budgets.first();
    let named = budget.map_or("all", String::as_str);
    let file = folder.join(format!("half-{named}.jsonl"));
    let mut prompts = prompting(experiment, &file);
    prompts.push(format!("--seeds={seeds}"));
    prompts.extend(budget.map(|budget| format!("--budget={budget}")));
    let mut asking = asking(run);
    asking.push(format!("--prompts={}", file.display()));
    let answers = folder.join("answers.jsonl").display().to_string();
    let run_option = format!("--run={}", run.name);
    let output = format!("--output={answers}");
    vec![
        prompts,
        asking,
        words(&[
            "export",
            "--format=answers",
            &run_option,
            &output,
            "--force",
        ]),
        words(&[
            "paper",
            "cctest",
            "consistency",
            seeds,
            "--from",
            &answers,
            &run_option,
        ]),
    ]
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

/// Writes the command that writes prompts to a file; an older one is replaced.
fn prompting(experiment: &Experiment, file: &Path) -> Vec<String> {
    let mut words = words(&["prompts", "--force"]);
    words.push(format!("--output={}", file.display()));
    for (name, value) in [
        ("kind", &experiment.kind),
        ("template", &experiment.template),
        ("tokenizer", &experiment.tokenizer),
    ] {
        let value = value.as_ref().map(Spanned::get_ref);
        words.extend(value.map(|value| format!("--{name}={value}")));
    }
    words
}

/// Writes the command that asks a model, without the prompts.
fn asking(run: &ExperimentRun) -> Vec<String> {
    let model: &ExperimentModel = &run.model;
    let mut words = vec!["generate".to_owned(), format!("--run={}", run.name)];
    for (key, is_alone) in OPTIONS {
        let Some(value) = model.get(*key) else {
            continue;
        };
        let option = format!("--{}", key.replace('_', "-"));
        if *is_alone {
            let is_set = matches!(value, ExperimentValue::Flag(true));
            words.extend(is_set.then_some(option));
        } else {
            let values = value.texts().into_iter();
            words.extend(values.map(|value| format!("{option}={value}")));
        }
    }
    words
}

/// Writes the command that shows the answers of all runs; nothing where they are answers about samples.
pub fn shown(read: &ExperimentFile, format: TableName) -> Option<Vec<String>> {
    let verb: &[&str] = match PromptSubject::of(&read.experiment) {
        PromptSubject::Samples => return None,
        PromptSubject::Problems => &["paper", "clover", "eval"],
        PromptSubject::Halves => &["paper", "cctest", "consistency"],
    };
    let mut words = words(verb);
    words.extend(read.names().map(|name| format!("--run={name}")));
    words.push(match format {
        TableName::Json => "--json".to_owned(),
        TableName::Table => "--format=table".to_owned(),
        TableName::Csv => "--format=csv".to_owned(),
        TableName::Latex => "--format=latex".to_owned(),
        TableName::Markdown => "--format=markdown".to_owned(),
    });
    Some(words)
}
