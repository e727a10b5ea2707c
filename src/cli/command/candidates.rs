//! What a shell may complete a word with where only the workspace knows: runs, jobs, repositories, saved filters.
//!
//! The scripts of `completions` ask with the words that are typed, the unfinished one last. Nothing here is worth an
//! error: where something cannot be read, there is nothing to offer.

use clap::Arg;

use crate::Context;
use crate::args::{self, place};
use crate::browse;
use crate::command::workspace;
use crate::failure::Stop;
use crate::job::Jobs;
use crate::store::{Access, Store};

/// What a word stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Run,
    Job,
    Repo,
    /// Its name alone.
    SavedFilter,
    /// A condition, which may be `@` and the name of a saved one.
    Filter,
}

pub fn run(context: &mut Context<'_, '_>, asked: &args::Candidates) -> Result<(), Stop> {
    let Some((word, before)) = asked.words.split_last() else {
        return Ok(());
    };
    let mut command = args::command();
    command.build();
    let Some((verbs, arg)) = place(&command, before, word) else {
        return Ok(());
    };
    let Some(kind) = kind(&verbs, &arg) else {
        return Ok(());
    };
    for name in names(context, kind) {
        if name.starts_with(word.as_str()) && !name.chars().any(char::is_control) {
            writeln!(context.streams.out, "{name}")?;
        }
    }
    Ok(())
}

fn kind(verbs: &[String], arg: &Arg) -> Option<Kind> {
    let verbs: Vec<&str> = verbs.iter().map(String::as_str).collect();
    let name = arg.get_value_names().and_then(<[_]>::first)?.as_str();
    match (verbs.as_slice(), arg.get_long(), name) {
        // A new one.
        (["import" | "filters", ..], Some("run"), _) | (["filters", "save"], _, "NAME") => None,
        (_, Some("run" | "baseline"), _)
        | (_, None, "RUN")
        | (["compare"], None, "A" | "B" | "C")
        | (["runs"], None, "NAME") => Some(Kind::Run),
        (["jobs", ..], None, "ID") => Some(Kind::Job),
        (["rm"], None, "REPO") => Some(Kind::Repo),
        (["filters", "rm"], None, "NAME") => Some(Kind::SavedFilter),
        (_, _, "FILTER") => Some(Kind::Filter),
        _ => None,
    }
}

fn names(context: &Context<'_, '_>, kind: Kind) -> Vec<String> {
    let folder = workspace::folder(context);
    let store = || Store::open(&folder, Access::Read).ok();
    match kind {
        Kind::Run => {
            let runs = store().and_then(|it| it.runs().ok()).unwrap_or_default();
            runs.into_iter().map(|it| it.setting.name).collect()
        }
        Kind::Repo => {
            let repos = store().and_then(|it| browse::repos(&it).ok());
            let repos = repos.unwrap_or_default().into_iter();
            repos.map(|it| it.repo.identity).collect()
        }
        Kind::Job => {
            let rows = Jobs::open_or_empty(&folder).and_then(|mut it| it.rows());
            let rows = rows.unwrap_or_default().into_iter();
            rows.map(|it| it.id.to_string()).collect()
        }
        Kind::SavedFilter | Kind::Filter => {
            let saved = workspace::saved(context);
            let sign = if kind == Kind::Filter { "@" } else { "" };
            let names = saved.names();
            names.map(|name| format!("{sign}{name}")).collect()
        }
    }
}
