//! The command `export --format mera`, which fills a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::args;
use crate::command::mining::matcher;
use crate::command::origin::SampleOrigin;
use crate::command::selection::selection;
use crate::command::{inspect, output};
use crate::exchange::mera::MeraPrompts;
use crate::failure::{ExitCode, Failure, Stop};
use crate::model::{Filter, JobKind, Language, Matcher, Split, counted, grouped};
use crate::store::{Store, StoreAccess};
use crate::table::visible;
use crate::transfer::{
    self, LanguageDraw, MeraExport, MeraPart, OwnSplits, PromptFile, Quotas, TASKS,
    built_in_prompts,
};
use crate::{Context, progress};

pub fn export(
    context: &mut Context<'_, '_>,
    arguments: &args::Export,
    place: &SampleOrigin,
) -> Result<(), Stop> {
    let Some(path) = &arguments.output else {
        let message = "`--format mera` writes several files";
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("`--output FOLDER` says where")
            .into());
    };
    refuse_others(arguments)?;
    let store = place.open()?;
    let filter = match &arguments.filter {
        Some(text) => inspect::filter(context, std::slice::from_ref(text))?,
        None => Filter::default(),
    };
    let quotas = quotas(&arguments.mera)?;
    // The benchmark pairs a test with exactly one method, or drops it.
    let of_benchmark = (quotas.is_some() && filter.aim.matcher.is_none()).then_some(Matcher::Mera);
    let options = MeraExport {
        languages: arguments.mera.language.clone(),
        matcher: arguments.matcher.map(matcher).or(of_benchmark),
        part: arguments.split.as_ref().map(part).transpose()?,
        filter,
        filter_text: arguments.filter.clone().unwrap_or_default(),
        prompts: prompts(named_prompts(&arguments.mera))?,
        seed: arguments.mera.seed,
        max_per_repo: arguments.mera.max_per_repo,
        quotas,
        splits: own_splits(context, arguments, &store)?,
        any_license: arguments.mera.any_license,
        layout: arguments.mera.layout.unwrap_or_default(),
    };
    let report = progress::run_job(context, JobKind::Export, StoreAccess::Read, |_, monitor| {
        let folder = output::create_folder(path, arguments.force)?;
        let report = transfer::export_mera(&store, monitor, &options, folder.path())?;
        folder.finish()?;
        Ok(report)
    })?;
    let steps = report.funnel.iter();
    let steps: Vec<String> = steps.map(|(step, left)| format!("{step} {left}")).collect();
    context.say(&format!("left after each step: {}", steps.join(", ")));
    if report.n_unknown_license > 0 && !arguments.mera.any_license {
        context.say(&format!(
            "warning: the licence of the repositories of {} is unknown; they were let through",
            counted(report.n_unknown_license, "test")
        ));
    }
    tell_gaps(context, &report.drawn);
    context.say(&format!("{} written", counted(report.n_written, "record")));
    Ok(())
}

/// Reports the languages with too few samples, and the origin of tasks.
fn tell_gaps(context: &mut Context<'_, '_>, drawn: &[LanguageDraw]) {
    let is_short = |drawn: &&LanguageDraw| drawn.n_drawn < drawn.n_wanted;
    for drawn in drawn.iter().filter(is_short) {
        context.say(&format!(
            "warning: {}: {} where {} were to be drawn; no other language fills the gap",
            drawn.language.as_str(),
            counted(drawn.n_drawn, "task"),
            grouped(drawn.n_wanted)
        ));
    }
    if drawn.iter().any(|drawn| is_short(&drawn)) {
        context.say(
            "hint: tasks come from repositories in the split `test`; `--splits FILE` says which these are",
        );
    }
}

/// Names the prompts: of a benchmark all twenty are distinct.
fn named_prompts(arguments: &args::Mera) -> &str {
    let is_benchmark = arguments.benchmark;
    let usual = if is_benchmark { "ru-benchmark" } else { "ru" };
    match arguments.prompts.as_deref() {
        Some("en") if is_benchmark => "en-benchmark",
        Some("ru") | None => usual,
        Some(name) => name,
    }
}

/// Reads the number of tasks to draw from each language; nothing where no benchmark is.
fn quotas(arguments: &args::Mera) -> Result<Option<Quotas>, Failure> {
    let languages = match arguments.language.as_slice() {
        [] => Language::ALL,
        some => some,
    };
    let mut own = BTreeMap::new();
    for (language, n) in &arguments.quota {
        if !languages.contains(language) {
            let name = language.as_str();
            let message = format!("`--quota` names {name}, which `--language` leaves out");
            return Err(Failure::new(ExitCode::Usage, message));
        }
        if own.insert(*language, *n).is_some() {
            let message = format!("`--quota` names {} twice", language.as_str());
            return Err(Failure::new(ExitCode::Usage, message));
        }
    }
    let quotas = || Quotas::new(arguments.tasks.unwrap_or(TASKS), languages, &own);
    Ok(arguments.benchmark.then(quotas))
}

/// Refuses options that choose the samples of the paper's dataset: records are chosen in another way.
fn refuse_others(arguments: &args::Export) -> Result<(), Stop> {
    let given = [
        (arguments.all, "--all"),
        (arguments.verified, "--verified"),
        (arguments.stable.is_some(), "--stable"),
        (!arguments.licenses.is_empty(), "--licenses"),
    ];
    let of_parquet = arguments.parquet.first_given().map(|text| (true, text));
    let given = given.into_iter().chain(of_parquet);
    match given.into_iter().find(|pair| pair.0) {
        Some((_, option)) => {
            let message = format!("`{option}` has no effect with `--format mera`");
            Err(Failure::new(ExitCode::Usage, message).into())
        }
        None => Ok(()),
    }
}

fn part(name: &args::SplitName) -> Result<MeraPart, Failure> {
    match name {
        args::SplitName::Ours(split) => Ok(MeraPart::Of(*split)),
        args::SplitName::Shots => Ok(MeraPart::Shots),
        args::SplitName::Own(name) => Err(not_of_mera(name)),
    }
}

/// Makes the failure of another split: the task has three, and its readers know no other.
fn not_of_mera(name: &str) -> Failure {
    let message = format!("MERA has no split `{name}`: `train`, `validation` and `test`");
    Failure::new(ExitCode::Usage, message)
}

/// Reads the user's own splits, by names that the task has.
fn own_splits(
    context: &mut Context<'_, '_>,
    arguments: &args::Export,
    store: &Store,
) -> Result<Option<OwnSplits>, Stop> {
    let splits = selection(context, arguments, store)?.splits;
    let mut names = splits.iter().flat_map(OwnSplits::names);
    if let Some(name) = names.find(|name| Split::parse(name).is_none()) {
        return Err(not_of_mera(name).into());
    }
    drop(names);
    Ok(splits)
}

/// Looks up prompts by name, or reads them from a file.
fn prompts(name: &str) -> Result<PromptFile, Stop> {
    let source = match built_in_prompts(name) {
        Some(source) => source,
        None => fs::read_to_string(name).map_err(Failure::unreadable(Path::new(name)))?,
    };
    let prompts = MeraPrompts::parse(&source).map_err(|error| {
        let line = error
            .line
            .map_or_else(String::new, |line| format!(":{line}"));
        let message = format!("{}{line}: {}", visible(name), visible(&error.detail));
        Failure::new(ExitCode::Input, message)
            .with_hint("docs/mera.md says what a file of prompts must have")
    })?;
    Ok(PromptFile { prompts, source })
}
