//! Colours: roles, themes, and how many colours the terminal gets.
//!
//! Decides how a role looks. Drawing code names roles only; `reduce` removes colours at the very end, in the finished
//! buffer, because the terminal library loses bold and reversed under `NO_COLOR`. [`mod@file`] reads theme files, and
//! [`catalogue`] lists the themes.

mod catalogue;
mod file;

use ratatui::buffer::Buffer;
use ratatui::style::{Color, Style};

pub use catalogue::{Themes, names};
pub use file::ThemeError;

macro_rules! roles {
    ($($(#[$doc:meta])* $name:ident = $word:literal,)*) => {
        /// The purpose of a piece of the screen.
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
    /// Everything without another role; its background is the screen's.
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
    /// A picture that stands for an invisible character.
    Picture = "picture",
    /// The background of a line that only the old text has.
    Removed = "removed",
    /// The background of a line that only the new text has.
    Added = "added",
    /// The removed part of a line.
    RemovedWord = "removed-word",
    /// The added part of a line.
    AddedWord = "added-word",
    /// A token that costs the score the most.
    Cost = "cost",
    /// A part that a repair removed.
    Struck = "struck",
    /// Gutter `✓`: a line that ran.
    Covered = "covered",
    /// Gutter `~`: a line that ran in part.
    Partly = "partly",
    /// Gutter `✗`: a line that did not run.
    Missed = "missed",
    /// The outcome of a prediction that was executed: `U`, and so on.
    RanUnparsable = "ran-unparsable",
    RanNotCompilable = "ran-not-compilable",
    RanNotExecuted = "ran-not-executed",
    RanTimeout = "ran-timeout",
    RanCrash = "ran-crash",
    RanFailing = "ran-failing",
    RanPassing = "ran-passing",
    RanCorrect = "ran-correct",
    /// The reason why a prediction has no outcome.
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

/// The number of colours that the terminal shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Depth {
    True,
    Indexed,
    Sixteen,
    /// No colours: bold, reversed and symbols carry all meaning.
    Mono,
}

/// `COLORTERM` does not cross ssh; these names of terminals do, and promise true colours.
const TRUE_COLOUR_TERMINALS: &[&str] =
    &["direct", "kitty", "alacritty", "foot", "ghostty", "wezterm"];

impl Depth {
    /// Guesses it from the environment. The terminal is asked nothing, because its answers get lost in tmux and over
    /// ssh.
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

impl Theme {
    /// Makes a theme with a style for each role.
    #[cfg(test)]
    pub fn of(style: impl Fn(Role) -> Style) -> Self {
        Self {
            name: "made for a test".to_owned(),
            styles: Role::ALL.iter().map(|role| style(*role)).collect(),
        }
    }

    #[must_use]
    pub fn style(&self, role: Role) -> Style {
        self.styles.get(role as usize).copied().unwrap_or_default()
    }
}

/// Replaces the colours of a finished frame that the terminal does not have.
pub fn reduce(buffer: &mut Buffer, depth: Depth) {
    for cell in &mut buffer.content {
        cell.fg = match (depth, cell.fg) {
            (Depth::Sixteen, Color::Rgb(red, green, blue)) => sixteen_of_hue(red, green, blue),
            (depth, colour) => reduced(colour, depth),
        };
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

/// Finds the nearest colour of the 6×6×6 cube and the 24 greys (xterm's numbers; the first 16 vary and are not used).
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

/// The sixteen colours of VGA, with their hues; greys have none.
const SIXTEEN: [(Color, [u8; 3], Option<f64>); 16] = [
    (Color::Black, [0, 0, 0], None),
    (Color::Red, [170, 0, 0], Some(0.0)),
    (Color::Green, [0, 170, 0], Some(120.0)),
    (Color::Yellow, [170, 85, 0], Some(60.0)),
    (Color::Blue, [0, 0, 170], Some(240.0)),
    (Color::Magenta, [170, 0, 170], Some(300.0)),
    (Color::Cyan, [0, 170, 170], Some(180.0)),
    (Color::Gray, [170, 170, 170], None),
    (Color::DarkGray, [85, 85, 85], None),
    (Color::LightRed, [255, 85, 85], Some(0.0)),
    (Color::LightGreen, [85, 255, 85], Some(120.0)),
    (Color::LightYellow, [255, 255, 85], Some(60.0)),
    (Color::LightBlue, [85, 85, 255], Some(240.0)),
    (Color::LightMagenta, [255, 85, 255], Some(300.0)),
    (Color::LightCyan, [85, 255, 255], Some(180.0)),
    (Color::White, [255, 255, 255], None),
];

/// Finds the nearest of the sixteen colours.
fn sixteen(red: u8, green: u8, blue: u8) -> Color {
    nearest_of_sixteen([red, green, blue], |_| true)
}

/// Finds the nearest of the sixteen colours with about the same hue. Otherwise pale colours would turn grey, and green
/// must not look like red.
fn sixteen_of_hue(red: u8, green: u8, blue: u8) -> Color {
    /// A hue farther away on the wheel is another colour.
    const HUE_DIFFERENCE_MAX: f64 = 40.0;
    let rgb = [red, green, blue];
    let Some(wanted) = hue(rgb) else {
        return sixteen(red, green, blue);
    };
    nearest_of_sixteen(rgb, |hue| {
        hue.is_some_and(|hue| {
            let apart = (hue - wanted).rem_euclid(360.0);
            apart.min(360.0 - apart) <= HUE_DIFFERENCE_MAX
        })
    })
}

fn nearest_of_sixteen(rgb: [u8; 3], is_allowed: impl Fn(Option<f64>) -> bool) -> Color {
    SIXTEEN
        .iter()
        .filter(|(_, _, hue)| is_allowed(*hue))
        .min_by_key(|(_, of, _)| distance(*of, rgb))
        .map_or(Color::Reset, |(colour, _, _)| *colour)
}

/// Computes the hue in degrees, red at 0 and green at 120; nothing for greys and near-blacks.
fn hue(rgb: [u8; 3]) -> Option<f64> {
    /// A smaller difference between the channels looks grey.
    const CHROMA_MIN: u8 = 40;
    /// A darker colour looks black, such as letters on a bright bar.
    const LIGHT_MIN: u8 = 80;
    let [red, green, blue] = rgb.map(f64::from);
    let (most, least) = (rgb.into_iter().max()?, rgb.into_iter().min()?);
    let chroma = most - least;
    if most < LIGHT_MIN || chroma < CHROMA_MIN || chroma < most / 5 {
        return None;
    }
    let chroma = f64::from(chroma);
    let sixth = if most == rgb[0] {
        (green - blue) / chroma
    } else if most == rgb[1] {
        (blue - red) / chroma + 2.0
    } else {
        (red - green) / chroma + 4.0
    };
    Some((60.0 * sixth).rem_euclid(360.0))
}

fn distance(a: [u8; 3], b: [u8; 3]) -> u32 {
    a.iter()
        .zip(b)
        .map(|(a, b)| u32::from(a.abs_diff(b)).pow(2))
        .sum()
}

#[cfg(test)]
mod tests;
