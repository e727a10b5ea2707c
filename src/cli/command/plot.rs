//! The command `plot`: a chart in the terminal, or in a file.

use std::env;
use std::io::Write;
use std::path::Path;

use crate::args::{self, ChartSubject};
use crate::chart::{self, Figure, Glyphs};
use crate::command::{completions, inspect, metrics, output, workspace};
use crate::eval;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::counted;
use crate::plot::{LOG, Plot, PlotError, PlotKind, Training, figure, training};
use crate::store::Verdicts;
use crate::table::visible;
use crate::{Context, progress};

/// Columns of a chart as text where `$COLUMNS` does not tell.
const WIDTH: usize = 80;
/// Wider charts spread few points over many columns.
const WIDTH_MAX: usize = 200;
const HEIGHT: usize = 20;

/// The usual size of an SVG in pixels.
const SIZE: (u32, u32) = (640, 400);

/// How a chart is written.
#[derive(Clone, Copy)]
enum ChartFormat {
    Svg,
    Csv,
    Text,
}

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Plot) -> Result<(), Stop> {
    if let Some(path) = &arguments.output {
        output::check(path, arguments.force)?;
        form(path)?;
    }
    if arguments.dataset.is_some() && !matches!(arguments.kind, ChartSubject::Consistency(_)) {
        let message = "only charts of `consistency` are over one data set";
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("those charts are: enhancement outliers potency gains distances")
            .into());
    }
    let figure = match arguments.kind {
        ChartSubject::Training => trainings(context, arguments)?,
        ChartSubject::Consistency(_)
            if arguments.metric.is_some() || arguments.filter.is_some() =>
        {
            let message = "charts of `consistency` take no metric and no filter";
            return Err(Failure::new(ExitCode::Usage, message)
                .with_hint("`--dataset NAME` draws the functions of one data set")
                .into());
        }
        ChartSubject::Consistency(chart) => {
            let dataset = arguments.dataset.as_deref();
            completions::chart_of(context, chart, &arguments.runs, dataset)?
        }
        ChartSubject::Stored(kind) => {
            let what = what(context, arguments, kind)?;
            let store = workspace::open(context)?;
            let verdicts = Verdicts::open_or_empty(&workspace::folder(context))?;
            progress::run(context, |_, monitor| {
                Ok(figure(&store, &verdicts, monitor, &what)?)
            })?
        }
    };
    let drawn = ChartOutput {
        output: arguments.output.as_deref(),
        force: arguments.force,
        size: arguments.size,
        is_ascii: arguments.ascii,
    };
    write_as(context, &figure, drawn)
}

/// The place and size of a chart.
#[derive(Clone, Copy)]
struct ChartOutput<'a> {
    output: Option<&'a Path>,
    force: args::Force,
    size: (u32, u32),
    is_ascii: bool,
}

/// Writes a chart into a file, or as text.
pub fn write(
    context: &mut Context<'_, '_>,
    figure: &Figure,
    output: Option<&Path>,
    force: args::Force,
) -> Result<(), Stop> {
    let drawn = ChartOutput {
        output,
        force,
        size: SIZE,
        is_ascii: false,
    };
    write_as(context, figure, drawn)
}

fn write_as(
    context: &mut Context<'_, '_>,
    figure: &Figure,
    drawn: ChartOutput<'_>,
) -> Result<(), Stop> {
    let form = match drawn.output {
        Some(path) => form(path)?,
        None => ChartFormat::Text,
    };
    let text = match form {
        ChartFormat::Svg => chart::svg(figure, drawn.size),
        ChartFormat::Csv => chart::csv(figure),
        ChartFormat::Text => text(figure, drawn.is_ascii),
    };
    match drawn.output {
        Some(path) => {
            let mut file = output::create(path, drawn.force)?;
            file.write_all(text.as_bytes())?;
            file.finish()?;
            if figure.is_empty() {
                context.say(&format!(
                    "warning: the chart is empty: {}",
                    visible(&figure.note)
                ));
            }
        }
        None => context.streams.out.write_all(text.as_bytes())?,
    }
    Ok(())
}

/// Chooses a chart's file format by the end of the name.
fn form(path: &Path) -> Result<ChartFormat, Stop> {
    let ending = path
        .extension()
        .map(|extension| extension.to_string_lossy().to_lowercase());
    match ending.as_deref() {
        Some("svg") => Ok(ChartFormat::Svg),
        Some("csv") => Ok(ChartFormat::Csv),
        Some("txt") => Ok(ChartFormat::Text),
        _ => {
            let message = format!(
                "the ending of `{}` names no format",
                visible(&path.to_string_lossy())
            );
            Err(Failure::new(ExitCode::Usage, message)
                .with_hint("name it `.svg` for a picture, `.csv` for its numbers, `.txt` for text")
                .into())
        }
    }
}

/// Charts the trainings in the named folders.
fn trainings(context: &mut Context<'_, '_>, arguments: &args::Plot) -> Result<Figure, Stop> {
    if arguments.runs.is_empty() || arguments.metric.is_some() || arguments.filter.is_some() {
        let message = "`training` takes folders of trainings, no metric and no filter";
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("`focalist plot training DIR…`")
            .into());
    }
    let mut trainings = Vec::with_capacity(arguments.runs.len());
    for folder in &arguments.runs {
        let path = Path::new(folder).join(LOG);
        let name = visible(folder.trim_end_matches('/'));
        let (read, n_unread) = Training::read(Path::new(folder), name).map_err(|error| {
            Failure::unreadable(&path)(error)
                .with_hint("the folder is the `--output` of `focalist-baseline train`")
        })?;
        if n_unread > 0 {
            let path = visible(&path.to_string_lossy());
            context.say(&format!(
                "warning: {} of `{path}` cannot be read",
                counted(n_unread as u64, "line")
            ));
        }
        trainings.push(read);
    }
    Ok(training(&trainings))
}

fn what(
    context: &mut Context<'_, '_>,
    arguments: &args::Plot,
    kind: PlotKind,
) -> Result<Plot, Stop> {
    let usage = |message: String, hint: &str| {
        Stop::from(Failure::new(ExitCode::Usage, message).with_hint(hint))
    };
    let is_of_runs = kind.is_of_runs();
    if !is_of_runs && (arguments.metric.is_some() || !arguments.runs.is_empty()) {
        let message = format!("`{}` is not a chart of runs", kind.as_str());
        return Err(usage(
            message,
            "charts of runs are: runs histogram length outcomes mutation mutation-lines",
        ));
    }
    if arguments.filter.is_some() && !kind.has_filter() {
        let message = format!("`{}` takes no filter", kind.as_str());
        let hint = "its values cover everything that was scored; `histogram` and `length` take one";
        return Err(usage(message, hint));
    }
    let metrics = match &arguments.metric {
        Some(name) => metrics::named(std::slice::from_ref(name))?,
        None => Vec::new(),
    };
    if metrics.len() > 1 {
        let name = visible(arguments.metric.as_deref().unwrap_or_default());
        let message = format!("`{name}` names several metrics");
        return Err(usage(
            message,
            "a chart shows one; `focalist eval --help` lists them",
        ));
    }
    let metric = metrics.first().copied();
    let filter = match &arguments.filter {
        Some(text) => Some(inspect::filter(context, std::slice::from_ref(text))?),
        None => None,
    };
    Ok(Plot {
        kind,
        runs: arguments.runs.clone(),
        metric,
        filter,
        filter_text: arguments.filter.clone().unwrap_or_default(),
    })
}

/// Draws the chart as text in the width of `$COLUMNS`; no colours, so that a pipe gets what a terminal shows.
fn text(figure: &Figure, is_ascii: bool) -> String {
    let columns = env::var("COLUMNS")
        .ok()
        .and_then(|value| value.parse().ok());
    let width = columns.unwrap_or(WIDTH).clamp(20, WIDTH_MAX);
    let glyphs = if is_ascii {
        Glyphs::Ascii
    } else {
        Glyphs::Blocks
    };
    let height = chart::text_height(figure, HEIGHT);
    chart::text(figure, width, height, glyphs).plain()
}

impl From<PlotError> for Stop {
    fn from(error: PlotError) -> Self {
        match error {
            PlotError::Store(error) => error.into(),
            PlotError::Cancelled(cancelled) => cancelled.into(),
            PlotError::NoSuchRun(error) => error.into(),
            // The same words and hints as everywhere else.
            PlotError::NotEvaluated { run, metric } => {
                eval::EvalError::NotEvaluated { run, metric }.into()
            }
        }
    }
}
