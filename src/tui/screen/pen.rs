//! Writes a screen's events in the annotator's name besides verdicts, one after the other, and reports them once they
//! are on the disk.

use thiserror::Error;

use crate::desk::{Desk, Message};
use crate::event::Effect;
use crate::model::Tag;
use crate::screen::annotate::aside;
use crate::scribe::{AnnotatorAction, ScribeOutcome, ScribeReply, ScribeRequest};
use crate::theme::Role;

/// Why a key writes nothing now, in the words that the screen has for it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// Nobody knows who it is.
    #[error("nothing can be saved without a name")]
    Nameless,
    #[error("ignored: {last} is still being saved")]
    Saving { last: &'static str },
    /// It is not on the screen yet, so nobody can mean it.
    #[error("ignored: the {what} was not shown yet")]
    Unseen { what: &'static str },
    #[error("there is no {what}")]
    Missing { what: &'static str },
    #[error("there is nothing to {what}")]
    Nothing { what: &'static str },
    #[error("this is only a look at a neighbour · {{ }} go back")]
    Neighbour,
    /// It is there, but the window does not show it.
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
    /// The sample cannot be judged so, in the words of [`review::ReviewError`](crate::review::ReviewError).
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
    #[error("what was judged is not known: the verdict is from a file without it")]
    Unknown,
    #[error("only an audit speaks for samples that it did not draw · f audit:n=59")]
    NoAudit,
    /// Two tags that no prediction can have both.
    #[error("not saved: by definition {} excludes {}", alone.as_str(), other.as_str())]
    Contradiction { alone: Tag, other: Tag },
}

impl Refusal {
    /// Makes the message about it.
    pub fn message(&self) -> Message {
        (self.to_string(), Role::Warning)
    }
}

impl From<Refusal> for String {
    fn from(refusal: Refusal) -> Self {
        refusal.to_string()
    }
}

/// Tells whether something can be written in a name, once the last event is on the disk.
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

/// The pen of one screen; its tokens are above of `TOKENS`.
#[derive(Debug, Default)]
pub struct AnnotationWriter<const TOKENS: u64> {
    /// Empty as long as nobody knows who it is.
    pub annotator: String,
    /// The event that is being written.
    pending: Option<u64>,
    n_said: u64,
}

impl<const TOKENS: u64> AnnotationWriter<TOKENS> {
    /// Tells whether anything can be written now, else why not.
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

    /// Takes in the outcome of an event: on the disk, or the reason why not; nothing for another writer's event.
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

/// Says why something could not be done.
pub fn warn(said: Result<(), impl Into<String>>, desk: &mut Desk) {
    if let Err(why) = said {
        desk.say(why, Role::Warning);
    }
}

/// Makes the message about events that are on the disk.
pub fn told(outcome: &ScribeOutcome) -> Option<Message> {
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
