//! The abilities of every screen; the app calls nothing else of the visible one.
//!
//! Methods without a default must be written for each screen; the others do nothing unless a screen overrides them.

use std::any::Any;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::browse::FieldScope;
use crate::config::Session;
use crate::desk::overlay::{ChoicePurpose, InputPurpose};
use crate::desk::{Desk, ScreenRequest};
use crate::filter::FilterFlaw;
use crate::keymap::{Command, Motion, StepDirection};
use crate::model::Filter;
use crate::paint;
use crate::screen::DrawContext;
use crate::screen::sample::SampleScreen;
use crate::scribe::ScribeReply;
use crate::widget::chooser::Chooser;
use crate::widget::code::CodeView;
use crate::widget::frame::cut_parts;
use crate::widget::overlay::Prompt;

pub trait Scene: Any {
    /// Lays everything out, so that drawing only draws.
    fn arrange(&mut self, body: Rect, desk: &mut Desk);

    fn draw(&self, body: Rect, buffer: &mut Buffer, context: DrawContext<'_>);

    /// Writes the line above the screen: the user's place.
    fn line(&self) -> String;

    /// Writes the same line in at most `room` columns, with whole parts.
    fn line_in(&self, room: usize) -> String {
        cut_parts(&self.line(), room)
    }

    fn scroll(&mut self, motion: Motion, desk: &mut Desk);

    /// Goes to the item under the pointer; returns whether there is anything.
    fn point(&mut self, at: Position, desk: &mut Desk) -> bool;

    /// Enter: opens the item under the cursor.
    fn open(&mut self, desk: &mut Desk);

    /// Esc: leaves the nearest thing; returns whether there was one.
    fn close(&mut self, desk: &mut Desk) -> bool;

    /// Carries out a command of this screen.
    fn run(&mut self, command: Command, desk: &mut Desk);

    /// Asks for the data that a user wants to see on coming here.
    fn enter(&mut self, _desk: &mut Desk) {}

    /// Lists the ids of actions that would be refused now, and are not offered in footer and help.
    fn left_out(&self) -> Vec<&'static str> {
        Vec::new()
    }

    /// Writes the text in the bar at the top, in place of the counts of the index.
    fn summary(&self) -> Option<String> {
        None
    }

    /// Tells whether people's verdicts on the sample must be hidden now.
    fn hides_people(&self) -> bool {
        false
    }

    /// Tells whether an extra Esc must not leave it.
    fn holds(&self) -> bool {
        false
    }

    /// Tells whether the wheel is heard only over panes.
    fn has_wheel_in_panes(&self) -> bool {
        false
    }

    /// ^c: stops the task under the cursor; returns whether there is one.
    fn cancel(&mut self, _desk: &mut Desk) -> bool {
        false
    }

    /// Hears that it was painted in its present state: only then can its content be judged.
    fn painted(&mut self, _at_ms: i64) {}

    /// Hands out the code that needs colours.
    fn take_unpainted(&mut self) -> Vec<paint::PaintJob> {
        Vec::new()
    }

    /// Returns the code pane with the focus.
    fn code(&mut self) -> Option<&mut CodeView> {
        None
    }

    /// Returns the panes of the sample on the screen, where it has panes of its own.
    fn sample(&self) -> Option<&SampleScreen> {
        None
    }

    fn sample_mut(&mut self) -> Option<&mut SampleScreen> {
        None
    }

    /// Tells how often weights such as the match's have proved right.
    fn calibrated(&self) -> String {
        String::new()
    }

    /// Searches for the typed text, from the cursor on.
    fn search(&mut self, needle: &str, desk: &mut Desk) {
        let Some(code) = self.code() else {
            if !needle.is_empty() {
                self.find(needle, StepDirection::Next, desk);
            }
            return;
        };
        code.find(needle);
        if !needle.is_empty() {
            self.step_match(StepDirection::Next, desk);
        }
    }

    /// Goes to the next match in the code with the focus, else in the list.
    fn step_match(&mut self, step: StepDirection, desk: &mut Desk) {
        let Some(code) = self.code() else {
            let needle = self.needle().to_owned();
            self.find(&needle, step, desk);
            return;
        };
        let found = code.step_match(step);
        let needle = code.needle().to_owned();
        desk.say_match(&needle, found, "not in this pane");
    }

    /// Returns the text of the last search in the screen's list; empty stands for the last search among the samples.
    #[expect(
        clippy::unnecessary_literal_bound,
        reason = "a screen with a list has a text of its own"
    )]
    fn needle(&self) -> &str {
        ""
    }

    /// Goes to the next line of the list whose test's name holds `needle`; to the next sample where the screen has no
    /// list.
    fn find(&mut self, needle: &str, step: StepDirection, desk: &mut Desk) {
        desk.request(ScreenRequest::Find(needle.to_owned(), step));
    }

    /// Returns the fields that filters of the screen may use.
    fn scope(&self) -> FieldScope {
        FieldScope::Samples
    }

    /// Returns the filter of the list on the screen; nothing where it has none.
    fn filter_text(&self) -> Option<&str> {
        None
    }

    /// Returns the label before the line where a filter is typed.
    fn filter_label(&self) -> &'static str {
        "filter"
    }

    /// Shows only the rows that a filter lets through.
    ///
    /// # Errors
    /// The flaw of the text, with its place; then nothing changes.
    fn filter(&mut self, _text: &str, _desk: &mut Desk) -> Result<(), FilterFlaw> {
        Ok(())
    }

    /// Counts the rows that the typed filter would let through; the answer goes to [`Desk::take_typed`].
    fn count_typed(&mut self, _filter: Filter, _desk: &mut Desk) {}

    /// Completes and checks the line that is being typed.
    fn check(&self, _asked: InputPurpose, _prompt: &mut Prompt, _desk: &mut Desk) {}

    /// Takes a typed line.
    ///
    /// # Errors
    /// The flaw of the line, with its place: then typing goes on.
    fn accept(
        &mut self,
        _asked: InputPurpose,
        _text: &str,
        _desk: &mut Desk,
    ) -> Result<(), FilterFlaw> {
        Ok(())
    }

    /// Takes the choice from a list.
    fn choose(&mut self, _choosing: ChoicePurpose, _name: &str, _desk: &mut Desk) {}

    /// Takes a list in which several items may be checked.
    fn choose_many(&mut self, _chooser: Chooser, _desk: &mut Desk) {}

    /// Hears that an event of this screen is on disk, or that it cannot be written.
    fn take_written(&mut self, _written: ScribeReply, _desk: &mut Desk) {}

    /// Notes the visible state for the next time: filters, groups, runs.
    fn keep(&self, _session: &mut Session) {}

    /// Notes the item under the cursor.
    fn leave(&self, _session: &mut Session) {}

    /// Moves the cursor to its item of the last session; returns the kind of item, and whether it is there.
    fn return_to(&mut self, _item: &str, _desk: &mut Desk) -> (&'static str, bool) {
        ("item", false)
    }
}
