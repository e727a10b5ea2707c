//! The command `import`: answers of a model as a run. Datasets are for [`dataset`].

use std::io::BufRead;

use crate::args::{self, InputName};
use crate::command::mining::{matcher, tell_problems};
use crate::command::scoring::{form, input, now, tell_without_reference};
use crate::command::{dataset, hint, inspect, workspace};
use crate::eval::import::{ImportOptions, ImportReport, PredictionFormat, import as load};
use crate::eval::numbers::{Ids, read_ids};
use crate::exchange::pairs::FieldNames;
use crate::exchange::records::RecordLayout;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{Extraction, JobKind, Join, Matcher, RunSetting, Target, agreeing, counted};
use crate::store::{Store, StoreAccess};
use crate::table::visible;
use crate::task::Monitor;
use crate::transfer::{LoggedOptions, import_logged, is_log};
use crate::{Context, progress};

pub fn import(context: &mut Context<'_, '_>, arguments: &args::ImportArgs) -> Result<(), Stop> {
    if let Some(format) = arguments.dataset {
        return dataset::import(context, arguments, format);
    }
    let Some(run) = &arguments.run else {
        return Err(Failure::new(ExitCode::Usage, "a run needs a name: `--run NAME`").into());
    };
    let options = import_options(context, arguments, run)?;
    // A log says what it asked: it needs no index that was there before.
    let is_log =
        arguments.aligned_with.is_none() && arguments.files.iter().any(|file| is_log(file));
    let access = if is_log {
        StoreAccess::Create
    } else {
        StoreAccess::Write
    };
    let (report, setting) =
        progress::run_job(context, JobKind::Import, access, |context, monitor| {
            let mut files = Vec::with_capacity(arguments.files.len());
            for path in &arguments.files {
                let (name, input) = input(path)?;
                let input: Box<dyn BufRead> = input;
                files.push((name, input));
            }
            let mut store = if is_log {
                workspace::create(context)?
            } else {
                workspace::open_for_writing(context)?
            };
            if is_log {
                add_samples(context, &mut store, monitor, arguments)?;
            }
            let mut options = options;
            options.is_strict = context.global.strict;
            options.setting.matcher = match arguments.matcher {
                Some(name) => matcher(name),
                None => store.shown_matcher()?,
            };
            let report = load(&mut store, monitor, &options, &mut files)?;
            Ok((report, options.setting))
        })?;
    tell_problems(
        context,
        &report.problems,
        &format!("focalist runs --problems {run}"),
    );
    let extracted = match report.n_extracted {
        0 => String::new(),
        n_extracted => format!(", code taken out of {}", counted(n_extracted, "answer")),
    };
    context.say(&format!(
        "run {}: {} for {}{extracted}; {}",
        visible(run),
        counted(report.n_predictions, "prediction"),
        counted(report.n_samples, "sample"),
        counted(report.problems.len() as u64, "problem")
    ));
    tell_without_reference(
        context,
        &setting,
        [report.n_without_reference, report.n_predictions],
        "their tests have no assertion part",
    );
    tell_warnings(context, &report);
    let command = hint::command(&["eval", "--run", run]);
    context.say(&format!("hint: {command} scores it"));
    Ok(())
}

/// Warns about odd answers.
fn tell_warnings(context: &mut Context<'_, '_>, report: &ImportReport) {
    for log in &report.unfinished {
        context.say(&format!(
            "warning: {}: the evaluation did not finish; its results so far are imported",
            visible(log)
        ));
    }
    if report.n_unjoined > 0 {
        context.say(&format!(
            "warning: {} {} no sample of the index; `--id PATH` says where a record names it, such as `--id metadata.key`",
            counted(report.n_unjoined, "answer"),
            agreeing(report.n_unjoined, "names", "name")
        ));
    }
    if report.n_unanswered > 0 {
        context.say(&format!(
            "warning: {} of the dataset's records that were asked {} no answer; an empty one stands for each, which scores 0",
            report.n_unanswered,
            agreeing(report.n_unanswered, "has", "have")
        ));
    }
    if report.n_not_decoded > 0 {
        context.say(&format!(
            "warning: {} of {} {} no code, which counts as a prediction that does not parse (`focalist decode` says \
             what is wrong)",
            report.n_not_decoded,
            counted(report.n_predictions, "sequence"),
            agreeing(report.n_not_decoded, "is", "are")
        ));
    }
    if report.n_fenced > 0 {
        context.say(&format!(
            "hint: {} of {} {} ``` fences: `--extract mera` or `--extract lenient` takes the code out of them \
             (with `--replace`, because the run exists already)",
            report.n_fenced,
            counted(report.n_predictions, "answer"),
            agreeing(report.n_fenced, "has", "have")
        ));
    }
}

/// Makes samples of the questions in logs, where the index has no others.
fn add_samples(
    context: &mut Context<'_, '_>,
    store: &mut Store,
    monitor: &Monitor,
    arguments: &args::ImportArgs,
) -> Result<(), Stop> {
    let options = LoggedOptions {
        files: arguments.files.clone(),
        language: arguments.answers.language,
        id: arguments.id.clone(),
    };
    for report in import_logged(store, monitor, &options)? {
        context.say(&format!(
            "dataset {}: {} without sources, made of the questions and answers in the log",
            visible(&report.name),
            counted(report.n_split, "sample")
        ));
    }
    Ok(())
}

/// Chooses the part of a test that the model was asked for: MERA asks for whole tests.
fn target(arguments: &args::ImportArgs) -> Target {
    let usual = match arguments.answers.extract {
        Extraction::Mera => Target::Test,
        Extraction::None | Extraction::Lenient => Target::default(),
    };
    arguments.target.unwrap_or(usual)
}

/// Reads the `ids.jsonl` that was named.
fn ids(arguments: &args::ImportArgs) -> Result<Option<Ids>, Stop> {
    let Some(path) = &arguments.ids else {
        return Ok(None);
    };
    let (name, mut input) = input(path)?;
    let ids = read_ids(&mut *input).map_err(|error| {
        let message = format!("`{}`: {}", visible(&name), visible(&error.to_string()));
        Failure::new(ExitCode::Input, message)
    })?;
    Ok(Some(ids))
}

fn import_options(
    context: &mut Context<'_, '_>,
    arguments: &args::ImportArgs,
    run: &str,
) -> Result<ImportOptions, Stop> {
    let forms: Vec<InputName> = arguments
        .files
        .iter()
        .map(|path| form(arguments.input, &path.to_string_lossy()))
        .collect();
    let first = forms.first().copied().unwrap_or(InputName::Json);
    if forms.iter().any(|form| *form != first) {
        return Err(
            Failure::new(ExitCode::Usage, "the files of a run must have one format")
                .with_hint("`--input json|csv|lines` says which")
                .into(),
        );
    }
    if first == InputName::Lines && arguments.aligned_with.is_none() {
        return Err(
            Failure::new(ExitCode::Usage, "lines of text name no sample")
                .with_hint("`--aligned-with split:test` takes the n-th line for the n-th sample")
                .into(),
        );
    }
    let names = FieldNames {
        id: arguments.sample_field.clone(),
        prediction: arguments.prediction_field.clone(),
        reference: String::new(),
    };
    let sources: Vec<String> = arguments
        .files
        .iter()
        .map(|file| file.display().to_string())
        .collect();
    Ok(ImportOptions {
        setting: RunSetting {
            name: run.to_owned(),
            model: arguments.model.clone(),
            target: target(arguments),
            matcher: Matcher::DEFAULT,
            language: arguments.answers.language,
            extraction: arguments.answers.extract,
            parse_mode: arguments.answers.parse,
            length_max: arguments.answers.max_length,
            source: sources.join(" "),
            imported_at: now(),
        },
        form: match first {
            InputName::Json => PredictionFormat::Records {
                layout: RecordLayout::Json,
                names,
            },
            InputName::Csv => PredictionFormat::Records {
                layout: RecordLayout::Csv,
                names,
            },
            InputName::Lines => PredictionFormat::Lines,
        },
        ids: ids(arguments)?,
        join: Join {
            id: arguments.id.clone(),
            answer: arguments.answer.clone(),
        },
        aligned_with: match &arguments.aligned_with {
            Some(text) => {
                let filter = inspect::filter(context, std::slice::from_ref(text))?;
                Some((filter, inspect::scope(arguments.all)))
            }
            None => None,
        },
        is_encoded: arguments.decode.is_some(),
        is_replacing: arguments.replace,
        is_strict: false,
    })
}
