//! The place where the user left the program, as a value that is kept and restored.
//!
//! An old session must never hinder: anything that is gone is left out, and named in the footer.

use crate::app::App;
use crate::config::Session;
use crate::keymap::{AppCommand, Command};
use crate::model::{Matcher, SampleKey};
use crate::screen::faults::FaultsOrigin;
use crate::screen::home::Home;
use crate::screen::{Screen, session};
use crate::theme::Role;

/// The part of the last session that is still to be restored, and the place from which the user leaves this one.
#[derive(Debug, Default)]
pub(super) struct SessionHandover {
    /// The session, until the runs are known.
    session: Option<Box<Session>>,
    /// The item that comes under the cursor as soon as the rows of its screen are there.
    item: Option<(Screen, String)>,
    /// The sample to open over the screen as soon as it has been read.
    opened: Option<SampleKey>,
    /// The screens before the user went back, key after key: going straight back out of the program counts as leaving
    /// there.
    left_from: Option<Vec<Screen>>,
}

impl App {
    /// Takes in a key: any that does not lead out ends the way out.
    pub(super) fn note_way_out(&mut self, command: Command) {
        if !matches!(command, Command::App(AppCommand::Back | AppCommand::Close)) {
            self.place.left_from = None;
        }
    }

    /// Notes the screens from which the user starts to go back.
    pub(super) fn begin_way_out(&mut self) {
        let stack = &self.desk.stack;
        self.place.left_from.get_or_insert_with(|| stack.clone());
    }

    /// Describes the user's place.
    #[must_use]
    pub fn session(&self) -> Session {
        let stack = self.place.left_from.as_ref().unwrap_or(&self.desk.stack);
        let screens = stack.iter().filter(|screen| **screen != Screen::Home);
        // A screen that was not opened keeps the state of the session before.
        let left = self.place.session.as_deref().cloned();
        let shown = stack.get(1).copied();
        let is_waiting = left.is_some() && is_of_runs(shown);
        let mut session = Session {
            screen: screens.map(|screen| screen.word()).collect(),
            annotator: self.annotator_names.entered.clone(),
            theme: self.appearance.chosen.clone(),
            wraps: Some(self.desk.wraps),
            ..left.clone().unwrap_or_default()
        };
        for screen in Screen::ALL {
            if left.is_none() || !is_of_runs(Some(screen)) {
                self.scene(screen).keep(&mut session);
            }
        }
        if !is_waiting {
            self.add_cursor(shown, &mut session);
            let on_screen = match stack.last() {
                Some(Screen::Sample) => self
                    .sample
                    .panes
                    .detail
                    .as_ref()
                    .map(|sample_detail| sample_detail.row.key),
                Some(Screen::Faults) => self.faults.shown(),
                _ => None,
            };
            let lies_over = matches!(stack.last(), Some(Screen::Sample | Screen::Faults));
            let opened = self.place.opened.filter(|_| lies_over).or(on_screen);
            session.opened = opened.map(|sample_key| sample_key.to_string());
        }
        session
    }

    /// Adds the item under the cursor of a screen, or the one that will come there.
    fn add_cursor(&self, screen: Option<Screen>, session: &mut Session) {
        (session.sample, session.row, session.item) = (None, None, None);
        if let Some(screen) = screen {
            self.scene(screen).leave(session);
        }
        let to_come = self.place.item.clone();
        let to_come = to_come.filter(|to_come| Some(to_come.0) == screen);
        session.item = to_come.map(|to_come| to_come.1).or(session.item.take());
    }

    /// Goes to the user's last place, as far as that is possible without the index.
    pub(super) fn restore(&mut self, session: Session) {
        self.desk.wraps = session.wraps.unwrap_or(self.desk.wraps);
        self.appearance.chosen.clone_from(&session.theme);
        let mut screens = session.screen.iter().map(|screen| Screen::named(screen));
        let first = screens.next().flatten();
        let has_sample = screens.any(|screen| screen == Some(Screen::Sample));
        let opened = session.opened.as_deref().and_then(SampleKey::parse);
        let is_of_list = session.opened == session.sample;
        match first {
            // A sample that is not the one under the cursor was opened from elsewhere.
            Some(Screen::Samples) if !has_sample || is_of_list => {
                self.restore_samples(&session);
                if has_sample && opened.is_some() {
                    self.desk.stack.push(Screen::Sample);
                }
            }
            Some(Screen::Annotate) => self.restore_queue(&session),
            Some(
                screen @ (Screen::Repos
                | Screen::Disagree
                | Screen::Jobs
                | Screen::Consistency
                | Screen::Clover
                | Screen::Faults),
            ) => self.go_to(screen),
            // Results come below as soon as the runs are known.
            Some(Screen::Results) if lies_faults_over(&session) => self.restore_faults(opened),
            // The runs are read anyway, and some of these screens depend on them; the empty screen shows at once.
            Some(screen @ (Screen::Runs | Screen::Results | Screen::Compare)) => {
                self.go(screen.way());
            }
            Some(Screen::Home | Screen::Samples | Screen::Sample) | None => {}
        }
        self.place.item = first.zip(session.item.clone());
        let lies_over = has_sample || first == Some(Screen::Sample);
        let is_there = is_of_runs(first) || self.screen() == Screen::Sample;
        if let Some(key) = opened.filter(|_| lies_over && !is_there) {
            self.open_sample_again(key, None);
        }
        self.place.session = Some(Box::new(session));
    }

    fn restore_samples(&mut self, session: &Session) {
        let filter = session::filter_of(session, Screen::Samples);
        let at = session::at_of(session);
        let desk = &mut self.desk;
        if self.samples.restore(filter, at, desk).is_err() {
            // An empty filter has no flaw.
            drop(self.samples.restore("", at, desk));
            self.miss(session::LOST_FILTER);
        }
        self.go(Screen::Samples.way());
    }

    fn restore_queue(&mut self, session: &Session) {
        if let Some(queue) = session.filters.get(&Screen::Annotate.word())
            && self.annotate.open_queue(queue, &mut self.desk).is_err()
        {
            self.miss("the queue of your last session is no longer valid");
        }
        self.go_to(Screen::Annotate);
    }

    fn restore_faults(&mut self, opened: Option<SampleKey>) {
        if let Some(key) = opened {
            self.faults.aim(FaultsOrigin::at(key));
        }
        self.place.opened = opened;
        self.go_to(Screen::Faults);
    }

    /// Takes in the list of samples with faults: if the sample that was left has none, the screen below is shown.
    fn check_faults(&mut self) {
        let is_shown = self.screen() == Screen::Faults;
        let gone = self.place.opened.take_if(|_| is_shown);
        if gone.is_some_and(|sample_key| !self.faults.has(sample_key)) {
            self.desk.stack.pop();
            self.miss("the faults of the sample that was open are gone");
            self.open_waiting_results();
        }
    }

    fn open_sample_again(&mut self, key: SampleKey, matcher: Option<Matcher>) {
        self.open_sample(key, matcher);
        self.place.opened = Some(key);
    }

    /// Takes the answer for the sample that was open; tells whether one was being restored.
    pub(super) fn restore_opened(&mut self, is_there: bool) -> bool {
        let is_asked = self.place.opened.take().is_some();
        if is_asked && !is_there {
            self.leave_sample();
        }
        is_asked
    }

    /// Hears that the list no longer has the sample that was under its cursor.
    pub(super) fn miss_sample(&mut self) {
        self.miss("the sample of your last session is no longer listed");
        self.leave_sample();
    }

    /// Leaves the screen of the sample, rather than show another one there.
    fn leave_sample(&mut self) {
        if self.screen() == Screen::Sample {
            self.desk.stack.pop();
            self.miss("the sample that was open is gone");
        }
    }

    /// Moves the cursor to its last item, once the rows of this screen are there.
    pub(super) fn restore_item(&mut self, screen: Screen) {
        if screen == Screen::Faults {
            self.check_faults();
        }
        let item = self.place.item.take_if(|item| item.0 == screen);
        // Faults lies over Results.
        let is_there = self.desk.stack.get(1) == Some(&screen) || self.screen() == screen;
        let Some((_, item)) = item.filter(|_| is_there) else {
            return;
        };
        let (scene, desk) = self.scene_of(screen);
        let (what, is_found) = scene.return_to(&item, desk);
        if !is_found {
            self.miss(&format!("the {what} of your last session is gone"));
        }
    }

    /// Reports something that cannot be restored; joins it to an earlier report.
    fn miss(&mut self, what: &str) {
        let text = match self.desk.message.take() {
            Some((before, Role::Warning)) => format!("{before} · {what}"),
            _ => what.to_owned(),
        };
        self.desk.show_message(text, Role::Warning);
    }

    /// Restores the screens about runs, once the runs are known.
    pub(super) fn restore_runs(&mut self) {
        let Some(session) = self.place.session.take() else {
            return;
        };
        let runs = self.runs.rows().to_vec();
        let screen = self.desk.stack.get(1).copied();
        let has_faults = lies_faults_over(&session);
        for of_runs in [Screen::Results, Screen::Compare] {
            // A screen that lies over it stays: Faults, which can be opened by itself.
            let is_shown = self.screen() == of_runs;
            let gone = if of_runs == Screen::Results {
                let is_open = self.results.is_open;
                let is_left = is_shown || has_faults && screen == Some(of_runs);
                (!is_open).then(|| self.results.restore(&session, &runs, is_left))
            } else {
                let is_open = self.compare.is_open;
                (!is_open).then(|| self.compare.restore(&session, &runs, is_shown))
            };
            // On another screen nothing is asked for.
            if let Some(gone) = gone.filter(|_| is_shown) {
                self.go_to(of_runs);
                for text in &gone {
                    self.miss(text);
                }
            }
        }
        let opened = session.opened.as_deref().and_then(SampleKey::parse);
        let lies_over = session.screen.len() > 1 && self.desk.stack.len() == 2 && !has_faults;
        if let Some(key) = opened.filter(|_| lies_over && is_of_runs(screen)) {
            let run = if screen == Some(Screen::Results) {
                self.results.options().run.as_ref()
            } else {
                self.compare.names().first()
            };
            let run = runs
                .iter()
                .find(|run_row| Some(&run_row.setting.name) == run);
            self.open_sample_again(key, run.map(|run_row| run_row.setting.matcher));
        }
    }

    /// Goes Home from a screen about runs that waits for them: there are none.
    pub(super) fn forget_runs(&mut self) {
        let shows_runs = is_of_runs(Some(self.screen()));
        if self.place.session.take().is_some() && shows_runs && !self.results.is_open {
            self.go(&[Screen::Home]);
            Home::ask_conflicts(&mut self.desk);
        }
    }
}

/// Tells whether the user left from Faults, with Results below.
fn lies_faults_over(session: &Session) -> bool {
    session.screen.len() > 1 && session.screen.last() == Some(&Screen::Faults.word())
}

/// Tells whether a screen shows nothing before the runs are known.
const fn is_of_runs(screen: Option<Screen>) -> bool {
    matches!(screen, Some(Screen::Results | Screen::Compare))
}
