//! The commands and the pointer of Samples.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::config::Session;
use crate::desk::overlay::Overlay;
use crate::desk::{Desk, ScreenRequest};
use crate::filter::{self, FilterFlaw};
use crate::keymap::{Command, CopyContent, Motion, PaneCommand, SampleCommand, StepDirection};
use crate::layout::{above, beside};
use crate::model::Filter;
use crate::question::shared::{SampleCountQuestion, TYPED};
use crate::scene::Scene;
use crate::screen::sample::{WIDTH_THREE, WIDTH_TWO};
use crate::screen::samples::commands::SamplesCommand;
use crate::screen::samples::selection::SelectionPurpose;
use crate::screen::samples::{SampleListPane, Samples};
use crate::screen::{DrawContext, Screen, people, session};
use crate::text::visible;
use crate::widget::code::CodeView;
use crate::widget::frame::inside;
use crate::widget::list::PageStart;

impl Scene for Samples {
    fn arrange(&mut self, body: Rect, desk: &mut Desk) {
        self.areas = if body.width < WIDTH_TWO {
            let [list, preview] = above(body, (body.height * 9 / 20).max(6));
            let pane = if self.focus == SampleListPane::Focal {
                SampleListPane::Focal
            } else {
                SampleListPane::Test
            };
            vec![(SampleListPane::List, list), (pane, preview)]
        } else if body.width < WIDTH_THREE {
            let [list, preview] = above(body, body.height * 9 / 20);
            let [test, focal] = beside(preview, body.width / 2);
            vec![
                (SampleListPane::List, list),
                (SampleListPane::Test, test),
                (SampleListPane::Focal, focal),
            ]
        } else {
            let [list, rest] = beside(body, body.width * 36 / 100);
            let [test, focal] = beside(rest, rest.width / 2);
            vec![
                (SampleListPane::List, list),
                (SampleListPane::Test, test),
                (SampleListPane::Focal, focal),
            ]
        };
        for (pane, area) in self.areas.clone() {
            match pane {
                // One row is the head of the table.
                SampleListPane::List => self
                    .window
                    .resize(usize::from(inside(area).height.saturating_sub(1))),
                SampleListPane::Test => self.test.arrange(inside(area), desk.wraps),
                SampleListPane::Focal => self.focal.arrange(inside(area), desk.wraps),
            }
        }
    }

    fn draw(&self, _body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        Self::draw(self, buffer, context);
    }

    fn line(&self) -> String {
        let filter = match self.filter_text.as_str() {
            "" => "every test · f filters",
            text => text,
        };
        let selected = self.selection.note(self.window.rank());
        let mut parts = vec![filter.to_owned(), self.position() + &selected];
        // The panes are a moment behind the cursor, so their remarks may be about another sample.
        if self.selected().map(|row| row.key) == self.shown_key() {
            let said = people::brief(&self.remarks, "");
            parts.extend(said.iter().map(|part| visible(part)));
        }
        parts.join(" · ")
    }

    fn scroll(&mut self, motion: Motion, desk: &mut Desk) {
        if let Some(code) = self.code() {
            code.scroll(motion);
            return;
        }
        self.step(motion, desk);
    }

    fn point(&mut self, at: Position, desk: &mut Desk) -> bool {
        let found = self.areas.iter().find(|(_, area)| area.contains(at));
        let Some((pane, area)) = found.copied() else {
            return false;
        };
        self.focus = pane;
        let first_row = area.y + 2;
        if pane == SampleListPane::List && at.y >= first_row && at.y + 1 < area.bottom() {
            let from = self.window.select_visible(usize::from(at.y - first_row));
            self.ask_page(from, desk);
            self.ask_detail(desk);
        }
        true
    }

    fn enter(&mut self, desk: &mut Desk) {
        if self.is_open {
            self.look_again(desk);
        }
    }

    fn open(&mut self, desk: &mut Desk) {
        if self.selected().is_some() {
            desk.request(ScreenRequest::Go(Screen::Sample));
        }
    }

    /// Ends the selection, else clears searches and brings the focus to the list; tells whether there was anything to
    /// do.
    fn close(&mut self, _desk: &mut Desk) -> bool {
        if self.selection.clear() {
            return true;
        }
        let had_search = self.test.clear() | self.focal.clear();
        let had_needle = !std::mem::take(&mut self.needle).is_empty();
        let had_focus = self.focus != SampleListPane::List;
        if !had_search {
            self.focus = SampleListPane::List;
        }
        had_search || had_needle || had_focus
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        match command {
            Command::Samples(SamplesCommand::Sort(sort)) => self.sort(sort, desk),
            Command::Samples(SamplesCommand::Select) => self.turn_selection(desk),
            Command::Samples(SamplesCommand::Mark) => {
                self.use_selection(SelectionPurpose::Mark, desk);
            }
            Command::Samples(SamplesCommand::Keys) => {
                self.use_selection(SelectionPurpose::Write, desk);
            }
            Command::Samples(SamplesCommand::RunAgain) => {
                self.use_selection(SelectionPurpose::RunAgain, desk);
            }
            Command::Samples(SamplesCommand::Compare) => {
                self.use_selection(SelectionPurpose::Compare, desk);
            }
            Command::Sample(SampleCommand::Copy(CopyContent::Key)) if self.has_selection() => {
                self.use_selection(SelectionPurpose::Copy, desk);
            }
            Command::Pane(command) => self.run_pane(command, desk),
            Command::Sample(command) => self.run_sample(command, desk),
            _ => {}
        }
    }

    fn code(&mut self) -> Option<&mut CodeView> {
        match self.focus {
            SampleListPane::List => None,
            SampleListPane::Test => Some(&mut self.test),
            SampleListPane::Focal => Some(&mut self.focal),
        }
    }

    fn needle(&self) -> &str {
        &self.needle
    }

    fn find(&mut self, needle: &str, step: StepDirection, desk: &mut Desk) {
        if needle.is_empty() {
            desk.say_no_search();
            return;
        }
        needle.clone_into(&mut self.needle);
        let Some(row) = self.window.selected() else {
            return;
        };
        let from = PageStart::Match {
            needle: needle.to_owned(),
            id: row.id,
            step,
        };
        self.ask_page(Some(from), desk);
    }

    fn filter_text(&self) -> Option<&str> {
        Some(&self.filter_text)
    }

    fn count_typed(&mut self, filter: Filter, desk: &mut Desk) {
        desk.ask_in(
            TYPED,
            SampleCountQuestion(filter),
            |_: &mut Self, n, desk| {
                desk.take_typed(n);
            },
        );
    }

    /// Shows the rows that `text` lets through; the cursor stays on its row if that is among them.
    fn filter(&mut self, text: &str, desk: &mut Desk) -> Result<(), FilterFlaw> {
        self.filter = filter::parse(text)?;
        text.trim().clone_into(&mut self.filter_text);
        self.read(self.here(), desk);
        Ok(())
    }

    fn leave(&self, session: &mut Session) {
        session::keep_at(session, self.left_at());
    }

    fn keep(&self, session: &mut Session) {
        session::keep_filter(session, Screen::Samples, &self.filter_text);
    }
}

impl Samples {
    /// Goes to the next test with the text in its name; an empty text repeats the last search.
    pub fn find_again(&mut self, needle: &str, step: StepDirection, desk: &mut Desk) {
        let needle = if needle.is_empty() {
            self.needle.clone()
        } else {
            needle.to_owned()
        };
        self.find(&needle, step, desk);
    }

    fn run_pane(&mut self, command: PaneCommand, desk: &mut Desk) {
        match command {
            PaneCommand::Focus(step) => self.step_focus(step),
            PaneCommand::Peek(step) => self.peek(step, desk),
            PaneCommand::Search => desk.ask_search(),
            PaneCommand::Match(step) => self.step_match(step, desk),
            PaneCommand::Mark(step) => desk.step_mark(self.test_code(), step),
            PaneCommand::Wrap => desk.turn_wrap(),
        }
    }

    fn run_sample(&mut self, command: SampleCommand, desk: &mut Desk) {
        let has_sample = self.detail.is_some();
        match command {
            SampleCommand::Sibling(step) => self.step(Motion::from(step), desk),
            SampleCommand::Why => desk.toggle_about(Overlay::Why, has_sample),
            SampleCommand::Facts => desk.toggle_about(Overlay::Facts, has_sample),
            SampleCommand::Edit => {
                let root = self
                    .detail
                    .as_ref()
                    .and_then(|sample_detail| sample_detail.root.as_ref());
                desk.edit(self.place(), root);
            }
            SampleCommand::Copy(what) => {
                let taken = self.copied(what);
                desk.copy_out(taken);
            }
        }
    }

    /// Returns file and line of the pane with the focus; in the list, of the test.
    fn place(&self) -> Option<(String, u32)> {
        let code = match self.focus {
            SampleListPane::List => {
                let test = &self.detail.as_ref()?.test;
                return Some((test.path.clone(), test.name_line));
            }
            SampleListPane::Test => &self.test,
            SampleListPane::Focal => &self.focal,
        };
        code.place().map(|(path, line)| (path.to_owned(), line))
    }

    fn copied(&self, what: CopyContent) -> Option<(String, &'static str)> {
        let detail = self.detail.as_ref()?;
        match what {
            CopyContent::Code if self.focus == SampleListPane::Focal => {
                let focal = detail.focal.as_ref()?;
                Some((focal.text.clone(), "the focal method"))
            }
            CopyContent::Code => Some((detail.test.text.clone(), "the test")),
            CopyContent::Path => {
                let (path, line) = self.place()?;
                Some((format!("{path}:{line}"), "path and line"))
            }
            CopyContent::Key => Some((detail.row.key.to_string(), "the sample's key")),
        }
    }
}
