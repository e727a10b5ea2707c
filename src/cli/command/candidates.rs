//! Completions of words that only the workspace knows: runs, jobs, repositories, saved filters.
//!
//! The scripts of `completions` ask with the words that are typed, the unfinished one last, and bash's script with the
//! line, which bash cuts otherwise than the program gets it. Nothing here is worth an error: where something cannot be
//! read, there is nothing to offer.

use std::path::{Path, PathBuf};

use clap::Arg;

use crate::Context;
use crate::args::{self, place};
use crate::browse;
use crate::command::workspace;
use crate::config::SavedFilters;
use crate::failure::Stop;
use crate::job::Jobs;
use crate::store::{Store, StoreAccess};
use line::ShellLine;

mod line;

/// The kind of thing that a word names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CompletionKind {
    Run,
    Job,
    Repo,
    /// Its name alone.
    SavedFilter,
    /// A condition, which may be `@` and the name of a saved one.
    Filter,
}

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Candidates) -> Result<(), Stop> {
    let line = arguments.line.as_deref().and_then(ShellLine::read);
    let (before, word) = match (&line, arguments.words.split_last()) {
        (Some(line), _) => (line.before.as_slice(), line.word.as_str()),
        (None, Some((word, before))) => (before, word.as_str()),
        (None, None) => return Ok(()),
    };
    // A value may be joined to its option.
    let joined = word.split_once('=').filter(|_| word.starts_with("--"));
    let (option, word) = joined.map_or((None, word), |(option, value)| (Some(option), value));
    let mut before = before.to_vec();
    before.extend(option.map(str::to_owned));
    let mut command = args::command();
    command.build();
    let Some((verbs, arg)) = place(&command, &before, word) else {
        return Ok(());
    };
    let Some(kind) = kind(&verbs, &arg) else {
        return Ok(());
    };
    let folder = match workspace_in(&before) {
        Some(named) => workspace::inside(&named),
        None => workspace::folder(context),
    };
    let found = names(&folder, kind).into_iter();
    let found = found.filter(|found| found.starts_with(word));
    for name in found.filter(|found| !found.chars().any(char::is_control)) {
        let text = match &line {
            Some(line) => {
                let start = option.map_or_else(String::new, |option| format!("{option}="));
                line.completed(&(start + &name), &arguments.replaced)
            }
            None => Some(name),
        };
        if let Some(text) = text {
            writeln!(context.streams.out, "{text}")?;
        }
    }
    Ok(())
}

/// Finds the workspace that the earlier words name, the last of several.
fn workspace_in(before: &[String]) -> Option<PathBuf> {
    let mut words = before.iter();
    let mut found = None;
    while let Some(word) = words.next() {
        found = match word.split_once('=') {
            None if word == "--workspace" => words.next().map(String::as_str),
            Some(("--workspace", folder)) => Some(folder),
            _ => found,
        };
    }
    // What a shell would have made of it, had the line been finished.
    let home = || directories::BaseDirs::new().map(|base_dirs| base_dirs.home_dir().to_owned());
    match found?.strip_prefix("~/") {
        Some(below) => home().map(|path| path.join(below)),
        None => found.map(PathBuf::from),
    }
}

fn kind(verbs: &[String], arg: &Arg) -> Option<CompletionKind> {
    let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
    let name = arg.get_value_names().and_then(<[_]>::first)?.as_str();
    match (verbs.as_slice(), arg.get_long(), name) {
        // A new one.
        (["import" | "filters", ..], Some("run"), _) | (["filters", "save"], _, "NAME") => None,
        (_, Some("run" | "baseline"), _)
        | (_, None, "RUN")
        | (["compare"], None, "A" | "B" | "C")
        | (["runs"], None, "NAME") => Some(CompletionKind::Run),
        (["jobs", ..], None, "ID") => Some(CompletionKind::Job),
        (["rm"], None, "REPO") => Some(CompletionKind::Repo),
        (["filters", "rm"], None, "NAME") => Some(CompletionKind::SavedFilter),
        (_, _, "FILTER") => Some(CompletionKind::Filter),
        _ => None,
    }
}

/// Lists all names of a kind in the workspace with this `.focalist` folder.
fn names(folder: &Path, kind: CompletionKind) -> Vec<String> {
    let store = || Store::open(folder, StoreAccess::Read).ok();
    match kind {
        CompletionKind::Run => {
            let runs = store()
                .and_then(|store| store.runs().ok())
                .unwrap_or_default();
            runs.into_iter().map(|run| run.setting.name).collect()
        }
        CompletionKind::Repo => {
            let repos = store().and_then(|store| browse::repos(&store).ok());
            let repos = repos.unwrap_or_default().into_iter();
            repos.map(|repo| repo.repo.identity).collect()
        }
        CompletionKind::Job => {
            let rows = Jobs::open_or_empty(folder).and_then(|mut jobs| jobs.rows());
            let rows = rows.unwrap_or_default().into_iter();
            rows.map(|row| row.id.to_string()).collect()
        }
        CompletionKind::SavedFilter | CompletionKind::Filter => {
            let saved = SavedFilters::load(folder);
            let sign = if kind == CompletionKind::Filter {
                "@"
            } else {
                ""
            };
            let names = saved.names();
            names.map(|name| format!("{sign}{name}")).collect()
        }
    }
}
