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

use ratatui::layout::{Position, Size};

use crate::app::charts::Charted;
use crate::app::palette::Palette;
use crate::app::saved::ToWrite;
use crate::app::session::Place;
use crate::config::{Config, Saved, Session};
use crate::event::{Effect, Event, Mouse, MouseKind, Notice, Outbox};
use crate::key::{Code, Key};
use crate::keymap::{AppCommand, Command, Context, Found, Keymap, Motion};
use crate::model::RepoRow;
use crate::paint::Cache;
use crate::question::{Answer, Explained, Failure, Query, Reply, Slot};
use crate::review::Reviewing;
use crate::screen::Screen;
use crate::screen::annotate::Annotate;
use crate::screen::compare::Compare;
use crate::screen::disagree::Disagree;
use crate::screen::docs::Docs;
use crate::screen::home::Home;
use crate::screen::jobs::Jobs;
use crate::screen::jobs::form::JobForm;
use crate::screen::repos::Repos;
use crate::screen::results::Results;
use crate::screen::runs::Runs;
use crate::screen::sample::SampleScreen;
use crate::screen::samples::Samples;
use crate::term::Clipboard;
use crate::text::visible;
use crate::theme::{Depth, Role, Theme};
use crate::widget::chooser::Chooser;
use crate::widget::finder::Finder;
use crate::widget::overlay::{Help, Prompt};

/// Smaller than this, one line says so.
pub const SIZE_MIN: Size = Size::new(60, 16);
/// Someone who knows the keys never sees the menu.
const WHICH_KEY_MS: u64 = 300;

/// What lies over the screen.
#[derive(Clone, Debug)]
enum Overlay {
    Help(Help),
    /// A line of input.
    Ask(Asked, Prompt),
    /// The methods of the repository of the sample that is judged.
    Finder(Box<Finder>),
    /// Something to be chosen by a few letters.
    Choose(Choosing, Box<Chooser>),
    /// What the annotator did last.
    Past {
        cursor: usize,
    },
    /// Why the selected candidate weighs what it weighs.
    Why,
    /// What is known of the sample besides its code.
    Facts,
    Chart(Box<Charted>),
    /// A job to be started.
    Form(Box<JobForm>),
    /// What is known of a job.
    JobFacts(Vec<(String, String)>),
    Confirm {
        question: String,
        confirmed: Confirmed,
    },
    Told(Told),
}

/// What a line of input is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Asked {
    /// The filter of the list on the screen.
    Filter,
    Search,
    /// The metrics to evaluate.
    Metrics,
    /// A note on the sample that is judged.
    Note,
    /// Why a disagreement is ruled so.
    Reason,
    /// The queue to be judged.
    Queue,
    /// The columns of a table.
    Columns,
    /// The file that a list is written to.
    Export,
    /// The name of a filter that is saved.
    FilterName,
    /// A file to be written.
    Path,
}

/// What is chosen from a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Choosing {
    /// The run whose results are shown.
    Run,
    /// The run that it is held against.
    Baseline,
    /// The metric that is looked at.
    Metric,
    /// One more run to compare.
    AnotherRun,
    /// What the list is grouped by.
    Group,
    /// What a prediction does differently.
    Tags,
    /// A filter that was saved.
    SavedFilter,
    Theme,
    /// The kind of job to be started.
    Job,
    Chart,
    /// Anything.
    Palette,
}

/// What happens after a yes.
#[derive(Clone, Debug)]
enum Confirmed {
    Remove(String),
    /// Accepts what an audit did not draw.
    AcceptRest,
    /// Forgets the jobs that have ended.
    ClearJobs,
    /// Saves the filter under a name that another one has.
    SaveFilter(String),
}

/// How work ended, and what there is to know or to do about it.
#[derive(Clone, Debug)]
struct Told {
    title: &'static str,
    text: String,
    role: Role,
    hint: String,
    /// Enter opens the queue of stale verdicts.
    opens_stale: bool,
}

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
    outbox: Outbox,
    cache: Cache,
    /// The way back; the last is shown. Home is always at the bottom.
    stack: Vec<Screen>,
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
    saved: Saved,
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
    overlay: Option<Overlay>,
    pending: Vec<Key>,
    shows_which_key: bool,
    wake_token: u64,
    message: Option<(String, Role)>,
    wraps: bool,
    /// The last key was ^c.
    wants_out: bool,
    is_dirty: bool,
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
            saved: Saved::default(),
            filter_to_save: String::new(),
            to_write: None,
            is_building_demo: false,
            palette: Palette::default(),
            depth: start.depth,
            keymap: Keymap::of(&start.config.keys).0,
            outbox: Outbox::default(),
            cache: Cache::default(),
            stack: vec![Screen::Home],
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
            overlay: None,
            pending: Vec::new(),
            shows_which_key: false,
            wake_token: 0,
            message: None,
            wraps: true,
            wants_out: false,
            is_dirty: true,
        };
        app.outbox.ask(Slot::Funnel, Query::Funnel);
        app.outbox.ask(Slot::Repos, Query::Repos);
        app.outbox.ask(Slot::Runs, Query::Runs);
        app.outbox.ask(Slot::ConflictCount, Query::ConflictCount);
        app.jobs.ask(&mut app.outbox);
        app.outbox.ask(Slot::Saved, Query::Saved);
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
        let effects = app.outbox.take();
        (app, effects)
    }

    #[must_use]
    pub const fn size(&self) -> Size {
        self.size
    }

    /// Returns whether the screen has changed since the last call.
    pub fn take_dirty(&mut self) -> bool {
        std::mem::take(&mut self.is_dirty)
    }

    /// Takes in what happened; returns what is to be done outside.
    pub fn update(&mut self, event: Event) -> Vec<Effect> {
        self.is_dirty = true;
        match event {
            Event::Key(key) => self.on_key(key),
            Event::Repeat(key) => self.on_repeat(key),
            Event::Mouse(mouse) => self.on_mouse(mouse),
            Event::Paste(text) => self.on_paste(&text),
            Event::Resize(size) => self.size = size,
            Event::Reply(reply) => self.on_reply(reply),
            Event::Notice(notice) => self.on_notice(notice),
        }
        self.settle_theme();
        self.arrange();
        let panes = [
            &mut self.sample,
            &mut self.annotate.panes,
            &mut self.disagree.panes,
        ];
        let of_samples = panes.into_iter().flat_map(SampleScreen::take_unpainted);
        let of_samples = of_samples.chain(self.results.take_unpainted());
        for job in of_samples.chain(self.compare.take_unpainted()) {
            if self.cache.want(job.id) {
                self.outbox.push(Effect::Paint(job));
            }
        }
        self.outbox.take()
    }

    fn screen(&self) -> Screen {
        self.stack.last().copied().unwrap_or(Screen::Home)
    }

    /// Returns who hears keys now.
    fn context(&self) -> Context {
        match &self.overlay {
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
        self.message = Some((text.into(), role));
    }

    fn on_key(&mut self, key: Key) {
        self.message = None;
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
                self.outbox.push(Effect::Wake {
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
        if self.overlay.is_some() {
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
            Screen::Samples => self.samples.point(at, &mut self.outbox),
            Screen::Sample => self.sample.point(at),
            Screen::Annotate => self.annotate.panes.point(at),
            Screen::Disagree => self.disagree.point(at, &mut self.outbox),
            Screen::Runs => self.runs.point(at, &mut self.outbox),
            Screen::Results => self.results.point(at, &mut self.outbox),
            Screen::Compare => self.compare.point(at, &mut self.outbox),
            Screen::Jobs => self.jobs.point(at, &mut self.outbox),
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
        if !self.outbox.is_current(&reply) {
            self.is_dirty = false;
            return;
        }
        match reply.answer {
            Ok(Answer::Item(key, item))
                if matches!(reply.slot, Slot::Conflict | Slot::NextConflict) =>
            {
                self.disagree.take_item(key, item, &mut self.outbox);
            }
            Ok(Answer::Chart(kind, figure)) => self.take_chart(reply.slot, kind, figure),
            Ok(answer) => self.on_answer(answer),
            Err(failure) => self.on_failure(reply.slot, &failure),
        }
    }

    fn on_answer(&mut self, answer: Answer) {
        match answer {
            Answer::Funnel(funnel) => self.home.take_funnel(funnel),
            Answer::Repos(repos) => {
                self.home.take_repos(repos.clone());
                self.repos.take_repos(repos);
                self.restore_item(Screen::Repos);
            }
            Answer::Problems(problems) => self.repos.take_problems(problems),
            Answer::Count(n_total) => self.samples.take_count(n_total),
            Answer::Page(page) => {
                if page.is_not_found {
                    let text = format!("{}: no test of that name", self.samples.needle());
                    self.say(visible(&text), Role::Warning);
                }
                if self.samples.take_page(page, &mut self.outbox) {
                    self.miss_sample();
                }
            }
            Answer::Detail(detail) => self.on_detail(detail),
            Answer::Runs(runs) => {
                self.home.take_runs(&runs);
                self.compare.take_runs(&runs, &mut self.outbox);
                self.runs.take_runs(runs, &mut self.outbox);
                self.restore_item(Screen::Runs);
                self.restore_runs();
                self.open_waiting_results();
            }
            Answer::Queue(found) => self.annotate.take_queue(found, &mut self.outbox),
            Answer::Item(key, item) => self.annotate.take_item(key, item, &mut self.outbox),
            Answer::Past(past) => self.annotate.take_past(past),
            Answer::Acceptance(acceptance) => self.ask_to_accept(&acceptance),
            Answer::AuditReport(report) => self.annotate.take_report(report),
            Answer::Declared(key, catalogue) => self.take_declared(key, &catalogue),
            Answer::MethodSource(method, snippet) => self.take_source(&method, snippet.as_deref()),
            Answer::Bands(bands) => self.annotate.take_bands(bands),
            Answer::Agreement(agreed) => {
                let numbers = &mut self.disagree.numbers;
                numbers.take_agreement(agreed, &mut self.outbox);
            }
            Answer::Intervals(intervals) => self.disagree.numbers.take_intervals(intervals),
            Answer::Conflicts(conflicts, versions) => {
                let outbox = &mut self.outbox;
                self.disagree.take_conflicts(conflicts, versions, outbox);
                self.restore_item(Screen::Disagree);
                self.home.take_conflicts(self.disagree.n_open() as u64);
            }
            Answer::ConflictCount(n) => self.home.take_conflicts(n),
            Answer::Saved(saved) => self.take_saved(*saved),
            Answer::Named(rows) => self.take_named(rows),
            Answer::Chart(kind, figure) => self.take_chart(Slot::Chart, kind, figure),
            Answer::Results(answer) => self.on_results(*answer),
            Answer::Compare(answer) => self.on_compare(answer),
            Answer::Jobs(answer) => self.on_jobs(*answer),
            Answer::RunProblems(run, problems) => self.runs.take_problems(run, problems),
            Answer::Files(listing) => match &mut self.overlay {
                Some(Overlay::Form(form)) => {
                    if form.take_listing(&listing) {
                        self.ask_files();
                    }
                }
                _ => self.is_dirty = false,
            },
        }
    }

    fn on_detail(&mut self, explained: Option<Box<Explained>>) {
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

    fn on_failure(&mut self, slot: Slot, failure: &Failure) {
        match slot {
            Slot::Funnel => self.home.fail(failure),
            Slot::Repos => self.repos.fail(failure),
            Slot::Page => self.samples.fail(failure),
            Slot::Runs => {
                self.runs.fail(failure);
                self.forget_runs();
                self.open_waiting_results();
            }
            Slot::Chart => self.fail_chart(failure),
            // Nobody has asked for it.
            Slot::HomeChart => {}
            slot if slot.is_of_results() => self.results.fail(slot, failure),
            slot if slot.is_of_compare() => self.compare.fail(slot, failure),
            Slot::Mined => self.cannot_mine_again(failure),
            slot if slot.is_of_jobs() => self.jobs.fail(slot, failure),
            Slot::Queue | Slot::Item => self.annotate.fail(failure),
            Slot::Agreement | Slot::Conflicts | Slot::Conflict => self.disagree.fail(failure),
            _ => {
                if let Failure::Other(text) = failure {
                    self.say(text.clone(), Role::Error);
                }
            }
        }
    }

    fn on_notice(&mut self, notice: Notice) {
        match notice {
            Notice::Painted { id, painted } => self.cache.keep(id, painted),
            Notice::Woken { token } => {
                self.is_dirty = token == self.wake_token && !self.pending.is_empty();
                self.shows_which_key |= self.is_dirty;
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
                self.ask_home_chart(body);
            }
        }
        if let Some(Overlay::Finder(finder)) = &mut self.overlay {
            finder.arrange(body);
        }
    }
}
