//! The commands of Annotate besides judging, and its pointer.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::browse::{self, FieldScope};
use crate::config::Session;
use crate::desk::Desk;
use crate::desk::overlay::{InputPurpose, Overlay};
use crate::filter::FilterFlaw;
use crate::keymap::{Command, Motion, SampleCommand};
use crate::paint;
use crate::question::shared::{SampleCountQuestion, TYPED};
use crate::review;
use crate::review::action::{self, Act};
use crate::scene::Scene;
use crate::screen::annotate::commands::AnnotateCommand;
use crate::screen::annotate::{Annotate, queue};
use crate::screen::sample::SampleScreen;
use crate::screen::sample::alone::run_panes;
use crate::screen::{AnswerState, DrawContext, Screen, session};
use crate::scribe::ScribeReply;
use crate::theme::Role;
use crate::widget::code::CodeView;
use crate::widget::overlay::Prompt;

impl Scene for Annotate {
    fn arrange(&mut self, body: Rect, desk: &mut Desk) {
        self.panes.arrange(body, desk.wraps);
    }

    fn draw(&self, body: Rect, buffer: &mut Buffer, context: DrawContext<'_>) {
        Self::draw(self, body, buffer, context);
    }

    fn line(&self) -> String {
        Self::line(self)
    }

    fn scroll(&mut self, motion: Motion, _desk: &mut Desk) {
        self.panes.scroll(motion);
    }

    fn point(&mut self, at: Position, _desk: &mut Desk) -> bool {
        self.panes.point(at)
    }

    fn open(&mut self, _desk: &mut Desk) {
        self.panes.toggle_zoom();
    }

    fn close(&mut self, _desk: &mut Desk) -> bool {
        self.panes.close()
    }

    fn run(&mut self, command: Command, desk: &mut Desk) {
        match command {
            Command::Annotate(command) => self.run_own(command, desk),
            Command::Sample(SampleCommand::Sibling(step)) => {
                let message = self.peek(step, desk);
                desk.show_if_some(message);
            }
            Command::Sample(SampleCommand::Why) if self.reviewing.is_blind => {
                desk.show_message("blind: why a match was made is hidden", Role::Warning);
            }
            Command::Sample(SampleCommand::Why) => {
                desk.toggle_about(Overlay::Why, self.panes.detail.is_some());
                Self::ask_bands(desk);
            }
            Command::Sample(SampleCommand::Facts) if self.reviewing.is_blind => {
                let text = "blind: facts beyond the code are hidden";
                desk.show_message(text, Role::Warning);
            }
            Command::Sample(SampleCommand::Facts) => {
                desk.toggle_about(Overlay::Facts, self.panes.detail.is_some());
            }
            command => run_panes(self, command, desk),
        }
    }

    /// Opens the queue when none is open yet.
    fn enter(&mut self, desk: &mut Desk) {
        if !self.is_open() {
            let text = self.reviewing.queue.clone();
            if let Err(flaw) = self.open_queue(&text, desk) {
                desk.show_message(flaw.text, Role::Error);
            }
        }
    }

    fn left_out(&self) -> Vec<&'static str> {
        let ids = |is_refused: &dyn Fn(Act) -> bool| -> Vec<&'static str> {
            let refused = action::ACTIONS
                .iter()
                .filter(|action| is_refused(action.act));
            let picks = is_refused(Act::Pick).then_some("annotate-pick-shown");
            refused.map(|action| action.id).chain(picks).collect()
        };
        let can_undo = self.can_undo();
        let Some(item) = &self.item else {
            // Between two samples the footer does not change.
            let is_finished = !matches!(self.state, AnswerState::Waiting) && self.wanted.is_none();
            return ids(&|act| match act {
                Act::Undo => !can_undo,
                act => is_finished && act.needs_sample(),
            });
        };
        let detail = &item.explained.detail;
        let is_unaccepted = self.reviewing.is_blind || detail.focal.is_none();
        let has_candidates = !detail.candidates.is_empty();
        ids(&|act| match act {
            Act::Accept => is_unaccepted,
            Act::Pick => !has_candidates,
            Act::Undo => !can_undo,
            _ => false,
        })
    }

    fn summary(&self) -> Option<String> {
        Some(Self::summary(self))
    }

    /// An annotator closes many pop-ups.
    fn holds(&self) -> bool {
        true
    }

    fn has_wheel_in_panes(&self) -> bool {
        true
    }

    fn painted(&mut self, at_ms: i64) {
        let Some(item) = &self.item else { return };
        let key = item.key();
        if self.painted.is_none_or(|(before, _)| before != key) {
            self.painted = Some((key, at_ms));
            self.began_at_ms.get_or_insert(at_ms);
        }
        self.last_at_ms = at_ms;
    }

    fn take_unpainted(&mut self) -> Vec<paint::PaintJob> {
        self.panes.take_unpainted()
    }

    fn code(&mut self) -> Option<&mut CodeView> {
        self.panes.code()
    }

    fn sample(&self) -> Option<&SampleScreen> {
        Some(&self.panes)
    }

    fn sample_mut(&mut self) -> Option<&mut SampleScreen> {
        Some(&mut self.panes)
    }

    fn calibrated(&self) -> String {
        Self::calibrated(self)
    }

    /// Completes and checks the queue that is being typed, and counts its samples.
    fn check(&self, asked: InputPurpose, prompt: &mut Prompt, desk: &mut Desk) {
        if asked == InputPurpose::Queue {
            let expanded = expanded(prompt.input.text(), desk);
            let has_saved = expanded
                .as_ref()
                .is_ok_and(|expanded| expanded != prompt.input.text());
            let parsed = expanded.and_then(|expanded| queue::parse(&expanded, &self.reviewing));
            let typed = prompt.input.before_cursor().len();
            prompt.completions = queue::complete(prompt.input.text(), typed, &desk.saved);
            match parsed {
                Ok(options) => {
                    prompt.mark(None);
                    let of_index = review::filter_of(&options);
                    if let Some(filter) = of_index.filter(|filter| prompt.counts(filter)) {
                        desk.ask_in(
                            TYPED,
                            SampleCountQuestion(filter),
                            |_: &mut Self, n, desk| {
                                desk.take_typed(n);
                            },
                        );
                    }
                }
                Err(flaw) => {
                    // Positions behind a saved filter differ from the typed ones, so the correction cannot be applied.
                    let mended = flaw.mended.filter(|_| !has_saved);
                    prompt.mark(Some((flaw.at, flaw.text)));
                    prompt.offer(mended);
                }
            }
        }
    }

    /// Writes the typed note, or opens the typed queue.
    fn accept(
        &mut self,
        asked: InputPurpose,
        text: &str,
        desk: &mut Desk,
    ) -> Result<(), FilterFlaw> {
        match asked {
            InputPurpose::Note => match self.note(text, desk) {
                Ok(message) => desk.show_if_some(message),
                Err(refusal) => desk.show_message(refusal, Role::Warning),
            },
            InputPurpose::Queue => {
                let text = expanded(text, desk)?;
                self.open_queue(&text, desk)?;
            }
            _ => {}
        }
        Ok(())
    }

    fn keep(&self, session: &mut Session) {
        session::keep_filter(session, Screen::Annotate, &self.reviewing.queue);
    }

    fn take_written(&mut self, written: ScribeReply, desk: &mut Desk) {
        let message = Self::take_written(self, written, desk);
        desk.show_if_some(message);
    }
}

impl Annotate {
    fn run_own(&mut self, command: AnnotateCommand, desk: &mut Desk) {
        let message = match command {
            AnnotateCommand::Note => {
                desk.ask_line(InputPurpose::Note, "note", self.known_note());
                None
            }
            AnnotateCommand::Queue => {
                desk.ask_checked(InputPurpose::Queue, "queue", &self.reviewing.queue);
                None
            }
            AnnotateCommand::History => {
                desk.overlay = Some(Overlay::Past { cursor: 0 });
                None
            }
            AnnotateCommand::Find => self.open_finder(desk),
            command => self.say_of_it(command, desk),
        };
        desk.show_if_some(message);
    }
}

/// Replaces each `@name` in a queue by its saved filter; positions behind one differ from the typed ones.
fn expanded(text: &str, desk: &Desk) -> Result<String, FilterFlaw> {
    let expanded = browse::expand(text, &desk.saved, FieldScope::Samples);
    expanded.map_err(FilterFlaw::from)
}
