//! What the commands of the screen where samples are judged do.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::{App, Asked, Choosing, Confirmed, Overlay, Told};
use crate::browse::{self, Catalogue, FieldScope};
use crate::event::Effect;
use crate::key::{Code, Key};
use crate::keymap::{AnnotateCommand, Found, Motion};
use crate::model::{EventKind, SampleKey, Snippet};
use crate::question::{Query, Slot};
use crate::review::{Acceptance, Choice, ERROR_MAX};
use crate::screen::Screen;
use crate::screen::annotate::{Message, aside, queue};
use crate::theme::Role;
use crate::widget::finder::Finder;
use crate::widget::frame::{Pane, centered, counted, fill, inside};
use crate::widget::input::Input;
use crate::widget::overlay::Prompt;

/// Columns of the list of what was done last.
const PAST_WIDTH: u16 = 96;

impl App {
    /// Opens the screen, with its queue when none is open yet.
    pub(super) fn go_annotate(&mut self) {
        if !self.annotate.is_open() {
            let text = self.annotate.reviewing.queue.clone();
            if let Err(flaw) = self.annotate.open(&text, &mut self.outbox) {
                self.say(flaw.text, Role::Error);
            }
        }
        self.go(&[Screen::Home, Screen::Annotate]);
    }

    /// Hears that the screen is painted as it is: only then can anything be said of the sample on it.
    pub fn drawn(&mut self, at_ms: i64) {
        match self.screen() {
            _ if self.is_too_small() => {}
            Screen::Annotate => self.annotate.painted(at_ms),
            Screen::Disagree => self.disagree.painted(at_ms),
            Screen::Results => self.results.painted(),
            _ => {}
        }
    }

    pub(super) fn run_annotate(&mut self, command: AnnotateCommand) {
        let message = match command {
            AnnotateCommand::Note => {
                let note = self.annotate.known_note().to_owned();
                self.overlay = Some(Overlay::Ask(
                    Asked::Note,
                    Prompt {
                        label: "note",
                        input: Input::new(&note),
                        ..Prompt::default()
                    },
                ));
                None
            }
            AnnotateCommand::Queue => {
                let text = self.annotate.reviewing.queue.clone();
                self.overlay = Some(Overlay::Ask(
                    Asked::Queue,
                    Prompt {
                        label: "queue",
                        input: Input::new(&text),
                        ..Prompt::default()
                    },
                ));
                self.after_typing();
                None
            }
            AnnotateCommand::History => {
                self.overlay = Some(Overlay::Past { cursor: 0 });
                None
            }
            AnnotateCommand::Find => self.open_finder(),
            command => self.annotate.run(command, &mut self.outbox),
        };
        self.tell(message);
    }

    /// Opens the finder on the methods of the sample's repository.
    fn open_finder(&mut self) -> Option<Message> {
        let key = match self.annotate.judged_key() {
            Ok(key) => key,
            Err(text) => return Some((text, Role::Warning)),
        };
        self.overlay = Some(Overlay::Finder(Box::new(Finder::new(""))));
        self.outbox.ask(Slot::Declared, Query::Declared(key));
        None
    }

    pub(super) fn take_declared(&mut self, key: SampleKey, catalogue: &Arc<Catalogue>) {
        if let Some(Overlay::Finder(finder)) = &mut self.overlay
            && self.annotate.judged_key() == Ok(key)
        {
            finder.take_methods(Arc::clone(catalogue));
            self.ask_source();
        }
    }

    /// Asks for the source of the method under the finder's cursor.
    pub(super) fn ask_source(&mut self) {
        let Ok(key) = self.annotate.judged_key() else {
            return;
        };
        if let Some(Overlay::Finder(finder)) = &mut self.overlay
            && let Some(method) = finder.wants()
        {
            let query = Query::MethodSource(key, method);
            self.outbox.ask(Slot::MethodSource, query);
        }
    }

    pub(super) fn take_source(&mut self, method: &str, snippet: Option<&Snippet>) {
        if let Some(Overlay::Finder(finder)) = &mut self.overlay {
            finder.take_preview(method, snippet);
            for job in finder.jobs() {
                if self.cache.want(job.id) {
                    self.outbox.push(Effect::Paint(job));
                }
            }
        }
    }

    /// Picks the method under the finder's cursor; without one the finder stays.
    pub(super) fn accept_found(&mut self, finder: Box<Finder>) {
        let Some(method) = finder.chosen().map(|it| it.key.clone()) else {
            self.overlay = Some(Overlay::Finder(finder));
            return;
        };
        let said = self.annotate.judge(&Choice::Key(method), &mut self.outbox);
        self.tell(said.unwrap_or_else(|text| Some((text, Role::Warning))));
    }

    /// Asks whether what an audit did not draw is to be accepted, or says why it cannot be.
    pub(super) fn ask_to_accept(&mut self, acceptance: &Acceptance) {
        let text = match acceptance.open.len() as u64 {
            0 if !acceptance.is_representative => {
                "the filter lets other samples through than when the audit was drawn".to_owned()
            }
            0 if acceptance.error_max > ERROR_MAX => format!(
                "{} in {} leave up to {:.1} % possible, more than {:.0} %",
                counted(acceptance.n_errors, "error"),
                acceptance.n,
                acceptance.error_max * 100.0,
                ERROR_MAX * 100.0
            ),
            0 if acceptance.n_rest == 0 => "there is nothing left to accept".to_owned(),
            0 => {
                let question = format!(
                    "{} in {}: at most {:.2} % of the matches are wrong, with {:.0} % confidence. \
                     Accept the other {}, provisionally?",
                    counted(acceptance.n_errors, "error"),
                    acceptance.n,
                    acceptance.error_max * 100.0,
                    acceptance.confidence * 100.0,
                    counted(acceptance.n_rest, "sample")
                );
                self.overlay = Some(Overlay::Confirm {
                    question,
                    confirmed: Confirmed::AcceptRest,
                });
                return;
            }
            n_open => format!("{} of the audit to decide first", counted(n_open, "sample")),
        };
        self.overlay = Some(Overlay::Told(Told {
            title: "not accepted",
            text,
            role: Role::Warning,
            hint: "a larger sample without more errors leaves less possible: f audit:n=…"
                .to_owned(),
            opens_stale: false,
        }));
    }

    pub(super) fn tell(&mut self, message: Option<Message>) {
        if let Some((text, role)) = message {
            self.say(text, role);
        }
    }

    /// Writes the note that was typed.
    pub(super) fn accept_note(&mut self, prompt: &Prompt) {
        match self.annotate.note(prompt.input.text(), &mut self.outbox) {
            Ok(message) => self.tell(message),
            Err(text) => self.say(text, Role::Warning),
        }
    }

    /// Opens the queue that was typed, or shows what is wrong with it.
    pub(super) fn accept_queue(&mut self, mut prompt: Prompt) {
        let text = self.expanded_queue(prompt.input.text());
        match text.and_then(|it| self.annotate.open(&it, &mut self.outbox)) {
            Ok(()) => {}
            Err(flaw) => {
                prompt.flaw = Some((flaw.at, flaw.text));
                prompt.completions = Vec::new();
                self.overlay = Some(Overlay::Ask(Asked::Queue, prompt));
            }
        }
    }

    /// Returns a queue with what is saved in place of each `@name`; places behind one are no longer those that were
    /// typed.
    fn expanded_queue(&self, text: &str) -> Result<String, queue::Flaw> {
        let expanded = browse::expand(text, &self.saved, FieldScope::Samples);
        expanded.map_err(queue::Flaw::from)
    }

    /// Completes and checks the queue that is being typed.
    pub(super) fn check_queue(&mut self) {
        let Some(Overlay::Ask(Asked::Queue, prompt)) = &self.overlay else {
            return;
        };
        let reviewing = &self.annotate.reviewing;
        let parsed = self.expanded_queue(prompt.input.text());
        let flaw = parsed.and_then(|it| queue::parse(&it, reviewing)).err();
        if let Some(Overlay::Ask(Asked::Queue, prompt)) = &mut self.overlay {
            let typed = prompt.input.before_cursor().len();
            prompt.completions = queue::complete(prompt.input.text(), typed, &self.saved);
            super::typing::mark(prompt, flaw.map(|it| (it.at, it.text)));
        }
    }

    /// Moves in the list of what was done last; returns whether it is open.
    pub(super) fn scroll_past(&mut self, motion: Motion) -> bool {
        let Some(Overlay::Past { cursor }) = &mut self.overlay else {
            return false;
        };
        let last = self.annotate.past().len().saturating_sub(1);
        let page = usize::from(self.size.height / 2).max(1);
        *cursor = motion.moved(*cursor, page).min(last);
        true
    }

    /// Goes back to the sample of the line under the cursor, to change what was said of it.
    pub(super) fn open_past(&mut self, cursor: usize) {
        let row = self.annotate.past().get(cursor);
        let key = row.and_then(|it| it.past.event.kind().key());
        match (key, row.and_then(|it| it.test.as_ref())) {
            (Some(key), Some(_)) => self.annotate.turn_to(key, &mut self.outbox),
            (Some(_), None) => self.say("that sample is gone from the index", Role::Warning),
            (None, _) => self.say("that was not about one sample", Role::Dim),
        }
    }

    pub(super) fn draw_past(&self, cursor: usize, body: Rect, buffer: &mut Buffer) {
        let past = self.annotate.past();
        let height = (past.len().max(1) as u16).saturating_add(2);
        let area = centered(body, PAST_WIDTH.min(body.width.saturating_sub(2)), height);
        fill(area, Role::Popup, buffer, &self.theme);
        let n_verdicts = past
            .iter()
            .filter(|it| !it.past.is_undone && matches!(it.past.event.kind(), EventKind::Judged(_)))
            .count();
        let title = format!("what you did last · {n_verdicts} verdicts");
        let pane = Pane {
            title: &title,
            note: "Enter goes back to it · Esc",
            has_focus: true,
        };
        pane.draw(area, buffer, &self.theme);
        aside::draw_past(inside(area), past, Some(cursor), buffer, &self.theme);
    }

    /// Hears a key that is held down: it moves on and on, but what it says of samples it says once.
    pub(super) fn on_repeat(&mut self, key: Key) {
        let is_verdict = self.pending.is_empty()
            && matches!(
                self.keymap.find(self.context(), &[key]),
                Found::Command(command) if command.is_verdict()
            );
        let takes_tags = matches!(self.overlay, Some(Overlay::Choose(Choosing::Tags, _)))
            && matches!(key.code, Code::Enter | Code::Char(' '));
        if is_verdict || takes_tags {
            self.say("not heard: the key is held down", Role::Warning);
        } else {
            self.on_key(key);
        }
    }

    /// Asks how sure weights have proved to be, where why a match is shown.
    pub(super) fn ask_bands(&mut self) {
        self.outbox.ask(Slot::Bands, Query::Bands);
    }
}
