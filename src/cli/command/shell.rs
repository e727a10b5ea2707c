//! `completions` and `man`: what a shell and `man(1)` should know of the verbs, made from the same table as `--help`.

use std::fs;
use std::io;
use std::sync::LazyLock;

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, CommandFactory};
use clap_complete::Shell;
use clap_mangen::Man;

use crate::args::{self, Cli};
use crate::browse;
use crate::command::output;
use crate::failure::{ExitCode, Failure, Stop};
use crate::metric::METRICS;
use crate::{Context, UiHooks};

/// Words that stand for several metrics.
const METRIC_WORDS: [&str; 3] = ["default", "contest", "all"];

/// The words that begin a condition: each field with its colon.
static FIELDS: LazyLock<Vec<String>> = LazyLock::new(|| {
    let names = browse::FIELDS.iter().map(|filter_field| filter_field.name);
    names.map(|name| format!("{name}:")).collect()
});

pub fn completions(
    context: &mut Context<'_, '_>,
    arguments: &args::Completions,
) -> Result<(), Stop> {
    let mut command = with_words(shown(&Cli::command()), &context.streams.ui);
    // Written at once: the generator panics when its writer fails, as a closed pipe does.
    let mut script = Vec::new();
    clap_complete::generate(arguments.shell, &mut command, "focalist", &mut script);
    let script = with_names(arguments.shell, &String::from_utf8_lossy(&script));
    context.streams.out.write_all(script.as_bytes())?;
    Ok(())
}

/// Adds to a script that it asks the program for what only the workspace knows: runs, jobs, repositories and saved
/// filters. Other shells complete no values.
fn with_names(shell: Shell, script: &str) -> String {
    match shell {
        Shell::Bash => format!("{script}{BASH}"),
        Shell::Zsh => {
            let (head, body) = script.split_once('\n').unwrap_or((script, ""));
            let body = body.replace(":_default'", ":_focalist_names'");
            format!("{head}\n{ZSH}{body}")
        }
        Shell::Fish => {
            let lines = script.lines().map(|line| {
                let takes_run = line.contains(" -l run ") || line.contains(" -l baseline ");
                let asks = if takes_run { FISH_VALUES } else { "" };
                format!("{line}{asks}\n")
            });
            format!("{FISH_FUNCTION}{}{FISH}", lines.collect::<String>())
        }
        _ => script.to_owned(),
    }
}

/// The program reads the line itself: bash also cuts words at `@`, `:` and `=`, and keeps their quotes.
const BASH: &str = r#"
_focalist_with_names() {
    _focalist "$@"
    local name
    while IFS= read -r name; do
        [[ -n "$name" ]] && COMPREPLY+=("$name")
    done < <("$1" candidates --line="${COMP_LINE:0:COMP_POINT}" --replaced="$2" 2>/dev/null)
}
complete -F _focalist_with_names -o bashdefault -o default focalist
"#;

/// The shell quotes the accepted name; the typed word loses its quotes first.
const ZSH: &str = r#"
_focalist_names() {
    local -a typed names
    typed=("${(@Q)${(z)LBUFFER}}")
    [[ "$LBUFFER" == *[[:space:]] ]] && typed+=("")
    names=(${(f)"$(focalist candidates -- "${(@)typed[2,-1]}" 2>/dev/null)"})
    if (( ${#names} )); then
        compadd -a names
    else
        _default
    fi
}
"#;

const FISH_FUNCTION: &str = "function __focalist_names
    focalist candidates -- (commandline -opc)[2..-1] (commandline -ct) 2>/dev/null
end
";
const FISH_VALUES: &str = " -a '(__focalist_names)'";
const FISH: &str = "complete -c focalist -a '(__focalist_names)'\n";

/// Copies the program without hidden verbs: the scripts of shells would offer them. Nothing is hidden below its verbs.
fn shown(program: &clap::Command) -> clap::Command {
    let verbs = program.get_subcommands();
    let options = program.get_arguments();
    clap::Command::new("focalist")
        // `help` is a verb of ours.
        .disable_help_subcommand(true)
        .version(env!("CARGO_PKG_VERSION"))
        .args(options.filter(|option| !option.is_hide_set()))
        .subcommands(verbs.filter(|verb| !verb.is_hide_set()).cloned())
}

/// Adds the words that options take where only completing should know them: parsing says more of a wrong one.
fn with_words(command: clap::Command, ui: &UiHooks) -> clap::Command {
    command
        .mut_args(|arg| match words(&arg, ui) {
            Some(words) => arg.value_parser(PossibleValuesParser::new(words)),
            None => arg,
        })
        .mut_subcommands(|mut_arg| with_words(mut_arg, ui))
}

fn words(arg: &Arg, ui: &UiHooks) -> Option<Vec<PossibleValue>> {
    let value_name = arg.get_value_names().and_then(<[_]>::first)?;
    let words = match (arg.get_long(), value_name.as_str()) {
        (Some("theme"), _) => (ui.themes)().into_iter().map(PossibleValue::new).collect(),
        (Some("metrics" | "metric"), _) => METRIC_WORDS
            .into_iter()
            .chain(METRICS.iter().map(|metric| metric.id))
            .map(PossibleValue::new)
            .collect(),
        (_, "FILTER") => FIELDS
            .iter()
            .zip(browse::FIELDS)
            .map(|(word, field)| {
                // The script for fish has the help in these quotes, and does not escape them.
                PossibleValue::new(word.as_str()).help(field.help.replace('"', "'"))
            })
            .collect(),
        _ => return None,
    };
    Some(words)
}

pub fn man(context: &mut Context<'_, '_>, arguments: &args::Man) -> Result<(), Stop> {
    // The pages of `help` would say nothing.
    let mut command = Cli::command().disable_help_subcommand(true);
    command.build();
    let Some(folder) = &arguments.output else {
        let (_, page) = page(&command, "")?;
        context.streams.out.write_all(&page)?;
        return Ok(());
    };
    let mut pages = Vec::new();
    collect(&command, "", &mut pages)?;
    for (name, _) in &pages {
        output::check(&folder.join(name), arguments.force)?;
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

/// Writes the name and the page of a command; `path` are the words that call it.
fn page(command: &clap::Command, path: &str) -> io::Result<(String, Vec<u8>)> {
    let man = Man::new(command.clone());
    let mut page = Vec::new();
    man.render(&mut page)?;
    let mut text = section("EXIT STATUS", args::EXIT_STATUS);
    text += &section("ENVIRONMENT", args::ENVIRONMENT);
    text += &section("EXAMPLES", args::examples(path));
    page.extend_from_slice(text.as_bytes());
    Ok((man.get_filename(), page))
}

/// Writes a section of a page with a paragraph for each row; nothing without rows.
fn section(name: &str, rows: &[(&str, &str)]) -> String {
    // A hyphen, an apostrophe and a tilde would be those of text, which no shell takes; a point in front is a request.
    let escaped = |text: &str| {
        let text = text
            .replace('\\', "\\e")
            .replace('-', "\\-")
            .replace('\'', "\\(aq")
            .replace('~', "\\(ti")
            .replace('`', "");
        if text.starts_with('.') {
            format!("\\&{text}")
        } else {
            text
        }
    };
    if rows.is_empty() {
        return String::new();
    }
    let rows = rows.iter();
    let rows =
        rows.map(|(what, about)| format!(".TP\n\\fB{}\\fR\n{}\n", escaped(what), escaped(about)));
    format!(".SH \"{name}\"\n{}", rows.collect::<String>())
}

/// Collects the pages of a command and of those below it; `path` are the words that call it.
fn collect(
    command: &clap::Command,
    path: &str,
    pages: &mut Vec<(String, Vec<u8>)>,
) -> io::Result<()> {
    pages.push(page(command, path)?);
    for below in command
        .get_subcommands()
        .filter(|get_subcommand| !get_subcommand.is_hide_set())
    {
        let path = format!("{path} {}", below.get_name());
        collect(below, path.trim_start(), pages)?;
    }
    Ok(())
}
