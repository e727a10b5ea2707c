//! Several people in one queue: a sample that another annotator looks at waits, and the last ones are shown with a
//! warning.
//!
//! Decides nothing for good: a seat only tells where an annotator looks. Verdicts that are saved meanwhile are reported
//! when a key is pressed.

use crate::desk::Desk;
use crate::event::Effect;
use crate::review::{SeatedAnnotator, beside, is_taken};
use crate::screen::annotate::Annotate;
use crate::scribe::{AnnotatorAction, ScribeRequest};
use crate::text::visible;
use crate::theme::Role;

/// The token of requests for a seat: their answer is heard, but nothing waits for it.
pub const SIT: u64 = 0;

impl Annotate {
    /// Takes the seats of annotators, without this window's own.
    pub(super) fn take_seats(&mut self, mut seats: Vec<SeatedAnnotator>) {
        let own = self.sat.map(|key| SeatedAnnotator {
            key,
            annotator: self.reviewing.annotator.clone(),
        });
        let place = seats.iter().position(|seat| Some(seat) == own.as_ref());
        if let Some(place) = place {
            seats.remove(place);
        }
        self.seats = seats;
    }

    /// Makes the samples wait that enough others look at, except the one that is being read here.
    pub(super) fn pass_over(&mut self) {
        let begun = self.begun;
        let Some(mut session) = self.session.take() else {
            return;
        };
        session.pass_over(|key| Some(*key) != begun && is_taken(&self.seats, &self.options, key));
        self.session = Some(session);
    }

    /// Takes this window's seat at the sample to judge, once it is on the screen.
    pub(super) fn sit(&mut self, desk: &mut Desk) {
        let is_reading = self.wanted.is_some() || self.peeked != 0;
        let key = self.item.as_ref().map(|item| item.key());
        if is_reading || key == self.sat || self.reviewing.annotator.is_empty() {
            return;
        }
        self.sat = key;
        desk.push(Effect::Say(Box::new(ScribeRequest {
            token: SIT,
            annotator: self.reviewing.annotator.clone(),
            what: AnnotatorAction::Sit(key),
            shown_at_ms: None,
        })));
        self.tell_beside(desk);
    }

    /// Hears that the seat is taken, and where others sit now: they may have come at the same moment.
    pub(super) fn take_seated(&mut self, seats: Vec<SeatedAnnotator>, desk: &mut Desk) {
        let before = self.beside();
        // The writer knows which seat is its own.
        self.seats = seats;
        if self.beside() != before {
            self.tell_beside(desk);
        }
    }

    fn tell_beside(&self, desk: &mut Desk) {
        if let Some(text) = self.beside() {
            desk.show_message(format!("{text} · s skips it"), Role::Warning);
        }
    }

    /// Names the others who look at the sample on the screen, where one of them is enough.
    #[must_use]
    pub fn beside(&self) -> Option<String> {
        let key = self.item.as_ref()?.key();
        let text = beside(&self.seats, &self.options, &key);
        text.filter(|_| self.peeked == 0).map(|text| visible(&text))
    }
}
