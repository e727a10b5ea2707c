//! The commands of Disagree besides ruling, and its pointer.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::browse::Completion;
use crate::config::Session;
use crate::desk::overlay::{InputPurpose, Overlay};
use crate::desk::{Desk, Message, ScreenRequest};
use crate::filter::FilterFlaw;
use crate::keymap::{Command, Motion, PaneCommand, SampleCommand, StepDirection};
use crate::model::SampleKey;
use crate::paint;
use crate::scene::Scene;
use crate::screen::DrawContext;
use crate::screen::disagree::commands::DisagreeCommand;
use crate::screen::disagree::{Disagree, DisagreeAreas, DisagreeFocus};
use crate::screen::pen::warn;
use crate::screen::sample::alone::run_panes;
use crate::screen::sample::{SamplePane, SampleScreen, WIDTH_TWO};
use crate::scribe::ScribeReply;
use crate::theme::Role;
use crate::widget::code::CodeView;
use crate::widget::frame::inside;
use crate::widget::input::Input;
use crate::widget::overlay::Prompt;

impl Scene for Disagree {
    fn arrange(&mut self, body: Rect, desk: &mut Desk) {
        self.areas = if self.is_wide {
            let [sample, opinions] = self.over_opinions(body);
            DisagreeAreas {
                opinions,
                sample,
                ..DisagreeAreas::default()
            }
        } else if body.width < WIDTH_TWO {
            self.narrow(body)
        } else {
            self.wide(body)
        };
        self.numbers.arrange(inside(self.areas.matrix));
        self.panes.is_beside = self.focus != DisagreeFocus::Sample;
        if !self.areas.test.is_empty() {
            let areas = vec![
                (SamplePane::Test, self.areas.test),
                (SamplePane::Candidates, self.areas.candidates),
            ];
            self.panes.arrange_in(areas, desk.wraps);
            self.sides.arrange(self.areas.sides, desk.wraps);
        } else if !self.areas.sample.is_empty() {
            self.panes.arrange(self.areas.sample, desk.wraps);
        }
    }

    fn draw(&self, _body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        Self::draw(self, buffer, context);
    }

    fn line(&self) -> String {
        Self::line(self)
    }

    fn scroll(&mut self, motion: Motion, desk: &mut Desk) {
        match self.focus {
            DisagreeFocus::Queue => {
                let page = usize::from(inside(self.areas.queue).height).max(1);
                self.go_to(motion.moved(self.cursor, page), desk);
            }
            DisagreeFocus::Sample => self.panes.scroll(motion),
            DisagreeFocus::Numbers => self.numbers.scroll(motion),
        }
    }

    fn point(&mut self, at: Position, desk: &mut Desk) -> bool {
        let rows = inside(self.areas.queue);
        if rows.contains(at) {
            self.focus = DisagreeFocus::Queue;
            let place = self.top() + usize::from(at.y - rows.y);
            if place < self.shown.len() {
                self.go_to(place, desk);
            }
            return true;
        }
        if self.areas.matrix.contains(at) {
            self.focus = DisagreeFocus::Numbers;
            self.numbers.point(at);
            return true;
        }
        let is_sample = !self.areas.sample.is_empty() && self.panes.point(at);
        if is_sample {
            self.focus = DisagreeFocus::Sample;
        }
        is_sample
    }

    fn open(&mut self, desk: &mut Desk) {
        let message = self.open_focused(desk);
        desk.show_if_some(message);
    }

    fn close(&mut self, desk: &mut Desk) -> bool {
        if std::mem::take(&mut self.is_wide) || self.panes.close() {
            return true;
        }
        if self.focus != DisagreeFocus::Queue {
            self.focus = DisagreeFocus::Queue;
            return true;
        }
        if self.filter.take().is_none() {
            return false;
        }
        self.list(self.key());
        self.follow(desk);
        true
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        let has_sample = self.panes.detail.is_some();
        match command {
            Command::Disagree(command) => self.run_own(command, desk),
            Command::Pane(PaneCommand::Focus(step)) => self.step_focus(step),
            Command::Pane(PaneCommand::Peek(step)) => self.peek(step),
            Command::Sample(SampleCommand::Sibling(step)) => self.step(step, desk),
            Command::Sample(SampleCommand::Why) => desk.toggle_about(Overlay::Why, has_sample),
            Command::Sample(SampleCommand::Facts) => desk.toggle_about(Overlay::Facts, has_sample),
            command => run_panes(self, command, desk),
        }
    }

    /// Shows the earlier data until they have been read again.
    fn enter(&mut self, desk: &mut Desk) {
        self.reload(desk);
    }

    fn summary(&self) -> Option<String> {
        Some(Self::summary(self))
    }

    /// Names are hidden until a ruling, and so are notes, which reveal their authors.
    fn hides_people(&self) -> bool {
        self.is_hidden()
    }

    /// A person who rules closes many pop-ups.
    fn holds(&self) -> bool {
        true
    }

    fn painted(&mut self, at_ms: i64) {
        if self.areas.sample.is_empty() || self.wanted.is_some() {
            return;
        }
        let Some(item) = &self.item else { return };
        let key = item.key();
        if self.painted.is_none_or(|(before, _)| before != key) {
            self.painted = Some((key, at_ms));
        }
    }

    fn take_unpainted(&mut self) -> Vec<paint::PaintJob> {
        let mut jobs = self.panes.take_unpainted();
        if !jobs.is_empty() {
            jobs.extend(self.sides.jobs());
        }
        jobs
    }

    /// Returns the code pane only while it has the focus; else a search goes through the list.
    fn code(&mut self) -> Option<&mut CodeView> {
        if self.focus == DisagreeFocus::Sample {
            self.panes.code()
        } else {
            None
        }
    }

    fn sample(&self) -> Option<&SampleScreen> {
        Some(&self.panes)
    }

    fn sample_mut(&mut self) -> Option<&mut SampleScreen> {
        Some(&mut self.panes)
    }

    fn needle(&self) -> &str {
        &self.needle
    }

    /// Goes to the next conflict, around the ends, whose test has `needle` in its name.
    fn find(&mut self, needle: &str, step: StepDirection, desk: &mut Desk) {
        if needle.is_empty() {
            desk.say_no_search();
        } else {
            let message = self.find_conflict(needle, step, desk);
            desk.show_if_some(message);
        }
    }

    /// Writes the typed note, or rules with the typed reason.
    fn accept(
        &mut self,
        asked: InputPurpose,
        text: &str,
        desk: &mut Desk,
    ) -> Result<(), FilterFlaw> {
        let said = match asked {
            InputPurpose::Note => self.note(text, desk),
            InputPurpose::Reason => self.rule(text, desk),
            _ => Ok(()),
        };
        warn(said, desk);
        Ok(())
    }

    fn take_written(&mut self, written: ScribeReply, desk: &mut Desk) {
        let message = Self::take_written(self, written, desk);
        desk.request(ScreenRequest::Conflicts(self.n_open() as u64));
        desk.show_if_some(message);
    }

    fn leave(&self, session: &mut Session) {
        session.item = self.conflict().map(|conflict| conflict.key.to_string());
    }

    fn return_to(&mut self, item: &str, desk: &mut Desk) -> (&'static str, bool) {
        let key = SampleKey::parse(item);
        let is_found = key.is_some_and(|sample_key| self.go_to_key(sample_key, desk));
        ("disagreement", is_found)
    }
}

impl Disagree {
    fn run_own(&mut self, command: DisagreeCommand, desk: &mut Desk) {
        match command {
            DisagreeCommand::Side(_)
            | DisagreeCommand::Accept
            | DisagreeCommand::Pick
            | DisagreeCommand::NoneOfThese
            | DisagreeCommand::NoFocal
            | DisagreeCommand::LeaveOpen => match self.begin_ruling(command) {
                Ok(begun) => self.ask_reason(begun, desk),
                Err(refusal) => desk.show_message(refusal, Role::Warning),
            },
            DisagreeCommand::Note => desk.ask_line(InputPurpose::Note, "note", self.known_note()),
            command => {
                let message = self.say_of_it(command, desk);
                desk.show_if_some(message);
            }
        }
    }

    fn ask_reason(&self, begun: &str, desk: &mut Desk) {
        // The text stands above the line; there is nothing to complete.
        let ruling = Completion {
            span: 0..0,
            text: self.draft_words().unwrap_or_default(),
            help: "reason? Enter alone: none · Esc cancels",
        };
        let prompt = Prompt {
            label: "reason",
            input: Input::new(begun),
            completions: vec![ruling],
            ..Prompt::default()
        };
        desk.overlay = Some(Overlay::Ask(InputPurpose::Reason, Box::new(prompt)));
    }

    /// Goes to the neighbour in the list, with the focus on any pane.
    fn step(&mut self, step: StepDirection, desk: &mut Desk) {
        let place = match step {
            StepDirection::Next => self.cursor + 1,
            StepDirection::Previous => self.cursor.saturating_sub(1),
        };
        self.go_to(place, desk);
    }

    fn find_conflict(
        &mut self,
        needle: &str,
        step: StepDirection,
        desk: &mut Desk,
    ) -> Option<Message> {
        needle.clone_into(&mut self.needle);
        let needle = needle.to_lowercase();
        let n = self.shown.len();
        let holds = |place: &usize| {
            let state = self.at(*place).and_then(|conflict| conflict.state.as_ref());
            state.is_some_and(|sample_state| sample_state.test.to_lowercase().contains(&needle))
        };
        let steps = 1..=n;
        let mut places = steps.map(|steps| match step {
            StepDirection::Next => (self.cursor + steps) % n,
            StepDirection::Previous => (self.cursor + n - steps) % n,
        });
        match places.find(holds) {
            Some(place) => {
                self.go_to(place, desk);
                None
            }
            None => Some((
                format!("{}: no disagreement about such a test", self.needle),
                Role::Warning,
            )),
        }
    }

    /// Enter: from the list to the sample, from there to its full width; a cell filters the list.
    fn open_focused(&mut self, desk: &mut Desk) -> Option<Message> {
        match self.focus {
            DisagreeFocus::Queue => {
                self.panes.set_focus(SamplePane::Test);
                self.focus = DisagreeFocus::Sample;
                None
            }
            DisagreeFocus::Sample => {
                self.is_wide = !self.is_wide;
                None
            }
            DisagreeFocus::Numbers => self.filter_by_cell(desk),
        }
    }
}
