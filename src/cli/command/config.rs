//! `config`: settings, their files and their problems; and the settings for other commands.
//!
//! Two files are read, the user's and the workspace's, which wins; an option wins over both.

use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use crate::Context;
use crate::args::{self, ConfigAction, TableName};
use crate::browse;
use crate::browse::FieldScope;
use crate::command::{user_name, workspace};
use crate::config::trust::Trust;
use crate::config::{
    Config, ConfigPlace, ConfigProblem, SETTINGS, SIZE_BYTES_MAX, SavedFilters, Setting, ThemeFile,
    template,
};
use crate::exchange::config::{
    WireSetting, WireSettingFile, WireSettingPlace, WireSettingProblem, WireTheme,
};
use crate::exchange::{write_line, write_lines};
use crate::failure::{ExitCode, Failure, Stop};
use crate::held::Root;
use crate::model::counted;
use crate::review;
use crate::table::{TextTable, visible};

const FILE_NAME: &str = "config.toml";
const THEMES: &str = "themes";
/// More themes of one folder are not read.
const THEMES_MAX: usize = 256;

/// Returns the user's file: `--config`, else the one in the user's configuration folder; nothing without a home.
pub fn user_file(context: &Context<'_, '_>) -> Option<PathBuf> {
    context.global.config.clone().or_else(|| {
        let folders = directories::ProjectDirs::from("", "", "focalist")?;
        Some(folders.config_dir().join(FILE_NAME))
    })
}

pub fn workspace_file(context: &Context<'_, '_>) -> PathBuf {
    workspace::folder(context).join(FILE_NAME)
}

/// Loads the settings; the unreadable and unusable ones are among its problems.
pub fn load(context: &Context<'_, '_>) -> Config {
    load_in(context, &workspace::folder(context))
}

/// Loads the settings for a workspace.
pub fn load_in(context: &Context<'_, '_>, folder: &Path) -> Config {
    let mut config = Config::default();
    if let Some(path) = user_file(context) {
        // A file that was named must be there.
        add(&mut config, &path, context.global.config.is_some());
    }
    add_themes(&mut config, themes_folder(context).as_deref());
    add_workspace(&mut config, folder, user_file(context).as_deref());
    if let Some(why) = config
        .queue()
        .and_then(|text| check_queue(text, folder).err())
    {
        config.reject("review.queue", format!("`review.queue`: {why}"));
    }
    config
}

/// Returns the folder of the user's themes, beside the user's settings; nothing without a home.
pub fn themes_folder(context: &Context<'_, '_>) -> Option<PathBuf> {
    Some(user_file(context)?.with_file_name(THEMES))
}

/// Takes in the user's themes, the files `NAME.toml` of their folder by name. A workspace's are not read: it may be
/// somebody else's.
fn add_themes(config: &mut Config, folder: Option<&Path>) {
    let Some(folder) = folder else { return };
    let mut paths = match themes_in(folder) {
        Ok(paths) => paths,
        Err(error) => {
            config.add_unreadable(&folder.display().to_string(), &error.to_string());
            return;
        }
    };
    paths.truncate(THEMES_MAX);
    for path in paths {
        let name = path.file_stem().unwrap_or_default();
        let (name, path_text) = (
            name.to_string_lossy().into_owned(),
            path.display().to_string(),
        );
        match read(&path) {
            Ok(text) => config.themes.push(ThemeFile {
                name,
                path: path_text,
                text,
            }),
            Err(error) => config.add_unreadable(&path_text, &error.to_string()),
        }
    }
}

/// Lists the themes of a folder, sorted; none where there is no folder.
fn themes_in(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let entries = match fs::read_dir(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries?,
    };
    let mut paths = Vec::new();
    for entry in entries {
        let path = entry?.path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            paths.push(path);
        }
    }
    paths.sort();
    Ok(paths)
}

/// Takes in a workspace's file: it comes with a clone, so it is heard as the user's only where it is trusted.
fn add_workspace(config: &mut Config, folder: &Path, user: Option<&Path>) {
    let path = folder.join(FILE_NAME);
    let real = place(folder);
    if user.is_some_and(|user| fs::canonicalize(user).is_ok_and(|path| path == real)) {
        return;
    }
    let name = path.display().to_string();
    match read_workspace(folder) {
        Ok(Some(text)) => {
            let trust = Trust::of_user();
            if trust.is_some_and(|trust| trust.holds(&real, text.as_bytes())) {
                config.add(&name, &text);
            } else {
                config.add_untrusted(&name, &text);
            }
        }
        Ok(None) => {}
        Err(error) => config.add_unreadable(&name, &error.to_string()),
    }
}

/// Reads the settings of a workspace, which are no link; nothing where there are none.
pub fn read_workspace(folder: &Path) -> io::Result<Option<String>> {
    let file = Root::open(folder).and_then(|root| root.open_file(FILE_NAME));
    match file {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
        Ok(file) => text_of(file).map(Some),
    }
}

/// Resolves the path of a workspace's settings, which need not exist.
pub fn place(folder: &Path) -> PathBuf {
    let real = fs::canonicalize(folder).unwrap_or_else(|_| folder.to_owned());
    real.join(FILE_NAME)
}

/// Tells whether a file is one of a workspace's settings.
pub fn is_of_workspace(path: &Path) -> bool {
    let above = path.parent().and_then(Path::file_name);
    above == workspace::inside(Path::new("")).file_name() && path.ends_with(FILE_NAME)
}

fn add(config: &mut Config, path: &Path, is_named: bool) {
    let name = path.display().to_string();
    match read(path) {
        Ok(text) => config.add(&name, &text),
        Err(error) if error.kind() == io::ErrorKind::NotFound && !is_named => {}
        Err(error) => config.add_unreadable(&name, &error.to_string()),
    }
}

fn read(path: &Path) -> io::Result<String> {
    text_of(File::open(path)?)
}

/// Reads a file as text; of one that is too long, only the beginning.
fn text_of(file: File) -> io::Result<String> {
    let mut bytes = Vec::new();
    file.take(SIZE_BYTES_MAX as u64 + 1)
        .read_to_end(&mut bytes)?;
    // Where a long one is cut, a character may be, too.
    if bytes.len() > SIZE_BYTES_MAX {
        return Ok(String::from_utf8_lossy(&bytes).into_owned());
    }
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        io::Error::other(format!("not UTF-8 at byte {at}"))
    })
}

/// Lists all problems, in the order of the files.
pub fn problems(context: &Context<'_, '_>, config: &Config) -> Vec<ConfigProblem> {
    let mut problems = config.problems.clone();
    problems.extend((context.streams.ui.check)(config));
    let workspace = workspace_file(context).display().to_string();
    problems.sort_by_key(|problem| (problem.place.path == workspace, problem.place.clone()));
    problems
}

/// Checks a queue with its filter, as it is written.
pub fn check_queue(text: &str, folder: &Path) -> Result<(), String> {
    let queue = review::split(text).map_err(|error| error.to_string())?;
    browse::read_filter(
        &queue.filter,
        &SavedFilters::load(folder),
        FieldScope::Samples,
    )
    .map(drop)
    .map_err(|error| error.to_string())
}

/// Reports how many problems the settings have, and whether some are withheld for lack of trust.
pub fn tell(context: &mut Context<'_, '_>, config: &Config) {
    if !config.problems.is_empty() {
        let n = counted(config.problems.len() as u64, "problem");
        context.say(&format!("{n} in {FILE_NAME} · `focalist config check`"));
    }
    if config.is_withheld {
        context.say(
            "hint: the workspace's settings name endpoints, keys or commands and are not trusted: `focalist trust` shows which, and asks you",
        );
    }
}

pub fn run(context: &mut Context<'_, '_>, arguments: &args::Config) -> Result<(), Stop> {
    match arguments.action {
        None => show(context, arguments.json),
        Some(ConfigAction::Check { json }) => check(context, json),
        Some(ConfigAction::Path { json }) => path(context, json),
        Some(ConfigAction::Themes { json }) => themes(context, json),
        Some(ConfigAction::Init { local }) => init(context, local),
    }
}

/// Where a value comes from.
enum SettingSource<'a> {
    Default,
    Environment(&'static str),
    Option(&'static str),
    File(&'a ConfigPlace),
}

impl SettingSource<'_> {
    const fn as_str(&self) -> &'static str {
        match self {
            Self::Default => "default",
            Self::Environment(_) => "environment",
            Self::Option(_) => "option",
            Self::File(_) => "file",
        }
    }

    fn label(&self) -> String {
        match self {
            Self::Default => "default".to_owned(),
            Self::Environment(name) => format!("${name}"),
            Self::Option(name) => (*name).to_owned(),
            Self::File(place) => format!("{}:{}", place.path, place.line),
        }
    }
}

struct SettingRow<'a> {
    setting: String,
    value: String,
    source: SettingSource<'a>,
    holds: bool,
}

fn show(context: &mut Context<'_, '_>, json: bool) -> Result<(), Stop> {
    let config = load(context);
    let problems = problems(context, &config);
    let is_wrong = |place: &ConfigPlace| problems.iter().any(|problem| problem.place == *place);
    let mut rows: Vec<SettingRow<'_>> = SETTINGS
        .iter()
        .map(|setting| {
            let (value, source) = value(context, &config, setting);
            let holds = !matches!(source, SettingSource::File(place) if is_wrong(place));
            SettingRow {
                setting: setting.id.to_owned(),
                value,
                source,
                holds,
            }
        })
        .collect();
    rows.extend(config.keys.iter().map(|key_setting| {
        let place = key_setting.context.as_ref().map(|name| format!("{name}."));
        let scripts: Vec<&str> = key_setting
            .scripts
            .iter()
            .map(|script| script.value.as_str())
            .collect();
        let mut places = key_setting
            .scripts
            .iter()
            .map(|script| &script.place)
            .chain([&key_setting.place]);
        SettingRow {
            setting: format!("keys.{}{}", place.unwrap_or_default(), key_setting.action),
            value: scripts.join(" "),
            source: SettingSource::File(&key_setting.place),
            holds: !places.any(is_wrong),
        }
    }));
    rows.extend(config.commands.iter().map(|command| SettingRow {
        setting: format!("commands.{}", command.script.value),
        value: command.label(),
        source: SettingSource::File(&command.script.place),
        holds: !is_wrong(&command.script.place),
    }));
    context.print(
        TableName::of(json),
        |out| write_lines(out, rows.iter().map(wire)),
        |_| [table(&rows)],
    )?;
    if !problems.is_empty() {
        let n = counted(problems.len() as u64, "problem");
        context.say(&format!("{n} · `focalist config check` lists the problems"));
    }
    Ok(())
}

/// Tells the value of a setting, and its source.
fn value<'a>(
    context: &Context<'_, '_>,
    config: &'a Config,
    setting: &Setting,
) -> (String, SettingSource<'a>) {
    let global = context.global;
    match (setting.id, &global.theme, config.get(setting.id)) {
        ("theme", Some(name), _) => (name.clone(), SettingSource::Option("--theme")),
        ("mouse", ..) if global.mouse => ("true".to_owned(), SettingSource::Option("--mouse")),
        (.., Some(set)) => (set.value.label(), SettingSource::File(&set.place)),
        ("annotator", ..) => match user_name::of_system() {
            Some(name) if name.source == user_name::NameSource::Environment => {
                (name.text, SettingSource::Environment("USER"))
            }
            name => (
                name.map(|name| name.text).unwrap_or_default(),
                SettingSource::Default,
            ),
        },
        _ => (setting.default.to_owned(), SettingSource::Default),
    }
}

fn wire<'a>(row: &'a SettingRow<'_>) -> WireSetting<'a> {
    WireSetting {
        setting: &row.setting,
        value: &row.value,
        source: row.source.as_str(),
        place: match &row.source {
            SettingSource::File(place) => Some(wire_place(place)),
            _ => None,
        },
        holds: row.holds,
    }
}

fn wire_place(place: &ConfigPlace) -> WireSettingPlace<'_> {
    WireSettingPlace {
        path: &place.path,
        line: place.line,
        column: place.column,
    }
}

fn table(rows: &[SettingRow<'_>]) -> TextTable {
    let mut table = TextTable::of_texts(&["setting", "value", "from"]);
    for row in rows {
        let from = row.source.label();
        let from = if row.holds {
            from
        } else {
            format!("{from} (ignored)")
        };
        table.row([row.setting.clone(), row.value.clone(), from]);
    }
    table
}

fn check(context: &mut Context<'_, '_>, json: bool) -> Result<(), Stop> {
    let config = load(context);
    let problems = problems(context, &config);
    for problem in &problems {
        if json {
            let line = WireSettingProblem {
                place: wire_place(&problem.place),
                problem: &problem.text,
            };
            write_line(context.streams.out, &line)?;
        } else {
            writeln!(context.streams.out, "{}", visible(&problem.to_string()))?;
        }
    }
    if problems.is_empty() {
        context.say("the settings have no problems");
        return Ok(());
    }
    let n = counted(problems.len() as u64, "problem");
    Err(
        Failure::new(ExitCode::Problems, format!("{n} in {FILE_NAME}"))
            .with_hint("wrong settings are ignored, all others apply: `focalist config`")
            .into(),
    )
}

fn path(context: &mut Context<'_, '_>, json: bool) -> Result<(), Stop> {
    let workspace = Some(workspace_file(context));
    for (of, path) in [("user", user_file(context)), ("workspace", workspace)] {
        let Some(path) = path else { continue };
        let name = path.display().to_string();
        if json {
            let line = WireSettingFile {
                of,
                path: &name,
                exists: path.exists(),
            };
            write_line(context.streams.out, &line)?;
        } else {
            writeln!(context.streams.out, "{name}")?;
        }
    }
    Ok(())
}

/// Lists the themes that can be used, and the folder of the user's themes.
fn themes(context: &mut Context<'_, '_>, json: bool) -> Result<(), Stop> {
    let config = load(context);
    let known = (context.streams.ui.known_themes)(&config);
    let path = |(name, is_own): &(String, bool)| {
        let mut files = config.themes.iter();
        let file = files.find(|file| *is_own && file.name == *name);
        file.map(|file| file.path.as_str())
    };
    context.print(
        TableName::of(json),
        |out| {
            let wire = known.iter().map(|known| WireTheme {
                theme: &known.0,
                path: path(known),
            });
            write_lines(out, wire)
        },
        |_| {
            let mut table = TextTable::of_texts(&["theme", "from"]);
            for pair in &known {
                table.row([pair.0.clone(), path(pair).unwrap_or("built in").to_owned()]);
            }
            [table]
        },
    )?;
    let is_of_theme = |problem: &&ConfigProblem| {
        config
            .themes
            .iter()
            .any(|theme| theme.path == problem.place.path)
    };
    let problems = problems(context, &config);
    for problem in problems.iter().filter(is_of_theme) {
        context.say(&visible(&problem.to_string()));
    }
    if let Some(folder) = themes_folder(context) {
        let folder = folder.display();
        context.say(&format!("hint: your own themes are `{folder}/NAME.toml`"));
    }
    Ok(())
}

fn init(context: &mut Context<'_, '_>, is_local: bool) -> Result<(), Stop> {
    let path = if is_local {
        let path = workspace_file(context);
        if let Some(folder) = path.parent().filter(|parent| !parent.is_dir()) {
            return Err(workspace::missing(folder));
        }
        path
    } else {
        user_file(context).ok_or_else(|| {
            Failure::new(ExitCode::Input, "no home directory to put settings into")
                .with_hint("`--config FILE` names the file")
        })?
    };
    write_new(&path).map_err(|error| {
        if error.kind() == io::ErrorKind::AlreadyExists {
            Failure::new(
                ExitCode::Usage,
                format!("`{}` exists already", path.display()),
            )
            .with_hint("`focalist config` shows its settings; edit it, or move it away")
        } else {
            Failure::unwritable(&path)(error)
        }
    })?;
    writeln!(context.streams.out, "{}", path.display())?;
    Ok(())
}

fn write_new(path: &Path) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    let mut file = File::create_new(path)?;
    file.write_all(template().as_bytes())
}
