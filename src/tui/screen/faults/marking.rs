//! Marking mutants as equivalent: from a key to an event, and the steps after the event is on disk.

use crate::desk::{Desk, Message};
use crate::model::{ContentHash, EventKind, FaultOutcome, SampleKey};
use crate::screen::faults::Faults;
use crate::screen::faults::questions::KillerQuestion;
use crate::screen::pen::{self, AnnotationWriter, Refusal};
use crate::scribe::{AnnotatorAction, ScribeReply};
use crate::store::KillingTest;
use crate::text::visible;
use crate::theme::Role;

/// The tokens of this screen's events are above this.
pub const TOKENS: u64 = 4 << 32;

/// The annotator's name and the event on its way, with the mutant that may be marked.
#[derive(Debug, Default)]
pub struct Marking {
    pub(super) pen: AnnotationWriter<TOKENS>,
    /// The mutant that has been painted: only this one may be marked.
    painted: Option<ContentHash>,
}

impl Faults {
    /// Makes the screen for an annotator; the name is empty until somebody gives one.
    #[must_use]
    pub fn new(annotator: &str) -> Self {
        let mut faults = Self::default();
        faults.set_annotator(annotator);
        faults
    }

    /// Marks mutants in this name from now on.
    pub fn set_annotator(&mut self, name: &str) {
        name.clone_into(&mut self.marking.pen.annotator);
    }

    /// Notes that the mutant under the cursor has been painted.
    pub(super) fn note_painted(&mut self) {
        self.marking.painted = self.line_shown().map(|matrix_row| matrix_row.mutant.id);
    }

    /// Marks the mutant under the cursor as equivalent, unless a test kills it; removes an own mark.
    pub(super) fn mark(&mut self, desk: &mut Desk) -> Result<(), Refusal> {
        self.marking.pen.may_say()?;
        let missing = |what| Refusal::Missing { what };
        let line = self.line_shown().ok_or(missing("mutant here"))?;
        let key = self.key.ok_or(missing("sample here"))?;
        let mutant = line.mutant.id;
        if self.marking.painted != Some(mutant) {
            return Err(Refusal::Unseen { what: "mutant" });
        }
        if line.is_marked_by(&self.marking.pen.annotator) {
            let kind = EventKind::NotEquivalent { key, mutant };
            self.marking.pen.say(AnnotatorAction::plain(kind), desk);
        } else {
            desk.ask(KillerQuestion { key, mutant }, Self::take_killer);
        }
        Ok(())
    }

    /// Marks a mutant unless a test kills it.
    fn take_killer(
        &mut self,
        (key, mutant, killer): (SampleKey, ContentHash, Option<KillingTest>),
        desk: &mut Desk,
    ) {
        if let Some(killer) = killer {
            let how = match killer.outcome {
                FaultOutcome::KilledByAssertion => "by an assertion",
                _ => "by an error",
            };
            let run = visible(&killer.run);
            let text =
                format!("not marked: a test of {run} kills it {how}, so it is not equivalent");
            desk.show_message(text, Role::Warning);
            return;
        }
        // Another event may have been sent meanwhile.
        match self.marking.pen.may_say() {
            Ok(()) => self.marking.pen.say(
                AnnotatorAction::plain(EventKind::Equivalent { key, mutant }),
                desk,
            ),
            Err(refusal) => desk.show_message(refusal, Role::Warning),
        }
    }

    /// Undoes the annotator's last event, or redoes the last undone one.
    pub(super) fn turn_back(
        &mut self,
        what: AnnotatorAction,
        desk: &mut Desk,
    ) -> Result<(), Refusal> {
        self.marking.pen.may_say()?;
        self.marking.pen.say(what, desk);
        Ok(())
    }

    /// Takes the writer's answer: the event is on disk, or cannot be written. Returns the message about it.
    pub(super) fn written(&mut self, written: ScribeReply, desk: &mut Desk) -> Option<Message> {
        let outcome = match self.marking.pen.hear(written)? {
            Ok(outcome) => outcome,
            Err(message) => return Some(message),
        };
        self.ask_matrix(desk);
        pen::message(&outcome)
    }
}
