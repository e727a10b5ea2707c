//! `focalist filters`: the named filters of a workspace, for all its users.

use std::io::Write;

use crate::Context;
use crate::args::{self, FiltersAction, TableName};
use crate::browse;
use crate::browse::FieldScope;
use crate::command::{inspect, workspace};
use crate::config::saved::{self, SavedError, SavedFilters};
use crate::exchange::config::WireSavedFilter;
use crate::exchange::write_line;
use crate::failure::{ExitCode, Failure, Stop};
use crate::table::{TextTable, visible, visible_source};

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Filters) -> Result<(), Stop> {
    let folder = workspace::folder(context);
    if !folder.is_dir() {
        return Err(workspace::missing(&folder));
    }
    match &arguments.action {
        None => list(context, arguments.json),
        Some(FiltersAction::Save { name, filter }) => save(context, plain(name), filter),
        Some(FiltersAction::Rm { name }) => remove(context, plain(name)),
    }
}

/// Takes off the `@` with which filters write a name.
fn plain(name: &str) -> &str {
    name.strip_prefix('@').unwrap_or(name)
}

/// Tells why a saved filter cannot be used.
fn problem(saved: &SavedFilters, name: &str) -> Option<String> {
    let error = browse::read_filter(&format!("@{name}"), saved, FieldScope::Run).err()?;
    Some(error.to_string())
}

fn list(context: &mut Context<'_, '_>, json: bool) -> Result<(), Stop> {
    let saved = workspace::saved(context);
    let mut problems: Vec<String> = saved.problems.iter().map(ToString::to_string).collect();
    problems.extend(saved.iter().filter_map(|(name, _)| problem(&saved, name)));
    let write_filter = |out: &mut dyn Write, (name, filter)| {
        let problem = problem(&saved, name);
        let line = WireSavedFilter {
            name,
            filter,
            problem: problem.as_deref(),
        };
        write_line(out, &line)
    };
    let is_empty = saved.names().next().is_none();
    context.print(
        TableName::of(json),
        |out| saved.iter().try_for_each(|pair| write_filter(out, pair)),
        |_| (!is_empty).then(|| table(&saved)),
    )?;
    if is_empty && problems.is_empty() {
        context.say("no filter is saved here · `focalist filters save NAME FILTER…` saves one");
    }
    for problem in problems {
        context.say(&visible_source(&problem));
    }
    Ok(())
}

fn table(saved: &SavedFilters) -> TextTable {
    let mut table = TextTable::of_texts(&["name", "filter"]);
    for (name, filter) in saved.iter() {
        table.row([format!("@{name}"), filter.to_owned()]);
    }
    table
}

fn save(context: &mut Context<'_, '_>, name: &str, words: &[String]) -> Result<(), Stop> {
    inspect::no_options(words)?;
    let folder = workspace::folder(context);
    let text = words.join(" ");
    let before = SavedFilters::load(&folder);
    let was = before.get(name).map(str::to_owned);
    // A name that cannot be one is told as such, not as an unknown one.
    if saved::is_name(name) && !text.trim().is_empty() {
        browse::read_filter(
            &format!("@{name}"),
            &before.with(name, &text),
            FieldScope::Run,
        )
        .map_err(|error| inspect::wrong(&error, FieldScope::Run))?;
    }
    saved::save(&folder, name, &text).map_err(|error| failure(&error))?;
    context.say(&match was {
        Some(was) if was == text.trim() => format!("`@{name}` is unchanged"),
        Some(was) => format!("`@{name}` is saved; it was `{}`", visible(&was)),
        None => format!("`@{name}` is saved"),
    });
    Ok(())
}

fn remove(context: &mut Context<'_, '_>, name: &str) -> Result<(), Stop> {
    let folder = workspace::folder(context);
    let before = SavedFilters::load(&folder);
    saved::remove(&folder, name).map_err(|error| failure(&error))?;
    context.say(&match before.get(name) {
        Some(was) => format!("`@{name}` is gone; it was `{}`", visible(was)),
        None => format!("`@{name}` is gone"),
    });
    let after = SavedFilters::load(&folder);
    for other in after.names() {
        let is_new = problem(&before, other).is_none();
        if let Some(problem) = problem(&after, other).filter(|_| is_new) {
            context.say(&format!("`@{other}` uses it: {}", visible(&problem)));
        }
    }
    Ok(())
}

fn failure(error: &SavedError) -> Failure {
    let message = visible(&error.to_string());
    match error {
        SavedError::Name(_) | SavedError::Empty(_) => Failure::new(ExitCode::Usage, message)
            .with_hint("`focalist filters save hard status:tie` can be used as `@hard`"),
        SavedError::Unknown(_) => Failure::new(ExitCode::Input, message)
            .with_hint("`focalist filters` lists the saved filters of this workspace"),
        SavedError::Broken(_) => Failure::new(ExitCode::Input, message)
            .with_hint("correct it by hand; it was not changed"),
        SavedError::TooLong | SavedError::Io { .. } => Failure::new(ExitCode::Input, message),
    }
}
