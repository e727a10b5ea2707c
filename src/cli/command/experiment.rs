//! The command `experiment`: other commands, one after the other, as a file says.
//!
//! Every step is the command that a person would type, and does only what is missing; all of them are one job, which is
//! watched, cancelled and resumed as a whole.

mod described;

use std::ffi::OsString;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use crate::args::{self, ExperimentAction, TableName};
use crate::command::{config, executed, inspect, metrics, register, trust, workspace};
use crate::config::Config;
use crate::eval::interval::{CORRECT, Mean, PARSES, correct, mean, parsable};
use crate::eval::settings::Settings;
use crate::exchange::experiment::{Experiment, Flaw, Value, line_of, read_experiment};
use crate::exchange::{Ordered, WireModelRow, write_line, write_lines};
use crate::failure::{ExitCode, Failure, Stop};
use crate::metric::Metric;
use crate::model::{Blocked, ExecutionFunnel, JobKind, RunRow, counted};
use crate::prompts::Kind;
use crate::store::{Access, Store, check_run_name};
use crate::table::{Align, Numbers, Table, visible};
use crate::task::Monitor;
use crate::{Context, Streams};

mod conditions;
mod steps;

use conditions::{About, Condition};

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

/// A file that was read, with what is wrong in it.
struct Read {
    text: String,
    experiment: Experiment,
    metrics: Vec<&'static Metric>,
    flaws: Vec<Flaw>,
    /// One for each model under each combination of conditions.
    runs: Vec<Run>,
}

/// What one model is asked under one combination of conditions.
struct Run {
    name: String,
    model: Model,
    condition: Condition,
}

impl Run {
    fn model_name(&self) -> String {
        let names = self.model.get("model").map_or_else(Vec::new, Value::texts);
        names.into_iter().next().unwrap_or_default()
    }
}

impl Read {
    /// Returns the names of all runs.
    fn names(&self) -> impl Iterator<Item = &str> {
        self.runs.iter().map(|run| run.name.as_str())
    }
}

pub fn run(context: &mut Context<'_, '_>, asked: &args::Experiment) -> Result<(), Stop> {
    match &asked.action {
        ExperimentAction::Run { file, .. } => carry_out(context, file),
        ExperimentAction::Show { file, format } => show(context, file, format.name()),
        ExperimentAction::Check { file } => check(context, file),
        ExperimentAction::Models { file, format } => {
            let read = sound(context, file)?;
            let models = described::models(&read.experiment);
            Ok(context.print(
                *format,
                |out| write_lines(out, models.map(Ordered)),
                |_| [described::table(&read.experiment)],
            )?)
        }
    }
}

fn read(context: &mut Context<'_, '_>, file: &Path) -> Result<Read, Stop> {
    let text = trust::read(file).and_then(|bytes| {
        String::from_utf8(bytes).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    });
    let text = text.map_err(Failure::unreadable(file))?;
    let experiment = read_experiment(&text).map_err(|flaw| told(file, &[flaw]))?;
    let config = config::load(context);
    let mut flaws = Vec::new();
    let mut add = |span: Range<usize>, what: String| {
        flaws.push(Flaw {
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
        && !Kind::ALL.iter().any(|it| it.as_str() == kind.get_ref())
    {
        let known: Vec<&str> = Kind::ALL.iter().map(|it| it.as_str()).collect();
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
    flaws.sort_by_key(|it| it.line);
    Ok(Read {
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

type Model = std::collections::BTreeMap<String, Value>;

/// Returns the runs of all models under all conditions, and what is wrong with the models.
fn runs_of(experiment: &Experiment, config: &Config) -> (Vec<Run>, Vec<(Range<usize>, String)>) {
    let (mut runs, mut flaws) = (Vec::<Run>::new(), Vec::new());
    for model in &experiment.models {
        let (run, wrong) = check_model(experiment, model.get_ref(), config);
        flaws.extend(wrong.into_iter().map(|it| (model.span(), it)));
        for condition in conditions::conditions(experiment) {
            let name = run.clone() + &condition.suffix();
            if runs.iter().any(|it| it.name == name) {
                let text = format!("two models have the run `{name}`: `run` names one");
                flaws.push((model.span(), text));
            }
            runs.push(Run {
                name,
                model: model.get_ref().clone(),
                condition,
            });
        }
    }
    (runs, flaws)
}

/// Returns the name of a model's run, and what is wrong with the model.
fn check_model(experiment: &Experiment, model: &Model, config: &Config) -> (String, Vec<String>) {
    let mut flaws = Vec::new();
    for key in model.keys() {
        if key != RUN && !described::is_key(key) && !OPTIONS.iter().any(|it| it.0 == key) {
            let described = described::KEYS.iter().map(|it| it.0);
            let known: Vec<&str> = OPTIONS.iter().map(|it| it.0).chain(described).collect();
            flaws.push(format!(
                "unknown key `{key}` of a model; known: run, {}",
                known.join(", ")
            ));
        }
    }
    let text = |key: &str| model.get(key).and_then(|it| it.texts().into_iter().next());
    let Some(name) = text("model") else {
        flaws.push("a model needs a `model`".to_owned());
        return (String::new(), flaws);
    };
    let is_placed = model.contains_key("endpoint")
        || config
            .models
            .get(&name)
            .is_some_and(|it| it.get("endpoint").is_some());
    if !is_placed {
        flaws.push(format!(
            "no address is known for `{name}`: set `endpoint`, or `[models.{name}]` in config.toml"
        ));
    }
    let usual = || format!("{}-{name}", experiment.name.get_ref());
    (text(RUN).unwrap_or_else(usual), flaws)
}

fn told(file: &Path, flaws: &[Flaw]) -> Stop {
    let lines = flaws.iter().map(|it| {
        let line = format!("{}:{}: {}", file.display(), it.line, it.text);
        visible(&line)
    });
    Failure::new(ExitCode::Input, lines.collect::<Vec<_>>().join("\n")).into()
}

fn sound(context: &mut Context<'_, '_>, file: &Path) -> Result<Read, Stop> {
    let read = read(context, file)?;
    if read.flaws.is_empty() {
        Ok(read)
    } else {
        Err(told(file, &read.flaws))
    }
}

/// Returns the names of an experiment's runs, and its file's text.
pub fn names_of(context: &mut Context<'_, '_>, file: &Path) -> Result<(Vec<String>, String), Stop> {
    let read = sound(context, file)?;
    let names = read.names().map(str::to_owned).collect();
    Ok((names, read.text))
}

/// Says what is wrong with an experiment before it is started.
pub fn check_startable(
    context: &mut Context<'_, '_>,
    asked: &args::Experiment,
) -> Result<(), Stop> {
    let (ExperimentAction::Run { file, .. }
    | ExperimentAction::Show { file, .. }
    | ExperimentAction::Check { file }
    | ExperimentAction::Models { file, .. }) = &asked.action;
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
    // Of prompts in a file a workspace is made; and a row is no reason to make one.
    let access = match read.experiment.prompts {
        Some(_) => Access::Create,
        None => Access::Read,
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
    let n_steps = models.iter().map(|it| it.1.len() as u64).sum();
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
                // Whoever cancels between two steps is heard, too.
                job.monitor().step()?;
            }
            match step_done(context, &step) {
                ExitCode::Ok => {}
                ExitCode::Cancelled | ExitCode::Terminated => {
                    return Err(crate::task::Cancelled.into());
                }
                // What was answered is scored all the same.
                ExitCode::Problems if verb == "generate" => is_whole = false,
                // Answers that are of no use are told, and the others are judged.
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
    show_read(context, &read, TableName::Table)?;
    let store = workspace::open(context)?;
    let mut n_useless = 0;
    let of_samples = About::of(&read.experiment) == About::Samples;
    for run in read.names().filter(|_| of_samples) {
        if let Some(said) = useless(&store, &read, run)? {
            context.say(&format!("warning: {said}"));
            n_useless += 1;
        }
    }
    if n_failed > 0 {
        let message = format!("{n_failed} of {} models have not finished", read.runs.len());
        return Err(Failure::new(ExitCode::Problems, message)
            .with_hint("the same command goes on where it stopped")
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

/// Does a step as if it had been typed; what it prints for programs nobody reads.
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
    show_read(context, &read, format)
}

/// Returns the columns of what is shown. Files for programs have a column for each number.
fn columns(read: &Read, numbers: Numbers) -> Vec<(String, Align)> {
    let mut columns = vec![("model".to_owned(), Align::Left)];
    let conditions = read.runs.first().map(|run| run.condition.values.as_slice());
    let names = conditions.unwrap_or_default().iter().map(|it| it.0);
    columns.extend(names.map(|name| (name.to_owned(), Align::Left)));
    columns.push(("run".to_owned(), Align::Left));
    let mut counts = vec!["samples".to_owned()];
    let mut titles = vec![PARSES.to_owned()];
    titles.extend(read.metrics.iter().map(|metric| metric.sentence_title()));
    if read.experiment.execute {
        titles.push(CORRECT.to_owned());
    }
    for title in titles {
        counts.extend(numbers.bounded_heads(&title));
        counts.push(match numbers {
            Numbers::People => "n".to_owned(),
            Numbers::Machine => format!("{title} n"),
        });
    }
    if read.experiment.execute {
        counts.extend(["blocked", "not run", "confirmed"].map(str::to_owned));
    }
    columns.extend(counts.into_iter().map(|name| (name, Align::Right)));
    columns.push(("settings".to_owned(), Align::Left));
    columns
}

fn show_read(context: &mut Context<'_, '_>, read: &Read, format: TableName) -> Result<(), Stop> {
    if let Some(step) = steps::shown(read, format) {
        return step_shown(context, &step);
    }
    let store = workspace::open(context)?;
    let runs = read.runs.iter();
    let rows = runs.map(|run| Ok((run, row(&store, read, &run.name)?)));
    let rows: Vec<(&Run, Row)> = rows.collect::<Result<_, Stop>>()?;
    context.print(
        format,
        |out| {
            rows.iter()
                .try_for_each(|(run, row)| write_row(out, run, row))
        },
        |numbers| [table(read, &rows, numbers)],
    )?;
    if format != TableName::Json {
        context.say(
            "means of first answers with 95 % intervals over samples; n is the number of samples that a mean is over; \
             `sentence` is the mean of the samples' own scores, where `runs` has the corpus's",
        );
    }
    Ok(())
}

fn write_row(out: &mut dyn Write, run: &Run, row: &Row) -> io::Result<()> {
    let metrics = row.metrics.iter();
    let metrics = metrics.map(|(id, it)| (*id, it.map(executed::wire_mean)));
    let conditions = run.condition.values.iter();
    let funnel = row.funnel.as_ref();
    let line = WireModelRow {
        model: &run.model_name(),
        run: &run.name,
        conditions: conditions
            .map(|(it, value)| (*it, value.as_str()))
            .collect(),
        settings: row.settings.values(),
        samples: row.n_samples,
        parses: row.parses.map(executed::wire_mean),
        metrics: Ordered(metrics.collect()),
        correct: row.correct.map(executed::wire_mean),
        blocked: funnel.map(ExecutionFunnel::n_blocked),
        not_run: funnel.map(|it| it.n_not_run(row.n_predictions)),
        confirmed: funnel.map(Into::into),
    };
    write_line(out, &line)
}

fn table(read: &Read, rows: &[(&Run, Row)], numbers: Numbers) -> Table {
    let mut table = Table::new(&columns(read, numbers));
    for (run, row) in rows {
        let mut cells = vec![run.model_name()];
        cells.extend(run.condition.values.iter().map(|(_, value)| value.clone()));
        cells.extend([run.name.clone(), row.n_samples.to_string()]);
        let means = row.metrics.iter().map(|(_, mean)| *mean);
        let correct = read.experiment.execute.then_some(row.correct);
        let means = std::iter::once(row.parses).chain(means).chain(correct);
        cells.extend(means.flat_map(|mean| cells_of(mean, numbers)));
        if read.experiment.execute {
            cells.extend(match &row.funnel {
                None => std::array::from_fn(|_| numbers.none().to_owned()),
                Some(it) => [
                    it.n_blocked().to_string(),
                    it.n_not_run(row.n_predictions).to_string(),
                    format!("{} of {}", it.n_confirmed(), it.n_drawn()),
                ],
            });
        }
        cells.push(written(&row.settings));
        table.row(cells);
    }
    table
}

/// What is known of a model.
#[derive(Default)]
struct Row {
    n_samples: u64,
    n_predictions: u64,
    parses: Option<Mean>,
    metrics: Vec<(&'static str, Option<Mean>)>,
    correct: Option<Mean>,
    /// What it was asked with.
    settings: Settings,
    /// Absent where it was never executed.
    funnel: Option<ExecutionFunnel>,
}

fn row(store: &Store, read: &Read, run: &str) -> Result<Row, Stop> {
    let monitor = Monitor::default();
    let Some(run) = store.run(run)? else {
        let metrics = read.metrics.iter().map(|it| (it.id, None)).collect();
        return Ok(Row {
            metrics,
            ..Row::default()
        });
    };
    let mut metrics = Vec::new();
    for metric in &read.metrics {
        metrics.push((metric.id, mean(store, &monitor, &run, metric.id)?));
    }
    Ok(Row {
        n_samples: run.n_samples,
        n_predictions: run.n_predictions,
        parses: parsable(&run),
        metrics,
        correct: correct(store, &monitor, &run)?,
        settings: Settings::load(store, &monitor, &run)?,
        funnel: funnel(store, &run)?,
    })
}

/// Writes settings, each parameter with all of its values: `temperature=0.1,0.8`.
fn written(settings: &Settings) -> String {
    let values = settings.values().into_iter();
    let values = values.map(|(name, values)| format!("{name}={}", values.join(",")));
    values.collect::<Vec<_>>().join(" ")
}

/// Returns how far a run's candidates came; nothing where it was never executed.
fn funnel(store: &Store, run: &RunRow) -> Result<Option<ExecutionFunnel>, Stop> {
    Ok(match store.execution_setting(run.id)? {
        Some(setting) => Some(store.execution_funnel(run.id, &setting.engine)?),
        None => None,
    })
}

/// Says of a run which of its steps could use none of its samples; nothing where each could use some.
fn useless(store: &Store, read: &Read, run: &str) -> Result<Option<String>, Stop> {
    let Some(run) = store.run(run)?.filter(|it| it.n_samples > 0) else {
        return Ok(None);
    };
    let (name, n) = (visible(&run.setting.name), counted(run.n_samples, "sample"));
    if run.n_without_reference() == Some(run.n_samples) {
        return Ok(Some(format!(
            "{name}: none of {n} has a reference to score against"
        )));
    }
    let funnel = funnel(store, &run)?.filter(|it| read.experiment.execute && it.n_unique == 0);
    Ok(funnel.map(|it| {
        let blocked = Blocked::ALL.iter().zip(it.by_blocked).filter(|it| it.1 > 0);
        let blocked: Vec<String> = blocked
            .map(|(it, n)| format!("{n} {}", it.as_str()))
            .collect();
        format!("{name}: none of {n} was run: {}", blocked.join(", "))
    }))
}

/// Returns the cells of a mean, as [`columns`] names them.
fn cells_of(mean: Option<Mean>, numbers: Numbers) -> Vec<String> {
    let n = mean.map_or_else(|| numbers.none().to_owned(), |mean| mean.n.to_string());
    let interval = mean.and_then(|mean| mean.interval);
    if numbers == Numbers::Machine {
        let mut cells = numbers.bounded(mean.map(|mean| mean.value), interval);
        cells.push(n);
        return cells;
    }
    let percent = |share: f64| format!("{:.1}", share * 100.0);
    let value = match (mean, interval) {
        (None, _) => numbers.none().to_owned(),
        (Some(mean), None) => percent(mean.value),
        (Some(mean), Some((low, high))) => format!(
            "{} [{}, {}]",
            percent(mean.value),
            percent(low),
            percent(high)
        ),
    };
    vec![value, n]
}
