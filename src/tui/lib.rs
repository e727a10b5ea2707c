//! The terminal UI: `update(UiEvent) -> Vec<Effect>` and a pure `draw`.
//!
//! Decides how an index looks and which key does what. Does not read the index itself: `browse` does, on threads of its
//! own. Verbs change it, on a thread of their own.
//!
//! ```text
//! input, signals, readers, painter, work ──► run ──► app ──► screens ──► widgets
//!   threads that only send                   loop    value   values      drawing
//! ```
//!
//! [`run()`] is the program; [`render`] draws what it would show after some keys, for pictures and tests.

use focalist_browse as browse;
use focalist_chart as chart;
use focalist_clover as clover;
use focalist_config as config;
use focalist_consistency as consistency;
use focalist_diff as diff;
use focalist_eval as eval;
use focalist_execute as execute;
use focalist_job as job;
use focalist_leakage as leakage;
use focalist_metric as metric;
use focalist_mine as mine;
use focalist_model as model;
use focalist_mutate as mutate;
use focalist_plot as plot;
use focalist_review as review;
use focalist_store as store;
use focalist_task as task;

mod app;
mod chore;
mod command_log;
mod desk;
mod editor;
mod environment;
mod event;
mod files;
mod filter;
#[cfg(test)]
mod fixture;
mod key;
mod keymap;
mod layout;
mod metrics;
mod own;
mod pace;
mod paint;
mod pool;
mod question;
mod run;
mod scene;
mod screen;
mod scribe;
mod select;
pub mod shot;
mod stage;
mod term;
#[cfg(test)]
mod tests;
mod text;
mod theme;
mod visibility;
mod widget;
mod words;
mod work;
mod wrap;

use std::io::{self, IsTerminal};
use std::path::PathBuf;

use ratatui::buffer::Buffer;
use ratatui::layout::Size;

use crate::app::UiStart;
use crate::config::{Config, ConfigProblem, Session, session};
use crate::job::Verbs;
use crate::keymap::Keymap;
use crate::model::Finding;
use crate::question::source::{AnswerSource, SharedJobTable};
use crate::question::{AnyQuestion, QuestionFailure};
use crate::review::ReviewOptions;
use crate::stage::UiStage;
use crate::store::Store;
use crate::term::{Clipboard, FrameOutput, Surface};

pub use crate::key::UnknownKey;
use crate::theme::Themes;
pub use crate::theme::{Depth, Theme, ThemeError};
pub use crate::visibility::{VisibleSample, fit};

/// Options to start the UI with.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The folder `.focalist`; it may be missing or hold no index.
    pub workspace: PathBuf,
    /// The user's configuration; an option here wins over it, and a setting that cannot be used is reported and does no
    /// harm.
    pub config: Config,
    /// The theme's name; without it the configuration decides, and without that the terminal.
    pub theme: Option<String>,
    /// How many colours; without it the environment decides (`NO_COLOR`, `COLORTERM`, `TERM`).
    pub depth: Option<Depth>,
    /// Opens the list of samples under this filter.
    pub filter: Option<String>,
    /// The annotator's name and the way of judging.
    pub reviewing: ReviewOptions,
    /// Opens the screen where samples are judged.
    pub is_reviewing: bool,
    /// The place where the UI opens, instead of the last session's.
    pub at: Option<Session>,
    /// Ends with the samples that are chosen in the list, and draws on the terminal device: standard output is for the
    /// picked samples.
    pub is_picking: bool,
    /// Options that a command in the log needs to reach the same workspace.
    pub global: Vec<String>,
    /// Hears the mouse; without it the terminal's own selection of text works.
    pub mouse: bool,
    /// The verbs that jobs can be started with.
    pub verbs: Verbs,
}

/// How the UI ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UiExit {
    /// The signal that ended it; the program should end with 128 and this number.
    pub signal: Option<i32>,
    /// The keys of the picked samples.
    pub picked: Vec<String>,
}

#[derive(Debug, thiserror::Error)]
pub enum Error {
    #[error("standard output is not a terminal")]
    NotATerminal,
    #[error("there is no terminal to pick on")]
    NoTerminal,
    #[error(transparent)]
    Theme(#[from] ThemeError),
    #[error(transparent)]
    Keys(#[from] UnknownKey),
    #[error("the terminal cannot be used")]
    Terminal(#[source] io::Error),
}

/// Opens the index of a workspace until the user quits.
///
/// # Errors
/// When there is no terminal or it fails, or the theme is unknown. Problems of the index are shown, not returned.
pub fn run(options: Options) -> Result<UiExit, Error> {
    let out = if options.is_picking {
        FrameOutput::terminal().map_err(|_| Error::NoTerminal)?
    } else if io::stdout().is_terminal() {
        FrameOutput::standard()
    } else {
        return Err(Error::NotATerminal);
    };
    let variable = |name: &str| std::env::var(name).ok();
    // A user who asks for a certain place gets it, and the saved session stays as it was.
    let asks = options.filter.is_some() || options.is_reviewing || options.at.is_some();
    let keeps = !asks && options.config.keeps_session();
    let state = session::state_folder().filter(|_| keeps);
    let session = state
        .as_deref()
        .map(|state| Session::load(state, &options.workspace));
    let session = options.at.clone().or(session).unwrap_or_default();
    let (theme, depth) = appearance(&options, session.theme.as_deref(), &variable)?;
    let clipboard = Clipboard::detect(&variable);
    let filter = options.filter;
    let (reviewing, is_reviewing) = (options.reviewing, options.is_reviewing);
    let (is_picking, global) = (options.is_picking, options.global);
    let has_mouse = options.mouse || options.config.has_mouse();
    let config = options.config;
    let verbs = options.verbs;
    let start = |size: Size| UiStart {
        size,
        config,
        theme,
        depth,
        filter,
        session,
        clipboard,
        reviewing,
        is_reviewing,
        verbs,
        is_picking,
        global,
    };
    let keep = |session: &Session| {
        if let Some(state) = &state {
            // A convenience: a user who leaves need not be told that the next session starts at Home.
            let _unkept = session.save(state, &options.workspace);
        }
    };
    let surface = Surface { out, has_mouse };
    run::run(&options.workspace, start, surface, keep).map_err(Error::Terminal)
}

/// Chooses theme and colours. The theme of `--theme` wins over the one that was chosen in the UI the last time, and
/// that over the configuration's. With few colours or none the terminal's own sixteen are used, whatever the theme's
/// name: only they can be told apart then.
fn appearance(
    options: &Options,
    chosen: Option<&str>,
    variable: &dyn Fn(&str) -> Option<String>,
) -> Result<(Theme, Depth), ThemeError> {
    let depth = options.depth.unwrap_or_else(|| Depth::detect(variable));
    let has_few = matches!(depth, Depth::Sixteen | Depth::Mono);
    let themes = Themes::of(&options.config.themes).0;
    let theme = match &options.theme {
        Some(name) if !has_few => themes.named(name)?,
        Some(name) => {
            // A name that does not exist is an error here, too.
            themes.named(name)?;
            themes.automatic(depth, variable)?
        }
        // Here a name that does not exist is a problem to report, and no reason not to open.
        None => {
            let names = chosen.into_iter().chain(options.config.theme());
            let named = names
                .filter(|_| !has_few)
                .find_map(|name| themes.named(name).ok());
            match named {
                Some(theme) => theme,
                None => themes.automatic(depth, variable)?,
            }
        }
    };
    Ok((theme, depth))
}

/// Lists every key with its action, as they are set, under a heading for each place where it is heard.
#[must_use]
pub fn keys(config: &Config) -> Vec<String> {
    Keymap::of_config(config).0.listing()
}

/// Writes the same as a table in Markdown, a row for each action.
#[must_use]
pub fn keys_markdown(config: &Config) -> String {
    Keymap::of(&config.keys).0.markdown()
}

/// Finds the problems of the configuration that only the terminal UI knows: keys, actions and themes.
#[must_use]
pub fn check(config: &Config) -> Vec<ConfigProblem> {
    let (themes, of_themes) = Themes::of(&config.themes);
    let theme = config.get("theme").and_then(|set| {
        let error = themes.named(config.theme()?).err()?;
        Some(ConfigProblem {
            place: set.place.clone(),
            text: error.to_string(),
        })
    });
    theme
        .into_iter()
        .chain(of_themes)
        .chain(Keymap::of_config(config).1)
        .collect()
}

/// Describes the surroundings as the terminal UI would find them with this configuration and theme.
#[must_use]
pub fn look_around(config: &Config, theme: Option<&str>) -> Vec<Finding> {
    environment::findings(&Options {
        config: config.clone(),
        theme: theme.map(str::to_owned),
        ..Options::default()
    })
}

/// Returns the names of the themes in the binary.
#[must_use]
pub fn themes() -> Vec<&'static str> {
    theme::names()
}

/// Lists the themes that can be used with this configuration, and whether each is the user's own.
#[must_use]
pub fn known_themes(config: &Config) -> Vec<(String, bool)> {
    let themes = Themes::of(&config.themes).0;
    let with_origin = |name: &str| (name.to_owned(), themes.is_own(name));
    themes.names().map(with_origin).collect()
}

/// A frame to draw without a terminal.
#[derive(Clone, Debug)]
pub struct Shot<'a> {
    pub width: u16,
    pub height: u16,
    pub theme: &'a str,
    pub depth: Depth,
    /// Keys to press first, such as `gsjj<enter>`.
    pub keys: &'a str,
    /// The annotator's name.
    pub annotator: Option<&'a str>,
    /// The verbs that jobs can be started with.
    pub verbs: Verbs,
}

/// Draws the UI of an index after some keys; every question is answered at once.
///
/// # Errors
/// An unknown theme or key.
pub fn render(store: &Store, shot: Shot<'_>) -> Result<Buffer, Error> {
    let start = UiStart {
        size: Size::new(shot.width, shot.height),
        config: Config::default(),
        theme: Theme::named(shot.theme)?,
        depth: shot.depth,
        filter: None,
        session: Session::default(),
        clipboard: Clipboard::default(),
        reviewing: ReviewOptions {
            annotator: shot.annotator.unwrap_or_default().to_owned(),
            ..ReviewOptions::default()
        },
        is_reviewing: false,
        verbs: shot.verbs,
        is_picking: false,
        global: Vec::new(),
    };
    let jobs = SharedJobTable::default();
    let source = AnswerSource::of(store, &jobs);
    let answer = |asked: &dyn AnyQuestion| asked.find(&source).map_err(QuestionFailure::from);
    let mut stage = UiStage::new(start, answer);
    stage.press(shot.keys)?;
    stage.finish();
    Ok(stage.frame())
}
