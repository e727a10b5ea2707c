//! The whole screen as a value: events in, effects out, and a pure `draw`.
//!
//! Decides which screen hears what. A screen keeps everything it knows; everything that costs time is an
//! effect. After each event the areas are laid out anew, so that drawing only draws.
//!
//! ```text
//! focalist  gh Home  gs Samples  gp Repos                    1 204 tests · 3 repositories
//! the line that tells the place: the filter, the sample, what Enter does
//! ┌ the screen ─────────────────────────────────────────────────────────────────────────┐
//! └─────────────────────────────────────────────────────────────────────────────────────┘
//! Enter open  f filter  / search  …  ? help                                 what happened
//! ```

mod act;
mod annotator;
mod charts;
mod choose;
mod log;
mod notices;
mod own;
mod palette;
mod requests;
mod saved;
mod session;
mod typing;
mod view;

pub use self::view::body_of;

use ratatui::layout::{Position, Size};

use crate::app::annotator::AnnotatorNames;
use crate::app::palette::Palette;
use crate::app::saved::PendingSave;
use crate::app::session::SessionHandover;
use crate::command_log::CommandLog;
use crate::config::{Config, OwnCommand, Session};
use crate::desk::overlay::{ChoicePurpose, Overlay};
use crate::desk::{AnswerRoute, Desk};
use crate::event::{Effect, Mouse, MouseKind, Notice, UiEvent};
use crate::job::Verbs;
use crate::key::{Code, KeyPress};
use crate::keymap::{AppCommand, Command, KeyContext, KeyMatch, Keymap, Motion};
use crate::question::QuestionReply;
use crate::review::ReviewOptions;
use crate::scene::Scene;
use crate::screen::Screen;
use crate::screen::annotate::Annotate;
use crate::screen::clover::Clover;
use crate::screen::compare::Compare;
use crate::screen::consistency::Consistency;
use crate::screen::disagree::Disagree;
use crate::screen::faults::Faults;
use crate::screen::home::Home;
use crate::screen::jobs::Jobs;
use crate::screen::repos::Repos;
use crate::screen::results::Results;
use crate::screen::runs::Runs;
use crate::screen::sample::alone::Sample;
use crate::screen::samples::Samples;
use crate::term::Clipboard;
use crate::theme::{Depth, Role, Theme, Themes};

/// On a smaller screen, one line asks for more room.
pub const SIZE_MIN: Size = Size::new(60, 16);
/// People who know the keys type on before the menu appears.
const WHICH_KEY_MS: u64 = 300;

/// How the UI begins.
#[derive(Clone, Debug)]
pub struct UiStart {
    pub size: Size,
    /// Keys, themes and own commands, and the problems found in `config.toml`.
    pub config: Config,
    pub theme: Theme,
    pub depth: Depth,
    /// Opens the list under this filter instead of Home.
    pub filter: Option<String>,
    /// The places of the last session; an empty one starts on Home.
    pub session: Session,
    pub clipboard: Clipboard,
    pub reviewing: ReviewOptions,
    /// Opens the screen where samples are judged.
    pub is_reviewing: bool,
    /// The verbs that jobs can be started with.
    pub verbs: Verbs,
    /// Enter in the list of samples ends the UI with the sample.
    pub is_picking: bool,
    /// Options that a command in the log needs to reach the same workspace.
    pub global: Vec<String>,
}

#[derive(Debug)]
pub struct App {
    desk: Desk,
    home: Home,
    samples: Samples,
    sample: Sample,
    repos: Repos,
    consistency: Consistency,
    clover: Clover,
    faults: Faults,
    runs: Runs,
    results: Results,
    compare: Compare,
    annotate: Annotate,
    disagree: Disagree,
    jobs: Jobs,
    appearance: Appearance,
    keys: KeyState,
    commands: Vec<OwnCommand>,
    command_log: CommandLog,
    palette: Palette,
    saving: PendingSave,
    place: SessionHandover,
    annotator_names: AnnotatorNames,
    /// How often marks were set in the list of samples.
    n_marked: u64,
    /// The last key was ^c.
    wants_out: bool,
    /// Enter in the list of samples ends the UI with the sample; leaving the list ends it with none.
    is_picking: bool,
}

/// The look of the whole screen.
#[derive(Debug)]
struct Appearance {
    themes: Themes,
    theme: Theme,
    depth: Depth,
    /// The theme that was configured; shown unless another one is previewed.
    own: String,
    /// The theme that was chosen here, or in the session before.
    chosen: Option<String>,
}

/// The meaning of keys, and the beginning of a sequence.
#[derive(Debug)]
struct KeyState {
    keymap: Keymap,
    pending: Vec<KeyPress>,
    shows_menu: bool,
    wake_token: u64,
}

impl App {
    /// Makes the UI as it starts, and its first questions.
    #[must_use]
    pub fn new(start: UiStart) -> (Self, Vec<Effect>) {
        let annotator_names = AnnotatorNames::new(&start);
        let mut app = Self {
            desk: Desk::new(start.size, start.clipboard),
            home: Home::default(),
            samples: Samples::new(start.reviewing.is_blind),
            sample: Sample::default(),
            repos: Repos::default(),
            consistency: Consistency::default(),
            clover: Clover::default(),
            faults: Faults::new(&start.reviewing.annotator),
            runs: Runs::default(),
            results: Results::new(&start.reviewing.annotator),
            compare: Compare::default(),
            jobs: Jobs::new(start.verbs),
            disagree: Disagree::new(&start.reviewing),
            annotate: Annotate::new(start.reviewing),
            appearance: Appearance {
                themes: Themes::of(&start.config.themes).0,
                own: start.theme.name.clone(),
                theme: start.theme,
                depth: start.depth,
                chosen: None,
            },
            keys: KeyState {
                keymap: Keymap::of_config(&start.config).0,
                pending: Vec::new(),
                shows_menu: false,
                wake_token: 0,
            },
            command_log: CommandLog::new(start.global),
            palette: Palette::default(),
            saving: PendingSave::default(),
            place: SessionHandover::default(),
            annotator_names,
            commands: Vec::new(),
            n_marked: 0,
            wants_out: false,
            is_picking: start.is_picking,
        };
        Home::ask(&mut app.desk);
        app.ask_repos();
        app.ask_runs();
        Home::ask_conflicts(&mut app.desk);
        app.jobs.ask(&mut app.desk);
        app.ask_saved();
        let n_problems = start.config.problems.len() + super::check(&start.config).len();
        app.commands = start.config.commands;
        if n_problems > 0 {
            let s = if n_problems == 1 { "" } else { "s" };
            let text = format!("{n_problems} problem{s} in config.toml · focalist config check");
            app.desk.show_message(text, Role::Warning);
        }
        if let Some(text) = start.filter {
            app.open_samples(&text);
        } else if !start.is_reviewing {
            app.restore(start.session);
        }
        if start.is_reviewing {
            app.go_to(Screen::Annotate);
        }
        app.grant();
        app.arrange();
        let effects = app.desk.take_effects();
        (app, effects)
    }

    #[must_use]
    pub const fn size(&self) -> Size {
        self.desk.size
    }

    /// Changes nothing but the colours.
    #[cfg(test)]
    pub fn wear(&mut self, theme: Theme, depth: Depth) {
        self.appearance.theme = theme;
        self.appearance.depth = depth;
    }

    /// Tells whether the screen has changed since the last call.
    pub fn take_dirty(&mut self) -> bool {
        std::mem::take(&mut self.desk.is_dirty)
    }

    /// Takes in an event; returns the effects outside.
    pub fn update(&mut self, event: UiEvent) -> Vec<Effect> {
        self.desk.is_dirty = true;
        match event {
            UiEvent::Key(key) => self.on_key(key),
            UiEvent::Repeat(key) => self.on_repeat(key),
            UiEvent::Mouse(mouse) => self.on_mouse(mouse),
            UiEvent::Paste(text) => self.on_paste(&text),
            UiEvent::Resize(size) => self.desk.size = size,
            UiEvent::Reply(reply) => self.on_reply(reply),
            UiEvent::Notice(notice) => self.on_notice(notice),
        }
        self.grant();
        self.settle_theme();
        self.arrange();
        for screen in Screen::ALL {
            let (scene, desk) = self.scene_of(screen);
            let jobs = scene.take_unpainted();
            desk.paint(jobs);
        }
        self.desk.take_effects()
    }

    /// Hears that the screen has been painted: only then can the sample on it be judged.
    pub fn drawn(&mut self, at_ms: i64) {
        if !self.is_too_small() {
            self.scene_mut().0.painted(at_ms);
            if let Some(Overlay::Alike(list)) = &mut self.desk.overlay {
                list.painted();
            }
        }
    }

    /// Looks up a screen, with the desk that all share.
    fn scene_of(&mut self, screen: Screen) -> (&mut dyn Scene, &mut Desk) {
        let scene: &mut dyn Scene = match screen {
            Screen::Home => &mut self.home,
            Screen::Samples => &mut self.samples,
            Screen::Sample => &mut self.sample,
            Screen::Repos => &mut self.repos,
            Screen::Consistency => &mut self.consistency,
            Screen::Clover => &mut self.clover,
            Screen::Faults => &mut self.faults,
            Screen::Runs => &mut self.runs,
            Screen::Results => &mut self.results,
            Screen::Compare => &mut self.compare,
            Screen::Annotate => &mut self.annotate,
            Screen::Disagree => &mut self.disagree,
            Screen::Jobs => &mut self.jobs,
        };
        (scene, &mut self.desk)
    }

    /// Looks up the visible screen, with the desk that all share.
    fn scene_mut(&mut self) -> (&mut dyn Scene, &mut Desk) {
        self.scene_of(self.desk.screen())
    }

    /// Looks up a screen, to read only.
    fn scene(&self, screen: Screen) -> &dyn Scene {
        match screen {
            Screen::Home => &self.home,
            Screen::Samples => &self.samples,
            Screen::Sample => &self.sample,
            Screen::Repos => &self.repos,
            Screen::Consistency => &self.consistency,
            Screen::Clover => &self.clover,
            Screen::Faults => &self.faults,
            Screen::Runs => &self.runs,
            Screen::Results => &self.results,
            Screen::Compare => &self.compare,
            Screen::Annotate => &self.annotate,
            Screen::Disagree => &self.disagree,
            Screen::Jobs => &self.jobs,
        }
    }

    fn screen(&self) -> Screen {
        self.desk.screen()
    }

    /// Finds the context that hears keys now.
    fn context(&self) -> KeyContext {
        match &self.desk.overlay {
            Some(Overlay::Help(_)) => KeyContext::Help,
            Some(Overlay::Ask(_, _) | Overlay::Finder(_) | Overlay::Choose(_, _)) => {
                KeyContext::Input
            }
            Some(
                Overlay::Past { .. } | Overlay::Chart(_) | Overlay::Alike(_) | Overlay::Log { .. },
            ) => KeyContext::List,
            Some(Overlay::Form(_)) => KeyContext::Form,
            Some(Overlay::Confirm { .. }) => KeyContext::Confirm,
            Some(
                Overlay::Why
                | Overlay::Facts
                | Overlay::JobFacts(_)
                | Overlay::Legend(_)
                | Overlay::Told(_),
            )
            | None => KeyContext::On(self.screen()),
        }
    }

    fn on_key(&mut self, key: KeyPress) {
        self.desk.message = None;
        let context = self.context();
        let mut keys = std::mem::take(&mut self.keys.pending);
        let had_prefix = !keys.is_empty();
        keys.push(key);
        let had_menu = std::mem::take(&mut self.keys.shows_menu);
        match self.keys.keymap.find(context, &keys) {
            KeyMatch::Command(command) => {
                self.note_way_out(command);
                self.wants_out &= command == Command::App(AppCommand::Cancel);
                self.run(command);
            }
            KeyMatch::Prefix => {
                self.keys.pending = keys;
                self.keys.shows_menu = had_menu;
                self.keys.wake_token += 1;
                self.desk.push(Effect::Wake {
                    after_ms: WHICH_KEY_MS,
                    token: self.keys.wake_token,
                });
            }
            // A slip after a prefix shows the keys that would fit; a second one gives up.
            KeyMatch::Nothing if had_prefix && !had_menu && key.code != Code::Esc => {
                keys.pop();
                self.keys.pending = keys;
                self.keys.shows_menu = true;
            }
            KeyMatch::Nothing if had_prefix => {}
            KeyMatch::Nothing => self.type_key(key),
        }
    }

    /// Hears a key that is held down: movements repeat, but verdicts and tags do not.
    fn on_repeat(&mut self, key: KeyPress) {
        let is_verdict = self.keys.pending.is_empty()
            && matches!(
                self.keys.keymap.find(self.context(), &[key]),
                KeyMatch::Command(command) if command.is_verdict()
            );
        let takes_tags = matches!(
            self.desk.overlay,
            Some(Overlay::Choose(ChoicePurpose::Tags, _))
        ) && matches!(key.code, Code::Enter | Code::Char(' ' | '1'..='9'));
        if is_verdict || takes_tags {
            self.desk
                .show_message("ignored: the key is held down", Role::Warning);
        } else {
            self.on_key(key);
        }
    }

    fn on_mouse(&mut self, mouse: Mouse) {
        if self.desk.overlay.is_some() {
            return;
        }
        // Some terminals report places that are not on the screen.
        let at = Position {
            x: mouse.at.x.min(self.desk.size.width.saturating_sub(1)),
            y: mouse.at.y.min(self.desk.size.height.saturating_sub(1)),
        };
        if at.y == 0 && mouse.kind == MouseKind::Click {
            if let Some(screen) = self.tab_at(at.x) {
                self.run(Command::App(AppCommand::Go(screen)));
            }
            return;
        }
        let (scene, desk) = self.scene_mut();
        let is_wheel = matches!(mouse.kind, MouseKind::WheelUp | MouseKind::WheelDown);
        let is_hit = (is_wheel && !scene.has_wheel_in_panes()) || scene.point(at, desk);
        if is_hit {
            match mouse.kind {
                MouseKind::WheelUp => self.scroll(Motion::Up),
                MouseKind::WheelDown => self.scroll(Motion::Down),
                MouseKind::Click => {}
                MouseKind::DoubleClick => self.run(Command::App(AppCommand::Open)),
            }
        }
    }

    fn on_reply(&mut self, reply: QuestionReply) {
        match self.desk.way_of(&reply) {
            None => self.desk.is_dirty = false,
            Some(AnswerRoute::App(take)) => take(self, reply.answer),
            Some(AnswerRoute::Screen(screen, take)) => {
                let (scene, desk) = self.scene_of(screen);
                take(scene, reply.answer, desk);
            }
        }
    }

    fn on_notice(&mut self, notice: Notice) {
        match notice {
            Notice::Painted { id, painted } => self.desk.cache.keep(id, painted),
            Notice::Woken { token } => {
                self.desk.is_dirty = token == self.keys.wake_token && !self.keys.pending.is_empty();
                self.keys.shows_menu |= self.desk.is_dirty;
            }
            Notice::Tick => self.on_tick(),
            Notice::Edited(Ok(())) => {
                self.desk
                    .show_message("back from the editor · ^l reads the index again", Role::Dim);
            }
            Notice::Started(Ok(())) => self.desk.show_message("back from your command", Role::Dim),
            Notice::Edited(Err(error)) | Notice::Started(Err(error)) => {
                self.desk.show_message(error.to_string(), Role::Error);
            }
            Notice::Ended(ended) => self.on_ended(*ended),
            Notice::Finished(finished) => self.on_finished(*finished),
            Notice::Written(written) => self.on_written(*written),
            Notice::Broken(text) => self
                .desk
                .show_message(format!("a worker failed: {text}"), Role::Error),
        }
    }

    fn arrange(&mut self) {
        let [_, _, body, _] = self.areas();
        if self.is_too_small() {
            return;
        }
        self.sample.position = self.samples.position();
        let (scene, desk) = self.scene_mut();
        scene.arrange(body, desk);
        match &mut self.desk.overlay {
            // The judged test stays in sight.
            Some(Overlay::Finder(finder)) => {
                finder.arrange(self.annotate.panes.area_beside_test(body));
            }
            Some(Overlay::Alike(list)) => list.arrange(body),
            _ => {}
        }
    }
}
