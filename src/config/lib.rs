//! What people set once: their name, colours, how they review, keys.
//!
//! Decides which settings there are, how TOML writes them, and which of two files wins. Reads texts, not files, and
//! never fails: what cannot be used is a [`ConfigProblem`] with its place, and everything else counts. Which actions
//! and themes there are is for the terminal UI to say: keys stay the scripts that were written, with their places.
//!
//! A workspace's file comes with a clone. What it says of endpoints, keys and commands counts only where the user
//! trusts it ([`trust`]).
//!
//! Two files that focalist writes by itself live here too: the filters that a workspace has saved ([`saved`]), and
//! where the user was ([`session`]).

use focalist_model as model;

mod file;
mod models;
mod own;
pub mod parse;
pub mod saved;
pub mod session;
mod setting;
pub mod trust;

use std::collections::BTreeMap;
use std::fmt;

pub use models::{MODEL_SETTINGS, MODELS, Model, ModelKind, ModelSetting, SETTINGS_NEEDING_TRUST};
pub use own::{COMMANDS, OwnCommand, Placeholder};
pub use saved::SavedFilters;
pub use session::Session;
pub use setting::{KEYS, SETTINGS, Setting, SettingKind, SettingValue, markdown, near, template};

/// A longer text is one problem and nothing else, so that hostile files cost no time.
pub const SIZE_BYTES_MAX: usize = 64 * 1024;
/// Problems of a file that are reported; further ones are left out.
pub const PROBLEMS_MAX: usize = 100;

/// Where something is written.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConfigPlace {
    /// The file, under the name that its reader gave it.
    pub path: String,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

impl fmt::Display for ConfigPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}", self.path, self.line, self.column)
    }
}

/// A setting that cannot be used, or a text that is no setting.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ConfigProblem {
    pub place: ConfigPlace,
    /// The flaw, as a fragment for people.
    pub text: String,
}

impl fmt::Display for ConfigProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.text)
    }
}

/// A value and where it was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConfigValue<T> {
    pub value: T,
    pub place: ConfigPlace,
}

/// Whether a text is trusted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Standing {
    /// The user's, or one that the user trusts.
    Own,
    Foreign,
}

/// A theme that the user has written; what it means is for the terminal UI to say.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeFile {
    /// The file's name without its ending.
    pub name: String,
    pub path: String,
    pub text: String,
}

/// The keys of an action: all of them, in place of its default ones.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KeySetting {
    /// The name of the only place where they are heard, such as `annotate`; else they are heard wherever the action is.
    pub context: Option<String>,
    /// The action's id.
    pub action: String,
    pub place: ConfigPlace,
    /// Sequences as they are written, such as `gs` or `<c-d>`; an empty one stands for no key.
    pub scripts: Vec<ConfigValue<String>>,
}

/// The settings, and the flaws in their files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Config {
    values: BTreeMap<&'static str, ConfigValue<SettingValue>>,
    /// At most one for an action and a context, in the order of the files, and within a file by place.
    pub keys: Vec<KeySetting>,
    /// By name; a later file's takes the place of one of the same name.
    pub models: BTreeMap<String, Model>,
    /// The user's own commands, at most one for a key.
    pub commands: Vec<OwnCommand>,
    /// The user's own themes, by name.
    pub themes: Vec<ThemeFile>,
    pub problems: Vec<ConfigProblem>,
    /// A file that nobody trusts sets something that needs trust, which was ignored.
    pub is_withheld: bool,
}

impl Config {
    /// Reads the settings in texts, each given with its path; a later one wins.
    #[must_use]
    pub fn of(files: &[(&str, &str)]) -> Self {
        let mut config = Self::default();
        for (path, text) in files {
            config.add(path, text);
        }
        config
    }

    /// Takes in another text, which wins over the present settings.
    pub fn add(&mut self, path: &str, text: &str) {
        parse::add(self, (path, text), Standing::Own);
    }

    /// Takes in a foreign text that the user does not trust: what it sets of [`SETTINGS_NEEDING_TRUST`] is a problem, and of a model
    /// that is set already it changes nothing.
    pub fn add_untrusted(&mut self, path: &str, text: &str) {
        parse::add(self, (path, text), Standing::Foreign);
    }

    /// Adds the problem that a file cannot be read.
    pub fn add_unreadable(&mut self, path: &str, why: &str) {
        self.problems.push(ConfigProblem {
            place: ConfigPlace {
                path: path.to_owned(),
                line: 1,
                column: 1,
            },
            text: format!("cannot be read: {why}"),
        });
    }

    /// Takes back a value that a caller who knows its meaning cannot use; nothing happens where none is set.
    pub fn reject(&mut self, id: &str, why: String) {
        if let Some(set) = self.values.remove(id) {
            self.problems.push(ConfigProblem {
                place: set.place,
                text: why,
            });
        }
    }

    /// Looks up the value of the setting `id` of [`SETTINGS`], if it is set.
    #[must_use]
    pub fn get(&self, id: &str) -> Option<&ConfigValue<SettingValue>> {
        self.values.get(id)
    }

    fn text(&self, id: &str) -> Option<&str> {
        match &self.get(id)?.value {
            SettingValue::Text(text) => Some(text),
            SettingValue::Flag(_) => None,
        }
    }

    fn flag(&self, id: &str) -> bool {
        matches!(self.get(id), Some(set) if set.value == SettingValue::Flag(true))
    }

    /// Returns the annotator's name.
    #[must_use]
    pub fn annotator(&self) -> Option<&str> {
        self.text("annotator")
    }

    /// Returns the version of the guideline that is in force.
    #[must_use]
    pub fn guideline(&self) -> Option<&str> {
        self.text("guideline")
    }

    /// Returns the name of the theme; whether there is one of that name is not checked.
    #[must_use]
    pub fn theme(&self) -> Option<&str> {
        self.text("theme")
    }

    #[must_use]
    pub fn has_mouse(&self) -> bool {
        self.flag("mouse")
    }

    /// Tells whether the terminal UI opens where it was left.
    #[must_use]
    pub fn keeps_session(&self) -> bool {
        !matches!(self.get("session"), Some(set) if set.value == SettingValue::Flag(false))
    }

    /// Returns how many annotators are asked about a sample: a number from 1, or the share from 0 to 1 of samples that
    /// two are asked about, as written.
    #[must_use]
    pub fn overlap(&self) -> Option<&str> {
        self.text("review.overlap")
    }

    /// Tells whether the machine's decision is hidden from annotators.
    #[must_use]
    pub fn is_blind(&self) -> bool {
        self.flag("review.blind")
    }

    /// Returns the queue that is opened first, as written.
    #[must_use]
    pub fn queue(&self) -> Option<&str> {
        self.text("review.queue")
    }
}

#[cfg(test)]
mod tests;
