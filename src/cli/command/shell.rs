//! `completions` and `man`: what a shell and `man(1)` should know of the verbs, made from the same table as `--help`.

use std::fs;
use std::io;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, CommandFactory};
use clap_mangen::Man;

use crate::args::{self, Cli};
use crate::browse;
use crate::command::output;
use crate::failure::{ExitCode, Failure, Stop};
use crate::metric::METRICS;
use crate::{Context, Ui};

/// Words that stand for several metrics.
const METRIC_WORDS: [&str; 3] = ["default", "contest", "all"];

/// What begins a condition: each field with its colon.
static FIELDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let names = browse::FIELDS.iter().map(|it| it.name);
    names.map(|name| format!("{name}:")).collect()
});

pub fn completions(context: &mut Context<'_, '_>, asked: &args::Completions) -> Result<(), Stop> {
    let mut command = with_words(Cli::command(), &context.streams.ui);
    // Written at once: the generator panics when its writer fails, as a closed pipe does.
    let mut script = Vec::new();
    clap_complete::generate(asked.shell, &mut command, "focalist", &mut script);
    context.streams.out.write_all(&script)?;
    Ok(())
}

/// Adds the words that options take where only completing should know them: parsing says more of a wrong one.
fn with_words(command: clap::Command, ui: &Ui) -> clap::Command {
    command
        .mut_args(|arg| match words(&arg, ui) {
            Some(words) => arg.value_parser(PossibleValuesParser::new(words)),
            None => arg,
        })
        .mut_subcommands(|it| with_words(it, ui))
}

fn words(arg: &Arg, ui: &Ui) -> Option<Vec<PossibleValue>> {
    let value_name = arg.get_value_names().and_then(<[_]>::first)?;
    let words = match (arg.get_long(), value_name.as_str()) {
        (Some("theme"), _) => (ui.themes)().into_iter().map(PossibleValue::new).collect(),
        (Some("metrics" | "metric"), _) => METRIC_WORDS
            .into_iter()
            .chain(METRICS.iter().map(|it| it.id))
            .map(PossibleValue::new)
            .collect(),
        (_, "FILTER") => FIELDS
            .iter()
            .zip(browse::FIELDS)
            .map(|(word, field)| PossibleValue::new(word.as_str()).help(field.help))
            .collect(),
        _ => return None,
    };
    Some(words)
}

pub fn man(context: &mut Context<'_, '_>, asked: &args::Man) -> Result<(), Stop> {
    // The pages of `help` would say nothing.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &asked.output else {
        let (_, page) = page(&command)?;
        context.streams.out.write_all(&page)?;
        return Ok(());
    };
    let mut pages = Vec::new();
    collect(&command, &mut pages)?;
    for (name, _) in &pages {
        output::check(&folder.join(name), asked.force)?;
    }
    let written = fs::create_dir_all(folder).and_then(|()| {
        pages
            .iter()
            .try_for_each(|(name, page)| fs::write(folder.join(name), page))
    });
    written.map_err(|error| {
        let message = format!("cannot write pages into `{}`: {error}", folder.display());
        Failure::new(ExitCode::Input, message)
    })?;
    context.say(&format!(
        "{} pages in `{}` · `man {}` shows the first",
        pages.len(),
        folder.display(),
        folder.join("focalist.1").display()
    ));
    Ok(())
}

fn page(command: &clap::Command) -> io::Result<(String, Vec<u8>)> {
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page)?;
    Ok((man.get_filename(), page))
}

/// Collects the pages of a verb and of those below it.
fn collect(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    pages.push(page(command)?);
    for below in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        collect(below, pages)?;
    }
    Ok(())
}
