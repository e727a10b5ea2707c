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
    let script = with_names(asked.shell, &String::from_utf8_lossy(&script));
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

/// Words are cut at blanks: the shell itself also cuts them at `@` and `:`.
const BASH: &str = r#"
_focalist_with_names() {
    _focalist "$@"
    local typed="${COMP_LINE:0:COMP_POINT}" words name
    read -ra words <<< "$typed"
    [[ "$typed" == *[[:space:]] ]] && words+=("")
    local word="${words[${#words[@]}-1]}" cut=""
    [[ "$word" == @* ]] && cut="@"
    while IFS= read -r name; do
        [[ -n "$name" ]] && COMPREPLY+=("${name#"$cut"}")
    done < <("${words[0]}" candidates -- "${words[@]:1}" 2>/dev/null)
}
complete -F _focalist_with_names -o bashdefault -o default focalist
"#;

const ZSH: &str = r#"
_focalist_names() {
    local -a typed names
    typed=(${(z)LBUFFER})
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
    let name = command.get_display_name().unwrap_or_default();
    let verb = name.strip_prefix("focalist").unwrap_or(name);
    let mut text = section("EXIT STATUS", args::EXIT_STATUS);
    text += &section("ENVIRONMENT", args::ENVIRONMENT);
    text += &section("EXAMPLES", args::examples(verb.trim_start_matches('-')));
    page.extend_from_slice(text.as_bytes());
    Ok((man.get_filename(), page))
}

/// Returns a section of a page with a paragraph for each row; nothing without rows.
fn section(name: &str, rows: &[(&str, &str)]) -> String {
    // A hyphen would be one of text, a point or an apostrophe in front a request.
    let escaped = |text: &str| {
        let text = text
            .replace('\\', "\\e")
            .replace('-', "\\-")
            .replace('`', "");
        if text.starts_with(['.', '\'']) {
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

/// Collects the pages of a verb and of those below it.
fn collect(command: &clap::Command, pages: &mut Vec<(String, Vec<u8>)>) -> io::Result<()> {
    pages.push(page(command)?);
    for below in command.get_subcommands().filter(|it| !it.is_hide_set()) {
        collect(below, pages)?;
    }
    Ok(())
}
