//! The user's name: the one place that finds it for every command and for the terminal UI.
//!
//! A name that was given for this, by `--as` or in the settings, goes before the name that the system knows the user
//! by.

use std::env;

use nix::unistd::{Uid, User};

use crate::config::Config;
use crate::model::is_annotator;

/// An annotator's name, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnnotatorName {
    pub text: String,
    pub source: NameSource,
}

/// Where an annotator's name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameSource {
    Settings,
    /// `$USER`.
    Environment,
    /// The system's database of users, where `$USER` is missing: in containers, in services, after `env -i`.
    System,
}

/// Finds the user's name; nothing where nobody knows one that can name an annotator.
#[must_use]
pub fn name(config: &Config) -> Option<AnnotatorName> {
    let of = |source| move |text| AnnotatorName { text, source };
    let set = config.annotator().map(str::to_owned);
    set.map(of(NameSource::Settings)).or_else(of_system)
}

/// Finds the name that the system knows the user by: `$USER`, else what its database says of the process's user.
#[must_use]
pub fn of_system() -> Option<AnnotatorName> {
    let named = |text: Option<String>, source| {
        let text = text.filter(|text| is_annotator(text))?;
        Some(AnnotatorName { text, source })
    };
    // A database that cannot be read knows nobody; then `--as` has to say the name.
    let user = || User::from_uid(Uid::current()).ok().flatten();
    named(env::var("USER").ok(), NameSource::Environment)
        .or_else(|| named(user().map(|user| user.name), NameSource::System))
}
