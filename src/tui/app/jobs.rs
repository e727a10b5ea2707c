//! What the commands of Jobs do.

use crate::tui::app::App;
use crate::tui::keymap::{Context, JobsCommand, PaneCommand};
use crate::tui::question::jobs::Answer;

impl App {
    /// Opens the screen; what it knows from before is shown until it is read again.
    pub(super) fn go_jobs(&mut self) {
        self.go(&[Context::Home, Context::Jobs]);
    }

    pub(super) fn run_jobs(&mut self, _command: JobsCommand) {}

    /// What concerns the pane with the focus.
    pub(super) fn run_jobs_pane(&mut self, _command: PaneCommand) {}

    /// Enter.
    pub(super) fn open_job(&mut self) {}

    #[expect(clippy::boxed_local, reason = "answers are boxed")]
    pub(super) fn on_jobs(&mut self, answer: Box<Answer>) {
        match *answer {}
    }

    /// Looks again at what changes by itself.
    pub(super) fn on_tick(&mut self) {
        self.is_dirty = self.results.tick(&mut self.outbox);
    }
}
