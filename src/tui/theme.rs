//! Colours: roles, themes in TOML, and how many colours the terminal gets.
//!
//! Decides how a role looks. Drawing code names roles only; `reduce` takes colours away at the very end, in the
//! finished buffer, because the terminal library loses bold and reversed under `NO_COLOR`.

use std::str::FromStr;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Modifier, Style};

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// What a piece of the screen is for.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum Role { $($(#[$doc])* $name,)* }

        impl Role {
            pub const ALL: &[Self] = &[$(Self::$name,)*];

            /// Returns the name used in theme files.
            #[must_use]
            pub const fn as_str(self) -> &'static str {
                match self { $(Self::$name => $word,)* }
            }
        }
    };
}

roles! {
    /// Everything that is nothing else; its background is the screen's.
    Text = "text",
    Dim = "dim",
    Strong = "strong",
    Border = "border",
    /// Border and title of the pane with the focus.
    Focus = "focus",
    /// Title of a pane without the focus.
    Title = "title",
    /// The bar at the top and the line under it.
    Bar = "bar",
    BarActive = "bar-active",
    /// A key in the footer and in the help.
    Key = "key",
    /// The row under the cursor.
    Selected = "selected",
    /// The row under the cursor of a pane without the focus.
    Marked = "marked",
    /// Help, input, menus.
    Popup = "popup",
    Good = "good",
    Warning = "warning",
    Error = "error",
    Gauge = "gauge",
    GaugeRest = "gauge-rest",
    LineNumber = "line-number",
    /// Gutter `S`.
    Setup = "setup",
    /// Gutter `▶`.
    Focal = "focal",
    /// Gutter `A`.
    Assertion = "assertion",
    /// The text of a focal call.
    FocalCall = "focal-call",
    /// The text of an assertion call.
    AssertionCall = "assertion-call",
    /// A hit of the search.
    Match = "match",
    MatchCurrent = "match-current",
    /// A picture that stands for a character one cannot see.
    Picture = "picture",
    /// Under a line that only the old text has.
    Removed = "removed",
    /// Under a line that only the new text has.
    Added = "added",
    /// What of a line goes.
    RemovedWord = "removed-word",
    /// What of a line comes.
    AddedWord = "added-word",
    /// What costs a score the most.
    Cost = "cost",
    /// What a repair took away.
    Struck = "struck",
    /// Gutter `✓`: a line that ran.
    Covered = "covered",
    /// Gutter `~`: a line that ran in part.
    Partly = "partly",
    /// Gutter `✗`: a line that did not run.
    Missed = "missed",
    /// `U`, and so on: what became of a prediction that was run.
    RanUnparsable = "ran-unparsable",
    RanNotCompilable = "ran-not-compilable",
    RanNotExecuted = "ran-not-executed",
    RanTimeout = "ran-timeout",
    RanCrash = "ran-crash",
    RanFailing = "ran-failing",
    RanPassing = "ran-passing",
    RanCorrect = "ran-correct",
    /// Why nothing became of it.
    RanBlocked = "ran-blocked",
    Keyword = "syntax-keyword",
    Type = "syntax-type",
    Function = "syntax-function",
    String = "syntax-string",
    Escape = "syntax-escape",
    Number = "syntax-number",
    Constant = "syntax-constant",
    Comment = "syntax-comment",
    Annotation = "syntax-annotation",
    Operator = "syntax-operator",
}

/// How many colours the terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    True,
    Indexed,
    Sixteen,
    /// None at all: bold, reversed and symbols carry everything.
    Mono,
}

/// `COLORTERM` does not cross ssh; these names do.
const TRUE_COLOUR_TERMINALS: &[&str] =
    &["direct", "kitty", "alacritty", "foot", "ghostty", "wezterm"];

impl Depth {
    /// Returns what the environment promises. Nothing is asked of the terminal: answers get lost in tmux and over ssh.
    #[must_use]
    pub fn detect(variable: &dyn Fn(&str) -> Option<String>) -> Self {
        let is = |name: &str, words: &[&str]| {
            variable(name).is_some_and(|value| words.iter().any(|word| value.contains(word)))
        };
        if variable("NO_COLOR").is_some_and(|value| !value.is_empty()) || is("TERM", &["dumb"]) {
            Self::Mono
        } else if is("COLORTERM", &["truecolor", "24bit"]) || is("TERM", TRUE_COLOUR_TERMINALS) {
            Self::True
        } else if is("TERM", &["256color"]) {
            Self::Indexed
        } else {
            Self::Sixteen
        }
    }
}

/// A set of styles, one per [`Role`].
#[derive(Clone, Debug, PartialEq)]
pub struct Theme {
    pub name: String,
    styles: Vec<Style>,
}

/// A theme file that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ThemeError {
    #[error("no theme is called `{name}`; known: {known}")]
    Unknown { name: String, known: String },
    #[error("not TOML: {0}")]
    Syntax(String),
    #[error("`{0}` is no role")]
    Role(String),
    #[error("the role `{0}` is missing")]
    Missing(&'static str),
    #[error("`{value}` in `{role}` is no colour")]
    Colour { role: String, value: String },
}

/// The themes in the binary.
const BUILT_IN: &[(&str, &str)] = &[
    ("dark", include_str!("../../themes/dark.toml")),
    ("light", include_str!("../../themes/light.toml")),
    ("ansi16", include_str!("../../themes/ansi16.toml")),
];

impl Theme {
    /// Returns the names of the themes in the binary.
    pub fn names() -> impl Iterator<Item = &'static str> {
        BUILT_IN.iter().map(|(name, _)| *name)
    }

    /// Returns a theme of the binary by its name.
    ///
    /// # Errors
    /// [`ThemeError::Unknown`] lists the names that exist.
    pub fn named(name: &str) -> Result<Self, ThemeError> {
        let source = BUILT_IN.iter().find(|(it, _)| *it == name);
        let (name, source) = source.ok_or_else(|| ThemeError::Unknown {
            name: name.to_owned(),
            known: Self::names().collect::<Vec<_>>().join(", "),
        })?;
        Self::parse(name, source)
    }

    /// Returns the theme for a terminal of `depth` when the user named none: with few colours the terminal's own
    /// sixteen, else dark or light as `COLORFGBG` says.
    ///
    /// # Errors
    /// None in practice: a test reads every theme of the binary.
    pub fn automatic(
        depth: Depth,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Self, ThemeError> {
        let background = variable("COLORFGBG")
            .and_then(|value| value.rsplit(';').next().map(str::to_owned))
            .unwrap_or_default();
        let name = match depth {
            Depth::Sixteen | Depth::Mono => "ansi16",
            _ if matches!(background.as_str(), "7" | "15") => "light",
            _ => "dark",
        };
        Self::named(name)
    }

    /// Reads a theme file.
    ///
    /// # Errors
    /// What is wrong with the file, by the name of the role.
    pub fn parse(name: &str, source: &str) -> Result<Self, ThemeError> {
        let table =
            toml::Table::from_str(source).map_err(|error| ThemeError::Syntax(error.to_string()))?;
        let empty = toml::Table::new();
        let section = |key: &str| {
            table
                .get(key)
                .and_then(toml::Value::as_table)
                .unwrap_or(&empty)
        };
        let (palette, roles) = (section("palette"), section("roles"));
        if let Some(word) = roles.keys().find(|word| !is_role(word)) {
            return Err(ThemeError::Role(word.clone()));
        }
        let styles = Role::ALL.iter().map(|role| {
            let entry = roles.get(role.as_str());
            let entry = entry.ok_or(ThemeError::Missing(role.as_str()))?;
            style(role.as_str(), entry, palette)
        });
        Ok(Self {
            name: name.to_owned(),
            styles: styles.collect::<Result<_, _>>()?,
        })
    }

    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }
}

fn is_role(word: &str) -> bool {
    Role::ALL.iter().any(|role| role.as_str() == word)
}

/// Reads `{ fg = "red", bg = "#102030", bold = true }`.
fn style(role: &str, entry: &toml::Value, palette: &toml::Table) -> Result<Style, ThemeError> {
    let colour = |key: &str| -> Result<Option<Color>, ThemeError> {
        let Some(value) = entry.get(key).and_then(toml::Value::as_str) else {
            return Ok(None);
        };
        let named = palette.get(value).and_then(toml::Value::as_str);
        let value = named.unwrap_or(value);
        let colour = match value {
            "default" => Some(Color::Reset),
            _ => Color::from_str(value).ok(),
        };
        colour.map(Some).ok_or_else(|| ThemeError::Colour {
            role: role.to_owned(),
            value: value.to_owned(),
        })
    };
    let mut style = Style::new();
    style.fg = colour("fg")?;
    style.bg = colour("bg")?;
    let modifiers = [
        ("bold", Modifier::BOLD),
        ("italic", Modifier::ITALIC),
        ("underlined", Modifier::UNDERLINED),
        ("reversed", Modifier::REVERSED),
        ("struck", Modifier::CROSSED_OUT),
    ];
    for (word, modifier) in modifiers {
        if entry.get(word).and_then(toml::Value::as_bool) == Some(true) {
            style = style.add_modifier(modifier);
        }
    }
    Ok(style)
}

/// Takes from a finished frame the colours that the terminal does not have.
pub fn reduce(buffer: &mut Buffer, depth: Depth) {
    for cell in &mut buffer.content {
        cell.fg = reduced(cell.fg, depth);
        cell.bg = reduced(cell.bg, depth);
    }
}

fn reduced(colour: Color, depth: Depth) -> Color {
    match (depth, colour) {
        (Depth::Mono, _) => Color::Reset,
        (Depth::Indexed, Color::Rgb(red, green, blue)) => indexed(red, green, blue),
        (Depth::Sixteen, Color::Rgb(red, green, blue)) => sixteen(red, green, blue),
        (_, colour) => colour,
    }
}

/// Returns the nearest of the 6×6×6 cube and the 24 greys (xterm's numbers; the first 16 vary and are not used).
fn indexed(red: u8, green: u8, blue: u8) -> Color {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let nearest = |value: u8| {
        (0..6u8)
            .min_by_key(|idx| LEVELS[usize::from(*idx)].abs_diff(value))
            .unwrap_or_default()
    };
    let [r, g, b] = [red, green, blue].map(nearest);
    let cube = [r, g, b].map(|idx| LEVELS[usize::from(idx)]);
    let mean = (u16::from(red) + u16::from(green) + u16::from(blue)) / 3;
    let grey_idx = (mean.saturating_sub(3) / 10).min(23) as u8;
    let grey = [8 + 10 * grey_idx; 3];
    if distance(grey, [red, green, blue]) < distance(cube, [red, green, blue]) {
        Color::Indexed(232 + grey_idx)
    } else {
        Color::Indexed(16 + 36 * r + 6 * g + b)
    }
}

fn sixteen(red: u8, green: u8, blue: u8) -> Color {
    const COLOURS: [(Color, [u8; 3]); 16] = [
        (Color::Black, [0, 0, 0]),
        (Color::Red, [170, 0, 0]),
        (Color::Green, [0, 170, 0]),
        (Color::Yellow, [170, 85, 0]),
        (Color::Blue, [0, 0, 170]),
        (Color::Magenta, [170, 0, 170]),
        (Color::Cyan, [0, 170, 170]),
        (Color::Gray, [170, 170, 170]),
        (Color::DarkGray, [85, 85, 85]),
        (Color::LightRed, [255, 85, 85]),
        (Color::LightGreen, [85, 255, 85]),
        (Color::LightYellow, [255, 255, 85]),
        (Color::LightBlue, [85, 85, 255]),
        (Color::LightMagenta, [255, 85, 255]),
        (Color::LightCyan, [85, 255, 255]),
        (Color::White, [255, 255, 255]),
    ];
    COLOURS
        .iter()
        .min_by_key(|(_, rgb)| distance(*rgb, [red, green, blue]))
        .map_or(Color::Reset, |(colour, _)| *colour)
}

fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    a.iter()
        .zip(b)
        .map(|(a, b)| u32::from(a.abs_diff(b)).pow(2))
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &'static [(&str, &str)]) -> impl Fn(&str) -> Option<String> {
        |name| {
            let found = pairs.iter().find(|(it, _)| *it == name);
            found.map(|(_, value)| (*value).to_owned())
        }
    }

    fn check_depth(pairs: &'static [(&str, &str)], expected: Depth) {
        assert_eq!(Depth::detect(&environment(pairs)), expected);
    }

    #[test]
    fn the_environment_decides_the_colours() {
        check_depth(&[("TERM", "xterm")], Depth::Sixteen);
        check_depth(&[("TERM", "xterm-256color")], Depth::Indexed);
        check_depth(&[("TERM", "xterm-kitty")], Depth::True);
        check_depth(
            &[("TERM", "xterm-256color"), ("COLORTERM", "truecolor")],
            Depth::True,
        );
        check_depth(
            &[("COLORTERM", "truecolor"), ("NO_COLOR", "1")],
            Depth::Mono,
        );
        check_depth(&[("TERM", "xterm"), ("NO_COLOR", "")], Depth::Sixteen);
    }

    #[test]
    fn a_light_terminal_gets_the_light_theme() {
        let theme = Theme::automatic(Depth::True, &environment(&[("COLORFGBG", "0;15")]));
        assert_eq!(theme.map(|theme| theme.name).as_deref(), Ok("light"));
    }

    #[test]
    fn a_role_that_does_not_exist_is_named() {
        assert_eq!(
            Theme::parse("x", "[roles]\nsidebar = {}"),
            Err(ThemeError::Role("sidebar".to_owned()))
        );
    }

    #[test]
    fn without_colours_the_modifiers_stay() {
        let mut buffer = Buffer::empty(ratatui::layout::Rect::new(0, 0, 1, 1));
        let style = Style::new().fg(Color::Red).bg(Color::Blue).bold();
        buffer.set_string(0, 0, "x", style);
        reduce(&mut buffer, Depth::Mono);
        let cell = &buffer[(0, 0)];
        assert_eq!((cell.fg, cell.bg), (Color::Reset, Color::Reset));
        assert!(cell.modifier.contains(Modifier::BOLD));
    }

    #[test]
    fn a_quantised_colour_stays_close() {
        assert_eq!(indexed(255, 0, 0), Color::Indexed(196));
        assert_eq!(indexed(18, 18, 18), Color::Indexed(233));
        assert_eq!(sixteen(250, 80, 80), Color::LightRed);
    }

    /// Relative luminance and contrast as WCAG 2.1 defines them.
    fn contrast(a: Color, b: Color) -> f64 {
        fn luminance(colour: Color) -> f64 {
            let Color::Rgb(red, green, blue) = colour else {
                panic!("{colour:?} is not a true colour");
            };
            let linear = [red, green, blue].map(|value| {
                let value = f64::from(value) / 255.0;
                if value <= 0.040_45 {
                    value / 12.92
                } else {
                    ((value + 0.055) / 1.055).powf(2.4)
                }
            });
            0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        }
        let (a, b) = (luminance(a), luminance(b));
        (a.max(b) + 0.05) / (a.min(b) + 0.05)
    }

    #[test]
    fn everything_that_is_read_has_a_contrast_of_at_least_4_5() {
        for name in ["dark", "light"] {
            let theme = Theme::named(name).expect("a theme of the binary");
            let text = theme.style(Role::Text);
            // Nobody reads a border or the empty part of a bar.
            let silent = [Role::Border, Role::GaugeRest, Role::Gauge];
            // What may lie under a text that brings no background of its own: of a row, a line, or a word.
            let grounds = [
                Role::Text,
                Role::Selected,
                Role::Marked,
                Role::Popup,
                Role::Bar,
                Role::FocalCall,
                Role::Removed,
                Role::Added,
                Role::RemovedWord,
                Role::AddedWord,
            ];
            for role in Role::ALL.iter().filter(|role| !silent.contains(role)) {
                let style = theme.style(*role);
                let front = style.fg.or(text.fg).expect("the text has a colour");
                let own = style.bg.map(|ground| (*role, ground));
                let grounds: Vec<(Role, Color)> = match own {
                    Some(own) => vec![own],
                    None => grounds
                        .iter()
                        .filter_map(|role| Some((*role, theme.style(*role).bg?)))
                        .collect(),
                };
                for (under, ground) in grounds {
                    let ratio = contrast(front, ground);
                    assert!(ratio >= 4.5, "{name}: {role:?} on {under:?} has {ratio:.2}");
                }
            }
        }
    }

    #[test]
    fn every_theme_of_the_binary_is_complete() {
        for name in Theme::names() {
            let theme = Theme::named(name).expect("a theme of the binary");
            assert_eq!(theme.styles.len(), Role::ALL.len());
        }
    }
}
