//! The command `export --format mera`, which fills a folder.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use crate::args;
use crate::command::chosen::chosen;
use crate::command::mining::matcher;
use crate::command::origin::SampleOrigin;
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
    asked: &args::Export,
    place: &SampleOrigin,
) -> Result<(), Stop> {
    let Some(path) = &asked.output else {
        let message = "`--format mera` writes several files";
        return Err(Failure::new(ExitCode::Usage, message)
            .with_hint("`--output FOLDER` says where")
            .into());
    };
    refuse_others(asked)?;
    let store = place.open()?;
    let filter = match &asked.filter {
        Some(text) => inspect::filter(context, std::slice::from_ref(text))?,
        None => Filter::default(),
    };
    let quotas = quotas(&asked.mera)?;
    // The benchmark pairs a test with exactly one method, or drops it.
    let of_benchmark = (quotas.is_some() && filter.aim.matcher.is_none()).then_some(Matcher::Mera);
    let options = MeraExport {
        languages: asked.mera.language.clone(),
        matcher: asked.matcher.map(matcher).or(of_benchmark),
        part: asked.split.as_ref().map(part).transpose()?,
        filter,
        filter_text: asked.filter.clone().unwrap_or_default(),
        prompts: prompts(named_prompts(&asked.mera))?,
        seed: asked.mera.seed,
        max_per_repo: asked.mera.max_per_repo,
        quotas,
        splits: own_splits(context, asked, &store)?,
        any_license: asked.mera.any_license,
        layout: asked.mera.layout.unwrap_or_default(),
    };
    let report = progress::run_job(context, JobKind::Export, StoreAccess::Read, |_, monitor| {
        let folder = output::create_folder(path, asked.force)?;
        let report = transfer::export_mera(&store, monitor, &options, folder.path())?;
        folder.finish()?;
        Ok(report)
    })?;
    let steps = report.funnel.iter();
    let steps: Vec<String> = steps.map(|(step, left)| format!("{step} {left}")).collect();
    context.say(&format!("left after each step: {}", steps.join(", ")));
    if report.n_unknown_license > 0 && !asked.mera.any_license {
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
fn named_prompts(asked: &args::Mera) -> &str {
    let is_benchmark = asked.benchmark;
    let usual = if is_benchmark { "ru-benchmark" } else { "ru" };
    match asked.prompts.as_deref() {
        Some("en") if is_benchmark => "en-benchmark",
        Some("ru") | None => usual,
        Some(name) => name,
    }
}

/// Reads the number of tasks to draw from each language; nothing where no benchmark is.
fn quotas(asked: &args::Mera) -> Result<Option<Quotas>, Failure> {
    let languages = match asked.language.as_slice() {
        [] => Language::ALL,
        some => some,
    };
    let mut own = BTreeMap::new();
    for (language, n) in &asked.quota {
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
    let quotas = || Quotas::new(asked.tasks.unwrap_or(TASKS), languages, &own);
    Ok(asked.benchmark.then(quotas))
}

/// Refuses options that choose the samples of the paper's dataset: records are chosen in another way.
fn refuse_others(asked: &args::Export) -> Result<(), Stop> {
    let given = [
        (asked.all, "--all"),
        (asked.verified, "--verified"),
        (asked.stable.is_some(), "--stable"),
        (!asked.licenses.is_empty(), "--licenses"),
    ];
    let of_parquet = asked.parquet.first_given().map(|text| (true, text));
    let given = given.into_iter().chain(of_parquet);
    match given.into_iter().find(|pair| pair.0) {
        Some((_, option)) => {
            let message = format!("`{option}` means nothing with `--format mera`");
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
    asked: &args::Export,
    store: &Store,
) -> Result<Option<OwnSplits>, Stop> {
    let splits = chosen(context, asked, store)?.splits;
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
