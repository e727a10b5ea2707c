//! The command `report`: pages out of runs, as a file or a folder.

use std::collections::BTreeMap;
use std::ffi::OsStr;
use std::io::Write;
use std::path::{Path, PathBuf};

use crate::args;
use crate::browse::FieldScope;
use crate::command::output::{Output, OutputFolder};
use crate::command::{config, experiment, inspect, metrics, output, usage, workspace};
use crate::eval::evaluate::runs_named;
use crate::eval::usage::Prices;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{Filter, counted};
use crate::report::{HtmlReport, HtmlReportOptions, ReportError, ReportForm, leaderboard, report};
use crate::store::{Store, Verdicts};
use crate::table::visible;
use crate::{Context, progress};

/// A report with this number of predictions opens slowly as one file.
const PAGE_MAX: usize = 3_000;

/// The page of a report, as the verb calls it.
const INDEX: &str = "index.html";

pub fn run(context: &mut Context<'_, '_>, arguments: &args::ReportArgs) -> Result<(), Stop> {
    let form = form(&arguments.output);
    check(arguments, form)?;
    let options = options(context, arguments, form)?;
    let verb = if arguments.leaderboard {
        leaderboard
    } else {
        report
    };
    let mut place = ReportDestination::new(&arguments.output, arguments.force, form)?;
    let written = progress::run(context, |context, monitor| {
        let store = workspace::open(context)?;
        let verdicts = Verdicts::open_or_empty(&workspace::folder(context))?;
        let mut stopped = None;
        let found = verb(&store, &verdicts, monitor, &options, &mut |name, text| {
            place.write(name, text).map_err(|stop| {
                stopped = Some(stop);
                std::io::Error::other("the output cannot be written")
            })
        });
        match stopped {
            Some(stop) => Err(stop),
            None => Ok(found?),
        }
    })?;
    place.finish()?;
    tell(context, arguments, form, &written);
    Ok(())
}

/// Chooses how a report is cut into files by the name of its place.
fn form(output: &Path) -> ReportForm {
    let ending = output.extension().map(OsStr::to_ascii_lowercase);
    match ending.as_deref().and_then(|ending| ending.to_str()) {
        Some("html" | "htm") => ReportForm::Page,
        _ => ReportForm::Folder,
    }
}

/// Refuses an existing place, before the work begins.
fn check(arguments: &args::ReportArgs, form: ReportForm) -> Result<(), Stop> {
    if form == ReportForm::Folder {
        // An empty folder may be filled; other folders are checked when the output is created.
        return Ok(());
    }
    output::check(&arguments.output, arguments.force)?;
    if arguments.leaderboard {
        for ending in ["csv", "json"] {
            output::check(&arguments.output.with_extension(ending), arguments.force)?;
        }
    }
    Ok(())
}

fn options(
    context: &mut Context<'_, '_>,
    arguments: &args::ReportArgs,
    form: ReportForm,
) -> Result<HtmlReportOptions, Stop> {
    let store = workspace::open(context)?;
    let (mut runs, words) = words(&store, &arguments.words)?;
    let mut of_experiment = None;
    if let Some(file) = &arguments.experiment {
        let (names, text) = experiment::names_of(context, file)?;
        runs.extend(names);
        of_experiment = Some(text);
    }
    let filter = if words.is_empty() {
        Filter::default()
    } else {
        inspect::filter_in(context, &words, FieldScope::Run)?
    };
    runs.extend(filter.aim.run.iter().cloned());
    let names = |names: &[String]| metrics::named(names);
    let metric = match &arguments.metric {
        Some(name) => names(std::slice::from_ref(name))?.first().copied(),
        None => filter.aim.metric.and_then(crate::metric::metric),
    };
    Ok(HtmlReportOptions {
        prices: prices(context, &store, &runs, arguments)?,
        runs,
        filter,
        filter_text: words.join(" "),
        metric,
        form,
        has_sources: !arguments.no_sources,
        is_anonymous: arguments.anonymous,
        experiment: of_experiment,
        n_resamples: arguments.resamples,
        seed: arguments.seed,
    })
}

/// Splits the words into runs, and the filter that begins with the first word that can be a part of one and is no run.
fn words(store: &Store, all: &[String]) -> Result<(Vec<String>, Vec<String>), Stop> {
    let mut runs = Vec::new();
    for (idx, word) in all.iter().enumerate() {
        let is_term = word.contains([':', '<', '>', '=', '"']) || word.starts_with(['@', '-', '(']);
        if is_term && store.run(word)?.is_none() {
            return Ok((runs, all[idx..].to_vec()));
        }
        runs.push(word.clone());
    }
    Ok((runs, Vec::new()))
}

/// Finds the prices of each run's tokens, where they are known.
fn prices(
    context: &Context<'_, '_>,
    store: &Store,
    runs: &[String],
    arguments: &args::ReportArgs,
) -> Result<BTreeMap<String, Prices>, Stop> {
    let config = config::load(context);
    let priced = runs_named(store, runs)?.into_iter().filter_map(|run| {
        let model = run.setting.model.as_deref();
        let prices = usage::prices(&config, model, arguments.prices)?;
        Some((run.setting.name.clone(), prices))
    });
    Ok(priced.collect())
}

/// The destination of a report's files.
enum ReportDestination {
    Folder(OutputFolder),
    Files {
        path: PathBuf,
        force: args::Force,
        open: Vec<Output>,
    },
}

impl ReportDestination {
    fn new(path: &Path, force: args::Force, form: ReportForm) -> Result<Self, Stop> {
        Ok(match form {
            ReportForm::Folder => Self::Folder(output::create_folder(path, force)?),
            ReportForm::Page => Self::Files {
                path: path.to_owned(),
                force,
                open: Vec::new(),
            },
        })
    }

    fn write(&mut self, name: &str, text: &str) -> Result<(), Stop> {
        match self {
            Self::Folder(folder) => Ok(std::fs::write(folder.path().join(name), text)?),
            Self::Files { path, force, open } => {
                // A file beside a page has the page's name, too.
                let path = match Path::new(name).extension() {
                    Some(ending) if name != INDEX => path.with_extension(ending),
                    _ => path.clone(),
                };
                let mut file = output::create(&path, *force)?;
                file.write_all(text.as_bytes())?;
                open.push(file);
                Ok(())
            }
        }
    }

    /// Gives everything its name.
    fn finish(self) -> Result<(), Stop> {
        match self {
            Self::Folder(folder) => folder.finish(),
            Self::Files { open, .. } => open.into_iter().try_for_each(Output::finish),
        }
    }
}

fn tell(
    context: &mut Context<'_, '_>,
    arguments: &args::ReportArgs,
    form: ReportForm,
    report: &HtmlReport,
) {
    for text in &report.not_compared {
        context.say(&format!("warning: not compared: {}", visible(text)));
    }
    if form == ReportForm::Page && report.n_predictions > PAGE_MAX {
        context.say(&format!(
            "warning: a page of {} opens slowly; `--output DIR` writes a folder that loads them piece by piece",
            counted(report.n_predictions as u64, "prediction")
        ));
    }
    let what = if arguments.leaderboard {
        counted(report.n_runs as u64, "run")
    } else {
        let runs = counted(report.n_runs as u64, "run");
        format!(
            "{} of {runs}",
            counted(report.n_predictions as u64, "prediction")
        )
    };
    let megabytes = report.n_bytes as f64 / 1e6;
    context.say(&format!(
        "{what} in {}, {megabytes:.1} MB",
        counted(report.n_files as u64, "file")
    ));
}

impl From<ReportError> for Stop {
    fn from(error: ReportError) -> Self {
        let message = visible(&error.to_string());
        match error {
            ReportError::Store(error) => error.into(),
            ReportError::Cancelled(cancelled) => cancelled.into(),
            ReportError::Eval(error) => error.into(),
            ReportError::Plot(error) => error.into(),
            ReportError::Io(error) => error.into(),
            ReportError::Secrets { found } => {
                let places = found
                    .iter()
                    .map(|secret| visible(&format!("\n  {secret}")).replace("⟨000A⟩", "\n"));
                let places: String = places.collect();
                Failure::new(ExitCode::Problems, format!("{message}:{places}"))
                    .with_hint("leave those samples out by a filter such as `-key:0123abcd`, or all code with `--no-sources`")
                    .into()
            }
        }
    }
}
