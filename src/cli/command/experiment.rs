//! The command `experiment`: other commands, one after the other, as a file says.
//!
//! Every step is the command that a person would type, and skips finished work; all steps are one job, which is
//! watched, cancelled and resumed as a whole.

mod described;

use std::ffi::OsString;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use crate::args::{self, ExperimentAction, TableName};
use crate::command::{config, inspect, metrics, register, trust, workspace};
use crate::config::Config;
use crate::exchange::experiment::{
    Experiment, ExperimentFlaw, ExperimentValue, line_of, read_experiment,
};
use crate::exchange::{OrderedFields, write_lines};
use crate::failure::{ExitCode, Failure, Stop};
use crate::metric::Metric;
use crate::model::{BlockedReason, ExecutionFunnel, JobKind, RunRow, counted};
use crate::prompts::PromptKind;
use crate::store::{Store, StoreAccess, check_run_name};
use crate::table::visible;
use crate::{Context, Streams};

mod conditions;
mod show;
mod steps;

use conditions::{ExperimentCondition, PromptSubject};

/// Options of `generate` that a model of the file may set: the key, and whether it stands alone.
const OPTIONS: &[(&str, bool)] = &[
    ("model", false),
    ("endpoint", false),
    ("api", false),
    ("n", false),
    ("temperature", false),
    ("top_p", false),
    ("top_k", false),
    ("max_tokens", false),
    ("stop", false),
    ("seed", false),
    ("system", false),
    ("extra", false),
    ("concurrency", false),
    ("rpm", false),
    ("tpm", false),
    ("timeout", false),
    ("retries", false),
    ("key_env", false),
    ("allow_http", true),
];

/// The key of a model that names its run.
const RUN: &str = "run";

/// A file that was read, with its problems.
struct ExperimentFile {
    text: String,
    experiment: Experiment,
    metrics: Vec<&'static Metric>,
    flaws: Vec<ExperimentFlaw>,
    /// One for each model under each combination of conditions.
    runs: Vec<ExperimentRun>,
}

/// One model under one combination of conditions.
struct ExperimentRun {
    name: String,
    model: ExperimentModel,
    condition: ExperimentCondition,
}

impl ExperimentRun {
    fn model_name(&self) -> String {
        let names = self
            .model
            .get("model")
            .map_or_else(Vec::new, ExperimentValue::texts);
        names.into_iter().next().unwrap_or_default()
    }
}

impl ExperimentFile {
    /// Returns the names of all runs.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.runs.iter().map(|run| run.name.as_str())
    }
}

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Experiment) -> Result<(), Stop> {
    match &arguments.action {
        ExperimentAction::Run { file, .. } => carry_out(context, file),
        ExperimentAction::Show { file, format } => show(context, file, format.name()),
        ExperimentAction::Check { file } => check(context, file),
        ExperimentAction::Models { file, format } => {
            let read = sound(context, file)?;
            let models = described::models(&read.experiment);
            Ok(context.print(
                *format,
                |out| write_lines(out, models.map(OrderedFields)),
                |_| [described::table(&read.experiment)],
            )?)
        }
    }
}

fn read(context: &mut Context<'_, '_>, file: &Path) -> Result<ExperimentFile, Stop> {
    let text = trust::read(file).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    });
    let text = text.map_err(Failure::unreadable(file))?;
    let experiment = read_experiment(&text).map_err(|flaw| flaws_in(file, &[flaw]))?;
    let config = config::load(context);
    let mut flaws = Vec::new();
    let mut add = |span: Range<usize>, what: String| {
        flaws.push(ExperimentFlaw {
            line: line_of(&text, &span),
            text: what,
        });
    };
    let name = &experiment.name;
    if check_run_name(name.get_ref()).is_err() {
        add(name.span(), "`name` cannot be the name of a run".to_owned());
    }
    match (&experiment.prompts, &experiment.kind) {
        (None, None) => add(name.span(), "neither `prompts` nor `kind`".to_owned()),
        (Some(_), Some(kind)) => add(kind.span(), "either `prompts` or `kind`".to_owned()),
        _ => {}
    }
    if let Some(kind) = &experiment.kind
        && !PromptKind::ALL
            .iter()
            .any(|prompt_kind| prompt_kind.as_str() == kind.get_ref())
    {
        let known: Vec<&str> = PromptKind::ALL
            .iter()
            .map(|prompt_kind| prompt_kind.as_str())
            .collect();
        add(
            kind.span(),
            format!("no kind `{}`; known: {}", kind.get_ref(), known.join(", ")),
        );
    }
    let files = [&experiment.prompts, &experiment.template, &experiment.seeds];
    for path in files.into_iter().flatten() {
        if !Path::new(path.get_ref()).is_file() {
            add(
                path.span(),
                format!("there is no file `{}`", path.get_ref()),
            );
        }
    }
    if let Some(filter) = &experiment.filter {
        let read = inspect::filter(context, std::slice::from_ref(filter.get_ref()));
        if let Err(Stop::Failure(failure)) = read {
            add(filter.span(), failure.message);
        }
        if experiment.prompts.is_some() {
            add(filter.span(), "`filter` goes with `kind`".to_owned());
        }
    }
    let mut found = Vec::new();
    for metric in &experiment.metrics {
        match metrics::named(std::slice::from_ref(metric.get_ref())) {
            Ok(metrics) => found.extend(metrics),
            Err(_) => add(metric.span(), format!("no metric `{}`", metric.get_ref())),
        }
    }
    let (runs, wrong) = runs_of(&experiment, &config);
    for (span, text) in conditions::flaws(&experiment).into_iter().chain(wrong) {
        add(span, text);
    }
    if runs.is_empty() {
        add(name.span(), "no `[[models]]`".to_owned());
    }
    flaws.sort_by_key(|flaw| flaw.line);
    Ok(ExperimentFile {
        text,
        metrics: if found.is_empty() {
            metrics::named(&["default".to_owned()])?
        } else {
            found
        },
        experiment,
        flaws,
        runs,
    })
}

type ExperimentModel = std::collections::BTreeMap<String, ExperimentValue>;

/// Lists the runs of all models under all conditions, and the problems of the models.
fn runs_of(
    experiment: &Experiment,
    config: &Config,
) -> (Vec<ExperimentRun>, Vec<(Range<usize>, String)>) {
    let (mut runs, mut flaws) = (Vec::<ExperimentRun>::new(), Vec::new());
    for model in &experiment.models {
        let (run, wrong) = check_model(experiment, model.get_ref(), config);
        flaws.extend(wrong.into_iter().map(|wrong| (model.span(), wrong)));
        for condition in conditions::conditions(experiment) {
            let name = run.clone() + &condition.suffix();
            if runs.iter().any(|run| run.name == name) {
                let text = format!("two models have the run `{name}`: `run` names one");
                flaws.push((model.span(), text));
            }
            runs.push(ExperimentRun {
                name,
                model: model.get_ref().clone(),
                condition,
            });
        }
    }
    (runs, flaws)
}

/// Checks a model, and names its run and its problems.
fn check_model(
    experiment: &Experiment,
    model: &ExperimentModel,
    config: &Config,
) -> (String, Vec<String>) {
    let mut flaws = Vec::new();
    for key in model.keys() {
        if key != RUN && !described::is_key(key) && !OPTIONS.iter().any(|pair| pair.0 == key) {
            let described = described::KEYS.iter().map(|pair| pair.0);
            let known: Vec<&str> = OPTIONS.iter().map(|pair| pair.0).chain(described).collect();
            flaws.push(format!(
                "unknown key `{key}` of a model; known: run, {}",
                known.join(", ")
            ));
        }
    }
    let text = |key: &str| {
        model
            .get(key)
            .and_then(|experiment_value| experiment_value.texts().into_iter().next())
    };
    let Some(name) = text("model") else {
        flaws.push("a model needs a `model`".to_owned());
        return (String::new(), flaws);
    };
    let is_placed = model.contains_key("endpoint")
        || config
            .models
            .get(&name)
            .is_some_and(|model| model.get("endpoint").is_some());
    if !is_placed {
        flaws.push(format!(
            "no address is known for `{name}`: set `endpoint`, or `[models.{name}]` in config.toml"
        ));
    }
    let usual = || format!("{}-{name}", experiment.name.get_ref());
    (text(RUN).unwrap_or_else(usual), flaws)
}

fn flaws_in(file: &Path, flaws: &[ExperimentFlaw]) -> Stop {
    let lines = flaws.iter().map(|flaw| {
        let line = format!("{}:{}: {}", file.display(), flaw.line, flaw.text);
        visible(&line)
    });
    Failure::new(ExitCode::Input, lines.collect::<Vec<_>>().join("\n")).into()
}

fn sound(context: &mut Context<'_, '_>, file: &Path) -> Result<ExperimentFile, Stop> {
    let read = read(context, file)?;
    if read.flaws.is_empty() {
        Ok(read)
    } else {
        Err(flaws_in(file, &read.flaws))
    }
}

/// Reads the names of an experiment's runs, and its file's text.
pub fn names_of(context: &mut Context<'_, '_>, file: &Path) -> Result<(Vec<String>, String), Stop> {
    let read = sound(context, file)?;
    let names = read.names().map(str::to_owned).collect();
    Ok((names, read.text))
}

/// Checks an experiment before it is started.
pub fn check_startable(
    context: &mut Context<'_, '_>,
    arguments: &args::Experiment,
) -> Result<(), Stop> {
    let (ExperimentAction::Run { file, .. }
    | ExperimentAction::Show { file, .. }
    | ExperimentAction::Check { file }
    | ExperimentAction::Models { file, .. }) = &arguments.action;
    let read = sound(context, file)?;
    trust::check_experiment(context, file, (&read.text, &read.experiment))?;
    if read.experiment.prompts.is_none() {
        workspace::check(&workspace::folder(context))?;
    }
    Ok(())
}

fn check(context: &mut Context<'_, '_>, file: &Path) -> Result<(), Stop> {
    let read = sound(context, file)?;
    for run in read.names() {
        writeln!(context.streams.out, "{}", visible(run))?;
    }
    if let Some(refused) = trust::refused(context, file, (&read.text, &read.experiment)) {
        context.say(&format!("note: it would not run yet: {refused}"));
    }
    Ok(())
}

fn carry_out(context: &mut Context<'_, '_>, file: &Path) -> Result<(), Stop> {
    let read = sound(context, file)?;
    trust::check_experiment(context, file, (&read.text, &read.experiment))?;
    // Prompts from a file make a workspace; the row of a job alone is no reason to make one.
    let access = match read.experiment.prompts {
        Some(_) => StoreAccess::Create,
        None => StoreAccess::Read,
    };
    register::register(context, JobKind::Experiment, access);
    if let Some(job) = &context.job {
        job.begin();
    }
    let mut n_failed: u64 = 0;
    let folder = steps::folder(&workspace::folder(context), &read)?;
    let models: Vec<(&str, Vec<Vec<String>>)> = read
        .runs
        .iter()
        .map(|run| (run.name.as_str(), steps::steps(&read, run, &folder)))
        .collect();
    let n_steps = models.iter().map(|model| model.1.len() as u64).sum();
    let mut n_before = 0;
    for (run, steps) in models {
        let first = n_before;
        n_before += steps.len() as u64;
        let mut is_whole = true;
        for (idx, step) in (first..).zip(steps) {
            let verb = step[0].clone();
            context.say(&format!("{}: {verb}", visible(run)));
            if let Some(job) = &context.job {
                job.monitor()
                    .begin_step(format!("{verb} {}", visible(run)), idx, n_steps);
                // A cancel between two steps is heard, too.
                job.monitor().step()?;
            }
            match step_done(context, &step) {
                ExitCode::Ok => {}
                ExitCode::Cancelled | ExitCode::Terminated => {
                    return Err(crate::task::Cancelled.into());
                }
                // The answers that there are get scored all the same.
                ExitCode::Problems if verb == "generate" => is_whole = false,
                // Unusable answers are reported, and the others are judged.
                ExitCode::Problems if verb == "paper" => {}
                // The other models can still be asked.
                _ => {
                    is_whole = false;
                    break;
                }
            }
        }
        n_failed += u64::from(!is_whole);
    }
    show::write(context, &read, TableName::Table)?;
    let store = workspace::open(context)?;
    let mut n_useless = 0;
    let of_samples = PromptSubject::of(&read.experiment) == PromptSubject::Samples;
    for run in read.names().filter(|_| of_samples) {
        if let Some(warning) = useless(&store, &read, run)? {
            context.say(&format!("warning: {warning}"));
            n_useless += 1;
        }
    }
    if n_failed > 0 {
        let message = format!("{n_failed} of {} models have not finished", read.runs.len());
        return Err(Failure::new(ExitCode::Problems, message)
            .with_hint("the same command continues where it stopped")
            .into());
    }
    if n_useless > 0 {
        let message = format!(
            "a step of {n_useless} of {} models could use none of its samples",
            read.runs.len()
        );
        return Err(Failure::new(ExitCode::Problems, message).into());
    }
    context.say(&format!(
        "{} asked and scored",
        counted(read.runs.len() as u64, "model")
    ));
    Ok(())
}

/// Does a step as if it had been typed, without its standard output.
fn step_done(context: &mut Context<'_, '_>, step: &[String]) -> ExitCode {
    step_into(context, step, &mut io::sink())
}

/// Prints what a step prints, as if it had been typed.
fn step_shown(context: &mut Context<'_, '_>, step: &[String]) -> Result<(), Stop> {
    let mut printed = Vec::new();
    let code = step_into(context, step, &mut printed);
    context.streams.out.write_all(&printed)?;
    match code {
        ExitCode::Ok => Ok(()),
        code => Err(Failure::new(code, "not all answers can be shown").into()),
    }
}

fn step_into(
    context: &mut Context<'_, '_>,
    step: &[String],
    out: &mut (dyn Write + Send),
) -> ExitCode {
    let mut words: Vec<OsString> = vec!["focalist".into()];
    let mut add = |name: &str, value: Option<&Path>| {
        if let Some(value) = value {
            words.push(name.into());
            words.push(value.into());
        }
    };
    let folder = workspace::folder(context);
    add("--workspace", Some(&folder));
    add("--config", context.global.config.as_deref());
    if context.global.quiet {
        words.push("--quiet".into());
    }
    words.extend(step.iter().map(OsString::from));
    crate::run_step(
        &words,
        context.job.clone(),
        &mut Streams {
            input: &mut io::empty(),
            input_is_terminal: false,
            out,
            err: &mut *context.streams.err,
            err_is_terminal: context.streams.err_is_terminal,
            out_is_terminal: false,
            open_ui: &mut |_| Err("a step has no terminal".to_owned()),
            ui: context.streams.ui,
        },
    )
}

fn show(context: &mut Context<'_, '_>, file: &Path, format: TableName) -> Result<(), Stop> {
    let read = read(context, file)?;
    show::write(context, &read, format)
}

/// Counts how far a run's candidates came; nothing where it was never executed.
fn funnel(store: &Store, run: &RunRow) -> Result<Option<ExecutionFunnel>, Stop> {
    Ok(match store.execution_setting(run.id)? {
        Some(setting) => Some(store.execution_funnel(run.id, &setting.engine)?),
        None => None,
    })
}

/// Says of a run which of its steps could use none of its samples; nothing where each could use some.
fn useless(store: &Store, read: &ExperimentFile, run: &str) -> Result<Option<String>, Stop> {
    let Some(run) = store.run(run)?.filter(|run_row| run_row.n_samples > 0) else {
        return Ok(None);
    };
    let (name, n) = (visible(&run.setting.name), counted(run.n_samples, "sample"));
    if run.n_without_reference() == Some(run.n_samples) {
        return Ok(Some(format!(
            "{name}: none of {n} has a reference to score against"
        )));
    }
    let funnel = funnel(store, &run)?
        .filter(|execution_funnel| read.experiment.execute && execution_funnel.n_unique == 0);
    Ok(funnel.map(|execution_funnel| {
        let blocked = BlockedReason::ALL
            .iter()
            .zip(execution_funnel.by_blocked)
            .filter(|pair| pair.1 > 0);
        let blocked: Vec<String> = blocked
            .map(|(blocked_reason, n)| format!("{n} {}", blocked_reason.as_str()))
            .collect();
        format!("{name}: none of {n} was run: {}", blocked.join(", "))
    }))
}
