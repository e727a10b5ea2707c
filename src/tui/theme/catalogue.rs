//! The known themes: those of the binary, and the user's own files.
//!
//! The user's themes come from a folder beside the user's settings, never from a workspace, which may be somebody
//! else's: colours run nothing, but they could hide parts of the screen. A theme with the name of one in the binary
//! takes its place.

use super::file::{self, ThemeError};
use super::{Depth, Theme};
use crate::config::parse::TextPlaces;
use crate::config::{ConfigProblem, ThemeFile};

macro_rules! built_in {
    ($($name:literal),* $(,)?) => {
        /// The themes in the binary.
        const BUILT_IN: &[(&str, &str)] = &[
            $(($name, include_str!(concat!("../../../themes/", $name, ".toml"))),)*
        ];
    };
}

built_in![
    "dark",
    "light",
    "ansi16",
    "catppuccin-mocha",
    "dracula",
    "gruvbox-dark",
    "nord",
    "solarized-dark",
    "solarized-light",
    "colorblind-deutan",
    "colorblind-tritan",
];

/// Returns the names of the themes in the binary.
pub fn names() -> Vec<&'static str> {
    BUILT_IN.iter().map(|(name, _)| *name).collect()
}

fn source_of(name: &str) -> Option<&'static str> {
    let found = BUILT_IN.iter().find(|(known, _)| *known == name);
    found.map(|(_, source)| *source)
}

impl Theme {
    /// Looks up a theme of the binary by its name.
    ///
    /// # Errors
    /// [`ThemeError::Unknown`] lists the names that exist.
    pub fn named(name: &str) -> Result<Self, ThemeError> {
        Themes::default().named(name)
    }
}

/// All themes that can be used.
#[derive(Clone, Debug, Default)]
pub struct Themes {
    /// The user's themes without flaws.
    own: Vec<Theme>,
}

impl Themes {
    /// Reads the user's themes; flaws of one are problems, and the others can be used.
    #[must_use]
    pub fn of(files: &[ThemeFile]) -> (Self, Vec<ConfigProblem>) {
        let (mut themes, mut problems) = (Self::default(), Vec::new());
        for source in files {
            match file::read(&source.name, &source.text, &source_of) {
                Ok(theme) => themes.own.push(theme),
                Err(flaws) => {
                    let places = TextPlaces::new(&source.path, &source.text);
                    problems.extend(flaws.into_iter().map(|flaw| ConfigProblem {
                        place: places.at(flaw.at),
                        text: flaw.error.to_string(),
                    }));
                }
            }
        }
        (themes, problems)
    }

    /// Iterates over all names, those of the binary first.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let own = self.own.iter().map(|theme| theme.name.as_str());
        let own = own.filter(|name| source_of(name).is_none());
        BUILT_IN.iter().map(|(name, _)| *name).chain(own)
    }

    /// Tells whether one of the user's themes has this name.
    #[must_use]
    pub fn is_own(&self, name: &str) -> bool {
        self.own.iter().any(|theme| theme.name == name)
    }

    /// Looks up a theme by its name.
    ///
    /// # Errors
    /// [`ThemeError::Unknown`] lists the names that exist.
    pub fn named(&self, name: &str) -> Result<Theme, ThemeError> {
        if let Some(own) = self.own.iter().find(|theme| theme.name == name) {
            return Ok(own.clone());
        }
        let source = source_of(name).ok_or_else(|| ThemeError::Unknown {
            name: name.to_owned(),
            known: self.names().collect::<Vec<_>>().join(", "),
        })?;
        file::read(name, source, &source_of).map_err(|flaws| {
            let first = flaws.into_iter().next();
            first.expect("a failure has a flaw").error
        })
    }

    /// Chooses the theme for a terminal of `depth` when the user named none: with few colours the terminal's own
    /// sixteen, else dark or light as `COLORFGBG` says.
    ///
    /// # Errors
    /// None in practice: a test reads every theme of the binary.
    pub fn automatic(
        &self,
        depth: Depth,
        variable: &dyn Fn(&str) -> Option<String>,
    ) -> Result<Theme, ThemeError> {
        let background = variable("COLORFGBG")
            .and_then(|value| value.rsplit(';').next().map(str::to_owned))
            .unwrap_or_default();
        let name = match depth {
            Depth::Sixteen | Depth::Mono => "ansi16",
            _ if matches!(background.as_str(), "7" | "15") => "light",
            _ => "dark",
        };
        self.named(name)
    }
}
