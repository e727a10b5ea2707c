//! The whole screen as a value: events in, effects out, and a pure `draw`.
//!
//! Decides which screen hears what. Everything a screen knows is in the screen; everything that costs time is an
//! effect. After each event the areas are laid out anew, so that drawing only draws.
//!
//! ```text
//! focalist  gh Home  gs Samples  gp Repos                    1 204 tests · 3 repositories
//! the line that says where one is: the filter, the sample, what Enter does
//! ┌ the screen ─────────────────────────────────────────────────────────────────────────┐
//! └─────────────────────────────────────────────────────────────────────────────────────┘
//! Enter open  f filter  / search  …  ? help                                 what happened
//! ```

mod act;
mod annotate;
mod charts;
mod choose;
mod compare;
mod difference;
mod disagree;
mod jobs;
mod palette;
mod results;
mod runs;
mod saved;
mod session;
mod typing;
mod view;

pub use self::view::body_of;

use std::any::Any;

use ratatui::layout::{Position, Size};

use crate::app::palette::Palette;
use crate::app::saved::ToWrite;
use crate::app::session::Place;
use crate::config::{Config, Session};
use crate::desk::overlay::Overlay;
use crate::desk::{Desk, Way, Wish};
use crate::event::{Effect, Event, Mouse, MouseKind, Notice};
use crate::key::{Code, Key};
use crate::keymap::{AppCommand, Command, Context, Found, Keymap, Motion};
use crate::model::RepoRow;
use crate::question::shared::{Explained, Repos as AskRepos, Runs as AskRuns};
use crate::question::{Failure, Reply};
use crate::review::Reviewing;
use crate::screen::Screen;
use crate::screen::annotate::Annotate;
use crate::screen::compare::Compare;
use crate::screen::disagree::Disagree;
use crate::screen::docs::Docs;
use crate::screen::home::Home;
use crate::screen::jobs::Jobs;
use crate::screen::repos::Repos;
use crate::screen::results::Results;
use crate::screen::runs::Runs;
use crate::screen::sample::SampleScreen;
use crate::screen::samples::Samples;
use crate::term::Clipboard;
use crate::theme::{Depth, Role, Theme};

/// Smaller than this, one line says so.
pub const SIZE_MIN: Size = Size::new(60, 16);
/// Someone who knows the keys never sees the menu.
const WHICH_KEY_MS: u64 = 300;

/// How the UI begins.
#[derive(Clone, Debug)]
pub struct Start {
    pub size: Size,
    /// Keys, and how much is wrong with them.
    pub config: Config,
    pub theme: Theme,
    pub depth: Depth,
    /// Opens the list under this filter instead of Home.
    pub filter: Option<String>,
    /// Where somebody was the last time; the empty one is the beginning.
    pub session: Session,
    pub clipboard: Clipboard,
    pub reviewing: Reviewing,
    /// Opens the screen where samples are judged.
    pub is_reviewing: bool,
}

#[derive(Debug)]
#[expect(
    clippy::struct_excessive_bools,
    reason = "each is a mode of its own; no two exclude each other"
)]
pub struct App {
    size: Size,
    theme: Theme,
    depth: Depth,
    keymap: Keymap,
    desk: Desk,
    home: Home,
    samples: Samples,
    sample: SampleScreen,
    repos: Repos,
    runs: Runs,
    results: Results,
    compare: Compare,
    annotate: Annotate,
    disagree: Disagree,
    jobs: Jobs,
    /// The repository that is being mined again, until its job has a number.
    mines_again: Option<Box<RepoRow>>,
    /// What is to be saved under a name that is asked for.
    filter_to_save: String,
    to_write: Option<ToWrite>,
    is_building_demo: bool,
    palette: Palette,
    /// The theme that is shown unless another one is previewed.
    own_theme: String,
    /// The one that was chosen here, or in the session before.
    chosen_theme: Option<String>,
    clipboard: Clipboard,
    place: Place,
    pending: Vec<Key>,
    shows_which_key: bool,
    wake_token: u64,
    wraps: bool,
    /// The last key was ^c.
    wants_out: bool,
}

impl App {
    /// Returns the UI as it starts, and what it wants to know first.
    #[must_use]
    pub fn new(start: Start) -> (Self, Vec<Effect>) {
        let mut app = Self {
            size: start.size,
            own_theme: start.theme.name.clone(),
            theme: start.theme,
            chosen_theme: None,
            clipboard: start.clipboard,
            place: Place::default(),
            filter_to_save: String::new(),
            to_write: None,
            is_building_demo: false,
            palette: Palette::default(),
            depth: start.depth,
            keymap: Keymap::of(&start.config.keys).0,
            desk: Desk::new(),
            home: Home::default(),
            samples: Samples::default(),
            sample: SampleScreen::default(),
            repos: Repos::default(),
            runs: Runs::default(),
            results: Results::new(&start.reviewing.annotator),
            compare: Compare::default(),
            jobs: Jobs::default(),
            disagree: Disagree::new(&start.reviewing),
            annotate: Annotate::new(start.reviewing),
            mines_again: None,
            pending: Vec::new(),
            shows_which_key: false,
            wake_token: 0,
            wraps: true,
            wants_out: false,
        };
        Home::ask(&mut app.desk);
        app.ask_repos();
        app.ask_runs();
        Home::ask_conflicts(&mut app.desk);
        app.jobs.ask(&mut app.desk);
        app.ask_saved();
        let n_problems = start.config.problems.len() + super::check(&start.config).len();
        if n_problems > 0 {
            let s = if n_problems == 1 { "" } else { "s" };
            let text = format!("{n_problems} problem{s} in config.toml · focalist config check");
            app.say(text, Role::Warning);
        }
        if let Some(text) = start.filter {
            app.open_samples(&text);
        } else if !start.is_reviewing {
            app.restore(start.session);
        }
        if start.is_reviewing {
            app.go_annotate();
        }
        app.arrange();
        let effects = app.desk.take_effects();
        (app, effects)
    }

    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// Returns whether the screen has changed since the last call.
    pub fn take_dirty(&mut self) -> bool {
        std::mem::take(&mut self.desk.is_dirty)
    }

    /// Takes in what happened; returns what is to be done outside.
    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        self.desk.is_dirty = true;
        match event {
            Event::Key(key) => self.on_key(key),
            Event::Repeat(key) => self.on_repeat(key),
            Event::Mouse(mouse) => self.on_mouse(mouse),
            Event::Paste(text) => self.on_paste(&text),
            Event::Resize(size) => self.size = size,
            Event::Reply(reply) => self.on_reply(reply),
            Event::Notice(notice) => self.on_notice(notice),
        }
        self.grant();
        self.settle_theme();
        self.arrange();
        let panes = [
            &mut self.sample,
            &mut self.annotate.panes,
            &mut self.disagree.panes,
        ];
        let of_samples = panes.into_iter().flat_map(SampleScreen::take_unpainted);
        let of_samples = of_samples.chain(self.results.take_unpainted());
        self.desk
            .paint(of_samples.chain(self.compare.take_unpainted()));
        self.desk.take_effects()
    }

    fn screen(&self) -> Screen {
        self.desk.screen()
    }

    /// Returns who hears keys now.
    fn context(&self) -> Context {
        match &self.desk.overlay {
            Some(Overlay::Help(_)) => Context::Help,
            Some(Overlay::Ask(_, _) | Overlay::Finder(_) | Overlay::Choose(_, _)) => Context::Input,
            Some(Overlay::Past { .. } | Overlay::Chart(_)) => Context::List,
            Some(Overlay::Form(_)) => Context::Form,
            Some(Overlay::Confirm { .. }) => Context::Confirm,
            Some(Overlay::Why | Overlay::Facts | Overlay::JobFacts(_) | Overlay::Told(_))
            | None => Context::On(self.screen()),
        }
    }

    fn say(&mut self, text: impl Into<String>, role: Role) {
        self.desk.say(text, role);
    }

    fn on_key(&mut self, key: Key) {
        self.desk.message = None;
        let context = self.context();
        let mut keys = std::mem::take(&mut self.pending);
        let had_prefix = !keys.is_empty();
        keys.push(key);
        let had_menu = std::mem::take(&mut self.shows_which_key);
        match self.keymap.find(context, &keys) {
            Found::Command(command) => {
                self.note_way_out(command);
                self.wants_out &= command == Command::App(AppCommand::Cancel);
                self.run(command);
            }
            Found::Prefix => {
                self.pending = keys;
                self.shows_which_key = had_menu;
                self.wake_token += 1;
                self.desk.push(Effect::Wake {
                    after_ms: WHICH_KEY_MS,
                    token: self.wake_token,
                });
            }
            // A slip after a prefix shows what would have been right; a second one gives up.
            Found::Nothing if had_prefix && !had_menu && key.code != Code::Esc => {
                keys.pop();
                self.pending = keys;
                self.shows_which_key = true;
            }
            Found::Nothing if had_prefix => {}
            Found::Nothing => self.type_key(key),
        }
    }

    fn on_mouse(&mut self, mouse: Mouse) {
        if self.desk.overlay.is_some() {
            return;
        }
        // Some terminals report places that are not on the screen.
        let at = Position {
            x: mouse.at.x.min(self.size.width.saturating_sub(1)),
            y: mouse.at.y.min(self.size.height.saturating_sub(1)),
        };
        let is_hit = match self.screen() {
            Screen::Home => mouse.kind != MouseKind::Click || self.home.point(at),
            Screen::Samples
            | Screen::Runs
            | Screen::Results
            | Screen::Compare
            | Screen::Disagree
            | Screen::Jobs
                if mouse.kind != MouseKind::Click =>
            {
                true
            }
            Screen::Samples => self.samples.point(at, &mut self.desk),
            Screen::Sample => self.sample.point(at),
            Screen::Annotate => self.annotate.panes.point(at),
            Screen::Disagree => self.disagree.point(at, &mut self.desk),
            Screen::Runs => self.runs.point(at, &mut self.desk),
            Screen::Results => self.results.point(at, &mut self.desk),
            Screen::Compare => self.compare.point(at, &mut self.desk),
            Screen::Jobs => self.jobs.point(at, &mut self.desk),
            _ => mouse.kind != MouseKind::Click || self.repos.point(at),
        };
        if is_hit {
            match mouse.kind {
                MouseKind::WheelUp => self.scroll(Motion::Up),
                MouseKind::WheelDown => self.scroll(Motion::Down),
                MouseKind::Click => {}
            }
        }
    }

    fn on_reply(&mut self, reply: Reply) {
        match self.desk.way_of(&reply) {
            None => self.desk.is_dirty = false,
            Some(Way::App(take)) => take(self, reply.answer),
            Some(Way::Screen(screen, take)) => {
                let (part, desk) = self.part(screen);
                take(part, reply.answer, desk);
            }
        }
    }

    /// Returns what a screen knows, and what all share.
    fn part(&mut self, screen: Screen) -> (&mut dyn Any, &mut Desk) {
        let part: &mut dyn Any = match screen {
            Screen::Home => &mut self.home,
            Screen::Samples => &mut self.samples,
            Screen::Sample => &mut self.sample,
            Screen::Repos => &mut self.repos,
            Screen::Runs => &mut self.runs,
            Screen::Results => &mut self.results,
            Screen::Compare => &mut self.compare,
            Screen::Annotate => &mut self.annotate,
            Screen::Disagree => &mut self.disagree,
            Screen::Jobs => &mut self.jobs,
        };
        (part, &mut self.desk)
    }

    /// Does what screens want of each other.
    fn grant(&mut self) {
        while let Some(wish) = self.desk.next_wish() {
            match wish {
                Wish::Restore(screen) => self.restore_item(screen),
                Wish::MissSample => self.miss_sample(),
                Wish::Show(explained) => self.show_sample(explained),
                Wish::Conflicts(n_open) => self.home.take_conflicts(n_open),
                Wish::Ended(jobs) => self.on_jobs_ended(&jobs),
            }
        }
    }

    fn ask_repos(&mut self) {
        self.desk
            .ask_for(AskRepos, |app: &mut Self, answer| match answer {
                Ok(repos) => {
                    app.home.take_repos(repos.clone());
                    app.repos.take_repos(repos);
                    app.restore_item(Screen::Repos);
                }
                Err(failure) => app.repos.fail(&failure),
            });
    }

    fn ask_runs(&mut self) {
        self.desk.ask_for(AskRuns, |app: &mut Self, answer| {
            match answer {
                Ok(runs) => {
                    app.home.take_runs(&runs);
                    app.compare.take_runs(&runs, &mut app.desk);
                    app.runs.take_runs(runs, &mut app.desk);
                    app.restore_item(Screen::Runs);
                    app.restore_runs();
                }
                Err(failure) => {
                    app.runs.fail(&failure);
                    app.forget_runs();
                }
            }
            app.open_waiting_results();
        });
    }

    fn take_detail(&mut self, answer: Result<Option<Box<Explained>>, Failure>) {
        match answer {
            Ok(explained) => self.show_sample(explained),
            Err(failure) => self.desk.say_failure(&failure),
        }
    }

    fn show_sample(&mut self, explained: Option<Box<Explained>>) {
        if self.restore_opened(explained.is_some()) && explained.is_none() {
            return;
        }
        let Some(explained) = explained else {
            self.say(
                "this sample is no longer in the index · ^l reads again",
                Role::Warning,
            );
            return;
        };
        let docs = Docs::of(&explained.detail);
        self.samples.show(&explained.detail.row, &docs);
        self.sample.show(*explained, docs);
    }

    fn on_notice(&mut self, notice: Notice) {
        match notice {
            Notice::Painted { id, painted } => self.desk.cache.keep(id, painted),
            Notice::Woken { token } => {
                self.desk.is_dirty = token == self.wake_token && !self.pending.is_empty();
                self.shows_which_key |= self.desk.is_dirty;
            }
            Notice::Tick => self.on_tick(),
            Notice::Edited(Ok(())) => {
                self.say("back from the editor · ^l reads the index again", Role::Dim);
            }
            Notice::Edited(Err(text)) => self.say(text, Role::Error),
            Notice::Ended(ended) => self.on_ended(*ended),
            Notice::Finished(finished) => self.on_finished(*finished),
            Notice::Written(written) => self.on_written(*written),
            Notice::Broken(text) => self.say(format!("a worker failed: {text}"), Role::Error),
        }
    }

    fn arrange(&mut self) {
        let [_, _, body, _] = self.areas();
        if self.is_too_small() {
            return;
        }
        match self.screen() {
            Screen::Samples => self.samples.arrange(body, self.wraps),
            Screen::Sample => self.sample.arrange(body, self.wraps),
            Screen::Annotate => self.annotate.panes.arrange(body, self.wraps),
            Screen::Disagree => self.disagree.arrange(body, self.wraps),
            Screen::Repos => self.repos.arrange(body),
            Screen::Runs => self.runs.arrange(body),
            Screen::Results => self.results.arrange(body, self.wraps),
            Screen::Compare => self.compare.arrange(body, self.wraps),
            Screen::Jobs => self.jobs.arrange(body),
            _ => {
                self.home.arrange(body);
                self.home.ask_chart(body, &mut self.desk);
            }
        }
        if let Some(Overlay::Finder(finder)) = &mut self.desk.overlay {
            finder.arrange(body);
        }
    }
}
