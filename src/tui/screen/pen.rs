//! Writes a screen's events in the annotator's name, one after the other, and reports them once they are on disk.

use thiserror::Error;

use crate::desk::{Desk, Message};
use crate::event::Effect;
use crate::model::Tag;
use crate::screen::annotate::aside;
use crate::scribe::{AnnotatorAction, ScribeOutcome, ScribeReply, ScribeRequest};
use crate::theme::Role;

/// The reason why a key writes nothing now, in words for the footer.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The annotator's name is unknown.
    #[error("nothing can be saved without a name")]
    Nameless,
    #[error("ignored: {last} is still being saved")]
    Saving { last: &'static str },
    /// It is not on the screen yet, so the key cannot be meant for it.
    #[error("ignored: the {what} was not shown yet")]
    Unseen { what: &'static str },
    #[error("there is no {what}")]
    Missing { what: &'static str },
    #[error("there is nothing to {what}")]
    Nothing { what: &'static str },
    #[error("this is only a neighbour to look at · {{ }} go back")]
    Neighbour,
    /// It exists, but the window does not show it.
    #[error("candidate {rank} is not on the screen")]
    HiddenCandidate { rank: usize },
    #[error("that opinion is not on the screen: make the window taller")]
    HiddenOpinion,
    #[error("the sample is not on the screen · Tab goes there")]
    HiddenSample,
    #[error("there are {n_decided} opinions")]
    NoSuchOpinion { n_decided: usize },
    #[error("blind: a hidden match cannot be accepted · 1-9 picks")]
    Blind,
    #[error("no match to accept · 1-9: pick · X: no focal")]
    NothingToAccept,
    /// The sample cannot be judged so; the words are [`review::ReviewError`](crate::review::ReviewError)'s.
    #[error("{why} · p finds a method")]
    Unjudged { why: String },
    #[error("{why}")]
    Unruled { why: String },
    #[error("this key rules on nothing")]
    NoRuling,
    #[error("the disagreement has changed: look again")]
    Changed,
    #[error("you have not judged this sample")]
    NotJudged,
    #[error("nothing has changed since your verdict")]
    Unchanged,
    #[error("the judged code is unknown: the verdict came from a file without it")]
    Unknown,
    #[error("only an audit speaks for samples that it did not draw · f audit:n=59")]
    NoAudit,
    /// Two tags that exclude each other.
    #[error("not saved: by definition {} excludes {}", alone.as_str(), other.as_str())]
    Contradiction { alone: Tag, other: Tag },
}

impl Refusal {
    /// Makes the footer's message of it.
    pub fn message(&self) -> Message {
        (self.to_string(), Role::Warning)
    }
}

impl From<Refusal> for String {
    fn from(refusal: Refusal) -> Self {
        refusal.to_string()
    }
}

/// Checks that an event can be written: there is a name, and the last event is on disk.
pub const fn may_write(
    annotator: &str,
    is_saving: bool,
    last: &'static str,
) -> Result<(), Refusal> {
    if annotator.is_empty() {
        return Err(Refusal::Nameless);
    }
    if is_saving {
        return Err(Refusal::Saving { last });
    }
    Ok(())
}

/// The writer of one screen's events; its tokens are above `TOKENS`.
#[derive(Debug, Default)]
pub struct AnnotationWriter<const TOKENS: u64> {
    /// Empty until somebody gives a name.
    pub annotator: String,
    /// The token of the event that is being written.
    pending: Option<u64>,
    n_said: u64,
}

impl<const TOKENS: u64> AnnotationWriter<TOKENS> {
    /// Checks that an event can be written now, else gives the reason why not.
    pub fn may_say(&self) -> Result<(), Refusal> {
        may_write(&self.annotator, self.pending.is_some(), "your last action")
    }

    pub fn say(&mut self, what: AnnotatorAction, desk: &mut Desk) {
        self.n_said += 1;
        let token = TOKENS + self.n_said;
        self.pending = Some(token);
        desk.push(Effect::Say(Box::new(ScribeRequest {
            token,
            annotator: self.annotator.clone(),
            what,
            shown_at_ms: None,
        })));
    }

    /// Takes the writer's answer: the event is on disk, or the message why not; nothing for another screen's event.
    pub fn hear(&mut self, written: ScribeReply) -> Option<Result<ScribeOutcome, Message>> {
        self.pending.take_if(|pending| *pending == written.token)?;
        let outcome = written.outcome;
        Some(outcome.map_err(|scribe_failure| {
            (
                format!("{} · {}", scribe_failure.text, scribe_failure.hint),
                Role::Error,
            )
        }))
    }
}

/// Tells in the footer why something could not be done.
pub fn warn(said: Result<(), impl Into<String>>, desk: &mut Desk) {
    if let Err(why) = said {
        desk.show_message(why, Role::Warning);
    }
}

/// Makes the message about events that are on disk.
pub fn message(outcome: &ScribeOutcome) -> Option<Message> {
    Some(match outcome {
        ScribeOutcome::Appended { events, .. } => {
            let text = aside::done(events.last()?.kind());
            let text = match events.len() {
                1 => format!("✓ saved: {text} · u undoes it"),
                n => format!("✓ saved for {n} predictions: {text} · u undoes one"),
            };
            (text, Role::Good)
        }
        ScribeOutcome::Undone(Some(event)) => {
            let text = aside::done(event.kind());
            (format!("undone: {text}"), Role::Warning)
        }
        ScribeOutcome::Redone(Some(event)) => {
            let text = aside::done(event.kind());
            (format!("redone: {text}"), Role::Good)
        }
        ScribeOutcome::Undone(None) => ("nothing to undo".to_owned(), Role::Dim),
        ScribeOutcome::Redone(None) => ("nothing to redo".to_owned(), Role::Dim),
        ScribeOutcome::Drawn(_)
        | ScribeOutcome::Accepted(_)
        | ScribeOutcome::Given(_)
        | ScribeOutcome::Seated
        | ScribeOutcome::Held { .. } => {
            return None;
        }
    })
}
