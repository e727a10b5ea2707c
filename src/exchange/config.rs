//! Settings as lines of JSON: the values, their flaws, and their sources.

use serde::Serialize;

/// A setting: a line of `config --json`.
#[derive(Debug, Serialize)]
pub struct WireSetting<'a> {
    /// Its table and key; of keys `keys.ACTION` or `keys.PLACE.ACTION`.
    pub setting: &'a str,
    pub value: &'a str,
    /// `default`, `environment`, `option` or `file`.
    pub source: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub place: Option<WireSettingPlace<'a>>,
    /// Whether it holds: a setting with a problem does not.
    pub holds: bool,
}

#[derive(Debug, Serialize)]
pub struct WireSettingPlace<'a> {
    pub path: &'a str,
    /// From 1.
    pub line: u32,
    /// In characters, from 1.
    pub column: u32,
}

/// Something that is wrong with a setting: a line of `config check --json`.
#[derive(Debug, Serialize)]
pub struct WireSettingProblem<'a> {
    #[serde(flatten)]
    pub place: WireSettingPlace<'a>,
    pub problem: &'a str,
}

/// A saved filter: a line of `filters --json`.
#[derive(Debug, Serialize)]
pub struct WireSavedFilter<'a> {
    pub name: &'a str,
    pub filter: &'a str,
    /// Why it cannot be used.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<&'a str>,
}

/// Something that was looked at: a line of `doctor --json`.
#[derive(Debug, Serialize)]
pub struct WireFinding<'a> {
    /// Such as `terminal` or `workspace`.
    pub of: &'a str,
    pub name: &'a str,
    pub value: &'a str,
    /// `good`, `doubtful` or `broken`.
    pub grade: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub advice: Option<&'a str>,
}

/// Something that the user trusts: a line of `trust --list --json`.
#[derive(Debug, Serialize)]
pub struct WireTrusted<'a> {
    pub path: &'a str,
    /// `trusted`, `changed` (it is not trusted as it is now) or `gone`.
    pub state: &'a str,
}

/// A theme that can be used: a line of `config themes --json`.
#[derive(Debug, Serialize)]
pub struct WireTheme<'a> {
    pub theme: &'a str,
    /// The user's file; a theme of the binary has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<&'a str>,
}

/// A file that settings are read from: a line of `config path --json`.
#[derive(Debug, Serialize)]
pub struct WireSettingFile<'a> {
    /// `user` or `workspace`.
    pub of: &'a str,
    pub path: &'a str,
    pub exists: bool,
}
