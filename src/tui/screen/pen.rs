//! What a screen writes in somebody's name besides verdicts, one thing after the other, and what is said of it once it is on the
//! disk.

use crate::desk::{Desk, Message};
use crate::event::Effect;
use crate::screen::annotate::aside;
use crate::scribe::{Outcome, Said, Saying, Written};
use crate::theme::Role;

/// The pen of one screen; its tokens are above of `TOKENS`.
#[derive(Debug, Default)]
pub struct Pen<const TOKENS: u64> {
    /// Empty as long as nobody knows who it is.
    pub annotator: String,
    /// What is being written.
    pending: Option<u64>,
    n_said: u64,
}

impl<const TOKENS: u64> Pen<TOKENS> {
    /// Returns whether anything can be written now, else why not.
    pub fn may_say(&self) -> Result<(), String> {
        if self.annotator.is_empty() {
            return Err("nothing can be saved without a name".to_owned());
        }
        if self.pending.is_some() {
            return Err("ignored: your last action is still being saved".to_owned());
        }
        Ok(())
    }

    pub fn say(&mut self, what: Said, desk: &mut Desk) {
        self.n_said += 1;
        let token = TOKENS + self.n_said;
        self.pending = Some(token);
        desk.push(Effect::Say(Box::new(Saying {
            token,
            annotator: self.annotator.clone(),
            what,
            shown_at_ms: None,
        })));
    }

    /// Hears what became of what was said: on the disk, or why it is not; nothing where somebody else said it.
    pub fn hear(&mut self, written: Written) -> Option<Result<Outcome, Message>> {
        self.pending.take_if(|it| *it == written.token)?;
        let outcome = written.outcome;
        Some(outcome.map_err(|it| (format!("{} · {}", it.text, it.hint), Role::Error)))
    }
}

/// Returns what is told of events that are on the disk.
pub fn told(outcome: &Outcome) -> Option<Message> {
    Some(match outcome {
        Outcome::Appended { events, .. } => {
            let text = aside::done(events.last()?.kind());
            let text = match events.len() {
                1 => format!("✓ saved: {text} · u undoes it"),
                n => format!("✓ saved for {n} predictions: {text} · u undoes one"),
            };
            (text, Role::Good)
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
