//! What the commands of Results do.

use crate::tui::app::App;
use crate::tui::keymap::{Context, PaneCommand, ResultsCommand, SampleCommand};
use crate::tui::question::results::Answer;

impl App {
    /// Opens the screen; what it knows from before is shown until it is read again.
    pub(super) fn go_results(&mut self) {
        self.go(&[Context::Home, Context::Results]);
    }

    pub(super) fn run_results(&mut self, _command: ResultsCommand) {}

    /// What concerns the pane with the focus.
    pub(super) fn run_results_pane(&mut self, _command: PaneCommand) {}

    /// What concerns the sample under the cursor.
    pub(super) fn run_results_sample(&mut self, _command: SampleCommand) {}

    /// Enter.
    pub(super) fn open_result(&mut self) {}

    #[expect(clippy::boxed_local, reason = "answers are boxed")]
    pub(super) fn on_results(&mut self, answer: Box<Answer>) {
        match *answer {}
    }
}
