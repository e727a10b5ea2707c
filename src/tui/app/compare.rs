//! What the commands of Compare do.

use crate::tui::app::App;
use crate::tui::keymap::{CompareCommand, Context, PaneCommand, SampleCommand};
use crate::tui::question::compare::Answer;

impl App {
    /// Opens the screen; what it knows from before is shown until it is read again.
    pub(super) fn go_compare(&mut self) {
        self.go(&[Context::Home, Context::Compare]);
    }

    pub(super) fn run_compare(&mut self, _command: CompareCommand) {}

    /// What concerns the pane with the focus.
    pub(super) fn run_compare_pane(&mut self, _command: PaneCommand) {}

    /// What concerns the sample under the cursor.
    pub(super) fn run_compare_sample(&mut self, _command: SampleCommand) {}

    /// Enter.
    pub(super) fn open_compared(&mut self) {}

    #[expect(clippy::boxed_local, reason = "answers are boxed")]
    pub(super) fn on_compare(&mut self, answer: Box<Answer>) {
        match *answer {}
    }
}
