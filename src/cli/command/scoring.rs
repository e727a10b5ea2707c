//! The commands that score: `score` and `eval`.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use crate::args::{self, InputName, ShapeName};
use crate::command::mining::{describe, in_pool};
use crate::command::{executed, hint, jobs, metrics, output, part, python, runs, workspace};
use crate::eval::crystal::{CrystalOptions, CrystalSource};
use crate::eval::evaluate::{EvalOptions, EvalReport, evaluate as evaluate_runs};
use crate::eval::import::PredictionFormat;
use crate::eval::languages::{RunInLanguage, by_language};
use crate::eval::score::{PairSource, ScoreOptions, score as score_pairs};
use crate::eval::{self};
use crate::exchange::pairs::FieldNames;
use crate::exchange::records::{LineReader, RecordLayout, each_record};
use crate::failure::{ExitCode, Failure, Stop};
use crate::metric::scorer::{PieceShape, ScoringExtras, Settings};
use crate::metric::{Metric, Needs};
use crate::model::{JobKind, Problem, RunRow, RunSetting, Target, agreeing, counted};
use crate::store::StoreAccess;
use crate::table::visible;
use crate::task::Monitor;
use crate::{Context, progress};

pub fn score(context: &mut Context<'_, '_>, arguments: &args::Score) -> Result<(), Stop> {
    let mut settings = Settings::new(
        arguments.answers.language,
        metrics::named(&arguments.metrics.names())?,
    );
    settings.weights = arguments.metrics.codebleu_weights;
    settings.parse_mode = arguments.answers.parse;
    settings.shape = arguments.shape.map(|shape_name| match shape_name {
        ShapeName::Statements => PieceShape::Statements,
        ShapeName::Member => PieceShape::Member,
    });
    settings.beside = match arguments.answers.max_length {
        Some(_) => ScoringExtras::Reading,
        None => ScoringExtras::Verdict,
    };
    let options = ScoreOptions {
        crystal: crystal(
            &arguments.metrics,
            &settings.metrics,
            &arguments.reference_field,
        )?,
        settings,
        extraction: arguments.answers.extract,
        length_max: arguments.answers.max_length,
        is_summary_only: arguments.summary,
        ast: python::for_pairs(&arguments.answers, &Monitor::default())?,
    };
    let mut output = match &arguments.output {
        Some(path) => Some(output::create(path, arguments.force)?),
        None => None,
    };
    let names = FieldNames {
        id: arguments.id_field.clone(),
        prediction: arguments.prediction_field.clone(),
        reference: arguments.reference_field.clone(),
    };
    let is_quiet = context.global.quiet;
    let report = progress::run(context, |context, monitor| {
        let mut inputs = inputs(arguments)?;
        let source = match &mut inputs[..] {
            [references, predictions] => PairSource::Lines {
                references: &mut references.1,
                predictions: &mut predictions.1,
                path: predictions.0.clone(),
            },
            [(path, input), ..] => PairSource::Records {
                input,
                layout: match form(arguments.input, path) {
                    InputName::Csv => RecordLayout::Csv,
                    InputName::Json | InputName::Lines => RecordLayout::Json,
                },
                names,
                path: path.clone(),
            },
            [] => return Err(Failure::new(ExitCode::Usage, "nothing to score").into()),
        };
        let out: &mut (dyn Write + Send) = match &mut output {
            Some(file) => file,
            None => &mut *context.streams.out,
        };
        let err = &mut *context.streams.err;
        let mut tell = |problem: &Problem| {
            if !is_quiet {
                // Nobody reading messages is no reason to stop scoring.
                let _closed = writeln!(err, "warning: {}", visible(&describe(problem)));
            }
        };
        in_pool(arguments.jobs, || {
            Ok(score_pairs(monitor, &options, source, out, &mut tell)?)
        })
    })?;
    if let Some(warning) = report.crystal.as_ref().and_then(CrystalSource::warning) {
        context.say(&format!("warning: {warning}"));
    }
    if report.summary.n_pairs == 0 {
        return Err(Failure::new(ExitCode::Problems, "no pair could be scored")
            .with_hint(
                "a pair is a line such as {\"id\": 1, \"reference\": \"…\", \"prediction\": \"…\"}",
            )
            .into());
    }
    if let Some(file) = output {
        file.finish()?;
    }
    context.end(report.n_problems as usize)
}

/// Opens the inputs, with names for people: two files of lines, or one of pairs.
fn inputs(arguments: &args::Score) -> Result<Vec<(String, Input)>, Stop> {
    let files = match (&arguments.references, &arguments.predictions) {
        (Some(references), Some(predictions)) => vec![references.as_path(), predictions.as_path()],
        _ => vec![arguments.file.as_deref().unwrap_or(Path::new("-"))],
    };
    files.into_iter().map(input).collect()
}

type Input = Box<dyn BufRead + Send>;

/// Refuses a folder where a file is read: it can be opened, and only reading it fails.
pub fn not_a_folder(path: &Path) -> Result<(), Stop> {
    if !path.is_dir() {
        return Ok(());
    }
    let message = format!("`{}` is a folder, but a file is needed", path.display());
    let hint = format!(
        "name the files in it, such as `{}`",
        path.join("*").display()
    );
    Err(Failure::new(ExitCode::Input, message)
        .with_hint(hint)
        .into())
}

/// Opens a file, or stdin for `-`.
pub fn input(path: &Path) -> Result<(String, Input), Stop> {
    if path == Path::new("-") {
        return Ok(("stdin".to_owned(), Box::new(BufReader::new(io::stdin()))));
    }
    not_a_folder(path)?;
    let file = File::open(path).map_err(Failure::unreadable(path))?;
    let name = path.display().to_string();
    Ok((name, Box::new(BufReader::with_capacity(1 << 16, file))))
}

/// Chooses how a file is read: as asked for, else as its name says.
pub fn form(option: Option<InputName>, name: &str) -> InputName {
    option.unwrap_or_else(|| match PredictionFormat::of_file(name) {
        PredictionFormat::Lines => InputName::Lines,
        PredictionFormat::Records {
            layout: RecordLayout::Csv,
            ..
        } => InputName::Csv,
        PredictionFormat::Records { .. } => InputName::Json,
    })
}

/// Reads the corpus of CrystalBLEU, where one is named and a metric needs it.
fn crystal(
    arguments: &args::Metrics,
    metrics: &[&Metric],
    reference_field: &str,
) -> Result<CrystalOptions, Stop> {
    let is_needed = metrics
        .iter()
        .any(|metric| metric.needs == Needs::SharedNgrams);
    let corpus = match &arguments.crystal_corpus {
        Some(path) if is_needed => {
            let (name, mut input) = input(path)?;
            let texts = texts(&name, &mut *input, reference_field)?;
            if texts.is_empty() {
                let message = format!("no reference in `{}`", visible(&name));
                return Err(Failure::new(ExitCode::Input, message)
                    .with_hint("a corpus is JSON lines with references, or plain text")
                    .into());
            }
            Some((format!("`{name}`"), texts))
        }
        _ => None,
    };
    Ok(CrystalOptions {
        k: arguments.crystal_k,
        corpus,
    })
}

/// Reads the references of a file of records, or the lines of a plain text.
fn texts(name: &str, input: &mut dyn BufRead, reference_field: &str) -> Result<Vec<String>, Stop> {
    let mut texts = Vec::new();
    if form(None, name) == InputName::Lines {
        let mut lines = LineReader::new(input);
        while let Some((_, line)) = lines.next()? {
            texts.extend(line.ok().map(str::to_owned));
        }
        return Ok(texts);
    }
    let layout = match form(None, name) {
        InputName::Csv => RecordLayout::Csv,
        InputName::Json | InputName::Lines => RecordLayout::Json,
    };
    each_record(input, layout, |record| {
        texts.extend(record.text(reference_field));
        Ok::<_, io::Error>(())
    })?;
    Ok(texts)
}

/// Returns the seconds since 1970; a clock before that is no reason to refuse an import.
pub fn now() -> i64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    now.map_or(0, |duration| duration.as_secs().cast_signed())
}

pub fn evaluate(context: &mut Context<'_, '_>, arguments: &args::Eval) -> Result<(), Stop> {
    let mut metrics = metrics::named(&arguments.metrics.names())?;
    if arguments.part.shard.is_some() && arguments.metrics.crystal_corpus.is_none() {
        // Shared n-grams are counted over the whole training split: the merging side computes these metrics.
        metrics.retain(|metric| metric.needs != Needs::SharedNgrams);
    }
    let options = EvalOptions {
        runs: [arguments.runs.as_slice(), &arguments.run].concat(),
        crystal: crystal(&arguments.metrics, &metrics, "reference")?,
        metrics,
        weights: arguments.metrics.codebleu_weights,
        force: arguments.force,
        // Which of them need one is known with the index.
        ast: None,
    };
    let ids: Vec<&str> = options.metrics.iter().map(|metric| metric.id).collect();
    let all = format!(
        "{:?} {ids:?} {:?} {:?}",
        options.runs, options.weights, options.crystal
    );
    part::within(context, &arguments.part, ("eval", all), |context| {
        evaluate_with(context, arguments, &options)
    })
}

fn evaluate_with(
    context: &mut Context<'_, '_>,
    arguments: &args::Eval,
    options: &EvalOptions,
) -> Result<(), Stop> {
    let reports = progress::run_job(
        context,
        JobKind::Eval,
        StoreAccess::Write,
        |context, monitor| {
            let mut store = workspace::open_for_writing(context)?;
            let options = &EvalOptions {
                ast: python::for_runs(&store, &options.runs, monitor)?,
                ..options.clone()
            };
            in_pool(jobs::n_threads(context, arguments.jobs), || {
                let reports = evaluate_runs(&mut store, monitor, options)?;
                let parted = reports.into_iter().map(|report| {
                    let parts = by_language(&store, monitor, &report.run, &options.metrics)?;
                    Ok((report, parts))
                });
                parted.collect::<Result<Vec<(EvalReport, Vec<RunInLanguage>)>, Stop>>()
            })
        },
    )?;
    if reports.is_empty() {
        return Err(Failure::new(ExitCode::Problems, "no run in the index")
            .with_hint(hint::IMPORT_RUN)
            .into());
    }
    for (report, parts) in &reports {
        tell(context, report);
        tell_languages(context, &report.run, parts, &options.metrics);
    }
    let rows: Vec<_> = reports.into_iter().map(|report| report.0.run).collect();
    let store = workspace::open(context)?;
    let executed = executed::of_runs(&store, &rows)?;
    let parsed = executed::parsed_of_runs(&store, &rows)?;
    let languages = executed::languages_of_runs(&store, &rows)?;
    let parsers = python::parsers_of_runs(&store, &rows)?;
    let rows = runs::RunTableRows {
        runs: &rows,
        executed: &executed,
        parsed: &parsed,
        languages: &languages,
        parsers: &parsers,
        spent: &[],
        scope: arguments.shown.scope,
    };
    let format = arguments.shown.format.name();
    let shown = runs::RunTableLayout::of_metrics(options.metrics.clone(), format);
    runs::write(context, rows, &shown, format)
}

fn tell(context: &mut Context<'_, '_>, report: &EvalReport) {
    let name = visible(&report.run.setting.name);
    context.say(&format!(
        "run {name}: {} computed, {} there already",
        counted(report.n_computed, "value"),
        report.n_kept
    ));
    if report.run.n_changed > 0 {
        context.say(&format!(
            "warning: run {name}: {} {} changed since the answers came in",
            counted(report.run.n_changed, "sample"),
            agreeing(report.run.n_changed, "has", "have")
        ));
    }
    tell_without_reference(
        context,
        &report.run.setting,
        [report.n_without_reference, report.run.n_predictions],
        match report.run.setting.target {
            Target::Assertion => "their tests have no assertion part, or are gone from the index",
            Target::Test => "their tests are gone from the index",
        },
    );
    if report.n_too_costly > 0 {
        context.say(&format!(
            "warning: run {name}: {} {} as 0 because the texts are too long for the metric",
            counted(report.n_too_costly, "value"),
            agreeing(report.n_too_costly, "counts", "count")
        ));
    }
    if let Some(warning) = report.crystal.as_ref().and_then(CrystalSource::warning) {
        context.say(&format!("warning: run {name}: {warning}"));
    }
}

/// Says what a run scored in each language, if there are several.
fn tell_languages(
    context: &mut Context<'_, '_>,
    run: &RunRow,
    parts: &[RunInLanguage],
    metrics: &[&Metric],
) {
    let name = visible(&run.setting.name);
    for part in parts {
        let values = metrics.iter().zip(&part.values);
        let values =
            values.filter_map(|(metric, value)| Some(format!("{} {:.4}", metric.id, (*value)?)));
        let values: Vec<String> = values.collect();
        let (language, n_pairs) = (part.language.as_str(), part.n_pairs);
        context.say(&format!(
            "run {name}: {language}, {}: {}",
            counted(n_pairs, "answer"),
            values.join(", ")
        ));
    }
}

/// Reports the number of answers without a reference, and the reason, if there are any.
pub fn tell_without_reference(
    context: &mut Context<'_, '_>,
    setting: &RunSetting,
    [n, n_answers]: [u64; 2],
    reason: &str,
) {
    if n > 0 {
        context.say(&format!(
            "warning: run {}: {n} of {} {} no reference and {} in no score: {reason} (matcher {})",
            visible(&setting.name),
            counted(n_answers, "answer"),
            agreeing(n, "has", "have"),
            agreeing(n, "counts", "count"),
            setting.matcher.as_str()
        ));
    }
}

impl From<eval::EvalError> for Stop {
    fn from(error: eval::EvalError) -> Self {
        let message = visible(&error.to_string());
        match error {
            eval::EvalError::Store(error) => error.into(),
            eval::EvalError::Cancelled(cancelled) => cancelled.into(),
            eval::EvalError::Io(error) => error.into(),
            eval::EvalError::NoSuchRun(error) => error.into(),
            eval::EvalError::WhichRun { known } => Failure::new(ExitCode::Usage, message)
                .with_hint(format!("name one of {}", known.join(", ")))
                .into(),
            eval::EvalError::NoRuns => Failure::new(ExitCode::Input, message)
                .with_hint(hint::IMPORT_RUN)
                .into(),
            eval::EvalError::NoBaseline { .. } => Failure::new(ExitCode::Usage, message)
                .with_hint("add `baseline:NAME` to the filter, or `--baseline NAME`")
                .into(),
            eval::EvalError::RunExists { .. } => Failure::new(ExitCode::Usage, message)
                .with_hint("`--replace` replaces it")
                .into(),
            eval::EvalError::Problems { .. } => Failure::new(ExitCode::Problems, message)
                .with_hint("without `--strict`, everything that can be used is loaded")
                .into(),
            eval::EvalError::NothingUsable { .. } => Failure::new(ExitCode::Problems, message)
                .with_hint(
                    "a prediction is a line such as {\"sample\": \"<key>\", \"prediction\": \"…\"}; \
                     `--sample-field` and `--prediction-field` name other fields, `--input` another format; \
                     `focalist samples` lists the keys",
                )
                .into(),
            eval::EvalError::NoAst => Failure::new(ExitCode::Usage, message)
                .with_hint("`focalist eval` asks one")
                .into(),
            eval::EvalError::Ast { .. } => Failure::new(ExitCode::Outside, message).into(),
            eval::EvalError::NotEvaluated { .. } => Failure::new(ExitCode::Input, message)
                .with_hint("`focalist eval --metrics …` computes it")
                .into(),
            eval::EvalError::NotExecuted { .. } => Failure::new(ExitCode::Input, message)
                .with_hint("`focalist execute RUN` runs its predictions")
                .into(),
            eval::EvalError::NotTagged { .. } => Failure::new(ExitCode::Input, message)
                .with_hint("`focalist eval` assigns them")
                .into(),
            eval::EvalError::Outdated { .. } | eval::EvalError::OtherOptions { .. } => {
                Failure::new(ExitCode::Input, message)
                    .with_hint("`focalist eval` computes outdated scores for both")
                    .into()
            }
            eval::EvalError::ExecutedOtherwise { .. } => Failure::new(ExitCode::Usage, message)
                .with_hint("`focalist execute RUN --force` runs one with the options of the other; `--any-options` compares them as they are")
                .into(),
            eval::EvalError::OfSamples { .. } => Failure::new(ExitCode::Usage, message)
                .with_hint("`repo`, `test`, `focal`, `file`, `key` and `language` apply to questions, too; `setting:task=…` selects questions of a task")
                .into(),
            eval::EvalError::OneRun
            | eval::EvalError::BadName(_)
            | eval::EvalError::OtherQuestion { .. } => Failure::new(ExitCode::Usage, message).into(),
            eval::EvalError::NothingInCommon { .. } => Failure::new(ExitCode::Problems, message).into(),
        }
    }
}
