//! The commands about what people say: `verdict`, `verdicts`, `undo`, `redo`, `audit`, `agreement`.
//!
//! The only place that knows who is sitting there and what time it is.

mod difference;
mod list;
mod report;

use list::stale;
pub(super) use report::wire_share;
pub use report::{agreement, audit};

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader};
use std::path::Path;

use crate::Context;
use crate::args::{self, TableName, VerdictsAction};
use crate::command::judgement_words::{event_words, judgement_words, ruling_words, took};
use crate::command::mining::tell_problems;
use crate::command::scoring::not_a_folder;
use crate::command::user_name::{self, NameSource};
use crate::command::{config, inspect, output, workspace};
use crate::config::Config;
use crate::exchange::review::{WireEvent, WirePast, WireProgress};
use crate::exchange::write_lines;
use crate::failure::{ExitCode, Failure, Stop};
use crate::job::now_ms;
use crate::model::{
    Event, EventKind, JudgedSample, Judgement, PastEvent, SampleKey, counted, is_annotator, utc,
};
use crate::review::{self, Overlap, ReviewOptions, VerdictChoice};
use crate::store::{Store, StoreAccess, Verdicts};
use crate::table::{Align, TextTable, visible};

/// Reads how the user reviews from the settings; the name is empty as long as neither settings nor system know it.
pub fn reviewing(config: &Config) -> ReviewOptions {
    let name = user_name::name(config);
    ReviewOptions {
        queue: config.queue().unwrap_or_default().to_owned(),
        is_named: name
            .as_ref()
            .is_some_and(|name| name.source == NameSource::Settings),
        annotator: name.map(|name| name.text).unwrap_or_default(),
        overlap: config
            .overlap()
            .and_then(Overlap::parse)
            .unwrap_or_default(),
        is_blind: config.is_blind(),
        guideline: config.guideline().map(str::to_owned),
    }
}

/// Finds the annotator's name: `--as`, else the name that is set, else the one that the system knows.
pub(super) fn annotator(context: &mut Context<'_, '_>, name: Option<&str>) -> Result<String, Stop> {
    let message = match name {
        Some(name) if is_annotator(name) => return Ok(name.to_owned()),
        Some(name) => format!("`{}` cannot be the name of an annotator", visible(name)),
        None => {
            let config = config::load(context);
            config::tell(context, &config);
            if let Some(name) = user_name::name(&config) {
                return Ok(name.text);
            }
            "the annotator has no name: neither the settings nor the system know one".to_owned()
        }
    };
    Err(Failure::new(ExitCode::Usage, message)
        .with_hint("`--as NAME` gives the name")
        .into())
}

/// Chooses the version of the guideline in force: the named one, else the one in the settings.
fn guideline(context: &Context<'_, '_>, named: Option<&str>) -> Option<String> {
    let named = named.map(str::to_owned);
    named.or_else(|| config::load(context).guideline().map(str::to_owned))
}

pub(super) fn open(context: &Context<'_, '_>, access: StoreAccess) -> Result<Verdicts, Stop> {
    let folder = workspace::folder(context);
    if access != StoreAccess::Create && !folder.is_dir() {
        return Err(workspace::missing(&folder));
    }
    Ok(match access {
        StoreAccess::Read => Verdicts::open_or_empty(&folder)?,
        StoreAccess::Create | StoreAccess::Write => Verdicts::open(&folder, access)?,
    })
}

pub fn verdict(context: &mut Context<'_, '_>, arguments: &args::Verdict) -> Result<(), Stop> {
    let annotator = annotator(context, arguments.annotator.name.as_deref())?;
    let choice = choice(arguments)?;
    let store = workspace::open(context)?;
    let key = inspect::key(&store, &arguments.key)?;
    let sample = store
        .sample(&key, None)?
        .ok_or(review::ReviewError::NoSuchSample { key })?;
    let judged = JudgedSample {
        note: arguments.note.clone(),
        guideline: guideline(context, arguments.guideline.as_deref()),
        ..review::judged_of(&store, &sample, &choice)?
    };
    let said = match &arguments.adjudicate {
        Some(reason) => ruling_words(&judged, reason),
        None => judgement_words(&judged),
    };
    let mut kinds = Vec::new();
    if arguments.mark {
        kinds.push(EventKind::Marked { key });
    }
    kinds.push(match &arguments.adjudicate {
        Some(reason) => EventKind::Adjudicated {
            judged,
            reason: reason.clone(),
        },
        None => EventKind::Judged(judged),
    });
    let shown = [review::snapshot_of(&sample)];
    let mut verdicts = open(context, StoreAccess::Create)?;
    verdicts.append_shown(&annotator, now_ms(), kinds, &shown)?;
    tell_backup(context, &mut verdicts);
    context.say(&format!(
        "{} says of {key}: {}",
        visible(&annotator),
        visible(&said)
    ));
    Ok(())
}

/// Says that today's copy of the verdicts could not be made; the verdict stands.
pub(super) fn tell_backup(context: &mut Context<'_, '_>, verdicts: &mut Verdicts) {
    if let Some(failure) = verdicts.take_backup_failure() {
        context.say(&format!(
            "warning: the verdict is stored, but today's copy of the verdicts is not: {}",
            visible(&failure.to_string())
        ));
    }
}

fn choice(arguments: &args::Verdict) -> Result<VerdictChoice, Stop> {
    let word = arguments.judgement.replace('-', "_");
    match (&arguments.method, Judgement::parse(&word, None)) {
        (None, Some(judgement)) => Ok(VerdictChoice::Plain(judgement)),
        (Some(method), None) => Ok(match method.parse() {
            Ok(rank) => VerdictChoice::Candidate(rank),
            Err(_) => VerdictChoice::Method(method.clone()),
        }),
        _ => Err(Failure::new(
            ExitCode::Usage,
            format!("`{}` takes no method", arguments.judgement),
        )
        .with_hint("`pick N` or `pick METHOD` says which method it is")
        .into()),
    }
}

pub fn undo(context: &mut Context<'_, '_>, arguments: &args::Annotator) -> Result<(), Stop> {
    let annotator = annotator(context, arguments.name.as_deref())?;
    let undone = writer(context)?.map(|mut verdicts| verdicts.undo(&annotator, now_ms()));
    tell(context, "undone", undone.transpose()?.flatten().as_ref());
    Ok(())
}

pub fn redo(context: &mut Context<'_, '_>, arguments: &args::Annotator) -> Result<(), Stop> {
    let annotator = annotator(context, arguments.name.as_deref())?;
    let redone = writer(context)?.map(|mut verdicts| verdicts.redo(&annotator, now_ms()));
    tell(context, "redone", redone.transpose()?.flatten().as_ref());
    Ok(())
}

/// Opens the events for writing; nothing where there are none to change.
fn writer(context: &Context<'_, '_>) -> Result<Option<Verdicts>, Stop> {
    let folder = workspace::folder(context);
    // Without a workspace it is the wrong place, not one where nobody has said anything.
    if folder.is_dir() && !folder.join(Verdicts::FILE_NAME).exists() {
        return Ok(None);
    }
    Ok(Some(open(context, StoreAccess::Write)?))
}

fn tell(context: &mut Context<'_, '_>, word: &str, event: Option<&Event>) {
    let message = match event {
        Some(event) => {
            let key = event.kind().key();
            let key = key.map_or_else(String::new, |sample_key| format!(" ({sample_key})"));
            format!("{word}: {}{key}", visible(&event_words(event.kind())))
        }
        None => format!("nothing to be {word}"),
    };
    context.say(&message);
}

pub fn verdicts(context: &mut Context<'_, '_>, arguments: &args::Verdicts) -> Result<(), Stop> {
    match &arguments.action {
        None => list::write(context, arguments),
        Some(VerdictsAction::Export { output, force }) => {
            export(context, output.as_deref(), *force)
        }
        Some(VerdictsAction::Merge { file }) => merge(context, file),
        Some(VerdictsAction::History {
            key,
            limit,
            annotator,
            json,
        }) => history(context, key.as_deref(), *limit, annotator, *json),
        Some(VerdictsAction::Progress { json }) => progress_of_all(context, *json),
        Some(VerdictsAction::Calibration { json }) => report::calibration(context, *json),
    }
}

fn export(
    context: &mut Context<'_, '_>,
    path: Option<&Path>,
    force: args::Force,
) -> Result<(), Stop> {
    let verdicts = open(context, StoreAccess::Read)?;
    let exported = match path {
        Some(path) => {
            let mut file = output::create(path, force)?;
            let exported = review::export(&verdicts, &mut file)?;
            file.finish()?;
            exported
        }
        None => review::export(&verdicts, context.streams.out)?,
    };
    context.say(&format!(
        "{} and {} written",
        counted(exported.n_events, "event"),
        counted(exported.n_snapshots, "snapshot")
    ));
    Ok(())
}

fn merge(context: &mut Context<'_, '_>, file: &Path) -> Result<(), Stop> {
    let path = file.to_string_lossy().into_owned();
    let is_strict = context.global.strict;
    let report = if path == "-" {
        let mut verdicts = open(context, StoreAccess::Create)?;
        review::merge(&mut verdicts, "stdin", &mut io::stdin().lock(), is_strict)?
    } else {
        not_a_folder(file)?;
        let opened = File::open(file).map_err(Failure::unreadable(file))?;
        let mut verdicts = open(context, StoreAccess::Create)?;
        review::merge(&mut verdicts, &path, &mut BufReader::new(opened), is_strict)?
    };
    let n_problems = report.problems.len();
    for problem in report.problems.iter().take(MERGE_PROBLEMS_SHOWN) {
        tell_problems(context, std::slice::from_ref(problem), "");
    }
    context.say(&format!(
        "{} added, {} were there already, {} added, {} could not be used",
        counted(report.n_new, "event"),
        report.n_known,
        counted(report.n_snapshots, "snapshot"),
        counted(n_problems as u64, "line")
    ));
    if is_strict && n_problems > 0 {
        let n_problems = counted(n_problems as u64, "problem");
        let message = format!("{n_problems}, and `--strict` was given: nothing was added");
        return Err(Failure::new(ExitCode::Problems, message).into());
    }
    if n_problems > 0 && report.n_new + report.n_known == 0 {
        let message = format!("nothing in `{}` is an event", visible(&path));
        return Err(Failure::new(ExitCode::Problems, message)
            .with_hint("`focalist verdicts export` writes files that can be merged")
            .into());
    }
    Ok(())
}

/// Bad lines of a file that are named; all are counted.
const MERGE_PROBLEMS_SHOWN: usize = 20;

fn history(
    context: &mut Context<'_, '_>,
    key: Option<&str>,
    limit: usize,
    who: &args::Annotator,
    json: bool,
) -> Result<(), Stop> {
    let verdicts = open(context, StoreAccess::Read)?;
    let mut past = if let Some(digits) = key {
        let key = inspect::key(&workspace::open(context)?, digits)?;
        verdicts.history_of(&key)?
    } else {
        let annotator = annotator(context, who.name.as_deref())?;
        verdicts.history(&annotator, limit)?
    };
    past.truncate(limit);
    let tests = tests_of(context, &past)?;
    Ok(context.print(
        TableName::of(json),
        |out| {
            let wires = past.iter().map(|past_event| WirePast {
                event: WireEvent::from(&past_event.event),
                undone: past_event.is_undone,
            });
            write_lines(out, wires)
        },
        |_| [past_table(&past, &tests)],
    )?)
}

fn past_table(past: &[PastEvent], tests: &BTreeMap<SampleKey, String>) -> TextTable {
    let mut table = TextTable::new(&[
        ("when (UTC)", Align::Left),
        ("key", Align::Left),
        ("test", Align::Left),
        ("annotator", Align::Left),
        ("what", Align::Left),
        ("took", Align::Right),
        ("undone", Align::Left),
    ]);
    for PastEvent { event, is_undone } in past {
        let kind = event.kind();
        let key = kind.key();
        let test = key.and_then(|sample_key| tests.get(&sample_key).cloned());
        table.row([
            utc(event.at_ms()),
            key.map_or_else(String::new, |sample_key| {
                sample_key.to_string()[..12].to_owned()
            }),
            test.unwrap_or_default(),
            event.annotator().to_owned(),
            event_words(kind),
            kind.judged().map_or_else(String::new, took),
            if *is_undone { "undone" } else { "" }.to_owned(),
        ]);
    }
    table
}

/// Finds the names of the tests that events are about, as far as there is an index that has them.
fn tests_of(
    context: &Context<'_, '_>,
    past: &[PastEvent],
) -> Result<BTreeMap<SampleKey, String>, Stop> {
    let keys: Vec<SampleKey> = past
        .iter()
        .filter_map(|past_event| past_event.event.kind().key())
        .collect();
    // What people said is there without an index, too.
    let Ok(store) = Store::open(&workspace::folder(context), StoreAccess::Read) else {
        return Ok(BTreeMap::new());
    };
    let states = store.states(&keys)?.into_iter();
    let named = keys.iter().zip(states);
    Ok(named
        .filter_map(|(key, state)| Some((*key, state?.test)))
        .collect())
}

fn progress_of_all(context: &mut Context<'_, '_>, json: bool) -> Result<(), Stop> {
    let progress = review::progress(&open(context, StoreAccess::Read)?)?;
    Ok(context.print(
        TableName::of(json),
        |out| {
            let wires = progress.iter().map(|review_progress| WireProgress {
                annotator: &review_progress.annotator,
                n_verdicts: review_progress.n_verdicts,
                by_judgement: review_progress.by_judgement.iter().copied().collect(),
                dwell_median_ms: review_progress.dwell_median_ms,
                last_at_ms: review_progress.last_at_ms,
            });
            write_lines(out, wires)
        },
        |_| [progress_table(&progress)],
    )?)
}

fn progress_table(progress: &[review::ReviewProgress]) -> TextTable {
    let mut columns = vec![
        ("annotator".to_owned(), Align::Left),
        ("verdicts".to_owned(), Align::Right),
    ];
    let words = Judgement::WORDS.iter();
    columns.extend(words.map(|word| (word.replace('_', " "), Align::Right)));
    let mut table = TextTable::new(&columns);
    for review_progress in progress {
        let mut cells = vec![
            review_progress.annotator.clone(),
            review_progress.n_verdicts.to_string(),
        ];
        cells.extend(
            review_progress
                .by_judgement
                .iter()
                .map(|by_judgement| by_judgement.1.to_string()),
        );
        table.row(cells);
    }
    table
}

/// Similar methods that are named; a repository may have thousands called `get`.
const NEAR_SHOWN: usize = 8;

impl From<review::ReviewError> for Stop {
    fn from(error: review::ReviewError) -> Self {
        let message = visible(&error.to_string());
        match error {
            review::ReviewError::Store(error) => error.into(),
            review::ReviewError::Cancelled(cancelled) => cancelled.into(),
            review::ReviewError::Io(error) => error.into(),
            review::ReviewError::NoSuchMethod { near, .. } if !near.is_empty() => {
                let named = near.iter().take(NEAR_SHOWN).cloned();
                let named = visible(&named.collect::<Vec<_>>().join(", "));
                let more = if near.len() > NEAR_SHOWN { " …" } else { "" };
                Failure::new(ExitCode::Usage, message)
                    .with_hint(format!(
                        "perhaps one of: {named}{more}; `focalist methods KEY NAME` lists the methods"
                    ))
                    .into()
            }
            review::ReviewError::Queue(_) => Failure::new(ExitCode::Usage, message)
                .with_hint("`focalist review --help` lists the queues")
                .into(),
            review::ReviewError::NotDrawn { .. } => Failure::new(ExitCode::Input, message)
                .with_hint("`focalist audit` draws it")
                .into(),
            review::ReviewError::Blind => Failure::new(ExitCode::Usage, message)
                .with_hint("`pick` says which candidate it is")
                .into(),
            review::ReviewError::NothingToAccept => Failure::new(ExitCode::Usage, message)
                .with_hint("`pick METHOD` says which method it is, `no-focal` that it is none")
                .into(),
            review::ReviewError::Accept(error) => report::refused(&error).into(),
            review::ReviewError::NoSuchSample { .. } => {
                Failure::new(ExitCode::Input, message).into()
            }
            review::ReviewError::NoSuchCandidate { .. }
            | review::ReviewError::NoSuchMethod { .. } => Failure::new(ExitCode::Usage, message)
                .with_hint("`focalist show KEY` lists the candidates")
                .into(),
        }
    }
}
