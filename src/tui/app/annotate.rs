//! What the commands of the screen where samples are judged do.

use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::App;
use crate::browse::{self, Catalogue, FieldScope};
use crate::desk::Message;
use crate::desk::overlay::{Asked, Choosing, Overlay};
use crate::key::{Code, Key};
use crate::keymap::{AnnotateCommand, Found, Motion};
use crate::model::{EventKind, SampleKey, Snippet};
use crate::question::Failure;
use crate::review::Choice;
use crate::screen::Screen;
use crate::screen::annotate::questions::{AskDeclared, MethodSource};
use crate::screen::annotate::{aside, queue};
use crate::theme::Role;
use crate::widget::finder::Finder;
use crate::widget::frame::{Pane, centered, fill, inside};
use crate::widget::input::Input;
use crate::widget::overlay::Prompt;

/// Columns of the list of what was done last.
const PAST_WIDTH: u16 = 96;

impl App {
    /// Opens the screen, with its queue when none is open yet.
    pub(super) fn go_annotate(&mut self) {
        if !self.annotate.is_open() {
            let text = self.annotate.reviewing.queue.clone();
            if let Err(flaw) = self.annotate.open(&text, &mut self.desk) {
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
                self.desk.overlay = Some(Overlay::Ask(
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
                self.desk.overlay = Some(Overlay::Ask(
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
                self.desk.overlay = Some(Overlay::Past { cursor: 0 });
                None
            }
            AnnotateCommand::Find => self.open_finder(),
            command => self.annotate.run(command, &mut self.desk),
        };
        self.tell(message);
    }

    /// Opens the finder on the methods of the sample's repository.
    fn open_finder(&mut self) -> Option<Message> {
        let key = match self.annotate.judged_key() {
            Ok(key) => key,
            Err(text) => return Some((text, Role::Warning)),
        };
        self.desk.overlay = Some(Overlay::Finder(Box::new(Finder::new(""))));
        self.desk.ask_for(AskDeclared(key), Self::take_declared);
        None
    }

    fn take_declared(&mut self, answer: Result<(SampleKey, Arc<Catalogue>), Failure>) {
        let (key, catalogue) = match answer {
            Ok(found) => found,
            Err(failure) => return self.desk.say_failure(&failure),
        };
        if let Some(Overlay::Finder(finder)) = &mut self.desk.overlay
            && self.annotate.judged_key() == Ok(key)
        {
            finder.take_methods(catalogue);
            self.ask_source();
        }
    }

    /// Asks for the source of the method under the finder's cursor.
    pub(super) fn ask_source(&mut self) {
        let Ok(key) = self.annotate.judged_key() else {
            return;
        };
        if let Some(Overlay::Finder(finder)) = &mut self.desk.overlay
            && let Some(method) = finder.wants()
        {
            let source = MethodSource(key, method);
            self.desk.ask_for(source, Self::take_source);
        }
    }

    fn take_source(&mut self, answer: Result<(String, Option<Snippet>), Failure>) {
        let (method, snippet) = match answer {
            Ok(found) => found,
            Err(failure) => return self.desk.say_failure(&failure),
        };
        if let Some(Overlay::Finder(finder)) = &mut self.desk.overlay {
            finder.take_preview(&method, snippet.as_ref());
            let jobs: Vec<_> = finder.jobs().into_iter().collect();
            self.desk.paint(jobs);
        }
    }

    /// Picks the method under the finder's cursor; without one the finder stays.
    pub(super) fn accept_found(&mut self, finder: Box<Finder>) {
        let Some(method) = finder.chosen().map(|it| it.key.clone()) else {
            self.desk.overlay = Some(Overlay::Finder(finder));
            return;
        };
        let said = self.annotate.judge(&Choice::Key(method), &mut self.desk);
        self.tell(said.unwrap_or_else(|text| Some((text, Role::Warning))));
    }

    pub(super) fn tell(&mut self, message: Option<Message>) {
        self.desk.tell(message);
    }

    /// Writes the note that was typed.
    pub(super) fn accept_note(&mut self, prompt: &Prompt) {
        match self.annotate.note(prompt.input.text(), &mut self.desk) {
            Ok(message) => self.tell(message),
            Err(text) => self.say(text, Role::Warning),
        }
    }

    /// Opens the queue that was typed, or shows what is wrong with it.
    pub(super) fn accept_queue(&mut self, mut prompt: Prompt) {
        let text = self.expanded_queue(prompt.input.text());
        match text.and_then(|it| self.annotate.open(&it, &mut self.desk)) {
            Ok(()) => {}
            Err(flaw) => {
                prompt.flaw = Some((flaw.at, flaw.text));
                prompt.completions = Vec::new();
                self.desk.overlay = Some(Overlay::Ask(Asked::Queue, prompt));
            }
        }
    }

    /// Returns a queue with what is saved in place of each `@name`; places behind one are no longer those that were
    /// typed.
    fn expanded_queue(&self, text: &str) -> Result<String, queue::Flaw> {
        let expanded = browse::expand(text, &self.desk.saved, FieldScope::Samples);
        expanded.map_err(queue::Flaw::from)
    }

    /// Completes and checks the queue that is being typed.
    pub(super) fn check_queue(&mut self) {
        let Some(Overlay::Ask(Asked::Queue, prompt)) = &self.desk.overlay else {
            return;
        };
        let reviewing = &self.annotate.reviewing;
        let parsed = self.expanded_queue(prompt.input.text());
        let flaw = parsed.and_then(|it| queue::parse(&it, reviewing)).err();
        if let Some(Overlay::Ask(Asked::Queue, prompt)) = &mut self.desk.overlay {
            let typed = prompt.input.before_cursor().len();
            prompt.completions = queue::complete(prompt.input.text(), typed, &self.desk.saved);
            super::typing::mark(prompt, flaw.map(|it| (it.at, it.text)));
        }
    }

    /// Moves in the list of what was done last; returns whether it is open.
    pub(super) fn scroll_past(&mut self, motion: Motion) -> bool {
        let Some(Overlay::Past { cursor }) = &mut self.desk.overlay else {
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
            (Some(key), Some(_)) => self.annotate.turn_to(key, &mut self.desk),
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
        let takes_tags = matches!(self.desk.overlay, Some(Overlay::Choose(Choosing::Tags, _)))
            && matches!(key.code, Code::Enter | Code::Char(' '));
        if is_verdict || takes_tags {
            self.say("not heard: the key is held down", Role::Warning);
        } else {
            self.on_key(key);
        }
    }
}
