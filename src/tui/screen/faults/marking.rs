//! Marking mutants as equivalent: from a key to an event, and what happens when it is on the disk.

use crate::desk::{Desk, Message};
use crate::event::Effect;
use crate::model::{ContentHash, EventKind, FaultOutcome, SampleKey};
use crate::screen::annotate::aside;
use crate::screen::faults::Faults;
use crate::screen::faults::questions::AskKiller;
use crate::scribe::{Outcome, Said, Saying, Written};
use crate::store::Killer;
use crate::text::visible;
use crate::theme::Role;

/// What the tokens of this screen's sayings are above of.
pub const TOKENS: u64 = 4 << 32;

/// What is known of whoever marks, and of what is on its way.
#[derive(Debug, Default)]
pub struct Marking {
    /// Empty as long as nobody knows who it is.
    annotator: String,
    /// The mutant that has been painted.
    painted: Option<ContentHash>,
    /// What is being written.
    pending: Option<u64>,
    n_said: u64,
}

impl Faults {
    /// Returns the screen of somebody; the name is empty as long as nobody knows who it is.
    #[must_use]
    pub fn new(annotator: &str) -> Self {
        let mut faults = Self::default();
        faults.set_annotator(annotator);
        faults
    }

    /// Marks mutants in this name from now on.
    pub fn set_annotator(&mut self, name: &str) {
        name.clone_into(&mut self.marking.annotator);
    }

    /// Hears that the mutant under the cursor is painted.
    pub(super) fn note_painted(&mut self) {
        self.marking.painted = self.line_shown().map(|it| it.mutant.id);
    }

    /// Returns whether anything can be written now, else why not.
    fn may_say(&self) -> Result<(), String> {
        if self.marking.annotator.is_empty() {
            return Err("nothing can be saved without a name".to_owned());
        }
        if self.marking.pending.is_some() {
            return Err("ignored: your last action is still being saved".to_owned());
        }
        Ok(())
    }

    /// Marks the mutant under the cursor as equivalent, as far as no test kills it, or takes the own mark back.
    pub(super) fn mark(&mut self, desk: &mut Desk) -> Result<(), String> {
        self.may_say()?;
        let line = self.line_shown().ok_or("there is no mutant here")?;
        let key = self.key.ok_or("there is no sample here")?;
        let mutant = line.mutant.id;
        if self.marking.painted != Some(mutant) {
            return Err("ignored: the mutant was not shown yet".to_owned());
        }
        if line.is_marked_by(&self.marking.annotator) {
            let kind = EventKind::NotEquivalent { key, mutant };
            self.say(Said::plain(kind), desk);
        } else {
            desk.ask(AskKiller { key, mutant }, Self::take_killer);
        }
        Ok(())
    }

    /// Marks a mutant unless a test kills it.
    fn take_killer(
        &mut self,
        (key, mutant, killer): (SampleKey, ContentHash, Option<Killer>),
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
            desk.say(text, Role::Warning);
            return;
        }
        // Something else may have been said meanwhile.
        match self.may_say() {
            Ok(()) => self.say(Said::plain(EventKind::Equivalent { key, mutant }), desk),
            Err(text) => desk.say(text, Role::Warning),
        }
    }

    /// Takes back what the annotator did last, or takes back that.
    pub(super) fn turn_back(&mut self, what: Said, desk: &mut Desk) -> Result<(), String> {
        self.may_say()?;
        self.say(what, desk);
        Ok(())
    }

    fn say(&mut self, what: Said, desk: &mut Desk) {
        self.marking.n_said += 1;
        let token = TOKENS + self.marking.n_said;
        self.marking.pending = Some(token);
        desk.push(Effect::Say(Box::new(Saying {
            token,
            annotator: self.marking.annotator.clone(),
            what,
            shown_at_ms: None,
        })));
    }

    /// Hears that what was said is on the disk, or that it cannot be written.
    pub(super) fn written(&mut self, written: Written, desk: &mut Desk) -> Option<Message> {
        self.marking.pending.take_if(|it| *it == written.token)?;
        let outcome = match written.outcome {
            Ok(outcome) => outcome,
            Err(trouble) => {
                return Some((format!("{} · {}", trouble.text, trouble.hint), Role::Error));
            }
        };
        self.ask_matrix(desk);
        Some(match outcome {
            Outcome::Appended { events, .. } => {
                let text = aside::done(events.last()?.kind());
                (format!("✓ saved: {text} · u undoes it"), Role::Good)
            }
            Outcome::Undone(Some(event)) => {
                let text = aside::done(event.kind());
                (format!("undone: {text}"), Role::Warning)
            }
            Outcome::Redone(Some(event)) => {
                let text = aside::done(event.kind());
                (format!("redone: {text}"), Role::Good)
            }
            Outcome::Undone(None) => ("nothing to undo".to_owned(), Role::Dim),
            Outcome::Redone(None) => ("nothing to redo".to_owned(), Role::Dim),
            Outcome::Drawn(_)
            | Outcome::Accepted(_)
            | Outcome::Given(_)
            | Outcome::Seated
            | Outcome::Held { .. } => {
                return None;
            }
        })
    }
}
