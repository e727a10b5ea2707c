//! The UI without terminal and threads: keys go in as a script, every question is answered at once, frames come out.
//!
//! It serves pictures and tests.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use crate::app::{App, UiStart};
use crate::event::{Effect, Notice, UiEvent};
use crate::key::{self, UnknownKey};
use crate::paint::Painter;
use crate::question::{AnyAnswer, AnyQuestion, QuestionFailure};
use crate::scribe::{AnnotatorAction, Scribe};

pub struct UiStage<A> {
    pub app: App,
    answer: A,
    /// The token of a wake-up that is still to come.
    wake: Option<u64>,
    /// The other effects that the UI wanted, in order; none is carried out here.
    pub other_effects: Vec<Effect>,
    /// Writes the annotator's events; without it, the requests go to `wanted`.
    pub scribe: Option<Scribe>,
    /// Milliseconds since 1970; each write moves it on.
    pub now_ms: i64,
    /// Whether every change is painted at once, as it is on a fast terminal.
    pub paints: bool,
}

/// The time that each write takes.
const WRITTEN_MS: i64 = 1_000;

impl<A: Fn(&dyn AnyQuestion) -> Result<AnyAnswer, QuestionFailure>> UiStage<A> {
    /// Starts the UI and answers its first questions.
    pub fn new(start: UiStart, answer: A) -> Self {
        let (app, effects) = App::new(start);
        let mut stage = Self {
            app,
            answer,
            wake: None,
            other_effects: Vec::new(),
            scribe: None,
            now_ms: 1_777_883_400_000,
            paints: true,
        };
        stage.apply(effects);
        stage.paint();
        stage
    }

    fn paint(&mut self) {
        if self.paints {
            self.app.drawn(self.now_ms);
        }
    }

    /// Presses the keys of a script.
    ///
    /// # Errors
    /// A key that does not exist; then no key is pressed.
    pub fn press(&mut self, script: &str) -> Result<(), UnknownKey> {
        for key in key::parse(script)? {
            self.send(UiEvent::Key(key));
        }
        Ok(())
    }

    /// Sends an event to the UI, and carries out the effects that follow.
    pub fn send(&mut self, event: UiEvent) {
        let effects = self.app.update(event);
        self.apply(effects);
        self.paint();
    }

    /// Lets the time pass after which a menu appears.
    pub fn finish(&mut self) {
        if let Some(token) = self.wake.take() {
            self.send(UiEvent::Notice(Notice::Woken { token }));
        }
    }

    fn apply(&mut self, effects: Vec<Effect>) {
        for effect in effects {
            match effect {
                Effect::Ask(ask) => {
                    let answer = (self.answer)(&*ask.question);
                    self.send(UiEvent::Reply(ask.answered(answer)));
                }
                Effect::Stop { .. } => {}
                Effect::Paint(job) => {
                    let painted = Painter::shared().paint(&job);
                    let notice = Notice::Painted {
                        id: job.id,
                        painted,
                    };
                    self.send(UiEvent::Notice(notice));
                }
                Effect::Wake { token, .. } => self.wake = Some(token),
                Effect::Say(saying) => match &mut self.scribe {
                    Some(scribe) => {
                        if !matches!(saying.what, AnnotatorAction::Sit(_)) {
                            self.now_ms += WRITTEN_MS;
                        }
                        let written = scribe.write(*saying, self.now_ms);
                        self.send(UiEvent::Notice(Notice::Written(Box::new(written))));
                    }
                    None if matches!(saying.what, AnnotatorAction::Sit(_)) => {}
                    None => self.other_effects.push(Effect::Say(saying)),
                },
                other => self.other_effects.push(other),
            }
        }
    }

    /// Draws the frame as the terminal would show it.
    #[must_use]
    pub fn frame(&self) -> Buffer {
        let size = self.app.size();
        let mut buffer = Buffer::empty(Rect::new(0, 0, size.width, size.height));
        self.app.draw(&mut buffer);
        buffer
    }
}
