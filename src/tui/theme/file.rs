//! Theme files: a palette of named colours, and a style per role.
//!
//! ```toml
//! inherits = "dark"                                # the theme for all that the file leaves out
//!
//! [palette]
//! accent = "#88c0d0"
//!
//! [roles]
//! focus = { fg = "accent", bold = true }
//! ```
//!
//! A file that inherits may set colours of the palette alone: the roles that use them follow. Finds all flaws of a
//! file, each with its place.

use std::collections::BTreeMap;
use std::ops::Range;
use std::str::FromStr;

use ratatui::style::{Color, Modifier, Style};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::{Role, Theme};
use crate::config::near;

/// A theme that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    #[error("there is no theme `{name}`; known: {known}")]
    Unknown { name: String, known: String },
    #[error("not valid TOML: {0}")]
    Syntax(String),
    #[error("unknown key `{0}`; known: inherits, [palette], [roles]")]
    Key(String),
    #[error("unknown role `{role}`{}", meant(.role))]
    Role { role: String },
    #[error("the role `{0}` is missing; with `inherits = \"dark\"` the file may leave roles out")]
    Missing(&'static str),
    #[error(
        "role `{role}`: `{value}` is not a color; a color is \"#rrggbb\", a name of the palette, or \"default\""
    )]
    Colour { role: String, value: String },
    #[error("palette: `{name}` is not a color; a color is \"#rrggbb\" or \"default\"")]
    Palette { name: String },
    #[error(
        "role `{role}`: unknown key `{key}`; known: fg, bg, bold, italic, underlined, reversed, struck"
    )]
    Attribute { role: String, key: String },
    #[error("role `{role}`: `{key}` takes true or false")]
    Flag { role: String, key: String },
    #[error("`{0}` is a table")]
    Table(String),
    #[error("`inherits` takes the name of a built-in theme: {0}")]
    Inherits(String),
}

fn meant(role: &str) -> String {
    let words = Role::ALL.iter().map(|role| role.as_str());
    let nearest = near(role, words).first().copied();
    nearest.map_or_else(String::new, |word| format!(" (did you mean `{word}`?)"))
}

/// A flaw in a file, and the byte where it begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ThemeFlaw {
    pub at: usize,
    pub error: ThemeError,
}

const MODIFIERS: &[(&str, Modifier)] = &[
    ("bold", Modifier::BOLD),
    ("italic", Modifier::ITALIC),
    ("underlined", Modifier::UNDERLINED),
    ("reversed", Modifier::REVERSED),
    ("struck", Modifier::CROSSED_OUT),
];

/// Returns the text of a theme that may be inherited from.
type ThemeSource = dyn Fn(&str) -> Option<&'static str>;

/// A colour as it is written, before the palette is consulted, and its byte.
type ColorName = (String, usize);

/// A style whose colours are still names.
#[derive(Clone, Debug, Default)]
struct UnresolvedStyle {
    fg: Option<ColorName>,
    bg: Option<ColorName>,
    modifiers: Modifier,
}

/// The contents of a file and of the themes that it inherits from.
#[derive(Clone, Debug, Default)]
struct ThemeSheet {
    palette: BTreeMap<String, Color>,
    roles: BTreeMap<&'static str, UnresolvedStyle>,
    flaws: Vec<ThemeFlaw>,
}

/// Reads a theme; `source_of` gives the text of a theme that it may inherit from.
///
/// # Errors
/// All flaws of the file, in their order in it; at least one.
pub fn read(name: &str, text: &str, source_of: &ThemeSource) -> Result<Theme, Vec<ThemeFlaw>> {
    let mut sheet = ThemeSheet::default();
    sheet.take(text, source_of);
    let styles: Vec<Style> = Role::ALL
        .iter()
        .map(|role| sheet.style(role.as_str()))
        .collect();
    if sheet.flaws.is_empty() {
        return Ok(Theme {
            name: name.to_owned(),
            styles,
        });
    }
    sheet.flaws.sort_by_key(|flaw| flaw.at);
    Err(sheet.flaws)
}

/// Reads the name of the theme to inherit from, and the byte where it stands.
fn inherited(table: &DeTable<'_>) -> Option<(String, usize)> {
    let value = table.get("inherits")?;
    Some((
        value.get_ref().as_str().unwrap_or_default().to_owned(),
        value.span().start,
    ))
}

impl ThemeSheet {
    fn flaw(&mut self, span: Range<usize>, error: ThemeError) {
        let at = span.start;
        self.flaws.push(ThemeFlaw { at, error });
    }

    /// Takes a file over the theme that it inherits from: one of the binary, which may itself inherit, but not in a
    /// circle.
    fn take(&mut self, text: &str, source_of: &ThemeSource) {
        let table = match DeTable::parse(text) {
            Ok(table) => table,
            Err(error) => {
                let span = error.span().unwrap_or(0..0);
                let message = error.message().replace('\n', ", ");
                self.flaw(span, ThemeError::Syntax(message));
                return;
            }
        };
        let table = table.get_ref();
        if let Some((name, at)) = inherited(table) {
            match source_of(&name) {
                Some(source) => self.take(source, source_of),
                None => self.flaw(at..at, ThemeError::Inherits(super::names().join(", "))),
            }
        }
        for (key, value) in table {
            let key_text = key.get_ref().as_ref();
            match (key_text, value.get_ref()) {
                ("inherits", _) => {}
                ("palette", DeValue::Table(palette)) => self.take_palette(palette),
                ("roles", DeValue::Table(roles)) => self.take_roles(roles),
                ("palette" | "roles", _) => {
                    self.flaw(value.span(), ThemeError::Table(key_text.to_owned()));
                }
                _ => self.flaw(key.span(), ThemeError::Key(key_text.to_owned())),
            }
        }
    }

    fn take_palette(&mut self, palette: &DeTable<'_>) {
        for (key, value) in palette {
            let name = key.get_ref().as_ref().to_owned();
            match value.get_ref().as_str().and_then(colour) {
                Some(colour) => {
                    self.palette.insert(name, colour);
                }
                None => self.flaw(value.span(), ThemeError::Palette { name }),
            }
        }
    }

    fn take_roles(&mut self, roles: &DeTable<'_>) {
        for (key, value) in roles {
            let word = key.get_ref().as_ref();
            let Some(role) = Role::ALL.iter().find(|role| role.as_str() == word) else {
                let role = word.to_owned();
                self.flaw(key.span(), ThemeError::Role { role });
                continue;
            };
            let DeValue::Table(style) = value.get_ref() else {
                self.flaw(value.span(), ThemeError::Table(word.to_owned()));
                continue;
            };
            let written = self.written(role.as_str(), style);
            self.roles.insert(role.as_str(), written);
        }
    }

    /// Reads a style such as `{ fg = "red", bg = "#102030", bold = true }`.
    fn written(&mut self, role: &str, style: &DeTable<'_>) -> UnresolvedStyle {
        let mut written = UnresolvedStyle::default();
        for (key, value) in style {
            let word = key.get_ref().as_ref();
            let modifier = MODIFIERS.iter().find(|(name, _)| *name == word);
            match (word, modifier) {
                ("fg", _) => written.fg = self.named(role, value),
                ("bg", _) => written.bg = self.named(role, value),
                (_, Some((_, modifier))) => match value.get_ref().as_bool() {
                    Some(true) => written.modifiers |= *modifier,
                    Some(false) => {}
                    None => {
                        let (role, key) = (role.to_owned(), word.to_owned());
                        self.flaw(value.span(), ThemeError::Flag { role, key });
                    }
                },
                (_, None) => {
                    let (role, key) = (role.to_owned(), word.to_owned());
                    self.flaw(key_span(style, word), ThemeError::Attribute { role, key });
                }
            }
        }
        written
    }

    fn named(&mut self, role: &str, value: &Spanned<DeValue<'_>>) -> Option<ColorName> {
        let name = value.get_ref().as_str();
        if name.is_none() {
            let (role, value_text) = (role.to_owned(), "a number or a table".to_owned());
            let error = ThemeError::Colour {
                role,
                value: value_text,
            };
            self.flaw(value.span(), error);
        }
        Some((name?.to_owned(), value.span().start))
    }

    /// Makes the style of a role, with its colours looked up in the palette.
    fn style(&mut self, role: &'static str) -> Style {
        let Some(written) = self.roles.get(role).cloned() else {
            self.flaw(0..0, ThemeError::Missing(role));
            return Style::new();
        };
        let mut style = Style::new().add_modifier(written.modifiers);
        style.fg = self.looked_up(role, written.fg);
        style.bg = self.looked_up(role, written.bg);
        style
    }

    fn looked_up(&mut self, role: &str, named: Option<ColorName>) -> Option<Color> {
        let (value, at) = named?;
        let found = self.palette.get(&value).copied();
        let found = found.or_else(|| colour(&value));
        if found.is_none() {
            let role = role.to_owned();
            self.flaw(at..at, ThemeError::Colour { role, value });
        }
        found
    }
}

fn key_span(table: &DeTable<'_>, word: &str) -> Range<usize> {
    let entry = table.iter().find(|(key, _)| key.get_ref().as_ref() == word);
    entry.map_or(0..0, |(key, _)| key.span())
}

fn colour(value: &str) -> Option<Color> {
    match value {
        "default" => Some(Color::Reset),
        _ => Color::from_str(value).ok(),
    }
}
