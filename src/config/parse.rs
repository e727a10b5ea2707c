//! From TOML to settings: the meaning of each key in a file, and its flaws.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::models::{MODEL_SETTINGS, MODELS, Model, SETTINGS_NEEDING_TRUST};
use crate::own::{COMMANDS, OwnCommand};
use crate::setting::{KEYS, SETTINGS, Setting, SettingKind, SettingValue, near};
use crate::{
    Config, ConfigPlace, ConfigProblem, ConfigValue, KeySetting, PROBLEMS_MAX, SIZE_BYTES_MAX,
    Standing,
};

type TomlEntry<'a, 'i> = (
    &'a Spanned<toml::de::DeString<'i>>,
    &'a Spanned<DeValue<'i>>,
);

/// Takes a text into `config`; what it sets wins.
pub(crate) fn add(config: &mut Config, (path, text): (&str, &str), standing: Standing) {
    let mut file = ConfigParser {
        places: TextPlaces::new(path, text),
        problems: Vec::new(),
        broken_lines: BTreeSet::new(),
        standing,
        config,
    };
    if text.len() > SIZE_BYTES_MAX {
        file.problem(0..0, format!("longer than {SIZE_BYTES_MAX} bytes"));
    } else {
        file.read(text);
    }
    file.finish();
}

/// Writes an error of the TOML parser on one line.
pub(crate) fn not_toml(error: &toml::de::Error) -> String {
    format!("not valid TOML: {}", error.message().replace('\n', ", "))
}

/// From bytes to lines and columns.
#[derive(Debug)]
pub struct TextPlaces<'t> {
    path: &'t str,
    text: &'t str,
    /// The byte at which each line begins.
    starts: Vec<usize>,
}

impl<'t> TextPlaces<'t> {
    /// Finds the lines of a text that was read from `path`.
    #[must_use]
    pub fn new(path: &'t str, text: &'t str) -> Self {
        let ends = text.match_indices('\n').map(|(at, _)| at + 1);
        let starts = std::iter::once(0).chain(ends).collect();
        Self { path, text, starts }
    }

    /// Finds the line and column of a byte.
    #[must_use]
    pub fn at(&self, byte: usize) -> ConfigPlace {
        let line = self.starts.partition_point(|start| *start <= byte).max(1);
        let start = self.starts[line - 1];
        let before = self.text.get(start..byte).unwrap_or_default();
        ConfigPlace {
            path: self.path.to_owned(),
            line: line as u32,
            column: before.chars().count() as u32 + 1,
        }
    }
}

struct ConfigParser<'c, 't> {
    places: TextPlaces<'t>,
    problems: Vec<ConfigProblem>,
    /// Lines that are not valid TOML: what the parser makes of them is a guess.
    broken_lines: BTreeSet<u32>,
    standing: Standing,
    config: &'c mut Config,
}

impl ConfigParser<'_, '_> {
    fn problem(&mut self, span: Range<usize>, text: impl Into<String>) {
        // One more than is kept, so that it is known that there are more.
        if self.problems.len() <= PROBLEMS_MAX {
            let place = self.places.at(span.start);
            self.problems.push(ConfigProblem {
                place,
                text: text.into(),
            });
        }
    }

    fn finish(mut self) {
        self.problems.sort();
        if self.problems.len() > PROBLEMS_MAX {
            self.problems.truncate(PROBLEMS_MAX);
            if let Some(last) = self.problems.last_mut() {
                last.text.push_str("; further problems are not listed");
            }
        }
        self.config.problems.append(&mut self.problems);
        // Keys of the later file come last, those of one file in the order in which they stand there.
        let path = self.places.path;
        self.config.keys.sort_by_key(|key_setting| {
            let is_ours = key_setting.place.path == path;
            (is_ours, is_ours.then(|| key_setting.place.clone()))
        });
    }

    fn read(&mut self, text: &str) {
        let (table, errors) = DeTable::parse_recoverable(text);
        for error in errors {
            let span = error.span().unwrap_or(0..0);
            let line = self.places.at(span.start).line;
            // One slip has many consequences.
            if self.broken_lines.insert(line) {
                self.problem(span, not_toml(&error));
            }
        }
        for entry in table.get_ref() {
            self.root(entry);
        }
    }

    /// Tells whether an entry stands on a line that was read as it is.
    fn is_sound(&self, (key, value): TomlEntry<'_, '_>) -> bool {
        [key.span(), value.span()]
            .iter()
            .all(|span| !self.broken_lines.contains(&self.places.at(span.start).line))
    }

    fn root(&mut self, entry: TomlEntry<'_, '_>) {
        let (key, value) = entry;
        let name = key.get_ref().as_ref();
        if name == KEYS.id {
            match value.get_ref() {
                DeValue::Table(table) => self.keys(None, table),
                _ => self.problem(value.span(), "`keys` is a table: `[keys]`"),
            }
        } else if name == COMMANDS {
            match value.get_ref() {
                DeValue::Table(table) => table.iter().for_each(|entry| self.command(entry)),
                _ => self.problem(value.span(), "`commands` is a table: `[commands]`"),
            }
        } else if name == MODELS {
            match value.get_ref() {
                DeValue::Table(table) => table.iter().for_each(|entry| self.model(entry)),
                _ => self.problem(value.span(), "`models` holds tables: `[models.NAME]`"),
            }
        } else if !name.is_empty() && SETTINGS.iter().any(|setting| setting.parts().0 == name) {
            match value.get_ref() {
                DeValue::Table(table) => {
                    for entry in table {
                        self.setting(name, entry);
                    }
                }
                _ => self.problem(value.span(), format!("`{name}` is a table: `[{name}]`")),
            }
        } else {
            self.setting("", entry);
        }
    }

    fn setting(&mut self, table: &str, entry: TomlEntry<'_, '_>) {
        if !self.is_sound(entry) {
            return;
        }
        let (key, value) = entry;
        let name = key.get_ref().as_ref();
        let Some(setting) = SETTINGS
            .iter()
            .find(|setting| setting.parts() == (table, name))
        else {
            self.problem(key.span(), unknown(table, name));
            return;
        };
        match read(setting.kind, value.get_ref()) {
            Some(read) => {
                let place = self.places.at(key.span().start);
                let set = ConfigValue { value: read, place };
                self.config.values.insert(setting.id, set);
            }
            None => self.problem(
                value.span(),
                format!("`{}` takes {}", setting.id, setting.kind.wanted()),
            ),
        }
    }

    /// Reads a table `[models.NAME]`; what cannot be used in it is left out.
    fn model(&mut self, (key, value): TomlEntry<'_, '_>) {
        let name = key.get_ref().as_ref();
        let DeValue::Table(table) = value.get_ref() else {
            self.problem(
                value.span(),
                format!("`{name}` is a table: `[models.{name}]`"),
            );
            return;
        };
        let mut model = Model {
            name: name.to_owned(),
            place: self.places.at(key.span().start),
            values: BTreeMap::new(),
        };
        for entry in table {
            if !self.is_sound(entry) {
                continue;
            }
            let (key, value) = entry;
            let word = key.get_ref().as_ref();
            let Some(setting) = MODEL_SETTINGS
                .iter()
                .find(|model_setting| model_setting.key == word)
            else {
                let known: Vec<&str> = MODEL_SETTINGS
                    .iter()
                    .map(|model_setting| model_setting.key)
                    .collect();
                let meant = meant(word, known.iter().copied());
                let known = known.join(", ");
                let text = format!("unknown key `{word}` of a model{meant}; known: {known}");
                self.problem(key.span(), text);
                continue;
            };
            if self.standing == Standing::Foreign && SETTINGS_NEEDING_TRUST.contains(&word) {
                self.config.is_withheld = true;
                let text =
                    format!("`{word}` is ignored: the file is not trusted, see `focalist trust`");
                self.problem(key.span(), text);
                continue;
            }
            if let Some(read) = setting.kind.read(value.get_ref()) {
                let place = self.places.at(key.span().start);
                model
                    .values
                    .insert(setting.key, ConfigValue { value: read, place });
            } else {
                let wanted = setting.kind.wanted();
                self.problem(value.span(), format!("`{word}` takes {wanted}"));
            }
        }
        let is_there = self.config.models.contains_key(name);
        if self.standing == Standing::Foreign && is_there {
            let text = format!(
                "`{name}` is ignored: your settings have that model, and the file is not trusted"
            );
            self.problem(key.span(), text);
            return;
        }
        self.config.models.insert(model.name.clone(), model);
    }

    /// Reads a command of the user's.
    fn command(&mut self, entry: TomlEntry<'_, '_>) {
        if !self.is_sound(entry) {
            return;
        }
        let (key, value) = entry;
        let script = key.get_ref().as_ref();
        if self.standing == Standing::Foreign {
            self.config.is_withheld = true;
            let text = format!(
                "the command of `{script}` is ignored: the file is not trusted, see `focalist trust`"
            );
            self.problem(key.span(), text);
            return;
        }
        let place = self.places.at(key.span().start);
        match OwnCommand::read(script, place, value.get_ref()) {
            Ok(command) => {
                let commands = &mut self.config.commands;
                commands.retain(|own_command| own_command.script.value != command.script.value);
                commands.push(command);
            }
            Err(error) => self.problem(value.span(), error.to_string()),
        }
    }

    /// Reads `[keys]`, or the table of a context in it.
    fn keys(&mut self, context: Option<&str>, table: &DeTable<'_>) {
        for entry in table {
            let (key, value) = entry;
            let name = key.get_ref().as_ref();
            match (value.get_ref(), context) {
                (DeValue::Table(table), None) => self.keys(Some(name), table),
                _ if !self.is_sound(entry) => {}
                (value_read, _) => match self.scripts(value_read, value.span()) {
                    Some(scripts) => {
                        let setting = KeySetting {
                            context: context.map(str::to_owned),
                            action: name.to_owned(),
                            place: self.places.at(key.span().start),
                            scripts,
                        };
                        self.set_keys(setting);
                    }
                    None => self.problem(
                        value.span(),
                        format!("`{name}` takes a key in quotes, or a list of them"),
                    ),
                },
            }
        }
    }

    fn scripts(&self, value: &DeValue<'_>, span: Range<usize>) -> Option<Vec<ConfigValue<String>>> {
        let script = |value: &DeValue<'_>, span: Range<usize>| {
            Some(ConfigValue {
                value: value.as_str()?.to_owned(),
                place: self.places.at(span.start),
            })
        };
        match value {
            DeValue::Array(array) => array
                .iter()
                .map(|spanned| script(spanned.get_ref(), spanned.span()))
                .collect(),
            value => Some(vec![script(value, span)?]),
        }
    }

    fn set_keys(&mut self, setting: KeySetting) {
        self.config.keys.retain(|key_setting| {
            (&key_setting.context, &key_setting.action) != (&setting.context, &setting.action)
        });
        self.config.keys.push(setting);
    }
}

fn read(kind: SettingKind, value: &DeValue<'_>) -> Option<SettingValue> {
    let text = |text: &str, is_number| {
        kind.takes(text, is_number)
            .then(|| SettingValue::Text(text.to_owned()))
    };
    match value {
        DeValue::Boolean(flag) => (kind == SettingKind::Flag).then_some(SettingValue::Flag(*flag)),
        DeValue::String(string) => text(string, false),
        DeValue::Integer(integer) if integer.radix() == 10 => text(integer.as_str(), true),
        DeValue::Float(float) => text(float.as_str(), true),
        _ => None,
    }
}

/// Suggests the name that was meant, to stand behind the wrong one; empty where none is near.
fn meant<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    near(name, known)
        .first()
        .map_or_else(String::new, |text| format!(" (did you mean `{text}`?)"))
}

fn unknown(table: &str, name: &str) -> String {
    let known: Vec<&str> = SETTINGS
        .iter()
        .map(Setting::parts)
        .filter(|(of, _)| *of == table)
        .map(|(_, key)| key)
        .collect();
    let mut tables: Vec<&str> = Vec::new();
    if table.is_empty() {
        tables = SETTINGS.iter().map(|setting| setting.parts().0).collect();
        tables.push(KEYS.id);
        tables.push(COMMANDS);
        tables.push(MODELS);
        tables.retain(|table| !table.is_empty());
        tables.dedup();
    }
    let of = if table.is_empty() {
        String::new()
    } else {
        format!(" in `[{table}]`")
    };
    let meant = meant(name, known.iter().chain(&tables).copied());
    let tables = tables.iter().map(|table| format!("[{table}]"));
    let known: Vec<String> = known
        .iter()
        .map(|known| (*known).to_owned())
        .chain(tables)
        .collect();
    format!(
        "unknown key `{name}`{of}{meant}; known: {}",
        known.join(", ")
    )
}
