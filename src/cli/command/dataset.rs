//! The commands that write files out of the index: `export` and `manifest`.

use std::io::Write;

use crate::args;
use crate::command::mining::{matcher, tell_problems};
use crate::command::origin::SampleOrigin;
use crate::command::selection::selection;
use crate::command::{
    faults, hint, hub, inspect, mera, output, pairs, published, python, workspace,
};
use crate::eval::evaluate::runs_named;
use crate::exchange;
use crate::exchange::WireParser;
use crate::exchange::columns::Mapping;
use crate::execute::outcomes::write_outcomes;
use crate::execute::reports;
use crate::failure::{ExitCode, Failure, Stop};
use crate::generate;
use crate::model::{Filter, JobKind, OfPrediction, Range, Split, agreeing, counted};
use crate::review;
use crate::store::{Store, StoreAccess, Verdicts};
use crate::table::visible;
use crate::task::Monitor;
use crate::transfer::{
    self, DatasetError, DatasetFormat, DatasetOptions, DatasetReport, ExportError, ExportFormat,
    ExportOptions, LeftOutCounts, ParquetOptions, Publication, export_parquet,
};
use crate::{Context, progress};

pub fn export(context: &mut Context<'_, '_>, arguments: &args::Export) -> Result<(), Stop> {
    if let Some(written) = for_others(context, arguments) {
        return written;
    }
    if let Some(of_run) = RunExportKind::of(arguments.format) {
        return outcomes(context, arguments, of_run);
    }
    if arguments.format == args::FormatName::Answers {
        return answers(context, arguments);
    }
    if arguments.format == args::FormatName::Dump {
        return dump(context, arguments);
    }
    if arguments.run.is_some() {
        let message = "`--run` needs `--format outcomes`, `mutants`, `mutation-report`, `junit`, `lcov`, `cobertura`, \
                       `answers`, `eval-results`, `model-index`, `sarif` or `dump`";
        return Err(Failure::new(ExitCode::Usage, message).into());
    }
    let place = SampleOrigin::of(context, arguments)?;
    if arguments.format == args::FormatName::Mera && arguments.max_similarity.is_some() {
        let message = "`--max-similarity` is not for `--format mera`";
        return Err(Failure::new(ExitCode::Usage, message).into());
    }
    if arguments.format == args::FormatName::Mera && arguments.min_mutation.is_some() {
        let message = "`--min-mutation` is not for `--format mera`";
        return Err(Failure::new(ExitCode::Usage, message).into());
    }
    let Some(format) = format(arguments)? else {
        return mera::export(context, arguments, &place);
    };
    let mut filter = match &arguments.filter {
        Some(text) => inspect::filter(context, std::slice::from_ref(text))?,
        None => Filter::default(),
    };
    if let Some(min) = arguments.min_mutation {
        let is_enough = OfPrediction::Mutation(Range::AtLeast(min));
        filter.terms.push(is_enough.into());
    }
    let store = place.open()?;
    let verdicts = Verdicts::open_or_empty(&place.folder)?;
    let options = ExportOptions {
        format,
        matcher: arguments.matcher.map(matcher),
        split: ours(arguments)?,
        filter,
        scope: inspect::scope(arguments.all),
        gold: if arguments.provisional {
            review::gold_or_provisional(&verdicts)?
        } else {
            review::gold(&verdicts)?
        },
        is_verified: arguments.verified,
        licenses: arguments.licenses.clone(),
        choice: selection(context, arguments, &store)?,
    };
    match arguments.format {
        args::FormatName::Parquet => {
            let publication = published::publication(&arguments.parquet, &verdicts)?;
            return parquet(context, arguments, &store, (options, publication));
        }
        args::FormatName::Pairs | args::FormatName::Chat => {
            let report = pairs::export(context, arguments, &store, options)?;
            tell_unlicensed(context, report.n_unlicensed);
            tell_left_out(context, arguments, report.left_out);
            return Ok(());
        }
        _ => {}
    }
    let report = match &arguments.output {
        Some(path) => {
            progress::run_job(context, JobKind::Export, StoreAccess::Read, |_, monitor| {
                let mut file = output::create(path, arguments.force)?;
                let report = transfer::export(&store, monitor, &options, &mut file)?;
                file.finish()?;
                Ok(report)
            })
        }
        // A reader of the output sees how far it is.
        None => progress::run(context, |context, monitor| {
            let out = &mut *context.streams.out;
            Ok(transfer::export(&store, monitor, &options, out)?)
        }),
    }?;
    tell_unlicensed(context, report.n_unlicensed);
    tell_left_out(context, arguments, report.left_out);
    for (n, why) in [
        (report.n_unmapped, "the format needs a focal method"),
        (report.n_foreign, "the format knows Java alone"),
    ] {
        if n > 0 {
            say_left_out(context, (n, "sample"), &format!(": {why}"));
        }
    }
    context.say(&format!("{} written", counted(report.n_written, "line")));
    Ok(())
}

/// Writes a run for places that know no tests, such as a model's repository; nothing in other formats.
fn for_others(context: &mut Context<'_, '_>, arguments: &args::Export) -> Option<Result<(), Stop>> {
    let (word, write): (_, fn(&mut Context<'_, '_>, &args::Export) -> _) = match arguments.format {
        args::FormatName::EvalResults => ("eval-results", hub::results),
        args::FormatName::ModelIndex => ("model-index", hub::results),
        args::FormatName::Sarif => ("sarif", hub::sarif),
        _ => {
            let option = arguments.hub.first_given()?;
            let message = format!("`{option}` needs `--format eval-results` or `model-index`");
            return Some(Err(Failure::new(ExitCode::Usage, message).into()));
        }
    };
    let chosen = refuse_choice(arguments, word, "it is about a whole run");
    Some(
        chosen
            .map_err(Into::into)
            .and_then(|()| write(context, arguments)),
    )
}

/// Finds the first option that chooses by splits or nearness.
fn first_chosen(arguments: &args::Export) -> Option<&'static str> {
    let splits = arguments.splits.as_ref().map(|_| "--splits");
    let near = arguments.max_similarity.map(|_| "--max-similarity");
    splits
        .or(near)
        .or_else(|| arguments.stable.map(|_| "--stable"))
}

/// Refuses options that choose samples, for a format that takes all of them.
fn refuse_choice(arguments: &args::Export, format: &str, what: &str) -> Result<(), Failure> {
    let is_choice = arguments.all
        || arguments.verified
        || arguments.filter.is_some()
        || arguments.split.is_some()
        || arguments.min_mutation.is_some();
    let given = is_choice.then_some("a choice of samples");
    let given = given.or_else(|| first_chosen(arguments));
    match given.or_else(|| arguments.mera.first_given()) {
        Some(option) => Err(Failure::new(
            ExitCode::Usage,
            format!("{option} is not for `--format {format}`: {what}"),
        )),
        None => Ok(()),
    }
}

fn tell_unlicensed(context: &mut Context<'_, '_>, n_unlicensed: u64) {
    if n_unlicensed > 0 {
        say_left_out(context, (n_unlicensed, "sample"), " by licence");
    }
}

fn say_left_out(context: &mut Context<'_, '_>, (n, what): (u64, &str), why: &str) {
    let (counted, were) = (counted(n, what), agreeing(n, "was", "were"));
    context.say(&format!("{counted} {were} left out{why}"));
}

/// Says how many samples were unstable or too near to training, also where there was none.
fn tell_left_out(context: &mut Context<'_, '_>, arguments: &args::Export, left_out: LeftOutCounts) {
    if let Some(shakes) = arguments.stable {
        let n_unstable = (left_out.n_unstable, "sample");
        say_left_out(context, n_unstable, &format!(": unstable by {shakes}"));
    }
    if let Some(max) = arguments.max_similarity {
        let n_near = (left_out.n_near, "held-out sample");
        say_left_out(
            context,
            n_near,
            &format!(": nearer than {max} to one of training"),
        );
    }
}

/// Fills a folder with Parquet files.
fn parquet(
    context: &mut Context<'_, '_>,
    arguments: &args::Export,
    store: &Store,
    (samples, publication): (ExportOptions, Publication),
) -> Result<(), Stop> {
    let Some(path) = &arguments.output else {
        let message = "`--format parquet` writes several files";
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("`--output FOLDER` says where")
            .into());
    };
    let options = ParquetOptions {
        samples,
        split_by: arguments.parquet.split_by.unwrap_or_default(),
        rows_per_file: arguments.parquet.rows_per_file.unwrap_or(ROWS_PER_FILE),
        publication,
    };
    let report = progress::run_job(context, JobKind::Export, StoreAccess::Read, |_, monitor| {
        let folder = output::create_folder(path, arguments.force)?;
        let report = export_parquet(store, monitor, &options, folder.path())?;
        folder.finish()?;
        Ok(report)
    })?;
    tell_unlicensed(context, report.n_unlicensed);
    tell_left_out(context, arguments, report.left_out);
    let splits = report.splits.iter();
    let splits: Vec<String> = splits
        .map(|(name, column_files)| format!("{name} {}", column_files.n_rows))
        .collect();
    context.say(&format!(
        "{} written: {}",
        counted(report.n_written, "row"),
        splits.join(", ")
    ));
    Ok(())
}

/// Some 500 MB of samples.
const ROWS_PER_FILE: u64 = 100_000;

/// Writes every row of the index.
fn dump(context: &mut Context<'_, '_>, arguments: &args::Export) -> Result<(), Stop> {
    refuse_choice(arguments, "dump", "it writes the whole index")?;
    let store = SampleOrigin::of(context, arguments)?.open()?;
    let run = match &arguments.run {
        Some(name) => runs_named(&store, std::slice::from_ref(name))?.pop(),
        None => None,
    };
    let write = |monitor: &Monitor, out: &mut dyn Write| match &run {
        Some(run) => transfer::dump_run(&store, run.id, monitor, out),
        None => transfer::dump(&store, monitor, out),
    };
    let n_written = match &arguments.output {
        Some(path) => {
            progress::run_job(context, JobKind::Export, StoreAccess::Read, |_, monitor| {
                let mut file = output::create(path, arguments.force)?;
                let n_written = write(monitor, &mut file)?;
                file.finish()?;
                Ok(n_written)
            })
        }
        None => progress::run(context, |context, monitor| {
            Ok(write(monitor, &mut *context.streams.out)?)
        }),
    }?;
    context.say(&format!("{} written", counted(n_written, "line")));
    Ok(())
}

/// The export of a whole executed run.
#[derive(Clone, Copy)]
enum RunExportKind {
    Outcomes,
    Mutants,
    /// In the format of another tool.
    Report(reports::ReportFormat),
}

impl RunExportKind {
    const fn of(format: args::FormatName) -> Option<Self> {
        Some(match format {
            args::FormatName::Outcomes => Self::Outcomes,
            args::FormatName::Mutants => Self::Mutants,
            args::FormatName::MutationReport => Self::Report(reports::ReportFormat::MutationReport),
            args::FormatName::Junit => Self::Report(reports::ReportFormat::Junit),
            args::FormatName::Lcov => Self::Report(reports::ReportFormat::Lcov),
            args::FormatName::Cobertura => Self::Report(reports::ReportFormat::Cobertura),
            _ => return None,
        })
    }

    const fn word(self) -> &'static str {
        match self {
            Self::Outcomes => "outcomes",
            Self::Mutants => "mutants",
            Self::Report(format) => format.as_str(),
        }
    }
}

/// Writes the outcomes of a run's predictions, or of its tests on mutants, in one of the formats.
fn outcomes(
    context: &mut Context<'_, '_>,
    arguments: &args::Export,
    of_run: RunExportKind,
) -> Result<(), Stop> {
    refuse_choice(arguments, of_run.word(), "it writes a whole run")?;
    let store = workspace::open(context)?;
    let run = &hub::run_of(&store, arguments)?;
    let write =
        |store: &Store, monitor: &Monitor, out: &mut dyn Write| -> Result<Option<u64>, Stop> {
            Ok(match of_run {
                RunExportKind::Outcomes => Some(write_outcomes(store, monitor, run, out)?),
                RunExportKind::Mutants => Some(faults::write_pairs(store, monitor, run, out)?),
                RunExportKind::Report(format) => {
                    reports::write_report(store, monitor, (run, format), out)?;
                    None
                }
            })
        };
    let n_written = match &arguments.output {
        Some(path) => {
            progress::run_job(context, JobKind::Export, StoreAccess::Read, |_, monitor| {
                let mut file = output::create(path, arguments.force)?;
                let n_written = write(&store, monitor, &mut file)?;
                file.finish()?;
                Ok(n_written)
            })
        }
        None => progress::run(context, |context, monitor| {
            write(&store, monitor, &mut *context.streams.out)
        }),
    }?;
    if let Some(n_written) = n_written {
        context.say(&format!("{} written", counted(n_written, "line")));
    }
    Ok(())
}

/// Writes the raw answers of a model.
fn answers(context: &mut Context<'_, '_>, arguments: &args::Export) -> Result<(), Stop> {
    refuse_choice(arguments, "answers", "it writes a whole run")?;
    let Some(run) = &arguments.run else {
        return Err(Failure::new(ExitCode::Usage, "`--format answers` needs `--run NAME`").into());
    };
    let store = workspace::open(context)?;
    let n_written = match &arguments.output {
        Some(path) => {
            progress::run_job(context, JobKind::Export, StoreAccess::Read, |_, monitor| {
                let mut file = output::create(path, arguments.force)?;
                let n_written = generate::export(&store, monitor, run, &mut file)?;
                file.finish()?;
                Ok(n_written)
            })
        }
        None => progress::run(context, |context, monitor| {
            let out = &mut *context.streams.out;
            Ok(generate::export(&store, monitor, run, out)?)
        }),
    }?;
    context.say(&format!("{} written", counted(n_written, "line")));
    Ok(())
}

/// Chooses the format of lines; nothing for the one that fills a folder.
fn format(arguments: &args::Export) -> Result<Option<ExportFormat>, Stop> {
    let format = match arguments.format {
        args::FormatName::Jsonl
        | args::FormatName::Parquet
        | args::FormatName::Pairs
        | args::FormatName::Chat => ExportFormat::Jsonl,
        args::FormatName::Tests => ExportFormat::Tests,
        args::FormatName::Methods2test => ExportFormat::Methods2Test,
        args::FormatName::Mera
        | args::FormatName::Outcomes
        | args::FormatName::Mutants
        | args::FormatName::MutationReport
        | args::FormatName::Junit
        | args::FormatName::Lcov
        | args::FormatName::Cobertura
        | args::FormatName::Answers
        | args::FormatName::EvalResults
        | args::FormatName::ModelIndex
        | args::FormatName::Sarif
        | args::FormatName::Dump => {
            return Ok(None);
        }
    };
    if arguments.format != args::FormatName::Parquet
        && let Some(option) = arguments.parquet.first_given()
    {
        let message = format!("`{option}` needs `--format parquet`");
        return Err(Failure::new(ExitCode::Usage, message).into());
    }
    let is_of_pairs = matches!(
        arguments.format,
        args::FormatName::Pairs | args::FormatName::Chat
    );
    if !is_of_pairs && let Some(option) = arguments.pairs.first_given() {
        let message = format!("`{option}` needs `--format pairs` or `chat`");
        return Err(Failure::new(ExitCode::Usage, message).into());
    }
    let is_shots = arguments.split == Some(args::SplitName::Shots);
    let given = is_shots.then_some("--split shots");
    match given.or_else(|| arguments.mera.first_given()) {
        Some(option) => {
            let message = format!("`{option}` needs `--format mera`");
            Err(Failure::new(ExitCode::Usage, message).into())
        }
        None => Ok(Some(format)),
    }
}

/// Chooses one of our splits, where one is asked for.
fn ours(arguments: &args::Export) -> Result<Option<Split>, Failure> {
    match &arguments.split {
        Some(args::SplitName::Ours(split)) => Ok(Some(*split)),
        Some(args::SplitName::Own(name)) if arguments.splits.is_none() => {
            let message = format!("no split `{name}`: `train`, `validation` or `test`");
            Err(Failure::new(ExitCode::Usage, message)
                .with_hint("`--splits FILE` makes splits by other names"))
        }
        Some(args::SplitName::Own(_) | args::SplitName::Shots) | None => Ok(None),
    }
}

/// Loads the samples of a dataset that is published without its sources.
pub fn import(
    context: &mut Context<'_, '_>,
    arguments: &args::ImportArgs,
    format: DatasetFormat,
) -> Result<(), Stop> {
    let [path] = &arguments.files[..] else {
        return Err(Failure::new(ExitCode::Usage, "a dataset is one file or one folder").into());
    };
    let mut options = DatasetOptions::new(format, path);
    options.name.clone_from(&arguments.name);
    let may_map = matches!(format, DatasetFormat::Parquet | DatasetFormat::Jsonl);
    if !arguments.fields.is_empty() && !may_map {
        let message = "`--fields` needs `--dataset parquet` or `jsonl`";
        return Err(Failure::new(ExitCode::Usage, message).into());
    }
    options.fields = Mapping(arguments.fields.clone());
    let report = progress::run_job(
        context,
        JobKind::Import,
        StoreAccess::Create,
        |context, monitor| {
            let mut store = workspace::create(context)?;
            Ok(transfer::import_dataset(&mut store, monitor, &options)?)
        },
    )?;
    tell_problems(context, &report.problems, "focalist problems");
    if report.is_empty() {
        let message = format!(
            "nothing in `{}` could be used as a dataset in the format `{}`",
            path.display(),
            format.as_str()
        );
        return Err(Failure::new(ExitCode::Problems, message)
            .with_hint("`--dataset` names the format of the file")
            .into());
    }
    if report.is_unchanged() {
        context.say(&format!(
            "dataset {}: nothing has changed, {}",
            visible(&report.name),
            counted(report.n_repos, "project")
        ));
    } else {
        context.say(&format!(
            "dataset {}: {} in {}, {} mapped, {} with an assertion part; {}",
            visible(&report.name),
            counted(report.n_tests, "test"),
            counted(report.n_repos - report.n_unchanged, "project"),
            report.n_mapped,
            report.n_split,
            counted(report.n_problems, "problem")
        ));
    }
    if report.n_left_out > 0 {
        let n_left_out = counted(report.n_left_out, "row");
        context.say(&format!("{n_left_out} left out: no tests"));
    }
    tell_sources(context, &report);
    context.end(report.problems.len())
}

/// Says what fetches the sources that a dataset does not have, for the first of its projects.
fn tell_sources(context: &mut Context<'_, '_>, report: &DatasetReport) {
    let Some((url, commit)) = &report.first_source else {
        return;
    };
    let fetch = hint::fetch(url, Some(commit));
    context.say(&format!(
        "hint: the sources of {} are elsewhere, and known by repository and commit; {fetch} fetches the first, and \
         `focalist repos --json` has all",
        counted(report.n_with_sources, "project")
    ));
}

pub fn manifest(context: &mut Context<'_, '_>, arguments: &args::Manifest) -> Result<(), Stop> {
    let store = workspace::open(context)?;
    let mut manifest = transfer::manifest(&store)?;
    let runs = store.runs()?;
    let parsers = runs.iter().zip(python::parsers_of_runs(&store, &runs)?);
    manifest.parsers = parsers
        .filter_map(|(run, parser)| {
            Some(WireParser {
                run: run.setting.name.clone(),
                parser: parser?,
            })
        })
        .collect();
    match &arguments.output {
        Some(path) => {
            let mut file = output::create(path, arguments.force)?;
            exchange::write_pretty(&mut file, &manifest)?;
            file.finish()?;
        }
        None => exchange::write_pretty(context.streams.out, &manifest)?,
    }
    Ok(())
}

impl From<DatasetError> for Stop {
    fn from(error: DatasetError) -> Self {
        let message = visible(&error.to_string());
        match error {
            DatasetError::Store(error) => error.into(),
            DatasetError::Cancelled(cancelled) => cancelled.into(),
            DatasetError::Read { .. } | DatasetError::Occupied { .. } => {
                Failure::new(ExitCode::Input, message).into()
            }
        }
    }
}

impl From<ExportError> for Stop {
    fn from(error: ExportError) -> Self {
        match error {
            ExportError::Store(error) => error.into(),
            ExportError::Io(error) => error.into(),
            ExportError::Cancelled(cancelled) => cancelled.into(),
        }
    }
}
